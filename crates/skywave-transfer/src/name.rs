//! Names of files from another host: what a folder takes, and how they are shown.

/// Beginning of the names of partial files, which no file of a peer may have.
pub const PREFIX: &str = ".skywave-";
/// Longest name of a file or folder, in bytes: what file systems allow.
pub const MAX_NAME: usize = 255;

/// Whether a peer's name is safe as one path component: 1 to [`MAX_NAME`] bytes, no `/`, not `.` or `..`, not
/// beginning with [`PREFIX`], no control, invisible or reordering characters. Bytes that are not UTF-8 are allowed.
pub fn is_plain(name: impl AsRef<[u8]>) -> bool {
    let name = name.as_ref();
    let names_nothing = name.is_empty() || name == b"." || name == b"..";
    let is_known = !names_nothing && name.len() <= MAX_NAME && !name.starts_with(PREFIX.as_bytes());
    let deceives = |text: &str| text.chars().any(|c| is_deceptive(c) || c == '/');
    is_known && !name.utf8_chunks().any(|chunk| deceives(chunk.valid()))
}

/// Characters that a terminal obeys, that make a text look like another one (Unicode TR 36), or that are not seen: those
/// of Unicode's property `Default_Ignorable_Code_Point`, and some more without ink.
fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
        )
        || matches!(
            c,
            '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Text of another host in a form that may be shown: characters that a terminal obeys, or that are invisible or reorder
/// text, are escaped.
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

/// Name or path of another host, maybe not all of it UTF-8, in a form that may be shown: escaped as by [`shown`], and
/// bytes that are no text as `\x` and two hexadecimal digits. A backslash in a text that would be taken for the beginning
/// of such is `\x5c`.
pub fn shown_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let valid = shown(chunk.valid());
        let mut parts = valid.split('\\');
        text += parts.next().unwrap_or_default();
        for part in parts {
            text += if is_number(part) { "\\x5c" } else { "\\" };
            text += part;
        }
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

/// Whether a text that follows a backslash begins as the number of a byte that is no text, or of a backslash, does.
fn is_number(text: &str) -> bool {
    let Some(number) = text.strip_prefix('x').and_then(|text| text.get(..2)) else {
        return false;
    };
    let is_hex = |c| matches!(c, '0'..='9' | 'a'..='f');
    number == "5c" || (number.starts_with(|c| c > '7') && number.chars().all(is_hex))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_are_those_of_files_in_a_folder() {
        for name in ["a", "a b.txt", "ä", ".profile", "...", "日本", "..\\x"] {
            assert!(is_plain(name), "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            "a/b",
            "/etc/passwd",
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
    fn bytes_that_are_no_text_are_taken_and_shown_as_numbers() {
        let name = b"\xe9t\xe9\\";
        assert!(is_plain(name));
        assert_eq!(shown_bytes(name), "\\xe9t\\xe9\\");
        assert!(!is_plain(b"\xe9\x1b[31m") && !is_plain(b"\xe9/a"));
        assert_eq!(shown_bytes(b"\xe9\x1b[31m"), "\\xe9\\u{1b}[31m");
    }

    #[test]
    fn a_backslash_is_not_taken_for_a_number() {
        for (name, said) in [
            (&b"bad\xff"[..], r"bad\xff"),
            (br"bad\xff", r"bad\x5cxff"),
            (br"\x5c\\", r"\x5cx5c\\"),
            (br"a\x2db.slice", r"a\x2db.slice"),
            (br"\xfg\x", r"\xfg\x"),
        ] {
            assert_eq!(shown_bytes(name), said);
        }
    }

    /// Names that look like another one, or like nothing.
    #[test]
    fn what_is_not_seen_is_not_taken() {
        for c in [
            '\u{ad}',
            '\u{34f}',
            '\u{115f}',
            '\u{17b4}',
            '\u{180e}',
            '\u{200b}',
            '\u{200d}',
            '\u{2060}',
            '\u{2064}',
            '\u{206a}',
            '\u{2800}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{ffa0}',
            '\u{fff9}',
            '\u{1d173}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e01ef}',
        ] {
            assert!(!is_plain(format!("film{c}")), "{c:?}");
            assert_eq!(shown(&c.to_string()), c.escape_unicode().to_string());
        }
    }

    #[test]
    fn what_is_shown_is_obeyed_by_no_terminal() {
        assert_eq!(shown("a\u{1b}[31m\u{202e}ä"), "a\\u{1b}[31m\\u{202e}ä");
    }
}
