//! A scenario file that cannot be used, as users see it.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::read::tree::Span;

/// A scenario file that cannot be used, or a warning about one that can: the message, the place, and what was expected.
///
/// Print it with [`ScenarioError::render`]; with the feature `pretty` it can also be handed to `miette`.
#[derive(Clone, Debug)]
pub struct ScenarioError(Box<Inner>);

#[derive(Clone, Debug, Default)]
struct Inner {
    message: String,
    place: Option<Place>,
    help: Option<String>,
    is_warning: bool,
    /// The file's other mistakes.
    others: Vec<ScenarioError>,
}

/// Where a mistake is.
#[derive(Clone, Debug)]
struct Place {
    source: Source,
    span: Span,
    /// Line and column, both from 1.
    position: (usize, usize),
    /// The text at the place.
    label: String,
}

/// A file as messages name it, and its text.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
}

impl ScenarioError {
    /// Error for the file at `path` that cannot be read at all, for this `reason`.
    pub fn unreadable(path: &Path, reason: &str) -> Self {
        Self(Box::new(Inner {
            message: safe(format!("cannot read {}: {reason}", path.display())),
            ..Inner::default()
        }))
    }

    /// A scenario cannot have this name.
    pub(crate) fn unnamable(name: &str) -> Self {
        Self(Box::new(Inner {
            message: format!("{name:?} cannot be the name of a scenario"),
            help: Some(
                "its results go to a folder of this name: expected one without / and \\, other than . and .."
                    .to_owned(),
            ),
            ..Inner::default()
        }))
    }

    /// The error with `help` added to its advice.
    #[must_use]
    pub fn with_help(mut self, help: String) -> Self {
        self.0.help = Some(match self.0.help.take() {
            Some(before) => format!("{before}\n{help}"),
            None => help,
        });
        self
    }

    /// Adds the file's other mistakes, which are shown after this one.
    pub(crate) fn with_others(mut self, others: Vec<Self>) -> Self {
        self.0.others = others;
        self
    }

    /// Makes the mistake a warning: the file can be used.
    pub(crate) fn into_warning(mut self) -> Self {
        self.0.is_warning = true;
        self
    }

    /// A mistake at `span` of `source`, which is cut to its first line.
    pub(crate) fn at(
        source: Source,
        span: Span,
        message: String,
        label: String,
        help: Option<String>,
    ) -> Self {
        let span = one_line(&source.text, span);
        let before = &source.text[..span.start];
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        let position = (
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        );
        let place = Place {
            source: Source {
                name: safe(source.name),
                text: safe(source.text),
            },
            span,
            position,
            label: safe(label),
        };
        Self(Box::new(Inner {
            message: safe(message),
            place: Some(place),
            help: help.map(safe),
            ..Inner::default()
        }))
    }

    /// Line and column of the mistake in the file, both from 1; `None` if the mistake has no place in a file.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.0.place.as_ref().map(|place| place.position)
    }

    /// Text for people: the message with its place and the advice, and the file's other mistakes in the same way. With
    /// the feature `pretty` it is a drawing, in a terminal's colours if `colours` is true; else it is plain lines.
    pub fn render(&self, colours: bool) -> String {
        let others = self.0.others.iter().map(|other| other.picture(colours));
        std::iter::once(self.picture(colours))
            .chain(others)
            .collect()
    }

    /// The message, its place and the advice as lines of plain text.
    #[cfg(not(feature = "pretty"))]
    fn picture(&self, _colours: bool) -> String {
        let mut out = self.to_string();
        if self.0.is_warning {
            out.insert_str(0, "warning: ");
        }
        if let Some(place) = &self.0.place {
            let Source { name, text } = &place.source;
            let (line, column) = place.position;
            let at = &text[place.span.clone()];
            out = format!("{name}:{line}:{column}: {out}\n{at}\n^ {}", place.label);
        }
        if let Some(help) = &self.0.help {
            out.push_str("\nhelp: ");
            out.push_str(help);
        }
        out.push('\n');
        out
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for ScenarioError {}

/// The same text, or a safe one in its place.
fn safe<T: From<String> + AsRef<str>>(text: T) -> T {
    if let Cow::Owned(safe) = shown(text.as_ref()) {
        return safe.into();
    }
    text
}

/// Whether a terminal obeys this character instead of showing it, other than as the end of a line or as space.
pub(crate) fn is_command(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

/// A text without characters that command a terminal or turn the order of what is read: another one of as
/// many bytes in the place of each, so that places stay where they are.
fn shown(text: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| {
        is_command(c)
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let instead = |c: char| match c {
        c if !is_unsafe(c) => c,
        c if c.len_utf8() == 1 => '?',
        c if c.len_utf8() == 2 => '\u{bf}',
        _ => '\u{fffd}',
    };
    Cow::Owned(text.chars().map(instead).collect())
}

/// Bytes of a place that are shown at most, and of its line before it where that is long.
const SHOWN: usize = 100;

/// The border between characters at `at`, or the last one before it.
fn border(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// `span` cut to its first line, to some length and to characters' borders, so that the picture stays small.
fn one_line(text: &str, span: Span) -> Span {
    let start = border(text, span.start);
    let end = border(text, span.end.min(start + SHOWN)).max(start);
    let first = text[start..end].find('\n').map_or(end, |n| start + n);
    start..text[start..first].trim_end().len() + start
}

/// The picture of the place.
#[cfg(feature = "pretty")]
mod pretty {
    use std::fmt;

    use miette::{
        Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError,
        MietteSpanContents, Severity, SourceCode, SourceSpan, SpanContents,
    };

    use super::{SHOWN, ScenarioError, Source, border};

    /// Bytes of a line beyond which only the part around the place is shown.
    const LONG: usize = 400;

    impl ScenarioError {
        /// The message with its place drawn below it, 100 columns wide; with colours for a terminal,
        /// plain text otherwise.
        pub(super) fn picture(&self, colours: bool) -> String {
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
    }

    impl Diagnostic for ScenarioError {
        fn severity(&self) -> Option<Severity> {
            self.0.is_warning.then_some(Severity::Warning)
        }

        fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
            let help = self.0.help.as_ref()?;
            Some(Box::new(help))
        }

        fn source_code(&self) -> Option<&dyn SourceCode> {
            let place = self.0.place.as_ref()?;
            Some(&place.source)
        }

        fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
            let place = self.0.place.as_ref()?;
            let label = Some(place.label.clone());
            let label = LabeledSpan::new_with_span(label, place.span.clone());
            Some(Box::new(std::iter::once(label)))
        }
    }

    /// The text, under the file's name.
    impl SourceCode for Source {
        fn read_span<'a>(
            &'a self,
            span: &SourceSpan,
            before: usize,
            after: usize,
        ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
            let inner = self.text.read_span(span, before, after)?;
            let (mut data, mut shown) = (inner.data(), *inner.span());
            let (mut line, mut column) = (inner.line(), inner.column());
            if data
                .split(|&byte| byte == b'\n')
                .any(|line| line.len() > LONG)
            {
                let start = border(&self.text, span.offset().saturating_sub(SHOWN));
                let line_start = self.text[..span.offset()].rfind('\n').map_or(0, |n| n + 1);
                let start = start.max(line_start);
                let end = border(&self.text, span.offset() + span.len() + SHOWN);
                let rest = &self.text[start..end];
                let rest = rest.split('\n').next().unwrap_or(rest);
                line = self.text[..start].matches('\n').count();
                column = self.text[line_start..start].chars().count();
                (data, shown) = (rest.as_bytes(), (start, rest.len()).into());
            }
            Ok(Box::new(MietteSpanContents::new_named(
                self.name.to_string(),
                data,
                shown,
                line,
                column,
                inner.line_count(),
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_a_terminal_is_replaced_byte_for_byte() {
        let text = "a\tb\u{1b}[31m\u{9b}2J\u{202e}µ\r\n";
        let safe = shown(text);
        assert_eq!(safe, "a\tb?[31m¿2J\u{fffd}µ\r\n");
        assert_eq!(safe.len(), text.len());
        assert!(matches!(shown("µ\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_place_stays_on_its_first_line_and_on_characters() {
        assert_eq!(one_line("ab\ncd", 1..5), 1..2);
        assert_eq!(one_line("aµb", 2..3), 1..3);
        assert_eq!(one_line("ab", 7..9), 2..2);
        assert_eq!(one_line(&"µ".repeat(900), 1..1001), 0..SHOWN);
    }
}
