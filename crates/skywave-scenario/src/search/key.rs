//! A key of a search: what it may be set to.

use crate::read::fault::Fault;
use crate::read::tree::{Entry, Node, Value};
use crate::search::decimal::Decimal;
use crate::search::range::Range;
use crate::search::write;
use crate::sweep::notation;
use crate::sweep::path::Path;
use crate::sweep::step;

/// Most choices of a key, and ranges in a choice: nobody writes more.
const MOST: usize = 1000;

/// Key of a `[search]`: fields of the scenario that a search sets together, and the values and ranges that it
/// may set them to.
#[derive(Debug)]
pub struct Key {
    text: String,
    pub(crate) paths: Vec<Path>,
    choices: Vec<Choice>,
}

/// Value of a key with a place for a number at each of its ranges.
#[derive(Debug)]
struct Choice {
    /// A value for all paths, or one for each.
    values: Vec<Node>,
    ranges: Vec<Range>,
}

/// Value of a search [`Key`]: one of the key's choices, with a number for each range in that choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Setting {
    /// Place of the choice among the key's.
    choice: usize,
    /// A number for each range in the choice.
    numbers: Vec<Decimal>,
}

impl Setting {
    /// Index of the choice among those of the key.
    pub fn choice(&self) -> usize {
        self.choice
    }

    /// Numbers for the ranges in the choice, in their order, each in the base unit of its range: bit/s, ns, B, m or
    /// m/s, and as written for a range in another unit or without one.
    pub fn numbers(&self) -> &[Decimal] {
        &self.numbers
    }
}

impl Key {
    /// Reads an entry of `[search]`.
    pub(crate) fn read(
        entry: &Entry,
        prefix: &str,
        tree: &Node,
        text: &str,
    ) -> Result<Self, Fault> {
        let paths = Path::all_of(entry, prefix, tree, text)?;
        let whole = std::slice::from_ref(&entry.node);
        let items = entry.node.as_array().unwrap_or(whole);
        if items.is_empty() {
            return Err(entry
                .node
                .fault("this search has no value")
                .label("at least one is needed"));
        }
        if items.len() > MOST {
            return Err(entry
                .node
                .fault("these are too many choices")
                .label(format!("at most {MOST}")));
        }
        let choices = items.iter().map(|item| {
            let values = match item.as_array() {
                Some(_) => step(item, paths.len())?,
                None => vec![item.clone()],
            };
            let mut ranges = Vec::new();
            for value in &values {
                collect(value, &mut ranges)?;
            }
            Ok(Choice { values, ranges })
        });
        Ok(Self {
            text: format!("{prefix}{}", entry.key),
            choices: choices.collect::<Result<_, Fault>>()?,
            paths,
        })
    }

    /// Text of the key as the file writes it: the path of the field that it sets, such as `link.path.rate`, or several
    /// paths with `&` between them.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of the key's choices: values, with or without ranges in them, one of which a setting takes.
    pub fn choices(&self) -> usize {
        self.choices.len()
    }

    /// Number of coordinates that [`Key::setting`] takes: one picks among the key's choices, and there is one more for
    /// each numeric range of the choice that has the most ranges.
    pub fn dimensions(&self) -> usize {
        let ranges = self.choices.iter().map(|choice| choice.ranges.len());
        1 + ranges.max().unwrap_or_default()
    }

    /// Setting at the point `at`, whose coordinates are from 0 to 1: the first picks the choice, further ones the
    /// numbers in the choice's ranges. Coordinates that are missing are taken to be one half.
    pub fn setting(&self, at: &[f64]) -> Setting {
        let place = |dimension: usize| at.get(dimension).copied().unwrap_or(0.5);
        let count = self.choices.len();
        let choice = ((place(0).clamp(0.0, 1.0) * count as f64) as usize).min(count - 1);
        let ranges = self.choices[choice].ranges.iter().zip(1..);
        let numbers = ranges.map(|(range, dimension)| range.at(place(dimension)));
        Setting {
            choice,
            numbers: numbers.collect(),
        }
    }

    /// Whether a map, a plot of the search space, draws this key on a logarithmic axis: true if the first range in the
    /// choice of `setting` is logarithmic, false if that is linear or the choice has no range.
    pub fn is_logarithmic(&self, setting: &Setting) -> bool {
        let choice = self.choices.get(setting.choice);
        choice
            .and_then(|choice| choice.ranges.first())
            .is_some_and(Range::is_log)
    }

    /// Point, with coordinates from 0 to 1, at which [`Key::setting`] gives this setting; `None` if the key has no such
    /// choice.
    pub fn place(&self, setting: &Setting) -> Option<Vec<f64>> {
        let choice = self.choices.get(setting.choice)?;
        let first = (setting.choice as f64 + 0.5) / self.choices.len() as f64;
        let numbers = choice.ranges.iter().zip(&setting.numbers);
        let mut at = vec![first];
        at.extend(numbers.map(|(range, &number)| range.place(number)));
        at.resize(self.dimensions(), 0.5);
        Some(at)
    }

    /// Settings like `setting`, but with the number at `index` rounded to `digits` significant digits, down and up, the
    /// nearer one first, without those that leave the range. Empty if that number has no more than `digits` digits, or
    /// there is no number at `index`.
    pub fn rounded(&self, setting: &Setting, index: usize, digits: usize) -> Vec<Setting> {
        let range = self
            .choices
            .get(setting.choice)
            .map(|choice| &choice.ranges);
        let range = range.and_then(|ranges| ranges.get(index));
        let (Some(range), Some(&number)) = (range, setting.numbers.get(index)) else {
            return Vec::new();
        };
        if number.digits() <= digits {
            return Vec::new();
        }
        let with = |number| {
            let mut other = setting.clone();
            other.numbers[index] = number;
            other
        };
        range
            .rounded(number, digits)
            .into_iter()
            .map(with)
            .collect()
    }

    /// Words for the value of `setting` in tables: `1.5Mbps`, `rate 2Mbps, burst 20kB`.
    pub fn words(&self, setting: &Setting) -> String {
        let words: Vec<String> = self.values(setting).iter().map(notation::short).collect();
        words.join(", ")
    }

    /// Value that `setting` gives this key, as a scenario file has it: TOML, and an array where the key sets several
    /// places of the file to different values.
    pub fn written(&self, setting: &Setting) -> String {
        let values = self.values(setting);
        let mut texts = values.iter().map(|value| write::inline(value).to_string());
        match values.len() {
            1 => texts.next().unwrap_or_default(),
            _ => format!("[{}]", texts.collect::<Vec<_>>().join(", ")),
        }
    }

    /// The values, one for all paths or one for each.
    fn values(&self, setting: &Setting) -> Vec<Node> {
        let Some(choice) = self.choices.get(setting.choice) else {
            return Vec::new();
        };
        let numbers = choice.ranges.iter().zip(&setting.numbers);
        let mut nodes = numbers.map(|(range, &number)| range.node(number));
        let mut values = choice.values.clone();
        for value in &mut values {
            fill(value, &mut nodes);
        }
        values
    }

    /// The paths, each with its value.
    pub(crate) fn set(&self, setting: &Setting) -> Vec<(&Path, Node)> {
        let values = self.values(setting);
        let paths = self.paths.iter().enumerate();
        let both = paths.filter_map(|(place, path)| {
            let value = values.get(place).or(values.last())?;
            Some((path, value.clone()))
        });
        both.collect()
    }

    /// The values at both ends of all ranges, of each choice.
    pub(crate) fn ends(&self) -> impl Iterator<Item = Setting> + '_ {
        let choices = self.choices.iter().enumerate();
        choices.flat_map(|(choice, of)| {
            let ends = if of.ranges.is_empty() { 1 } else { 2 };
            (0..ends).map(move |end| Setting {
                choice,
                numbers: of.ranges.iter().map(|range| range.ends()[end]).collect(),
            })
        })
    }
}

/// Adds the ranges in a value, in its order.
fn collect(node: &Node, ranges: &mut Vec<Range>) -> Result<(), Fault> {
    if let Some(range) = Range::of(node) {
        ranges.push(range?);
        if ranges.len() > MOST {
            return Err(node
                .fault("these are too many ranges")
                .label(format!("at most {MOST}")));
        }
        return Ok(());
    }
    match &node.value {
        Value::Array(items) => items.iter().try_for_each(|item| collect(item, ranges)),
        Value::Table(entries) => entries
            .iter()
            .try_for_each(|entry| collect(&entry.node, ranges)),
        _ => Ok(()),
    }
}

/// Puts the next of `nodes` in the place of each range in a value.
fn fill(node: &mut Node, nodes: &mut impl Iterator<Item = Node>) {
    if Range::of(node).is_some() {
        // There is one for each.
        if let Some(number) = nodes.next() {
            *node = number;
        }
        return;
    }
    match &mut node.value {
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, nodes)),
        Value::Table(entries) => {
            let inner = entries.iter_mut().map(|entry| &mut entry.node);
            inner.for_each(|node| fill(node, nodes));
        }
        _ => {}
    }
}
