use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use skywave_lab::capture::pcapng::{Captured, Interface, Section, Writer};

use super::*;
use crate::transfer::script::{MSS, Script};

/// A folder with files of these contents.
fn files(contents: &[(&str, &[u8])]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let dir = tempfile::tempdir().unwrap();
    let paths = contents.iter().map(|(name, bytes)| {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    });
    let paths = paths.collect();
    (dir, paths)
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A ping log of an idle link of 40 ms.
fn pings() -> String {
    let mut log = "PING h (192.0.2.7) 56(84) bytes of data.\n".to_owned();
    for number in 1..=200 {
        writeln!(
            log,
            "64 bytes from h: icmp_seq={number} ttl=57 time=40.{} ms",
            number % 3
        )
        .unwrap();
    }
    log
}

const DOWN: &str = "PING h (192.0.2.7) 56(84) bytes of data.\n\n--- h ping statistics ---\n\
    150 packets transmitted, 0 received, 100% packet loss, time 29800ms\n";

#[test]
fn a_log_without_any_answer_is_told_of_and_the_others_go_on() {
    let (_dir, paths) = files(&[
        ("down.log", DOWN.as_bytes()),
        ("up.log", pings().as_bytes()),
    ]);
    let diagnosis = Diagnosis::of(&paths).unwrap();
    assert!(
        diagnosis
            .notes
            .iter()
            .any(|note| note.starts_with("down.log: none of its 149 probes came back")),
        "{:?}",
        diagnosis.notes
    );
    assert_eq!(diagnosis.link.base_s.from, "up.log");
    assert!(diagnosis.link.losses.known.told().is_some());
}

#[test]
fn a_log_without_any_answer_alone_tells_nothing() {
    let (_dir, paths) = files(&[("down.log", DOWN.as_bytes())]);
    let error = Diagnosis::of(&paths).unwrap_err().to_string();
    assert!(error.contains("the link was down"), "{error}");
}

#[test]
fn a_compressed_capture_is_read_as_it_is() {
    // A pcap of no packets.
    let header = [
        0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0,
    ];
    let (_dir, paths) = files(&[
        ("plain.pcap", &header),
        ("packed.pcap.gz", &packed(&header)),
    ]);
    let told = |path: &PathBuf| {
        Diagnosis::of(std::slice::from_ref(path))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(told(&paths[0]), told(&paths[1]));
    assert!(!is_scenario(&paths[1]).unwrap());
    // Cut within the compressed packets.
    let (_dir, paths) = files(&[("cut.pcap.gz", &packed(&header)[..20])]);
    assert!(matches!(Diagnosis::of(&paths), Err(Error::Record { .. })));
}

#[test]
fn a_record_names_the_sender() {
    let test = r#"{"start":{"test_start":{"protocol":"TCP"}},"intervals":[{"streams":[{"start":0,"end":1,"bytes":1000,"sender":true}]}],
        "end":{"sender_tcp_congestion":"bbr"}}"#;
    let (_dir, paths) = files(&[("iperf.json", test.as_bytes())]);
    let sender = Diagnosis::of(&paths).unwrap().sender;
    assert_eq!(sender, Some(("bbr".to_owned(), "iperf.json".to_owned())));
}

/// A capture of clients on these ports, each of which sends a segment every 10 ms; after a while all wait.
fn uploads(ports: &[u16]) -> Script {
    uploads_every(10, ports)
}

fn uploads_every(spacing_ms: u64, ports: &[u16]) -> Script {
    let mut packets = Vec::new();
    for number in 0..300 {
        let sent_ms = spacing_ms * u64::from(number);
        let rtt_ms = if number < 20 { 50 } else { 100 };
        for &port in ports {
            packets.push((sent_ms, port, number, false));
            packets.push((sent_ms + rtt_ms, port, number, true));
        }
    }
    packets.sort_unstable();
    let mut script = Script::midway(1);
    for (at_ms, port, number, is_answer) in packets {
        script.port = port;
        if is_answer {
            script.ack(at_ms, (number + 1) * MSS, &[]);
        } else {
            script.data(at_ms, number * MSS, MSS);
        }
    }
    script
}

#[test]
fn a_rate_is_not_told_from_one_of_two_connections() {
    let told = |ports: &[u16]| {
        let (_dir, paths) = files(&[("up.pcap", uploads(ports).file())]);
        Diagnosis::of(&paths).unwrap()
    };
    let (alone, both) = (told(&[4000]), told(&[4000, 4001]));
    assert!(alone.link.rate.known.told().is_some(), "{:?}", alone.link);
    assert_eq!(alone.notes, Vec::<String>::new());
    for known in [
        both.link.rate.known.told().is_some(),
        both.link.queue.known.told().is_some(),
    ] {
        assert!(!known, "{:?}", both.link);
    }
    assert!(both.notes[0].contains("other connections of its host carried 50 % of the bytes"));
    assert_eq!(both.notes.len(), 1);
    let least = |diagnosis: &Diagnosis| diagnosis.link.at_least_bps.unwrap();
    assert!(least(&both) > 1.7 * least(&alone), "{:?}", both.link);
}

/// The packets of a script as a pcapng file with a comment.
fn commented(script: &Script, comment: &str) -> Vec<u8> {
    let section = Section {
        hardware: "",
        application: "",
        comment,
    };
    let interface = Interface {
        name: "",
        description: "",
        snap_length: 0,
    };
    let mut writer = Writer::new(Vec::new(), &section, &interface).unwrap();
    skywave_lab::capture::read(script.file(), |frame| {
        let packet = Captured {
            at_ns: frame.at_ns,
            bytes: frame.bytes,
            length: frame.length,
            way: None,
            comments: &[],
        };
        writer.packet(&packet).unwrap();
    })
    .unwrap();
    writer.into_inner()
}

#[test]
fn our_own_captures_tell_no_base_round_trip() {
    let script = uploads(&[4000]);
    let told = |comment: &str| {
        let (_dir, paths) = files(&[("up.pcapng", &commented(&script, comment))]);
        Diagnosis::of(&paths).unwrap()
    };
    let own =
        told("Skywave: packets as they come to the links, before the first queue; comments …");
    let other = told("Wireshark");
    assert!(other.link.base_s.known.told().is_some() && other.notes.is_empty());
    assert_eq!(
        own.link.base_s.known,
        Known::unknown("the capture lacks the way back")
    );
    assert!(
        own.notes[0].contains("round trips lack that way"),
        "{:?}",
        own.notes
    );
    assert_eq!(own.link.rate, other.link.rate);
}

#[test]
fn of_our_own_captures_it_is_not_said_that_they_are_from_the_receiver() {
    let mut script = Script::midway(1);
    for number in 0..300 {
        let at_ms = 10 * u64::from(number);
        script.data(at_ms, number * MSS, MSS);
        script.ack(at_ms, (number + 1) * MSS, &[]);
    }
    let told = |comment: &str| {
        let (_dir, paths) = files(&[("up.pcapng", &commented(&script, comment))]);
        Diagnosis::of(&paths).unwrap().notes.join("\n")
    };
    assert!(told("Wireshark").contains("was taken near the receiver"));
    let own =
        told("Skywave: packets as they come to the links, before the first queue; comments …");
    assert!(!own.contains("near the receiver"), "{own}");
    assert!(
        own.contains("it is not known whether it was taken at the sender"),
        "{own}"
    );
}

#[test]
fn captures_at_two_nodes_of_a_simulation_lack_the_way_between_them() {
    let at = |link: &str, node: &str| {
        let comment = format!(
            "Skywave, scenario s, seed 1. Packets as they are offered to link {link} at node {node}, before its queue and"
        );
        commented(&Script::midway(1), &comment)
    };
    for (reverse, node, lack) in [
        ("radio.reverse", "phone", true),
        ("wire.reverse", "router", false),
    ] {
        let (_dir, paths) = files(&[("a", &at("radio", "router")), ("b", &at(reverse, node))]);
        let sources = [0, 1].map(|index| Source::new(&paths[index]).unwrap());
        assert_eq!(lack_way_back(&[&sources[0], &sources[1]]).unwrap(), lack);
    }
}

#[test]
fn a_capture_whose_times_go_back_is_refused_with_what_sorts_it() {
    let mut script = Script::midway(1);
    for number in 0..300_u32 {
        script.data(u64::from(number * 7 % 300) * 10, number * MSS, MSS);
    }
    let mut once = Script::midway(1);
    for number in 0..300_u32 {
        once.data(u64::from((number + 150) % 300) * 10, number * MSS, MSS);
    }
    let (_dir, paths) = files(&[("back.pcap", script.file()), ("once.pcap", once.file())]);
    let error = Diagnosis::of(&paths[..1]).unwrap_err().to_string();
    assert!(
        error.contains("go back 6 times: sort them first (reordercap"),
        "{error}"
    );
    // A clock that was set once.
    assert!(Diagnosis::of(&paths[1..]).is_ok());
    let mut short = Script::midway(1);
    for number in 0..20_u32 {
        short.data(u64::from((number + 10) % 20) * 10, number * MSS, MSS);
    }
    let (_dir, paths) = files(&[("short.pcap", short.file())]);
    assert!(Diagnosis::of(&paths).is_ok());
}

#[test]
fn files_of_one_name_in_two_folders_are_two_captures() {
    let one = uploads(&[4000]);
    let (_monday, mut paths) = files(&[("up.pcap", one.file())]);
    let (_tuesday, more) = files(&[("up.pcap", one.file())]);
    paths.extend(more);
    let alone = Diagnosis::of(&paths[..1]).unwrap();
    let both = Diagnosis::of(&paths).unwrap();
    assert_eq!(both.transfers.len(), 2);
    let together = |note: &String| note.contains("other connections of its host");
    assert!(!both.notes.iter().any(together), "{:?}", both.notes);
    assert_eq!(both.link.rate.known, alone.link.rate.known);
}

#[test]
fn a_file_that_is_given_twice_counts_once() {
    let (_dir, mut paths) = files(&[("up.pcap", uploads(&[4000]).file())]);
    paths.push(paths[0].clone());
    let diagnosis = Diagnosis::of(&paths).unwrap();
    assert_eq!(diagnosis.transfers.len(), 1);
    assert_eq!(
        diagnosis.notes,
        ["up.pcap was given twice, and counts once."]
    );
}

#[test]
fn records_that_contradict_each_other_are_told_of() {
    let (slow, fast) = (uploads(&[4000]), uploads_every(5, &[4000]));
    let (_dir, paths) = files(&[("slow.pcap", slow.file()), ("fast.pcap", fast.file())]);
    let notes = Diagnosis::of(&paths).unwrap().notes;
    let [note] = &notes[..] else {
        panic!("{notes:?}");
    };
    assert!(
        note.contains("contradict each other: the rate is"),
        "{note}"
    );
    assert!(note.contains("The page has that of slow.pcap."), "{note}");
    let (_dir, same) = files(&[("one.pcap", fast.file()), ("two.pcap", fast.file())]);
    assert_eq!(Diagnosis::of(&same).unwrap().notes, Vec::<String>::new());
}

/// An iperf3 test of 8 Mb/s for 20 s, with retransmissions, whose round trips rise by so much a second.
fn iperf(first_ms: u32, rise_ms: u32) -> String {
    let interval = |second: u32| {
        let rtt_us = 1000 * (first_ms + rise_ms * second);
        format!(
            r#"{{"streams":[{{"start":{second},"end":{},"seconds":1,"bytes":1000000,"rtt":{rtt_us},"retransmits":1,"sender":true}}]}}"#,
            second + 1
        )
    };
    let intervals: Vec<String> = (0..20).map(interval).collect();
    format!(
        r#"{{"start":{{"test_start":{{"protocol":"TCP"}}}},"intervals":[{}],"end":{{}}}}"#,
        intervals.join(",")
    )
}

#[test]
fn a_queue_that_stands_shows_beside_the_pings_of_the_idle_link() {
    let test = iperf(80, 1);
    let pings = pings();
    let (_dir, paths) = files(&[
        ("iperf.json", test.as_bytes()),
        ("ping.log", pings.as_bytes()),
    ]);
    let alone = Diagnosis::of(&paths[..1]).unwrap().link;
    assert!(alone.rate.known.told().is_none(), "{:?}", alone.rate);
    let beside = Diagnosis::of(&paths).unwrap().link;
    assert!(beside.rate.known.told().is_some(), "{:?}", beside.rate);
    assert!(beside.queue.known.told().is_some(), "{:?}", beside.queue);
    // As long as on the idle link.
    let (_dir, paths) = files(&[
        ("iperf.json", iperf(40, 0).as_bytes()),
        ("ping.log", pings.as_bytes()),
    ]);
    assert!(
        Diagnosis::of(&paths)
            .unwrap()
            .link
            .rate
            .known
            .told()
            .is_none()
    );
}

#[test]
fn a_throughput_test_adds_no_queue_to_a_capture() {
    let test = iperf(50, 5);
    let script = uploads(&[4000]);
    let (_dir, paths) = files(&[("iperf.json", test.as_bytes()), ("up.pcap", script.file())]);
    let alone = Diagnosis::of(&paths[..1]).unwrap().link.queue;
    assert!(alone.known.told().is_some(), "{alone:?}");
    let beside = Diagnosis::of(&paths).unwrap().link.queue;
    assert_eq!(beside.known, Known::unknown("the queue was never filled"));
}

#[test]
fn a_snap_length_that_cuts_options_off_is_told_of() {
    let mut script = uploads(&[4000]);
    script.ack(4000, 300 * MSS, &[(301 * MSS, 302 * MSS)]);
    let whole = script.file();
    // The last packet is the header of IP, that of TCP, and 12 bytes of SACK.
    let packet = 20 + 20 + 12;
    let mut cut = whole[..whole.len() - 2].to_vec();
    let kept = whole.len() - packet - 8;
    cut[kept..kept + 4].copy_from_slice(&(packet as u32 - 2).to_le_bytes());
    let (_dir, paths) = files(&[("whole.pcap", whole), ("cut.pcap", &cut)]);
    assert_eq!(
        Diagnosis::of(&paths[..1]).unwrap().notes,
        Vec::<String>::new()
    );
    let notes = Diagnosis::of(&paths[1..]).unwrap().notes;
    assert!(
        notes[0].contains("not the whole headers of 1 TCP packets"),
        "{notes:?}"
    );
}
