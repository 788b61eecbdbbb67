//! Swept paths in words: `link.radio.loss.forward.iid` is the loss rate of radio, forward.

use std::collections::BTreeSet;

use super::study::{Study, StudyPoint};

/// Writes paths in words for the reports of one study.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    /// All flows are copies of one: nobody asks whose transport is meant.
    one_flow: bool,
    /// Names with dots, after what they are names of: `link`, `flow`, `station`.
    dotted: BTreeSet<(&'static str, &'a str)>,
}

/// Abbreviations that a scenario file writes in small letters.
const ABBREVIATIONS: [&str; 12] = [
    "arq", "dsack", "ecn", "eln", "fec", "mss", "rack", "red", "rto", "rts", "rtt", "sack",
];

impl<'a> Words<'a> {
    pub(super) fn of(study: &'a Study) -> Self {
        let mut groups = study.points.iter().flat_map(|p| &p.flows).map(|f| &f.group);
        let first = groups.next();
        Self {
            one_flow: groups.all(|group| Some(group) == first),
            dotted: study.points.iter().flat_map(dotted).collect(),
        }
    }

    /// The quantity that a path names, without the link or flow that it belongs to: `loss rate`.
    pub(super) fn brief(&self, path: &str) -> String {
        Parts::of(path, &self.dotted).quantity
    }

    /// The whole of it: `loss rate of radio, forward`.
    pub(super) fn path(&self, path: &str) -> String {
        let parts = Parts::of(path, &self.dotted);
        let whose = match (parts.kind, parts.name) {
            ("flow", _) if self.one_flow => String::new(),
            (kind, Some("*")) => format!(" of all {kind}s"),
            (_, Some(name)) => format!(" of {name}"),
            (_, None) => String::new(),
        };
        let direction = parts.direction.map_or(String::new(), |d| format!(", {d}"));
        format!("{}{whose}{direction}", parts.quantity)
    }

    /// For each path its shortest words that differ from those of the others.
    pub(super) fn heads(&self, paths: &[&str]) -> Vec<String> {
        let brief: Vec<String> = paths.iter().map(|path| self.brief(path)).collect();
        let is_alone = |words: &String| brief.iter().filter(|b| *b == words).count() == 1;
        let head = |(path, words): (&&str, &String)| {
            if is_alone(words) {
                words.clone()
            } else {
                self.path(path)
            }
        };
        paths.iter().zip(&brief).map(head).collect()
    }

    /// The values of a point: `transport = cerl, one-way delay of radio = 10ms`.
    pub(super) fn values(&self, point: Option<&StudyPoint>) -> Vec<String> {
        let params = point.map_or(&[][..], |p| &p.params).iter();
        let value = |(path, value): &(String, crate::scenario::ParamValue)| {
            format!("{} = {}", self.path(path), value.short())
        };
        params.map(value).collect()
    }
}

/// The text `words` with its first letter as a capital, for the beginning of a label.
pub fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// A label with its unit after it. A label of a user that ends in parentheses has one already.
pub(super) fn with_unit(label: &str, unit: &str) -> String {
    if label.is_empty() || unit.is_empty() || label.ends_with([')', ']']) {
        label.to_owned()
    } else {
        format!("{label} ({unit})")
    }
}

/// A path taken apart.
struct Parts<'a> {
    /// `link`, `flow`, …
    kind: &'a str,
    name: Option<&'a str>,
    direction: Option<&'a str>,
    quantity: String,
}

impl<'a> Parts<'a> {
    /// Takes `path` apart; names of `dotted` are names as a whole, the longest first, as where the path is read.
    fn of(path: &'a str, dotted: &BTreeSet<(&str, &str)>) -> Self {
        let mut keys: Vec<&str> = path.split('.').collect();
        let kind = keys[0];
        let rest = path.get(kind.len() + 1..).unwrap_or_default();
        let names = dotted.iter().filter(|(of, _)| *of == kind);
        let lengths = names.filter_map(|(_, name)| {
            let after = rest.strip_prefix(name)?;
            after.starts_with('.').then_some(name.len())
        });
        if let Some(length) = lengths.max() {
            let (name, after) = rest.split_at(length);
            keys = [kind, name]
                .into_iter()
                .chain(after[1..].split('.'))
                .collect();
        }
        let mut name = None;
        let mut direction = None;
        match kind {
            "link" | "flow" | "station" | "agent" if keys.len() > 2 => {
                name = Some(keys[1]);
                keys.drain(..2);
            }
            // Keys of the run explain themselves, those of the radio network do not.
            "run" if keys.len() > 1 => drop(keys.remove(0)),
            _ => {}
        }
        if let Some(at) = keys
            .iter()
            .position(|k| matches!(*k, "forward" | "reverse"))
        {
            direction = Some(keys.remove(at));
        }
        let quantity = match keys.as_slice() {
            ["loss", "iid" | "exponential"] => "loss rate".to_owned(),
            ["delay"] => "one-way delay".to_owned(),
            ["queue", "droptail"] => "queue limit".to_owned(),
            ["rwnd"] => "receive window".to_owned(),
            ["at"] => "position".to_owned(),
            ["blackouts", "duration"] => "length of blackouts".to_owned(),
            ["blackouts", "every"] => "time between blackouts".to_owned(),
            ["count"] => {
                let whose = name.take().filter(|name| *name != "*");
                let whose = whose.map_or(String::new(), |name| format!("{name} "));
                format!("number of {whose}{kind}s")
            }
            keys => words(keys.strip_prefix(&["tcp"]).unwrap_or(keys)),
        };
        Self {
            kind,
            name,
            direction,
            quantity,
        }
    }
}

/// The names with dots at a point, but of flows that only serve another one.
fn dotted(point: &StudyPoint) -> impl Iterator<Item = (&'static str, &str)> {
    let links = point.links.iter().map(|name| ("link", name));
    let stations = point.stations.iter().map(|name| ("station", name));
    let flows = point.flows.iter().filter(|flow| !flow.inner);
    let all = links
        .chain(stations)
        .chain(flows.map(|flow| ("flow", &flow.group)));
    all.filter(|(_, name)| name.contains('.'))
        .map(|(of, name)| (of, name.as_str()))
}

/// Keys one after the other.
fn words(keys: &[&str]) -> String {
    let words = keys.iter().flat_map(|key| key.split('_')).map(|word| {
        if ABBREVIATIONS.contains(&word) {
            word.to_uppercase()
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::study::FlowLabel;
    use super::*;

    #[test]
    fn paths_read_as_words() {
        let words = |one_flow| Words {
            one_flow,
            dotted: [("link", "a"), ("link", "a.b"), ("flow", "d.l")].into(),
        };
        let (alone, several) = (words(true), words(false));
        for (path, words) in [
            ("link.radio.loss.forward.iid", "loss rate of radio, forward"),
            (
                "link.*.loss.reverse.exponential",
                "loss rate of all links, reverse",
            ),
            ("link.radio.delay", "one-way delay of radio"),
            ("link.radio.queue.droptail", "queue limit of radio"),
            ("link.radio.queue.red.min_th", "queue RED min th of radio"),
            ("flow.bulk.transport", "transport of bulk"),
            ("flow.bulk.count", "number of bulk flows"),
            ("flow.bulk.tcp.ecn", "ECN of bulk"),
            ("station.*.count", "number of stations"),
            ("station.right.at", "position of right"),
            (
                "link.radio.blackouts.duration",
                "length of blackouts of radio",
            ),
            (
                "link.radio.forward.blackouts.every",
                "time between blackouts of radio, forward",
            ),
            ("radio.sensing", "radio sensing"),
            ("run.duration", "duration"),
            // Names may have dots.
            ("link.a.b.rate", "rate of a.b"),
            ("link.a.bc.rate", "bc rate of a"),
            ("flow.d.l.tcp.ecn", "ECN of d.l"),
            ("flow.d.l.count", "number of d.l flows"),
        ] {
            assert_eq!(several.path(path), words);
        }
        assert_eq!(alone.path("flow.bulk.transport"), "transport");
        assert_eq!(alone.brief("link.radio.delay"), "one-way delay");
        let heads = several.heads(&["link.a.rate", "link.b.rate", "flow.x.mss"]);
        assert_eq!(heads, ["rate of a", "rate of b", "MSS"]);
    }

    #[test]
    fn names_with_dots_are_those_of_the_study() {
        let mut point = StudyPoint {
            links: vec!["a.b".into(), "c".into()],
            stations: vec!["s.t".into()],
            ..StudyPoint::default()
        };
        let flow = |group: &str, inner| FlowLabel {
            group: group.into(),
            inner,
            ..FlowLabel::default()
        };
        point.flows = vec![flow("d.near", true), flow("d.l", false)];
        let study = Study {
            points: vec![point],
            ..Study::default()
        };
        let found = Words::of(&study).dotted;
        assert_eq!(
            found,
            [("flow", "d.l"), ("link", "a.b"), ("station", "s.t")].into()
        );
    }

    #[test]
    fn units_stand_behind_labels_once() {
        assert_eq!(with_unit("Goodput", "Mb/s"), "Goodput (Mb/s)");
        assert_eq!(with_unit("Goodput (Mbit/s)", "Mb/s"), "Goodput (Mbit/s)");
        assert_eq!(with_unit("", "Mb/s"), "");
        assert_eq!(with_unit("Timeouts", ""), "Timeouts");
        assert_eq!(capitalised("µs of delay"), "Μs of delay");
        assert_eq!(capitalised(""), "");
    }
}
