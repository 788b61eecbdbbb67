//! Every published combination, and every member of a slot, by its name.

use std::sync::LazyLock;

use super::acking::Acking;
use super::config::{
    Composition, CongestionConfig, DetectionConfig, NewRenoConfig, RecoveryConfig, RenoConfig,
    TimeoutConfig,
};
use super::congestion::{CopaConfig, CubicConfig, PragueConfig, VegasConfig, WestwoodConfig};

use super::slot::{Base, Slot};
use super::timeout::BoundedConfig;
use crate::parameter::Family;

pub use super::slot::Member;

/// Published TCP variant: a [`Composition`] of policies with a name.
#[derive(Clone, Debug)]
pub struct Preset {
    /// Name in scenario files.
    pub name: &'static str,
    /// Difference from other variants, in one line.
    pub summary: &'static str,
    /// Where the variant was published.
    pub source: &'static str,
    /// Policies that make the variant: detection, recovery, congestion control, timeout.
    pub composition: Composition,
}

/// List of all presets, in the order in which they are shown to a user: first those that change one policy, from the
/// file of that policy, then those that change several.
pub static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    of_slot(|recovery, base| Composition { recovery, ..base })
        .chain(of_slot(|congestion, base: Composition| {
            base.with_congestion(congestion)
        }))
        .chain(of_slot(|detection, base| Composition { detection, ..base }))
        .chain(of_slot(|timeout, base| Composition { timeout, ..base }))
        .chain(of_several())
        .collect()
});

/// The presets that the members of a slot describe; `put` puts a member into the slot.
fn of_slot<S: Slot>(put: fn(S, Composition) -> Composition) -> impl Iterator<Item = Preset> {
    S::presets().into_iter().map(move |preset| Preset {
        name: preset.name,
        summary: preset.summary,
        source: preset.source,
        composition: put(preset.config, basic(preset.base)),
    })
}

/// RFC 5681 with one of the basic recoveries.
fn basic(base: Base) -> Composition {
    Composition {
        detection: DetectionConfig::Dupacks(3),
        recovery: match base {
            Base::Tahoe => RecoveryConfig::Tahoe,
            Base::Reno => RecoveryConfig::Reno(RenoConfig::DEFAULT),
            Base::NewReno => RecoveryConfig::NewReno(NewRenoConfig::DEFAULT),
            Base::Sack => RecoveryConfig::Sack,
            Base::Sack1 => RecoveryConfig::Sack1,
        },
        congestion: CongestionConfig::Reno,
        timeout: TimeoutConfig::Standard,
        avoid_repeated_recovery: true,
    }
}

/// The presets that change several slots.
fn of_several() -> [Preset; 12] {
    let rack_tlp = |recovery| Composition {
        detection: DetectionConfig::Rack,
        recovery,
        ..basic(Base::Sack)
    };
    [
        Preset {
            name: "vegas",
            summary: "holds a few segments in the queue; fine-grained loss check",
            source: "Brakmo, O'Malley and Peterson 1994",
            composition: Composition {
                detection: DetectionConfig::Vegas,
                ..basic(Base::Reno).with_congestion(CongestionConfig::Vegas(VegasConfig::DEFAULT))
            },
        },
        Preset {
            name: "rack-tlp",
            summary: "losses by time and tail loss probes; SACK recovery with PRR",
            source: "RFC 8985, RFC 6675, RFC 9937",
            composition: rack_tlp(RecoveryConfig::Prr),
        },
        Preset {
            name: "linux",
            summary: "CUBIC with RACK-TLP and PRR; `profile = \"linux\"` adds HyStart and undo",
            source: "RFC 9438, RFC 8985, RFC 9937",
            composition: rack_tlp(RecoveryConfig::Prr)
                .with_congestion(CongestionConfig::Cubic(CubicConfig::DEFAULT)),
        },
        Preset {
            name: "bbr",
            summary: "BBR version 1 as Linux has it: paced by a model of the path; RACK-TLP, SACK",
            source: "Cardwell et al. 2016; draft-cardwell-iccrg-bbr-00; RFC 8985",
            composition: rack_tlp(RecoveryConfig::Sack).with_congestion(CongestionConfig::Bbr),
        },
        Preset {
            name: "prague",
            summary: "DCTCP's cuts for the Internet, paced, in queues of low latency; RACK-TLP, PRR",
            source: "draft-briscoe-iccrg-prague-congestion-control; RFC 8985",
            composition: rack_tlp(RecoveryConfig::Prr)
                .with_congestion(CongestionConfig::Prague(PragueConfig::DEFAULT)),
        },
        Preset {
            name: "bbr3",
            summary: "BBR version 3: as bbr, with bounds that it learns from losses; RACK-TLP, SACK",
            source: "draft-ietf-ccwg-bbr; RFC 8985",
            composition: rack_tlp(RecoveryConfig::Sack).with_congestion(CongestionConfig::Bbr3),
        },
        Preset {
            name: "copa",
            summary: "a rate of 1/(δ·queueing delay), more beside flows that fill the queue; RACK-TLP, SACK",
            source: "Arun and Balakrishnan 2018; RFC 8985",
            composition: rack_tlp(RecoveryConfig::Sack)
                .with_congestion(CongestionConfig::Copa(CopaConfig::DEFAULT)),
        },
        Preset {
            name: "thesis-reno",
            summary: "Reno that keeps half after a timeout, three quarters after a fast retransmit",
            source: "Francis 2012, chapter 4",
            composition: Composition {
                timeout: TimeoutConfig::HalfWindow,
                ..basic(Base::Reno).with_congestion(CongestionConfig::ThreeQuarter)
            },
        },
        Preset {
            name: "westwood-ucla",
            summary: "Westwood as UCLA's ns-2 module has it, Agent/TCP/Westwood: Reno's child, neither inflation nor guard",
            source: "UCLA's TCP Westwood modules for ns-2, v1.3 of 2002-06-21",
            composition: Composition {
                recovery: RecoveryConfig::Reno(RenoConfig {
                    sends_on_dupacks: false,
                    guard: false,
                }),
                ..basic(Base::Reno)
                    .with_congestion(CongestionConfig::Westwood(WestwoodConfig::UCLA))
            },
        },
        Preset {
            name: "westwood-nr-ucla",
            summary: "Westwood as UCLA's ns-2 module has it, Agent/TCP/WestwoodNR: partial ACKs end the inflation",
            source: "UCLA's TCP Westwood modules for ns-2, v1.3 of 2002-06-21",
            composition: Composition {
                recovery: RecoveryConfig::NewReno(NewRenoConfig {
                    starts_inflated: false,
                    deflates: false,
                    patient: true,
                }),
                ..basic(Base::NewReno)
                    .with_congestion(CongestionConfig::Westwood(WestwoodConfig::UCLA))
            },
        },
        // Proposed from the evidence of `skywave rank`; no paper has it.
        Preset {
            name: "westwood-rack",
            summary: "losses by time (RACK-TLP), SACK recovery, Westwood's window",
            source: "docs/compositions.md",
            composition: rack_tlp(RecoveryConfig::Sack)
                .with_congestion(CongestionConfig::Westwood(WestwoodConfig::DEFAULT)),
        },
        // Our own sender for any link: docs/compositions.md has what speaks for it.
        Preset {
            name: "skywave",
            summary: "our own: the path's rate whatever it loses and however its delays vary; CUBIC beside others; RACK-TLP, SACK",
            source: "docs/mechanisms/capacity.md",
            composition: Composition {
                timeout: TimeoutConfig::Bounded(BoundedConfig::DEFAULT),
                ..rack_tlp(RecoveryConfig::Sack).with_congestion(CongestionConfig::Capacity)
            },
        },
    ]
}

/// The preset called `name`; `None` if there is none.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|p| p.name == name)
}

/// Descriptions of all built-in policies: detection, then recovery, congestion, timeout, acking.
pub static MEMBERS: LazyLock<Vec<Member>> = LazyLock::new(|| {
    [
        DetectionConfig::MEMBERS,
        RecoveryConfig::MEMBERS,
        CongestionConfig::MEMBERS,
        TimeoutConfig::MEMBERS,
        Acking::MEMBERS,
    ]
    .concat()
});
