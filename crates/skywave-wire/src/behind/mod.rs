//! A program behind an emulated link: in a network of its own, whose only way out is a relay that delays and loses
//! packets.
//!
//! ```text
//! this process                  helper: user namespace        first process: pid 1 of its own
//! relay, forwarded ports  ───▶  (for ordinary users)     ───▶ networks near and far, mounts,
//!        ▲                                                    the programs of both sides
//!        └──────── TUN devices, listening sockets, a handle of the command ──────┘
//! ```
//!
//! The relay stays in the machine's own network, because forwarded ports need it. Namespaces are
//! made by two processes that this program starts of itself ([`inside`]): a process with several
//! threads cannot enter a user namespace, and the first process of a PID namespace takes all others
//! with it when it ends, so that nothing is left over, however this process ends. The files that
//! they open come back through a socket.
//!
//! Root needs no user namespace; all else is the same.

pub mod bulk;
mod channel;
mod enter;
mod first;
mod forward;
mod job;
mod mounts;
mod network;
mod programs;
mod refusal;
mod signals;
mod trouble;

use std::ffi::{OsStr, OsString};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::mpsc::{self, Receiver};

use rustix::process::{Signal, pidfd_send_signal};
use thiserror::Error;

use crate::exit::{self, FAILED};
use crate::relay::TunEnds;
use channel::{Channel, Message};
pub use forward::Forward;
use job::Job;
use signals::Signals;

/// IPv4 address of the near end of the emulated link, where the command runs.
pub const NEAR: Ipv4Addr = Ipv4Addr::new(10, 73, 9, 1);

/// IPv4 address of the far end of the emulated link.
pub const FAR: Ipv4Addr = Ipv4Addr::new(10, 73, 9, 2);

/// IPv6 address of the near end of the emulated link, where the command runs: a unique local one (RFC 4193).
pub const NEAR6: Ipv6Addr = Ipv6Addr::new(0xfd73, 9, 0, 0, 0, 0, 0, 1);

/// IPv6 address of the far end of the emulated link: a unique local one (RFC 4193).
pub const FAR6: Ipv6Addr = Ipv6Addr::new(0xfd73, 9, 0, 0, 0, 0, 0, 2);

/// First argument of the processes that this program starts of itself; see [`inside`].
const INSIDE: &str = "impair-inside";

/// Greatest number of TCP ports in [`Setup::forwards`] and [`Setup::listen`] together. Each is a listening socket,
/// passed on through a Unix socket that takes 253 files at most.
pub const PORTS: usize = 64;

/// Setup of a program in a network whose only way out is an emulated link. Each end of the link is a network of its
/// own: at the near side, with the address [`NEAR`], the command runs; at the far side, with [`FAR`], are the program
/// that answers it, and TCP ports at which this process accepts connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Command and its arguments, which runs at the near side; for bulk transfers instead of a command, the command
    /// line that [`bulk::near`] makes.
    pub command: Vec<OsString>,
    /// Command line for `/bin/sh` that runs at the far side, from before the command starts until after it has ended;
    /// `None` for nothing.
    pub far: Option<OsString>,
    /// TCP ports at [`FAR`], the far end of the link, for which this machine connects to addresses in its own network.
    pub forwards: Vec<Forward>,
    /// Names of hosts that resolve to the far side's address for the command, so that it reaches them by forwarded
    /// ports.
    pub names: Vec<String>,
    /// Whether the command gets the terminal as a shell's foreground job does; without effect unless this
    /// process has a terminal to itself.
    pub has_terminal: bool,
    /// TCP ports at which this process accepts connections over the link itself, at [`FAR`], the end of the link that
    /// the command does not run at. [`Behind::listeners`] has a listening socket for each, in this order.
    pub listen: Vec<u16>,
    /// TCP settings (sysctls) to write in the networks of both sides; all others keep the kernel's defaults.
    pub settings: Vec<TcpSetting>,
}

/// Value for one of the kernel's TCP settings (sysctls) in a network namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcpSetting {
    /// Name of the setting's file in `/proc/sys/net/ipv4`, such as `tcp_rmem`.
    pub name: &'static str,
    /// Value as text, as it is written to the setting's file.
    pub value: String,
}

impl TcpSetting {
    /// Settings `tcp_rmem` and `tcp_wmem` for receive and send windows of up to `bytes` bytes; the receive window has
    /// this size from the start of a connection. Buffers are twice as large: the kernel counts half of one as overhead
    /// (tcp(7)).
    pub fn window(bytes: u32) -> [Self; 2] {
        let most = u64::from(bytes) * 2;
        let setting = |name, first| Self {
            name,
            value: format!("4096 {first} {most}"),
        };
        [setting("tcp_rmem", most), setting("tcp_wmem", 16384)]
    }

    /// Setting `tcp_comp_sack_nr` of 0, by which each segment out of order is acknowledged at once, as RFC 5681 asks;
    /// by default Linux merges such ACKs of up to a millisecond.
    pub fn each_out_of_order() -> Self {
        Self {
            name: "tcp_comp_sack_nr",
            value: "0".to_owned(),
        }
    }
}

/// Reason why a program does not run behind an emulated link, or why it was ended there.
#[derive(Debug, Error)]
pub enum BehindError {
    /// Impossibility to start this program once more: the argument `verb` of [`Behind::start`] is not among its
    /// arguments.
    #[error("cannot start itself again: `{verb}` is no argument of this process")]
    NoProgram {
        /// Argument that was looked for.
        verb: String,
    },
    /// Number of ports in [`Setup::forwards`] and [`Setup::listen`] together, which is above [`PORTS`].
    #[error("{0} ports to forward: expected at most {PORTS}")]
    Ports(usize),
    /// Failure to start the helper, a further process of this program that makes the networks.
    #[error("cannot start itself again: {0}")]
    Start(io::Error),
    /// Failure in the processes that make the networks and start the command; the text says what failed.
    #[error("{text}")]
    Inside {
        /// Words for what failed, where, and what can be done.
        text: String,
        /// Exit code for the caller to end with: 127 if the command is not found, 126 if it cannot be executed, else
        /// [`FAILED`].
        code: u8,
    },
    /// End of the processes that make the networks and start the command, without a message.
    #[error("the processes that keep the program behind the link were killed")]
    Killed,
    /// Number of a signal that came before the command had started, or could not be passed on to it.
    #[error("ended by signal {0}, which did not reach the command")]
    Signal(i32),
}

impl BehindError {
    /// Exit code for this program to end with: 127 for a command that is not found, 126 for one that cannot be
    /// executed, 128 + n for signal n, else [`FAILED`] (125).
    pub fn code(&self) -> u8 {
        match self {
            Self::Inside { code, .. } => *code,
            Self::Signal(signal) => exit::of_signal(*signal),
            _ => FAILED,
        }
    }
}

/// How far the command is.
#[derive(Debug)]
enum Program {
    /// The far side comes first.
    Waits,
    /// The program will run, or cannot be executed.
    Starts,
    /// The program was started; with a handle of it, unless the kernel has none (before Linux 5.3).
    Runs(Option<OwnedFd>),
}

/// Running program in a network whose only way out is an emulated link; dropping this value kills all that runs there.
#[derive(Debug)]
pub struct Behind {
    helper: Child,
    channel: Channel,
    signals: Signals,
    command: Program,
    complaints: Receiver<String>,
    listeners: Vec<TcpListener>,
    job: Option<Job>,
    strays: u32,
}

impl Behind {
    /// Makes the networks of both sides, starts the programs of `setup` in them, and returns a handle and the two
    /// devices between which the caller has to relay packets from now on. Packets from the first device go forward,
    /// from near to far.
    ///
    /// The caller also has to call [`Behind::poll`]. `verb` is the subcommand among this process's arguments, such as
    /// `impair`: the program starts itself again with the arguments before it. From here on SIGINT, SIGTERM, SIGHUP and
    /// SIGQUIT are blocked in this thread and in those that it starts: they do not end this process, unless it has
    /// other threads, but go to the command.
    pub fn start(verb: &str, setup: &Setup) -> Result<(Self, TunEnds), BehindError> {
        let ports = setup.forwards.len() + setup.listen.len();
        if ports > PORTS {
            return Err(BehindError::Ports(ports));
        }
        let mut helper = again(verb).ok_or_else(|| BehindError::NoProgram {
            verb: verb.to_owned(),
        })?;
        helper.args(enter::arguments(setup));
        // They go to the command; the processes between are not to end by them either.
        let signals = Signals::catch().map_err(BehindError::Start)?;
        let (channel, theirs) = Channel::pair().map_err(BehindError::Start)?;
        helper.stdin(OwnedFd::from(theirs));
        let spawned = helper.spawn();
        // Its end of the socket is its own, so that its death shows.
        drop(helper);
        let (complain, complaints) = mpsc::channel();
        let mut behind = Self {
            helper: spawned.map_err(BehindError::Start)?,
            channel,
            signals,
            command: Program::Waits,
            complaints,
            listeners: Vec::new(),
            job: setup.has_terminal.then(Job::of_this_process).flatten(),
            strays: 0,
        };
        let input = io::stdin();
        let message = Message::Input {
            is_job: behind.job.is_some(),
        };
        let sent = behind.channel.send(&message, &[input.as_fd()]);
        sent.map_err(gone)?;
        let mut files = behind.ready()?.into_iter();
        let (Some(near), Some(far)) = (files.next(), files.next()) else {
            return Err(BehindError::Killed);
        };
        for (forward, listener) in setup.forwards.iter().zip(files.by_ref()) {
            forward::serve(TcpListener::from(listener), *forward, complain.clone());
        }
        behind.listeners = files.map(TcpListener::from).collect();
        Ok((behind, TunEnds::from([near, far])))
    }

    /// Passes signals on to the command. Returns the command's exit code once the command and the far side's program
    /// have ended; `None` before.
    ///
    /// To be called some ten times a second. The call does not block, but this process stops together with a command
    /// that is stopped at the terminal ([`Setup::has_terminal`]).
    pub fn poll(&mut self) -> Result<Option<u8>, BehindError> {
        while let Some((message, files)) = self.channel.try_receive().map_err(gone)? {
            match message {
                Message::Starting => {
                    self.command = Program::Starts;
                    if let (Some(job), Some(first)) = (&mut self.job, files.first()) {
                        job.lead(first);
                    }
                }
                Message::Started => self.command = Program::Runs(files.into_iter().next()),
                Message::Stopped => {
                    let Some(job) = &self.job else { continue };
                    job.stop();
                    // A shell has a group of its own.
                    if let Program::Runs(Some(command)) = &self.command {
                        let _ = pidfd_send_signal(command, Signal::CONT);
                    }
                }
                Message::Strays { count } => self.strays = count,
                Message::Ended { code } => {
                    // It goes when everything inside has gone.
                    let _ = self.helper.wait();
                    return Ok(Some(code));
                }
                other => return Err(unexpected(other)),
            }
        }
        if let Some(job) = &self.job {
            job.follow();
        }
        // Signals that come meanwhile wait until the command runs.
        if matches!(self.command, Program::Starts) {
            return Ok(None);
        }
        while let Some(heard) = self.signals.next() {
            let signal = Signal::from_named_raw(heard.number);
            match (&self.command, &self.job, signal) {
                (Program::Runs(_), Some(job), Some(signal)) if heard.from_kernel => {
                    job.pass_on(signal);
                }
                // The terminal has sent it to the command too.
                (Program::Runs(_), None, _) if heard.from_kernel => {}
                (Program::Runs(Some(command)), _, Some(signal)) => {
                    // It may have ended already, or belong to somebody else by now.
                    let _ = pidfd_send_signal(command, signal);
                }
                _ => return Err(BehindError::Signal(heard.number)),
            }
        }
        Ok(None)
    }

    /// Listening sockets at the far end of the link ([`FAR`]), one for each port of [`Setup::listen`], in the order of
    /// that list. The first call takes them out; further calls return none.
    pub fn listeners(&mut self) -> Vec<TcpListener> {
        std::mem::take(&mut self.listeners)
    }

    /// Next message about a connection to a forwarded port that could not be passed on; `None` if there is no further
    /// one.
    pub fn complaint(&self) -> Option<String> {
        self.complaints.try_recv().ok()
    }

    /// Number of packets of the command that had nowhere to go, as they were for other addresses than the two ends of
    /// the link, or for a name server at a loopback address. Known once the command has ended; 0 before.
    pub fn strays(&self) -> u32 {
        self.strays
    }

    /// The files that come when all is there.
    fn ready(&self) -> Result<Vec<OwnedFd>, BehindError> {
        match self.channel.receive().map_err(gone)? {
            (Message::Ready, files) => Ok(files),
            (other, _) => Err(unexpected(other)),
        }
    }
}

impl Drop for Behind {
    fn drop(&mut self) {
        // With the helper goes the first process, and with that everything in its PID namespace.
        let _ = self.helper.kill();
        let _ = self.helper.wait();
    }
}

fn gone(_: io::Error) -> BehindError {
    BehindError::Killed
}

fn unexpected(message: Message) -> BehindError {
    match message {
        Message::Failed { code, text } => BehindError::Inside { text, code },
        _ => BehindError::Killed,
    }
}

/// Command that starts this program again, up to `verb`: its name and the arguments before that.
fn again(verb: &str) -> Option<Command> {
    let (name, before) = before(std::env::args_os(), verb)?;
    let mut command = Command::new(std::env::current_exe().ok()?);
    // An interpreter finds its packages by its name.
    command.arg0(name).args(before);
    Some(command)
}

/// The name by which a program was called, and its arguments before `verb`: an interpreter has some.
fn before(
    mut arguments: impl Iterator<Item = OsString>,
    verb: &str,
) -> Option<(OsString, Vec<OsString>)> {
    let name = arguments.next()?;
    let mut before: Vec<OsString> = arguments.collect();
    let at = before.iter().position(|argument| argument == verb)?;
    before.truncate(at);
    Some((name, before))
}

/// Runs this process as a helper of [`Behind::start`] if `arguments` (the program's name first) are a helper's, and
/// returns the exit code to end with; otherwise returns `None` at once. A program that calls `start` has to call this
/// function before anything else.
pub fn inside(arguments: &[OsString]) -> Option<u8> {
    let [_, inside, stage, rest @ ..] = arguments else {
        return None;
    };
    if inside != INSIDE {
        return None;
    }
    Some(if stage == OsStr::new(enter::STAGE) {
        enter::run(rest)
    } else if stage == OsStr::new(bulk::STAGE) {
        bulk::run(rest)
    } else {
        first::run(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_started_again_as_it_was_called() {
        let call = |line: &str| {
            let words = line.split(' ').map(OsString::from);
            let (name, before) = before(words, "impair")?;
            Some([vec![name], before].concat().join(OsStr::new(" ")))
        };
        let begins = |text: &str| Some(OsString::from(text));
        assert_eq!(call("skywave impair -- impair"), begins("skywave"));
        let python = "bin/python -m skywave impair --delay 1ms -- true";
        assert_eq!(call(python), begins("bin/python -m skywave"));
        assert_eq!(call("jupyter notebook"), None);
    }

    #[test]
    fn other_arguments_are_not_for_the_processes_inside() {
        for line in ["skywave", "skywave impair", "skywave impair --rate 1Mbps"] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(inside(&words), None, "{line}");
        }
    }
}
