//! Parts of the file system that differ for programs behind the link: processes, and names of
//! hosts.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};

use super::trouble::Trouble;
use super::{FAR, NEAR};

/// Makes these parts differ, in this mount namespace only.
pub(super) fn arrange() -> Result<(), Trouble> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).map_err(Trouble::step("keep mounts to itself"))?;
    // With the numbers of this PID namespace. Containers that hide parts of /proc refuse it; what
    // looks for itself there by number is then mistaken, all else works.
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let _ = mount("proc", "/proc", "proc", flags, None);
    let named = Trouble::step("give the names near and far to their addresses");
    replace("/etc/hosts", hosts).map_err(&named)?;
    replace("/etc/nsswitch.conf", files_first).map_err(&named)
}

/// Puts a changed copy in the place of a file, unless there is none.
fn replace(path: impl AsRef<Path>, change: impl Fn(&str) -> String) -> io::Result<()> {
    let text = match fs::read(&path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut copy = tempfile::NamedTempFile::new()?;
    copy.write_all(change(&text).as_bytes())?;
    // As the original: for everybody.
    fs::set_permissions(copy.path(), Permissions::from_mode(0o644))?;
    // Its name goes when this returns; the mount keeps the file.
    Ok(mount_bind(copy.path(), path.as_ref())?)
}

/// The table of hosts with the two sides before all others.
fn hosts(text: &str) -> String {
    format!("{NEAR}\tnear\n{FAR}\tfar\n{text}")
}

/// Looks hosts up in that table first. A resolver that runs outside does not know it.
fn files_first(text: &str) -> String {
    let line = |line: &str| match line.trim_start().strip_prefix("hosts:") {
        Some(sources) => {
            let others = sources
                .split_whitespace()
                .filter(|&source| source != "files");
            let others: Vec<&str> = others.collect();
            format!("hosts: files {}\n", others.join(" "))
        }
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_come_first() {
        assert_eq!(
            hosts("127.0.0.1 localhost\n"),
            "10.73.9.1\tnear\n10.73.9.2\tfar\n127.0.0.1 localhost\n"
        );
        let text = "passwd: files\nhosts: mymachines resolve [!UNAVAIL=return] files dns\n";
        assert_eq!(
            files_first(text),
            "passwd: files\nhosts: files mymachines resolve [!UNAVAIL=return] dns\n"
        );
    }
}
