//! Senders of other QUIC libraries as laws to judge.

use std::sync::atomic::{AtomicBool, Ordering};

use skywave_foreign::Sender as Machine;
use skywave_lab::experiment::ENGINE;
use skywave_lab::scenario::{Files, Scenario};
use skywave_papers::referee::{Law, Sender};
use skywave_sim::{Outcome, Spec};

use crate::failure::Failure;

/// The sender of the simulator that stands in a scenario where another library's will run: what QUIC refuses is refused
/// for both.
const SEAT: &str = "quic-cubic";

/// A whole connection of another library, over the scenario's links.
pub(super) struct Foreign {
    machine: Machine,
    seat: Law,
    engine: String,
}

impl Foreign {
    /// The sender of that name; `None` if the name is not as those of other libraries are, `noq:bbr3`.
    pub(super) fn named(name: &str) -> Result<Option<Self>, Failure> {
        let is_theirs = |name: &str| name.contains(':') && !name.trim_start().starts_with('{');
        if !is_theirs(name) {
            return Ok(None);
        }
        let machine =
            skywave_foreign::parse(name).map_err(|unknown| Failure::Usage(unknown.to_string()))?;
        Ok(Some(Self {
            machine,
            seat: Law::parse(SEAT)?,
            engine: format!("{ENGINE} {name}"),
        }))
    }
}

impl Sender for Foreign {
    fn name(&self) -> &str {
        self.machine.name()
    }

    fn take(
        &self,
        scenario: &Scenario,
        seats: &[&str],
        files: &dyn Files,
    ) -> Result<Scenario, String> {
        let taken = self.seat.take(scenario, seats, files)?;
        for point in taken.points() {
            let spec = point.spec(taken.seeds().first().copied().unwrap_or(1));
            skywave_foreign::check(&spec, &self.machine).map_err(|refused| refused.to_string())?;
        }
        Ok(taken)
    }

    fn engine(&self) -> &str {
        &self.engine
    }

    fn run(&self, spec: &Spec, cancel: &AtomicBool) -> Option<Outcome> {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        // What is refused was refused by `take`.
        skywave_foreign::run_all(spec, &self.machine).ok()
    }
}
