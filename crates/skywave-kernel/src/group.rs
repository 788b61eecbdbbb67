//! A control group (cgroup v2) for one command, by which the kernel knows its connections.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use crate::machine::{PREFIX, folder_below, own_group};
use crate::trouble::AttachError;

/// The file with a group's processes.
const PROCESSES: &str = "cgroup.procs";

/// Control group (cgroup v2) for one command, below the group of this process: by it the kernel knows the
/// command's connections.
#[derive(Debug)]
pub struct Group {
    folder: PathBuf,
    parent: PathBuf,
    open: File,
}

impl Group {
    /// Makes a control group below that of this process, and removes those that earlier processes left behind.
    /// [`AttachError::Group`] if no cgroup v2 is mounted, or the group's folder cannot be made.
    pub fn new() -> Result<Self, AttachError> {
        let parent = own_group().ok_or_else(|| {
            AttachError::Group("no cgroup v2 is mounted (`skywave doctor`)".to_owned())
        })?;
        sweep(&parent);
        let folder = folder_below(&parent);
        let make = || {
            fs::create_dir(&folder)?;
            File::open(&folder)
        };
        let open = make().map_err(|error| trouble(&folder, &error))?;
        Ok(Self {
            folder,
            parent,
            open,
        })
    }

    /// Starts a command in the group; processes that it starts are in the group, too. Outer error: this process cannot
    /// enter or leave the group. Inner error: the command cannot be started.
    pub fn spawn(&self, command: &mut Command) -> Result<io::Result<Child>, AttachError> {
        // A process is born where its parent is: in the group from its first connection on.
        enter(&self.folder)?;
        let child = command.spawn();
        enter(&self.parent)?;
        Ok(child)
    }

    /// Removes the group once its last processes have ended, for which it waits up to 0.1 s. Returns false if some are
    /// still there and the group stays.
    pub fn remove(self) -> bool {
        for _ in 0..20 {
            if fs::remove_dir(&self.folder).is_ok() {
                return true;
            }
            thread::sleep(Duration::from_millis(5));
        }
        false
    }
}

impl AsFd for Group {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.open.as_fd()
    }
}

fn enter(group: &Path) -> Result<(), AttachError> {
    let file = group.join(PROCESSES);
    // 0 is the process that writes.
    fs::write(&file, "0").map_err(|error| trouble(&file, &error))
}

fn trouble(path: &Path, error: &io::Error) -> AttachError {
    AttachError::Group(format!("{}: {error}", path.display()))
}

/// Removes groups of processes that are no more. The kernel keeps those in which something runs.
fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let is_gone = number.is_some_and(|number| {
            number.parse::<u32>().is_ok() && !Path::new("/proc").join(number).exists()
        });
        if is_gone {
            let _ = fs::remove_dir(entry.path());
        }
    }
}
