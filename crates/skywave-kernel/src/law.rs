//! Choice of a congestion control law, and how it is set up.

use skywave_core::tcp::config::NeedsEcn;
use skywave_core::tcp::congestion::{Congestion, LawFacts};
use skywave_core::tcp::{CongestionConfig, Profile, TcpConfig, preset};
use thiserror::Error;

/// Preset from which all but the law is taken: Linux' own detection and recovery.
const BASE: &str = "rack-tlp";

/// Longest name of a congestion control in Linux, without the zero at its end.
const LONGEST: usize = 15;

/// Congestion control law (rule for window and pacing rate) of this project, or a user's own, ready for connections of
/// the kernel's TCP, and its name there.
#[derive(Clone, Debug)]
pub struct Law {
    pub(crate) config: TcpConfig,
    /// Name by which the kernel knows it.
    pub(crate) name: String,
}

/// Reason why a congestion control law is not possible for the kernel's connections; each variant holds the name that
/// was asked for.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum LawError {
    /// Name that none of the presets of [`skywave_core::tcp`] has.
    #[error("there is no transport \"{0}\" (`skywave variants` lists them)")]
    Unknown(String),
    /// Law that needs every ECN mark echoed by the receiver, as DCTCP's does: the kernel's receivers cannot be asked
    /// for it.
    #[error(
        "the law of \"{0}\" wants a receiver that echoes every mark, which it cannot ask the kernel for"
    )]
    NeedsMarks(String),
    /// Law that needs a receiver that tells losses by congestion from others, as the preset `contention` does: Linux'
    /// receivers do not.
    #[error("the law of \"{0}\" wants a receiver that judges losses, and Linux' does not")]
    NeedsJudge(String),
}

impl Law {
    /// Congestion control law of the TCP preset called `name`, such as "skywave", "bbr" or "cerl" (`skywave variants`
    /// lists them). Losses are found and repaired by the kernel's rules, whatever the preset says. The error is
    /// [`LawError::Unknown`] without such a preset, otherwise one that [`Self::new`] returns.
    pub fn named(name: &str) -> Result<Self, LawError> {
        let found = preset(name).ok_or_else(|| LawError::Unknown(name.to_owned()))?;
        Self::new(name, found.composition.congestion.clone())
    }

    /// Law from a congestion control with parameters, also a user's own, under `name`. [`LawError::NeedsMarks`] or
    /// [`LawError::NeedsJudge`] if it needs more from a receiver than Linux gives.
    pub fn new(name: &str, congestion: CongestionConfig) -> Result<Self, LawError> {
        if congestion.needs_ecn() != NeedsEcn::Nothing {
            return Err(LawError::NeedsMarks(name.to_owned()));
        }
        if congestion.indicator().is_some() {
            return Err(LawError::NeedsJudge(name.to_owned()));
        }
        let base = preset(BASE).ok_or_else(|| LawError::Unknown(BASE.to_owned()))?;
        let composition = base.composition.clone().with_congestion(congestion);
        Ok(Self {
            config: TcpConfig::new(Profile::Linux, composition),
            name: kernel_name(name),
        })
    }

    /// Demands of the law on its TCP sender: rate samples, news of every loss, or sole control of the window.
    pub fn facts(&self) -> LawFacts {
        Congestion::new(&self.config).facts()
    }

    /// Whether the law sets a pacing rate itself, as BBR does.
    pub fn is_paced(&self) -> bool {
        Congestion::new(&self.config).pacing_rate().is_some()
    }

    /// Name of the law in the kernel: `sky_` and the name given to [`Self::new`] in lower case, with `_` for characters
    /// other than ASCII letters and digits, cut to 15 characters.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Name for the kernel: letters, figures and `_`.
fn kernel_name(name: &str) -> String {
    let plain = name.chars().map(|c| match c {
        'a'..='z' | '0'..='9' => c,
        'A'..='Z' => c.to_ascii_lowercase(),
        _ => '_',
    });
    "sky_".chars().chain(plain).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_the_kernel_takes() {
        for (name, expected) in [
            ("cerl", "sky_cerl"),
            ("rack-tlp", "sky_rack_tlp"),
            ("Ünder a long name", "sky__nder_a_lon"),
        ] {
            assert_eq!(kernel_name(name), expected);
        }
    }

    #[test]
    fn laws_that_want_more_than_the_kernel_tells_are_refused() {
        assert!(matches!(Law::named("dctcp"), Err(LawError::NeedsMarks(_))));
        assert!(matches!(Law::named("nothing"), Err(LawError::Unknown(_))));
        assert_eq!(Law::named("cerl").unwrap().name(), "sky_cerl");
    }
}
