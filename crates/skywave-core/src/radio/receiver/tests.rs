use super::*;
use crate::time::Duration;

fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_micros(us)
}

fn signal(id: u32, power_mw: f64) -> Signal {
    Signal {
        id,
        power_mw,
        decodable: power_mw >= 1.0,
        sensed: power_mw >= 0.1,
        mode: Mode::Ofdm24,
        preamble: Preamble::Long,
        bits_end: Time::MAX,
    }
}

fn radio(reception: Reception, sensing: Sensing) -> Receiver {
    Receiver::new(reception, sensing, Stream::named(1, "station", "bits"))
}

fn ns2() -> Receiver {
    radio(Reception::Capture { ratio: 10.0 }, Sensing::Signals)
}

fn ns3() -> Receiver {
    let reception = Reception::Interference {
        noise_mw: 0.01,
        preamble: 2.5,
        decoder: Decoder::Hard,
    };
    radio(reception, Sensing::Frames { energy_mw: 50.0 })
}

#[test]
fn a_frame_alone_is_received() {
    let reception = Reception::Capture {
        ratio: f64::INFINITY,
    };
    let never = radio(reception, Sensing::Signals);
    for mut radio in [ns2(), ns3(), never] {
        radio.on_start(at(0), signal(1, 1.0));
        assert!(radio.is_busy() && radio.is_receiving());
        assert_eq!(radio.on_end(at(500), 1), Some(Received::Frame));
        assert!(!radio.is_busy());
    }
}

#[test]
fn the_first_of_two_frames_is_captured_if_it_is_much_stronger() {
    for (first, second, what) in [
        (10.0, 1.0, Received::Frame),
        (9.9, 1.0, Received::Garbled),
        (1.0, 1.0, Received::Garbled),
        // The stronger frame came too late.
        (1.0, 100.0, Received::Garbled),
    ] {
        let mut radio = ns2();
        radio.on_start(at(0), signal(1, first));
        radio.on_start(at(10), signal(2, second));
        assert_eq!(radio.on_end(at(500), 1), Some(what), "{first} {second}");
        assert!(radio.is_busy(), "the other one is still there");
        assert_eq!(radio.on_end(at(510), 2), None);
        assert!(!radio.is_busy());
    }
}

#[test]
fn a_frame_is_captured_only_if_it_is_much_stronger_than_what_is_there_already() {
    for (power, what) in [(20.0, Received::Frame), (19.9, Received::Garbled)] {
        let mut radio = ns2();
        // The second and third frames are still on the air when the first, which was received, ends.
        radio.on_start(at(0), signal(1, 10.0));
        radio.on_start(at(10), signal(2, 1.0));
        radio.on_start(at(20), signal(3, 1.0));
        assert_eq!(radio.on_end(at(500), 1), Some(Received::Frame));
        radio.on_start(at(505), signal(4, power));
        assert_eq!(radio.on_end(at(510), 2), None);
        assert_eq!(radio.on_end(at(520), 3), None);
        assert_eq!(radio.on_end(at(900), 4), Some(what), "{power}");
    }
}

#[test]
fn what_is_only_sensed_is_not_understood() {
    let mut radio = ns2();
    radio.on_start(at(0), signal(1, 0.5));
    assert!(radio.is_busy() && !radio.is_receiving());
    assert_eq!(radio.on_end(at(500), 1), Some(Received::Garbled));
    // A receiver that needs preambles does not notice the frame at all.
    let mut radio = ns3();
    radio.on_start(at(0), signal(1, 0.5));
    assert!(!radio.is_busy());
    assert_eq!(radio.on_end(at(500), 1), None);
}

#[test]
fn energy_keeps_the_channel_busy_without_a_frame() {
    let mut radio = ns3();
    radio.on_start(at(0), signal(1, 0.5));
    radio.on_start(
        at(1),
        Signal {
            decodable: false,
            ..signal(2, 49.0)
        },
    );
    assert!(!radio.is_busy());
    radio.on_start(
        at(2),
        Signal {
            decodable: false,
            ..signal(3, 0.6)
        },
    );
    assert!(radio.is_busy());
}

#[test]
fn who_sends_hears_nothing() {
    for mut radio in [ns2(), ns3()] {
        radio.on_start(at(0), signal(1, 5.0));
        radio.on_send();
        assert!(radio.is_busy() && !radio.is_receiving());
        radio.on_start(at(10), signal(2, 5.0));
        radio.on_sent();
        // Neither frame can be received any more.
        assert_eq!(radio.on_end(at(500), 1), None);
        assert_eq!(radio.on_end(at(510), 2), None);
        assert!(!radio.is_busy());
    }
}

#[test]
fn a_disturbance_costs_as_many_bits_as_it_is_long() {
    let received = |from: u64, to: u64, power: f64| {
        let mut radio = ns3();
        let all = 2000;
        let frames = (0..all).filter(|_| {
            radio.on_start(at(0), signal(1, 1.0));
            radio.on_start(
                at(from),
                Signal {
                    decodable: false,
                    ..signal(2, power)
                },
            );
            let _ = radio.on_end(at(to), 2);
            radio.on_end(at(520), 1) == Some(Received::Frame)
        });
        frames.count() as f64 / f64::from(all)
    };
    assert!(received(100, 110, 1.0) < 0.01, "0 dB");
    assert!(received(100, 400, 0.015) > 0.99, "16 dB");
    // 13 dB: with half the overlap the logarithm of the success probability is half as large.
    let [long, short] = [received(100, 500, 0.04), received(100, 300, 0.04)];
    assert!(long > 0.5 && short < 0.9, "{long} {short}");
    assert!((short * short - long).abs() < 0.1, "{long} {short}");
    // The time at which the interference comes does not matter.
    let late = received(300, 500, 0.04);
    assert!((late - short).abs() < 0.05, "{late} {short}");
    // During the rest of the preamble there are no bits to lose.
    assert!(received(4, 20, 1.0) > 0.99);
    assert!(received(3, 20, 1.0) < 0.01, "it is not even found");
}

#[test]
fn of_frames_that_begin_together_one_is_found_if_it_stands_out() {
    // 4 dB is a ratio of 2.5.
    for (second, after, found) in [
        (1.0, 0, None),
        (2.4, 3, None),
        (0.38, 3, Some(1)),
        (2.6, 3, Some(2)),
        // Too late to affect the preamble.
        (2.6, 4, Some(1)),
    ] {
        let mut radio = ns3();
        radio.on_start(at(0), signal(1, 1.0));
        radio.on_start(at(after), signal(2, second));
        assert_eq!(radio.is_busy(), found.is_some(), "{second} {after}");
        let ends = [1, 2].map(|id| radio.on_end(at(500), id).is_some());
        assert_eq!(ends, [1, 2].map(|id| found == Some(id)), "{second} {after}");
    }
}

#[test]
fn a_preamble_is_found_when_what_covered_it_ends_in_time() {
    for (end, found) in [(103, true), (104, false)] {
        let mut radio = ns3();
        let weak = signal(1, 0.9);
        radio.on_start(at(0), weak);
        radio.on_start(at(100), signal(2, 1.0));
        assert!(!radio.is_receiving());
        assert_eq!(radio.on_end(at(end), 1), None);
        assert_eq!(radio.is_receiving(), found, "{end}");
    }
}

#[test]
fn a_frame_that_begins_during_another_is_not_taken_up_after_it() {
    let mut radio = ns3();
    radio.on_start(at(0), signal(1, 1.0));
    radio.on_start(at(98), signal(2, 1.0));
    assert!(radio.on_end(at(100), 1).is_some());
    assert!(!radio.is_receiving());
}
