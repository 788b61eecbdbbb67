//! Bytes as a record (measurement file) of a link.

use skywave_diagnose::record::{
    Fate, Interval, Lost, Probes, Qlog, Rates, Record, Throughput, read,
};

/// Reads `data` as a record of a link, any of the measurement files that `skywave_diagnose::record` reads, and checks
/// the result: an error message without a line break, or records whose times are finite and in order; the same at a
/// second reading. Panics if not.
pub fn run(data: &[u8]) {
    let found = read(data);
    assert_eq!(found, read(data), "the same again");
    match found {
        Ok(records) => {
            assert!(!records.is_empty(), "neither a record nor an error");
            records.iter().for_each(check);
        }
        Err(mistake) => {
            let text = mistake.to_string();
            assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
        }
    }
}

fn check(record: &Record) {
    match record {
        Record::Probes(probes) => check_probes(probes),
        Record::Throughput(test) => check_throughput(test),
        Record::Rates(rates) => check_rates(rates),
        Record::Qlog(log) => check_qlog(log),
        Record::Capture | Record::Link => {}
    }
}

/// Times that are finite, not negative and in order.
fn check_times(times: impl Iterator<Item = f64>) {
    let mut before = 0.0;
    for at in times {
        assert!(at.is_finite() && at >= before, "{at} after {before}");
        before = at;
    }
}

fn check_probes(probes: &Probes) {
    assert!(!probes.probes.is_empty());
    check_times(probes.probes.iter().map(|probe| probe.sent_s));
    for probe in &probes.probes {
        let Fate::Answered { rtt, up_s, down_s } = probe.fate else {
            continue;
        };
        check_times([rtt.low_s, rtt.high_s].into_iter());
        assert!([up_s, down_s].into_iter().flatten().all(f64::is_finite));
    }
}

fn check_throughput(test: &Throughput) {
    let ends = |interval: &Interval| [interval.from_s, interval.to_s];
    check_times(test.intervals.iter().map(|interval| interval.from_s));
    for interval in &test.intervals {
        check_times(ends(interval).into_iter());
        check_times(interval.rtt_s.into_iter());
        interval.lost.iter().for_each(check_lost);
    }
    test.lost.iter().for_each(check_lost);
}

fn check_lost(lost: &Lost) {
    assert!(lost.lost <= lost.sent, "{lost:?}");
}

fn check_rates(rates: &Rates) {
    assert!(!rates.spans.is_empty());
    check_times(rates.spans.iter().flat_map(|span| [span.from_s, span.to_s]));
    for span in &rates.spans {
        assert!(span.from_s < span.to_s, "{span:?}");
        check_times(span.bps.into_iter());
    }
    let is_joined = |pair: &[skywave_diagnose::record::Span]| pair[0].to_s == pair[1].from_s;
    assert!(rates.spans.windows(2).all(is_joined), "a gap");
    assert!(rates.opportunities_ms.iter().all(|times| times.is_sorted()));
}

fn check_qlog(log: &Qlog) {
    check_times(log.sent.iter().map(|sent| sent.at_s));
    check_times(log.lost.iter().map(|lost| lost.at_s));
    check_times(log.metrics.iter().map(|metrics| metrics.at_s));
    for metrics in &log.metrics {
        let rtts = [
            metrics.latest_rtt_s,
            metrics.min_rtt_s,
            metrics.smoothed_rtt_s,
        ];
        for rtt in rtts.into_iter().flatten() {
            check_times([rtt].into_iter());
        }
    }
}
