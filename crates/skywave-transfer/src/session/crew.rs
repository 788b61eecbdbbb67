//! Work that waits for the disk: in short jobs on few threads, which hosts take in turn. Whoever waits for a peer takes
//! none.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use crate::key::PublicKey;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

use crate::error::Broken;
use crate::trouble::Trouble;
use crate::wire::message::Refusal;

/// Jobs at a time, of all hosts.
const JOBS: usize = 16;
/// Jobs at a time, of one address, or of one network of IPv6.
const JOBS_PER_ADDRESS: usize = 8;
/// Jobs at a time, of one key.
const JOBS_PER_KEY: usize = 4;
/// Files that are open for one key at a time, not counting those of jobs. They cost nobody else anything, as long as the
/// system lets this process open more.
const FILES_PER_KEY: usize = 32;
/// How long to wait for what others are to let go of: files, when too many are open, or a lock.
pub(super) const LETTING_GO: Duration = Duration::from_secs(60);
/// Time between two looks whether others have let go.
pub(super) const LOOK: Duration = Duration::from_millis(20);

/// The threads, and who waits for them.
pub(crate) struct Crew {
    jobs: Arc<Semaphore>,
    keys: Mutex<HashMap<PublicKey, Weak<Limits>>>,
    addresses: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
}

/// Limits of what one key may have at a time, over all its connections.
struct Limits {
    jobs: Arc<Semaphore>,
    files: Semaphore,
    /// One file is hashed at a time: otherwise a peer makes this host read many at the price of one message each.
    hashing: Semaphore,
}

/// The place of one connection in the line.
pub(crate) struct Desk {
    jobs: Arc<Semaphore>,
    address: Arc<Semaphore>,
    key: Arc<Limits>,
}

impl Limits {
    fn new() -> Self {
        Self {
            jobs: Arc::new(Semaphore::new(JOBS_PER_KEY)),
            files: Semaphore::new(FILES_PER_KEY),
            hashing: Semaphore::new(1),
        }
    }
}

/// The limits that other connections of the same host have, or new ones.
fn limits<K: Hash + Eq, L>(
    known: &Mutex<HashMap<K, Weak<L>>>,
    of: K,
    new: impl FnOnce() -> L,
) -> Arc<L> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(limits) = known.get(&of).and_then(Weak::upgrade) {
        return limits;
    }
    known.retain(|_, limits| limits.strong_count() > 0);
    let limits = Arc::new(new());
    known.insert(of, Arc::downgrade(&limits));
    limits
}

impl Crew {
    pub(crate) fn new() -> Self {
        Self {
            jobs: Arc::new(Semaphore::new(JOBS)),
            keys: Mutex::default(),
            addresses: Mutex::default(),
        }
    }

    /// A place for a connection of this key, from there.
    pub(crate) fn desk(&self, key: PublicKey, address: IpAddr) -> Desk {
        Desk {
            jobs: self.jobs.clone(),
            key: limits(&self.keys, key, Limits::new),
            address: limits(&self.addresses, address, || {
                Semaphore::new(JOBS_PER_ADDRESS)
            }),
        }
    }
}

async fn permit(of: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Broken> {
    // Nobody closes it.
    of.clone().acquire_owned().await.map_err(|_| Broken::Stream)
}

impl Desk {
    /// Does a job, which must be short, in its turn.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Broken> {
        let permits = [
            permit(&self.key.jobs).await?,
            permit(&self.address).await?,
            permit(&self.jobs).await?,
        ];
        let job = move || {
            // Until it has ended, whoever waits for it.
            let _permits = permits;
            job()
        };
        spawn_blocking(job).await.map_err(|_| Broken::Stream)
    }

    /// Does a job again until nobody has to let go of anything, or has not done so for long.
    pub(crate) async fn run_until<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, Trouble> + Clone + Send + 'static,
    ) -> Result<Result<T, Refusal>, Broken> {
        let late = Instant::now() + LETTING_GO;
        loop {
            match self.run(job.clone()).await? {
                Ok(done) => return Ok(Ok(done)),
                Err(Trouble::Refused(refusal)) => return Ok(Err(refusal)),
                Err(Trouble::Later) if Instant::now() < late => sleep(LOOK).await,
                Err(Trouble::Later) => return Ok(Err(Refusal::Busy)),
            }
        }
    }

    /// Waits until one more file may be open, as long as the permit is kept.
    pub(crate) async fn file(&self) -> Result<SemaphorePermit<'_>, Broken> {
        self.key.files.acquire().await.map_err(|_| Broken::Stream)
    }

    /// Waits until a file may be hashed.
    pub(crate) async fn hashing(&self) -> Result<SemaphorePermit<'_>, Broken> {
        self.key.hashing.acquire().await.map_err(|_| Broken::Stream)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use crate::key::SecretKey;

    use super::*;

    /// Jobs of one key that wait for a disk leave threads for others, of the same address too.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_key_takes_all_threads() {
        let key = |n| SecretKey::from_bytes([n; 32]).public();
        let (crew, address) = (Crew::new(), IpAddr::from([127, 0, 0, 1]));
        let busy = Arc::new(crew.desk(key(1), address));
        let running = Arc::new(AtomicUsize::new(0));
        let (ends, end) = mpsc::channel::<()>();
        let end = Arc::new(Mutex::new(end));
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..4 * JOBS {
            let (busy, running, end) = (busy.clone(), running.clone(), end.clone());
            waiting.spawn(async move {
                let job = move || {
                    running.fetch_add(1, Ordering::SeqCst);
                    let _ = end.lock().map(|end| end.recv());
                };
                let _ = busy.run(job).await;
            });
        }
        while running.load(Ordering::SeqCst) < JOBS_PER_KEY {
            tokio::task::yield_now().await;
        }
        let other = crew.desk(key(4), address);
        assert_eq!(other.run(|| 5).await.ok(), Some(5));
        assert_eq!(running.load(Ordering::SeqCst), JOBS_PER_KEY);
        drop(ends);
        while waiting.join_next().await.is_some() {}
        assert_eq!(running.load(Ordering::SeqCst), 4 * JOBS);
    }

    /// Connections of one host share what it may have, as long as there is one.
    #[test]
    fn connections_of_a_host_share_its_part() {
        let key = |n| SecretKey::from_bytes([n; 32]).public();
        let (crew, address) = (Crew::new(), IpAddr::from([127, 0, 0, 1]));
        let (one, same) = (crew.desk(key(1), address), crew.desk(key(1), address));
        let other = crew.desk(key(4), IpAddr::from([127, 0, 0, 2]));
        assert!(Arc::ptr_eq(&one.key, &same.key) && Arc::ptr_eq(&one.address, &same.address));
        assert!(!Arc::ptr_eq(&one.key, &other.key) && !Arc::ptr_eq(&one.address, &other.address));
        drop((one, same));
        drop(crew.desk(key(6), address));
        assert_eq!(crew.keys.lock().unwrap().len(), 2);
    }
}
