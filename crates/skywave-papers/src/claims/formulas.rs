//! Closed forms of the papers' analyses.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::error::Fault;

/// A closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Formula {
    /// Throughput × RTT × √p of TCP-DCR's cycle of additive increase by `alpha` and decrease to
    /// `gamma` of the window, `tau` round trips after a drop, at loss rate `p` (TCP-DCR section 3.6).
    Aimd,
    /// Segments a round trip from a timeout at window `w` until it is `w` again (SIFEST section 2.3).
    SifestTimeout,
    /// Segments a round trip from a triple duplicate ACK at window `w` until it is `w` again (SIFEST section 2.3).
    SifestDupack,
}

impl Formula {
    /// Names of the formula's arguments.
    const fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Aimd => &["alpha", "gamma", "tau", "p"],
            Self::SifestTimeout | Self::SifestDupack => &["w"],
        }
    }

    /// Value of the formula for these arguments.
    pub(super) fn value(self, at: &BTreeMap<String, f64>) -> Result<f64, Fault> {
        let names = self.arguments();
        if let Some(other) = at.keys().find(|name| !names.contains(&name.as_str())) {
            return Err(Fault::unknown("argument", other, names.iter().copied()));
        }
        let values: Option<Vec<f64>> = names.iter().map(|n| at.get(*n).copied()).collect();
        match (self, values.as_deref()) {
            (Self::Aimd, Some(&[alpha, gamma, tau, p])) => aimd(alpha, gamma, tau, p),
            (Self::SifestTimeout, Some(&[w])) => Ok(sifest_timeout(w)),
            (Self::SifestDupack, Some(&[w])) => Ok(sifest_dupack(w)),
            _ => Err(Fault::new(format!(
                "this formula needs {}",
                names.join(", ")
            ))),
        }
    }
}

/// The cycle from one drop to the next, piece by piece, with the round trip as the unit of time: the
/// window grows for `tau` after the drop, is cut, and grows until the next drop.
fn aimd(alpha: f64, gamma: f64, tau: f64, p: f64) -> Result<f64, Fault> {
    // Equation 5: the window before the cut.
    let top = libm::sqrt(2.0 * alpha / (p * (1.0 - gamma * gamma)));
    let at_drop = top - alpha * tau;
    let bottom = gamma * top;
    if at_drop < bottom || at_drop.is_nan() {
        return Err(Fault::new(
            "with so long a delay the next drop comes before the window is cut",
        ));
    }
    let packets = |from: f64, to: f64| (to * to - from * from) / (2.0 * alpha);
    let sent = packets(at_drop, top) + packets(bottom, at_drop);
    let time = tau + (at_drop - bottom) / alpha;
    // One packet in `sent` is lost.
    Ok(sent / time * libm::sqrt(1.0 / sent))
}

/// Slow start to half the window, then linear growth to the window; the wait for the timer not
/// counted.
fn sifest_timeout(w: f64) -> f64 {
    (w - 2.0 + 3.0 * w * w / 8.0) / (libm::log2(w) - 1.0 + w / 2.0)
}

/// Linear growth from half the window.
fn sifest_dupack(w: f64) -> f64 {
    3.0 * w / 4.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a / b - 1.0).abs() < 1e-12, "{a}, not {b}");
    }

    #[test]
    fn the_ordinary_law_is_the_root_of_three_halves_whatever_the_delay() {
        for tau in [0.0, 0.5, 1.0, 2.0] {
            near(aimd(1.0, 0.5, tau, 0.01).unwrap(), libm::sqrt(1.5));
        }
        // Equation 6 in general.
        let equation =
            |alpha: f64, gamma: f64| libm::sqrt(alpha * (1.0 + gamma) / (2.0 * (1.0 - gamma)));
        near(aimd(0.3, 0.8, 1.5, 0.001).unwrap(), equation(0.3, 0.8));
        assert!(aimd(1.0, 0.5, 100.0, 0.01).is_err());
    }

    #[test]
    fn a_timeout_costs_more_than_three_duplicate_acks() {
        near(sifest_timeout(4.0), 8.0 / 3.0);
        near(sifest_timeout(8.0), 5.0);
        near(sifest_timeout(16.0), 10.0);
        near(sifest_dupack(16.0), 12.0);
        near(sifest_timeout(2.0), sifest_dupack(2.0));
    }

    #[test]
    fn arguments_have_to_be_there_and_known() {
        let at = |pairs: &[(&str, f64)]| -> BTreeMap<String, f64> {
            pairs.iter().map(|(n, x)| ((*n).to_owned(), *x)).collect()
        };
        assert_eq!(Formula::SifestDupack.value(&at(&[("w", 4.0)])), Ok(3.0));
        assert!(Formula::SifestDupack.value(&at(&[])).is_err());
        assert!(
            Formula::SifestDupack
                .value(&at(&[("w", 4.0), ("v", 1.0)]))
                .is_err()
        );
    }
}
