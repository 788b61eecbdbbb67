//! Records that are broken, mixed up or hostile: each gives an error of one sentence, or what can be read of it.

use std::fmt::Write;

use proptest::prelude::*;

use super::fixtures::{ALL, BUSYBOX, IPERF_TCP, IPUTILS, IRTT, MAHIMAHI, QLOG_03, TABLE, WINDOWS};
use super::{Record, read};

/// The record with one part of it changed, which must be there.
fn with(record: &str, old: &str, new: &str) -> Vec<u8> {
    assert!(record.contains(old), "{old} is not in the fixture");
    record.replacen(old, new, 1).into_bytes()
}

fn broken() -> Vec<(&'static str, Vec<u8>)> {
    let deep = "{\"intervals\":".to_owned() + &"[".repeat(100_000);
    let qlog = |old, new| with(QLOG_03, old, new);
    let text = |name, text: &str| (name, text.as_bytes().to_vec());
    vec![
        text("nothing", ""),
        text("blanks", " \r\n\t\n"),
        text("comments alone", "# a\n# b\n"),
        text("a byte order mark alone", "\u{feff}"),
        ("half of a UTF-16 unit", vec![0xff, 0xfe, b'1']),
        text("prose", "Dear all,\nplease find the log attached.\n"),
        text(
            "a web page",
            "<!DOCTYPE html>\n<html><body>404</body></html>\n",
        ),
        ("binary", vec![0x7f, b'E', b'L', b'F', 2, 1, 0, 0, 0]),
        ("gzip, cut off", vec![0x1f, 0x8b, 8, 0, 0]),
        (
            "gzip of garbage",
            [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3][..], &[0xff; 40]].concat(),
        ),
        text("a scenario without a link", "[transfer]\nbytes = 1000\n"),
        text("other JSON", "{\"a\": [1, 2, 3]}"),
        text("a header of ping alone", IPUTILS.lines().next().unwrap()),
        (
            "ping, a round trip of 1e30",
            with(IPUTILS, "time=60.4", "time=1e30"),
        ),
        (
            "ping, a round trip below 0",
            with(IPUTILS, "time=60.4", "time=-60.4"),
        ),
        (
            "ping, a number of 20 digits",
            with(IPUTILS, "icmp_seq=3", "icmp_seq=99999999999999999999"),
        ),
        (
            "ping, a number above 65535",
            with(BUSYBOX, "seq=3", "seq=65536"),
        ),
        (
            "ping, a count of packets above 64 bits",
            with(BUSYBOX, "4 packets", "18446744073709551615 packets"),
        ),
        text(
            "ping, a packet still on its way",
            "no answer yet for icmp_seq=1\n",
        ),
        text(
            "ping without times",
            "16 bytes from h: icmp_seq=1 ttl=5\n16 bytes from h: icmp_seq=2 ttl=5\n",
        ),
        (
            "windows, a time of a year",
            with(WINDOWS, "time=12ms", "time=31536000000ms"),
        ),
        ("irtt, cut off", IRTT.as_bytes()[..IRTT.len() / 2].to_vec()),
        ("irtt, no round trips", b"{\"round_trips\": []}".to_vec()),
        (
            "irtt, a number of 2^64",
            with(IRTT, "\"seqno\": 3", "\"seqno\": 18446744073709551616"),
        ),
        (
            "irtt, a number far off",
            with(IRTT, "\"seqno\": 3", "\"seqno\": 18446744073709551615"),
        ),
        ("irtt, another loss", with(IRTT, "true_up", "sideways")),
        (
            "irtt, a delay below 0",
            with(IRTT, "\"rtt\": 40000000", "\"rtt\": -1"),
        ),
        ("irtt, no delay", with(IRTT, "\"rtt\": 40000000,", "")),
        (
            "iperf3's words",
            b"Connecting to host h, port 5201\n[ ID] Interval           Transfer\n".to_vec(),
        ),
        ("iperf3, cut off", IPERF_TCP.as_bytes()[..700].to_vec()),
        (
            "iperf3, only an error",
            b"{\"start\": {}, \"intervals\": [], \"error\": \"unable to connect\"}".to_vec(),
        ),
        (
            "iperf3, bytes below 0",
            with(IPERF_TCP, "\"bytes\": 1000", "\"bytes\": -1"),
        ),
        (
            "iperf3, a time of 1e300",
            with(IPERF_TCP, "1.0002", "1e300"),
        ),
        (
            "iperf3, a number of 1e999",
            with(IPERF_TCP, "1.0002", "1e999"),
        ),
        ("iperf3, SCTP", with(IPERF_TCP, "\"TCP\"", "\"SCTP\"")),
        (
            "iperf3, no colon",
            with(IPERF_TCP, "\"intervals\":", "\"intervals\""),
        ),
        ("JSON of depth 100,000", deep.into_bytes()),
        (
            "iperf3, sums above 64 bits",
            with(
                IPERF_TCP,
                "\"bytes\": 3000",
                "\"bytes\": 18446744073709551615",
            ),
        ),
        ("qlog without events", qlog("{\"time\"", "{\"no\"")),
        text(
            "qlog of nothing",
            "{\"qlog_version\":\"0.3\",\"traces\":[]}",
        ),
        (
            "qlog, a time of 1e300",
            qlog("\"time\":45.5", "\"time\":1e300"),
        ),
        (
            "qlog, a round trip below 0",
            qlog("\"latest_rtt\":40.5", "\"latest_rtt\":-3"),
        ),
        (
            "qlog, a packet number of 2^63",
            qlog(
                "\"packet_number\":0",
                "\"packet_number\":9223372036854775808",
            ),
        ),
        ("mahimahi, a word", with(MAHIMAHI, "1500", "fifteen")),
        (
            "mahimahi, half a millisecond",
            with(MAHIMAHI, "1500", "1500.5"),
        ),
        ("mahimahi, going back", with(MAHIMAHI, "1500", "499")),
        ("mahimahi, below 0", b"-1\n5\n".to_vec()),
        ("mahimahi, too long", with(MAHIMAHI, "3000", "1e12")),
        ("mahimahi, all at 0", b"0\n0\n".to_vec()),
        ("rates, one line", b"0.5 1.5\n".to_vec()),
        ("rates, a third column", b"0.5 1.5\n1.0 1.5 7\n".to_vec()),
        ("rates, below 0", b"0.5 1.5\n1.0 -1.5\n".to_vec()),
        ("rates, no later", b"0.5 1.5\n0.5 1.5\n".to_vec()),
        ("rates, of three columns", b"1 2 3\n2 3 4\n".to_vec()),
        ("a table's header alone", b"time_s,rate_mbps\n".to_vec()),
        (
            "a table without a unit of time",
            b"time,rate_mbps\n0,1\n1,1\n".to_vec(),
        ),
        (
            "a table without a unit of rate",
            b"time_s,throughput\n0,1\n1,1\n".to_vec(),
        ),
        (
            "a table without a unit of delay",
            b"time_s,rtt\n0,1\n1,1\n".to_vec(),
        ),
        (
            "a table of nothing known",
            b"time_s,colour\n0,1\n1,1\n".to_vec(),
        ),
        ("a table of one way", b"time_s,owd_ms\n0,1\n1,1\n".to_vec()),
        (
            "a table of ways that make less than 0",
            b"time_s,owd_up_ms,owd_down_ms\n0,1,-2\n1,1,2\n".to_vec(),
        ),
        ("a table with a short row", with(TABLE, "200;-;2", "200;-")),
        ("a table with a word", with(TABLE, "200;-;2", "200;-;fast")),
        ("a table, going back", with(TABLE, "200;-;2", "-200;-;2")),
        ("a table without a time", with(TABLE, "200;-;2", ";-;2")),
        (
            "a table, a rate of 1e300",
            with(TABLE, "200;-;2", "200;-;1e300"),
        ),
        (
            "a table, a round trip of 1e30",
            with(TABLE, "200;-;2", "200;1e30;2"),
        ),
    ]
}

#[test]
fn a_record_that_cannot_be_read_is_told_what_where_and_what_was_expected() {
    let mut text = String::new();
    for (name, record) in broken() {
        match read(&record) {
            Ok(records) => writeln!(text, "{name}: {} records", records.len()).unwrap(),
            Err(mistake) => {
                let sentence = mistake.to_string();
                assert!(!sentence.contains('\n'), "{sentence}");
                writeln!(text, "{name}: {sentence}").unwrap();
            }
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn kinds_are_told_apart_by_their_content() {
    let captures: [&[u8]; 5] = [
        b"\xa1\xb2\xc3\xd4\0\x02",
        b"\xd4\xc3\xb2\xa1\x02\0",
        b"\xa1\xb2\x3c\x4d\0\x02",
        b"\x4d\x3c\xb2\xa1\x02\0",
        b"\x0a\x0d\x0d\x0a\x1c\0",
    ];
    for capture in captures {
        assert_eq!(read(capture), Ok(vec![Record::Capture]));
    }
    for scenario in [
        "[[link]]\nrate = \"10 Mbit/s\"\n",
        "# mine\nduration = \"10 s\"\n\n[[link]]\n",
    ] {
        assert_eq!(read(scenario.as_bytes()), Ok(vec![Record::Link]));
    }
    for (name, record) in ALL {
        let kind = match read(record.as_bytes()).unwrap()[0] {
            Record::Probes(_) => ["iputils", "busybox", "macos", "windows", "irtt"].as_slice(),
            Record::Throughput(_) => &["iperf3"],
            Record::Rates(_) => &["mahimahi", "pensieve", "3g log", "cork", "table"],
            Record::Qlog(_) => &["qlog"],
            Record::Capture | Record::Link => &[],
        };
        assert!(kind.iter().any(|kind| name.starts_with(kind)), "{name}");
    }
}

/// Something to put into a record: numbers that break arithmetic, characters that end things.
fn insertion() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: [&str; 30] = [
        "",
        "-",
        "0",
        "9",
        "99999999999",
        "18446744073709551616",
        "1e300",
        "-1e-300",
        "nan",
        "inf",
        "\n",
        "\r",
        "\0",
        "\"",
        "{",
        "}",
        "[",
        "]",
        ",",
        ";",
        "\t",
        "=",
        "<",
        ":",
        "ms",
        " ",
        "\u{1e}",
        "é",
        "PING ",
        "icmp_seq=",
    ];
    prop_oneof![
        prop::sample::select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is cut from a record or put into it, reading it does not panic, and what is read is sound.
    #[test]
    fn no_change_to_a_record_makes_it_panic(
        which in 0..ALL.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, insertion()), 1..5),
    ) {
        let mut record = ALL[which].1.as_bytes().to_vec();
        for (at, cut, insertion) in changes {
            let at = at.index(record.len() + 1);
            let end = (at + cut).min(record.len());
            record.splice(at..end, insertion);
        }
        for found in read(&record).into_iter().flatten() {
            check(&found)?;
        }
    }

    /// Bytes at random are read or refused.
    #[test]
    fn no_bytes_make_it_panic(record in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&record);
    }
}

/// What holds for every record: finite numbers, times in order.
fn check(record: &Record) -> Result<(), TestCaseError> {
    match record {
        Record::Probes(found) => {
            prop_assert!(
                found
                    .probes
                    .iter()
                    .all(|it| it.sent_s.is_finite() && it.sent_s >= 0.0)
            );
            prop_assert!(found.probes.is_sorted_by_key(|it| it.sent_s));
        }
        Record::Throughput(found) => {
            prop_assert!(found.intervals.iter().all(|it| it.from_s < it.to_s));
            prop_assert!(
                found
                    .intervals
                    .iter()
                    .all(|it| it.rtt_s.is_none_or(f64::is_finite))
            );
        }
        Record::Rates(found) => {
            prop_assert!(found.spans.iter().all(|it| it.from_s < it.to_s));
            prop_assert!(
                found
                    .spans
                    .iter()
                    .all(|it| it.bps.is_none_or(|bps| bps >= 0.0 && bps.is_finite()))
            );
            let is_joined = |pair: &[super::Span]| pair[0].to_s == pair[1].from_s;
            prop_assert!(found.spans.windows(2).all(is_joined));
            let times = found.opportunities_ms.as_ref();
            prop_assert!(times.is_none_or(|times| times.is_sorted()));
        }
        Record::Qlog(found) => prop_assert!(found.sent.iter().all(|it| it.at_s.is_finite())),
        Record::Capture | Record::Link => {}
    }
    Ok(())
}
