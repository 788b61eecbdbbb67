//! Captures of programs behind a link, `skywave impair … --capture FILE -- COMMAND`: what they show is what the relay
//! itself counted.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use skywave_lab::capture::{Remark, Summary, read};

use crate::common::text;
use crate::program::{await_line, command, eventually, impair, kill, possible, report};

/// Sends half a megabyte to the far side by TCP, and waits until all was read.
const SEND: &str = "
import socket
s = socket.create_connection(('far', 7), timeout=60)
s.sendall(bytes(500_000))
s.shutdown(socket.SHUT_WR)
s.recv(1)
";

/// Reads all that comes by one connection.
const SINK: &str = "
import socket
s = socket.create_server(('far', 7)).accept()[0]
while s.recv(1 << 16):
    pass
";

/// Sends a datagram a hundredth of a second, until it is ended.
const DRIP: &str = "
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print('ready', flush=True)
while True:
    s.sendto(b'drip', ('far', 7))
    time.sleep(0.01)
";

/// The packets of a file and how many have each remark; the file is whole, and in the order of time.
fn remarks(file: &Path) -> (u64, BTreeMap<Remark, u64>) {
    let (packets, remarks, is_whole) = remarks_so_far(file);
    assert!(is_whole, "it ends within a packet");
    (packets, remarks)
}

/// As [`remarks`] of a file that may end within a packet, and whether it does not.
fn remarks_so_far(file: &Path) -> (u64, BTreeMap<Remark, u64>, bool) {
    let (mut packets, mut latest) = (0, 0);
    let mut remarks = BTreeMap::new();
    let whole = read(File::open(file).expect("a capture"), |frame| {
        packets += 1;
        assert!(frame.at_ns >= latest, "{} after {latest}", frame.at_ns);
        latest = frame.at_ns;
        for remark in &frame.remarks {
            *remarks.entry(*remark).or_default() += 1;
        }
    });
    (packets, remarks, whole.expect("a capture"))
}

#[test]
fn a_capture_has_the_losses_that_the_relay_counted() {
    if !possible() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("sent.pcapng");
    let far = format!("exec python3 -c \"{SINK}\"");
    let name = file.display().to_string();
    let out = impair(&[
        "--rate",
        "10Mbps",
        "--delay",
        "5ms",
        "--loss",
        "2%",
        "--queue",
        "10",
        "--blackouts",
        "200ms,20ms",
        "--json",
        "--capture",
        &name,
        "--far",
        &far,
        "--",
        "python3",
        "-c",
        SEND,
    ]);
    let told = text(&out.stderr);
    assert!(out.status.success(), "{told}");
    let object = report(&told);
    let sum = |parts: &[&str], key: &str| -> u64 {
        let counts = parts
            .iter()
            .map(|part| &object.pointer(part).expect("it")[key]);
        counts.map(|count| count.as_u64().expect("a number")).sum()
    };
    let links = |key| sum(&["/links/0", "/links/1"], key);
    let ways = |key| sum(&["/forward", "/back"], key);

    let (packets, remarks) = remarks(&file);
    let count = |remark| remarks.get(&remark).copied().unwrap_or(0);
    assert_eq!(packets, ways("packets_in"));
    assert_eq!(count(Remark::LostQueue), links("queue_drops"));
    assert_eq!(count(Remark::LostChannel), links("channel_drops"));
    assert_eq!(count(Remark::LostBlackout), links("blackout_drops"));
    let outside = ways("memory") + ways("unsent");
    assert_eq!(count(Remark::LostRelay), outside);
    let under_way = object["under_way"].as_u64().expect("a number");
    assert_eq!(count(Remark::UnderWay), under_way);
    let lost = remarks.iter().filter(|(remark, _)| remark.is_loss());
    let lost: u64 = lost.map(|(_, count)| count).sum();
    assert_eq!(lost, ways("dropped") + outside);
    assert!(lost > 0, "{object}");

    // Headers of both directions are there: they make a connection.
    let summary = Summary::read(File::open(&file).expect("a capture")).expect("read");
    let [connection] = &summary.connections[..] else {
        panic!("{summary:?}");
    };
    assert_eq!(connection.from.address.to_string(), "10.73.9.1");
    assert_eq!(connection.to.port, 7);
    assert!(connection.forward.payload_bytes >= 500_000);
    assert_eq!(connection.forward.packets, object["forward"]["packets_in"]);
    assert_eq!(connection.backward.packets, object["back"]["packets_in"]);
}

#[test]
fn a_capture_is_whole_however_the_command_ends() {
    if !possible() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    for signal in ["-INT", "-TERM", "-KILL"] {
        let file = dir.path().join(format!("ended{signal}.pcapng"));
        // Without a delay every packet has ended a moment after it came.
        let mut child = command(&["--loss", "50%", "--json", "--capture"])
            .arg(&file)
            .args(["--", "python3", "-c", DRIP])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        await_line(&mut child, "ready\n");
        eventually("packets in the capture", || {
            fs::metadata(&file).is_ok_and(|file| file.len() > 4000)
        });
        // It is whole between two writes.
        eventually("a capture that ends with a packet", || {
            remarks_so_far(&file).2
        });
        kill(&child, signal);
        let ended = child.wait().expect("an end");
        assert!(!ended.success(), "{signal}");
        let (packets, remarks, is_whole) = remarks_so_far(&file);
        // SIGKILL may interrupt a write: the file then ends within a packet.
        assert!(packets > 9 && (is_whole || signal == "-KILL"), "{signal}");
        assert!(remarks[&Remark::LostChannel] < packets);
        if signal != "-KILL" {
            let mut told = String::new();
            let mut stderr = child.stderr.take().expect("a pipe");
            stderr.read_to_string(&mut told).expect("text");
            let object = report(&told);
            let came = |way: &str| object[way]["packets_in"].as_u64().expect("a number");
            assert_eq!(packets, came("forward") + came("back"), "{told}");
        }
    }
}

#[test]
fn a_capture_that_cannot_be_written_begins_nothing() {
    if !possible() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("no folder/x.pcapng").display().to_string();
    let out = impair(&["--delay", "1ms", "--capture", &file, "--", "echo", "ran"]);
    assert_eq!(out.status.code(), Some(125));
    assert_eq!(text(&out.stdout), "");
    let told = text(&out.stderr);
    assert!(told.contains(&file), "{told}");
}

#[test]
fn losses_are_others_each_time_and_a_seed_repeats_them() {
    if !possible() {
        return;
    }
    let drip = DRIP.replace("while True", "for _ in range(200)");
    let drip = drip.replace("sleep(0.01)", "sleep(0.0001)");
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("seed.pcapng");
    let name = file.display().to_string();
    let run = |more: &[&str]| {
        let link = ["--delay", "1ms", "--loss", "50%", "--capture", &name];
        let out = impair(&[&link, more, &["--", "python3", "-c", &drip]].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        let mut lost = Vec::new();
        read(File::open(&file).expect("a capture"), |frame| {
            // Its kernel's answers that nobody listens there are longer.
            if frame.bytes.ends_with(b"drip") && frame.length == 32 {
                lost.push(frame.remarks.contains(&Remark::LostChannel));
            }
        })
        .expect("a capture");
        assert_eq!(lost.len(), 200);
        let told = text(&out.stderr);
        let seed = told.split("--seed ").nth(1);
        let seed = seed
            .and_then(|rest| rest.split(' ').next())
            .map(str::to_owned);
        (lost, seed)
    };
    let (first, seed) = run(&[]);
    let seed = seed.expect("a seed is told");
    let (second, other) = run(&[]);
    assert_ne!(Some(&seed), other.as_ref());
    assert_ne!(first, second);
    assert_eq!(run(&["--seed", &seed]), (first, None));
}
