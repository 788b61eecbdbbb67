//! How deeply a TOML text nests, found before it is parsed: the parser and its tree are recursive, and
//! dotted keys in nested tables multiply (79 dots in 79 tables are 6,000 levels, more than a thread's stack).

use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use crate::read::fault::Fault;

/// Deeper nesting than any scenario needs, far from the stack's end.
pub(crate) const MAX_DEPTH: usize = 32;

/// Refuses a text that nests too deeply. A table's header counts from the tree, which the parser bounds.
pub(crate) fn check(text: &str) -> Result<(), Fault> {
    // Dots of the key before each bracket that is open, and of the key or number after the last one.
    let mut open: Vec<usize> = Vec::new();
    let mut dots = 0;
    let mut depth = 0;
    for token in Source::new(text).lex() {
        match token.kind() {
            TokenKind::Dot => dots += 1,
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => {
                open.push(dots);
                depth += dots + 1;
                dots = 0;
            }
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                dots = open.pop().unwrap_or(0);
                depth = depth.saturating_sub(dots + 1);
            }
            TokenKind::Comma | TokenKind::Newline => dots = 0,
            _ => {}
        }
        // The last dot may be a number's.
        if depth + dots > MAX_DEPTH + 1 {
            let span = token.span();
            return Err(too_deep(span.start()..span.end()));
        }
    }
    Ok(())
}

/// The mistake of what stands at `span`.
pub(crate) fn too_deep(span: std::ops::Range<usize>) -> Fault {
    Fault::new(span, "this is nested too deeply").label(format!("more than {MAX_DEPTH} levels"))
}
