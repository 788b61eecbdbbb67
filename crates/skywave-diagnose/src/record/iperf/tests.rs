use super::super::fixtures::{IPERF_BIDIR, IPERF_SERVER, IPERF_STREAM, IPERF_TCP};
use super::super::{Carried, Interval, Lost, Record, Throughput, read};

fn tests(text: &str) -> Vec<Throughput> {
    let test = |record| match record {
        Record::Throughput(test) => test,
        other => panic!("no test: {other:?}"),
    };
    read(text.as_bytes())
        .unwrap()
        .into_iter()
        .map(test)
        .collect()
}

#[test]
fn streams_are_added_up_and_omitted_or_empty_intervals_left_out() {
    let found = tests(IPERF_TCP);
    let interval = |from_s, to_s, bytes, retransmits, rtt_s| Interval {
        from_s,
        to_s,
        bytes,
        retransmits: Some(retransmits),
        rtt_s: Some(rtt_s),
        cwnd: Some(43_440),
        lost: None,
    };
    let expected = Throughput {
        carried: Carried::Tcp,
        congestion: Some("cubic".to_owned()),
        is_sender: true,
        is_download: false,
        streams: 2,
        intervals: vec![
            interval(0.0, 1.0002, 4000, 3, 0.06),
            interval(1.0002, 2.0, 500, 0, 0.05),
        ],
        lost: None,
    };
    assert_eq!(found, [expected]);
}

#[test]
fn a_servers_log_gives_the_tests_that_ran() {
    let found = tests(IPERF_SERVER);
    assert_eq!(found.len(), 1);
    let test = &found[0];
    assert_eq!(
        (test.carried, test.is_sender, test.is_download),
        (Carried::Udp, false, true)
    );
    let lost: Vec<Option<Lost>> = test.intervals.iter().map(|it| it.lost).collect();
    assert_eq!(
        lost,
        [
            Some(Lost { lost: 2, sent: 12 }),
            Some(Lost { lost: 0, sent: 13 })
        ]
    );
    assert_eq!(test.lost, Some(Lost { lost: 1, sent: 25 }));
}

#[test]
fn a_test_of_both_ways_is_two_records() {
    let found = tests(IPERF_BIDIR);
    let sides = found
        .iter()
        .map(|it| (it.is_sender, it.intervals[0].bytes, it.intervals[0].rtt_s));
    let sides: Vec<_> = sides.collect();
    assert_eq!(sides, [(true, 1000, Some(0.05)), (false, 7000, None)]);
}

#[test]
fn what_the_server_saw_is_a_record_of_the_same_direction() {
    let server = IPERF_SERVER.split("}\n{").nth(1).unwrap();
    let text =
        IPERF_BIDIR.trim_end_matches('}').to_owned() + ", \"server_output_json\": {" + server + "}";
    let found = tests(&text);
    assert_eq!(found.len(), 3);
    assert_eq!((found[2].is_sender, found[2].is_download), (false, false));
}

#[test]
fn lines_of_events_are_a_test() {
    let found = tests(IPERF_STREAM);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].is_sender, found[0].is_download), (false, true));
    assert_eq!(
        found[0]
            .intervals
            .iter()
            .map(|it| it.bytes)
            .collect::<Vec<_>>(),
        [1000, 2000]
    );
    // One that was killed in the middle of a line keeps what it had.
    let cut = &IPERF_STREAM[..IPERF_STREAM.len() - 10];
    assert_eq!(tests(cut)[0].intervals.len(), 2);
    let twice = IPERF_STREAM.to_owned() + IPERF_STREAM;
    assert_eq!(tests(&twice).len(), 2);
}

#[test]
fn old_versions_tell_the_side_by_who_connected() {
    let old = IPERF_TCP
        .replace(", \"sender\": true", "")
        .replace(",\n       \"sender\": true", "");
    let with = |old: &str| tests(old).iter().map(|it| it.is_sender).collect::<Vec<_>>();
    assert_eq!(with(&old), [true]);
    assert_eq!(
        with(&old.replace("\"reverse\": 0", "\"reverse\": 1")),
        [false]
    );
}

#[test]
fn a_terminals_echo_before_the_object_does_not_matter() {
    assert_eq!(tests(&("^C".to_owned() + IPERF_TCP)), tests(IPERF_TCP));
    assert_eq!(
        tests(&("\u{1b}[F".to_owned() + IPERF_TCP)),
        tests(IPERF_TCP)
    );
}
