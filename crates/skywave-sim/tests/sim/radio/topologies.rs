//! Scripted topologies: which stations disturb each other, and how the MAC's rules respond.

use skywave_core::mac;
use skywave_core::radio::{
    Command, Decoder, Position, Propagation, Reception, Sensing, Track, channel_noise_mw,
};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::spec::{FlowSpec, Movement, RadioSpec, Traffic, Transport};
use skywave_sim::{Outcome, simulate};

use super::network::{fixed, run};

/// Datagrams of 1000 bytes from one station to another, more than it can send.
fn datagrams(from: usize, to: usize) -> FlowSpec {
    FlowSpec {
        name: format!("{from}-{to}").into(),
        from,
        to,
        route: None,
        transport: Transport::Udp { header: 28 },
        traffic: Traffic::Cbr {
            rate: Rate::from_bps(30_000_000),
            packet: 1000,
            jitter: 0.5,
        },
        start: Time::ZERO,
        stop: None,
    }
}

/// Ten seconds of these flows.
fn simulated(radio: RadioSpec, flows: &[(usize, usize)]) -> Outcome {
    let flows = flows.iter().map(|&(from, to)| datagrams(from, to));
    simulate(&run(radio, flows.collect(), 10, 1))
}

fn mbps(outcome: &Outcome, flow: usize) -> f64 {
    outcome.flows[flow].goodput_bps / 1e6
}

/// Stations on a line that hear each other up to these ranges, in metres.
fn line(places: &[f64], reception: f64, sensing: f64, rts: Option<u32>) -> RadioSpec {
    let places: Vec<_> = places.iter().map(|&x| (x, 0.0)).collect();
    let mac = mac::Config {
        rts_threshold: rts,
        long_above: 256,
        ..mac::Config::ieee80211g()
    };
    RadioSpec {
        propagation: Propagation::ranges(reception, sensing),
        reception: Reception::Capture {
            ratio: f64::INFINITY,
        },
        ..fixed(&places, mac)
    }
}

/// Share of a station's attempts that were not answered.
fn unanswered(outcome: &Outcome, station: usize) -> f64 {
    let station = &outcome.stations[station];
    let attempts = station.attempts + station.requests;
    station.unanswered as f64 / attempts as f64
}

#[test]
fn hidden_senders_collide_and_rts_helps() {
    // 0 and 2 cannot hear each other; both send to 1 in between.
    let hidden = |rts| {
        simulated(
            line(&[0.0, 200.0, 400.0], 250.0, 250.0, rts),
            &[(0, 1), (2, 1)],
        )
    };
    let [without, with] = [hidden(None), hidden(Some(0))];
    // Where all stations hear each other, only equal slots collide.
    let open = simulated(
        line(&[0.0, 100.0, 200.0], 250.0, 250.0, None),
        &[(0, 1), (2, 1)],
    );
    assert!(unanswered(&open, 0) < 0.15, "{}", unanswered(&open, 0));
    assert!(unanswered(&without, 0) > 0.5, "{}", unanswered(&without, 0));
    let total = |outcome: &Outcome| mbps(outcome, 0) + mbps(outcome, 1);
    assert!(
        total(&with) > 1.5 * total(&without),
        "{} {}",
        total(&with),
        total(&without)
    );
    assert!(
        total(&open) > total(&with),
        "{} {}",
        total(&open),
        total(&with)
    );
}

#[test]
fn an_exposed_sender_waits_although_it_would_not_disturb() {
    // 0 <- 1 . 2 -> 3: the senders hear each other, no receiver hears the other sender.
    let places = [0.0, 200.0, 400.0, 600.0];
    let flows = [(1, 0), (2, 3)];
    let exposed = simulated(line(&places, 250.0, 250.0, None), &flows);
    let alone = simulated(line(&places, 250.0, 250.0, None), &flows[..1]);
    // At a greater distance they do not.
    let apart = simulated(
        line(&[0.0, 200.0, 800.0, 1000.0], 250.0, 250.0, None),
        &flows,
    );
    for flow in 0..2 {
        let share = mbps(&exposed, flow) / mbps(&alone, 0);
        assert!((0.4..0.65).contains(&share), "{share}");
        let share = mbps(&apart, flow) / mbps(&alone, 0);
        assert!((0.99..1.01).contains(&share), "{share}");
    }
}

#[test]
fn capture_saves_the_stronger_of_two_frames() {
    // Hidden from each other, but 0 is much nearer to the receiver than 2.
    let places = [100.0, 200.0, 440.0];
    let with = |ratio| {
        let radio = line(&places, 250.0, 250.0, None);
        let reception = Reception::Capture { ratio };
        let flows = [(0, 1), (2, 1)];
        simulated(RadioSpec { reception, ..radio }, &flows)
    };
    let [captured, lost] = [with(10.0), with(f64::INFINITY)];
    assert!(
        mbps(&captured, 0) > 1.3 * mbps(&lost, 0),
        "{} {}",
        mbps(&captured, 0),
        mbps(&lost, 0)
    );
    assert!(unanswered(&captured, 0) < 0.5 * unanswered(&lost, 0));
}

#[test]
fn who_senses_frames_without_reading_them_waits_longer_and_gets_less() {
    // 0 -> 1 and 2 -> 3. 0 decodes the ACKs of 3; 2 decodes nothing of 0 and 1, and so waits an EIFS after
    // each of their exchanges instead of a DIFS.
    let share = |reception| {
        let radio = line(&[0.0, -100.0, 400.0, 200.0], reception, 650.0, None);
        let outcome = simulated(radio, &[(0, 1), (2, 3)]);
        mbps(&outcome, 1) / mbps(&outcome, 0)
    };
    let [sensed, read] = [share(250.0), share(650.0)];
    assert!((0.9..1.1).contains(&read), "{read}");
    assert!(sensed < 0.7, "{sensed}");
}

#[test]
fn what_waits_for_a_neighbour_that_is_gone_does_not_stop_the_others() {
    // 2 moves away after a second; the route to it stays.
    let mut radio = line(&[0.0, 200.0, -200.0], 250.0, 550.0, None);
    radio.stations[2].movement = Movement::Track(Track {
        start: Position { x: -200.0, y: 0.0 },
        commands: vec![Command {
            at: Time::ZERO + Duration::from_secs(1),
            to: Position { x: -9000.0, y: 0.0 },
            speed: 5000.0,
        }],
    });
    let outcome = simulated(radio, &[(0, 1), (0, 2)]);
    assert!(
        outcome.stations[0].given_up > 100,
        "{:?} {:?}",
        outcome.stations,
        outcome.flows[1]
    );
    // Each packet for it costs four attempts, so that the other flow gets a small share; but it goes on.
    assert!(mbps(&outcome, 1) < 1.0, "{}", mbps(&outcome, 1));
    assert!(mbps(&outcome, 0) > 1.5, "{}", mbps(&outcome, 0));
}

#[test]
fn stations_are_measured_in_the_window_alone() {
    let count = |from, to| {
        let radio = line(&[0.0, 200.0], 250.0, 250.0, None);
        let mut spec = run(radio, vec![datagrams(0, 1)], 9, 1);
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        spec.measure = (at(from), at(to));
        simulate(&spec).stations[0].acknowledged
    };
    let [all, first, middle, last] = [(0, 9), (0, 3), (3, 6), (6, 9)].map(|(a, b)| count(a, b));
    assert_eq!(all, first + middle + last);
    assert!(middle.abs_diff(last) < middle / 50, "{middle} {last}");
}

#[test]
fn interference_adds_up_where_errors_follow_the_signal() {
    // A pair at 19 dB above the noise, and other senders that cannot sense it: one of them leaves it
    // 14 dB, a second one 12.7 dB.
    let disturbances: [&[f64]; 4] = [&[], &[110.0], &[110.0, -110.0], &[75.0]];
    let goodput = disturbances.map(|others| {
        let mut places = vec![(0.0, 0.0), (30.0, 0.0)];
        let mut flows = vec![datagrams(0, 1)];
        for &away in others {
            let sender = places.len();
            places.extend([(30.0, away), (30.0, away * 1.1)]);
            flows.push(datagrams(sender, sender + 1));
        }
        let mut radio = fixed(&places, mac::Config::ieee80211g());
        radio.propagation = Propagation::ns3_default();
        radio.sensing = Sensing::Frames { energy_mw: 6.3e-7 };
        let noise_mw = channel_noise_mw();
        radio.reception = Reception::Interference {
            noise_mw,
            preamble: 2.5,
            decoder: Decoder::Hard,
        };
        simulate(&run(radio, flows, 5, 1)).flows[0].goodput_bps / 1e6
    });
    assert!(goodput[0] > 12.0, "{goodput:?}");
    assert!(goodput[1] > 0.95 * goodput[0], "{goodput:?}");
    assert!(goodput[2] < 0.8 * goodput[0], "{goodput:?}");
    assert!(goodput[3] < 0.2 * goodput[0], "{goodput:?}");
}

#[test]
fn a_window_shows_what_each_station_does() {
    use skywave_sim::outcome::Activity;
    let mut radio = line(&[0.0, 200.0, 400.0], 250.0, 250.0, Some(0));
    let start = Time::ZERO + Duration::from_millis(100);
    radio.timeline = Some((start, start + Duration::from_millis(20)));
    let outcome = simulated(radio, &[(0, 1)]);
    let time = |station: usize, activity| -> f64 {
        let spans = outcome.stations[station].timeline.iter();
        let spans = spans.filter(|span| span.activity == activity);
        spans.map(|span| span.to_s - span.from_s).sum()
    };
    for station in 0..3 {
        let spans = &outcome.stations[station].timeline;
        assert!((spans[0].from_s - 0.1).abs() < 1e-12);
        assert!((spans[spans.len() - 1].to_s - 0.12).abs() < 1e-12);
        assert!(
            spans
                .windows(2)
                .all(|w| (w[0].to_s - w[1].from_s).abs() < 1e-12)
        );
        assert!(spans.windows(2).all(|w| w[0].activity != w[1].activity));
    }
    assert!(time(0, Activity::Sends) > 0.4 * 0.02);
    assert!(time(1, Activity::Receives) > 0.4 * 0.02);
    // The third station hears the CTS and keeps still for the data.
    assert!(time(2, Activity::Reserved) > 0.4 * 0.02);
    assert!(time(2, Activity::Sends) < 1e-12);
    assert!(time(0, Activity::BacksOff) > 0.05 * 0.02);
}

#[test]
fn a_reservation_that_comes_to_nothing_ends_by_itself_on_the_timeline() {
    use skywave_sim::outcome::Activity;
    // 0 asks 1, which is deaf to it; 2 hears the RTS and keeps still: for a 1500-byte frame each time (SIFS,
    // CTS, SIFS, data, SIFS, ACK), or until that should have begun (two SIFS and slots, CTS, preamble).
    for (nav_reset, reservation) in [(false, 0.4e-3..0.6e-3), (true, 0.129e-3..0.131e-3)] {
        let mut radio = line(&[0.0, 400.0, -200.0], 250.0, 250.0, Some(0));
        radio.mac.nav_reset = nav_reset;
        radio.routing = skywave_sim::spec::RoutingSpec::Static;
        radio.stations[1].movement = Movement::Track(Track {
            start: Position { x: 200.0, y: 0.0 },
            commands: vec![Command {
                at: Time::ZERO,
                to: Position { x: 9000.0, y: 0.0 },
                speed: 1e6,
            }],
        });
        let from = Time::ZERO + Duration::from_millis(500);
        radio.timeline = Some((from, from + Duration::from_millis(100)));
        let outcome = simulated(radio, &[(0, 1)]);
        let spans = &outcome.stations[2].timeline;
        let reserved = spans.iter().filter(|s| s.activity == Activity::Reserved);
        let longest = reserved.map(|s| s.to_s - s.from_s).fold(0.0, f64::max);
        assert!(reservation.contains(&longest), "{longest}");
        assert!(spans.iter().any(|s| s.activity == Activity::Idle));
    }
}

#[test]
fn a_station_that_keeps_its_access_forwards_right_behind_its_ack() {
    use skywave_sim::outcome::{Activity, Span};
    // Station 1 acknowledges each packet and forwards it, either a DIFS after its ACK or, without kept
    // access, mostly after a backoff.
    let at_once = |keep_access| {
        let mut radio = line(&[0.0, 200.0, 400.0], 250.0, 250.0, None);
        radio.mac.keep_access = keep_access;
        radio.routing = skywave_sim::spec::RoutingSpec::Static;
        radio.timeline = Some((Time::ZERO, Time::ZERO + Duration::from_millis(500)));
        let outcome = simulated(radio, &[(0, 2)]);
        let spans = outcome.stations[1].timeline.iter();
        let sends: Vec<_> = spans.filter(|s| s.activity == Activity::Sends).collect();
        let is_ack = |s: &Span| s.to_s - s.from_s < 1e-4;
        let pairs = sends.windows(2).filter(|w| is_ack(w[0]) && !is_ack(w[1]));
        let waits = pairs.map(|w| (w[1].from_s - w[0].to_s) * 1e6);
        let (difs, all): (Vec<f64>, Vec<f64>) = waits.partition(|us| (us - 50.0).abs() < 1e-3);
        difs.len() as f64 / (difs.len() + all.len()) as f64
    };
    let (kept, drawn) = (at_once(true), at_once(false));
    assert!(kept > 0.25 && drawn < 0.1, "{kept} {drawn}");
}
