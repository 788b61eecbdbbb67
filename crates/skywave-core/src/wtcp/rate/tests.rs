use super::*;

/// Round trip of all scripts: α is one packet a second, an epoch two seconds.
const RTT: Duration = Duration::from_secs(1);
const SILENCE: Duration = Duration::from_secs(5);

/// A receiver's rate control, and packets that arrive there.
struct Script {
    rate: RateControl,
    now: Time,
    control: Control,
    /// Number of the ACK that would announce the next change; the sender has received it at once.
    next_ack: u64,
}

impl Script {
    /// At `rate` packets a second, one packet in.
    fn new(rate: u32, config: &Config) -> Self {
        let separation = Micros(1_000_000 / rate);
        let mut script = Self {
            rate: RateControl::new(config, separation, 0),
            now: Time::ZERO,
            control: Control {
                separation,
                ..Control::default()
            },
            next_ack: 1,
        };
        script.arrive(0, 0, true);
        script
    }

    /// A packet arrives `ms` after the latest, `lost` packets missing before it.
    fn arrive(&mut self, ms: u64, lost: u64, data: bool) -> Option<RateChange> {
        self.arrive_after(Duration::from_millis(ms), lost, data)
    }

    fn arrive_after(&mut self, pktsep: Duration, lost: u64, data: bool) -> Option<RateChange> {
        self.now += pktsep;
        self.control.ctrl_seq += 1 + lost;
        let arrival = Arrival {
            now: self.now,
            control: &self.control,
            data,
            rtt: RTT,
            silence: SILENCE,
        };
        let change = self.rate.on_packet(&arrival, self.next_ack);
        let run = u64::from(self.control.run) + 1 + lost;
        self.control.run = run.min(255) as u8;
        change
    }

    /// The sender uses the rate that it was last told.
    fn use_latest(&mut self) {
        self.control.hack_seq = self.next_ack;
        self.next_ack += 1;
        self.control.separation = self.rate.separation();
        self.control.gap = self.control.separation;
    }

    /// One epoch in which the gaps at the receiver are `ratio` times those at the sender.
    fn epoch(&mut self, ratio: f64) -> Option<RateChange> {
        self.use_latest();
        let pktsep = self.control.gap.to_duration().mul_f64(ratio);
        (0..10_000).find_map(|_| self.arrive_after(pktsep, 0, true))
    }

    #[track_caller]
    fn expect_rate(&self, rate: f64) {
        let actual = self.rate.rate();
        assert!((actual - rate).abs() < 1e-3 * rate, "{actual}, not {rate}");
    }
}

fn script(rate: u32) -> Script {
    Script::new(rate, &Config::default())
}

#[test]
fn the_rate_grows_by_one_packet_a_round_trip_while_the_ratio_is_low() {
    let mut s = script(10);
    for rate in [11.0, 12.0, 13.0] {
        assert_eq!(s.epoch(1.0), Some(RateChange::Increase));
        s.expect_rate(rate);
    }
}

#[test]
fn the_threshold_is_one_plus_alpha_times_the_receive_separation() {
    // At 10 packets a second: 1 + 1 x 1.12 x 0.1 = 1.112 is below the ratio, 1 + 1.11 x 0.1 = 1.111 above.
    assert_eq!(script(10).epoch(1.12), Some(RateChange::Decrease));
    assert_eq!(script(10).epoch(1.11), Some(RateChange::Increase));
}

#[test]
fn back_to_back_decreases_double_to_a_half() {
    let mut s = script(1000);
    let mut rate = 1000.0;
    for delta in [0.1, 0.2, 0.4, 0.5, 0.5] {
        assert_eq!(s.epoch(3.0), Some(RateChange::Decrease));
        rate *= 1.0 - delta;
        s.expect_rate(rate);
    }
}

#[test]
fn an_increase_resets_the_decrease() {
    let mut s = script(100);
    for (ratio, change) in [
        (1.0, RateChange::Increase),
        (2.0, RateChange::Decrease),
        (2.0, RateChange::Decrease),
        (0.0625, RateChange::Decrease),
        (0.0625, RateChange::Increase),
    ] {
        assert_eq!(s.epoch(ratio), Some(change));
    }
    let before = s.rate.rate();
    assert_eq!(s.epoch(3.0), Some(RateChange::Decrease));
    s.expect_rate(before * 0.9);
}

#[test]
fn the_long_term_average_gives_an_eighth_to_the_latest_epoch() {
    let mut average = LongTermAverage::new(&Config::default().rate);
    assert_eq!(average.add(1.0), 1.0);
    assert_eq!(average.add(2.0), 1.125);
    assert_eq!(average.add(2.0), 1.125 + 0.875 / 8.0);
}

#[test]
fn an_average_of_six_epochs_forgets_the_seventh() {
    let config = RateConfig {
        long_term: LongTerm::Epochs(6),
        ..Config::default().rate
    };
    let mut average = LongTermAverage::new(&config);
    average.add(100.0);
    for _ in 0..5 {
        assert!(average.add(1.0) > 1.0);
    }
    assert_eq!(average.add(1.0), 1.0);
    // Shares 7/8 and 1 of an average over two.
    let mut average = LongTermAverage::new(&config);
    average.add(1.0);
    assert_eq!(average.add(2.0), (0.875 + 2.0) / 1.875);
}

#[test]
fn an_epoch_lasts_two_round_trips_from_the_first_packet_at_the_rate() {
    let mut s = script(10);
    // The sender has not seen the rate yet: nothing is counted.
    s.rate.epoch = Epoch::waiting(1);
    for _ in 0..50 {
        assert_eq!(s.arrive(100, 0, true), None);
    }
    s.use_latest();
    let arrivals = (1..100).find(|_| s.arrive(100, 0, true).is_some());
    // One packet to begin it, 20 more in two seconds.
    assert_eq!(arrivals, Some(21));
}

#[test]
fn the_mean_of_the_epoch_counts() {
    let mut s = script(10);
    s.use_latest();
    // Ratios 1.5 and 0.5 by turns: a mean of 1.
    let change = (0..100).find_map(|n| s.arrive(if n % 2 == 0 { 150 } else { 50 }, 0, true));
    assert_eq!(change, Some(RateChange::Increase));
}

#[test]
fn probes_and_their_neighbours_are_no_samples() {
    let mut s = script(10);
    s.use_latest();
    for n in 0..100 {
        assert_eq!(s.arrive(100, 0, n % 2 == 0), None);
    }
}

#[test]
fn losses_at_the_usual_separation_are_random() {
    let mut s = script(10);
    s.use_latest();
    for _ in 0..10 {
        assert_eq!(s.arrive(100, 0, true), None);
    }
    // Three lost: four separations pass.
    assert_eq!(s.arrive(400, 3, true), None);
    s.expect_rate(10.0);
}

#[test]
fn losses_at_another_separation_halve_the_rate_once() {
    for ms in [200, 700] {
        let mut s = script(10);
        s.use_latest();
        for _ in 0..10 {
            assert_eq!(s.arrive(100, 0, true), None);
        }
        assert_eq!(s.arrive(ms, 3, true), Some(RateChange::Loss), "{ms} ms");
        s.expect_rate(5.0);
        // Packets sent before the sender knew do not halve the rate again.
        assert_eq!(s.arrive(ms, 3, true), None);
        s.use_latest();
        // The first packet at the new rate confirms it; earlier losses were of packets sent before.
        assert_eq!(s.arrive(ms, 1, true), None);
        s.expect_rate(5.0);
        assert_eq!(s.arrive(1500, 1, true), Some(RateChange::Loss));
        s.expect_rate(2.5);
    }
}

#[test]
fn a_change_of_rate_alone_is_no_congestion() {
    let mut s = script(10);
    for _ in 0..5 {
        s.epoch(1.0);
    }
    s.use_latest();
    s.control.separation = Micros(500_000);
    s.control.gap = s.control.separation;
    s.arrive(500, 0, true);
    assert_eq!(
        s.arrive(1000, 1, true),
        None,
        "5 times as far apart, as sent"
    );
}

#[test]
fn a_first_epoch_that_corrects_gives_the_rate_that_arrives_and_is_forgotten() {
    let mut config = Config::default();
    config.setup.first_epoch_corrects = true;
    let mut s = Script::new(20, &config);
    assert_eq!(s.epoch(2.0), Some(RateChange::Decrease));
    s.expect_rate(10.0);
    assert_eq!(s.epoch(1.0), Some(RateChange::Increase));
    s.expect_rate(11.0);
    // Later changes are not limited.
    assert_eq!(s.epoch(20.0), Some(RateChange::Decrease));
    s.expect_rate(9.9);
    // A normal epoch changes the rate as always.
    let mut s = Script::new(10, &config);
    assert_eq!(s.epoch(1.0), Some(RateChange::Increase));
    s.expect_rate(11.0);
}

#[test]
fn a_packet_that_was_sent_late_is_no_congestion() {
    let mut s = script(10);
    s.use_latest();
    for _ in 0..10 {
        s.arrive(100, 0, true);
    }
    // One packet is lost, and the next one comes three times as late as usual; its sender reports a gap of
    // that length.
    s.control.gap = Micros(300_000);
    assert_eq!(s.arrive(400, 1, true), None);
    // The same, but its sender reports no gap.
    s.control.gap = Micros(100_000);
    assert_eq!(s.arrive(400, 1, true), Some(RateChange::Loss));
}

#[test]
fn a_pause_of_the_sender_is_neither_sample_nor_congestion() {
    let mut s = script(10);
    s.use_latest();
    for _ in 0..10 {
        s.arrive(100, 0, true);
    }
    s.control.run = 0;
    assert_eq!(s.arrive(700, 0, true), None);
    // A loss after the pause; the first packets after the pause are among the lost ones.
    s.control.run = 2;
    assert_eq!(s.arrive(200, 2, true), None);
    s.control.run = 4;
    assert_eq!(s.arrive(200, 2, true), Some(RateChange::Loss));
}

#[test]
fn a_silence_changes_nothing_and_begins_the_epoch_anew() {
    let mut s = script(10);
    s.use_latest();
    for _ in 0..15 {
        assert_eq!(s.arrive(110, 0, true), None);
    }
    assert_eq!(s.arrive(60_000, 7, true), None);
    assert_eq!(s.arrive(6000, 0, true), None, "held back, not lost");
    s.expect_rate(10.0);
    let arrivals = (1..100).find(|_| s.arrive(100, 0, true).is_some());
    assert_eq!(arrivals, Some(20));
}

#[test]
fn packets_that_were_overtaken_are_ignored() {
    let mut s = script(10);
    s.use_latest();
    for _ in 0..5 {
        s.arrive(100, 0, true);
    }
    s.arrive(200, 1, true);
    let before = s.rate.clone();
    s.control.ctrl_seq -= 2;
    s.arrive(10, 0, true);
    assert_eq!(format!("{before:?}"), format!("{:?}", s.rate));
}

#[test]
fn the_rate_stays_within_its_bounds() {
    let config = Config {
        min_separation: Micros(90_000),
        max_separation: Micros(200_000),
        ..Config::default()
    };
    let mut s = Script::new(10, &config);
    for _ in 0..5 {
        s.epoch(1.0);
    }
    s.expect_rate(1e6 / 90_000.0);
    for _ in 0..20 {
        s.epoch(9.0);
    }
    s.expect_rate(5.0);
}
