//! The model against published numbers.

use super::*;

fn close(found: f64, expected: f64, relative: f64) {
    let error = (found / expected - 1.0).abs();
    assert!(error <= relative, "{found} for {expected}: {error:e}");
}

/// Bianchi 2000, parameters of the numerical results: FHSS at 1 Mb/s.
const FHSS: Frames = Frames {
    payload: 8184.0,
    data: 272.0 + 128.0 + 8184.0,
    ack: 112.0 + 128.0,
    rts: 160.0 + 128.0,
    cts: 112.0 + 128.0,
    slot: 50.0,
    sifs: 28.0,
    difs: 128.0,
    after_collision: 128.0,
    delay: 1.0,
};

fn endless(cw_min: u32, doublings: u32) -> Backoff {
    Backoff {
        cw_min,
        cw_max: ((cw_min + 1) << doublings) - 1,
        attempts: None,
    }
}

#[test]
fn exchanges_take_as_long_as_in_the_paper() {
    // Equations 14 and 17 of 2000, in numbers.
    let (basic, rts) = (FHSS.basic(), FHSS.rts());
    assert_eq!((basic.success, basic.collision), (8982.0, 8713.0));
    assert_eq!((rts.success, rts.collision), (9568.0, 417.0));
}

#[test]
fn attempts_are_those_of_the_papers_closed_form() {
    // Equation 7 of 2000.
    for (w, m) in [(32, 3), (32, 5), (128, 3), (16, 6)] {
        let backoff = endless(w - 1, m);
        for n in [2, 5, 10, 50] {
            let Attempt { tau, p } = backoff.attempt(n);
            let w = f64::from(w);
            let q = 1.0 - 2.0 * p;
            let closed = 2.0 * q / (q * (w + 1.0) + p * w * (1.0 - (2.0 * p).powi(m as i32)));
            close(tau, closed, 1e-9);
            close(1.0 - (1.0 - tau).powi(n as i32 - 1), p, 1e-9);
        }
    }
}

#[test]
fn a_lone_station_waits_for_its_backoff_alone() {
    let Attempt { tau, p } = endless(31, 5).attempt(1);
    assert!(p < 1e-12);
    close(tau, 2.0 / 33.0, 1e-9);
    let channel = FHSS.basic();
    close(
        channel.throughput(1, tau),
        8184.0 / (8982.0 + 15.5 * 50.0),
        1e-9,
    );
}

#[test]
fn retry_limits_lie_between_one_attempt_and_no_limit() {
    let limited = |attempts| Backoff {
        attempts: Some(attempts),
        ..endless(15, 6)
    };
    // A station with one attempt never doubles the window.
    close(limited(1).attempt(20).tau, 2.0 / 17.0, 1e-9);
    let endless = endless(15, 6).attempt(20);
    close(limited(200).attempt(20).tau, endless.tau, 1e-9);
    let taus: Vec<_> = (1..12).map(|a| limited(a).attempt(20).tau).collect();
    assert!(taus.is_sorted_by(|a, b| a > b) && taus[10] > endless.tau);
    // By hand, two attempts: (1 + p) / (1 + p + 7.5 + 15.5 p).
    let two = limited(2).attempt(20);
    close(two.tau, (1.0 + two.p) / (8.5 + 16.5 * two.p), 1e-9);
}

#[test]
fn limits_are_those_published_for_80211b() {
    // "Performance Study of IEEE 802.11 DCF and IEEE 802.11e EDCA" (2007), at the end of section 4.3.2:
    // 802.11b, 1500 bytes and 28 of MAC header, long preambles, control frames at 1 Mb/s, EIFS after a
    // collision; at 2 Mb/s, 1.669 Mb/s with basic access and 1.596 with RTS/CTS; at 11 Mb/s, 6.210 and
    // 4.763.
    for (rate, basic, rts) in [(2.0, 1.669, 1.596), (11.0, 6.210, 4.763)] {
        let (ack, difs) = (192.0 + 112.0, 50.0);
        let frames = Frames {
            payload: 12_000.0,
            data: 192.0 + 1528.0 * 8.0 / rate,
            ack,
            rts: 192.0 + 160.0,
            cts: 192.0 + 112.0,
            slot: 20.0,
            sifs: 10.0,
            difs,
            after_collision: 10.0 + ack + difs,
            delay: 0.0,
        };
        assert!((frames.basic().limit() - basic).abs() <= 5.1e-4);
        assert!((frames.rts().limit() - rts).abs() <= 5.1e-4);
    }
}

#[test]
fn no_attempt_probability_beats_the_limit_by_much() {
    for channel in [FHSS.basic(), FHSS.rts()] {
        let best = (1..20_000)
            .map(|n| channel.throughput(50, f64::from(n) * 1e-5))
            .fold(0.0, f64::max);
        close(best, channel.limit(), 2e-3);
    }
}

/// 802.11g with short slots as ns-3's example counts it: 1500 bytes after 6 of upper headers and 28
/// of MAC header, ACKs at 24 Mb/s.
fn erp(rate: f64) -> Frames {
    let airtime = |bits: f64, rate: f64| 26.0 + 4.0 * ((22.0 + bits) / (4.0 * rate)).ceil();
    Frames {
        payload: 12_000.0,
        data: airtime(1534.0 * 8.0, rate),
        ack: airtime(14.0 * 8.0, 24.0),
        rts: 0.0,
        cts: 0.0,
        slot: 9.0,
        sifs: 10.0,
        difs: 28.0,
        after_collision: 28.0,
        delay: 0.0,
    }
}

#[test]
fn runs_of_successes_are_as_in_ns3s_tables() {
    // ns-3's src/wifi/examples/reference/bianchi_11g_difs.txt: τ of 2000, but the first slot after a
    // success is its sender's. Its τ is from a grid of 1e-4, which is 0.3% of the smallest one.
    let expected = [
        (24.0, [16.2470, 15.1426, 14.0072, 12.4144]),
        (54.0, [29.8324, 28.1519, 26.2925, 23.5618]),
    ];
    for (rate, throughputs) in expected {
        let channel = erp(rate).basic().with_runs(1.0 / 16.0);
        for (n, throughput) in [5, 10, 20, 50].into_iter().zip(throughputs) {
            let tau = endless(15, 6).attempt(n).tau;
            close(channel.throughput(n, tau), throughput, 1e-3);
        }
    }
}

#[test]
fn frozen_slots_hardly_matter_with_large_windows() {
    // The same source: negligible with 802.11b's CWmin of 31.
    for n in [2, 10, 50] {
        let (plain, frozen) = (
            saturation(endless(31, 5), FHSS.basic(), n).throughput,
            saturation_with_frozen_slots(endless(31, 5), FHSS.basic(), n).throughput,
        );
        close(frozen, plain, 0.03);
    }
}
