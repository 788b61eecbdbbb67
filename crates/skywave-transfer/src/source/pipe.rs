//! Contents of a pipe, such as standard input: it cannot be read twice, so that what the receiver
//! does not have yet is kept.

use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::SystemTime;

use bytes::Bytes;
use tokio::sync::{Notify, mpsc};

use super::{Piece, Pieces};
use crate::error::Why;
use crate::wire::message::Time;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 17;
/// Pieces that are read ahead.
const AHEAD: usize = 8;
/// Bytes that are kept at most. Reading waits for the receiver then.
const KEPT: usize = 32 << 20;

/// Contents of a pipe, such as standard input, to be sent as a file of unknown size: read by a thread of its own, and
/// kept until the receiver has them.
#[derive(Clone)]
pub struct Pipe {
    shared: Arc<Shared>,
    pub(crate) opened: Time,
}

struct Shared {
    state: Mutex<State>,
    /// Signal that there is room again.
    room: Condvar,
    /// Signal that there is more, or the end.
    more: Notify,
}

struct State {
    /// Bytes that are not kept any more.
    base: u64,
    /// Hash of the bytes that are not kept any more.
    before: blake3::Hasher,
    kept: Vec<u8>,
    end: Option<Result<(), String>>,
}

impl std::fmt::Debug for Pipe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pipe")
    }
}

impl Pipe {
    /// Begins to read `from` in a thread of its own, up to some 32 MiB ahead of what the receiver has.
    pub fn open(mut from: impl Read + Send + 'static) -> Self {
        let since = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let state = State {
            base: 0,
            before: blake3::Hasher::new(),
            kept: Vec::new(),
            end: None,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            room: Condvar::new(),
            more: Notify::new(),
        });
        let ours = shared.clone();
        // It may wait in the system for ever: the process ends without it.
        thread::spawn(move || {
            let mut buffer = vec![0; CHUNK];
            loop {
                let read = from.read(&mut buffer);
                let mut state = ours.lock();
                match read {
                    Ok(0) => state.end = Some(Ok(())),
                    Ok(n) => state.kept.extend_from_slice(&buffer[..n]),
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(error) => state.end = Some(Err(error.to_string())),
                }
                ours.more.notify_one();
                if state.end.is_some() {
                    return;
                }
                while state.kept.len() >= KEPT {
                    state = ours
                        .room
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        });
        let opened = Time {
            seconds: since.as_secs() as i64,
            nanoseconds: since.subsec_nanos(),
        };
        Self { shared, opened }
    }

    /// The hash of the first bytes; nothing if it is not known any more.
    pub(crate) fn prefix(&self, bytes: u64) -> Option<blake3::Hasher> {
        let state = self.shared.lock();
        let kept = usize::try_from(bytes.checked_sub(state.base)?).ok()?;
        let mut hasher = state.before.clone();
        hasher.update(state.kept.get(..kept)?);
        Some(hasher)
    }

    /// The receiver has so many bytes.
    pub(crate) fn release(&self, bytes: u64) {
        let mut state = self.shared.lock();
        let State {
            base, before, kept, ..
        } = &mut *state;
        let gone = usize::try_from(bytes.saturating_sub(*base)).unwrap_or(usize::MAX);
        let gone = gone.min(kept.len());
        // What is left is moved: not for each byte.
        if gone >= KEPT / 8 {
            before.update(&kept[..gone]);
            kept.drain(..gone);
            *base += gone as u64;
            self.shared.room.notify_all();
        }
    }

    /// The pieces after the first bytes, of which `hasher` knows.
    pub(crate) fn pieces(&self, from: u64, mut hasher: blake3::Hasher) -> Pieces {
        let (sender, receiver) = mpsc::channel(AHEAD);
        let shared = self.shared.clone();
        tokio::spawn(async move {
            let mut at = from;
            loop {
                let piece = match shared.next(at) {
                    None => {
                        shared.more.notified().await;
                        continue;
                    }
                    Some(Ok(data)) if data.is_empty() => Piece::End {
                        size: at,
                        hash: hasher.finalize(),
                    },
                    Some(Ok(data)) => {
                        hasher.update(&data);
                        at += data.len() as u64;
                        Piece::Data(data)
                    }
                    Some(Err(why)) => Piece::Failed(why),
                };
                let is_last = !matches!(piece, Piece::Data(_));
                if sender.send(piece).await.is_err() || is_last {
                    // The one that comes next is told what was for this one.
                    shared.more.notify_one();
                    return;
                }
            }
        });
        receiver
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next bytes, if they are read; none at the end.
    fn next(&self, at: u64) -> Option<Result<Bytes, Why>> {
        let state = self.lock();
        let start = at
            .checked_sub(state.base)
            .and_then(|start| usize::try_from(start).ok());
        let Some(rest) = start.and_then(|start| state.kept.get(start..)) else {
            return Some(Err(Why::Changed));
        };
        if !rest.is_empty() {
            let data = &rest[..rest.len().min(CHUNK)];
            return Some(Ok(Bytes::copy_from_slice(data)));
        }
        match &state.end {
            None => None,
            Some(Ok(())) => Some(Ok(Bytes::new())),
            Some(Err(why)) => Some(Err(Why::Source(why.clone()))),
        }
    }
}
