//! A bulk transfer over real sockets through the relay, all in this process.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration as StdDuration, Instant};

use skywave_core::{Duration, Time, wtcp};
use thiserror::Error;

use crate::endpoint::{Allowed, Config, Status};
use crate::key::SecretKey;
use crate::node::{Error, Node, Stream};
use crate::relay::{Relay, RelayConfig, Report, UdpEnds, UdpError, drive};
use crate::secure::packet::{SEALED_HEADER, TAG};

/// Bytes that sealing adds to each of WTCP's packets.
pub const SEAL: u32 = (SEALED_HEADER + TAG) as u32;

/// Number of bytes that the source writes at once.
const BLOCK: usize = 1 << 16;

/// Time between two turns of those who write and read. The buffers hold far more, and a thread that is
/// woken for every packet would be in the way of those that keep time.
const TURN: StdDuration = StdDuration::from_millis(5);

/// Time between two questions whether to go on.
const LOOK: StdDuration = StdDuration::from_millis(50);

/// Result of a transfer.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// Bytes in order that came in the measured window.
    pub delivered: u64,
    /// Length of the window as it was.
    pub window: Duration,
    /// The data sender at the end.
    pub sender: Status,
    /// The data receiver at the end.
    pub receiver: Status,
    /// The relay's report.
    pub report: Report,
}

impl Transfer {
    /// Delivered bits a second of the window.
    pub fn goodput_bps(&self) -> f64 {
        8.0 * self.delivered as f64 / self.window.as_secs_f64().max(1e-9)
    }
}

/// Why there is no transfer.
#[derive(Debug, Error)]
pub enum TransferError {
    /// Packets have shorter headers than real ones.
    #[error("packets need {SEAL} bytes for sealing below WTCP's headers, and the path's have {0}")]
    Header(u32),
    /// There is no relay.
    #[error(transparent)]
    Relay(#[from] UdpError),
    /// A socket failed.
    #[error(transparent)]
    Socket(#[from] io::Error),
    /// The connection failed.
    #[error(transparent)]
    Connection(#[from] Error),
    /// The system has no random numbers.
    #[error(transparent)]
    Random(#[from] getrandom::Error),
    /// It was told to stop.
    #[error("stopped")]
    Stopped,
}

/// Transfers data without end over `path`, whose `overhead` is all that a packet has below WTCP's own
/// headers, from its first packet on; gives what arrived from `measure.0` to `measure.1`.
pub fn transfer(
    path: &RelayConfig,
    wtcp: &wtcp::Config,
    measure: (Time, Time),
    stop: &AtomicBool,
) -> Result<Transfer, TransferError> {
    // The seal is in the datagrams already.
    let overhead = path
        .overhead
        .checked_sub(SEAL)
        .ok_or(TransferError::Header(path.overhead))?;
    let path = RelayConfig {
        overhead,
        ..path.clone()
    };
    let config = Config {
        wtcp: Arc::new(wtcp::Config {
            // Of the two streams one rests.
            idle_timeout: Duration::MAX,
            ..wtcp.clone()
        }),
        ..Config::default()
    };
    let here = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let secret = SecretKey::generate()?;
    let key = secret.public();
    let sink = Node::bind(here, secret, Allowed::Everyone, config.clone())?;
    let nobody = Allowed::Keys(std::collections::BTreeSet::new());
    let source = Node::bind(here, SecretKey::generate()?, nobody, config)?;
    let mut ends = UdpEnds::bind(here, sink.address())?;
    let through = ends.address();

    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let relay = scope.spawn(|| {
            let mut relay = Relay::new(&path);
            drive(&mut relay, &mut ends, &mut |_| {
                !over.load(Ordering::Relaxed)
            })
        });
        let began = Instant::now();
        let measured = (|| {
            let stream = source.begin(through, key)?;
            let fed = Feed {
                stream: &stream,
                sink: &sink,
                incoming: Mutex::new(None),
            };
            thread::scope(|scope| {
                scope.spawn(|| fed.write(&over));
                scope.spawn(|| fed.read(&over));
                let measured = fed.measure(began, measure, stop);
                over.store(true, Ordering::Relaxed);
                measured
            })
        })();
        over.store(true, Ordering::Relaxed);
        let (report, ended) = relay.join().unwrap_or_else(|panic| {
            std::panic::resume_unwind(panic);
        });
        let (delivered, window, sender, receiver) = measured?;
        ended?;
        Ok(Transfer {
            delivered,
            window,
            sender,
            receiver,
            report,
        })
    })
}

/// The ends of the transfer.
struct Feed<'a> {
    stream: &'a Stream,
    sink: &'a Node,
    /// The connection as the receiver has it, once it does.
    incoming: Mutex<Option<Arc<Stream>>>,
}

impl Feed<'_> {
    /// Writes until it is over, or the connection fails.
    fn write(&self, over: &AtomicBool) {
        let block = vec![0; BLOCK];
        while !over.load(Ordering::Relaxed) && matches!(self.stream.wait_open(LOOK), Ok(false)) {}
        while !over.load(Ordering::Relaxed)
            && let Ok(written) = self.stream.send(&block, StdDuration::ZERO)
        {
            if written.is_none() {
                thread::sleep(TURN);
            }
        }
    }

    /// Reads until it is over, or the connection fails.
    fn read(&self, over: &AtomicBool) {
        let mut buffer = vec![0; BLOCK];
        let incoming = loop {
            match self.sink.accept(LOOK) {
                Ok(Some(incoming)) => break Arc::new(incoming),
                Ok(None) if !over.load(Ordering::Relaxed) => {}
                _ => return,
            }
        };
        *self.lock() = Some(Arc::clone(&incoming));
        while !over.load(Ordering::Relaxed)
            && let Ok(read) = incoming.receive(&mut buffer, StdDuration::ZERO)
        {
            if read.is_none() {
                thread::sleep(TURN);
            }
        }
    }

    /// Waits for the ends of the window and reads what has come by then.
    fn measure(
        &self,
        began: Instant,
        window: (Time, Time),
        stop: &AtomicBool,
    ) -> Result<(u64, Duration, Status, Status), TransferError> {
        let [start, end] = [window.0, window.1].map(|at| {
            let at = StdDuration::from_nanos(at.as_nanos());
            self.wait_until(began + at, stop)?;
            let receiver = self.receiver();
            Ok::<_, TransferError>((Instant::now(), receiver))
        });
        let (from, before) = start?;
        let (to, receiver) = end?;
        let sender = self.stream.status().unwrap_or_default();
        let passed = to.duration_since(from).as_nanos() as u64;
        let delivered = receiver.delivered - before.delivered;
        Ok((delivered, Duration::from_nanos(passed), sender, receiver))
    }

    fn wait_until(&self, at: Instant, stop: &AtomicBool) -> Result<(), TransferError> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(TransferError::Stopped);
            }
            if let Some(error) = self.stream.failure() {
                return Err(error.into());
            }
            let left = at.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(LOOK));
        }
    }

    fn receiver(&self) -> Status {
        let incoming = self.lock();
        let status = incoming.as_ref().and_then(|stream| stream.status());
        status.unwrap_or_default()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Arc<Stream>>> {
        self.incoming.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
