//! Transfers by the kernel's TCP, or by a sender of ours to the kernel's receiver, through the relay.

use std::io;
use std::net::TcpListener;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use skywave_lab::threads::{self, lock};
use skywave_wire::behind::bulk::{self, Connection};
use skywave_wire::behind::{Behind, BehindError, Setup, TcpSetting};
use skywave_wire::relay::View;
use skywave_wire::splice::{Place, Splice, Spliced};
use skywave_wire::tcp::{EndpointConfig, Role};

use super::KernelArgs;
use super::plan::Plan;
use crate::failure::Failure;
use crate::impair::capture::{Capture, HEADERS};
use crate::impair::{self, show};

/// Time between two looks whether all goes on.
const LOOK: Duration = Duration::from_millis(50);

/// The near side stops by itself this much after the measured time, which begins late if the first segments are lost.
const AFTER: Duration = Duration::from_secs(60);

/// A transfer.
pub(crate) struct Run {
    /// Seed of the links.
    pub(super) seed: u64,
    /// Goodput of the first connection.
    pub(crate) mbps: f64,
    /// Data of each connection.
    pub(crate) got: Vec<Got>,
    /// Mean queue of the link, packets.
    pub(super) queue: f64,
    /// Why the path was not the one that was asked for, if so.
    pub(crate) unfaithful: Option<String>,
}

/// Number of the runs in which the relay was not in time.
pub(super) fn unfaithful(runs: &[Run]) -> usize {
    runs.iter().filter(|run| run.unfaithful.is_some()).count()
}

/// Cell of a table for these runs: how many were not in time, or else `right`.
pub(super) fn in_time(runs: &[Run], right: &str) -> String {
    match unfaithful(runs) {
        0 => right.to_owned(),
        n => format!("{n} of {} NOT IN TIME", runs.len()),
    }
}

/// Bytes that came to the far side.
#[derive(Clone, Default)]
pub(crate) struct Got {
    /// In the measured time.
    pub(crate) bytes: u64,
    /// In each bin of the run, if there are any.
    pub(crate) bins: Vec<u64>,
}

impl Got {
    fn take(&mut self, plan: &Plan, at: Duration, bytes: u64) {
        if (plan.window.0..plan.window.1).contains(&at) {
            self.bytes += bytes;
        }
        if let Some(width) = plan.bins {
            let bin = (at.as_secs_f64() / width.as_secs_f64()) as usize;
            if let Some(bin) = self.bins.get_mut(bin) {
                *bin += bytes;
            }
        }
    }
}

/// Laws among these that the kernel offers; says which it does not.
pub(super) fn offered(mut wanted: Vec<&str>) -> Result<Vec<String>, Failure> {
    wanted.sort_unstable();
    wanted.dedup();
    for law in &wanted {
        bulk::load(law);
    }
    let laws = bulk::laws().map_err(|error| {
        let why = "cannot tell which congestion controls this kernel has";
        Failure::failed(format!("{why}: {error}"))
    })?;
    let (offered, missing): (Vec<_>, Vec<_>) = wanted
        .into_iter()
        .partition(|law| laws.iter().any(|offered| offered == law));
    if offered.is_empty() {
        return Err(Failure::failed(format!(
            "skipped: this kernel's congestion controls are {}; `modprobe tcp_bbr` may add one",
            laws.join(", ")
        )));
    }
    for law in missing {
        eprintln!(
            "note: `{law}` is skipped: this kernel has {}",
            laws.join(", ")
        );
    }
    Ok(offered.into_iter().map(str::to_owned).collect())
}

/// Makes a run of each plan, as many at once as the user wants, and gives it to `made` with the number beside its plan.
pub(super) fn each(
    plans: &[(usize, Plan)],
    args: &KernelArgs,
    stop: &AtomicBool,
    made: impl FnMut(usize, Run) -> Result<(), Failure> + Send,
) -> Result<(), Failure> {
    let made = Mutex::new(made);
    let at_once = Some(args.jobs.get());
    threads::each(at_once, plans.len(), |number| {
        let (of, plan) = &plans[number];
        let run = run(plan, args.tries.get(), stop)?;
        lock(&made)(*of, run)
    })
    .map(drop)
}

/// Makes the connections until the first one is measured, `tries` times at most until the relay was in time.
pub(crate) fn run(plan: &Plan, tries: usize, stop: &AtomicBool) -> Result<Run, Failure> {
    if stop.load(Ordering::Relaxed) {
        return Err(stopped());
    }
    for _ in 1..tries {
        let run = once(plan, stop)?;
        if run.unfaithful.is_none() {
            return Ok(run);
        }
    }
    once(plan, stop)
}

/// The failure of a comparison that Ctrl-C has ended.
pub(super) fn stopped() -> Failure {
    Failure::interrupted("stopped")
}

fn once(plan: &Plan, stop: &AtomicBool) -> Result<Run, Failure> {
    let connections = &plan.connections;
    let mut settings = Vec::new();
    settings.extend(plan.rwnd.into_iter().flat_map(TcpSetting::window));
    if plan.answers_each() {
        settings.push(TcpSetting::each_out_of_order());
    }
    let setup = Setup {
        command: bulk::near(connections, plan.window.1 + AFTER),
        far: None,
        forwards: Vec::new(),
        names: Vec::new(),
        has_terminal: false,
        listen: connections.iter().map(|c| c.port).collect(),
        settings,
    };
    let capture = plan.capture.as_ref();
    let capture = capture.map(|file| Capture::create(file, HEADERS, &plan.config));
    let capture = capture.transpose().map_err(Failure::failed)?;
    let no_networks = |error: BehindError| {
        let why = "skipped: the kernel's TCP needs two networks of its own here";
        Failure::failed(format!("{why}: {error}"))
    };
    let (mut behind, mut ends) = Behind::start(plan.verb, &setup).map_err(no_networks)?;
    let listeners = behind.listeners();
    let over = AtomicBool::new(false);
    let (received, relayed, ended) = thread::scope(|scope| {
        let far_ends = connections.iter().zip(&listeners).enumerate();
        let far_ends = far_ends.map(|(place, (connection, listener))| {
            let over = &over;
            scope.spawn(move || {
                let received = far(plan, connection, listener, over);
                if place == 0 {
                    over.store(true, Ordering::Relaxed);
                }
                received
            })
        });
        let far_ends: Vec<_> = far_ends.collect();
        let relaying = scope.spawn(|| {
            let go_on = &mut |_: &View<'_>| !over.load(Ordering::Relaxed);
            let run = match &plan.ours {
                None => impair::go(&plan.config, &mut ends, capture, go_on),
                Some(sender) => {
                    let links = EndpointConfig::of(Role::Host, sender.clone());
                    let splice = Splice::new(Place::Near, &links, plan.config.seed.into());
                    let mut ends = Spliced::new(ends, splice);
                    impair::go(&plan.config, &mut ends, capture, go_on)
                }
            };
            over.store(true, Ordering::Relaxed);
            run
        });
        let mut ended = Ok(None);
        while !over.load(Ordering::Relaxed) {
            thread::sleep(LOOK);
            ended = behind.poll();
            if !matches!(ended, Ok(None)) || stop.load(Ordering::Relaxed) {
                over.store(true, Ordering::Relaxed);
            }
        }
        let received: Vec<_> = far_ends.into_iter().map(joined).collect();
        (received, joined(relaying), ended)
    });
    drop(behind);
    if stop.load(Ordering::Relaxed) {
        return Err(stopped());
    }
    ended.map_err(no_networks)?;
    relayed.ended?;
    relayed.captured.map_err(Failure::failed)?;
    let received = received.into_iter().collect::<io::Result<Vec<_>>>();
    let received =
        received.map_err(|error| Failure::failed(format!("receiving failed: {error}")))?;
    let lasted = received.first().is_some_and(|(_, lasted)| *lasted);
    if !lasted {
        let law = connections[0].law.as_str();
        let sender = plan.ours.as_ref().map_or(law, |_| "--tcp");
        let why = format!("the transfer with `{sender}` ended before its time");
        return Err(Failure::failed(why));
    }
    let got: Vec<Got> = received.into_iter().map(|(got, _)| got).collect();
    let queue = relayed.report.hops.first();
    Ok(Run {
        seed: plan.config.seed,
        mbps: plan.bps(got[0].bytes) / 1e6,
        got,
        queue: queue.map_or(0.0, |hop| hop.measured.queue_mean_packets),
        unfaithful: show::unfaithful(&relayed.report),
    })
}

/// The far side's end of a connection: what came there, and whether it went on to the end.
fn far(
    plan: &Plan,
    connection: &Connection,
    listener: &TcpListener,
    over: &AtomicBool,
) -> io::Result<(Got, bool)> {
    let mut got = Got::default();
    if connection.is_back {
        bulk::give(listener, &connection.law, over)?;
        return Ok((got, false));
    }
    got.bins = vec![0; plan.count_of_bins()];
    let start = connection.start;
    let time = plan.window.1.saturating_sub(start);
    let at_once = plan.answers_each();
    let lasted = bulk::receive(listener, time, at_once, over, &mut |at, bytes| {
        got.take(plan, start + at, bytes);
    })?;
    Ok((got, lasted))
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
