//! Why each variant was slow: what limited it, and how its losses were found.

use serde::Serialize;
use skywave_sim::losses::{Found, LossCause, LossTable};
use skywave_sim::outcome::FlowOutcome;

use super::grid::Grid;
use super::study::{FlowLabel, Study};
use crate::experiment::Results;
use crate::scenario::transport_name;

/// Variants that a page has room for.
const MAX_VARIANTS: usize = 40;

/// A share of the open time: its name, and where the outcome has it. In the order of the bar.
type Share = (&'static str, fn(&FlowOutcome) -> Option<f64>);

const SHARES: [Share; 7] = [
    ("cwnd", |o| o.share_cwnd),
    ("receiver's window", |o| o.share_rwnd),
    ("application", |o| o.share_application),
    ("fast recovery", |o| o.share_recovery),
    ("pacing", |o| o.share_pacing),
    ("waiting for a timeout", |o| o.share_timeout),
    ("handshake", |o| o.share_handshake),
];

const CAUSES: [(LossCause, &str); LossCause::ALL.len()] = [
    (LossCause::Queue, "full queue"),
    (LossCause::Early, "early drop"),
    (LossCause::Channel, "channel"),
    (LossCause::Blackout, "blackout"),
    (LossCause::Corruption, "damage"),
    (LossCause::NoRoute, "no route"),
];

const FOUND: [(Found, &str); Found::ALL.len()] = [
    (Found::Dupacks, "dupacks"),
    (Found::PartialAck, "partial ACK"),
    (Found::Sack, "SACK"),
    (Found::Detector, "detector"),
    (Found::Probe, "probe"),
    (Found::Timeout, "timeout"),
    (Found::Agent, "agent"),
    (Found::Unnoticed, "unnoticed"),
    (Found::Open, "open"),
];

/// The part of the page about it.
#[derive(Debug, Serialize)]
pub(super) struct Why {
    /// Names of the shares, in the order of the bars.
    legend: Vec<&'static str>,
    bars: Vec<Bar>,
    losses: Grid,
    left_out: usize,
}

impl Why {
    /// Whether there is anything to show.
    pub(super) fn is_worth(&self) -> bool {
        !self.bars.is_empty()
    }
}

/// One variant's time.
#[derive(Debug, Serialize)]
struct Bar {
    variant: String,
    /// Shares of the time in percent.
    shares: Vec<String>,
}

/// The flows of one variant in all runs.
struct Variant<'a> {
    label: &'a FlowLabel,
    sums: [f64; SHARES.len()],
    /// Flows that had an open connection.
    flows: u64,
    losses: LossTable,
}

/// All TCP flows, pooled over points and seeds by what they are.
pub(super) fn why(study: &Study, results: &Results) -> Why {
    let mut variants = variants(study, results);
    let left_out = variants.len().saturating_sub(MAX_VARIANTS);
    variants.truncate(MAX_VARIANTS);
    let first = variants.first().map(|v| &v.label.group);
    let groups = variants.iter().any(|v| Some(&v.label.group) != first);
    let name = |v: &Variant<'_>| {
        let transport = transport_name(&v.label.transport);
        if groups {
            format!("{transport} ({})", v.label.group)
        } else {
            transport
        }
    };
    let bars = variants.iter().map(|v| Bar {
        variant: name(v),
        shares: v.sums.iter().map(|s| percent(s / v.flows as f64)).collect(),
    });
    Why {
        legend: SHARES.iter().map(|(name, _)| *name).collect(),
        bars: bars.collect(),
        losses: losses(&variants, name),
        left_out,
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

fn variants<'a>(study: &'a Study, results: &Results) -> Vec<Variant<'a>> {
    let mut variants: Vec<Variant<'a>> = Vec::new();
    for (point, _, run) in results.iter() {
        let labels = study.points.get(point).map_or(&[][..], |p| &p.flows);
        for (label, flow) in labels.iter().zip(&run.outcome.flows) {
            let shares = SHARES.map(|(_, get)| get(flow));
            if shares.iter().any(Option::is_none) {
                continue;
            }
            let at = variants.iter().position(|v| v.label == label);
            let at = at.unwrap_or_else(|| {
                variants.push(Variant {
                    label,
                    sums: [0.0; SHARES.len()],
                    flows: 0,
                    losses: LossTable::default(),
                });
                variants.len() - 1
            });
            let variant = &mut variants[at];
            variant.flows += 1;
            for (sum, share) in variant.sums.iter_mut().zip(shares.into_iter().flatten()) {
                *sum += share;
            }
            variant.losses += &flow.losses;
        }
    }
    variants
}

/// Causes down, ways to find a loss across; only those that occur.
fn losses(variants: &[Variant<'_>], name: impl Fn(&Variant<'_>) -> String) -> Grid {
    let occurs = |(found, _): &&(Found, &str)| variants.iter().any(|v| v.losses.found(*found) > 0);
    let found: Vec<_> = FOUND.iter().filter(occurs).collect();
    let mut head = vec!["transport".to_owned(), "lost by".to_owned()];
    head.extend(found.iter().map(|(_, name)| (*name).to_owned()));
    head.push("all".to_owned());
    let mut rows = Vec::new();
    for variant in variants {
        for (cause, cause_name) in CAUSES {
            let all = variant.losses.of_cause(cause);
            if all == 0 {
                continue;
            }
            let mut row = vec![name(variant), cause_name.to_owned()];
            let counts = found.iter().map(|(f, _)| variant.losses.count(cause, *f));
            row.extend(counts.chain([all]).map(|n| n.to_string()));
            rows.push(row);
        }
    }
    Grid {
        title: "Lost data packets by cause, and what made the sender send each again, in all runs (unnoticed: \
                sent again among others, or a copy had arrived; open: not yet at the end)"
            .to_owned(),
        head,
        names: 2,
        rows,
        left_out: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::SHARES;
    use crate::report::html::CSS;

    #[test]
    fn every_share_has_a_colour() {
        for (index, (name, _)) in SHARES.iter().enumerate() {
            assert!(CSS.contains(&format!(".k{index}{{background:")), "{name}");
        }
    }
}
