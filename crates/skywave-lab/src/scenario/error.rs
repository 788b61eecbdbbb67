//! What is wrong with a scenario file, and where.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode,
};

use super::tree::{self, Span};

/// A scenario file that cannot be used: the message, the place, and what was expected.
///
/// Print it with [`ScenarioError::render`], or hand it to `miette`.
#[derive(Debug)]
pub struct ScenarioError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    message: String,
    source: Option<NamedSource<Arc<str>>>,
    position: Option<(usize, usize)>,
    label: Option<LabeledSpan>,
    help: Option<String>,
}

/// A file as messages name it, and its text.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
}

impl ScenarioError {
    /// A file that cannot be read at all.
    pub(crate) fn unreadable(path: &Path, reason: &str) -> Self {
        Self(Box::new(Inner {
            message: format!("cannot read {}: {reason}", path.display()),
            source: None,
            position: None,
            label: None,
            help: None,
        }))
    }

    /// What the TOML reader says of `text`, at its place there; `file` is how messages name it.
    pub(crate) fn of_toml(file: &str, text: &str, error: &toml::de::Error) -> Self {
        let source = Source {
            name: file.into(),
            text: text.into(),
        };
        let fault = tree::parse(text).err().unwrap_or_else(|| {
            let fault = |message: &str| Fault::new(error.span().unwrap_or(0..0), message);
            match error.message().split_once(", expected ") {
                None => fault(error.message()),
                Some((message, expected)) => fault(message).help(format!("expected {expected}")),
            }
        });
        fault.into_error(&source)
    }

    /// The message with its place drawn below it, 100 columns wide; with colours for a terminal,
    /// plain text otherwise.
    pub fn render(&self, colours: bool) -> String {
        let theme = if colours {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(100)
            .with_links(false);
        let mut out = String::new();
        match handler.render_report(&mut out, self) {
            Ok(()) => out,
            Err(_) => self.to_string(),
        }
    }

    /// Line and column of the place, both from 1.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.0.position
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for ScenarioError {}

impl Diagnostic for ScenarioError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.0.help.as_ref()?;
        Some(Box::new(help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        let source = self.0.source.as_ref()?;
        Some(source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = self.0.label.clone()?;
        Some(Box::new(std::iter::once(label)))
    }
}

/// A mistake found by one of the passes, before it is tied to the file's text.
#[derive(Debug)]
pub(crate) struct Fault {
    /// What is wrong. When `of_key`, the sentence lacks its subject: the key.
    message: String,
    of_key: bool,
    /// The value is wrong by itself, whatever stands elsewhere in the file.
    inherent: bool,
    pub(crate) span: Option<Span>,
    label: String,
    help: String,
    /// The mistake is in another file than the scenario.
    elsewhere: Option<Box<Source>>,
}

impl Fault {
    /// A mistake at `span`.
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span: Some(span),
            ..Self::nowhere(message.into())
        }
    }

    fn nowhere(message: String) -> Self {
        Self {
            message,
            of_key: false,
            inherent: false,
            span: None,
            label: String::new(),
            help: String::new(),
            elsewhere: None,
        }
    }

    /// A value that is not what its key wants: "`key` must be ‹expected›", "found ‹found›".
    pub(crate) fn must_be(expected: &str, found: &str) -> Self {
        Self {
            of_key: true,
            inherent: true,
            label: format!("found {found}"),
            ..Self::nowhere(format!("must be {expected}"))
        }
    }

    /// The text beside the caret.
    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The advice below the picture.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Shows how the key's value could be written, unless there is advice already.
    pub(crate) fn example(mut self, line: &str) -> Self {
        if self.of_key && self.help.is_empty() {
            self.help = format!("for example, {line}");
        }
        self
    }

    /// More advice below the picture.
    pub(crate) fn add_help(mut self, help: &str) -> Self {
        if !self.help.is_empty() {
            self.help.push('\n');
        }
        self.help.push_str(help);
        self
    }

    /// The place is in this file instead of the scenario.
    pub(crate) fn in_file(mut self, source: Source) -> Self {
        self.elsewhere = Some(Box::new(source));
        self
    }

    /// Sets the place, unless a more exact one is known.
    pub(crate) fn at(mut self, span: &Span) -> Self {
        self.span.get_or_insert_with(|| span.clone());
        self
    }

    /// Names the key whose value is wrong, unless a more exact one is known.
    pub(crate) fn of(self, key: &str) -> Self {
        self.about(&format!("`{key}`"))
    }

    fn about(mut self, subject: &str) -> Self {
        if self.of_key {
            self.message = format!("{subject} {}", self.message);
            self.of_key = false;
        }
        self
    }

    /// True when the value is wrong by itself, whatever stands elsewhere in the file.
    pub(crate) fn is_inherent(&self) -> bool {
        self.inherent
    }

    /// True when both report the same thing at the same place.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        self.message == other.message && self.span == other.span
    }

    /// The error for the user, in the scenario file `source`.
    pub(crate) fn into_error(self, source: &Source) -> ScenarioError {
        let mut this = self.about("this value");
        let source = match this.elsewhere {
            Some(other) => *other,
            None => source.clone(),
        };
        if source.text.is_empty() && !this.label.is_empty() {
            // There is no line to draw the label under.
            this.message = format!("{}: {}", this.message, this.label);
        }
        let span = one_line(&source.text, this.span.unwrap_or(0..0));
        let before = &source.text[..span.start];
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        let position = (
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        );
        let label = if this.label.is_empty() {
            "here".into()
        } else {
            this.label
        };
        ScenarioError(Box::new(Inner {
            message: this.message,
            label: Some(LabeledSpan::new_with_span(Some(label), span)),
            position: Some(position),
            source: Some(NamedSource::new(&*source.name, source.text)),
            help: (!this.help.is_empty()).then_some(this.help),
        }))
    }
}

/// `span` cut to its first line and to characters' borders, so that the picture stays small.
fn one_line(text: &str, span: Span) -> Span {
    let border = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = border(span.start);
    let end = border(span.end).max(start);
    let first = text[start..end].find('\n').map_or(end, |n| start + n);
    start..text[start..first].trim_end().len() + start
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl serde::de::Error for Fault {
    /// Lines of `message`: what is wrong (from "must" on, without its subject), the label, the help.
    fn custom<T: fmt::Display>(message: T) -> Self {
        let text = message.to_string();
        let mut lines = text.splitn(3, '\n');
        let message = lines.next().unwrap_or_default();
        Self {
            of_key: message.starts_with("must "),
            inherent: true,
            label: lines.next().unwrap_or_default().into(),
            help: lines.next().unwrap_or_default().into(),
            ..Self::nowhere(message.into())
        }
    }

    fn invalid_type(found: serde::de::Unexpected<'_>, expected: &dyn serde::de::Expected) -> Self {
        Self::must_be(&plain(&expected.to_string()), &found_in_words(&found))
    }

    fn invalid_value(found: serde::de::Unexpected<'_>, expected: &dyn serde::de::Expected) -> Self {
        Self::must_be(&plain(&expected.to_string()), &found_in_words(&found))
    }

    fn invalid_length(len: usize, expected: &dyn serde::de::Expected) -> Self {
        Self::must_be(&plain(&expected.to_string()), &format!("{len} values"))
    }

    fn unknown_variant(name: &str, expected: &'static [&'static str]) -> Self {
        Self {
            of_key: true,
            message: format!("cannot be `{name}`"),
            ..unknown("name", name, expected)
        }
    }

    fn unknown_field(name: &str, expected: &'static [&'static str]) -> Self {
        unknown("key", name, expected)
    }

    fn missing_field(name: &'static str) -> Self {
        Self::nowhere(format!("`{name}` is missing")).label(format!("this needs `{name}`"))
    }
}

fn found_in_words(found: &serde::de::Unexpected<'_>) -> String {
    use serde::de::Unexpected as U;
    match found {
        U::Bool(b) => format!("`{b}`"),
        U::Unsigned(n) => format!("the number {n}"),
        U::Signed(n) => format!("the number {n}"),
        U::Float(x) => format!("the number {x:?}"),
        U::Str(s) => format!("the string {s:?}"),
        U::Seq => "an array".into(),
        U::Map => "a table".into(),
        other => other.to_string(),
    }
}

/// serde's names of what it wants, in a user's words.
fn plain(expected: &str) -> String {
    match expected {
        "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more".into(),
        "f64" => "a number".into(),
        "a boolean" => "`true` or `false`".into(),
        "a sequence" => "an array".into(),
        "a tuple of size 2" => "an array of two values".into(),
        s if s.starts_with("struct ") => "a table".into(),
        s if s.starts_with("enum ") => "a name or a table".into(),
        s => s.into(),
    }
}

/// The message for a name that is none of `known`, with the nearest one.
pub(crate) fn unknown<S: AsRef<str>>(what: &str, name: &str, known: &[S]) -> Fault {
    let listed: Vec<&str> = known
        .iter()
        .map(AsRef::as_ref)
        .filter(|k| !k.starts_with('$'))
        .collect();
    let fault = Fault {
        inherent: true,
        ..Fault::nowhere(format!("unknown {what} `{name}`"))
    };
    let fault = match nearest(name, &listed) {
        Some(near) => fault.label(format!("did you mean `{near}`?")),
        None => fault.label("not known here"),
    };
    match listed.len() {
        0 => fault,
        1 => fault.help(format!("expected {}", listed[0])),
        n if n > 30 => match alike(name, &listed).as_slice() {
            [] => fault.help(format!(
                "there are {n}, such as {}",
                listed[..10].join(", ")
            )),
            alike => fault.help(format!("similar names, of {n}: {}", alike.join(", "))),
        },
        _ => fault.help(format!("expected one of {}", listed.join(", "))),
    }
}

/// The candidate that a typing mistake away from `name` would be.
pub(crate) fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let length = name.chars().count();
    if length > 40 {
        return None;
    }
    let allowed = (length / 3).clamp(1, 3);
    candidates
        .iter()
        .map(|c| (edits(&name.to_lowercase(), &c.to_lowercase()), *c))
        .filter(|&(d, c)| d <= allowed && d < c.chars().count().max(length))
        .min_by_key(|&(d, _)| d)
        .map(|(_, c)| c)
}

/// The candidates, at most ten, that have a word of `name`'s, or one that begins as such.
fn alike<'a>(name: &str, candidates: &[&'a str]) -> Vec<&'a str> {
    /// Letters from which on a common beginning is no accident.
    const BEGINNING: usize = 5;
    let name = name.to_lowercase();
    let words = |name| str::split(name, ['_', '-', ' ', '.']);
    let begin = |word: &str| word.get(..BEGINNING).map(str::to_owned);
    let like =
        |a: &str, b: &str| a.len() > 2 && (a == b || begin(a).is_some_and(|a| begin(b) == Some(a)));
    let found = candidates
        .iter()
        .copied()
        .filter(|candidate| words(name.as_str()).any(|a| words(candidate).any(|b| like(a, b))));
    found.take(10).collect()
}

/// Edit distance with swaps of neighbours (optimal string alignment).
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_the_name() {
        let known = ["delay", "rate", "queue", "duplication"];
        assert_eq!(nearest("dealy", &known), Some("delay"));
        assert_eq!(nearest("Rate", &known), Some("rate"));
        assert_eq!(nearest("duplicaton", &known), Some("duplication"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(nearest("x", &["y"]), None, "one letter is no likeness");
    }

    #[test]
    fn names_with_a_word_in_common_are_alike() {
        let known = ["rtt_mean", "rtt_min", "retransmits", "goodput", "timeouts"];
        assert_eq!(alike("rtt", &known), ["rtt_mean", "rtt_min"]);
        assert_eq!(alike("retransmissions", &known), ["retransmits"]);
        assert_eq!(alike("Mean-RTT", &known), ["rtt_mean", "rtt_min"]);
        assert!(alike("loss", &known).is_empty());
        assert!(alike("µµµµµµ", &["µµµ_x"]).is_empty());
    }

    #[test]
    fn a_place_stays_on_its_first_line_and_on_characters() {
        assert_eq!(one_line("ab\ncd", 1..5), 1..2);
        assert_eq!(one_line("aµb", 2..3), 1..3);
        assert_eq!(one_line("ab", 7..9), 2..2);
    }
}
