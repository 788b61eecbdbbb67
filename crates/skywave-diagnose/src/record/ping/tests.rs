use std::fmt::Write;

use super::super::fixtures::{
    BUSYBOX, IPUTILS, MACOS, WINDOWS, WINDOWS_FRENCH, WINDOWS_GERMAN, WINDOWS_SPANISH,
};
use super::super::{Fate, Probes, Record, read};

fn probes(bytes: &[u8]) -> Vec<Probes> {
    let probes = |record| match record {
        Record::Probes(probes) => probes,
        other => panic!("no probes: {other:?}"),
    };
    read(bytes).unwrap().into_iter().map(probes).collect()
}

/// Each probe's time and the bounds of its round trip in milliseconds; `x` where it was lost.
fn drawn(probes: &Probes) -> String {
    let mut text = String::new();
    for probe in &probes.probes {
        write!(text, "{:.1}:", probe.sent_s * 1e3).unwrap();
        match probe.fate {
            Fate::Answered { rtt, .. } => {
                write!(text, "{:.6}-{:.6} ", rtt.low_s * 1e3, rtt.high_s * 1e3).unwrap();
            }
            Fate::Lost(_) => text.push_str("x "),
        }
    }
    text.replace(".000000", "")
        .replace("000-", "-")
        .replace("000 ", " ")
        .trim_end()
        .to_owned()
}

#[test]
fn the_forms_of_ping_read_as_bounds_by_what_they_print() {
    let mut text = String::new();
    for (name, record) in [
        ("iputils", IPUTILS),
        ("busybox", BUSYBOX),
        ("macos", MACOS),
        ("windows", WINDOWS),
        ("german", WINDOWS_GERMAN),
        ("french", WINDOWS_FRENCH),
        ("spanish", WINDOWS_SPANISH),
    ] {
        for run in probes(record.as_bytes()) {
            let (bytes, is_timed) = (run.bytes.unwrap_or_default(), run.is_timed);
            writeln!(
                text,
                "{name}: {bytes} bytes, timed {is_timed}\n  {}",
                drawn(&run)
            )
            .unwrap();
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn without_stamps_the_schedule_follows_from_the_summary() {
    let plain: String = IPUTILS
        .lines()
        .map(|line| {
            line.split_once("] ")
                .map_or(line, |(_, rest)| rest)
                .to_owned()
                + "\n"
        })
        .collect();
    let found = &probes(plain.as_bytes())[0];
    assert!(!found.is_timed);
    // 1405 ms over seven gaps.
    assert!((found.probes[1].sent_s - 0.200_714).abs() < 1e-6);

    let killed = plain.split("^C").next().unwrap();
    let found = &probes(killed.as_bytes())[0];
    assert_eq!(found.probes[1].sent_s, 1.0);
}

#[test]
fn numbers_go_on_after_65535() {
    let text = "PING h (192.0.2.7) 56(84) bytes of data.\n".to_owned();
    let reply = |seq: u32| {
        format!(
            "64 bytes from h: icmp_seq={} ttl=5 time=1.00 ms\n",
            seq & 0xffff
        )
    };
    let seqs = (1..=65_533).chain([65_535, 65_534, 65_537, 65_540]);
    let text = text + &seqs.map(reply).collect::<String>();
    let found = &probes(text.as_bytes())[0];
    assert_eq!(found.probes.len(), 65_540);
    let lost = found.probes.iter().enumerate();
    let lost = lost.filter(|(_, probe)| matches!(probe.fate, Fate::Lost(_)));
    let lost: Vec<usize> = lost.map(|(index, _)| index + 1).collect();
    assert_eq!(lost, [65_536, 65_538, 65_539]);
}

#[test]
fn losses_within_a_round_trip_of_the_end_are_left_out() {
    let text = "PING h (192.0.2.7) 56(84) bytes of data.\n\
        64 bytes from h: icmp_seq=1 ttl=5 time=500 ms\n\
        64 bytes from h: icmp_seq=2 ttl=5 time=500 ms\n\n\
        --- h ping statistics ---\n\
        10 packets transmitted, 2 received, 80% packet loss, time 1800ms\n";
    let found = &probes(text.as_bytes())[0];
    // Sent at 0.2 s each until 1.8 s; those from 1.3 s on may only be late.
    assert_eq!(found.probes.len(), 7);
}

#[test]
fn several_runs_in_a_log_are_several_records() {
    assert_eq!(
        probes((IPUTILS.to_owned() + BUSYBOX + MACOS).as_bytes()).len(),
        3
    );
    assert_eq!(probes((WINDOWS.to_owned() + WINDOWS).as_bytes()).len(), 2);
}

#[test]
fn a_clock_set_back_leaves_no_time_before_another() {
    let text = "\
        [1000.0] 64 bytes from h: icmp_seq=1 ttl=5 time=1.00 ms\n\
        [1001.0] 64 bytes from h: icmp_seq=2 ttl=5 time=1.00 ms\n\
        [902.0] 64 bytes from h: icmp_seq=3 ttl=5 time=1.00 ms\n\
        [903.0] 64 bytes from h: icmp_seq=4 ttl=5 time=1.00 ms\n";
    let times: Vec<f64> = probes(text.as_bytes())[0]
        .probes
        .iter()
        .map(|it| it.sent_s)
        .collect();
    assert_eq!(times, [0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn windows_text_is_read_in_its_encodings() {
    let plain = probes(WINDOWS_GERMAN.as_bytes());
    let latin: Vec<u8> = WINDOWS_GERMAN.chars().map(|c| c as u8).collect();
    assert_eq!(probes(&latin), plain);
    let utf16 = [0xfeff].into_iter().chain(WINDOWS_GERMAN.encode_utf16());
    let little: Vec<u8> = utf16.clone().flat_map(u16::to_le_bytes).collect();
    assert_eq!(probes(&little), plain);
    let big: Vec<u8> = utf16.flat_map(u16::to_be_bytes).collect();
    assert_eq!(probes(&big), plain);
}

#[test]
fn windows_prints_no_time_to_live_for_ipv6() {
    let text = "\nPinging h [2001:db8::7] with 32 bytes of data:\n\
        Reply from 2001:db8::7: time=3ms\nRequest timed out.\nReply from 2001:db8::7: time<1ms\n\n";
    let found = &probes(text.as_bytes())[0];
    assert_eq!(
        (drawn(found).as_str(), found.bytes),
        ("0.0:3-4 1000.0:x 2000.0:0-1", Some(80))
    );
}

#[test]
fn replies_in_other_languages_are_told_by_their_numbers() {
    let text = "PING h (192.0.2.7) 56(84) Bytes an Daten.\n\
        64 Bytes von h: icmp_seq=1 ttl=5 Zeit=60.4 ms\n64 Bytes von h: icmp_seq=2 ttl=5 Zeit=150 ms\n";
    assert_eq!(
        drawn(&probes(text.as_bytes())[0]),
        "0.0:60.350-60.450 1000.0:149.500-150.500"
    );
}
