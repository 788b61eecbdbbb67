//! A referee for congestion controls (laws): test cases that a sender has to pass, run with it, and a card of what it
//! passed.
//!
//! Cases are claims ([`crate::claims`]), in sets that are folders as papers are: one judge, new is only that the sender is a
//! parameter. [`load`] reads a built-in set, [`load_dir`] a folder; [`Trial::new`] puts a [`Sender`] into it, and
//! [`Trial::judge`] turns the results of its scenarios into a [`SetCard`]. What runs a scenario with a sender is the [`Sender`]
//! itself: [`Law`] has the simulator do it.
//!
//! A case is passed when its claim is reproduced: its number lies within the limits with its whole interval. It is failed when the
//! whole interval lies outside, and unsure in between. For a failed case the run of the first seed at the point that
//! decides is made again, and shows when (`moment.rs`) and how, if that seed failed.

mod card;
mod html;
mod law;
mod matrix;
mod moment;
mod plot;
mod retrace;
mod text;

use std::path::{Path, PathBuf};

use crate::claims::{self, ClaimsError, Paper};

pub use crate::claims::sender::Sender;
pub use card::{Card, Case, Number, SetCard, Standing, Trial, Wrong};
pub use html::page;
pub use law::Law;
pub use matrix::Matrix;
pub use retrace::Retracing;
pub use text::list;

/// Folder of cards in the folder of results.
const CARDS: &str = "judge";

/// Names of the built-in sets of test cases.
pub fn sets() -> impl Iterator<Item = &'static str> {
    claims::sets()
}

/// Reads the built-in set of test cases of this name.
///
/// # Errors
/// When no built-in set has this name.
pub fn load(name: &str) -> Result<Paper, ClaimsError> {
    claims::load_set(name)
}

/// Reads the set of test cases in a folder, which has claims and scenarios as the folder of a paper has.
///
/// # Errors
/// When its files cannot be read, or are no claims and scenarios.
pub fn load_dir(folder: &Path) -> Result<Paper, ClaimsError> {
    claims::load_dir(folder)
}

/// Reads the set of test cases that a user's text `given` names: the built-in set of this name, or else the set in the
/// folder at this path.
///
/// # Errors
/// When there is neither such a set nor such a folder, or the files cannot be read or used.
pub fn named(given: &str) -> Result<Paper, ClaimsError> {
    let folder = claims::folder_of(Path::new(given));
    match folder.filter(|_| sets().all(|name| name != given)) {
        Some(folder) if claims::is_paper(&folder) => load_dir(&folder),
        Some(folder) => Err(ClaimsError::Seat(format!(
            "{}: a folder without claims.toml is no set of cases",
            folder.display()
        ))),
        None => load(given),
    }
}

/// Path of the folder for the result card of the sender called `law`, relative to the folder of all results.
pub fn folder(law: &str) -> PathBuf {
    Path::new(CARDS).join(skywave_lab::folder::plain_name(law))
}

#[cfg(test)]
mod tests;
