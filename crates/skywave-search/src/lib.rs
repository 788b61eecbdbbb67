//! The path on which a sender is worst: found in a space of paths, and shrunk to few keys and round numbers.
//!
//! A [`Space`](skywave_scenario::Space) has the keys; [`evolution`] draws candidates and keeps the worst ones, whoever judges
//! them: a [`Bench`] does it by simulations and an [`Objective`], of which a smaller value is worse for the sender.
//! [`shrink`](shrink::shrink) puts keys back to their defaults and rounds numbers while the verdict stands, and
//! [`findings`](findings::findings) judges what is left by seeds that nothing was chosen by.
//!
//! A [`Request`](request::Request) is a search as callers ask for it.
//!
//! Candidates, their order and what is kept depend on the seed alone: neither on threads, nor on which islands are made
//! where. How many there are depends on the machine, too, if a time ends the search
//! ([`Amount::Time`](request::Amount::Time)).

pub mod bench;
mod builtin;
pub mod evolution;
pub mod findings;
mod machine;
pub mod map;
mod measure;
mod objective;
pub mod page;
pub mod request;
pub mod shrink;

use skywave_scenario::Setting;

pub use bench::{Bench, SearchError};
pub use builtin::{SPACE, SPACE_FILE};
pub use machine::Machine;
pub use measure::VAIN;
pub use objective::{OBJECTIVES, Objective};

/// A network path within a search space: for each key of the space, in their order, its setting; `None` where the key
/// is at its default.
pub type Candidate = Vec<Option<Setting>>;

/// Kind of a path, which leaves its numbers out: for each key of the space, the index of the chosen one among the
/// alternatives (choices) that the key may be set to; `None` where the key is at its default.
pub type Kind = Vec<Option<usize>>;

/// Kind of the path `candidate`: for each key the index of the choice that it makes, `None` for the default. Paths
/// whose choices are alike, and differ only in the numbers that they take from the choices' ranges, are of one kind.
pub fn kind(candidate: &Candidate) -> Kind {
    let choice = |setting: &Option<Setting>| setting.as_ref().map(Setting::choice);
    candidate.iter().map(choice).collect()
}

/// Number of keys that a candidate sets to something else than their defaults.
pub fn keys_off(candidate: &Candidate) -> usize {
    candidate.iter().flatten().count()
}
