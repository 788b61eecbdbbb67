//! A program behind the link: in a network whose only way out is the path.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};

use crate::failure::Failure;

use super::path::Path;
use super::{Args, address};

/// A variable that programs behind a link have.
#[cfg(target_os = "linux")]
const IN_A_LINK: &str = "SKYWAVE_FAR";

/// A program behind the link.
#[derive(Debug, clap::Args)]
pub(crate) struct ProgramArgs {
    /// A shell's command line that runs at the far side beside COMMAND, as 'iperf3 -s'; it starts first and ends
    /// after COMMAND. COMMAND waits until it listens at a port, 2 s at most.
    #[arg(long, value_name = "COMMAND LINE", requires = "command", conflicts_with_all = ["to", "tun"])]
    far: Option<OsString>,

    /// A TCP port of the far side that this machine answers while COMMAND runs, at 127.0.0.1 and the same port unless
    /// given; may be repeated. HOST's name leads to the far side inside. The far side's kernel ends the link's TCP
    /// connections.
    #[arg(long, value_name = "PORT[=HOST:PORT]", value_parser = forward, requires = "command", conflicts_with_all = ["to", "tun"])]
    forward: Vec<Target>,

    /// Fail after COMMAND if packets left late, the system lost any, or the capture is not whole; otherwise that is a
    /// warning.
    #[arg(long, requires = "command", conflicts_with_all = ["to", "tun"])]
    pub(crate) strict: bool,

    /// Run this program behind the link, as 10.73.9.1 (near); at the other end is 10.73.9.2 (far).
    #[arg(last = true, value_name = "COMMAND",
        conflicts_with_all = ["listen", "to", "public", "tun", "headers", "duration"])]
    command: Vec<OsString>,
}

impl ProgramArgs {
    /// Whether a program is to be run at all.
    pub(crate) fn is_there(&self) -> bool {
        !self.command.is_empty()
    }
}

/// Runs it; its exit code is a [`Failure`] too, unless it is 0.
#[cfg(target_os = "linux")]
pub(super) fn main(args: &Args, path: &Path) -> Result<(), Failure> {
    use skywave_wire::behind::{Behind, BehindError, FAR, Forward, NEAR, Setup};

    use super::{Run, announce, capture, go, tcp, tell, unfaithful};

    let program = &args.program;
    let forward = |&Target { port, to, .. }: &Target| Forward { port, to };
    let names = program
        .forward
        .iter()
        .filter_map(|target| target.name.clone());
    let setup = Setup {
        command: program.command.clone(),
        far: program.far.clone(),
        forwards: program.forward.iter().map(forward).collect(),
        names: names.collect(),
        has_terminal: true,
        listen: Vec::new(),
        settings: Vec::new(),
    };
    if std::env::var_os(IN_A_LINK).is_some() {
        eprintln!(
            "note: this link is inside of another one, and far is its own; packets go over both by \
             --forward PORT=far:PORT"
        );
    }
    let splice = args.tcp.splice()?;
    let capture = capture(args, path)?;
    let failed = |error: BehindError| Failure::new(error.code(), error);
    let (mut behind, ends) = Behind::start("impair", &setup).map_err(failed)?;
    announce(path, &format!("near ({NEAR})"), &format!("far ({FAR})"));
    let mut ended = Ok(None);
    let run = tcp::around(ends, splice, |ends| {
        go(&path.config, ends, capture, &mut |_| {
            while let Some(complaint) = behind.complaint() {
                eprintln!("note: {complaint}");
            }
            ended = behind.poll();
            matches!(ended, Ok(None))
        })
    });
    let strays = behind.strays();
    drop(behind);
    let Run {
        report,
        ended: relayed,
        captured,
        carried,
    } = run;
    let code = ended.map_err(failed)?;
    // The command's standard output is the command's.
    tell(
        args,
        path,
        &report,
        carried.as_ref(),
        &mut std::io::stderr().lock(),
    )?;
    relayed?;
    let code = code.unwrap_or(0);
    if strays > 0 && code != 0 {
        eprintln!(
            "note: the command looked for hosts that are not there, or for a name server ({strays} packets): \
             only far is behind the link; --forward PORT=HOST:PORT makes a port of another host one of far, \
             and its name lead there"
        );
    }
    let troubles = [captured.err(), unfaithful(&report)].into_iter().flatten();
    verdict(code, program.strict, troubles)
}

/// How the verb ends: as the program did, unless that succeeded, something else did not and this is to be a failure.
#[cfg(target_os = "linux")]
fn verdict(code: u8, strict: bool, troubles: impl Iterator<Item = Failure>) -> Result<(), Failure> {
    for trouble in troubles {
        if strict && code == 0 {
            return Err(Failure::new(skywave_wire::exit::FAILED, trouble));
        }
        eprintln!("warning: {trouble}");
    }
    match code {
        0 => Ok(()),
        code => Err(Failure::silent(code)),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn main(_: &Args, _: &Path) -> Result<(), Failure> {
    Err(Failure::failed("a program behind the link needs Linux"))
}

/// A port, and who answers there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Target {
    port: u16,
    to: SocketAddr,
    /// The host's name, if it was given by one.
    name: Option<String>,
}

fn forward(text: &str) -> Result<Target, String> {
    let (port, to) = match text.split_once('=') {
        Some((port, to)) => (port, Some((to, address(to)?))),
        None => (text, None),
    };
    let name = to.and_then(|(text, _)| name(text));
    let to = to.map(|(_, address)| address);
    let port = port.parse().ok().filter(|&port: &u16| port > 0);
    let port = port.ok_or("expected a port from 1 to 65535, or PORT=HOST:PORT")?;
    let to = to.unwrap_or((Ipv4Addr::LOCALHOST, port).into());
    Ok(Target { port, to, name })
}

/// The host of `HOST:PORT`, if it is a name that can lead elsewhere.
fn name(text: &str) -> Option<String> {
    let (host, _) = text.rsplit_once(':')?;
    let is_name = !host.contains(['[', ':', ',']) && host.parse::<Ipv4Addr>().is_err();
    // A program's own machine stays its own, and so do the two ends.
    let own = ["localhost", "near", "far", "near6", "far6"];
    let is_other = !own.contains(&host.to_lowercase().as_str());
    (is_name && is_other).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn packets_that_were_late_are_a_failure_only_if_that_is_asked_for() {
        let code = |code, strict, late: bool| {
            let late = late.then(|| Failure::failed("late"));
            let ended = verdict(code, strict, late.into_iter());
            ended.map_or_else(|failure| failure.report(), |()| 0)
        };
        assert_eq!(code(0, true, false), 0);
        assert_eq!(code(0, false, true), 0);
        assert_eq!(code(0, true, true), 125);
        assert_eq!(code(7, true, true), 7);
        assert_eq!(code(7, false, false), 7);
    }

    #[test]
    fn a_port_goes_to_this_machine_unless_said() {
        let target = |to: ([u8; 4], u16)| Target {
            port: 80,
            to: to.into(),
            name: None,
        };
        assert_eq!(forward("80"), Ok(target(([127, 0, 0, 1], 80))));
        let other = forward("80=127.0.0.2:8080");
        assert_eq!(other, Ok(target(([127, 0, 0, 2], 8080))));
        assert_eq!(name("example.org:80").as_deref(), Some("example.org"));
        for text in ["localhost:80", "far:80", "192.0.2.1:80", "[::1]:80"] {
            assert_eq!(name(text), None, "{text}");
        }
        for text in ["", "0", "65536", "80=", "=127.0.0.1:80", "80=127.0.0.1"] {
            assert!(forward(text).is_err(), "{text}");
        }
    }
}
