//! `skywave impair`: a path of a scenario for real packets.

pub(crate) mod capture;
mod held;
mod link;
pub(crate) mod path;
mod program;
pub(crate) mod show;
mod tcp;

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path as FilePath, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use skywave_lab::scenario::Scenario;
use skywave_wire::relay::{
    self, Relay, RelayConfig, Report, UDP_OVERHEAD, UdpEnds, UdpError, View,
};

use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use crate::quantity::time_above_zero;
use capture::{Capture, HEADERS, UNWRITTEN};
use link::LinkArgs;
use path::{Choice, Path};
use program::ProgramArgs;
use show::Status;
use tcp::{Carried, TcpArgs};

/// Impair real packets: a link around a program, between two UDP ports, or TUN devices.
///
/// COMMAND runs in a network of its own, whose only way out is the path: to the program of --far, and
/// to the ports of --forward. Linux only; it takes no rights where the kernel lets ordinary users make
/// namespaces. Its standard output is its own, the table at the end goes to standard error.
///
/// With --to, UDP packets that come to --listen go through the links to that address, and the answers
/// through the links back; several clients share the links, and it needs no rights. With --tun, which
/// does, IP packets go from one device to another. Both end with Ctrl-C or after --duration.
///
/// Links are the simulator's own: its queues, rates, delays, losses, blackouts and traces, on the real
/// clock. If more than one packet in a hundred left more than 1 ms late, or the system lost any, it
/// fails; with COMMAND it warns. docs/impair.md has examples.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave impair --rate 20Mbps --delay 40ms --loss 1% --far 'iperf3 -s' -- iperf3 -c far\n  \
    skywave impair --rate 5Mbps --delay 30ms --forward 8000 -- curl -o copy http://far:8000/file\n  \
    skywave impair --preset lte --blackouts 15s,500ms --far 'iperf3 -s' -- iperf3 -c far -R\n  \
    skywave impair --delay 40ms --loss 2% --tcp dcr --far 'iperf3 -s' -- iperf3 -c far -R\n  \
    skywave impair my-link.toml --point 3 --capture ping.pcapng -- ping -c 3 far\n  \
    skywave impair --delay 40ms --to 127.0.0.1:9001        # UDP: clients send to 127.0.0.1:9000\n  \
    skywave impair my-link.toml --to 127.0.0.1:9001 --duration 30s --json\n  \
    skywave impair my-link.toml --tun near,far             # as root: IP packets between two devices\n\n\
    Exit code: COMMAND's own, 128 + n if signal n ended it; 127 if there is no such command, 126 if it\n\
    cannot be executed, 125 if the link could not be made, or with --strict was not kept.\n\n\
    The object of --json has: flow, seed, elapsed_s (from the first packet to the last), forward and\n\
    back {packets_in, bytes_in, packets_out, bytes_out, dropped, corrupt, memory, unsent}, links [{link,\n\
    offered, carried, queue_drops, early_drops, channel_drops, blackout_drops, corrupted, duplicated,\n\
    utilisation, queue_mean_packets, retransmissions, fec_repairs}], errors [{error, packets}],\n\
    under_way, late_p50_s, late_p99_s, late_max_s, late_share, kept_time, unread, refused, turned_away,\n\
    faithful; with --tcp also tcp {sender, profile, forward and back {connections, bytes, segments,\n\
    retransmissions, timeouts}}.")]
pub(crate) struct Args {
    /// Scenario file (TOML); or say what the link is by --rate, --delay, --loss and so on, or by --preset.
    #[arg(required_unless_present_any = LinkArgs::NAMES, conflicts_with_all = LinkArgs::NAMES)]
    scenario: Option<PathBuf>,

    #[command(flatten)]
    link: LinkArgs,

    #[command(flatten)]
    program: ProgramArgs,

    #[command(flatten)]
    tcp: TcpArgs,

    /// Where clients send to.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9000", value_parser = address)]
    listen: SocketAddr,

    /// Where their packets go, and answers come from.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address,
        required_unless_present_any = ["tun", "command"])]
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

    /// Change the ends: COMMAND, --listen or NEAR is where the flow ends, so that a download goes over
    /// the links of the flow's data.
    #[arg(long, requires = "scenario")]
    swap: bool,

    /// Seed of the losses; another one each time unless given, which is told.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Write the packets into a pcapng file, as they come to the links, each with what became of it;
    /// with COMMAND and --tun.
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    capture: Option<PathBuf>,

    /// Bytes that the capture keeps of each packet, at least 128 for the headers; 0 for all.
    #[arg(long, value_name = "BYTES", default_value_t = HEADERS, value_parser = snaplen,
        requires = "capture")]
    snaplen: u32,

    /// When to end, as in 30s; with Ctrl-C unless given.
    #[arg(long, value_name = "TIME", value_parser = time_above_zero)]
    duration: Option<Duration>,

    /// Bytes of the headers that each packet has on the wire beside its payload.
    #[arg(long, value_name = "BYTES", default_value_t = UDP_OVERHEAD)]
    headers: u32,

    /// Print a JSON object at the end instead of the table, or write it to a file beside the table;
    /// with COMMAND it goes where the table goes, to standard error.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true,
        default_missing_value = "-")]
    json: Option<PathBuf>,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let scenario = match &args.scenario {
        Some(file) => skywave_lab::folder::load(file)?,
        None if args.link.lacks_loss() => {
            return Err(Failure::usage(
                "--loss-back replaces the losses of --preset both ways: say by --loss what is lost on the way there, \
                 as --loss 0%",
            ));
        }
        None => args.link.scenario()?,
    };
    check_written(args, &scenario).map_err(|failure| Failure::new(UNWRITTEN, failure))?;
    let has_headers = args.tun.is_some() || args.program.is_there();
    let choice = Choice {
        flow: args.flow.as_deref(),
        seed: args.seed.unwrap_or_else(drawn),
        point: args.point,
        overhead: if has_headers { 0 } else { args.headers },
    };
    let mut path = path::of(&scenario, choice).map_err(|error| match &args.scenario {
        Some(file) => Failure::file(file, error),
        None => Failure::usage(format!("the link of the options: {error}")),
    })?;
    if args.swap {
        path.config.routes.swap(0, 1);
    }
    path.notes.extend(args.link.note().map(str::to_owned));
    if args.seed.is_none() {
        path.notes.push(format!(
            "--seed {} repeats what the links draw",
            path.spec.seed
        ));
    }
    if args.program.is_there() {
        if args.scenario.is_some() {
            path.notes.push(place(&path, args.swap));
        }
        return program::main(args, &path);
    }
    let Run {
        report,
        ended,
        captured,
        carried,
    } = relay(args, &path)?;
    tell(
        args,
        &path,
        &report,
        carried.as_ref(),
        &mut io::stdout().lock(),
    )?;
    ended?;
    captured?;
    unfaithful(&report).map_or(Ok(()), Err)
}

/// Whether the files of `--capture` and `--json` take the place of none that is read, and that of `--json`, which is
/// written at the end, can be: said before any work.
fn check_written(args: &Args, scenario: &Scenario) -> Result<(), Failure> {
    let read = args.scenario.iter().chain(scenario.traces());
    let read: Vec<&FilePath> = read.map(PathBuf::as_path).collect();
    let json = args.json.as_deref().filter(|file| file.as_os_str() != "-");
    let written: Vec<&FilePath> = args.capture.as_deref().into_iter().chain(json).collect();
    output::check_apart(&read, &written)?;
    json.map_or(Ok(()), output::check_writable)?;
    Ok(())
}

/// The failure of a path that was another one than that of the scenario, if it was.
fn unfaithful(report: &Report) -> Option<Failure> {
    let reasons = show::unfaithful(report)?;
    let why = format!("{reasons}; the path was not the scenario's");
    Some(Failure::failed(why))
}

/// A seed that no run before had, short enough to be typed.
fn drawn() -> u64 {
    RandomState::new().hash_one(()) >> 32
}

/// A relay's run that is over.
pub(crate) struct Run {
    pub(crate) report: Report,
    /// Failure of the ends, if there was one.
    pub(crate) ended: Result<(), Failure>,
    /// Whether the capture, if there is one, is whole.
    pub(crate) captured: Result<(), Failure>,
    /// Totals of the senders of --tcp.
    carried: Option<Carried>,
}

/// Where a command is in the scenario's network.
fn place(path: &Path, swapped: bool) -> String {
    let name = |node: usize| &path.spec.nodes[node];
    let (from, to) = (name(path.flow.from), name(path.flow.to));
    if swapped {
        format!(
            "the command is at {to}, where the flow ends: what it downloads goes the flow's way"
        )
    } else {
        format!(
            "the command is at {from}, where the flow begins: what it downloads goes the way back; \
             --swap puts it at {to}"
        )
    }
}

/// Says what the links did.
fn tell(
    args: &Args,
    path: &Path,
    report: &Report,
    carried: Option<&Carried>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let table = || show::table(report) + &carried.map_or_else(String::new, Carried::lines);
    let object = || {
        let mut object = show::object(report);
        if let Some(carried) = carried {
            object["tcp"] = carried.object();
        }
        object["flow"] = path.flow.name.as_str().into();
        object["seed"] = path.spec.seed.into();
        object
    };
    match &args.json {
        Some(file) if file == FilePath::new("-") => writeln!(out, "{}", object())?,
        Some(file) => {
            write!(out, "{}", table())?;
            output::write(file, &format!("{}\n", object()))?;
        }
        None => write!(out, "{}", table())?,
    }
    Ok(())
}

fn relay(args: &Args, path: &Path) -> Result<Run, Failure> {
    let capture = capture(args, path)?;
    if let Some(names) = &args.tun {
        return tun(args, path, names, capture);
    }
    let Some(target) = args.to else {
        // clap asks for it.
        return Err(Failure::usage(UdpError::NoPort(args.listen)));
    };
    if !args.listen.ip().is_loopback() && !args.public {
        return Err(Failure::usage(format!(
            "{} can be reached by other machines, and the target through it: say --public if that is meant",
            args.listen
        )));
    }
    let ends = UdpEnds::bind(args.listen, target);
    let mut ends = ends.map_err(|error| match error {
        UdpError::NoPort(_) | UdpError::Itself(_) => Failure::usage(error),
        _ => Failure::failed(error),
    })?;
    announce(path, &ends.address().to_string(), &target.to_string());
    Ok(until_stopped(args, path, &mut ends, capture))
}

#[cfg(target_os = "linux")]
fn tun(
    args: &Args,
    path: &Path,
    [near, far]: &[String; 2],
    capture: Option<Capture>,
) -> Result<Run, Failure> {
    let splice = args.tcp.splice()?;
    let ends = relay::TunEnds::open([near, far]).map_err(Failure::failed)?;
    announce(path, near, far);
    Ok(tcp::around(ends, splice, |ends| {
        until_stopped(args, path, ends, capture)
    }))
}

/// The capture, if one is wanted.
fn capture(args: &Args, path: &Path) -> Result<Option<Capture>, Failure> {
    let create = |file: &PathBuf| Capture::create(file, args.snaplen, &path.config);
    args.capture.as_ref().map(create).transpose()
}

#[cfg(not(target_os = "linux"))]
fn tun(_: &Args, _: &Path, _: &[String; 2], _: Option<Capture>) -> Result<Run, Failure> {
    Err(Failure::failed("--tun needs Linux"))
}

/// Says what begins, so that scripts can wait for it too.
fn announce(path: &Path, from: &str, to: &str) {
    for note in &path.notes {
        eprintln!("note: {note}");
    }
    let [there, back] = [0, 1].map(|direction| path.links(direction));
    eprintln!("impairing {from} → {to} by {there}, back by {back}");
}

/// Relays until Ctrl-C or for the duration, with a line of status.
fn until_stopped<E: relay::Ends + ?Sized>(
    args: &Args,
    path: &Path,
    ends: &mut E,
    capture: Option<Capture>,
) -> Run {
    let stop = interrupt::flag();
    // A time beyond what clocks have never comes.
    let end = args.duration.and_then(|d| Instant::now().checked_add(d));
    let mut status = Status::new(end);
    let is_over = || end.is_some_and(|end| Instant::now() >= end);
    go(&path.config, ends, capture, &mut |view| {
        status.show(view);
        !stop.load(Ordering::Relaxed) && !is_over()
    })
}

/// Drives the relay, before all ordinary programs where the system allows it. Programs behind the path have been
/// started before and do not inherit that.
pub(crate) fn go<E: relay::Ends + ?Sized>(
    config: &RelayConfig,
    ends: &mut E,
    mut capture: Option<Capture>,
    go_on: &mut dyn FnMut(&View<'_>) -> bool,
) -> Run {
    if let Some(capture) = &mut capture {
        capture.start();
    }
    #[cfg(target_os = "linux")]
    relay::urgent();
    let mut relay = Relay::new(config);
    let (report, ended) = match &mut capture {
        Some(capture) => relay::watched(&mut relay, ends, capture, go_on),
        None => relay::drive(&mut relay, ends, go_on),
    };
    Run {
        report,
        ended: ended.map_err(|error| Failure::failed(format!("the relay ended: {error}"))),
        captured: capture.map_or(Ok(()), Capture::finish),
        carried: None,
    }
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

/// Bytes that are kept of each packet: all, or what headers need at least.
fn snaplen(text: &str) -> Result<u32, String> {
    let bytes = text.parse().ok();
    let bytes = bytes.filter(|&bytes| bytes == 0 || bytes >= HEADERS);
    bytes.ok_or_else(|| format!("expected {HEADERS} bytes at least, for the headers, or 0 for all"))
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
