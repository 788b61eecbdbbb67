use super::super::fixtures::{CORK, LOG_3G, MAHIMAHI, PENSIEVE, TABLE};
use super::super::{Fate, Rates, Reading, Record, Way, read};

fn rates(text: &str) -> Rates {
    match read(text.as_bytes()).unwrap().remove(0) {
        Record::Rates(rates) => rates,
        other => panic!("no rates: {other:?}"),
    }
}

/// Start, end and kbit/s of each span.
fn spans(rates: &Rates) -> Vec<(f64, f64, Option<f64>)> {
    let span = |it: &super::Span| (it.from_s, it.to_s, it.bps.map(|bps| bps / 1e3));
    rates.spans.iter().map(span).collect()
}

#[test]
fn a_trace_of_opportunities_keeps_them_and_gives_rates_by_seconds() {
    let found = rates(MAHIMAHI);
    assert_eq!(found.opportunities_ms, Some(vec![0, 500, 500, 1500, 3000]));
    assert_eq!(found.opportunity_bytes, 1500);
    let expected = [(0.0, 1.0, Some(36.0)), (1.0, 3.0, Some(12.0))];
    assert_eq!(spans(&found), expected);
}

#[test]
fn a_piece_of_a_trace_begins_at_its_first_opportunity() {
    let ms = |text: &str| rates(text).opportunities_ms.unwrap();
    assert_eq!(ms("50000\n50010\n50030\n"), [0, 10, 30]);
    assert_eq!(ms("1700000000000\n1700000000010\n"), [0, 10]);
    // An outage at the beginning is part of the trace.
    assert_eq!(ms("5000\n5010\n20000\n"), [5000, 5010, 20_000]);
    assert_eq!(ms("4\n"), [4]);
}

#[test]
fn columns_of_numbers_are_rates_since_the_line_before() {
    let expected = [(0.0, 1.5, Some(1250.0)), (1.5, 3.5, Some(0.0))];
    assert_eq!(spans(&rates(PENSIEVE)), expected);
    let expected = [(0.0, 1.0, Some(200.0)), (1.0, 2.0, Some(400.0))];
    assert_eq!(spans(&rates(LOG_3G)), expected);
}

#[test]
fn dates_and_missing_rates_are_read() {
    let expected = [
        (0.0, 1.0, Some(1200.0)),
        (1.0, 2.0, None),
        (2.0, 3.0, Some(600.0)),
    ];
    assert_eq!(spans(&rates(CORK)), expected);
}

#[test]
fn no_rate_is_made_up_for_a_gap_in_a_record() {
    let found = rates("s,kbps\n0,8\n1,9\n1,10\n2,11\n9,12\n");
    let rates = [8.0, 10.0, 11.0].map(Some);
    let starts = [0.0, 1.0, 2.0];
    let mut expected: Vec<_> = starts
        .into_iter()
        .zip(rates)
        .map(|(at, kbps)| (at, at + 1.0, kbps))
        .collect();
    expected.extend([(3.0, 9.0, None), (9.0, 10.0, Some(12.0))]);
    assert_eq!(spans(&found), expected);
}

#[test]
fn a_table_may_have_rates_and_round_trips() {
    let records = read(TABLE.as_bytes()).unwrap();
    let [Record::Rates(rates), Record::Probes(probes)] = &records[..] else {
        panic!("{records:?}");
    };
    let expected = [
        (0.0, 0.2, Some(1500.0)),
        (0.2, 0.4, Some(2000.0)),
        (0.4, 0.6, None),
    ];
    for (found, expected) in spans(rates).into_iter().zip(expected) {
        assert!(
            (found.1 - expected.1).abs() < 1e-9 && found.2 == expected.2,
            "{found:?}"
        );
    }
    let fates: Vec<Fate> = probes.probes.iter().map(|probe| probe.fate).collect();
    let Fate::Answered {
        rtt: Reading { low_s, high_s },
        ..
    } = fates[0]
    else {
        panic!("{fates:?}");
    };
    assert!((low_s - 0.06045).abs() < 1e-12 && (high_s - 0.06055).abs() < 1e-12);
    assert_eq!(fates[1], Fate::Lost(Way::Unknown));
    assert!(matches!(fates[2], Fate::Answered { rtt, .. } if (rtt.high_s - 0.0615).abs() < 1e-12));
}

#[test]
fn units_are_read_from_names() {
    let kbps = |name: &str| {
        spans(&rates(&format!("time_s,{name}\n0,8\n1,8\n")))[0]
            .2
            .unwrap()
    };
    let names = [
        ("bps", 0.008),
        ("rate_kbps", 8.0),
        ("Throughput (Mbit/s)", 8000.0),
        ("goodput Gbps", 8e6),
        ("bandwidth[kB/s]", 64.0),
        ("MBPS", 8000.0),
        ("MBps", 64_000.0),
        ("bits_per_second", 0.008),
        ("bytes", 0.064),
    ];
    for (name, expected) in names {
        assert!(
            (kbps(name) - expected).abs() < 1e-9 * expected,
            "{name}: {}",
            kbps(name)
        );
    }
    for (header, end_s) in [
        ("t_us", 1e-6),
        ("Time [ms]", 1e-3),
        ("elapsed_seconds", 1.0),
        ("ms", 1e-3),
    ] {
        let found = rates(&format!("{header},kbps\n0,8\n1,8\n"));
        assert!((found.spans[0].to_s - end_s).abs() < 1e-9, "{header}");
    }
    // Since 1970, by their size.
    assert_eq!(
        rates("ts\tkbps\n1700000000500\t8\n1700000001000\t8\n").spans[0].to_s,
        0.5
    );
    assert_eq!(rates("# time_ms kbps\n0 8\n500 8\n").spans[0].to_s, 0.5);
}

#[test]
fn both_ways_make_a_round_trip() {
    let records = read(b"time_s,owd_up_ms,owd_down_ms\n0,110.0,-60.0\n1,-,20\n").unwrap();
    let [Record::Probes(probes)] = &records[..] else {
        panic!("{records:?}");
    };
    assert!(matches!(probes.probes[0].fate,
        Fate::Answered { rtt, up_s: Some(0.11), down_s: Some(-0.06) } if (rtt.middle_s() - 0.05).abs() < 1e-12));
    assert_eq!(probes.probes[1].fate, Fate::Lost(Way::Unknown));
}
