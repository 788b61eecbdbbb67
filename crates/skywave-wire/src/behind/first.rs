//! The first process of the PID namespace: makes the networks, starts the programs and waits for them.
//! When it ends, the kernel ends everything that is left.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::fd::{AsFd, OwnedFd};

use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open};

use super::channel::{Channel, Message};
use super::network::Network;
use super::programs::{self, Far};
use super::trouble::{self, Trouble};
use super::{FAR, FAR6, NEAR, NEAR6, Setup, job, mounts, network};
use crate::exit::FAILED;

/// Second argument of this process.
pub(super) const STAGE: &str = "first";

/// Arguments of this process after its stage.
pub(super) fn arguments(setup: &Setup) -> Vec<OsString> {
    let forwards = setup.forwards.iter().map(|forward| forward.port);
    let ports = forwards.chain(setup.listen.iter().copied());
    let ports = ports.map(|port| port.to_string());
    let ports = ports.collect::<Vec<_>>().join(",");
    let far = setup.far.clone().unwrap_or_default();
    let names = setup.names.join(",");
    let settings = setup.settings.iter();
    let settings = settings.map(|setting| format!("{}={}", setting.name, setting.value));
    let settings = settings.collect::<Vec<_>>().join(",");
    let mut arguments = vec![ports.into(), names.into(), settings.into(), far];
    arguments.extend(setup.command.iter().cloned());
    arguments
}

/// The [`arguments`], parsed.
#[derive(Debug, PartialEq, Eq)]
struct Plan<'a> {
    ports: Vec<u16>,
    names: Vec<&'a str>,
    settings: Vec<(&'a str, &'a str)>,
    far: Option<&'a OsStr>,
    command: &'a [OsString],
}

impl<'a> Plan<'a> {
    fn read(arguments: &'a [OsString]) -> Option<Self> {
        let [ports, names, settings, far, command @ ..] = arguments else {
            return None;
        };
        let list = |text: &'a OsString| Some(text.to_str()?.split(',').filter(|s| !s.is_empty()));
        let ports = list(ports)?;
        Some(Self {
            ports: ports.map(str::parse).collect::<Result<_, _>>().ok()?,
            names: list(names)?.collect(),
            settings: list(settings)?
                .map(|setting| setting.split_once('='))
                .collect::<Option<_>>()?,
            far: (!far.is_empty()).then_some(far),
            command,
        })
    }
}

/// Runs this process with `arguments`, those after its stage. Returns its exit code.
pub(super) fn run(arguments: &[OsString]) -> u8 {
    let Some(plan) = Plan::read(arguments) else {
        return FAILED;
    };
    trouble::report(|channel| live(channel, &plan))
}

fn live(channel: &Channel, plan: &Plan<'_>) -> Result<u8, Trouble> {
    programs::die_with_parent()?;
    let lost = Trouble::step("hear of the process outside");
    let (message, mut files) = channel.receive().map_err(&lost)?;
    let input = files.pop().ok_or_else(|| ErrorKind::UnexpectedEof.into());
    let input = File::from(input.map_err(&lost)?);

    mounts::arrange(&plan.names)?;
    let near = Network::new(NEAR, NEAR6, FAR, &plan.settings)?;
    let far = Network::new(FAR, FAR6, NEAR, &plan.settings)?;
    // This process is in the far network now: these are its ports.
    let listeners = plan.ports.iter().map(|&port| {
        let listener = TcpListener::bind((FAR, port));
        listener.map_err(|source| Trouble::Port { port, source })
    });
    let listeners = listeners.collect::<Result<Vec<_>, _>>()?;
    let mut files = vec![near.device.as_fd(), far.device.as_fd()];
    files.extend(listeners.iter().map(AsFd::as_fd));
    channel.send(&Message::Ready, &files).map_err(&lost)?;
    // Closed here, they are gone as soon as the relay is.
    drop((near.device, far.device, listeners));
    // A network without a process in it exists as long as some process holds it open.
    let _far = far.namespace;

    programs::prepare()?;
    let mut server = plan.far.map(Far::start).transpose()?;
    if let Some(server) = &mut server {
        server.wait_until_it_listens()?;
    }
    programs::enter(&near.namespace)?;
    if matches!(message, Message::Input { is_job: true }) {
        job::take_terminal(&input).map_err(Trouble::step("give the command the terminal"))?;
    }
    let itself: Option<OwnedFd> = handle(getpid());
    let files: Vec<_> = itself.iter().map(AsFd::as_fd).collect();
    channel.send(&Message::Starting, &files).map_err(&lost)?;
    let command = programs::start(plan.command, input)?;
    let handle: Option<OwnedFd> = handle(command);
    let files: Vec<_> = handle.iter().map(AsFd::as_fd).collect();
    channel.send(&Message::Started, &files).map_err(&lost)?;
    let code = programs::wait_for(command, server.as_mut(), || {
        channel.send(&Message::Stopped, &[]).map_err(&lost)
    })?;
    let count = network::strays();
    channel
        .send(&Message::Strays { count }, &[])
        .map_err(&lost)?;
    if let Some(server) = &mut server {
        server.end()?;
    }
    channel.send(&Message::Ended { code }, &[]).map_err(&lost)?;
    Ok(code)
}

/// A handle of a process by which another PID namespace can send it signals; none from kernels before
/// Linux 5.3.
fn handle(process: Pid) -> Option<OwnedFd> {
    pidfd_open(process, PidfdFlags::empty()).ok()
}
