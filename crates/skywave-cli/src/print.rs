//! Lines of transfers. That nobody reads them does not stop a transfer, nor change how it ends: one thread prints, and
//! whoever works leaves it what there is to print. What does not fit into its queue is left out, and counted.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// Lines that may wait to be printed; further ones are left out.
const MOST: usize = 4096;
/// How long the end of a command waits for somebody who reads nothing.
const FAREWELL: Duration = Duration::from_secs(1);

/// Where lines go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Err,
}

/// Prints something, and is told how much was left out before.
type Job = Box<dyn FnOnce(u64) + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<(u64, Job)>,
    left_out: u64,
    /// One is being printed.
    is_busy: bool,
    /// Printed so far.
    count: u64,
}

#[derive(Default)]
struct Printer {
    queue: Mutex<Queue>,
    changed: Condvar,
}

static PRINTER: OnceLock<Printer> = OnceLock::new();

/// The printer, whose thread begins with the first line.
fn printer() -> &'static Printer {
    let mut is_new = false;
    let printer = PRINTER.get_or_init(|| {
        is_new = true;
        Printer::default()
    });
    if is_new {
        thread::spawn(|| printer.run());
    }
    printer
}

impl Printer {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut queue = self.lock();
        loop {
            queue.is_busy = false;
            self.changed.notify_all();
            let is_empty = |queue: &mut Queue| queue.jobs.is_empty();
            let waited = self.changed.wait_while(queue, is_empty);
            queue = waited.unwrap_or_else(PoisonError::into_inner);
            if let Some((left_out, job)) = queue.jobs.pop_front() {
                queue.is_busy = true;
                queue.count += 1;
                drop(queue);
                job(left_out);
                queue = self.lock();
            }
        }
    }

    fn later(&self, job: Job) {
        let mut queue = self.lock();
        if queue.jobs.len() >= MOST {
            queue.left_out += 1;
            return;
        }
        let left_out = std::mem::take(&mut queue.left_out);
        queue.jobs.push_back((left_out, job));
        self.changed.notify_all();
    }

    fn finish(&self) {
        let mut queue = self.lock();
        while queue.is_busy || !queue.jobs.is_empty() {
            let before = queue.count;
            let is_same = |queue: &mut Queue| {
                queue.count == before && (queue.is_busy || !queue.jobs.is_empty())
            };
            let waited = self.changed.wait_timeout_while(queue, FAREWELL, is_same);
            let (after, waited) = waited.unwrap_or_else(PoisonError::into_inner);
            if waited.timed_out() {
                return;
            }
            queue = after;
        }
    }
}

/// Leaves a job to the thread that prints.
pub(crate) fn later(job: impl FnOnce(u64) + Send + 'static) {
    printer().later(Box::new(job));
}

/// Waits until all is printed, or nothing was for some time.
pub(crate) fn finish() {
    if let Some(printer) = PRINTER.get() {
        printer.finish();
    }
}

/// Prints a line, sometime.
pub(crate) fn line(stream: Stream, text: &str) {
    let text = text.to_owned();
    later(move |_| now(stream, &text));
}

/// Prints a line. For the thread that prints: it may have to wait for whoever reads. Standard output of Rust keeps what it
/// could not write and fails again at the end of the program; this forgets it.
pub(crate) fn now(stream: Stream, text: &str) {
    let handle = match stream {
        Stream::Out => io::stdout().as_fd().try_clone_to_owned(),
        Stream::Err => io::stderr().as_fd().try_clone_to_owned(),
    };
    if let Ok(handle) = handle {
        let _ = File::from(handle).write_all(format!("{text}\n").as_bytes());
    }
}

/// Tells the user why a command failed, after what there is to print. Nobody who reads is waited for if lines of a
/// transfer were printed.
pub(crate) fn last(text: &str) {
    if PRINTER.get().is_none() {
        let _ = io::stderr().write_all(text.as_bytes());
        return;
    }
    line(Stream::Err, text.strip_suffix('\n').unwrap_or(text));
    finish();
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Somebody reads nothing for a while.
    #[test]
    fn what_nobody_reads_is_left_out_and_counted() {
        let printer: &Printer = Box::leak(Box::default());
        thread::spawn(|| printer.run());
        let (go, wait) = mpsc::channel::<()>();
        let (begun, has_begun) = mpsc::channel();
        printer.later(Box::new(move |_| {
            begun.send(()).unwrap_or_default();
            wait.recv().unwrap_or_default();
        }));
        has_begun.recv().expect("it begins");
        let (said, heard) = mpsc::channel();
        let say = || {
            let said = said.clone();
            printer.later(Box::new(move |left_out| {
                said.send(left_out).unwrap_or_default();
            }));
        };
        (0..2 * MOST).for_each(|_| say());
        // At the end nobody waits for long.
        printer.finish();
        go.send(()).expect("it waits");
        printer.finish();
        say();
        printer.finish();
        let left_out: Vec<u64> = heard.try_iter().collect();
        assert_eq!(left_out.len(), MOST + 1);
        assert_eq!(left_out.iter().sum::<u64>(), MOST as u64);
    }
}
