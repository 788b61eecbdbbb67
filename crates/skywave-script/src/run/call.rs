//! Calls: what they return, and those that return later.

use skywave_core::time::{Duration, Time};

use super::{Run, Stop, failed, seconds};
use crate::host::Answer;
use crate::language::{Call, Value};
use crate::place::Place;

/// How long a call that is in progress is waited for.
const WAIT: Duration = Duration::from_secs(1);

/// A call that blocks.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) place: Place,
    call: Call,
    done: Option<u64>,
    begun: Time,
    /// When the call is to return.
    until: Time,
    /// The call returned, and not as it should.
    pub(super) failed: bool,
}

impl Run {
    pub(super) fn call(
        &mut self,
        call: &Call,
        place: Place,
        until: Option<Time>,
    ) -> Result<(), Stop> {
        // There is one thread: a call waits for the one in progress.
        if self.pending.is_some() {
            self.wait_for_pending()?;
        }
        let mut done = None;
        let begun = self.host.now();
        match (self.host.call(call, &mut done)?, until) {
            (Some(answer), None) => compare(call, &answer),
            (Some(answer), Some(until)) => {
                compare(call, &answer)?;
                self.check_return(until, begun)
            }
            (None, Some(until)) => {
                self.pending = Some(Pending {
                    place,
                    call: call.clone(),
                    done,
                    begun,
                    until,
                    failed: false,
                });
                Ok(())
            }
            (None, None) => failed(format!("{} to return at once", call.name), "it blocks"),
        }
    }

    fn check_return(&self, until: Time, begun: Time) -> Result<(), Stop> {
        let now = self.host.now();
        if self.is_near(now, until, begun) {
            return Ok(());
        }
        failed(
            format!("a return after {}", seconds(until.since(begun))),
            format!("one after {}", seconds(now.since(begun))),
        )
    }

    /// Tries the call that is in progress again.
    pub(super) fn poll_pending(&mut self) -> Result<(), Stop> {
        let Some(mut pending) = self.pending.take() else {
            return Ok(());
        };
        match self.host.call(&pending.call, &mut pending.done)? {
            None => {
                self.pending = Some(pending);
                Ok(())
            }
            Some(answer) => {
                let right = compare(&pending.call, &answer);
                let result = right.and_then(|()| self.check_return(pending.until, pending.begun));
                if result.is_err() {
                    pending.failed = true;
                    self.pending = Some(pending);
                }
                result
            }
        }
    }

    fn wait_for_pending(&mut self) -> Result<(), Stop> {
        let limit = self.host.now() + WAIT;
        while self.pending.is_some() {
            let Some(next) = self.host.next_timer().filter(|&next| next <= limit) else {
                break;
            };
            self.run_until(next)?;
        }
        match &mut self.pending {
            None => Ok(()),
            Some(pending) => {
                pending.failed = true;
                failed(format!("{} to return", pending.call.name), "it blocks")
            }
        }
    }

    /// At the script's end: the call in progress has to return.
    pub(super) fn finish_pending(&mut self) -> Result<(), Stop> {
        if let Some(pending) = &self.pending {
            self.run_until(pending.until + self.setup.tolerance)?;
            self.wait_for_pending()?;
        }
        Ok(())
    }
}

/// Compares what a call returned with what the script says.
fn compare(call: &Call, answer: &Answer) -> Result<(), Stop> {
    let shown = |value: i64, error: Option<&str>| match error {
        Some(error) => format!("{} = {value} {error}", call.name),
        None => format!("{} = {value}", call.name),
    };
    if let Some((expected, got)) = &answer.wrong {
        return failed(expected, got);
    }
    let Value::Number(value) = call.result else {
        return Ok(());
    };
    let same_error = match (&call.error, answer.error) {
        (None, _) => true,
        (Some(expected), Some(got)) => plain(expected) == plain(got),
        (Some(_), None) => false,
    };
    // Flags that `fcntl` gives are other bits on another system, which the host has looked at.
    if value == answer.value && same_error {
        return Ok(());
    }
    failed(
        shown(value, call.error.as_deref()),
        shown(answer.value, answer.error),
    )
}

/// Name by which an error is compared, of errors with two names.
fn plain(error: &str) -> &str {
    if error == "EWOULDBLOCK" {
        "EAGAIN"
    } else {
        error
    }
}
