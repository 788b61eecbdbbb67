//! Advice: the sender that a link wants, and what to type for it.
//!
//! [`advise`] simulates every sender that a [`Host`] has over the link and over draws from what is not known of it;
//! today's sender also with another queue at the bottleneck, a pace below a policer or a larger first window, where the
//! link and the objectives give reason to. [`Advice`] says who is best for what, on which draws the answer hangs, what
//! it costs others, and what to type: as text, or as JSON.

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

/// Purpose for which senders (congestion controls of TCP, QUIC libraries or programs) are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// Long flows: the goodput of one alone on the link.
    Bulk,
    /// Transfers of 100 kB and 1 MB, each on a connection of its own: how long they take.
    Short,
    /// A call (small UDP packets at 100 kbit/s) beside a long flow: how long the call's packets take.
    Calls,
}

impl Objective {
    /// Every objective.
    pub const ALL: [Self; 3] = [Self::Bulk, Self::Short, Self::Calls];
}

/// Input of [`advise`]: the link, the host that sends, and the purposes for which a sender and settings are sought.
pub struct Question<'a> {
    /// Text of a scenario file (TOML) with the link. Only its `[[link]]` tables count, the end hosts (`from`, `to`) of
    /// its first flow, and its `title`, as the link's name.
    pub link: &'a str,
    /// Nodes that data come from and go to; `None` for those of the first flow.
    pub ends: Option<[&'a str; 2]>,
    /// Texts of scenario files for the same link with other values that its measurements allow. Senders are compared
    /// over these as well, since the advice may depend on the values. May be empty.
    pub draws: &'a [String],
    /// Source of the files that the scenarios name, such as traces of rates.
    pub files: &'a dyn Files,
    /// Purposes for which senders are compared.
    pub objectives: &'a [Objective],
    /// Host that sends: the advice is for it.
    pub host: &'a Host,
    /// Whether the bottleneck is the user's own uplink: if so, the user's router can have the queue instead by sending
    /// a little slower than the link.
    pub uplink: bool,
    /// Findings of trouble on the link or in its transfers; the advice has commands against them too.
    pub findings: &'a [Finding],
    /// Number of threads to simulate with; `None` for one a core.
    pub threads: Option<usize>,
    /// Seed of the first repetition of each simulation; further repetitions count up from it.
    pub seed: u64,
    /// Flag that another thread sets to stop the simulations.
    pub cancel: &'a AtomicBool,
}

impl<'a> Question<'a> {
    /// Question about `link` for all objectives, with defaults for the rest: no draws, no files, no findings, not the
    /// user's own uplink, seed 1, one thread a core.
    pub fn new(link: &'a str, host: &'a Host) -> Self {
        Self {
            link,
            ends: None,
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

/// Reason why [`advise`] gives no advice.
#[derive(Debug, thiserror::Error)]
pub enum AdviceError {
    /// Scenario that is no TOML, with the parser's message.
    #[error("the link's scenario cannot be read: {0}")]
    NoToml(String),
    /// Scenario of the link with a mistake.
    #[error("the link's scenario is none: {0}")]
    Scenario(#[from] ScenarioError),
    /// A scenario has no link that leads from one end to the other.
    #[error("the scenario has no link between two ends: expected a [[link]], or a chain of them")]
    NoLink,
    /// A scenario has a radio network.
    #[error("the scenario has a radio network: expected links alone")]
    Radio,
    /// The host has no sender that can be simulated; the text lists the identifiers of those that can.
    #[error("the host has no sender that can be simulated: expected one of {0}")]
    NoSender(String),
    /// Threads could not be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// Stopped by the caller through [`Question::cancel`].
    #[error("stopped")]
    Cancelled,
}

/// Change of a queue, a pace or a window, tried with today's sender as an alternative to another sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The narrowest link has a queue of FQ-CoDel.
    Queue,
    /// The user's own router sends a little slower than the link, out of a queue of FQ-CoDel.
    Shaped,
    /// The sender's host sends a little slower than a policer allows.
    Paced,
    /// The first congestion window is 20 segments.
    InitialWindow,
}

/// A sender, and what else is changed.
#[derive(Clone, Copy, Debug)]
struct Contestant {
    sender: &'static Sender,
    change: Option<Change>,
}

/// Result of [`advise`]: senders compared over a link, and commands to type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// Sentences to be read first: what no sender changes, and where the simulated link is not the recorded one.
    pub cautions: Vec<String>,
    /// Properties of the link itself (not of [`Question::draws`]), by which the changes to be tried are chosen.
    pub facts: Facts,
    /// Names of the simulated links: the link itself, then each of [`Question::draws`].
    pub links: Vec<String>,
    /// Name of today's sender: the one that the host uses; if it is not known, CUBIC or the QUIC library's default; if
    /// it is not simulated for the host, the first of [`SENDERS`] that the host has.
    pub today: String,
    /// Clause that says how today's sender is known (such as "as /proc/sys says"), that it is the default or assumed,
    /// or in whose place it stands.
    pub today_by: String,
    /// Results of each sender of the host over all simulated links.
    pub senders: Vec<SenderResult>,
    /// Rankings of the senders, one for each measure.
    pub rankings: Vec<Ranking>,
    /// Effects of changes of queue, pace or first window, each tried with today's sender.
    pub alternatives: Vec<Alternative>,
    /// Commands: for the senders that are advised, for other changes that help, and against the findings.
    pub recipes: Vec<Recipe>,
}

impl Advice {
    /// The advice as a JSON object.
    pub fn json(&self) -> serde_json::Value {
        // Plain data cannot fail to be written.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// Simulates all senders that the host has, over the link and its draws ([`Question::draws`]), and says which one suits
/// each objective. `progress` is called from any thread with the numbers of simulations done and in all.
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
    let facts = Scene::read(question.link, question.ends, question.files, &[])?.facts();
    let changes = changes(question, &facts, today);
    contestants.extend(changes.into_iter().map(|change| Contestant {
        sender: today,
        change: Some(change),
    }));
    let texts = std::iter::once(question.link).chain(question.draws.iter().map(String::as_str));
    let scenes: Result<Vec<Scene>, AdviceError> = texts
        .map(|text| Scene::read(text, question.ends, question.files, &contestants))
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
