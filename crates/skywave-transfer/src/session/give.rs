//! The sending side: which files go when, and what has become of them.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::task::JoinSet;

use super::Session;
use super::give_batch::give_batch;
use super::give_file::give_file;
use crate::Outcome;
use crate::error::Broken;
use crate::network::{LANES, STREAM_WINDOW};
use crate::source::Item;
use crate::wire::message::{MAX_BATCH, MAX_FILES, MAX_LANES, Totals};

/// Batches of small files under way at a time.
const BATCHES: usize = 4;
/// Bytes of the files of a batch, about.
const BATCH: u64 = 4 << 20;
/// Files under way at a time that are not small: each of them waits for two round trips.
const AT_ONCE: u32 = 16;
/// Large files under way at a time, fewer: they would only be late all together.
const LARGE_AT_ONCE: u32 = 2;
/// Bytes of a large file.
const LARGE: u64 = 8 << 20;
/// However many files of which size there are, each has its lanes: none waits for those of others, which might
/// wait for its.
const _: () = assert!(LARGE / STREAM_WINDOW as u64 <= (LANES / AT_ONCE) as u64);
const _: () = assert!(LARGE_AT_ONCE * MAX_LANES as u32 <= LANES);
/// Streams that all of them need at a time.
pub(crate) const STREAMS: u32 = BATCHES as u32 + AT_ONCE;
/// A disk reads more than this, in bytes a second: somebody who says that it is reading and does less only says so.
const LEAST_READ: f64 = (1 << 20) as f64;

/// Files that are sent, and what has become of them.
pub(crate) struct Giving {
    items: Arc<Vec<Item>>,
    /// Numbers of those that are wanted; in the following each is known by its place here.
    which: Vec<u32>,
    ended: Vec<bool>,
    marks: HashMap<u32, Arc<Marks>>,
    /// Files that the receiver has, and items given up, so far.
    pub(crate) outcome: Outcome,
}

/// How far a file ever was, over whichever connection: progress is what was never there before.
#[derive(Default)]
pub(super) struct Marks {
    pub(super) written: AtomicU64,
    pub(super) checked: AtomicU64,
    pub(super) read: AtomicU64,
}

/// Fate of a file, by its number.
pub(super) enum End {
    Done(u32),
    Failed(u32),
    /// The file has to be sent by itself.
    Alone(u32),
}

/// An item under way.
#[derive(Clone)]
pub(super) struct Given {
    items: Arc<Vec<Item>>,
    index: u32,
    pub(super) number: u32,
}

impl Given {
    pub(super) fn item(&self) -> &Item {
        &self.items[self.index as usize]
    }
}

impl Giving {
    /// All items, or those for which `wanted` says so.
    pub(crate) fn new(items: Arc<Vec<Item>>, wanted: impl Fn(&Item) -> bool) -> Self {
        let which: Vec<u32> = (0..items.len() as u32)
            .filter(|n| wanted(&items[*n as usize]))
            .collect();
        Self {
            ended: vec![false; which.len()],
            items,
            which,
            marks: HashMap::new(),
            outcome: Outcome::default(),
        }
    }

    /// Number of items, folders among them.
    pub(crate) fn count(&self) -> usize {
        self.which.len()
    }

    /// How much there is to send.
    pub(crate) fn totals(&self) -> Totals {
        let items = self.which.iter().map(|n| &self.items[*n as usize]);
        let files = items.filter(|item| !item.is_folder());
        files.fold(Totals::default(), |sum, file| Totals {
            files: sum.files + 1,
            bytes: sum.bytes.saturating_add(file.size().unwrap_or(0)),
        })
    }

    fn item(&self, number: u32) -> &Item {
        &self.items[self.which[number as usize] as usize]
    }

    fn given(&self, number: u32) -> Given {
        Given {
            items: self.items.clone(),
            index: self.which[number as usize],
            number,
        }
    }

    fn end(&mut self, number: u32, done: bool) {
        self.marks.remove(&number);
        self.ended[number as usize] = true;
        if !done {
            self.outcome.failed += 1;
        } else if !self.item(number).is_folder() {
            self.outcome.done += 1;
        }
    }
}

/// Plan of what to send next.
#[derive(Default)]
struct Plan {
    /// Small items before it were given, and so on.
    next_small: u32,
    next_file: u32,
    alone: VecDeque<u32>,
    batches: usize,
    weight: u32,
}

/// Files to send on a stream.
enum Task {
    Batch(Vec<Given>),
    File(Given, Arc<Marks>, u32),
}

/// Place that a stream which has ended leaves to others.
enum Freed {
    Batch,
    Weight(u32),
}

impl Plan {
    fn next(&mut self, giving: &mut Giving) -> Option<Task> {
        if self.batches < BATCHES {
            let batch = self.next_batch(giving);
            if !batch.is_empty() {
                self.batches += 1;
                return Some(Task::Batch(batch));
            }
        }
        while self.alone.is_empty() {
            let number = self.next_file;
            let ended = giving.ended.get(number as usize)?;
            if !ended && !giving.item(number).is_small() {
                self.alone.push_back(number);
            }
            self.next_file += 1;
        }
        let number = *self.alone.front()?;
        let is_large = giving.item(number).size().is_none_or(|size| size >= LARGE);
        let weight = if is_large { AT_ONCE / LARGE_AT_ONCE } else { 1 };
        if self.weight + weight > AT_ONCE {
            return None;
        }
        self.alone.pop_front();
        self.weight += weight;
        let marks = giving.marks.entry(number).or_default().clone();
        Some(Task::File(giving.given(number), marks, weight))
    }

    fn next_batch(&mut self, giving: &Giving) -> Vec<Given> {
        let (mut batch, mut bytes, mut message) = (Vec::new(), 0, 0);
        while let Some(ended) = giving.ended.get(self.next_small as usize) {
            let item = giving.item(self.next_small);
            if !ended && item.is_small() {
                bytes += item.size().unwrap_or(0);
                message += item.longest_offer();
                let is_full = batch.len() >= MAX_FILES || bytes > BATCH || message > MAX_BATCH - 8;
                if is_full && !batch.is_empty() {
                    break;
                }
                batch.push(giving.given(self.next_small));
            }
            self.next_small += 1;
        }
        batch
    }
}

/// Sends all files that are left, several at a time. What has ended is not left any more, even if the
/// connection breaks.
pub(crate) async fn give_all(session: &Arc<Session>, giving: &mut Giving) -> Result<(), Broken> {
    let (ended, mut ends) = mpsc::unbounded_channel();
    let (mut plan, mut under_way) = (Plan::default(), JoinSet::new());
    let note = |end, plan: &mut Plan, giving: &mut Giving| {
        match end {
            End::Done(number) => giving.end(number, true),
            End::Failed(number) => giving.end(number, false),
            End::Alone(number) => return plan.alone.push_back(number),
        }
        session.pulse.beat();
    };
    let result = loop {
        while let Some(task) = plan.next(giving) {
            let (session, ended) = (session.clone(), ended.clone());
            under_way.spawn(async move { give(&session, task, &ended).await });
        }
        tokio::select! {
            biased;
            Some(end) = ends.recv() => note(end, &mut plan, giving),
            Some(task) = under_way.join_next() => match task {
                Ok(Ok(Freed::Batch)) => plan.batches -= 1,
                Ok(Ok(Freed::Weight(weight))) => plan.weight -= weight,
                Ok(Err(broken)) => break Err(broken),
                Err(_) => break Err(Broken::Stream),
            },
            else => break Ok(()),
        }
        if under_way.is_empty() && ends.is_empty() && plan.alone.is_empty() && plan.is_over(giving)
        {
            break Ok(());
        }
    };
    while let Ok(end) = ends.try_recv() {
        note(end, &mut plan, giving);
    }
    result
}

impl Plan {
    fn is_over(&self, giving: &Giving) -> bool {
        let count = giving.count() as u32;
        self.next_small >= count && self.next_file >= count
    }
}

async fn give(
    session: &Session,
    task: Task,
    ended: &UnboundedSender<End>,
) -> Result<Freed, Broken> {
    match task {
        Task::Batch(batch) => {
            give_batch(session, &batch, ended).await?;
            Ok(Freed::Batch)
        }
        Task::File(given, marks, weight) => {
            let end = if give_file(session, given.item(), &marks).await? {
                End::Done(given.number)
            } else {
                End::Failed(given.number)
            };
            let _ = ended.send(end);
            Ok(Freed::Weight(weight))
        }
    }
}

/// Raises a mark. True if it was lower.
pub(super) fn rose(mark: &AtomicU64, to: u64) -> bool {
    mark.fetch_max(to, Ordering::Relaxed) < to
}

/// The peer says that it has read so many bytes of a file of this size. It is progress if there never were as many, and
/// since there was progress last they are as many as a disk reads.
pub(super) fn hear(session: &Session, mark: &AtomicU64, (to, size): (u64, u64)) {
    let to = to.min(size);
    let more = to.saturating_sub(mark.load(Ordering::Relaxed));
    let least = LEAST_READ * session.pulse.last().elapsed().as_secs_f64();
    if more as f64 >= least && rose(mark, to) {
        session.pulse.beat();
    }
}
