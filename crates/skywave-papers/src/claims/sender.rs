//! A sender (transport or congestion control) in the place of another one: experiments are run with it, and the claims
//! are then about it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use skywave_lab::experiment::{self, ENGINE};
use skywave_lab::folder::Folder;
use skywave_lab::threads::lock;
use skywave_scenario::{Files, NoFiles, Scenario};
use skywave_sim::{Outcome, Spec};

use super::error::ClaimsError;
use super::model::{ClaimModel, SEAT};
use super::reader::matches;
use super::select::View;
use super::{Paper, Reading};

/// Sender under judgement, such as a congestion control: how it is put into the scenarios of claims or test cases, and
/// how these scenarios are run.
pub trait Sender: Sync {
    /// Name of the sender, as result cards have it.
    fn name(&self) -> &str;

    /// Whether a pattern with `*`, by which a file of claims says which senders a claim is about, means this sender.
    fn is_meant_by(&self, pattern: &str) -> bool {
        matches(pattern, self.name())
    }

    /// The scenario with this sender at the keys `seats` of it, such as `flow.test.transport`; `files` has the files
    /// that the scenario names.
    ///
    /// # Errors
    /// Why the scenario cannot have this sender, in a sentence.
    fn take(
        &self,
        scenario: &Scenario,
        seats: &[&str],
        files: &dyn Files,
    ) -> Result<Scenario, String>;

    /// Whether outcomes of this sender's runs have the measured number of this name, such as `goodput`; outcomes of the
    /// simulator have every number.
    fn measures(&self, _number: &str) -> bool {
        true
    }

    /// Version of the simulator, or other program, that makes this sender's runs; results of another version are not
    /// used. Default: [`ENGINE`], Skywave's simulator.
    fn engine(&self) -> &str {
        ENGINE
    }

    /// Runs a simulation of a scenario that has this sender in it (see [`Self::take`]); `None` when `cancel` was set
    /// before the end.
    fn run(&self, spec: &Spec, cancel: &AtomicBool) -> Option<Outcome> {
        experiment::simulate(spec, cancel)
    }
}

/// Paper, or set of test cases, after a sender to be judged was put into its experiments.
#[derive(Debug)]
pub struct Seated {
    /// Paper with the sender in its experiments; only experiments that claims judged for this sender need are left.
    pub paper: Paper,
    /// Claims that are not judged for this sender, by their ids, with the reason.
    pub absent: BTreeMap<String, Absence>,
}

/// Reason why a claim is not judged for a sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// The claim is about other senders.
    NotAsked,
    /// An experiment cannot have this sender, or nothing can measure the claim: why, in a sentence.
    NotPossible(String),
}

impl Paper {
    /// Keys of the paper's scenarios at which a sender to be judged is put, such as `flow.test.transport`.
    pub fn seats(&self) -> Vec<&str> {
        let given = self.file.sender.as_ref();
        given.map_or(vec![SEAT], |names| {
            names.as_slice().iter().map(String::as_str).collect()
        })
    }

    /// Id and statement of each claim.
    pub fn statements(&self) -> impl Iterator<Item = (&str, &str)> {
        let claims = self.file.claim.iter();
        claims.map(|claim| (claim.id.get_ref().as_str(), claim.statement.as_str()))
    }

    /// Puts a sender that is to be judged into the experiments of this paper. Experiments without a place for a sender
    /// stay as they are: claims may compare with them. Other readings of the text (values of what it leaves open) are
    /// left out.
    ///
    /// # Errors
    /// When no experiment has a place for a sender, an experiment sweeps the key of that place, or the claims file
    /// names a place that is no flow's transport.
    pub fn with_sender(&self, sender: &dyn Sender) -> Result<Seated, ClaimsError> {
        self.check_seats()?;
        let asked = |claim: &ClaimModel| {
            let only = if claim.only.is_empty() {
                &self.file.only
            } else {
                &claim.only
            };
            only.is_empty() || only.iter().any(|pattern| sender.is_meant_by(pattern))
        };
        let mut absent = BTreeMap::new();
        let mut needs: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for claim in &self.file.claim {
            let id = claim.id.get_ref();
            if !asked(claim) {
                absent.insert(id.clone(), Absence::NotAsked);
            } else if let Some(why) = &claim.not_testable {
                absent.insert(id.clone(), Absence::NotPossible(why.clone()));
            } else {
                let (experiments, numbers) = self.needed_by(claim);
                match numbers.iter().find(|number| !sender.measures(number)) {
                    Some(number) => {
                        let why = format!("not for {}: needs `{number}`", sender.name());
                        absent.insert(id.clone(), Absence::NotPossible(why));
                    }
                    None => drop(needs.insert(id, experiments)),
                }
            }
        }
        let mut experiments = Vec::new();
        let mut refused: BTreeMap<&str, String> = BTreeMap::new();
        let is_needed = |one: &&Scenario| needs.values().any(|all| all.contains(one.name()));
        for one in self.experiments.iter().filter(is_needed) {
            let seats = self.seats_in(one);
            if seats.is_empty() {
                experiments.push(one.clone());
                continue;
            }
            match sender.take(one, &seats, &*self.files()) {
                Ok(taken) => experiments.push(taken),
                Err(why) => drop(refused.insert(one.name(), why)),
            }
        }
        needs.retain(|id, needs| {
            let why = needs.iter().find_map(|name| refused.get(name.as_str()));
            let absence = why.map(|why| Absence::NotPossible(why.clone()));
            absent.extend(absence.map(|absence| ((*id).to_owned(), absence)));
            why.is_none()
        });
        let is_used = |one: &Scenario| needs.values().any(|all| all.contains(one.name()));
        experiments.retain(is_used);
        let paper = Self {
            name: self.name.clone(),
            text: self.text.clone(),
            file: self.file.clone(),
            experiments,
            readings: Vec::<Reading>::new(),
            folder: self.folder.clone(),
        };
        Ok(Seated { paper, absent })
    }

    /// The paths of the judged sender that an experiment has, where they may lead to nothing as yet.
    pub(crate) fn seats_in(&self, experiment: &Scenario) -> Vec<&str> {
        let settings = experiment.settings();
        let is_there = |seat: &&str| {
            let flow = seat.strip_suffix("transport").unwrap_or(seat);
            settings.iter().any(|key| key.starts_with(flow))
        };
        self.seats().into_iter().filter(is_there).collect()
    }

    pub(super) fn check_seats(&self) -> Result<(), ClaimsError> {
        let seats = self.seats();
        let all = seats.join("`, `");
        if let Some(other) = seats.iter().find(|seat| !is_transport(seat)) {
            return Err(ClaimsError::Seat(format!(
                "`{}`: `sender` is `{other}`; expected the transport of a flow, such as `{SEAT}`",
                self.name
            )));
        }
        if self
            .experiments
            .iter()
            .all(|one| self.seats_in(one).is_empty())
        {
            return Err(ClaimsError::Seat(format!(
                "`{}`: no experiment has `{all}`, where the sender to judge would be; `sender` in {} may name \
                 another place",
                self.name,
                super::CLAIMS
            )));
        }
        let swept = |one: &&Scenario| {
            one.params()
                .iter()
                .any(|path| seats.contains(&path.as_str()))
        };
        match self.experiments.iter().find(swept) {
            None => Ok(()),
            Some(one) => Err(ClaimsError::Seat(format!(
                "`{}`: experiment `{}` sweeps `{all}`, where the sender to judge would be; expected one transport \
                 there",
                self.name,
                one.name()
            ))),
        }
    }

    /// The experiments that a claim is measured by, and the measured numbers.
    fn needed_by(&self, claim: &ClaimModel) -> (BTreeSet<String>, BTreeSet<String>) {
        let (seen, read) = (Mutex::default(), Mutex::default());
        let view = View {
            seen: Some(&seen),
            read: Some(&read),
            ..self.view(None, &[])
        };
        // The claim was resolved when the file was read: the same names are looked up.
        let _ = claim.measure.parts(&view);
        let taken = |names: &Mutex<BTreeSet<String>>| std::mem::take(&mut *lock(names));
        (taken(&seen), taken(&read))
    }

    fn files(&self) -> Box<dyn Files> {
        match &self.folder {
            Some(folder) => Box::new(Folder::new(folder)),
            None => Box::new(NoFiles),
        }
    }
}

/// Whether a path is of a flow's transport.
fn is_transport(path: &str) -> bool {
    let inner = path.strip_prefix("flow.");
    let name = inner.and_then(|rest| rest.strip_suffix(".transport"));
    name.is_some_and(|name| !name.is_empty())
}
