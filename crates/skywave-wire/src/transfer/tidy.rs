//! Partial files that nobody has come back for.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::name::PREFIX;

/// After this time, nobody will.
const OLD: Duration = Duration::from_secs(30 * 24 * 3600);

/// Removes partial files that were not written to for 30 days.
pub fn remove_old(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_partial = name.starts_with(PREFIX) && name.ends_with(".part");
        let age = || {
            let modified = entry
                .metadata()
                .ok()
                .filter(fs::Metadata::is_file)?
                .modified()
                .ok()?;
            SystemTime::now().duration_since(modified).ok()
        };
        if is_partial && age().is_some_and(|age| age > OLD) {
            // One that cannot be removed is in nobody's way.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, FileTimes};

    use super::*;

    #[test]
    fn only_old_partial_files_go() {
        let dir = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - OLD - Duration::from_secs(60);
        for (name, modified) in [
            (".skywave-a.part", old),
            (".skywave-b.part", old + Duration::from_secs(3600)),
            ("film", old),
            (".skywave-notes", old),
        ] {
            let file = File::create(dir.path().join(name)).unwrap();
            file.set_times(FileTimes::new().set_modified(modified))
                .unwrap();
        }
        remove_old(dir.path());
        let left = |name: &str| dir.path().join(name).exists();
        assert!(!left(".skywave-a.part"));
        assert!(left(".skywave-b.part") && left("film") && left(".skywave-notes"));
    }
}
