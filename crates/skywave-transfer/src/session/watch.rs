//! Work that waits for the disk, on a thread of its own, while the peer is told how far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use noq::SendStream;
use tokio::time::{MissedTickBehavior, interval};

use crate::error::Broken;
use crate::wire::frame::send;
use crate::wire::message::Reply;

/// Between two words to the peer about progress.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// How far the work is, and whether it is still wanted.
#[derive(Default)]
pub(crate) struct Watch {
    done: AtomicU64,
    stop: AtomicBool,
}

/// Whoever waited does not any more.
struct StopAtEnd(Arc<Watch>);

impl Drop for StopAtEnd {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }
}

impl Watch {
    /// So much is done; says whether to go on.
    pub(crate) fn tell(&self, done: u64) -> bool {
        self.done.store(done, Ordering::Relaxed);
        !self.is_stopped()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }
}

pub(crate) fn ticks() -> tokio::time::Interval {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Does work for a peer that waits for it.
pub(crate) async fn work<T: Send + 'static>(
    stream: &mut SendStream,
    work: impl FnOnce(&Watch) -> T + Send + 'static,
) -> Result<T, Broken> {
    let watch = Arc::new(Watch::default());
    let _stop = StopAtEnd(watch.clone());
    let theirs = watch.clone();
    let mut working = tokio::task::spawn_blocking(move || work(&theirs));
    let mut ticks = ticks();
    // The first one is at once.
    ticks.tick().await;
    loop {
        tokio::select! {
            done = &mut working => return done.map_err(|_| Broken::Stream),
            _ = ticks.tick() => send(stream, &Reply::Reading(watch.done())).await?,
        }
    }
}
