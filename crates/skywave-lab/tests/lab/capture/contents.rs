//! Captures read by our own reader, against the simulation's measurements.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use skywave_lab::capture::{self, Dropper, Error, Keep, Protocol, Remark};

use super::bench::{Captures, EVERYTHING, LOSSY, summary};

static NEVER: AtomicBool = AtomicBool::new(false);

#[test]
fn a_capture_tells_what_the_simulation_measured() {
    let captures = Captures::of(LOSSY, &["radio"], Keep::Headers);
    for point in 0..captures.scenario.points().len() {
        let outcome = captures.outcome(point);
        let (flow, link) = (&outcome.flows[0], &outcome.links[0]);
        assert!(flow.retransmits > 5 && link.queue_drops > 0, "{flow:?}");
        let capture = summary(captures.file(point, "radio"));
        assert!(!capture.cut_off);
        assert_eq!((capture.packets, capture.other), (link.offered, 0));
        let [connection] = &capture.connections[..] else {
            panic!("{:?}", capture.connections)
        };
        let data = &connection.forward;
        assert_eq!(data.retransmits, flow.retransmits);
        assert_eq!(data.passed_bytes, flow.delivered_bytes);
        let lost = |remark| data.remarks.get(&remark).copied().unwrap_or_default();
        assert_eq!(lost(Remark::LostQueue), link.queue_drops);
        assert_eq!(lost(Remark::LostChannel), link.channel_drops);
        assert_eq!(connection.backward.packets, 0);

        let back = summary(captures.file(point, "radio.reverse"));
        assert_eq!(back.packets, outcome.links[1].offered);
        assert_eq!(back.connections[0].from, connection.to);
    }
}

#[test]
fn every_fate_is_told_and_every_packet_is_there() {
    let captures = Captures::of(EVERYTHING, &[], Keep::Headers);
    let outcome = captures.outcome(0);
    let spec = captures.scenario.points()[0].spec(1);
    assert_eq!(captures.files.len(), spec.links.len());
    let mut told = BTreeSet::new();
    let mut protocols = BTreeSet::new();
    for (file, link) in captures.files.iter().zip(&outcome.links) {
        let capture = summary(file);
        assert_eq!(
            (capture.packets, capture.other),
            (link.offered, 0),
            "{}",
            link.name
        );
        let both = capture
            .connections
            .iter()
            .flat_map(|c| [&c.forward, &c.backward]);
        let count = |wanted: &[Remark]| -> u64 {
            let all = both.clone().flat_map(|d| &d.remarks);
            all.filter(|(r, _)| wanted.contains(r))
                .map(|(_, n)| n)
                .sum()
        };
        assert_eq!(
            count(&[Remark::LostQueue, Remark::LostEarly(Dropper::Red)]),
            link.queue_drops
        );
        assert_eq!(count(&[Remark::LostChannel]), link.channel_drops);
        assert_eq!(count(&[Remark::LostBlackout]), link.blackout_drops);
        told.extend(both.clone().flat_map(|d| d.remarks.keys().copied()));
        protocols.extend(capture.connections.iter().map(|c| c.protocol));
    }
    // All but the link that never sends.
    assert_eq!(told.len(), 8, "{told:?}");
    assert_eq!(protocols, BTreeSet::from([Protocol::Tcp, Protocol::Udp]));
    // The first link sees all segments that the senders of A send and resend.
    let first = summary(&captures.files[0]);
    let retransmits = |flow: usize| outcome.flows[flow].retransmits;
    let of_senders = first
        .connections
        .iter()
        .filter(|c| c.forward.payload_bytes > 0);
    // By flow, because the lot decides whose SYN comes first.
    let seen: BTreeMap<u16, u64> = of_senders
        .filter(|c| c.protocol == Protocol::Tcp)
        .map(|c| (c.from.port, c.forward.retransmits))
        .collect();
    let expected = [(50_000, retransmits(0)), (50_001, retransmits(1))];
    assert_eq!(seen, BTreeMap::from(expected));
    // The link after the agent also sees the segments that the agent resends.
    let behind = spec.links.iter().position(|link| link.name == "radio");
    let behind = summary(&captures.files[behind.unwrap()]);
    let repairs: u64 = outcome.flows.iter().map(|f| f.local_retransmits).sum();
    let again: u64 = behind
        .connections
        .iter()
        .map(|c| c.forward.retransmits)
        .sum();
    assert!(repairs > 5 && again >= repairs, "{repairs} {again}");
}

/// A drop has the name of what dropped the packet.
#[test]
fn a_drop_is_named_after_the_dropper() {
    let link = |extra: &str| {
        format!(
            r#"
[[link]]
name = "radio"
between = ["a", "b"]
rate = "1Mbps"
delay = "10ms"
{extra}

[[flow]]
name = "f"
from = "a"
to = "b"
transport = "udp"
traffic = {{ cbr = {{ rate = "1.2Mbps", packet = 972 }} }}

[run]
duration = "30s"
"#
        )
    };
    let cases = [
        (
            r#"queue = "codel""#,
            Dropper::CoDel,
            "lost: early drop (CoDel)",
        ),
        (
            r#"queue = "fq-codel""#,
            Dropper::FqCoDel,
            "lost: early drop (FQ-CoDel)",
        ),
        (r#"queue = "pie""#, Dropper::Pie, "lost: early drop (PIE)"),
        (
            r#"queue = "dualpi2""#,
            Dropper::DualPi2,
            "lost: early drop (DualPI2)",
        ),
        (
            r#"queue = { red = { limit = "30 packets", min = "5 packets", max = "15 packets" } }"#,
            Dropper::Red,
            "lost: early drop (RED)",
        ),
    ];
    let of_link = |extra: &str| {
        let captures = Captures::of(&link(extra), &["radio"], Keep::Headers);
        let capture = summary(captures.file(0, "radio"));
        let remarks = capture.connections[0].forward.remarks.clone();
        (remarks, captures.outcome(0).flows[0].early_drops)
    };
    for (queue, dropper, text) in cases {
        let remark = Remark::LostEarly(dropper);
        assert_eq!(remark.text(), text);
        let (remarks, drops) = of_link(queue);
        assert!(drops > 0, "{queue}");
        assert_eq!(remarks.get(&remark), Some(&drops), "{queue}: {remarks:?}");
        // A policer before the same queue.
        let policer = format!("{queue}\npolicer = {{ rate = \"800kbps\", burst = \"10kB\" }}");
        let (remarks, drops) = of_link(&policer);
        let early = remarks.get(&remark).copied().unwrap_or_default();
        let policed = remarks.get(&Remark::LostPoliced).copied();
        assert!(policed.is_some(), "{policer}: {remarks:?}");
        assert_eq!(policed.map(|policed| policed + early), Some(drops));
    }
}

#[test]
fn files_are_the_same_bytes_every_time_and_have_plain_names() {
    let one = Captures::of(EVERYTHING, &[], Keep::All);
    let two = Captures::of(EVERYTHING, &[], Keep::All);
    let mut names = Vec::new();
    for (a, b) in one.files.iter().zip(&two.files) {
        assert_eq!(std::fs::read(a).unwrap(), std::fs::read(b).unwrap());
        let name = a.strip_prefix(one.dir.path()).unwrap();
        assert_eq!(name, b.strip_prefix(two.dir.path()).unwrap());
        names.push(name.to_string_lossy().into_owned());
    }
    insta::assert_debug_snapshot!(names);
}

#[test]
fn a_capture_that_is_stopped_leaves_the_one_before() {
    let captures = Captures::of(LOSSY, &["radio"], Keep::Headers);
    let before: Vec<_> = captures.files.iter().map(std::fs::read).collect();
    let options = capture::Options {
        dir: captures.dir.path(),
        links: &[],
        keep: Keep::All,
        threads: None,
        cancel: &AtomicBool::new(true),
    };
    let error = capture::capture(&captures.scenario, &options).unwrap_err();
    assert!(matches!(error, Error::Cancelled));
    for (file, before) in captures.files.iter().zip(before) {
        assert_eq!(std::fs::read(file).unwrap(), before.unwrap());
    }
    let left = std::fs::read_dir(captures.dir.path()).unwrap();
    assert_eq!(left.count(), 1);
}

#[test]
fn a_link_that_is_not_there_is_an_error_that_names_those_that_are() {
    let scenario = skywave_lab::scenario::Scenario::parse(
        "bench",
        EVERYTHING,
        &skywave_lab::scenario::NoFiles,
    )
    .unwrap();
    let known = ["radio", "radio.reverse", "wire/less"].map(String::from);
    assert!(capture::check_links(&scenario, &known).is_ok());
    let error = capture::check_links(&scenario, &["radoi".into()]).unwrap_err();
    assert!(matches!(error, Error::UnknownLink { .. }));
    insta::assert_snapshot!(error);
}

#[test]
fn one_direction_alone_can_be_captured() {
    let captures = Captures::of(LOSSY, &["radio.reverse"], Keep::Headers);
    assert_eq!(captures.files.len(), captures.scenario.points().len());
}

#[test]
fn the_segments_over_time_are_those_that_the_run_counts() {
    for text in [LOSSY, EVERYTHING] {
        let scenario =
            skywave_lab::scenario::Scenario::parse("bench", text, &skywave_lab::scenario::NoFiles)
                .unwrap();
        let mut spec = scenario.points()[0].spec(1);
        spec.series = true;
        let plain = skywave_sim::simulate(&spec);
        let watched = capture::simulate_with_sequence(&spec, &NEVER).unwrap();
        assert_eq!(watched.flows, plain.flows);
        assert_eq!(watched.series[..plain.series.len()], plain.series);
        for flow in &watched.flows {
            let count = |quantity: &str| -> u64 {
                let mut all = watched.series.iter();
                let found = all.find(|s| s.entity == flow.name && s.quantity == quantity);
                found.map_or(0, |s| s.points.len() as u64)
            };
            if flow.name == "voice" {
                // A datagram has no sequence number.
                assert_eq!(count("sent"), 0);
                continue;
            }
            assert_eq!(count("resent"), flow.retransmits, "{}", flow.name);
            assert_eq!(count("sent") + count("resent"), flow.sent_packets);
            // Copies, which belong to no segment, and damage, which is noticed on arrival, do not count.
            if text == LOSSY {
                assert_eq!(count("lost_queue"), flow.queue_drops);
                assert_eq!(count("lost_channel"), flow.channel_drops);
            }
        }
        // Asking for the sequence records no series.
        spec.series = false;
        let quiet = capture::simulate_with_sequence(&spec, &NEVER).unwrap();
        assert!(quiet.series.is_empty());
    }
}

#[test]
fn a_radio_network_without_links_has_nothing_to_capture() {
    let scenario = skywave_lab::scenario::Scenario::parse(
        "air",
        "[radio]\nstandard = \"802.11g\"\n[[station]]\nnode = \"N#\"\ncount = 2\nat = [\"0m\", \"0m\"]\n\
         step = [\"200m\", \"0m\"]\n[[flow]]\nfrom = \"N1\"\nto = \"N2\"\n[run]\nduration = \"1s\"\n",
        &skywave_lab::scenario::NoFiles,
    )
    .unwrap();
    let error = capture::check_links(&scenario, &[]).unwrap_err();
    assert!(matches!(error, Error::NoLinks));
}
