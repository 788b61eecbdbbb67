//! The command as a job of the terminal, as a shell makes one of a program: in a process group of its own, which has
//! the terminal while it runs.
//!
//! The group's leader is the first process, which the command sees. In the group of this process it would see none
//! at all (its leader is outside of the PID namespace), and shells refuse to manage jobs then.

use std::fs::{self, File};
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use nix::sys::signal::{SigSet, Signal as Number};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, getpgrp, getpid, getsid, kill_current_process_group, kill_process_group, setpgid,
    test_kill_process_group,
};
use rustix::termios::{tcgetpgrp, tcsetpgrp};

/// The job, as the process outside sees it.
#[derive(Debug)]
pub(super) struct Job {
    terminal: OwnedFd,
    /// Process group of the command, once it has one.
    group: Option<Pid>,
}

impl Job {
    /// A job to be, if this process has the terminal: nobody else reads from it or writes to it.
    pub(super) fn of_this_process() -> Option<Self> {
        let input = io::stdin();
        if !input.is_terminal() || !io::stdout().is_terminal() {
            return None;
        }
        let has_it = tcgetpgrp(&input).is_ok_and(|group| group == getpgrp());
        let terminal = has_it.then(|| input.as_fd().try_clone_to_owned().ok());
        Some(Self {
            terminal: terminal.flatten()?,
            group: None,
        })
    }

    /// Takes note of the group's leader.
    pub(super) fn lead(&mut self, leader: &OwnedFd) {
        self.group = process(leader);
    }

    /// Stops this process too, as the command has been, until somebody goes on with both.
    pub(super) fn stop(&self) {
        self.take_back();
        let _ = kill_current_process_group(Signal::TSTP);
        // Here it goes on, in the foreground or not.
        self.follow();
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::CONT);
        }
    }

    /// Gives the group the terminal if somebody has brought this process to the foreground, which the command
    /// is to be in then.
    pub(super) fn follow(&self) {
        let Some(group) = self.group else { return };
        if tcgetpgrp(&self.terminal).is_ok_and(|holder| holder == getpgrp()) {
            let _ = give(&self.terminal, group);
        }
    }

    /// Passes on a signal of the terminal: it came to this process, so the group was not in the foreground.
    pub(super) fn pass_on(&self, signal: Signal) {
        // But a terminal that is gone tells the session's leader beside the foreground.
        let is_leader = getsid(None) == Ok(getpid());
        let is_there = signal == Signal::HUP && is_leader;
        if let (Some(group), false) = (self.group, is_there) {
            let _ = kill_process_group(group, signal);
        }
    }

    /// Takes the terminal back from the command, unless somebody else has it.
    fn take_back(&self) {
        let Ok(holder) = tcgetpgrp(&self.terminal) else {
            return;
        };
        // A shell that was killed leaves it to a group that is no more.
        // Another user's group, to which this process may send no signal, is still there.
        if Some(holder) == self.group || test_kill_process_group(holder) == Err(Errno::SRCH) {
            let _ = give(&self.terminal, getpgrp());
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.take_back();
    }
}

/// Makes this process the leader of a group, and gives that the terminal.
pub(super) fn take_terminal(terminal: &File) -> io::Result<()> {
    setpgid(None, None)?;
    give(terminal, getpid())
}

/// Gives a group the terminal. Who does not have it is stopped for this, unless it blocks the signal.
fn give(terminal: impl AsFd, group: Pid) -> io::Result<()> {
    let signal: SigSet = [Number::SIGTTOU].into_iter().collect();
    let before = signal.thread_swap_mask(nix::sys::signal::SigmaskHow::SIG_BLOCK)?;
    let given = tcsetpgrp(terminal, group);
    before.thread_set_mask()?;
    Ok(given?)
}

/// The number of the process of a handle.
fn process(handle: &OwnedFd) -> Option<Pid> {
    let about = fs::read_to_string(format!("/proc/self/fdinfo/{}", handle.as_raw_fd())).ok()?;
    let number = about.lines().find_map(|line| line.strip_prefix("Pid:"))?;
    Pid::from_raw(
        number
            .trim()
            .parse()
            .ok()
            .filter(|&number: &i32| number > 0)?,
    )
}
