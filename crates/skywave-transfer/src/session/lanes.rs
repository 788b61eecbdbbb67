//! Lanes of files that are received, which may come before their file does.

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use noq::{Connection, RecvStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::error::Broken;
use crate::wire::frame::read;
use crate::wire::message::Lane;

/// The lanes of a connection that nobody reads yet. They are as many as the peer may open.
#[derive(Default)]
pub(crate) struct Lanes {
    state: Mutex<State>,
    /// One more has come.
    more: Notify,
}

#[derive(Default)]
struct State {
    /// Lanes of each file, by the numbers of its stream and of the lane.
    waiting: HashMap<u64, HashMap<u8, RecvStream>>,
    /// Files with lower numbers have come; if they do not wait, they have ended.
    come: u64,
}

/// A file that lanes may belong to, until it ends.
pub(crate) struct File {
    lanes: Arc<Lanes>,
    number: u64,
}

impl Lanes {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes lanes as they come, until one is none.
    pub(crate) async fn accept(self: &Arc<Self>, connection: &Connection) -> Broken {
        let mut arriving = JoinSet::new();
        loop {
            tokio::select! {
                lane = connection.accept_uni() => {
                    let Ok(mut stream) = lane else { break };
                    let lanes = self.clone();
                    arriving.spawn(async move {
                        let lane = read(&mut stream).await?;
                        lanes.put(lane, stream)
                    });
                }
                Some(arrived) = arriving.join_next() => {
                    // What is interrupted is no lane any more.
                    if let Ok(Err(broken @ Broken::Nonsense)) = arrived {
                        return broken;
                    }
                }
            }
        }
        // The connection is lost: those who read files find out by themselves.
        pending().await
    }

    /// A lane has come. What belongs to a file that has ended is stopped.
    fn put(&self, lane: Lane, stream: RecvStream) -> Result<(), Broken> {
        let mut state = self.lock();
        if lane.file < state.come && !state.waiting.contains_key(&lane.file) {
            return Ok(());
        }
        let lanes = state.waiting.entry(lane.file).or_default();
        if lanes.insert(lane.number, stream).is_some() {
            return Err(Broken::Nonsense);
        }
        drop(state);
        self.more.notify_waiters();
        Ok(())
    }

    /// A file has come.
    pub(crate) fn begin(self: &Arc<Self>, number: u64) -> File {
        let mut state = self.lock();
        state.come = state.come.max(number + 1);
        state.waiting.entry(number).or_default();
        File {
            lanes: self.clone(),
            number,
        }
    }
}

impl File {
    /// Waits for so many lanes.
    pub(crate) async fn lanes(&self, count: u8) -> Vec<RecvStream> {
        loop {
            // Hears of what comes from here on.
            let more = self.lanes.more.notified();
            if let Some(lanes) = self.take(count) {
                return lanes;
            }
            more.await;
        }
    }

    fn take(&self, count: u8) -> Option<Vec<RecvStream>> {
        let mut state = self.lanes.lock();
        let lanes = state.waiting.get_mut(&self.number)?;
        let all = (0..count).all(|number| lanes.contains_key(&number));
        all.then(|| (0..count).filter_map(|n| lanes.remove(&n)).collect())
    }
}

impl Drop for File {
    fn drop(&mut self) {
        self.lanes.lock().waiting.remove(&self.number);
    }
}
