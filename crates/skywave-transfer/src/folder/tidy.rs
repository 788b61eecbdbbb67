//! Partial files that nobody has come back for.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::name::PREFIX;

/// After this time, nobody will.
const OLD: Duration = Duration::from_secs(30 * 24 * 3600);
/// Whoever writes a small file has given it its name by then.
const OLD_SMALL: Duration = Duration::from_secs(3600);

/// Removes partial files that were not written to for 30 days, and small ones that a receiver left that was killed.
pub(super) fn remove_old(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ending = name
            .strip_prefix(PREFIX)
            .and_then(|name| name.rsplit('.').next());
        let old = match ending {
            Some("part") => OLD,
            Some("new") => OLD_SMALL,
            _ => continue,
        };
        let age = || {
            let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            // A small one has its sender's time already.
            let changed = Duration::from_secs(found.ctime().try_into().ok()?);
            let since = match ending {
                Some("new") => SystemTime::UNIX_EPOCH + changed,
                _ => found.modified().ok()?,
            };
            SystemTime::now().duration_since(since).ok()
        };
        if age().is_some_and(|age| age > old) {
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
            // Its sender's time is old; it was written just now.
            (".skywave-c.new", old),
        ] {
            let file = File::create(dir.path().join(name)).unwrap();
            file.set_times(FileTimes::new().set_modified(modified))
                .unwrap();
        }
        remove_old(dir.path());
        let left = |name: &str| dir.path().join(name).exists();
        assert!(!left(".skywave-a.part"));
        assert!(left(".skywave-c.new"));
        assert!(left(".skywave-b.part") && left("film") && left(".skywave-notes"));
    }
}
