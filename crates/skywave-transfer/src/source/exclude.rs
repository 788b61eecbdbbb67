//! Patterns of names that are left out of folders.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::path::RelativePath;

/// Patterns of files and folders that are left out of folders that are sent. A pattern without `/`, such as `.DS_Store`
/// or `*.tmp`, matches names in any folder. A pattern with `/`, such as `photos/raw/*`, matches the ends of paths or,
/// if it begins with `/`, whole paths, as the receiver would see them. `**` stands for any number of folders; a `/` at
/// the end means nothing.
#[derive(Clone, Debug, Default)]
pub struct Exclude {
    names: GlobSet,
    paths: GlobSet,
}

/// Error of [`Exclude::new`] for a text that is no pattern of names, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoPattern(String);

impl Exclude {
    /// Reads patterns from their texts.
    ///
    /// # Errors
    /// [`NoPattern`] if a text is no pattern, with the reason.
    pub fn new(patterns: &[String]) -> Result<Self, NoPattern> {
        let (paths, names): (Vec<_>, Vec<_>) = patterns
            .iter()
            .map(|pattern| pattern.trim_end_matches('/'))
            .partition(|pattern| pattern.contains('/'));
        let anywhere = |pattern: &str| match pattern.strip_prefix('/') {
            Some(whole) => whole.to_owned(),
            None => format!("**/{pattern}"),
        };
        Ok(Self {
            names: set(names.into_iter().map(str::to_owned))?,
            paths: set(paths.into_iter().map(anywhere))?,
        })
    }

    /// Whether something of this name in this folder is left out.
    pub(crate) fn matches(&self, folder: &RelativePath, name: &OsStr) -> bool {
        if self.names.is_match(name) {
            return true;
        }
        let path = [folder.as_bytes(), name.as_bytes()].join(&b'/');
        !self.paths.is_empty() && self.paths.is_match(OsStr::from_bytes(&path))
    }
}

fn set(patterns: impl Iterator<Item = String>) -> Result<GlobSet, NoPattern> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
        set.add(glob.map_err(|error| NoPattern(error.to_string()))?);
    }
    set.build().map_err(|error| NoPattern(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ends_of_paths_are_left_out_anywhere() {
        let patterns = [
            ".DS_Store",
            "*.tmp",
            "photos/raw/*",
            "**/build/",
            "/top/old",
        ]
        .map(str::to_owned);
        let exclude = Exclude::new(&patterns).unwrap();
        let is_out = |folder: &str, name: &str| {
            let folder = RelativePath::parse(folder).unwrap();
            exclude.matches(&folder, OsStr::new(name))
        };
        assert!(is_out("photos", ".DS_Store") && is_out("a/b", "x.tmp"));
        assert!(is_out("photos/raw", "1") && is_out("a/b", "build"));
        assert!(!is_out("photos", "raw") && !is_out("photos/raw/old", "1"));
        assert!(!is_out("photos", "x.tmp2") && !is_out("myphotos/raw", "1"));
        assert!(is_out("b/photos/raw", "1"));
        assert!(is_out("top", "old") && !is_out("b/top", "old"));
        let latin = OsStr::from_bytes(b"\xe9.tmp");
        assert!(exclude.matches(&RelativePath::parse("a").unwrap(), latin));
        assert!(!Exclude::default().matches(&RelativePath::parse("a").unwrap(), latin));
    }

    #[test]
    fn a_pattern_that_is_none_is_told() {
        let error = Exclude::new(&["a[".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("a["), "{error}");
    }
}
