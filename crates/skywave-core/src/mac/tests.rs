use super::frame::{ACK_BYTES, CTS_BYTES};
use super::*;
use crate::link::{DropCause, Limit, QueueConfig};
use crate::packet::{Ecn, Labelled};
use crate::radio::{Address, Mode};
use crate::time::{Duration, Time};

const ME: Address = Address(1);
const PEER: Address = Address(2);
const OTHER: Address = Address(3);

impl Labelled for u32 {
    fn flow(&self) -> u32 {
        0
    }

    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    fn mark(&mut self) {}
}

/// A station whose radio is played by the test.
struct Station {
    dcf: Dcf<u32>,
    now: Time,
    config: Config,
}

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

impl Station {
    fn new(config: Config) -> Self {
        Self {
            dcf: Dcf::new(config.clone(), ME, 1, "station"),
            now: Time::ZERO + us(1000),
            config,
        }
    }

    fn control(&self, bytes: u32) -> Duration {
        self.config
            .control_mode
            .airtime(bytes, self.config.preamble)
    }

    /// The next action of the MAC, and the time until then; its own frames are heard to their end.
    fn next(&mut self) -> (Duration, Output<u32>) {
        let before = self.now;
        loop {
            if let Some(output) = self.dcf.poll() {
                if let Output::Transmit(frame) = &output {
                    self.dcf.on_busy(self.now);
                    let waited = self.now.since(before);
                    self.now += frame.airtime;
                    self.dcf.on_sent(self.now);
                    self.dcf.on_idle(self.now);
                    return (waited, output);
                }
                return (self.now.since(before), output);
            }
            self.now = self.dcf.next_timer().expect("something is to come");
            self.dcf.on_timer(self.now);
        }
    }

    /// The next frame that the MAC sends, and the time until then.
    fn frame(&mut self) -> (Duration, Frame<u32>) {
        match self.next() {
            (waited, Output::Transmit(frame)) => (waited, frame),
            (_, other) => panic!("{other:?} instead of a frame"),
        }
    }

    /// A frame arrives after this time.
    fn hear(
        &mut self,
        after: Duration,
        from: Address,
        to: Address,
        kind: Kind<u32>,
        reserves: u64,
    ) {
        let frame = Frame {
            from,
            to,
            kind,
            bytes: 14,
            mode: Mode::Ofdm6,
            reserves: us(reserves),
            airtime: us(50),
        };
        self.begin(after);
        self.now += frame.airtime;
        self.dcf.on_frame(self.now, &frame);
        self.dcf.on_idle(self.now);
    }

    /// The channel becomes busy after this time; no timer may be due before.
    fn begin(&mut self, after: Duration) {
        let at = self.now + after;
        assert!(self.dcf.next_timer().is_none_or(|timer| timer >= at));
        self.now = at;
        self.dcf.on_busy(at);
    }

    fn garbled(&mut self, after: Duration) {
        self.begin(after);
        self.now += us(50);
        self.dcf.on_garbled(self.now);
        self.dcf.on_idle(self.now);
    }
}

/// The queue was full when this packet came.
fn done(to: Address, packet: u32) -> Output<u32> {
    Output::Done { to, packet }
}

fn full(packet: u32) -> Output<u32> {
    let cause = DropCause::Queue;
    Output::Dropped { packet, cause }
}

fn config() -> Config {
    Config::ieee80211g()
}

fn data(sequence: u32) -> Kind<u32> {
    Kind::Data {
        sequence,
        packet: 70 + sequence,
    }
}

const SIFS: Duration = us_const(10);
const DIFS: Duration = us_const(50);
const SLOT: Duration = us_const(20);

const fn us_const(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// Number of slots waited after an interframe space; must be a whole number.
fn slots(waited: Duration, space: Duration) -> u64 {
    assert!(waited >= space, "{waited:?} {space:?}");
    let waited = waited.saturating_sub(space).as_nanos();
    assert_eq!(waited % SLOT.as_nanos(), 0);
    waited / SLOT.as_nanos()
}

#[test]
fn a_packet_goes_at_once_when_the_channel_is_free_and_is_acknowledged() {
    let mut station = Station::new(config());
    station.dcf.send(station.now, PEER, 1500, 7);
    let (waited, frame) = station.frame();
    assert_eq!(waited, Duration::ZERO);
    assert_eq!(
        (frame.bytes, frame.mode, frame.to),
        (1536, Mode::Ofdm24, PEER)
    );
    assert_eq!(frame.reserves, SIFS + station.control(ACK_BYTES));
    station.hear(SIFS, PEER, ME, Kind::Ack, 0);
    assert_eq!(station.next().1, done(PEER, 7));
    assert_eq!(station.dcf.stats().acknowledged, 1);
}

#[test]
fn what_comes_behind_a_packet_backs_off_first() {
    let mut seen = [false; 16];
    let mut station = Station::new(config());
    for packet in 0..200 {
        station.dcf.send(station.now, PEER, 1500, packet);
        let (waited, _) = station.frame();
        if packet > 0 {
            seen[slots(waited, DIFS) as usize] = true;
        }
        station.hear(SIFS, PEER, ME, Kind::Ack, 0);
        assert_eq!(station.next().1, done(PEER, packet));
    }
    assert_eq!(seen, [true; 16], "uniform on 0 to CWmin");
}

#[test]
fn an_exchange_may_begin_with_rts_and_cts() {
    let mut station = Station::new(Config {
        rts_threshold: Some(256),
        ..config()
    });
    station.dcf.send(station.now, PEER, 1500, 7);
    let (_, rts) = station.frame();
    let whole = Mode::Ofdm24.airtime(1536, station.config.preamble);
    let answers = station.control(CTS_BYTES) + station.control(ACK_BYTES);
    assert_eq!(rts.kind, Kind::Rts);
    assert_eq!(rts.reserves, SIFS * 3 + whole + answers);
    station.hear(SIFS, PEER, ME, Kind::Cts, 0);
    let (waited, frame) = station.frame();
    assert_eq!(
        (waited, &frame.kind),
        (
            SIFS,
            &Kind::Data {
                sequence: 1,
                packet: 7
            }
        )
    );
    // A short packet is sent without RTS.
    station.hear(SIFS, PEER, ME, Kind::Ack, 0);
    assert_eq!(station.next().1, done(PEER, 7));
    station.dcf.send(station.now, PEER, 220, 8);
    assert!(matches!(station.frame().1.kind, Kind::Data { .. }));
}

#[test]
fn a_station_answers_rts_and_data_after_a_sifs() {
    let mut station = Station::new(config());
    station.hear(us(5), PEER, ME, Kind::Rts, 1000);
    let (waited, cts) = station.frame();
    assert_eq!((waited, cts.kind, cts.to), (SIFS, Kind::Cts, PEER));
    assert_eq!(cts.reserves + SIFS + station.control(CTS_BYTES), us(1000));
    station.hear(SIFS, PEER, ME, data(1), 60);
    assert_eq!(
        station.next().1,
        Output::Deliver {
            from: PEER,
            packet: 71
        }
    );
    let (waited, ack) = station.frame();
    assert_eq!((waited, ack.kind, ack.to), (SIFS, Kind::Ack, PEER));
}

#[test]
fn a_packet_that_comes_again_is_acknowledged_again_and_delivered_once() {
    let mut station = Station::new(config());
    station.hear(us(5), PEER, ME, data(4), 60);
    assert!(matches!(station.next().1, Output::Deliver { .. }));
    assert_eq!(station.frame().1.kind, Kind::Ack);
    station.hear(us(500), PEER, ME, data(4), 60);
    assert_eq!(station.frame().1.kind, Kind::Ack);
    assert_eq!(station.dcf.poll(), None);
    assert_eq!(station.dcf.stats().duplicates, 1);
}

#[test]
fn others_reservations_keep_a_station_silent() {
    let mut station = Station::new(config());
    station.hear(us(5), PEER, OTHER, Kind::Rts, 3000);
    // The reservation does not even let it answer an RTS.
    station.hear(us(100), PEER, ME, Kind::Rts, 1000);
    assert_eq!(station.dcf.next_timer(), None);
    station.dcf.send(station.now, PEER, 1500, 7);
    let (waited, _) = station.frame();
    slots(waited, us(3000 - 150) + DIFS);
}

#[test]
fn an_rts_that_nothing_follows_keeps_others_silent_only_until_data_would_have_begun() {
    let begin = (SIFS + SLOT) * 2 + us(50) + us(20);
    // A frame is heard in time, or too late, or the reservation was not made by an RTS.
    for (kind, nav_reset, heard, silent) in [
        (Kind::Rts, true, None, begin),
        (Kind::Rts, true, Some(us(129)), us(3000)),
        (Kind::Rts, false, None, us(3000)),
        (Kind::Cts, true, None, us(3000)),
    ] {
        let mut station = Station::new(Config {
            nav_reset,
            ..config()
        });
        station.hear(us(5), PEER, OTHER, kind, 3000);
        let end = station.now;
        if let Some(after) = heard {
            station.hear(after, OTHER, PEER, Kind::Ack, 0);
        }
        assert_eq!(station.dcf.access().nav(), end + silent, "{heard:?}");
        // From then on the station answers again.
        station.hear(
            silent.saturating_sub(station.now.since(end)),
            PEER,
            ME,
            Kind::Rts,
            1000,
        );
        assert_eq!(station.frame().1.kind, Kind::Cts);
    }
}

#[test]
fn a_backoff_stands_still_while_the_channel_is_taken() {
    let mut station = Station::new(config());
    station.begin(us(5));
    station.dcf.send(station.now, PEER, 1500, 7);
    station.now += us(500);
    station.dcf.on_idle(station.now);
    let due = station.dcf.next_timer().unwrap();
    let all = slots(due.since(station.now), DIFS);
    assert!(all >= 3, "the test needs a longer backoff than {all}");
    // Two slots and a half of it pass.
    station.hear(DIFS + SLOT * 5 / 2, PEER, OTHER, Kind::Ack, 0);
    let (waited, _) = station.frame();
    assert_eq!(slots(waited, DIFS), all - 2);
}

#[test]
fn a_station_cannot_notice_what_begins_with_its_own_slot() {
    let mut station = Station::new(config());
    station.begin(us(5));
    station.dcf.send(station.now, PEER, 1500, 7);
    station.now += us(500);
    station.dcf.on_idle(station.now);
    let due = station.dcf.next_timer().unwrap();
    // The channel is taken less before the slot than a station needs to notice: both send.
    station
        .dcf
        .on_busy(Time::ZERO + (due - us(1)).since(Time::ZERO));
    assert_eq!(station.dcf.next_timer(), Some(due));
}

#[test]
fn a_signal_that_vanishes_leaves_a_committed_slot_alone() {
    let mut station = Station::new(config());
    station.begin(us(5));
    station.dcf.send(station.now, PEER, 1500, 7);
    station.now += us(500);
    station.dcf.on_idle(station.now);
    let due = station.dcf.next_timer().unwrap();
    station.dcf.on_busy(due - us(3));
    station.dcf.on_idle(due - us(1));
    assert_eq!(station.dcf.next_timer(), Some(due));
}

#[test]
fn after_what_was_not_understood_the_station_waits_longer() {
    let mut station = Station::new(config());
    station.garbled(us(5));
    station.dcf.send(station.now, PEER, 1500, 7);
    let (waited, _) = station.frame();
    assert_eq!(waited, station.config.eifs());
    assert_eq!(station.config.eifs(), SIFS + us(50) + DIFS);
}

#[test]
fn acks_have_a_mode_of_their_own() {
    let mut station = Station::new(Config {
        ack_mode: Mode::Ofdm24,
        rts_threshold: Some(0),
        ..config()
    });
    station.hear(us(5), PEER, ME, data(1), 0);
    assert!(matches!(station.next().1, Output::Deliver { .. }));
    let (waited, ack) = station.frame();
    assert_eq!((waited, &ack.kind), (SIFS, &Kind::Ack));
    assert_eq!((ack.mode, ack.airtime), (Mode::Ofdm24, us(34)));
    station.dcf.send(station.now, PEER, 1500, 7);
    assert_eq!(station.frame().1.kind, Kind::Rts);
    station.hear(SIFS, PEER, ME, Kind::Cts, 0);
    assert_eq!(station.frame().1.reserves, SIFS + us(34));
}

#[test]
fn an_ack_is_waited_for_as_long_as_it_takes() {
    for (control_mode, ack_mode, airtime) in [
        (Mode::Ofdm6, Mode::Ofdm24, us(34)),
        (Mode::Ofdm24, Mode::Ofdm6, us(50)),
    ] {
        let mut station = Station::new(Config {
            control_mode,
            ack_mode,
            ..config()
        });
        station.now += us(1000);
        station.dcf.send(station.now, PEER, 1500, 7);
        station.frame();
        let due = station.dcf.next_timer().unwrap();
        assert_eq!(due.since(station.now), SIFS + SLOT + airtime);
    }
}

#[test]
fn what_found_the_channel_idle_needs_no_backoff_if_access_is_kept() {
    let behind = |keep_access| {
        let mut station = Station::new(Config {
            keep_access,
            ..config()
        });
        station.hear(us(5), PEER, OTHER, Kind::Ack, 0);
        station.dcf.send(station.now, PEER, 1500, 7);
        // The channel is taken again within the DIFS.
        station.hear(us(20), PEER, OTHER, Kind::Ack, 0);
        slots(station.frame().0, DIFS)
    };
    assert_eq!(behind(true), 0);
    assert!(behind(false) > 0);
}

#[test]
fn unanswered_frames_are_repeated_in_growing_windows_and_then_given_up() {
    let answer = SIFS + SLOT + us(50);
    let mut widest = Vec::new();
    for (bytes, attempts) in [(1500, 4), (200, 7)] {
        let mut largest = vec![0; attempts];
        let mut station = Station::new(Config {
            long_above: 256,
            ..config()
        });
        for packet in 0..300 {
            station.dcf.send(station.now, PEER, bytes, packet);
            for (attempt, largest) in largest.iter_mut().enumerate() {
                let (waited, frame) = station.frame();
                let Kind::Data { sequence, .. } = frame.kind else {
                    panic!("{frame:?}")
                };
                assert_eq!(sequence, packet + 1);
                if attempt > 0 {
                    *largest = slots(waited, answer + DIFS).max(*largest);
                }
            }
            let (waited, output) = station.next();
            assert_eq!(
                (waited, output),
                (answer, Output::GaveUp { to: PEER, packet })
            );
        }
        assert_eq!(station.dcf.stats().given_up, 300);
        assert_eq!(station.dcf.stats().unanswered, 300 * attempts as u64);
        widest.push(largest);
    }
    for (attempt, &widest) in widest[1].iter().enumerate().skip(1) {
        let cw = (16_u64 << attempt).min(1024) - 1;
        assert!(
            widest <= cw && widest > cw * 9 / 10,
            "{attempt}: {widest} of {cw}"
        );
    }
}

#[test]
fn a_window_grows_no_further_than_its_limit() {
    let answer = SIFS + SLOT + us(50);
    let mut station = Station::new(Config {
        short_retries: 10,
        ..config()
    });
    let mut widest = 0;
    for packet in 0..100 {
        station.dcf.send(station.now, PEER, 200, packet);
        for attempt in 0..10 {
            let (waited, _) = station.frame();
            if attempt > 6 {
                widest = slots(waited, answer + DIFS).max(widest);
            }
        }
        assert_eq!(station.next().1, Output::GaveUp { to: PEER, packet });
    }
    assert!((1000..=1023).contains(&widest), "{widest}");
}

#[test]
fn the_limit_of_an_rts_is_the_short_one() {
    let mut station = Station::new(Config {
        rts_threshold: Some(256),
        long_above: 256,
        ..config()
    });
    station.dcf.send(station.now, PEER, 1500, 7);
    for _ in 0..7 {
        assert_eq!(station.frame().1.kind, Kind::Rts);
    }
    let given_up = Output::GaveUp {
        to: PEER,
        packet: 7,
    };
    assert_eq!(station.next().1, given_up);
}

#[test]
fn a_cts_does_not_let_short_data_go_on_for_ever() {
    let mut station = Station::new(Config {
        rts_threshold: Some(0),
        ..config()
    });
    station.dcf.send(station.now, PEER, 1500, 7);
    for _ in 0..7 {
        assert_eq!(station.frame().1.kind, Kind::Rts);
        station.hear(SIFS, PEER, ME, Kind::Cts, 0);
        assert!(matches!(station.frame().1.kind, Kind::Data { .. }));
    }
    let given_up = Output::GaveUp {
        to: PEER,
        packet: 7,
    };
    assert_eq!(station.next().1, given_up);
}

#[test]
fn broadcasts_are_neither_acknowledged_nor_repeated() {
    let mut station = Station::new(Config {
        rts_threshold: Some(0),
        ..config()
    });
    station.dcf.send(station.now, Address::BROADCAST, 60, 7);
    let (_, frame) = station.frame();
    assert_eq!((frame.mode, frame.reserves), (Mode::Ofdm6, Duration::ZERO));
    assert_eq!(station.next().1, done(Address::BROADCAST, 7));
    assert_eq!(station.dcf.next_timer(), None);
}

#[test]
fn a_full_queue_turns_packets_away_and_a_lost_neighbour_gives_them_back() {
    let mut station = Station::new(Config {
        queue: QueueConfig::DropTail(Limit::Packets(3)),
        ..config()
    });
    for packet in 0..5 {
        let to = if packet == 2 { OTHER } else { PEER };
        station.dcf.send(station.now, to, 1500, packet);
    }
    assert_eq!(station.next().1, full(4));
    assert_eq!(station.dcf.stats().queue_drops, 1);
    // The first packet has not been on the air yet either, so it is withdrawn too.
    let withdrawn: Vec<_> =
        std::iter::from_fn(|| station.dcf.withdraw(station.now, PEER)).collect();
    assert_eq!(withdrawn, [0, 1, 3]);
    assert_eq!(station.frame().1.to, OTHER);
    assert_eq!(
        station.dcf.withdraw(station.now, OTHER),
        None,
        "it is on the air"
    );
}

#[test]
fn what_is_taken_back_leaves_its_bytes_to_others() {
    let mut station = Station::new(Config {
        queue: QueueConfig::DropTail(Limit::Bytes(3000)),
        ..config()
    });
    // One in service, two that wait; then none of 1500 bytes fits.
    for packet in 0..4 {
        let to = if packet == 1 { OTHER } else { PEER };
        station.dcf.send(station.now, to, 1500, packet);
    }
    assert_eq!(station.next().1, full(3));
    assert_eq!(station.dcf.withdraw(station.now, OTHER), Some(1));
    station.dcf.send(station.now, PEER, 1500, 4);
    assert_eq!(station.dcf.poll(), None, "there is room for it");
    station.dcf.send(station.now, PEER, 1, 5);
    assert_eq!(station.next().1, full(5));
}

#[test]
fn an_answer_that_is_not_awaited_changes_nothing() {
    let mut station = Station::new(config());
    station.begin(us(5));
    station.dcf.send(station.now, PEER, 1500, 7);
    station.now += us(500);
    station.dcf.on_idle(station.now);
    // It comes while the packet still waits.
    station.hear(us(10), PEER, ME, Kind::Ack, 0);
    station.hear(us(10), PEER, ME, Kind::Cts, 0);
    let (waited, frame) = station.frame();
    slots(waited, DIFS);
    assert!(matches!(frame.kind, Kind::Data { packet: 7, .. }));
    // A frame of the other kind does not count as the answer.
    station.hear(SIFS, PEER, ME, Kind::Cts, 0);
    assert_eq!(station.dcf.stats().acknowledged, 0);
    assert!(matches!(
        station.frame().1.kind,
        Kind::Data { packet: 7, .. }
    ));
}
