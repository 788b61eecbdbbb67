//! Names of files from another host: what a folder takes, and how they are shown.

/// Names that begin with it are those of partial files.
pub const PREFIX: &str = ".skywave-";
/// Longest name in a folder, in bytes: what file systems allow.
pub const MAX_NAME: usize = 255;

/// A name in a folder, and nothing else.
pub fn is_plain(name: &str) -> bool {
    let names_nothing = name.is_empty() || name == "." || name == "..";
    let is_known = !names_nothing && name.len() <= MAX_NAME && !name.starts_with(PREFIX);
    is_known
        && !name
            .chars()
            .any(|c| is_deceptive(c) || c == '\\' || c == '/')
}

/// Characters that a terminal obeys, or that make a text look like another one (Unicode TR 36).
fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{feff}'
        )
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text of another host as it may be shown: what a terminal would obey is escaped.
pub fn shown(text: &str) -> String {
    let escape = |c: char| -> String {
        if is_deceptive(c) {
            c.escape_unicode().collect()
        } else {
            c.to_string()
        }
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_are_those_of_files_in_a_folder() {
        for name in ["a", "a b.txt", "ä", ".profile", "...", "日本"] {
            assert!(is_plain(name), "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            "a/b",
            "/etc/passwd",
            "..\\x",
            "a\nb",
            "a\0b",
            "a\u{202e}txt.exe",
            "a\u{2028}b",
            "a\u{1b}[31m",
            ".skywave-x.part",
            &"a".repeat(256),
        ] {
            assert!(!is_plain(name), "{name:?}");
        }
    }

    #[test]
    fn what_is_shown_is_obeyed_by_no_terminal() {
        assert_eq!(shown("a\u{1b}[31m\u{202e}ä"), "a\\u{1b}[31m\\u{202e}ä");
    }
}
