//! Senders of other QUIC libraries in place of one of the simulator's: `noq:bbr3`, `quinn:bbr`.

use std::sync::atomic::AtomicBool;

use skywave_foreign::Sender as Connection;
use skywave_lab::experiment::{self, ENGINE};
use skywave_lab::scenario::{Files, Scenario};
use skywave_papers::referee::{Law, Sender};
use skywave_search::{Machine, VAIN};
use skywave_sim::spec::{FlowSpec, Transport};
use skywave_sim::{Outcome, Spec};

use crate::failure::Failure;

/// The sender of the simulator that stands in a scenario where another library's will run: what QUIC refuses is refused
/// for both.
pub(crate) const SEAT: &str = "quic-cubic";

/// A whole connection of another library, over the scenario's links.
pub(crate) struct Foreign {
    connection: Connection,
    seat: Law,
    engine: String,
}

impl Foreign {
    /// The sender of that name; `None` if the name is not as those of other libraries are, `noq:bbr3`.
    pub(crate) fn named(name: &str) -> Result<Option<Self>, Failure> {
        if !name.contains(':') || name.trim_start().starts_with('{') {
            return Ok(None);
        }
        let connection = skywave_foreign::parse(name).map_err(Failure::usage)?;
        Ok(Some(Self {
            connection,
            seat: Law::parse(SEAT)?,
            engine: format!("{ENGINE} {name} {}", skywave_foreign::ENGINE),
        }))
    }

    fn carry(&self, spec: &Spec, cancel: &AtomicBool) -> Option<Outcome> {
        skywave_foreign::run_all(spec, &self.connection, cancel).ok()?
    }
}

impl Sender for Foreign {
    fn name(&self) -> &str {
        self.connection.name()
    }

    fn take(
        &self,
        scenario: &Scenario,
        seats: &[&str],
        files: &dyn Files,
    ) -> Result<Scenario, String> {
        self.seat.take_checked(scenario, seats, files, |point, spec| {
            let is_seat = |group: &str| seats.contains(&format!("flow.{group}.transport").as_str());
            let mut groups = (0..).map_while(|flow| point.flow_group(flow));
            if let Some(other) = groups.find(|group| !is_seat(group)) {
                return Err(format!(
                    "flow \"{other}\" has another sender: other libraries' connections and the simulator's own do not share a run"
                ));
            }
            skywave_foreign::check(spec, &self.connection).map_err(|refused| refused.to_string())
        })
    }

    fn measures(&self, number: &str) -> bool {
        // A link's own counters, such as `path.utilisation`, need nothing from the sender.
        number.contains('.') || skywave_foreign::TOLD.contains(&number)
    }

    fn engine(&self) -> &str {
        &self.engine
    }

    fn run(&self, spec: &Spec, cancel: &AtomicBool) -> Option<Outcome> {
        let is_seat = |flow: &FlowSpec| matches!(flow.transport, Transport::Quic { .. });
        // A scenario without a place for the judged sender is one to compare with.
        if !spec.flows.iter().all(is_seat) {
            return experiment::simulate(spec, cancel);
        }
        self.carry(spec, cancel)
    }
}

impl Machine for Foreign {
    fn engine(&self) -> &str {
        &self.engine
    }

    fn measures(&self, number: &str) -> bool {
        number != VAIN
    }

    fn can(&self, spec: &Spec, _: usize) -> bool {
        // Its connections share a run with nobody else's.
        spec.flows.len() == 1 && skywave_foreign::check(spec, &self.connection).is_ok()
    }

    fn run(&self, spec: &Spec, _: usize, cancel: &AtomicBool) -> Option<Outcome> {
        self.carry(spec, cancel)
    }
}
