//! Output that all verbs that simulate have in common.

use std::path::Path;

use skywave_lab::report::{WriteError, write_file};

/// Columns of the terminal, or 100 where there is none.
pub(crate) fn width() -> usize {
    terminal_size::terminal_size().map_or(100, |(w, _)| usize::from(w.0))
}

/// Writes a text, whole or not at all.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), WriteError> {
    write_file(path, |out| std::io::Write::write_all(out, text.as_bytes()))
}

/// A path as an argument of a command that can be copied.
pub(crate) fn for_shell(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "._-/+=@%,".contains(c);
    if text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
