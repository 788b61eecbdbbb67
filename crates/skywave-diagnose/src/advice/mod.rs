//! Advice: the sender that a link wants, and what to type for it.
//!
//! [`advise`] simulates every sender that a [`Host`] has over the link and over draws from what is not known of it, and so
//! does it with another queue at the bottleneck, a pace below a policer and a larger first window. [`Advice`] says who is
//! best for what, on which draws the answer hangs, what it costs others, and what to type: as text, or as JSON.

mod findings;
mod host;
mod libraries;
mod rank;
mod recipe;
mod route;
mod run;
mod scene;
mod senders;
mod text;
mod units;

use std::sync::atomic::AtomicBool;

use serde::Serialize;
use skywave_lab::threads::NoThreads;
use skywave_scenario::{Files, NoFiles, ScenarioError};

pub use findings::Finding;
pub use host::{BadHost, Current, Host, Laws, On};
pub use libraries::{LIBRARIES, Law, Library};
pub use rank::{Alternative, Hang, Measure, Ranking, SenderResult, Spread};
pub use recipe::{Recipe, Step};
pub use route::Attributes;
pub use scene::Facts;
pub use senders::{By, SENDERS, Sender};

use scene::Scene;

/// Purpose of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// A long flow: how much of the link it has.
    Bulk,
    /// Transfers of 100 kB and 1 MB, each on a connection of its own: how long they take.
    Short,
    /// A call beside a long flow: how long its packets take.
    Calls,
}

impl Objective {
    /// Every objective.
    pub const ALL: [Self; 3] = [Self::Bulk, Self::Short, Self::Calls];
}

/// A question for advice.
pub struct Question<'a> {
    /// A scenario with the link: its `[[link]]` tables count, and the ends of its first flow.
    pub link: &'a str,
    /// Draws from what is not known of the link, scenarios as well.
    pub draws: &'a [String],
    /// The files that these name.
    pub files: &'a dyn Files,
    /// Purposes of the sender.
    pub objectives: &'a [Objective],
    /// The host that sends.
    pub host: &'a Host,
    /// Whether the narrowest link is the user's own uplink, whose queue may be taken over.
    pub uplink: bool,
    /// Findings about the link and its transfers.
    pub findings: &'a [Finding],
    /// Number of threads; `None` for one a core.
    pub threads: Option<usize>,
    /// First seed.
    pub seed: u64,
    /// Set from another thread to stop.
    pub cancel: &'a AtomicBool,
}

impl<'a> Question<'a> {
    /// A question about all objectives, for a link without draws.
    pub fn new(link: &'a str, host: &'a Host) -> Self {
        Self {
            link,
            draws: &[],
            files: &NoFiles,
            objectives: &Objective::ALL,
            host,
            uplink: false,
            findings: &[],
            threads: None,
            seed: 1,
            cancel: &run::NEVER,
        }
    }
}

/// Why there is no advice.
#[derive(Debug, thiserror::Error)]
pub enum AdviceError {
    /// A text is no TOML.
    #[error("the link's scenario cannot be read: {0}")]
    NoToml(String),
    /// A scenario is none.
    #[error("the link's scenario is none: {0}")]
    Scenario(#[from] ScenarioError),
    /// A scenario has no link that leads from one end to the other.
    #[error("the scenario has no link between two ends: expected a [[link]], or a chain of them")]
    NoLink,
    /// A scenario has a radio network.
    #[error("the scenario has a radio network: expected links alone")]
    Radio,
    /// The host has none of the senders.
    #[error("the host has no sender that can be simulated: expected one of {0}")]
    NoSender(String),
    /// Threads could not be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// The caller has stopped it.
    #[error("stopped")]
    Cancelled,
}

/// Something other than another sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The narrowest link has a queue of FQ-CoDel.
    Queue,
    /// The user's own router sends a little slower than the link, out of a queue of FQ-CoDel.
    Shaped,
    /// The sender's host sends a little slower than a policer allows.
    Paced,
    /// The first window is larger.
    InitialWindow,
}

/// A sender, and what else is changed.
#[derive(Clone, Copy, Debug)]
struct Contestant {
    sender: &'static Sender,
    change: Option<Change>,
}

/// Advice for a link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The link, without its draws.
    pub facts: Facts,
    /// Names of the link and its draws.
    pub links: Vec<String>,
    /// The sender that the host has today.
    pub today: String,
    /// A clause that says where that is known from.
    pub today_by: String,
    /// Results of each sender.
    pub senders: Vec<SenderResult>,
    /// Orders of the senders, one a measure.
    pub rankings: Vec<Ranking>,
    /// Effects of other changes than that of the sender.
    pub alternatives: Vec<Alternative>,
    /// Commands: for the senders that are advised, for other changes that help, and for what was found.
    pub recipes: Vec<Recipe>,
}

impl Advice {
    /// As JSON.
    pub fn json(&self) -> serde_json::Value {
        // Plain data cannot fail to be written.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// Simulates all senders and says which one is wanted. `progress` is told how many simulations of how many are
/// done, from any thread.
pub fn advise(
    question: &Question<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Advice, AdviceError> {
    let senders = senders::on(question.host);
    let today = today(question.host, &senders).ok_or_else(|| {
        let known: Vec<&str> = SENDERS.iter().map(|sender| sender.id).collect();
        AdviceError::NoSender(known.join(", "))
    })?;
    let plain = senders.iter().map(|&sender| Contestant {
        sender,
        change: None,
    });
    let mut contestants: Vec<Contestant> = plain.collect();
    let facts = Scene::read(question.link, question.files, &[])?.facts();
    let changes = changes(question, &facts, today);
    contestants.extend(changes.into_iter().map(|change| Contestant {
        sender: today,
        change: Some(change),
    }));
    let texts = std::iter::once(question.link).chain(question.draws.iter().map(String::as_str));
    let scenes: Result<Vec<Scene>, AdviceError> = texts
        .map(|text| Scene::read(text, question.files, &contestants))
        .collect();
    let scenes = scenes?;
    let results = run::run(&scenes, &contestants, question, progress)?;
    Ok(rank::advice(question, facts, today, &contestants, &results))
}

/// The sender that the host has today: the one that it names, or one that stands for it.
fn today(host: &Host, senders: &[&'static Sender]) -> Option<&'static Sender> {
    let default = match host.on {
        On::Quic(library) => Some(library.default),
        _ => None,
    };
    let is = |sender: &&&'static Sender| match (sender.by, &host.current, default) {
        (_, Some(current), _) => sender.id == current.name,
        (By::Quic(law), None, Some(default)) => law == default,
        (By::Kernel(law), None, None) => law == host.default_law(),
        _ => false,
    };
    senders.iter().find(is).or(senders.first()).copied()
}

/// Changes other than that of the sender that may help here.
fn changes(question: &Question<'_>, facts: &Facts, today: &Sender) -> Vec<Change> {
    let mut changes = Vec::new();
    if facts.policer_bps.is_some() {
        changes.push(Change::Paced);
    } else if question.uplink && facts.constant {
        changes.push(Change::Shaped);
    } else if !facts.managed {
        changes.push(Change::Queue);
    }
    if question.objectives.contains(&Objective::Short) && today.is_tcp() {
        changes.push(Change::InitialWindow);
    }
    changes
}

#[cfg(test)]
mod tests;
