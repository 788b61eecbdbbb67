//! Patterns of names that are left out of folders.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::path::RelativePath;

/// Patterns of files and folders that are left out of folders that are sent. A pattern without `/`, such as `.DS_Store`
/// or `*.tmp`, matches names in any folder. A pattern with `/`, such as `photos/raw/*`, matches the ends of paths or,
/// if it begins with `/`, whole paths, as the receiver would see them: they begin with the name of the folder that is
/// sent. `**` stands for any number of folders; a `/` at the end means nothing.
#[derive(Clone, Debug, Default)]
pub struct Exclude {
    names: GlobSet,
    paths: GlobSet,
    /// Patterns of names, then those of paths, and whether each has fitted anything.
    fitted: Arc<Vec<(String, AtomicBool)>>,
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
        if let Some(empty) = patterns.iter().find(|p| p.trim_matches('/').is_empty()) {
            return Err(NoPattern(format!("`{empty}` is no pattern of names")));
        }
        let (paths, names): (Vec<_>, Vec<_>) = patterns
            .iter()
            .map(|pattern| pattern.trim_end_matches('/'))
            .partition(|pattern| pattern.contains('/'));
        let anywhere = |pattern: &str| match pattern.strip_prefix('/') {
            Some(whole) => whole.to_owned(),
            None => format!("**/{pattern}"),
        };
        let fitted = names.iter().chain(&paths);
        let fitted = fitted.map(|&pattern| (pattern.to_owned(), AtomicBool::new(false)));
        Ok(Self {
            fitted: Arc::new(fitted.collect()),
            names: set(names.into_iter().map(str::to_owned))?,
            paths: set(paths.into_iter().map(anywhere))?,
        })
    }

    /// Whether something of this name in this folder is left out.
    pub(crate) fn matches(&self, folder: &RelativePath, name: &OsStr) -> bool {
        let mut fit = self.names.matches(name);
        if !self.paths.is_empty() {
            let path = [folder.as_bytes(), name.as_bytes()].join(&b'/');
            let paths = self.paths.matches(OsStr::from_bytes(&path));
            fit.extend(paths.into_iter().map(|place| self.names.len() + place));
        }
        for place in &fit {
            self.fitted[*place].1.store(true, Ordering::Relaxed);
        }
        !fit.is_empty()
    }

    /// Patterns that nothing has matched yet in any call of [`list`](crate::list).
    pub fn unused(&self) -> impl Iterator<Item = &str> {
        let unused = self
            .fitted
            .iter()
            .filter(|(_, fitted)| !fitted.load(Ordering::Relaxed));
        unused.map(|(pattern, _)| pattern.as_str())
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
        for empty in ["", "/"] {
            assert!(Exclude::new(&[empty.to_owned()]).is_err());
        }
    }

    #[test]
    fn patterns_that_fit_nothing_are_known() {
        let patterns = ["*.tmp", "/raw/*", "x.*", "ex/raw/*"].map(str::to_owned);
        let exclude = Exclude::new(&patterns).unwrap();
        let folder = RelativePath::parse("ex/raw").unwrap();
        assert!(exclude.matches(&folder, OsStr::new("x.tmp")));
        assert_eq!(exclude.unused().collect::<Vec<_>>(), ["/raw/*"]);
    }
}
