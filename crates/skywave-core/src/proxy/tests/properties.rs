//! What holds of a proxy on any path, with any transports and policies.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::packet::Segment;
use crate::rng::Stream;
use crate::tcp::PRESETS;

const SOURCE: usize = 0;
const FROM_SOURCE: usize = 1;
const TO_DESTINATION: usize = 2;
const DESTINATION: usize = 3;

#[derive(Clone, Debug)]
struct Plan {
    near: usize,
    far: usize,
    buffer: u32,
    bytes: u64,
    /// Of each hop: share of segments lost, and of those that are late.
    hops: [(f64, f64); 2],
    policy: TowardsSource,
    release: TowardsDestination,
    fails_after: Option<u64>,
    seed: u64,
}

fn plans() -> impl Strategy<Value = Plan> {
    let preset = 0..PRESETS.len();
    let hop = (0.0..0.15f64, 0.0..0.1f64);
    let policy = prop_oneof![
        Just(TowardsSource::Plain),
        (1u32..4).prop_map(TowardsSource::Window),
        Just(TowardsSource::EndToEnd(EndToEnd::default())),
    ];
    let paced = |cooperates| {
        TowardsDestination::Paced(Paced {
            cooperates,
            ..Paced::default()
        })
    };
    let release = prop_oneof![
        Just(TowardsDestination::AtOnce),
        Just(TowardsDestination::Spaced(Spaced::default())),
        any::<bool>().prop_map(paced),
    ];
    (
        preset.clone(),
        preset,
        MSS..60_000u32,
        1u64..120_000,
        [hop.clone(), hop],
        policy,
        release,
        prop::option::weighted(0.3, 10u64..2_000),
        any::<u64>(),
    )
        .prop_map(
            |(near, far, buffer, bytes, hops, policy, release, fails_after, seed)| Plan {
                near,
                far,
                buffer,
                bytes,
                hops,
                policy,
                release,
                fails_after,
                seed,
            },
        )
}

/// Four ends, two hops, and segments on their way.
struct World {
    now: Time,
    ends: [Connection; 4],
    proxy: Proxy,
    path: BTreeMap<(Time, u64), (usize, Segment)>,
    sent: u64,
    chance: Stream,
    plan: Plan,
    failed: bool,
    /// Payload that the source was told of as acknowledged.
    told: u64,
}

fn tcp(preset: usize, rwnd: u32, timestamps: bool) -> TcpConfig {
    let composition = PRESETS[preset].composition.clone();
    let config = TcpConfig::new(Profile::Rfc, composition);
    TcpConfig {
        mss: MSS,
        rwnd,
        timestamps: config.timestamps && timestamps,
        ..config
    }
}

impl World {
    fn new(plan: Plan) -> Self {
        let allows = plan.policy.allows_timestamps();
        let end = |config: TcpConfig, freezes: bool| {
            Connection::new(ConnectionConfig {
                freezes,
                ..ConnectionConfig::from(config)
            })
        };
        let freezes = plan.policy.freezes_source();
        let mut ends = [
            end(tcp(plan.near, 1 << 20, true), freezes),
            end(tcp(plan.near, plan.buffer, allows), false),
            end(tcp(plan.far, 1 << 20, true), false),
            end(tcp(plan.far, 1 << 20, true), false),
        ];
        let config = ProxyConfig {
            towards_source: plan.policy,
            towards_destination: plan.release,
        };
        config.listen(&mut ends[FROM_SOURCE], MSS);
        ends[DESTINATION].open_passive();
        ends[SOURCE].open_active();
        ends[SOURCE].write(plan.bytes);
        ends[SOURCE].close();
        Self {
            now: Time::ZERO,
            ends,
            proxy: Proxy::new(config),
            path: BTreeMap::new(),
            sent: 0,
            chance: Stream::named(plan.seed, "proxy", "fate"),
            plan,
            failed: false,
            told: 0,
        }
    }

    fn is_dead(&self, end: usize) -> bool {
        self.failed && (end == FROM_SOURCE || end == TO_DESTINATION)
    }

    fn pump(&mut self) {
        if !self.failed {
            let [_, from_source, to_destination, _] = &mut self.ends;
            self.proxy.work(self.now, from_source, to_destination);
        }
        for end in 0..4 {
            if self.is_dead(end) {
                continue;
            }
            while let Some(out) = self.ends[end].poll_transmit(self.now) {
                if end == FROM_SOURCE {
                    self.check_grant(&out.segment);
                }
                self.sent += 1;
                let (lost, late) = self.plan.hops[end / 2];
                let late = u64::from(self.chance.chance(late)) * 30;
                let at = self.now + Duration::from_millis(10 + late);
                if !self.chance.chance(lost) {
                    self.path.insert((at, self.sent), (end ^ 1, out.segment));
                }
            }
        }
        self.check();
    }

    /// The source may never send what the proxy has no room for.
    fn check_grant(&mut self, segment: &Segment) {
        if segment.is_syn() {
            return;
        }
        let near = self.ends[FROM_SOURCE].receiver().next();
        let iss = self.ends[SOURCE].sender().config().iss;
        let ack = segment.ack.expand(iss, near).expect("a position");
        let done = self.ends[TO_DESTINATION].acknowledged();
        assert!(
            ack + u64::from(segment.window) <= 1 + done + u64::from(self.plan.buffer),
            "grants more than there is room"
        );
        let finished = self.ends[FROM_SOURCE].receiver().is_finished();
        self.told = self.told.max(ack - 1).min(self.plan.bytes);
        if matches!(self.plan.policy, TowardsSource::EndToEnd(_)) {
            assert!(self.told <= done, "acknowledges what has not arrived");
        } else {
            assert!(self.told <= self.ends[FROM_SOURCE].received() || finished);
        }
    }

    fn check(&self) {
        let [source, from_source, to_destination, destination] = &self.ends;
        assert!(self.proxy.buffered(from_source) <= u64::from(self.plan.buffer));
        // In order, each byte once: what is handed over is what has come.
        let written = to_destination.acknowledged()
            + to_destination.unsent()
            + (to_destination.sender().flight().max() - to_destination.sender().flight().una());
        let syn = u64::from(!to_destination.state().is_synchronized());
        if to_destination.state() != State::Closed && !self.failed {
            assert!(written <= from_source.received() + syn + 2);
        }
        assert!(destination.received() <= from_source.received());
        assert!(from_source.received() <= self.plan.bytes);
        assert!(source.acknowledged() <= self.told);
    }

    /// The next arrival or timer; false when nothing is left.
    fn step(&mut self) -> bool {
        let arrival = self.path.first_key_value().map(|(&(at, _), _)| at);
        let timers = (0..4).filter(|&end| !self.is_dead(end));
        let timers = timers.filter_map(|end| self.ends[end].next_timer());
        let own = self.proxy.next_timer().filter(|_| !self.failed);
        let Some(next) = timers.chain(own).chain(arrival).min() else {
            return false;
        };
        assert!(next >= self.now, "a timer in the past");
        self.now = next;
        if arrival == Some(next)
            && let Some((_, (to, segment))) = self.path.pop_first()
        {
            if !self.is_dead(to) {
                self.ends[to].on_segment(self.now, &segment, Way::default());
            }
        } else {
            for end in (0..4).filter(|&end| !self.is_dead(end)).collect::<Vec<_>>() {
                self.ends[end].on_timer(self.now);
            }
        }
        self.ends[DESTINATION].read(u64::MAX);
        self.pump();
        true
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn nothing_is_lost_doubled_or_held_beyond_the_buffer(plan in plans()) {
        let mut world = World::new(plan.clone());
        world.pump();
        let mut steps = 0u64;
        let finished = |world: &World| world.ends[DESTINATION].receiver().is_finished();
        while steps < 200_000 && !finished(&world) {
            if plan.fails_after == Some(steps) {
                world.failed = true;
                break;
            }
            prop_assert!(world.step(), "quiet at {:?}", world.now);
            steps += 1;
        }
        if !world.failed {
            prop_assert!(finished(&world), "still busy at {:?}", world.now);
            prop_assert_eq!(world.ends[DESTINATION].received(), plan.bytes);
            return Ok(());
        }
        // Nothing comes out of a dead proxy but what is on its way already.
        while world.path.values().any(|&(to, _)| to == SOURCE || to == DESTINATION) {
            world.step();
        }
        let [source, .., destination] = &world.ends;
        let lost = source.acknowledged().saturating_sub(destination.received());
        prop_assert!(lost <= u64::from(plan.buffer));
        if matches!(plan.policy, TowardsSource::EndToEnd(_)) {
            prop_assert_eq!(lost, 0, "the source believes what is not true");
        }
    }
}
