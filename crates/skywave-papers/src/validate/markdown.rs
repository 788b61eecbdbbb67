//! Results of all sets as a table in Markdown, for a page between hand-written text.

use super::Judged;
use crate::page::{PageError, replaced, table};
use skywave_lab::report::number::fixed;

/// Word that marks the generated blocks of comparisons in a Markdown page: `<!-- validate all: sets -->`.
pub const VERB: &str = "validate";

/// Results of one set (comparison with another simulator) as a line of a Markdown table of all sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line(Vec<String>);

impl From<&Judged<'_>> for Line {
    fn from(judged: &Judged<'_>) -> Self {
        let (rows, agreeing, close) = (judged.rows.len(), judged.agreeing(), judged.close());
        let percent = |share: f64, digits| format!("{}%", fixed(100.0 * share, digits));
        let terms = &judged.set.terms;
        let required = terms
            .required
            .map_or_else(|| "printed".to_owned(), |share| percent(share, 0));
        let agree = percent(agreeing as f64 / rows.max(1) as f64, 1);
        Self(vec![
            format!("`{}`", judged.set.name),
            terms.title.clone(),
            rows.to_string(),
            format!("{agreeing} ({agree})"),
            close.to_string(),
            required,
        ])
    }
}

/// The Markdown page with its generated block `<!-- validate all: sets -->` replaced by a table with these lines; as it
/// is if it has none.
///
/// # Errors
/// When the block has no end, or is of another kind.
pub fn in_page(page: &str, lines: &[Line]) -> Result<String, PageError> {
    let head = [
        "set",
        "what",
        "rows",
        "agree",
        "of these by tolerance alone",
        "required",
    ];
    let sets = table(&head, lines.iter().map(|Line(cells)| cells.clone()));
    replaced(page, VERB, |block| match (block.name, block.kind) {
        ("all", "sets") => Ok(Some(format!("\n{sets}\n"))),
        (name, kind) => Err(format!(
            "there is no block `{name}: {kind}`; there is `all: sets`"
        )),
    })
}
