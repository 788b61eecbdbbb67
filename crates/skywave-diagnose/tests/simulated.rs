//! Transfers of simulated senders, captured as they see them: what became of each packet is known.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use skywave_diagnose::fit::hidden::LossModel;
use skywave_diagnose::fit::path::{self, Idle, PathFit, QueueModel, RateModel};
use skywave_diagnose::fit::probes::JitterModel;
use skywave_diagnose::fit::{Estimate, Known};
use skywave_diagnose::transfer::{Fate, Transfer, read};
use skywave_diagnose::why::{Verdict, why};
use skywave_lab::capture::pcapng::{Captured, Interface, Section, Writer};
use skywave_lab::capture::{self, Keep, Options, Remark};
use skywave_scenario::{NoFiles, Scenario};

/// A packet: when, its bytes and length, what became of it.
type Packet = (u64, Vec<u8>, u32, Option<Remark>);

fn packets(file: &Path) -> Vec<Packet> {
    let mut packets = Vec::new();
    capture::read(File::open(file).unwrap(), |frame| {
        let remark = frame.remarks.first().copied();
        packets.push((frame.at_ns, frame.bytes.to_vec(), frame.length, remark));
    })
    .unwrap();
    packets
}

/// A transfer for 20 s over a link with these properties, which begins behind a fast wire.
fn transfer(transport: &str, radio: &str) -> Transfer {
    let text = format!(
        r#"
        [[link]]
        name = "wire"
        between = ["server", "router"]
        rate = "1Gbps"
        delay = "1us"
        queue = {{ droptail = "10000 packets" }}

        [[link]]
        name = "radio"
        between = ["router", "phone"]
        {radio}

        [[flow]]
        name = "download"
        from = "server"
        to = "phone"
        transport = "{transport}"
        rwnd = "4MB"
        traffic = "ftp"

        [run]
        duration = "20s"
        "#
    );
    let scenario = Scenario::parse("simulated", &text, &NoFiles).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        dir: dir.path(),
        links: &[],
        keep: Keep::Headers,
        threads: None,
        cancel: &AtomicBool::new(false),
    };
    let files = capture::capture(&scenario, &options).unwrap().files;
    let of = |link: &str| {
        let file = files
            .iter()
            .find(|file| file.file_stem() == Some(link.as_ref()));
        packets(file.unwrap())
    };
    // The wire keeps the order: the radio's packets are the same ones.
    let mut both = of("wire");
    for (packet, (.., remark)) in both.iter_mut().zip(of("radio")) {
        packet.3 = remark;
    }
    both.extend(of("wire.reverse"));
    both.sort_by_key(|packet| packet.0);
    let section = Section {
        hardware: "",
        application: "",
        comment: "",
    };
    let interface = Interface {
        name: "wire",
        description: "",
        snap_length: 0,
    };
    let mut writer = Writer::new(Vec::new(), &section, &interface).unwrap();
    for (at_ns, bytes, length, remark) in &both {
        let comment = remark.map(Remark::text);
        let packet = Captured {
            at_ns: *at_ns,
            bytes,
            length: *length,
            way: None,
            comments: comment.as_slice(),
        };
        writer.packet(&packet).unwrap();
    }
    let mut capture = read(&writer.into_inner()[..]).unwrap();
    assert_eq!(capture.transfers.len(), 1);
    capture.transfers.remove(0)
}

/// Losses that were found, after none was missed and none was false.
fn right_losses(transfer: &Transfer) -> usize {
    let truth = transfer.remarks.iter().copied();
    let truth = truth.chain(std::iter::repeat(None));
    for (number, (sent, remark)) in transfer.sent.iter().zip(truth).enumerate() {
        let is_lost = remark.is_some_and(Remark::is_loss);
        // Of the last packets nothing is heard any more.
        if sent.fate != Fate::Unknown {
            assert_eq!(
                sent.fate == Fate::Lost,
                is_lost,
                "packet {number}: {sent:?}"
            );
        }
    }
    let lost = transfer.sent.iter().filter(|sent| sent.fate == Fate::Lost);
    lost.count()
}

#[test]
fn losses_of_a_full_queue_are_found_and_the_link_is_full() {
    let radio = r#"rate = "10Mbps"
        delay = "20ms"
        queue = { droptail = "60 packets" }"#;
    for transport in ["cubic", "linux", "rack-tlp"] {
        let transfer = transfer(transport, radio);
        assert!(right_losses(&transfer) > 20, "{transport}");
        let why = why(&transfer, path::fit(&transfer).as_ref());
        assert_eq!(why.verdict, Verdict::LinkFull, "{}", why.sentence);
        assert!(why.losses.random * 20 < why.losses.all, "{transport}");
    }
}

#[test]
fn bursts_of_losses_are_found_and_named_random() {
    let radio = r#"rate = "20Mbps"
        delay = "30ms"
        queue = { droptail = "100 packets" }
        loss = { forward = { gilbert-elliott = { to_bad = 0.003, to_good = 0.3 } } }"#;
    let transfer = transfer("linux", radio);
    assert!(right_losses(&transfer) > 20);
    let why = why(&transfer, path::fit(&transfer).as_ref());
    assert_eq!(why.verdict, Verdict::RandomLoss, "{}", why.sentence);
    // The start fills the queue once, which takes many packets, but cuts the window once.
    assert!(why.losses.congestive > why.losses.random);
}

#[test]
fn a_sender_that_does_not_slow_down_for_losses_fills_the_link() {
    let radio = r#"rate = "20Mbps"
        delay = "30ms"
        queue = { droptail = "200 packets" }
        loss = { forward = { iid = 0.005 } }"#;
    let transfer = transfer("bbr", radio);
    assert!(right_losses(&transfer) > 100);
    let why = why(&transfer, path::fit(&transfer).as_ref());
    assert_eq!(why.verdict, Verdict::LinkFull, "{}", why.sentence);
}

#[test]
fn a_policer_is_named() {
    let radio = r#"rate = "50Mbps"
        delay = "20ms"
        queue = { droptail = "200 packets" }
        policer = { rate = "6Mbps", burst = "80kB" }"#;
    let transfer = transfer("linux", radio);
    assert!(right_losses(&transfer) > 50);
    let why = why(&transfer, path::fit(&transfer).as_ref());
    assert_eq!(why.verdict, Verdict::Policer, "{}", why.sentence);
}

#[test]
fn the_rate_is_told_though_losses_keep_the_link_idle() {
    let radio = r#"rate = "8Mbps"
        delay = "30ms"
        queue = { droptail = "60 packets" }
        loss = { forward = { iid = 0.04 } }"#;
    for transport in ["cubic", "reno"] {
        let transfer = transfer(transport, radio);
        let path = path::fit(&transfer).unwrap();
        let Known::Told(RateModel::Constant(rate, _)) = &path.rate else {
            panic!("{transport}: {:?}", path.rate);
        };
        assert!(
            (rate.value / 8e6 - 1.0).abs() < 0.05,
            "{transport}: {rate:?}"
        );
        assert!(path.queue.told().is_none(), "{transport}");
    }
}

/// Packets of a drop-tail queue beside no losses of the channel.
fn clean_queue(path: &PathFit) -> f64 {
    let losses = path.losses.told().unwrap().best();
    assert_eq!(*losses, LossModel::None, "{:?}", path.queue);
    match path.queue.told().unwrap().best() {
        QueueModel::DropTail { bytes } => bytes.value / path.packet,
        other => panic!("{other:?}"),
    }
}

fn constant_mbps(path: &PathFit) -> f64 {
    match path.rate.told() {
        Some(RateModel::Constant(rate, _)) => rate.value / 1e6,
        _ => panic!("the rate is not constant"),
    }
}

#[test]
fn a_base_round_trip_that_changes_does_not_make_a_full_queue_s_losses_random() {
    let radio = r#"rate = "10Mbps"
        delay = "20ms"
        queue = { droptail = "100 packets" }
        steps = { every = "6s", delay = ["2ms", "14ms", "0ms"] }"#;
    let path = path::fit(&transfer("linux", radio)).unwrap();
    assert!((constant_mbps(&path) / 10.0 - 1.0).abs() < 0.01);
    let packets = clean_queue(&path);
    assert!((97.0..103.0).contains(&packets), "{packets}");
}

#[test]
fn jitter_does_not_make_a_rate_larger() {
    let radio = r#"rate = "10Mbps"
        delay = "20ms"
        queue = { droptail = "100 packets" }
        jitter = { uniform = ["0ms", "8ms"] }"#;
    let idle = Idle {
        varies_s: 0.016,
        ..Idle::default()
    };
    let path = path::fit_beside(&transfer("linux", radio), idle).unwrap();
    let mbps = constant_mbps(&path);
    assert!((mbps / 10.0 - 1.0).abs() < 0.007, "{mbps}");
}

#[test]
fn jitter_that_probes_tell_is_not_taken_for_a_queue() {
    let radio = r#"rate = "8Mbps"
        delay = "20ms"
        queue = { droptail = "60 packets" }
        loss = { forward = { iid = 0.01 } }
        jitter = { uniform = ["0ms", "14ms"] }"#;
    let transfer = transfer("linux", radio);
    let rate = |idle| path::fit_beside(&transfer, idle).unwrap().rate;
    let is_recorded = |rate: &Known<RateModel>| matches!(rate.told(), Some(RateModel::Recorded(_)));
    assert!(is_recorded(&rate(Idle::default())));
    assert!(!is_recorded(&rate(Idle {
        varies_s: 0.028,
        ..Idle::default()
    })));
}

#[test]
fn a_slow_way_back_is_told_by_timestamps_and_taken_off() {
    let radio = r#"rate = "10Mbps"
        delay = "40ms"
        queue = { droptail = "70 packets" }
        reverse = { rate = "100kbps", queue = { droptail = "60 packets" } }"#;
    let transfer = transfer("linux", radio);
    let path = path::fit(&transfer).unwrap();
    let back = path.back.unwrap();
    assert!((back.bps.value / 100e3 - 1.0).abs() < 0.01, "{back:?}");
    assert!(back.is_full && back.packets.abs_diff(60) <= 2, "{back:?}");
    assert!((constant_mbps(&path) / 10.0 - 1.0).abs() < 0.01);
    let packets = clean_queue(&path);
    assert!((67.0..73.0).contains(&packets), "{packets}");
}

#[test]
fn steps_of_the_base_that_probes_tell_are_no_busy_link() {
    let radio = r#"rate = "8Mbps"
        delay = "75ms"
        loss = { forward = { iid = 0.003 } }
        steps = { every = "6s", delay = ["21ms", "0ms", "2ms"] }"#;
    let idle = Idle {
        steps_s: 0.042,
        ..Idle::default()
    };
    let path = path::fit_beside(&transfer("linux", radio), idle).unwrap();
    let mbps = constant_mbps(&path);
    assert!((mbps / 8.0 - 1.0).abs() < 0.05, "{mbps}");
}

#[test]
fn the_rate_is_told_behind_jitter_longer_than_packets_take() {
    let radio = r#"rate = "8Mbps"
        delay = "22ms"
        queue = { droptail = "40 packets" }
        loss = { forward = { iid = 0.006 } }
        jitter = { uniform = ["0ms", "14ms"] }"#;
    let idle = Idle {
        jitter: Some(JitterModel::UniformEachWay {
            width_s: Estimate::new(0.014, 0.014, 0.014),
        }),
        varies_s: 0.028,
        ..Idle::default()
    };
    let path = path::fit_beside(&transfer("linux", radio), idle).unwrap();
    let mbps = constant_mbps(&path);
    assert!((mbps / 8.0 - 1.0).abs() < 0.08, "{mbps}");
}
