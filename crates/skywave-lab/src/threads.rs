//! Work on several threads; without the feature `threads`, on the calling one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Error that threads could not be started, or that more than [`most`] were asked for; it has the reason in words.
#[derive(Debug, thiserror::Error)]
#[error("threads could not be started: {0}")]
pub struct NoThreads(String);

/// Largest number of threads that a caller may ask for. More would only wait for each other, and thousands take longer
/// to start than to work.
pub fn most() -> usize {
    (8 * cores()).max(256)
}

/// Number of threads that this machine can run at the same time; 1 if the system does not tell.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs `work` once on each of `threads` threads, all of the machine's without a number.
#[cfg(feature = "threads")]
fn broadcast(threads: Option<usize>, work: impl Fn() + Sync) -> Result<(), NoThreads> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|error| NoThreads(error.to_string()))?;
    pool.broadcast(|_| work());
    Ok(())
}

/// Runs `work` once, here: there are no other threads.
#[cfg(not(feature = "threads"))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "threads, where there are any, may fail to start"
)]
fn broadcast(_threads: Option<usize>, work: impl Fn() + Sync) -> Result<(), NoThreads> {
    work();
    Ok(())
}

/// Calls `one` with each number from 0 to `count` − 1, on `threads` threads (`None` for one per core), beginning with
/// the lowest. Returns the results in the order of the numbers. After an error no further call is begun, and the error
/// is returned.
///
/// # Errors
/// The first error of `one`, or [`NoThreads`].
pub fn each<T, E>(
    threads: Option<usize>,
    count: usize,
    one: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E>
where
    T: Send,
    E: Send + From<NoThreads>,
{
    if let Some(wanted) = threads.filter(|&wanted| wanted > most()) {
        let why = format!("{wanted} are wanted; expected at most {}", most());
        return Err(NoThreads(why).into());
    }
    // No more than there is work for.
    let threads = threads.map(|wanted| wanted.min(count.max(1)));
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let done = Mutex::new(Vec::with_capacity(count));
    let failed = Mutex::new(None);
    broadcast(threads, || {
        while !stop.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                break;
            }
            match one(number) {
                Ok(result) => lock(&done).push((number, result)),
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    lock(&failed).get_or_insert(error);
                }
            }
        }
    })?;
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|&(number, _)| number);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

/// Locks a mutex, even if a thread that held it panicked: the values here are lists that are only added to.
pub fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_numbers() {
        let squares = each::<_, NoThreads>(Some(4), 100, |n| Ok(n * n)).expect("threads");
        assert_eq!(squares, (0..100).map(|n| n * n).collect::<Vec<_>>());
    }

    #[test]
    fn thousands_of_threads_are_refused() {
        let wanted = most() + 1;
        let result = each::<_, NoThreads>(Some(wanted), 1, |_| Ok(()));
        let told = result.unwrap_err().to_string();
        assert!(
            told.contains(&format!("{wanted} are wanted; expected at most ")),
            "{told}"
        );
        assert!(each::<_, NoThreads>(Some(most()), 1, |_| Ok(())).is_ok());
    }

    #[test]
    fn an_error_is_the_result_and_begins_nothing_more() {
        let begun = AtomicUsize::new(0);
        let result = each(Some(1), 100, |n| {
            begun.fetch_add(1, Ordering::Relaxed);
            if n == 3 {
                return Err(NoThreads("three".into()));
            }
            Ok(n)
        });
        assert!(result.is_err_and(|error| error.to_string().ends_with(": three")));
        assert_eq!(begun.into_inner(), 4);
    }
}
