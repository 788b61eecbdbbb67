//! Paths of files from another host: what a folder takes.

use std::fmt;

use skywave_wire::name::is_plain;

/// Longest path, in bytes.
pub(crate) const MAX_PATH: usize = 4096;
/// Most folders in one another.
const MAX_DEPTH: usize = 64;

/// The path of a file below the folder that takes it: plain names, separated by `/`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelativePath(String);

/// A path that leads out of the folder, or has a name that is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a plain name: no `..`, `\\`, control characters or marks that turn the text around")]
pub struct BadPath;

impl RelativePath {
    /// Checks a path.
    ///
    /// # Errors
    /// [`BadPath`] if it is absolute, has `..` or the like in it, or names that terminals or other
    /// programs would show otherwise than they are.
    pub fn parse(text: &str) -> Result<Self, BadPath> {
        let names: Vec<&str> = text.split('/').collect();
        let is_short = text.len() <= MAX_PATH && names.len() <= MAX_DEPTH;
        if is_short && names.iter().all(|name| is_plain(name)) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadPath)
        }
    }

    /// The path as text, with `/` between the names.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folders that it is in, and its own name.
    pub(crate) fn split(&self) -> (Vec<&str>, &str) {
        let mut names: Vec<&str> = self.0.split('/').collect();
        // A split has at least one part.
        let name = names.pop().unwrap_or_default();
        (names, name)
    }

    /// Whether a name begins with a dot, which hides it and often makes it somebody's settings.
    pub fn is_hidden(&self) -> bool {
        self.0.split('/').any(|name| name.starts_with('.'))
    }

    /// Whether it is `name`, or in the folder of this name.
    pub(crate) fn is_under(&self, name: &str) -> bool {
        let rest = self.0.strip_prefix(name.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for RelativePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder() {
        for path in ["a", "a b.txt", "ä", ".profile", "...", "a/b/c", "日本/語"] {
            assert!(RelativePath::parse(path).is_ok(), "{path}");
        }
        let long = "a".repeat(256);
        let deep = "a/".repeat(64) + "a";
        for path in [
            "",
            ".",
            "..",
            "/",
            "/etc/passwd",
            "a/../b",
            "a//b",
            "a/",
            "./a",
            "..\\x",
            "a\nb",
            "a\0b",
            "a\u{202e}txt.exe",
            "a\u{2028}b",
            "\u{feff}a",
            "a\u{1b}[31m",
            ".skywave-x.part",
            &long,
            &deep,
        ] {
            assert!(RelativePath::parse(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn hidden_names_are_known() {
        let hidden = |path: &str| RelativePath::parse(path).unwrap().is_hidden();
        assert!(hidden(".ssh/authorized_keys") && hidden("a/.b"));
        assert!(!hidden("a.b/c"));
    }

    #[test]
    fn a_folder_is_asked_for_by_its_name() {
        let path = RelativePath::parse("a/b").unwrap();
        assert!(path.is_under("a") && path.is_under("a/") && path.is_under("a/b"));
        assert!(!path.is_under("a/bc") && !path.is_under("b"));
    }
}
