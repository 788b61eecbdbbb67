//! Advice for the link that records tell of.

use skywave_scenario::{Files, Unreadable};

use crate::advice::{Advice, AdviceError, Host, On, Question};
use crate::diagnosis::{Basis, Diagnosis};
use crate::goodness::Goodness;
use crate::link::{Drawn, Likeliest, Written, scenario};

/// Draws from the intervals of a fitted link, beside the likeliest one, over which senders are compared.
const DRAWS: u64 = 4;
/// Heading of the advice on a page.
const HEADING: &str = "What would help";

/// Advice for the link of a diagnosis, or why there is none.
#[derive(Clone, Debug)]
pub enum Answer {
    /// No advice, as the records tell of no link: captures of one direction, or without TCP.
    Nothing,
    /// No advice, as no record tells the link's rate, or at least a lower bound of it.
    NoRate,
    /// No advice, as only a lower bound of the rate is known, and packets were lost of which no model was found
    /// ([`Diagnosis::has_untold_losses`]): the rate that was seen may be what the losses left.
    Losses,
    /// Advice for the largest rate that was seen, as the rate itself is not known.
    AtLeast(Box<Advice>),
    /// Advice for a link whose rate is known.
    Told(Box<Advice>),
}

impl Answer {
    /// Asks for advice about the link of `diagnosis`: senders are to be compared over the likeliest link and over four
    /// others drawn from the intervals of its properties. Today's sender is the host's, or else the one that a record
    /// names, unless the host is a program with a QUIC library. `ask` has to call
    /// [`advise`](crate::advice::advise) and may give it a flag to stop and a report of progress; without a link or a
    /// rate it is not called.
    ///
    /// # Errors
    ///
    /// Errors of `ask`.
    pub fn of(
        diagnosis: &Diagnosis,
        host: &Host,
        ask: impl FnOnce(&Question<'_>) -> Result<Advice, AdviceError>,
    ) -> Result<Self, AdviceError> {
        let basis = diagnosis.basis();
        if diagnosis.is_empty() {
            return Ok(Self::Nothing);
        }
        if basis == Basis::Nothing {
            return Ok(Self::NoRate);
        }
        if basis == Basis::Least && diagnosis.has_untold_losses() {
            return Ok(Self::Losses);
        }
        // A record's law is a kernel's.
        let is_kernel = !matches!(host.on, On::Quic(_));
        let named = diagnosis.sender.as_ref().filter(|_| is_kernel);
        let host = named.map_or_else(
            || host.clone(),
            |(law, from)| host.clone().or_today(law, from),
        );
        let name = "link";
        let likeliest = scenario(&diagnosis.link, name, &mut Likeliest);
        let draws: Vec<String> = (1..=DRAWS)
            .map(|number| scenario(&diagnosis.link, name, &mut Drawn::new(number)).toml)
            .collect();
        let question = Question {
            draws: &draws,
            files: &Traces(&likeliest),
            findings: &diagnosis.findings(),
            ..Question::new(&likeliest.toml, &host)
        };
        let mut advice = Box::new(ask(&question)?);
        let misfits = diagnosis.goodness.iter().filter_map(misfit);
        advice.cautions.extend(misfits);
        Ok(match basis {
            Basis::Least => Self::AtLeast(advice),
            _ => Self::Told(advice),
        })
    }

    /// Advice on which senders to use over the link; `None` if the records tell of no link, of no rate, or of a
    /// rate that losses may have made, so that nothing could be simulated.
    pub fn advice(&self) -> Option<&Advice> {
        match self {
            Self::AtLeast(advice) | Self::Told(advice) => Some(advice),
            Self::Nothing | Self::NoRate | Self::Losses => None,
        }
    }

    /// Heading and plain text of the advice for a page; `None` if the records tell of no link.
    pub fn section(&self) -> Option<(String, String)> {
        let text = match self {
            Self::Nothing => return None,
            Self::NoRate => "No record tells the rate: bring a capture of a transfer, or iperf3's JSON, beside these.\n".to_owned(),
            Self::Losses => "Neither the rate nor the law of the losses is known, and what was carried may be what the \
                             losses left: no sender can be advised. Bring a capture of a transfer, taken at its \
                             sender.\n"
                .to_owned(),
            Self::AtLeast(advice) => {
                format!("The rate is not known; it was taken to be the most that was seen.\n{advice}")
            }
            Self::Told(advice) => advice.to_string(),
        };
        Some((HEADING.to_owned(), text))
    }
}

/// A sentence about a record whose end the link does not fit; `None` if it fits, or was not compared.
fn misfit(goodness: &Goodness) -> Option<String> {
    let names = goodness.wrong().map(|number| number.name.as_str());
    // Quantiles of one thing are named once.
    let mut things: Vec<&str> = names
        .map(|name| name.split_once(',').map_or(name, |(thing, _)| thing))
        .collect();
    things.dedup();
    (!things.is_empty()).then(|| {
        format!(
            "The link simulated here does not fit the end of {} ({}): what hangs on that may be otherwise.",
            goodness.from,
            things.join(", ")
        )
    })
}

/// The trace beside a scenario that is not on the disk.
struct Traces<'a>(&'a Written);

impl Files for Traces<'_> {
    fn text(&self, path: &str) -> Result<String, Unreadable> {
        let trace = self.0.trace.as_ref().filter(|(name, _)| name == path);
        trace
            .map(|(_, text)| text.clone())
            .ok_or(Unreadable::NoFolder)
    }

    fn exists(&self, path: &str) -> bool {
        self.0.trace.as_ref().is_some_and(|(name, _)| name == path)
    }
}

#[cfg(test)]
mod tests;
