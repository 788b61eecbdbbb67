use super::*;

fn at(ns: u64) -> Time {
    Time::from_nanos(ns)
}

fn waits(ns: u64) -> Duration {
    Duration::from_nanos(ns)
}

fn meter(start: u64, end: u64) -> (Meter, Window) {
    let (start, end) = (at(start), at(end));
    let window = Window { start, end };
    (Meter::new(window), window)
}

#[test]
fn what_lies_ahead_of_a_bound_is_taken_out_there_and_counts_behind_it() {
    let (mut m, window) = meter(100, 200);
    // At 60 one packet transmits until 110; another one waits until then and transmits until 130.
    m.transmitted(waits(0), 50);
    m.transmitted(waits(50), 20);
    // At 100, 30 of that time are still to come, and the second packet has 10 left to wait.
    let open = m.totals().as_of(at(100), 30, [at(110)].into_iter());
    m.pass_bound(window, open);
    m.transmitted(waits(0), 40); // from 150
    m.transmitted(waits(30), 40); // from 160: starts at 190
    let close = m.totals().as_of(at(200), 30, std::iter::empty());
    m.pass_bound(window, close);
    m.transmitted(waits(5), 30);
    let got = m.read(window, at(300), 100, m.totals());
    assert_eq!(got.utilisation, 0.80);
    assert_eq!(got.queue_mean_packets, 0.40);
    assert_eq!(got.window, Duration::from_nanos(100));
}

#[test]
fn an_early_reading_takes_out_what_lies_ahead_of_it() {
    let (mut m, window) = meter(0, 1000);
    let totals = m.totals();
    m.pass_bound(window, totals);
    m.transmitted(waits(0), 60);
    m.transmitted(waits(40), 60);
    m.transmitted(waits(80), 60);
    // Up to 100 the link transmits all the time; one packet waited 40, one has waited 60 so far.
    let totals = m.totals().as_of(at(100), 80, [at(120)].into_iter());
    let got = m.read(window, at(100), 100, totals);
    assert_eq!(got.utilisation, 1.0);
    assert_eq!(got.queue_mean_packets, 1.0);
    assert_eq!(got.window, Duration::from_nanos(100));
}

#[test]
fn packets_count_between_the_bounds() {
    let (mut m, window) = meter(100, 200);
    m.count(Fate::Dropped(DropCause::Queue));
    let totals = m.totals();
    m.pass_bound(window, totals);
    for cause in [
        DropCause::Queue,
        DropCause::Early,
        DropCause::Channel,
        DropCause::Blackout,
    ] {
        m.count(Fate::Dropped(cause));
    }
    let damaged = Fate::Arrives {
        at: at(500),
        corrupt: true,
        marked: false,
        duplicate: false,
    };
    m.count(damaged);
    let totals = m.totals();
    m.pass_bound(window, totals);
    m.count(damaged);
    let got = m.read(window, at(300), 100, m.totals());
    assert_eq!((got.offered, got.queue_drops), (5, 2));
    assert_eq!((got.channel_drops, got.blackout_drops), (1, 1));
    assert_eq!(got.corrupted, 1);
}

#[test]
fn an_empty_window_reads_zero() {
    let (mut m, window) = meter(5, 5);
    let totals = m.totals();
    m.pass_bound(window, totals);
    let totals = m.totals();
    m.pass_bound(window, totals);
    let got = m.read(window, at(10), 0, m.totals());
    assert_eq!((got.utilisation, got.queue_mean_packets), (0.0, 0.0));
}
