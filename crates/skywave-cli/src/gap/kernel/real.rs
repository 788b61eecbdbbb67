//! One transfer by the kernel's TCP through the relay.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use skywave_wire::behind::{Behind, BehindError, Setup, bulk};
use skywave_wire::relay::{self, Relay};

use super::KernelError;
use super::row::Row;
use crate::impair::show;

/// Port of the receiver, in a network that nobody else is in.
const PORT: u16 = 5001;

/// Time between two looks whether all goes on.
const LOOK: Duration = Duration::from_millis(50);

/// The sender stops by itself this much after the receiver has seen enough.
const AFTER: Duration = Duration::from_secs(2);

/// A transfer.
pub(super) struct Run {
    /// Goodput.
    pub(super) mbps: f64,
    /// Mean queue of the link, packets.
    pub(super) queue: f64,
    /// Why the path was not the one that was asked for, if so.
    pub(super) unfaithful: Option<String>,
}

/// The laws of these rows that the kernel offers; says which it does not.
pub(super) fn offered(rows: &[Row]) -> Result<Vec<String>, KernelError> {
    let mut wanted: Vec<&str> = rows.iter().map(|row| row.law.as_str()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    for law in &wanted {
        bulk::load(law);
    }
    let laws = bulk::laws().map_err(KernelError::Unreadable)?;
    let (offered, missing): (Vec<_>, Vec<_>) = wanted
        .into_iter()
        .partition(|law| laws.iter().any(|offered| offered == law));
    if offered.is_empty() {
        return Err(KernelError::NoneOffered(laws.join(", ")));
    }
    for law in missing {
        eprintln!(
            "note: `{law}` is skipped: this kernel has {}",
            laws.join(", ")
        );
    }
    Ok(offered.into_iter().map(str::to_owned).collect())
}

/// Transfers for the row's time.
pub(super) fn run(row: &Row, seed: u64, stop: &AtomicBool) -> Result<Run, KernelError> {
    let path = row.path(seed)?;
    let time = Duration::from_secs(u64::from(row.seconds));
    let window = (Duration::from_secs_f64(row.from()), time);
    let setup = Setup {
        command: bulk::sender(&row.law, PORT, time + AFTER),
        far: None,
        forwards: Vec::new(),
        names: Vec::new(),
        has_terminal: false,
        listen: vec![PORT],
    };
    let (mut behind, mut ends) = Behind::start("gap", &setup)?;
    let listener = behind.listeners().pop().ok_or(BehindError::Killed)?;
    let over = AtomicBool::new(false);
    let (received, (report, relayed), ended) = thread::scope(|scope| {
        let receiving = scope.spawn(|| {
            let received = bulk::receive(&listener, window, &over);
            over.store(true, Ordering::Relaxed);
            received
        });
        let relaying = scope.spawn(|| {
            // On a busy machine it is late otherwise.
            relay::urgent();
            let mut relay = Relay::new(&path.config);
            let ended = relay::drive(&mut relay, &mut ends, &mut |_| {
                !over.load(Ordering::Relaxed)
            });
            over.store(true, Ordering::Relaxed);
            ended
        });
        let mut ended = Ok(None);
        while !over.load(Ordering::Relaxed) {
            thread::sleep(LOOK);
            ended = behind.poll();
            if !matches!(ended, Ok(None)) || stop.load(Ordering::Relaxed) {
                over.store(true, Ordering::Relaxed);
            }
        }
        (joined(receiving), joined(relaying), ended)
    });
    drop(behind);
    if stop.load(Ordering::Relaxed) {
        return Err(KernelError::Stopped);
    }
    ended?;
    relayed.map_err(KernelError::Relay)?;
    let bps = received.map_err(KernelError::Receive)?;
    let bps = bps.ok_or_else(|| KernelError::Short(row.law.clone()))?;
    let queue = report.hops.first();
    Ok(Run {
        mbps: bps / 1e6,
        queue: queue.map_or(0.0, |hop| hop.measured.queue_mean_packets),
        unfaithful: show::unfaithful(&report),
    })
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
