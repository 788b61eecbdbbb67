//! Parts of the file system that differ for programs behind the link: processes, and names of
//! hosts.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_change, unmount,
};

use super::trouble::Trouble;
use super::{FAR, FAR6, NEAR, NEAR6};

/// Makes these parts differ, in this mount namespace only.
pub(super) fn arrange(forwarded: &[&str]) -> Result<(), Trouble> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).map_err(Trouble::step("keep mounts to itself"))?;
    let named = Trouble::step("give the names near and far to their addresses");
    let hosts = |text: &str| hosts(text, forwarded);
    replace(&[("/etc/hosts", &hosts), ("/etc/nsswitch.conf", &files_first)]).map_err(named)?;
    // With the numbers of this PID namespace. Containers that hide parts of /proc refuse it; what
    // looks for itself there by number is then mistaken, all else works.
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let _ = mount("proc", "/proc", "proc", flags, None);
    Ok(())
}

/// A change of a text.
type Change<'a> = &'a dyn Fn(&str) -> String;

/// Puts changed copies in the place of files, but for those that there are not.
fn replace(files: &[(&str, Change<'_>)]) -> io::Result<()> {
    // The copies keep their names, in a file system that is found nowhere: on a file without a name nothing
    // can be mounted, as a link inside of this one has to.
    const PLACE: &str = "/proc";
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("names", PLACE, "tmpfs", flags, None)?;
    let copied = files
        .iter()
        .enumerate()
        .try_for_each(|(number, (path, change))| {
            copy(path, &Path::new(PLACE).join(number.to_string()), change)
        });
    unmount(PLACE, UnmountFlags::DETACH)?;
    copied
}

/// Puts a changed copy, at `place`, in the place of the file at `path`, unless there is none.
fn copy(path: &str, place: &Path, change: Change<'_>) -> io::Result<()> {
    let text = match fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    fs::write(place, change(&text))?;
    // As the original: for everybody.
    fs::set_permissions(place, Permissions::from_mode(0o644))?;
    Ok(mount_bind(place, path)?)
}

/// The table of hosts with the two sides before all others, and those of forwarded ports, which are reached at
/// the far side.
fn hosts(text: &str, forwarded: &[&str]) -> String {
    let line = |name: &&str| format!("{FAR}\t{name}\n");
    let forwarded = forwarded.iter().map(line).collect::<Vec<_>>().concat();
    format!("{NEAR}\tnear\n{FAR}\tfar\n{NEAR6}\tnear6\n{FAR6}\tfar6\n{forwarded}{text}")
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
            hosts("127.0.0.1 localhost\n", &["example.org"]),
            "10.73.9.1\tnear\n10.73.9.2\tfar\nfd73:9::1\tnear6\nfd73:9::2\tfar6\n\
             10.73.9.2\texample.org\n127.0.0.1 localhost\n"
        );
        let text = "passwd: files\nhosts: mymachines resolve [!UNAVAIL=return] files dns\n";
        assert_eq!(
            files_first(text),
            "passwd: files\nhosts: files mymachines resolve [!UNAVAIL=return] dns\n"
        );
    }
}
