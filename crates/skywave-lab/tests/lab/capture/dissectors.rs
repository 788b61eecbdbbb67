//! Results of tshark and tcptrace on captures. If they are missing, the rest of a test is skipped with a
//! message; with `SKYWAVE_REQUIRE_TOOLS` set, the test fails.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use skywave_lab::capture::Keep;

use super::bench::{Captures, EVERYTHING, LOSSY};

/// The output of a program; `None` and a message if it is not installed.
fn output(program: &str, args: &[&str]) -> Option<String> {
    let output = match Command::new(program).args(args).output() {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            skip(program);
            return None;
        }
        Err(error) => panic!("{program}: {error}"),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {errors}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn skip(program: &str) {
    assert!(
        std::env::var_os("SKYWAVE_REQUIRE_TOOLS").is_none(),
        "{program} is not installed, and SKYWAVE_REQUIRE_TOOLS is set"
    );
    // Not `eprintln!`, whose output is hidden when a test passes.
    let test = std::thread::current();
    let name = test.name().unwrap_or("a test");
    writeln!(io::stderr(), "SKIPPED {name}: {program} is not installed").expect("standard error");
}

/// Fields of the packets that a filter lets through, as tshark gives them.
fn tshark(file: &Path, filter: &str, fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let file = file.to_string_lossy();
    let mut args = vec!["-r", &file, "-Y", filter, "-T", "fields"];
    for check in [
        "ip.check_checksum:TRUE",
        "tcp.check_checksum:TRUE",
        "udp.check_checksum:TRUE",
    ] {
        args.extend(["-o", check]);
    }
    args.extend(fields.iter().flat_map(|field| ["-e", field]));
    let text = output("tshark", &args)?;
    let columns = |line: &str| line.split('\t').map(str::to_owned).collect();
    Some(text.lines().map(columns).collect())
}

/// tshark's names for the results of checking a checksum.
const BAD: &str = "0";
const GOOD: &str = "1";

fn converted(captures: &Captures, program: &str, args: &[&str]) -> Option<PathBuf> {
    let path = captures.dir.path().join("converted");
    let path_text = path.to_string_lossy();
    let args: Vec<&str> = args
        .iter()
        .map(|arg| if *arg == "OUT" { &path_text } else { *arg })
        .collect();
    output(program, &args)?;
    Some(path)
}

#[test]
fn tshark_finds_no_malformed_packet_and_no_bad_checksum() {
    for (text, keep) in [
        (LOSSY, Keep::All),
        (EVERYTHING, Keep::All),
        (EVERYTHING, Keep::Headers),
        (EVERYTHING, Keep::Bytes(100)),
    ] {
        let captures = Captures::of(text, &[], keep);
        let files = captures.files.iter().map(|file| file.to_string_lossy());
        let files: Vec<_> = files.collect();
        let mut merge = vec!["-w", "OUT"];
        merge.extend(files.iter().map(AsRef::as_ref));
        let Some(all) = converted(&captures, "mergecap", &merge) else {
            return;
        };
        let Some(malformed) = tshark(&all, "_ws.malformed", &["frame.number"]) else {
            return;
        };
        assert!(malformed.is_empty(), "{malformed:?}");
        let sums = [
            "ip.checksum.status",
            "tcp.checksum.status",
            "udp.checksum.status",
        ];
        let Some(packets) = tshark(&all, "frame", &sums) else {
            return;
        };
        assert!(packets.len() > 1000);
        for sums in packets {
            assert!(sums.iter().all(|sum| sum != BAD), "{sums:?}");
            // Where the payload is captured the checksum is verified, not merely unchecked.
            let good = sums.iter().filter(|sum| *sum == GOOD).count();
            assert!(good == 2 || keep != Keep::All, "{sums:?}");
        }
    }
}

/// tshark calls a segment below the highest sequence number out of order when it comes within 3 ms of
/// the highest one and does not end there, and a retransmission otherwise; where it has seen the
/// handshake, the first round trip takes the place of the 3 ms, but a segment that duplicate ACKs ask
/// for is then a retransmission first. At the sender's own link nothing can have been reordered: both
/// are what we call retransmissions.
#[test]
fn tshark_counts_the_retransmissions_that_we_count() {
    let captures = Captures::of(LOSSY, &[], Keep::Headers);
    let mut total = 0;
    for point in 0..captures.scenario.points().len() {
        let file = captures.file(point, "radio");
        let fields = [
            "frame.time_epoch",
            "tcp.seq",
            "tcp.analysis.retransmission",
            "tcp.analysis.out_of_order",
        ];
        let Some(packets) = tshark(file, "tcp", &fields) else {
            return;
        };
        let resent = packets.iter().filter(|p| !p[2].is_empty()).count();
        let disordered = packets.iter().filter(|p| !p[3].is_empty()).count();
        let ours = captures.outcome(point).flows[0].retransmits;
        assert_eq!((resent + disordered) as u64, ours, "point {point}");
        assert!(resent > 5 * disordered, "{resent}, {disordered}");
        total += ours;
        let number = |text: &str| text.parse::<f64>().expect("a number");
        let mut highest = (0.0, 0.0);
        for packet in &packets {
            let (time, seq) = (number(&packet[0]), number(&packet[1]));
            assert!(
                packet[3].is_empty() || time - highest.1 < 0.003,
                "{packet:?}"
            );
            if seq >= highest.0 {
                highest = (seq, time);
            }
        }
    }
    assert!(total > 100, "{total}");
}

#[test]
fn both_directions_together_make_a_connection_to_tshark() {
    let captures = Captures::of(LOSSY, &[], Keep::Headers);
    for point in 0..captures.scenario.points().len() {
        let (there, back) = (
            captures.file(point, "radio"),
            captures.file(point, "radio.reverse"),
        );
        let (there, back) = (there.to_string_lossy(), back.to_string_lossy());
        let Some(both) = converted(&captures, "mergecap", &["-w", "OUT", &there, &back]) else {
            return;
        };
        let fields = [
            "tcp.flags.syn",
            "tcp.window_size",
            "tcp.analysis.retransmission",
            "tcp.analysis.out_of_order",
            "tcp.options.sack_perm",
            "tcp.options.sack_le",
            "tcp.srcport",
            "tcp.analysis.ack_lost_segment",
            "tcp.analysis.lost_segment",
            "tcp.analysis.zero_window",
        ];
        let Some(packets) = tshark(&both, "tcp", &fields) else {
            return;
        };
        let resent = |p: &&Vec<String>| !p[2].is_empty() || !p[3].is_empty();
        let resent = packets.iter().filter(resent).count();
        assert_eq!(
            resent as u64,
            captures.outcome(point).flows[0].retransmits,
            "point {point}"
        );
        // 100 segments of 1460 bytes, told with a scale.
        let told = |p: &&Vec<String>| p[0] == "0" && p[6] == "49152";
        let windows: Vec<&String> = packets.iter().filter(told).map(|p| &p[1]).collect();
        assert!(windows.len() > 100);
        assert!(
            windows.iter().all(|window| *window == "146000"),
            "{windows:?}"
        );
        for packet in &packets {
            assert!(packet[7..].iter().all(String::is_empty), "{packet:?}");
        }
        // Selective acknowledgements where the ends agreed upon them, and only there.
        let permitted = packets.iter().filter(|p| !p[4].is_empty()).count();
        let blocks = packets.iter().filter(|p| !p[5].is_empty()).count();
        let sack = captures.scenario.points()[point].spec(1);
        let sack = match &sack.flows[0].transport {
            skywave_sim::spec::Transport::Tcp(config) => config.sack,
            _ => false,
        };
        assert_eq!((permitted >= 2, blocks > 0), (sack, sack), "point {point}");
    }
}

#[test]
fn tcptrace_counts_the_same_bytes_and_retransmissions() {
    let captures = Captures::of(LOSSY, &[], Keep::Headers);
    for point in 0..captures.scenario.points().len() {
        let file = captures.file(point, "radio").to_string_lossy().into_owned();
        let Some(pcap) = converted(&captures, "editcap", &["-F", "pcap", &file, "OUT"]) else {
            return;
        };
        let Some(text) = output("tcptrace", &["-n", "-l", &pcap.to_string_lossy()]) else {
            return;
        };
        let figure = |name: &str| -> u64 {
            let line = text
                .lines()
                .find_map(|line| line.trim_start().strip_prefix(name));
            let figure = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
            figure.unwrap_or_else(|| panic!("no {name} in {text}"))
        };
        let flow = &captures.outcome(point).flows[0];
        assert_eq!(figure("unique bytes sent:"), 1_000_000);
        assert_eq!(flow.delivered_bytes, 1_000_000);
        assert_eq!(
            figure("rexmt data pkts:"),
            flow.retransmits,
            "point {point}"
        );
    }
}
