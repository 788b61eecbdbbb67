use proptest::prelude::*;

use super::*;
use crate::link::{DropCause, Fate, Jitter, Limit, Link, QueueConfig};

const DELAY: Duration = Duration::from_millis(20);
const SECOND: Duration = Duration::from_secs(1);

/// 1000 bytes take 8 ms at the whole rate.
fn config(steps: Steps) -> LinkConfig {
    LinkConfig {
        steps: Some(Arc::new(steps)),
        ..LinkConfig::new(
            Rate::from_bps(1_000_000),
            DELAY,
            QueueConfig::DropTail(Limit::Packets(1000)),
        )
    }
}

fn shares(every: Duration, share: StepValues<f64>) -> Steps {
    Steps {
        every,
        share: Some(share),
        delay: None,
    }
}

fn delays(every: Duration, delay: StepValues<Duration>) -> Steps {
    Steps {
        every,
        share: None,
        delay: Some(delay),
    }
}

fn link(steps: Steps) -> Link {
    Link::new(config(steps), 1, "sky")
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// The time for which a packet that is sent at `now` is under way.
fn takes(link: &mut Link, now: Time, size: u32) -> Duration {
    match link.send(now, size) {
        Fate::Arrives { at, .. } => at.since(now),
        Fate::Dropped(cause) => panic!("{cause:?}"),
    }
}

#[test]
fn the_rate_is_that_of_the_step() {
    let mut link = link(shares(SECOND, StepValues::InTurn(vec![1.0, 0.25, 0.5])));
    for (at, transmission) in [(0, 8), (1000, 32), (2000, 16), (3000, 8), (4500, 32)] {
        let expected = Duration::from_millis(transmission) + DELAY;
        assert_eq!(takes(&mut link, ms(at), 1000), expected, "{at}");
    }
}

#[test]
fn a_packet_may_take_several_steps() {
    // Of 2500 bytes, 8 ms send 1000, the next 8 ms 250, then 500, then the other 750 in 6 ms.
    let steps = shares(
        Duration::from_millis(8),
        StepValues::InTurn(vec![1.0, 0.25, 0.5]),
    );
    let mut link = link(steps);
    let expected = Duration::from_millis(8 + 8 + 8 + 6) + DELAY;
    assert_eq!(takes(&mut link, Time::ZERO, 2500), expected);
    // The link is busy until then; the other 2 ms send 250 bytes, and 8 ms at a quarter the rest.
    assert_eq!(
        takes(&mut link, Time::ZERO, 500),
        Duration::from_millis(40) + DELAY
    );
}

#[test]
fn the_delay_is_that_of_the_step_in_which_a_packet_leaves() {
    let [five, nine] = [5, 9].map(Duration::from_millis);
    let mut link = link(delays(SECOND, StepValues::InTurn(vec![five, nine])));
    let extra = |link: &mut Link, at| {
        takes(link, at, 1000).saturating_sub(DELAY + Duration::from_millis(8))
    };
    assert_eq!(extra(&mut link, ms(0)), five);
    // It leaves at the very end of the step, which belongs to the next one.
    assert_eq!(extra(&mut link, ms(992)), nine);
    assert_eq!(extra(&mut link, ms(1500)), nine);
    assert_eq!(extra(&mut link, ms(2100)), five);
}

#[test]
fn a_shorter_delay_lets_nobody_overtake() {
    let steps = [Duration::from_millis(100), Duration::ZERO];
    let mut link = link(delays(SECOND, StepValues::InTurn(steps.to_vec())));
    // Leaves at 998 ms, arrives at 1118 ms.
    assert_eq!(takes(&mut link, ms(990), 1000), Duration::from_millis(128));
    // Leaves at 1018 ms and would arrive at 1038 ms.
    assert_eq!(takes(&mut link, ms(1010), 1000), Duration::from_millis(108));
    assert_eq!(takes(&mut link, ms(1110), 1000), Duration::from_millis(28));
}

#[test]
fn jitter_comes_on_top_and_does_not_add_up() {
    let [step, most] = [5, 20].map(Duration::from_millis);
    let mut config = config(delays(SECOND, StepValues::InTurn(vec![step])));
    config.jitter = Some(Jitter::Uniform(Duration::ZERO, most));
    let mut link = Link::new(config, 1, "sky");
    for number in 0..1000 {
        let now = ms(10 * number);
        let more = takes(&mut link, now, 1000).saturating_sub(Duration::from_millis(8) + DELAY);
        assert!((step..step + most).contains(&more), "{number}: {more:?}");
    }
}

#[test]
fn draws_are_spread_evenly_and_are_those_of_the_link() {
    let clock = |name| Clock::new(SECOND, Stream::named(1, name, "steps.share"));
    let any = StepValues::AnyOf(vec![1.0, 0.5, 0.25]);
    let mut counts = [0; 3];
    for number in 0..30_000 {
        match clock("a").value(&any, number) {
            Some(1.0) => counts[0] += 1,
            Some(0.5) => counts[1] += 1,
            _ => counts[2] += 1,
        }
    }
    // Ten thousand each, and a standard deviation of 82.
    assert!(
        counts.iter().all(|n: &i32| (n - 10_000).abs() < 350),
        "{counts:?}"
    );
    let uniform = StepValues::Uniform(0.2, 1.0);
    let draw = |name, number| clock(name).value(&uniform, number).expect("there is one");
    let mean = (0..10_000).map(|number| draw("a", number)).sum::<f64>() / 10_000.0;
    assert!((mean - 0.6).abs() < 0.01, "{mean}");
    assert!((0..100).all(|n| (0.2..1.0).contains(&draw("a", n))));
    assert!((0..100).all(|n| draw("a", n) != draw("b", n)));
}

#[test]
fn without_values_nothing_changes() {
    let mut none = link(shares(SECOND, StepValues::InTurn(Vec::new())));
    assert_eq!(takes(&mut none, ms(5), 1000), Duration::from_millis(28));
    let mut none = link(delays(SECOND, StepValues::AnyOf(Vec::new())));
    assert_eq!(takes(&mut none, ms(5), 1000), Duration::from_millis(28));
}

fn values() -> impl Strategy<Value = StepValues<f64>> {
    prop_oneof![
        prop::collection::vec(0.01..1.0, 1..4).prop_map(StepValues::InTurn),
        prop::collection::vec(0.01..1.0, 1..4).prop_map(StepValues::AnyOf),
        (0.01..1.0).prop_map(|low| StepValues::Uniform(low, 1.0)),
    ]
}

proptest! {
    /// Packets of any sizes, one after the other without a pause, take as long as their bytes take at the
    /// rates of the steps that they lie in.
    #[test]
    fn a_backlog_uses_the_whole_capacity(
        share in values(),
        every in 1_000_000u64..2_000_000_000,
        sizes in prop::collection::vec(40u32..9000, 1..100),
    ) {
        let every = Duration::from_nanos(every);
        let mut link = link(shares(every, share.clone()));
        let mut end = Time::ZERO;
        for &size in &sizes {
            if let Fate::Arrives { at, .. } = link.send(Time::ZERO, size) {
                end = at - DELAY;
            }
        }
        let clock = Clock::new(every, Stream::named(1, "sky", "steps.share"));
        let bits: f64 = sizes.iter().map(|&size| f64::from(size) * 8.0).sum();
        let last = clock.number(end);
        let capacity: f64 = (0..=last)
            .map(|number| {
                let until = clock.end(number).min(end);
                let length = until.since(Time::ZERO + every * number).as_secs_f64();
                length * (clock.value(&share, number).expect("there are some") * 1e6).floor()
            })
            .sum();
        prop_assert!((capacity - bits).abs() < 1.0 + bits * 1e-5, "{} {}", capacity, bits);
    }

    /// A step of the whole rate without an addition is no step.
    #[test]
    fn steps_of_all_are_none(
        packets in prop::collection::vec((0u64..40_000_000, 40u32..9000), 1..60),
        bps in 10_000u64..10_000_000,
        every in 1_000_000u64..1_000_000_000,
    ) {
        let steps = Steps {
            every: Duration::from_nanos(every),
            share: Some(StepValues::InTurn(vec![1.0])),
            delay: Some(StepValues::InTurn(vec![Duration::ZERO])),
        };
        let stepped = LinkConfig { service: Service::Rate(Rate::from_bps(bps)), ..config(steps) };
        let plain = LinkConfig { steps: None, ..stepped.clone() };
        let mut links = [plain, stepped].map(|config| Link::new(config, 1, "sky"));
        let mut now = Time::ZERO;
        for (gap, size) in packets {
            now += Duration::from_nanos(gap);
            let [plain, stepped] = links.each_mut().map(|link| link.send(now, size));
            prop_assert_eq!(plain, stepped);
        }
        let [plain, stepped] = links.map(|link| link.finish(now));
        prop_assert_eq!(plain, stepped);
    }

    #[test]
    fn no_input_panics(
        share in values(),
        every: u64,
        low: u64,
        high: u64,
        packets in prop::collection::vec((any::<u64>(), 0u32..100_000), 0..20),
    ) {
        let steps = Steps {
            // Short steps make long packets slow to compute, as the documentation says.
            every: Duration::from_nanos(every.max(1_000_000)),
            share: Some(share),
            delay: Some(StepValues::Uniform(Duration::from_nanos(low), Duration::from_nanos(high))),
        };
        let mut link = link(steps);
        for (now, size) in packets {
            let fate = link.send(Time::from_nanos(now), size);
            prop_assert_ne!(fate, Fate::Dropped(DropCause::Channel));
        }
        link.finish(Time::MAX);
    }
}

#[test]
fn the_mean_rate_is_that_of_many_steps() {
    let mean = |share| config(shares(SECOND, share)).mean_rate().as_bps();
    assert_eq!(mean(StepValues::InTurn(vec![1.0, 0.25, 0.25])), 500_000);
    assert_eq!(mean(StepValues::AnyOf(vec![1.0, 0.5])), 750_000);
    assert_eq!(mean(StepValues::Uniform(0.25, 0.75)), 500_000);
    assert_eq!(mean(StepValues::InTurn(Vec::new())), 1_000_000);
    let whole = config(delays(SECOND, StepValues::InTurn(vec![DELAY])));
    assert_eq!(whole.mean_rate().as_bps(), 1_000_000);
}
