//! Pages of Markdown with blocks that a command writes between hand-written text.
//!
//! Two comments mark the place of a block: `<!-- VERB NAME: KIND -->`, such as `<!-- reproduce cerl: counts -->`,
//! and `<!-- end -->`. What stands between them is replaced.

const END: &str = "<!-- end -->";

/// Reason why the generated blocks of a Markdown page cannot be replaced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct PageError {
    /// Number of the line of the page that begins the block, from 1.
    pub line: usize,
    /// Mistake in the block, in words.
    pub what: String,
}

/// A generated block of a Markdown page, between the marks `<!-- VERB NAME: KIND -->` and `<!-- end -->`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// Name of the block's subject, such as a paper.
    pub name: &'a str,
    /// Kind of block: which view of the subject is shown.
    pub kind: &'a str,
    /// Text between the marks of the block.
    pub text: &'a str,
}

/// The Markdown page in which each block `<!-- VERB NAME: KIND -->` of this verb, up to `<!-- end -->`, has the text
/// that `new` gives for it; a block for which `new` gives `None` stays as it is.
///
/// # Errors
/// When a block has no end, or `new` returns an error for it.
pub fn replaced(
    page: &str,
    verb: &str,
    new: impl Fn(&Block<'_>) -> Result<Option<String>, String>,
) -> Result<String, PageError> {
    let mut out = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(found) = next(rest, verb) {
        let line = page.len() - rest.len() + found.begin;
        let line = page[..line].matches('\n').count();
        let failed = |what| PageError { line, what };
        let block = found
            .block
            .ok_or_else(|| failed(format!("this block has no `{END}`")))?;
        out.push_str(&rest[..found.begin]);
        match new(&block).map_err(failed)? {
            Some(text) => out.push_str(&text),
            None => out.push_str(block.text),
        }
        rest = &rest[found.begin + block.text.len()..];
    }
    out.push_str(rest);
    Ok(out)
}

/// A table whose cells are Markdown already.
pub(crate) fn table<C: AsRef<str>>(
    head: &[C],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let head: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
    let rule = "---|".repeat(head.len());
    let line = |row: Vec<String>| format!("| {} |\n", row.join(" | "));
    let rows: String = rows.into_iter().map(line).collect();
    format!("| {} |\n|{rule}\n{rows}", head.join(" | "))
}

/// Generated blocks of a Markdown page whose marks have this verb, `<!-- VERB NAME: KIND -->`, up to the first that has
/// no end.
pub fn blocks<'a>(page: &'a str, verb: &str) -> Vec<Block<'a>> {
    let mut all = Vec::new();
    let mut rest = page;
    while let Some(Found {
        begin,
        block: Some(block),
    }) = next(rest, verb)
    {
        all.push(block);
        rest = &rest[begin + block.text.len()..];
    }
    all
}

/// The next mark of a verb.
struct Found<'a> {
    /// Where the line after the mark begins.
    begin: usize,
    /// Block that the mark begins; `None` when it has no end.
    block: Option<Block<'a>>,
}

fn next<'a>(text: &'a str, verb: &str) -> Option<Found<'a>> {
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        begin += line.len();
        let Some((name, kind)) = mark(line, verb) else {
            continue;
        };
        let rest = &text[begin..];
        let mut length = 0;
        let mut end = None;
        for line in rest.split_inclusive('\n') {
            if line.trim() == END {
                end = Some(length);
                break;
            }
            if is_mark(line) {
                // The end of another block is not this one's.
                break;
            }
            length += line.len();
        }
        let block = end.map(|end| Block {
            name,
            kind,
            text: &rest[..end],
        });
        return Some(Found { begin, block });
    }
    None
}

/// A line marks a block, of whatever verb.
fn is_mark(line: &str) -> bool {
    parts(line).is_some_and(|(who, _)| who.contains(' '))
}

/// The name and the kind that a line asks for.
fn mark<'a>(line: &'a str, verb: &str) -> Option<(&'a str, &'a str)> {
    let (who, kind) = parts(line)?;
    Some((who.strip_prefix(verb)?.strip_prefix(' ')?, kind))
}

/// Texts before and after the first colon of a comment that is alone on its line.
fn parts(line: &str) -> Option<(&str, &str)> {
    let inner = line.trim().strip_prefix("<!-- ")?;
    inner.strip_suffix(" -->")?.split_once(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "Before.\n<!-- run a: x -->\nformer\n<!-- end -->\nBetween.\n<!-- runs a: x -->\n\
                        <!-- run b: y -->\nkept\n<!-- end -->\nAfter.";

    #[test]
    fn blocks_are_replaced_and_nothing_else() {
        let new = |block: &Block<'_>| {
            Ok((block.name == "a").then(|| format!("{} {}\n", block.kind, block.text.len())))
        };
        let page = replaced(PAGE, "run", new).expect("it is right");
        assert_eq!(page, PAGE.replace("former\n", "x 7\n"));
        let again = replaced(&page, "run", |_| Ok(None)).expect("it is right");
        assert_eq!(again, page);
        let all = blocks(&page, "run");
        assert_eq!(
            (all.len(), all[0].text, all[1].text),
            (2, "x 7\n", "kept\n")
        );
    }

    #[test]
    fn mistakes_have_their_line() {
        let refuse = |_: &Block<'_>| Err("no".to_owned());
        let refused = |page| replaced(page, "run", refuse).unwrap_err().to_string();
        assert_eq!(refused(PAGE), "line 2: no");
        assert_eq!(
            refused("\n<!-- run a: x -->\n"),
            "line 2: this block has no `<!-- end -->`"
        );
        // The end of the block after it is not its own.
        let twice = "<!-- run a: x -->\nby hand\n<!-- validate b: y -->\n<!-- end -->\n";
        assert_eq!(refused(twice), "line 1: this block has no `<!-- end -->`");
    }
}
