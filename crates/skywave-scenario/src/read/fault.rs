//! A mistake that a pass finds in a scenario, and serde's words for it in a user's.

use std::fmt;

use crate::read::error::{ScenarioError, Source};
use crate::read::names::unknown;
use crate::read::tree::Span;

/// A mistake found by one of the passes, before it is tied to the file's text.
#[derive(Debug, Default)]
pub(crate) struct Fault {
    /// Message that says what is wrong. When `of_key`, the sentence lacks its subject: the key.
    message: String,
    of_key: bool,
    /// The value is wrong by itself, whatever stands elsewhere in the file.
    inherent: bool,
    /// A name is not known; the message has it.
    unknown_name: bool,
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
            message: message.into(),
            span: Some(span),
            ..Self::default()
        }
    }

    /// A mistake whatever stands elsewhere in the file; its place comes later.
    pub(crate) fn inherent(message: String) -> Self {
        Self {
            message,
            inherent: true,
            ..Self::default()
        }
    }

    /// A value that is not what its key wants: "`key` must be ‹expected›", "found ‹found›".
    pub(crate) fn must_be(expected: &str, found: &str) -> Self {
        Self {
            message: format!("must be {expected}"),
            of_key: true,
            inherent: true,
            label: format!("found {found}"),
            ..Self::default()
        }
    }

    /// A key that is none of a table's.
    pub(crate) fn unknown_key_of(name: &str, known: &[&str]) -> Self {
        let fault = unknown("key", name, known);
        match synonym(name).filter(|(key, _)| known.contains(key)) {
            Some((key, why)) => fault.label(format!("did you mean `{key}`?{why}")),
            None => fault,
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

    /// The mistake is that a name, the message's text between accents, is not known.
    pub(crate) fn for_name(mut self) -> Self {
        self.unknown_name = true;
        self
    }

    /// True when the mistake is that a name is not known, which is no key.
    pub(crate) fn is_unknown_name(&self) -> bool {
        self.unknown_name && self.unknown_key().is_none()
    }

    /// Name in the message: the first of its texts between accents.
    pub(crate) fn name(&self) -> Option<&str> {
        self.message.split('`').nth(1)
    }

    /// The key, when the mistake is that it is not known where it stands.
    pub(crate) fn unknown_key(&self) -> Option<&str> {
        // The words of `unknown`: a field for it would make every `Result` here larger.
        self.message
            .strip_prefix("unknown key `")?
            .strip_suffix('`')
    }

    /// The key that was meant, when one that is not known looks like a slip.
    pub(crate) fn meant(&self) -> Option<&str> {
        let rest = self.label.strip_prefix("did you mean `")?;
        self.unknown_key()?;
        rest.split_once("`?").map(|(name, _)| name)
    }

    /// The key, when the mistake is that it is missing.
    pub(crate) fn missing_key(&self) -> Option<&str> {
        self.message.strip_prefix('`')?.strip_suffix("` is missing")
    }

    /// True when both report the same thing at the same place.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        self.message == other.message && self.span == other.span
    }

    /// The error for the user, with those of `all` mistakes of the file that are others.
    pub(crate) fn into_error_with(self, all: Vec<Self>, source: &Source) -> ScenarioError {
        let others = all.into_iter().filter(|other| !other.same_as(&self));
        let others = others.map(|other| other.into_error(source)).collect();
        self.into_error(source).with_others(others)
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
        let label = if this.label.is_empty() {
            "here".into()
        } else {
            this.label
        };
        let help = (!this.help.is_empty()).then_some(this.help);
        ScenarioError::at(source, this.span.unwrap_or(0..0), this.message, label, help)
    }
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
            message: message.into(),
            of_key: message.starts_with("must "),
            inherent: true,
            label: lines.next().unwrap_or_default().into(),
            help: lines.next().unwrap_or_default().into(),
            ..Self::default()
        }
    }

    fn invalid_type(found: serde::de::Unexpected<'_>, expected: &dyn serde::de::Expected) -> Self {
        let expected = plain(&expected.to_string());
        let fault = Self::must_be(&expected, &found_in_words(&found));
        match in_percent(&found).filter(|_| is_share(&expected)) {
            Some(help) => fault.help(help),
            None => fault,
        }
    }

    fn invalid_value(found: serde::de::Unexpected<'_>, expected: &dyn serde::de::Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(len: usize, expected: &dyn serde::de::Expected) -> Self {
        Self::must_be(&plain(&expected.to_string()), &counted(len))
    }

    fn unknown_variant(name: &str, expected: &'static [&'static str]) -> Self {
        Self {
            of_key: true,
            unknown_name: false,
            message: format!("cannot be `{name}`"),
            ..unknown("name", name, expected)
        }
    }

    fn unknown_field(name: &str, expected: &'static [&'static str]) -> Self {
        Self::unknown_key_of(name, expected)
    }

    fn missing_field(name: &'static str) -> Self {
        Self {
            message: format!("`{name}` is missing"),
            label: format!("this needs `{name}`"),
            ..Self::default()
        }
    }
}

/// Key that is meant by a name from other tools, and a sentence on how they differ.
fn synonym(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "rtt" => Some(("delay", " It is one way: half of the RTT")),
        "latency" => Some(("delay", "")),
        "bandwidth" => Some(("rate", "")),
        _ => None,
    }
}

/// Number of values in an array, in words.
fn counted(values: usize) -> String {
    match values {
        1 => "1 value".into(),
        n => format!("{n} values"),
    }
}

/// Whether what is expected is a number that people like to write in percent.
fn is_share(expected: &str) -> bool {
    ["a probability", "a share"]
        .iter()
        .any(|kind| expected.starts_with(kind))
}

/// How a probability or share in percent is written.
fn in_percent(found: &serde::de::Unexpected<'_>) -> Option<String> {
    use serde::de::Unexpected as U;
    let percent: f64 = match found {
        U::Str(text) => text.trim().strip_suffix('%')?.trim_end().parse().ok()?,
        // None of anything is that in percent too.
        U::Float(x) if *x != 0.0 => *x,
        U::Signed(n) if *n != 0 => *n as f64,
        _ => return None,
    };
    // Digits of the decimal fraction, without those of the division.
    let share = (percent * 1e10).round() / 1e12;
    (0.0..=100.0)
        .contains(&percent)
        .then(|| format!("for {percent} %, write {share}"))
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
        "u16" => format!("a whole number from 0 to {}", u16::MAX),
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "u64" | "usize" => "a whole number, 0 or more".into(),
        "f64" => "a number".into(),
        "a boolean" => "`true` or `false`".into(),
        "a sequence" => "an array".into(),
        "a tuple of size 2" => "an array of two values".into(),
        s if s.starts_with("struct ") => "a table".into(),
        // Those of the model have two: from and to.
        s if s.starts_with("tuple variant ") => "an array of two values".into(),
        s if s.starts_with("enum ") => "a name or a table".into(),
        s => s.into(),
    }
}
