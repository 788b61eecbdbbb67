//! Figures that the meter reports for whole links.

use super::*;

#[test]
fn use_and_queue_are_exact() {
    let mut l = link(config(10));
    // Three at once: transmit until 30 ms; waits are 10 and 20 ms.
    for _ in 0..3 {
        l.send(ms(0), 1500);
    }
    let got = l.finish(ms(60));
    assert_eq!(got.utilisation, 0.5);
    assert_eq!(got.queue_mean_packets, 0.5);
    assert_eq!(got.window, Duration::from_millis(60));
    assert_eq!(got.offered, 3);
}

#[test]
fn the_window_clips_exactly() {
    let mut l = link(config(10));
    l.measure(ms(5), ms(25));
    for _ in 0..3 {
        l.send(ms(0), 1500);
    }
    // Waiting in the window: one from 5 to 10, one from 5 to 20 ms.
    let got = l.finish(ms(1000));
    assert_eq!(got.utilisation, 1.0);
    assert_eq!(got.queue_mean_packets, 1.0);
    assert_eq!(got.offered, 0);
}

#[test]
fn an_early_end_does_not_count_what_lies_ahead() {
    let mut l = link(config(10));
    l.measure(ms(0), ms(1000));
    l.send(ms(10), 1500);
    l.send(ms(10), 1500);
    let got = l.finish(ms(15));
    assert_eq!(got.window, Duration::from_millis(15));
    assert_eq!(got.utilisation, 1.0 / 3.0);
    assert_eq!(got.queue_mean_packets, 1.0 / 3.0);
}

#[test]
fn a_window_may_be_set_while_packets_wait() {
    let run = |set_before| {
        let mut l = link(config(10));
        if set_before {
            l.measure(ms(5), ms(85));
        }
        for _ in 0..4 {
            l.send(ms(0), 1500);
        }
        if !set_before {
            l.measure(ms(5), ms(85));
        }
        l.finish(ms(100))
    };
    assert_eq!(run(true), run(false));
    // Transmitting to 40 ms; waiting to 10, 20 and 30 ms.
    assert_eq!(run(false).utilisation, 35.0 / 80.0);
    assert_eq!(run(false).queue_mean_packets, 45.0 / 80.0);
}

#[test]
fn a_trace_counts_used_bytes_of_its_opportunities() {
    let mut c = config(10);
    c.service = Service::Trace(Arc::new(Trace::parse("10\n20\n30\n40").unwrap()));
    let mut l = link(c);
    l.measure(ms(15), ms(45));
    l.send(ms(0), 1500); // at 10 ms: before the window
    l.send(ms(0), 750); // half of 20 ms
    l.send(ms(25), 2250); // 30 ms and half of 40 ms
    let got = l.finish(ms(100));
    assert_eq!(got.utilisation, 3000.0 / 4500.0);
    // The second waits in the window from 15 to 20 ms, the third from 25 to 30 ms.
    assert_eq!(got.queue_mean_packets, 10.0 / 30.0);
}

#[test]
fn a_busy_trace_is_fully_used() {
    let mut c = config(1000);
    c.service = Service::Trace(Arc::new(Trace::parse("0\n3\n3\n7\n10").unwrap()));
    let mut l = link(c);
    l.measure(ms(100), ms(1000));
    for i in 0..1200 {
        l.send(ms(i), 1500);
    }
    assert_eq!(l.finish(ms(1200)).utilisation, 1.0);
    assert_eq!(l.finish(ms(1200)).offered, 900);
}

#[test]
fn every_cause_is_counted_where_it_belongs() {
    let mut c = config(1);
    c.loss = list(&[1]);
    c.blackouts = vec![Blackout {
        start: ms(20),
        end: ms(21),
    }];
    c.corruption = 1.0;
    let mut l = link(c);
    for _ in 0..4 {
        l.send(ms(0), 1500);
    }
    let got = l.finish(ms(30));
    assert_eq!((got.offered, got.channel_drops), (4, 1));
    assert_eq!((got.queue_drops, got.blackout_drops), (1, 1));
    assert_eq!(got.corrupted, 1);
}

#[test]
fn poisson_packets_wait_as_the_m_d_1_queue_says() {
    // Load 0.8: mean number waiting ρ²/(2(1 − ρ)) = 1.6 (Pollaczek and Khinchine).
    let mut l = link(config(1_000_000));
    let mut arrivals = Stream::named(2, "test", "arrivals");
    let (mut now, mut n) = (Time::ZERO, 0_u64);
    let end = ms(40_000_000);
    l.measure(ms(0), end);
    while now < end {
        l.send(now, 1500);
        n += 1;
        now += Duration::from_secs_f64(arrivals.exponential(0.0125));
    }
    let got = l.finish(end);
    assert_eq!(got.offered, n);
    assert!((got.utilisation - 0.8).abs() < 0.004, "{got:?}");
    assert!((got.queue_mean_packets - 1.6).abs() < 0.05, "{got:?}");
}
