//! What a path and an application do, drawn by proptest.

use proptest::collection::vec;
use proptest::prelude::*;
use skywave_core::tcp::{
    Acking, Composition, CongestionConfig, Counting, DetectionConfig, Handshake, PRESETS, Profile,
    RecoveryConfig, TcpConfig,
};
use skywave_core::{Duration, Segments};

/// What happens to one packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    Deliver,
    Lose,
    /// A second copy follows this many milliseconds later.
    Duplicate(u64),
    /// It arrives this many milliseconds later than it should.
    Delay(u64),
}

/// What the application does before it closes the connection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Write {
    /// Hands over this many bytes.
    Bytes(u64),
    /// Waits this many milliseconds.
    Pause(u64),
}

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) mss: u32,
    /// Window of the receiver: whole segments and some bytes.
    pub(crate) window: (u32, u32),
    /// One-way delay in milliseconds.
    pub(crate) delay: u64,
    pub(crate) writes: Vec<Write>,
    /// Fates of the data sender's packets, in turn.
    pub(crate) data: Vec<Fate>,
    /// Fates of the receiver's.
    pub(crate) acks: Vec<Fate>,
}

impl Plan {
    pub(crate) fn rwnd(&self) -> u32 {
        self.window.0 * self.mss + self.window.1
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.writes
            .iter()
            .map(|w| match w {
                Write::Bytes(bytes) => *bytes,
                Write::Pause(_) => 0,
            })
            .sum()
    }
}

/// An initial sequence number from which the transfer of `plan` wraps.
pub(crate) fn near_the_wrap(plan: &Plan) -> u32 {
    u32::MAX - (plan.bytes() / 2) as u32
}

fn any_fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        6 => Just(Fate::Deliver),
        2 => Just(Fate::Lose),
        1 => (0u64..400).prop_map(Fate::Duplicate),
        1 => (1u64..400).prop_map(Fate::Delay),
    ]
}

/// Runs of fates: single ones and bursts.
fn any_fates() -> impl Strategy<Value = Vec<Fate>> {
    let burst = prop_oneof![
        5 => (any_fate(), 1usize..4),
        2 => (Just(Fate::Deliver), 1usize..40),
        1 => (Just(Fate::Lose), 1usize..12),
    ];
    vec(burst, 0..25).prop_map(|bursts| {
        bursts
            .into_iter()
            .flat_map(|(fate, n)| std::iter::repeat_n(fate, n))
            .collect()
    })
}

fn any_write() -> impl Strategy<Value = Write> {
    prop_oneof![
        4 => (1u64..20_000).prop_map(Write::Bytes),
        2 => (1u64..700).prop_map(Write::Bytes),
        1 => (1u64..3000).prop_map(Write::Pause),
    ]
}

prop_compose! {
    pub(crate) fn any_plan()(
        mss in prop_oneof![Just(100u32), Just(536), Just(1460)],
        window in (0u32..80, 50u32..100),
        delay in 0u64..200,
        writes in vec(any_write(), 0..8),
        data in any_fates(),
        acks in any_fates(),
    ) -> Plan {
        Plan { mss, window, delay, writes, data, acks }
    }
}

fn any_composition() -> impl Strategy<Value = Composition> {
    let detection = prop_oneof![
        4 => Just(DetectionConfig::Dupacks(3)),
        1 => (1u32..8).prop_map(DetectionConfig::Dupacks),
        2 => Just(DetectionConfig::Vegas),
    ];
    let recovery = prop_oneof![
        Just(RecoveryConfig::Tahoe),
        Just(RecoveryConfig::Reno),
        Just(RecoveryConfig::NewReno),
        Just(RecoveryConfig::Sack),
        Just(RecoveryConfig::Sack1),
    ];
    let congestion = (0..PRESETS.len()).prop_map(|n| PRESETS[n].composition.congestion.clone());
    (detection, recovery, congestion, any::<bool>()).prop_map(
        |(detection, recovery, congestion, avoid_repeated_recovery)| Composition {
            detection,
            recovery,
            congestion,
            avoid_repeated_recovery,
            ..PRESETS[0].composition
        },
    )
}

prop_compose! {
    fn any_switches()(
        whole_ssthresh: bool,
        limited_transmit: bool,
        impatient: bool,
        timestamps: bool,
        sack in prop::bool::weighted(0.8),
        dsack: bool,
        fin: bool,
        three_way: bool,
    ) -> [bool; 8] {
        [whole_ssthresh, limited_transmit, impatient, timestamps, sack, dsack, fin, three_way]
    }
}

prop_compose! {
    /// Any members in the slots, any switches, any profile's timers.
    pub(crate) fn any_config()(
        composition in any_composition(),
        profile in prop_oneof![Just(Profile::Ns2), Just(Profile::Bsd), Just(Profile::Rfc)],
        initial_window in 1u32..12,
        initial_ssthresh in proptest::option::of(2u32..40),
        counting in prop_oneof![Just(Counting::Acks), (1u32..4).prop_map(Counting::Bytes)],
        acking in prop_oneof![
            Just(Acking::EverySegment),
            (1u32..4).prop_map(|every| Acking::Delayed {
                every,
                timeout: Duration::from_millis(200),
            }),
        ],
        iss in prop_oneof![Just(0), any::<u32>(), Just(u32::MAX), Just(u32::MAX - 3000)],
        switches in any_switches(),
    ) -> TcpConfig {
        let [whole_ssthresh, limited_transmit, impatient, timestamps, sack, dsack, fin, three_way] =
            switches;
        TcpConfig {
            initial_window: Segments(f64::from(initial_window)),
            initial_ssthresh: initial_ssthresh.map(|s| Segments(f64::from(s))),
            whole_ssthresh,
            counting,
            limited_transmit,
            impatient,
            timestamps,
            sack,
            dsack,
            handshake: if three_way { Handshake::ThreeWay } else { Handshake::None },
            fin,
            acking,
            iss,
            ..TcpConfig::new(profile, composition)
        }
    }
}

/// CUBIC is the only member whose growth depends on the clock: keep it among those drawn.
#[test]
fn the_presets_cover_every_congestion_member() {
    let has = |wanted: fn(&CongestionConfig) -> bool| {
        assert!(PRESETS.iter().any(|p| wanted(&p.composition.congestion)));
    };
    has(|c| matches!(c, CongestionConfig::Reno));
    has(|c| matches!(c, CongestionConfig::Vegas(_)));
    has(|c| matches!(c, CongestionConfig::Veno(_)));
    has(|c| matches!(c, CongestionConfig::Westwood(_)));
    has(|c| matches!(c, CongestionConfig::Cubic(_)));
    has(|c| matches!(c, CongestionConfig::Cerl(_)));
}
