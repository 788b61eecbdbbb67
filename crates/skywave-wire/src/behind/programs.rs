//! The programs of both sides, as the first process starts and ends them.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, kill_process_group, set_parent_process_death_signal, wait,
};
use rustix::thread::{
    CapabilitySet, LinkNameSpaceType, configure_capability_in_ambient_set,
    move_into_link_name_space,
};

use super::trouble::Trouble;
use super::{FAR, INSIDE, NEAR};
use crate::exit::{self, FAILED};

/// How long the command waits at most until the far side listens. A program that does not listen at
/// all costs it this time.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the far side has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(1);

/// Time between two looks at a program.
const LOOK: Duration = Duration::from_millis(5);

/// Has the kernel kill this process when its parent ends, however that happens.
pub(super) fn die_with_parent() -> Result<(), Trouble> {
    let killed = set_parent_process_death_signal(Some(Signal::KILL));
    killed.map_err(Trouble::step("end with the process outside"))
}

/// To be called before any program is started: programs are not to inherit blocked signals.
pub(super) fn prepare() -> Result<(), Trouble> {
    // The relay's process reads signals instead of being ended by them; programs are as usual.
    let unblocked = super::signals::caught().thread_unblock();
    unblocked.map_err(Trouble::step("let signals through"))
}

/// Moves this thread, and what it starts, into a network.
pub(super) fn enter(namespace: &File) -> Result<(), Trouble> {
    let network = Some(LinkNameSpaceType::Network);
    let moved = move_into_link_name_space(namespace.as_fd(), network);
    moved.map_err(Trouble::step("enter the program's network"))
}

/// Starts the command in the network of this thread.
pub(super) fn start(words: &[OsString], input: File) -> Result<Pid, Trouble> {
    let Some((name, arguments)) = words.split_first() else {
        return Err(Trouble::NotFound(OsString::new()));
    };
    // It may do what it likes with its network, and nothing else that this user could not do. Nothing
    // to give up where a user has all rights anyway.
    let _ = configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, false);
    // A stage of this program, or a program of the user's.
    let own = (name == INSIDE).then(|| super::again(INSIDE)).flatten();
    let mut command = match own {
        Some(mut again) => {
            again.arg(name);
            again
        }
        None => Command::new(name),
    };
    command.args(arguments).stdin(input);
    spawn(&mut command).map_err(|source| match source.kind() {
        ErrorKind::NotFound => Trouble::NotFound(name.clone()),
        _ => Trouble::NotExecutable {
            command: name.clone(),
            source,
        },
    })
}

fn spawn(command: &mut Command) -> io::Result<Pid> {
    command.env("SKYWAVE_NEAR", NEAR.to_string());
    command.env("SKYWAVE_FAR", FAR.to_string());
    let id = command.spawn()?.id();
    // Every process has a number above zero.
    Pid::from_raw(id as i32).ok_or_else(|| ErrorKind::InvalidData.into())
}

/// The far side's program.
#[derive(Debug)]
pub(super) struct Far {
    line: OsString,
    process: Pid,
    /// Sockets of the network before.
    sockets: usize,
    ended: Option<u8>,
}

impl Far {
    /// Starts it in the network of this thread.
    pub(super) fn start(line: &OsStr) -> Result<Self, Trouble> {
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(line).stdin(Stdio::null());
        // The command's output is the command's alone.
        shell.stdout(io::stderr());
        // Ctrl-C is for the command; this one ends after it.
        shell.process_group(0);
        let sockets = sockets();
        let process = spawn(&mut shell).map_err(Trouble::step("start the far side's shell"))?;
        Ok(Self {
            line: line.to_owned(),
            process,
            sockets,
            ended: None,
        })
    }

    /// Waits until it has a port, so that the command does not come too early; not for ever, since it
    /// may be no server. This thread must be in its network.
    pub(super) fn wait_until_it_listens(&mut self) -> Result<(), Trouble> {
        let until = Instant::now() + PATIENCE;
        while sockets() <= self.sockets && Instant::now() < until {
            self.reap()?;
            match self.ended {
                // It may have put itself into the background.
                Some(0) => return Ok(()),
                Some(code) => {
                    return Err(Trouble::Far {
                        line: self.line.clone(),
                        code,
                    });
                }
                None => thread::sleep(LOOK),
            }
        }
        Ok(())
    }

    /// Asks it to end and gives it some time. What is left is killed with the first process.
    pub(super) fn end(&mut self) -> Result<(), Trouble> {
        let until = Instant::now() + GRACE;
        let _ = kill_process_group(self.process, Signal::TERM);
        while self.ended.is_none() && Instant::now() < until {
            self.reap()?;
            thread::sleep(LOOK);
        }
        Ok(())
    }

    /// Takes note of the processes that have ended: the first process is the parent of all that have
    /// lost theirs.
    fn reap(&mut self) -> Result<(), Trouble> {
        while let Some((process, status)) = wait_once(WaitOptions::NOHANG)? {
            self.note(process, status);
        }
        Ok(())
    }

    fn note(&mut self, process: Pid, status: WaitStatus) {
        if process == self.process {
            self.ended = Some(code(status));
        }
    }
}

/// Sockets of this thread's network that something could come to: lines of the kernel's tables.
fn sockets() -> usize {
    let count = |name: &str| {
        let table = fs::read_to_string(format!("/proc/thread-self/net/{name}"));
        table.map_or(0, |table| table.lines().count())
    };
    ["tcp", "tcp6", "udp", "udp6"].map(count).iter().sum()
}

/// Waits for the command, and says when it stops for a while. Returns its exit code.
pub(super) fn wait_for(
    command: Pid,
    mut far: Option<&mut Far>,
    stops: impl Fn() -> Result<(), Trouble>,
) -> Result<u8, Trouble> {
    loop {
        let Some((process, status)) = wait_once(WaitOptions::UNTRACED)? else {
            continue;
        };
        match (process == command, status.stopped()) {
            (true, true) => stops()?,
            (true, false) => return Ok(code(status)),
            (false, true) => {}
            (false, false) => {
                if let Some(far) = far.as_deref_mut() {
                    far.note(process, status);
                }
            }
        }
    }
}

/// A process that has ended; none if none has, or none is left.
fn wait_once(options: WaitOptions) -> Result<Option<(Pid, WaitStatus)>, Trouble> {
    loop {
        match wait(options) {
            Ok(ended) => return Ok(ended),
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::CHILD) if options.contains(WaitOptions::NOHANG) => {
                return Ok(None);
            }
            Err(error) => return Err(Trouble::step("wait for the command")(error)),
        }
    }
}

/// The exit code, as a shell tells it.
fn code(status: WaitStatus) -> u8 {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => u8::try_from(code).unwrap_or(FAILED),
        (_, Some(signal)) => exit::of_signal(signal),
        _ => FAILED,
    }
}
