//! `skywave impair`: a path of a scenario for real packets.

pub(crate) mod path;
pub(crate) mod show;

use std::io::{self, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use skywave_wire::relay::{self, Relay, Report, UDP_OVERHEAD, UdpEnds, UdpError};
use thiserror::Error;

use crate::failure::Failure;
use crate::interrupt;
use crate::quantity::time_above_zero;
use path::{Choice, Path, PathError};
use show::Status;

/// Impair real packets: a path of a scenario between two UDP ports, or two TUN devices.
///
/// UDP packets that come to --listen go through the links of the flow's path to --to, and the answers
/// through its links back: the simulator's own queues, rates, delays, losses, blackouts and traces, on
/// the real clock. Several clients share the links. Needs no rights; with --tun, which does, all of
/// Linux's protocols can be put over the path. docs/impair.md has examples.
///
/// Ends with Ctrl-C or after --duration, and says what each link did, and whether packets left in time:
/// if more than one in a hundred left more than 1 ms late, or the system lost any, it fails.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave impair my-link.toml --to 127.0.0.1:9001        # clients send to 127.0.0.1:9000\n  \
    skywave impair my-link.toml --to 127.0.0.1:9001 --duration 30s --json\n  \
    skywave impair my-link.toml --tun near,far             # as root: IP packets between two devices\n\n\
    The object of --json has: flow, seed, elapsed_s (from the first packet to the last), forward and\n\
    back {packets_in, bytes_in, packets_out, bytes_out, dropped, corrupt, memory, unsent}, links [{link,\n\
    offered, carried, queue_drops, early_drops, channel_drops, blackout_drops, corrupted, duplicated,\n\
    utilisation, queue_mean_packets, retransmissions, fec_repairs}], under_way, late_p50_s, late_p99_s,\n\
    late_max_s, late_share, kept_time, unread, refused, turned_away, faithful.")]
pub(crate) struct Args {
    /// Scenario file (TOML).
    scenario: PathBuf,

    /// Where clients send to.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9000", value_parser = address)]
    listen: SocketAddr,

    /// Where their packets go, and answers come from.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address, required_unless_present = "tun")]
    to: Option<SocketAddr>,

    /// Listen on an address that other machines reach: they get at --to through it.
    #[arg(long)]
    public: bool,

    /// Make two TUN devices and move IP packets between them instead; what comes from the first one
    /// goes forward.
    #[arg(long, value_name = "NEAR,FAR", value_parser = pair,
        conflicts_with_all = ["listen", "to", "public", "headers"])]
    tun: Option<[String; 2]>,

    /// The flow whose path is taken; needed if there are several.
    #[arg(long, value_name = "NAME")]
    flow: Option<String>,

    /// The point of the scenario's sweep, from 1.
    #[arg(long, value_name = "N", default_value_t = 1)]
    point: usize,

    /// Seed of the losses; the scenario's first one unless given.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// When to end, as in 30s; with Ctrl-C unless given.
    #[arg(long, value_name = "TIME", value_parser = time_above_zero)]
    duration: Option<Duration>,

    /// Bytes of the headers that each packet has on the wire beside its payload.
    #[arg(long, value_name = "BYTES", default_value_t = UDP_OVERHEAD)]
    headers: u32,

    /// Print a JSON object at the end instead of the table.
    #[arg(long)]
    json: bool,
}

/// Why packets are not impaired.
#[derive(Debug, Error)]
pub(crate) enum ImpairError {
    /// The scenario has no such path.
    #[error("{}: {source}", scenario.display())]
    Path {
        /// The scenario.
        scenario: PathBuf,
        /// What is wrong.
        source: PathError,
    },
    /// Other machines could reach the relay.
    #[error(
        "{0} can be reached by other machines, and the target through it: say --public if that is meant"
    )]
    Public(SocketAddr),
    /// Sockets could not be had.
    #[error(transparent)]
    Udp(#[from] UdpError),
    /// TUN devices could not be had.
    #[cfg(target_os = "linux")]
    #[error(transparent)]
    Tun(#[from] relay::TunError),
    /// There are no TUN devices here.
    #[cfg(not(target_os = "linux"))]
    #[error("--tun needs Linux")]
    Tun,
    /// The system failed while packets went.
    #[error("the relay ended: {0}")]
    Ended(io::Error),
    /// The path was another one than that of the scenario.
    #[error(
        "{0}; the path was not the scenario's (on a busy machine, root can put this before others: \
         chrt -f 10 skywave impair …)"
    )]
    Unfaithful(String),
}

impl ImpairError {
    /// Whether the user asked for what cannot be.
    pub(crate) fn is_usage(&self) -> bool {
        match self {
            Self::Path { .. } | Self::Public(_) => true,
            Self::Udp(error) => matches!(error, UdpError::NoPort(_) | UdpError::Itself(_)),
            _ => false,
        }
    }
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let scenario = skywave_lab::folder::load(&args.scenario)?;
    let choice = Choice {
        flow: args.flow.as_deref(),
        seed: args.seed,
        point: args.point,
        overhead: if args.tun.is_some() { 0 } else { args.headers },
    };
    let path = path::of(&scenario, choice).map_err(|source| ImpairError::Path {
        scenario: args.scenario.clone(),
        source,
    })?;
    let (report, result) = relay(args, &path)?;
    let mut out = io::stdout().lock();
    if args.json {
        let mut object = show::object(&report);
        object["flow"] = path.flow.name.clone().into();
        object["seed"] = path.spec.seed.into();
        writeln!(out, "{object}")?;
    } else {
        write!(out, "{}", show::table(&report))?;
    }
    result.map_err(ImpairError::Ended)?;
    match show::unfaithful(&report) {
        Some(reasons) => Err(ImpairError::Unfaithful(reasons).into()),
        None => Ok(()),
    }
}

fn relay(args: &Args, path: &Path) -> Result<(Report, io::Result<()>), Failure> {
    if let Some(names) = &args.tun {
        return tun(args, path, names).map_err(Failure::from);
    }
    let Some(target) = args.to else {
        // clap asks for it.
        return Err(ImpairError::Udp(UdpError::NoPort(args.listen)).into());
    };
    if !args.listen.ip().is_loopback() && !args.public {
        return Err(ImpairError::Public(args.listen).into());
    }
    let mut ends = UdpEnds::bind(args.listen, target).map_err(ImpairError::from)?;
    announce(path, &ends.address().to_string(), &target.to_string());
    Ok(go(args, path, &mut ends))
}

#[cfg(target_os = "linux")]
fn tun(
    args: &Args,
    path: &Path,
    [near, far]: &[String; 2],
) -> Result<(Report, io::Result<()>), ImpairError> {
    let mut ends = relay::TunEnds::open([near, far])?;
    announce(path, near, far);
    Ok(go(args, path, &mut ends))
}

#[cfg(not(target_os = "linux"))]
fn tun(_: &Args, _: &Path, _: &[String; 2]) -> Result<(Report, io::Result<()>), ImpairError> {
    Err(ImpairError::Tun)
}

/// Says what begins, so that scripts can wait for it too.
fn announce(path: &Path, from: &str, to: &str) {
    for note in &path.notes {
        eprintln!("note: {note}");
    }
    let links = |direction: usize| {
        let steps = path.config.routes[direction].iter();
        let names = steps.map(|step| path.config.hops[step.hop].name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    eprintln!(
        "impairing {from} → {to} by {}, back by {}; Ctrl-C ends it",
        links(0),
        links(1)
    );
}

fn go<E: relay::Ends>(args: &Args, path: &Path, ends: &mut E) -> (Report, io::Result<()>) {
    let mut relay = Relay::new(&path.config);
    let stop = interrupt::flag();
    // A time beyond what clocks have never comes.
    let end = args.duration.and_then(|d| Instant::now().checked_add(d));
    let mut status = Status::new(end);
    let is_over = || end.is_some_and(|end| Instant::now() >= end);
    relay::drive(&mut relay, ends, &mut |view| {
        status.show(view);
        !stop.load(Ordering::Relaxed) && !is_over()
    })
}

/// An address with a port; names are looked up, and IPv4 is preferred.
fn address(text: &str) -> Result<SocketAddr, String> {
    let addresses: Vec<SocketAddr> = text
        .to_socket_addrs()
        .map_err(|error| format!("{error}; expected an address and a port, as 127.0.0.1:9000"))?
        .collect();
    let v4 = addresses.iter().find(|address| address.is_ipv4());
    let found = v4.or(addresses.first()).copied();
    found.ok_or_else(|| "no such address".to_owned())
}

/// Two names of devices.
fn pair(text: &str) -> Result<[String; 2], String> {
    match text.split_once(',') {
        Some((near, far)) if near != far && !near.is_empty() && !far.is_empty() => {
            Ok([near.to_owned(), far.to_owned()])
        }
        _ => Err("expected two names of devices, as near,far".to_owned()),
    }
}
