//! Paths of files from another host: what a folder takes.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::name::{is_plain, shown_bytes};

/// Longest path, in bytes.
pub(crate) const MAX_PATH: usize = 4096;
/// Most folders in one another.
pub(crate) const MAX_DEPTH: usize = 64;

/// Path of a file or folder below the folder that takes it: plain names ([`is_plain`](crate::name::is_plain)),
/// separated by `/`. The names need not be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelativePath(Box<[u8]>);

/// Error of [`RelativePath::parse`]: a path that leads out of the folder, is too long or deep, or has a name that
/// [`is_plain`](crate::name::is_plain) refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a plain name: no `..`, control characters, invisible ones or marks that turn the text around"
)]
pub struct BadPath;

impl RelativePath {
    /// Path of these bytes, after a check that a receiver may take it.
    ///
    /// # Errors
    /// [`BadPath`] if the path has more than 4096 bytes or 64 names, or a name that
    /// [`is_plain`](crate::name::is_plain) refuses, as an absolute path has and one with `..`.
    pub fn parse(path: impl AsRef<[u8]>) -> Result<Self, BadPath> {
        let path = path.as_ref();
        let depth = path.split(|byte| *byte == b'/').count();
        let is_short = path.len() <= MAX_PATH && depth <= MAX_DEPTH;
        if is_short && path.split(|byte| *byte == b'/').all(is_plain) {
            Ok(Self(path.into()))
        } else {
            Err(BadPath)
        }
    }

    /// The path of something in this folder.
    ///
    /// # Errors
    /// [`BadPath`] as [`Self::parse`].
    pub(crate) fn join(&self, name: &OsStr) -> Result<Self, BadPath> {
        Self::parse([&self.0, name.as_bytes()].join(&b'/'))
    }

    /// Bytes of the path, with `/` between the names.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The folder that it is in, if any, and its own name.
    pub(crate) fn split(&self) -> (Option<&[u8]>, &OsStr) {
        match self.0.iter().rposition(|byte| *byte == b'/') {
            None => (None, OsStr::from_bytes(&self.0)),
            Some(at) => (Some(&self.0[..at]), OsStr::from_bytes(&self.0[at + 1..])),
        }
    }

    /// Whether any name in the path begins with a dot, which hides a file and often makes it somebody's settings.
    pub fn is_hidden(&self) -> bool {
        let mut names = self.0.split(|byte| *byte == b'/');
        names.any(|name| name.starts_with(b"."))
    }

    /// Whether it is `name`, or in the folder of this name.
    pub(crate) fn is_under(&self, name: &str) -> bool {
        is_under(&self.0, name)
    }
}

/// Whether a path is `name`, or leads into the folder of this name.
pub(crate) fn is_under(path: &[u8], name: &str) -> bool {
    let name = name.trim_end_matches('/').as_bytes();
    let rest = path.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

impl AsRef<Path> for RelativePath {
    fn as_ref(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }
}

/// As it may be shown to people: what is no text, and what terminals would obey, is escaped.
impl fmt::Display for RelativePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown_bytes(&self.0))
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
