//! A scenario file that cannot be used, as users see it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::read::fault::Fault;
use crate::read::tree::{self, Span};

/// A scenario file that cannot be used: the message, the place, and what was expected.
///
/// Print it with [`ScenarioError::render`]; with the feature `pretty` it can also be handed to `miette`.
#[derive(Debug)]
pub struct ScenarioError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    message: String,
    place: Option<Place>,
    help: Option<String>,
}

/// Where a mistake is.
#[derive(Debug)]
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
    /// The file at `path` cannot be read at all.
    pub fn unreadable(path: &Path, reason: &str) -> Self {
        Self(Box::new(Inner {
            message: format!("cannot read {}: {reason}", path.display()),
            place: None,
            help: None,
        }))
    }

    /// The same mistake with more advice.
    #[must_use]
    pub fn with_help(mut self, help: String) -> Self {
        self.0.help = Some(match self.0.help.take() {
            Some(before) => format!("{before}\n{help}"),
            None => help,
        });
        self
    }

    /// The error of the TOML reader in `text`, shown at its place there; `file` is how messages
    /// name it. For files besides scenarios, which are read by serde alone.
    pub fn of_toml(file: &str, text: &str, error: &toml::de::Error) -> Self {
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
            source,
            span,
            position,
            label,
        };
        Self(Box::new(Inner {
            message,
            place: Some(place),
            help,
        }))
    }

    /// Line and column of the place, both from 1.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.0.place.as_ref().map(|place| place.position)
    }

    /// The message, its place and the advice as lines of plain text.
    #[cfg(not(feature = "pretty"))]
    pub fn render(&self, _colours: bool) -> String {
        let mut out = self.to_string();
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

/// The picture of the place.
#[cfg(feature = "pretty")]
mod pretty {
    use std::fmt;

    use miette::{
        Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError,
        MietteSpanContents, SourceCode, SourceSpan, SpanContents,
    };

    use super::{ScenarioError, Source};

    impl ScenarioError {
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
    }

    impl Diagnostic for ScenarioError {
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
            Ok(Box::new(MietteSpanContents::new_named(
                self.name.to_string(),
                inner.data(),
                *inner.span(),
                inner.line(),
                inner.column(),
                inner.line_count(),
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_stays_on_its_first_line_and_on_characters() {
        assert_eq!(one_line("ab\ncd", 1..5), 1..2);
        assert_eq!(one_line("aµb", 2..3), 1..3);
        assert_eq!(one_line("ab", 7..9), 2..2);
    }
}
