//! A bulk transfer over real sockets through the relay, all in this process.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration as StdDuration, Instant};

use skywave_core::{Duration, Time, wtcp};
use thiserror::Error;

use crate::endpoint::Status;
use crate::relay::{Relay, RelayConfig, Report, UdpEnds, UdpError, drive};
use crate::stream::{Error, Stream};

/// Number of bytes that the source writes at once.
const BLOCK: usize = 1 << 16;

/// Time between two turns of those who write and read. The buffers hold far more, and a thread that is
/// woken for every packet would be in the way of those that keep time.
const TURN: StdDuration = StdDuration::from_millis(5);

/// Time between two questions whether to go on.
const LOOK: StdDuration = StdDuration::from_millis(50);

/// Result of [`transfer`]: bytes delivered in its measured window, counts of both ends, and the relay's
/// report.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// Payload bytes that arrived in order in the measured window.
    pub delivered: u64,
    /// Length of the measured window by the clock, about that of `measure` in [`transfer`].
    pub window: Duration,
    /// Counts and times of the data's sender at the end of the transfer.
    pub sender: Status,
    /// Counts and times of the data's receiver at the end of the measured window.
    pub receiver: Status,
    /// Report of the relay between both ends, over its whole run.
    pub report: Report,
}

impl Transfer {
    /// Goodput in the measured window, bits a second.
    pub fn goodput_bps(&self) -> f64 {
        8.0 * self.delivered as f64 / self.window.as_secs_f64().max(1e-9)
    }
}

/// Reason why a [`transfer`] failed or was stopped.
#[derive(Debug, Error)]
pub enum TransferError {
    /// Failure to make the relay's sockets.
    #[error(transparent)]
    Relay(#[from] UdpError),
    /// Failure of a WTCP socket or of the connection.
    #[error(transparent)]
    Stream(#[from] Error),
    /// Failure of the relay's sockets while it ran.
    #[error(transparent)]
    Relaying(#[from] std::io::Error),
    /// Stop of the transfer by the caller.
    #[error("stopped")]
    Stopped,
}

/// Runs a bulk transfer by WTCP between two loopback sockets through a relay of `path`, whose `overhead` counts the
/// bytes of all headers below WTCP's. Counts the payload that arrives from time `measure.0` to `measure.1` since the
/// start. Setting `stop` ends the transfer with [`TransferError::Stopped`].
pub fn transfer(
    path: &RelayConfig,
    wtcp: &Arc<wtcp::Config>,
    measure: (Time, Time),
    stop: &AtomicBool,
) -> Result<Transfer, TransferError> {
    let here = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let sink = Stream::listen(here, wtcp)?;
    let mut ends = UdpEnds::bind(here, sink.address())?;
    let source = Stream::connect(ends.address(), wtcp)?;

    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let relay = scope.spawn(|| {
            let mut relay = Relay::new(path);
            drive(&mut relay, &mut ends, &mut |_| {
                !over.load(Ordering::Relaxed)
            })
        });
        let began = Instant::now();
        scope.spawn(|| write(&source, &over));
        scope.spawn(|| read(&sink, &over));
        let at = |time: Time| {
            let at = began + StdDuration::from_nanos(time.as_nanos());
            wait_until(at, &source, stop)?;
            Ok::<_, TransferError>((Instant::now(), sink.status()))
        };
        let measured = at(measure.0).and_then(|start| Ok([start, at(measure.1)?]));
        // Before the relay is gone, whose packets are counted too.
        let sender = source.status();
        over.store(true, Ordering::Relaxed);
        let (report, ended) = relay.join().unwrap_or_else(|panic| {
            std::panic::resume_unwind(panic);
        });
        let [(from, before), (to, receiver)] = measured?;
        ended?;
        let passed = to.duration_since(from).as_nanos() as u64;
        Ok(Transfer {
            delivered: receiver.delivered - before.delivered,
            window: Duration::from_nanos(passed),
            sender,
            receiver,
            report,
        })
    })
}

/// Writes until it is over, or the connection fails.
fn write(source: &Stream, over: &AtomicBool) {
    let block = vec![0; BLOCK];
    while !over.load(Ordering::Relaxed)
        && let Ok(written) = source.send(&block, StdDuration::ZERO)
    {
        if written.is_none() {
            thread::sleep(TURN);
        }
    }
}

/// Reads until it is over, or the connection fails.
fn read(sink: &Stream, over: &AtomicBool) {
    let mut buffer = vec![0; BLOCK];
    while !over.load(Ordering::Relaxed)
        && let Ok(read) = sink.receive(&mut buffer, StdDuration::ZERO)
    {
        if read.is_none() {
            thread::sleep(TURN);
        }
    }
}

fn wait_until(at: Instant, source: &Stream, stop: &AtomicBool) -> Result<(), TransferError> {
    loop {
        if stop.load(Ordering::Relaxed) {
            return Err(TransferError::Stopped);
        }
        if let Some(error) = source.failure() {
            return Err(error.into());
        }
        let left = at.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        thread::sleep(left.min(LOOK));
    }
}
