//! How bad a path is for a sender: a number, smaller is worse.

mod against;
mod channel;
mod stall;
mod starved;
mod vain;

use skywave_lab::experiment::Numbers;

use crate::machine::Machine;
use crate::measure::CARRIED;

/// Measure of how well a sender does on a path, from 0 at worst.
#[derive(Clone, Copy, Debug)]
pub struct Objective {
    /// Name of the objective, by which users choose it, such as `channel`.
    pub name: &'static str,
    /// Description of what the objective measures, in a line.
    pub about: &'static str,
    /// Words that follow a value of the objective in per cent and say what the value is a share of.
    pub says: &'static str,
    /// Whether the objective compares the sender with others that are run in its place on the same path.
    pub compares: bool,
    /// Numbers of a run that it needs and that cost time, or that not every sender's runs have.
    pub(crate) wants: &'static [&'static str],
    /// Value of a path and a seed from the runs of the sender and of those it is compared with; `None` where the path
    /// says nothing about it.
    value: fn(&Runs<'_>) -> Option<f64>,
    /// Share of what a path carries below which it is as good as closed for a sender.
    open: f64,
}

/// All objectives that a search can be made for.
pub const OBJECTIVES: [&Objective; 5] = [
    &channel::CHANNEL,
    &against::AGAINST,
    &starved::STARVED,
    &vain::VAIN_SHARE,
    &stall::STALLED,
];

impl Objective {
    /// Objective of that name; `None` if there is none.
    pub fn named(name: &str) -> Option<&'static Self> {
        OBJECTIVES.into_iter().find(|known| known.name == name)
    }

    /// The objective called `name`; without a name `against` if there are senders to compare with
    /// (`compares`), else `channel`.
    ///
    /// # Errors
    /// There is no objective of that name, or it compares with other senders and there are none: why, in a sentence.
    pub fn chosen(name: Option<&str>, compares: bool) -> Result<&'static Self, String> {
        let Some(name) = name else {
            return Ok(if compares {
                &against::AGAINST
            } else {
                &channel::CHANNEL
            });
        };
        let Some(objective) = Self::named(name) else {
            let known = OBJECTIVES.map(|objective| objective.name).join(", ");
            return Err(format!(
                "there is no objective `{name}`; expected one of {known}"
            ));
        };
        if objective.compares && !compares {
            return Err(format!(
                "the objective `{name}` needs a sender to compare with (against)"
            ));
        }
        Ok(objective)
    }

    /// Checks that runs of `machine`, a sender from outside of the simulator, have all numbers that the objective
    /// needs.
    ///
    /// # Errors
    /// The number that the runs do not have, in a sentence.
    pub fn check(&self, machine: &dyn Machine) -> Result<(), String> {
        let mut wants = self.wants.iter();
        match wants.find(|number| !machine.measures(number)) {
            None => Ok(()),
            Some(number) => Err(format!(
                "the objective `{}` needs the number `{number}`, which runs of another library's sender do not have",
                self.name
            )),
        }
    }

    /// Value of a path with one seed, from the measured numbers of its runs: the run of the judged sender first, then
    /// the runs of the senders that it is compared with. `None` where the path says nothing about the sender, as where
    /// it carries nothing, or where those compared with get next to nothing.
    pub fn value(&self, runs: &[Numbers]) -> Option<f64> {
        let runs = Runs {
            runs,
            open: self.open,
        };
        (self.value)(&runs).filter(|value| value.is_finite())
    }

    /// Objective like this one, but with a value on any path on which the goodput that it compares with is above 0. A
    /// built-in objective has none where that goodput is 5 % or less of what the path carries.
    #[must_use]
    pub fn anywhere(&self) -> Self {
        Self { open: 0.0, ..*self }
    }
}

/// Share of what a path carries below which it is as good as closed for a sender: nobody is held to what it gets there.
const OPEN: f64 = 0.05;

/// The runs of a path and a seed: of the sender, and of those it is compared with.
struct Runs<'a> {
    runs: &'a [Numbers],
    open: f64,
}

impl Runs<'_> {
    /// The number of a sender's run, if it is there.
    fn number(&self, sender: usize, name: &str) -> Option<f64> {
        self.runs.get(sender)?.get(name).copied()
    }

    /// Whether so much goodput shows that the path is open.
    fn is_open(&self, goodput: f64) -> Option<bool> {
        Some(goodput > self.open * self.number(0, CARRIED)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{GOODPUT, OTHERS, RIVALS, SENT, STALL, VAIN, WINDOW};

    fn run(pairs: &[(&str, f64)]) -> Numbers {
        pairs
            .iter()
            .map(|(name, x)| ((*name).to_owned(), *x))
            .collect()
    }

    #[test]
    fn values_are_shares_and_smaller_is_worse() {
        let value = |name: &str, runs: &[Numbers]| Objective::named(name).unwrap().value(runs);
        let one = run(&[
            (GOODPUT, 2.0),
            (CARRIED, 10.0),
            (RIVALS, 1.0),
            (OTHERS, 1.0),
        ]);
        let best = run(&[(GOODPUT, 8.0), (CARRIED, 10.0), (OTHERS, 4.0)]);
        assert_eq!(value("channel", std::slice::from_ref(&one)), Some(0.4));
        assert_eq!(value("against", &[one.clone(), best.clone()]), Some(0.25));
        assert_eq!(value("starved", &[one.clone(), best]), Some(0.25));
        // Nobody gets through there, or there is nobody to starve.
        let closed = run(&[(GOODPUT, 0.1), (CARRIED, 10.0), (OTHERS, 0.0)]);
        assert_eq!(value("against", &[one.clone(), closed.clone()]), None);
        assert_eq!(value("starved", &[one, closed]), None);
        let wasteful = run(&[(SENT, 1000.0), (VAIN, 400.0), (STALL, 27.0), (WINDOW, 30.0)]);
        assert_eq!(value("vain", std::slice::from_ref(&wasteful)), Some(0.6));
        let stall = value("stall", std::slice::from_ref(&wasteful)).unwrap();
        assert!((stall - 0.1).abs() < 1e-12);
    }
}
