//! The scripts in `scripts/`, a rule of an RFC each, and scripts that must not pass.

use std::fs;
use std::path::Path;
use std::time::Instant;

use skywave_core::tcp::preset;
use skywave_script::{Options, Place, Verdict, parse, run};

fn options() -> Options {
    Options {
        composition: preset("linux").expect("a preset").composition.clone(),
        system: None,
    }
}

fn verdict(text: &str) -> Verdict {
    match parse(text) {
        Ok(script) => run(&script, &options()),
        Err(mistake) => Verdict::Unreadable(mistake),
    }
}

fn scripts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let mut all: Vec<_> = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let text = fs::read_to_string(&path).expect("a script");
            (path.display().to_string(), text)
        })
        .collect();
    all.sort();
    all
}

#[test]
fn every_script_passes() {
    let all = scripts();
    assert!(all.len() >= 23);
    for (name, text) in all {
        let verdict = verdict(&text);
        assert_eq!(
            verdict,
            Verdict::Passed,
            "{name}:{:?}: {verdict}",
            verdict.place()
        );
    }
}

#[test]
fn times_go_forward() {
    let text = |first: &str, last: &str| {
        format!("{first} socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 `true`\n{last} close(3) = 0")
    };
    let mistake = parse(&text("1.0", "0.5")).expect_err("a mistake");
    assert_eq!(mistake.place, Place { line: 3, column: 1 });
    assert_eq!(
        mistake.what,
        "the time goes back: 0.5 s, after an event at 1 s"
    );
    assert!(parse(&text("1.0", "1.0")).is_ok());
    assert!(parse(&text("1.0", "+0.5")).is_ok());
}

#[test]
fn a_mistake_far_down_has_its_place() {
    let text = "0 `reboot` // größer\n\n  +0 `reboot` /* ä\n */ +0 ?";
    let mistake = parse(text).expect_err("a mistake");
    assert_eq!(mistake.place, Place { line: 4, column: 8 });
}

#[test]
fn a_script_of_eight_times_the_lines_is_read_in_about_eight_times_the_time() {
    let seconds = |lines| {
        let text = "+0 < . 1:1(0) ack 1 win 257\n".repeat(lines);
        let once = || {
            let begun = Instant::now();
            assert_eq!(parse(&text).expect("a script").events.len(), lines);
            begun.elapsed().as_secs_f64()
        };
        // Other programs may have had the processor.
        (0..3).map(|_| once()).fold(f64::INFINITY, f64::min)
    };
    let (few, many) = (seconds(5_000), seconds(40_000));
    assert!(many < 24.0 * few, "{few} s and {many} s");
}

#[test]
fn no_script_passes_with_other_numbers() {
    // Each packet that is expected matters: with another acknowledgement number the script fails there.
    for (name, text) in scripts() {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some((before, after)) = line.split_once(" ack ") else {
                continue;
            };
            if !before.contains(" > ") {
                continue;
            }
            let changed = format!("{before} ack 7{after}");
            let mut other = lines.clone();
            other[at] = &changed;
            let verdict = verdict(&other.join("\n"));
            let place = verdict.place().map(|place| place.line);
            assert_eq!(
                (verdict.name(), place),
                ("failed", Some(at as u32 + 1)),
                "{name}: {changed}"
            );
        }
    }
}

const OPEN: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 0\n+0 listen(3, 1) = 0\n\
    +0 < S 0:0(0) win 1000 <mss 1000>\n+0 > S. 0:0(0) ack 1 <mss 1460>\n+.1 < . 1:1(0) ack 1 win 1000\n\
    +0 accept(3, ..., ...) = 4\n";

#[test]
fn failures_say_what_came() {
    let cases = [
        ("+0 write(4, ..., 10) = 11", "write = 11", "write = 10"),
        (
            "+0 read(4, ..., 10) = 10",
            "read to return at once",
            "it blocks",
        ),
        (
            "+0 write(4, ..., 10) = 10\n+.1 > P. 1:11(10) ack 1",
            ". 1:11(10) ack 1 at 0.200000 s",
            "it at 0.100000 s",
        ),
        ("+0 > . 1:1(0) ack 1", ". 1:1(0) ack 1", "no packet"),
        (
            "+0 %{ assert tcpi_snd_cwnd == 11 }%",
            "assert tcpi_snd_cwnd == 11",
            "tcpi_snd_cwnd = 10",
        ),
    ];
    for (line, wanted, came) in cases {
        match verdict(&format!("{OPEN}{line}\n")) {
            Verdict::Failed { expected, got, .. } => {
                assert!(expected.contains(wanted), "{line}: {expected}");
                assert_eq!(got, came, "{line}");
            }
            other => panic!("{line}: {other}"),
        }
    }
}

#[test]
fn what_is_not_modelled_is_skipped_with_its_class() {
    let cases = [
        (
            "+0 sendto(4, ..., 10, MSG_FASTOPEN, ..., ...) = 10",
            "TCP Fast Open",
        ),
        ("+0 `rm -rf /home`", "shell line"),
        ("+0 `sysctl -w net.ipv4.tcp_nothing=1`", "system variable"),
        (
            "+0 setsockopt(4, SOL_TCP, TCP_NOTHING, [1], 4) = 0",
            "socket option",
        ),
        ("+0 < udp (1000)", "packets of another protocol"),
        ("+0 %{ assert tcpi_nothing == 1 }%", "quantity"),
        ("+0 nothing(4) = 0", "call"),
    ];
    for (line, class) in cases {
        match verdict(&format!("{OPEN}{line}\n")) {
            Verdict::Skipped { reason, place } => {
                assert_eq!(reason.class, class);
                assert_eq!(place.line, 8, "{line}");
            }
            other => panic!("{line}: {other}"),
        }
    }
}

#[test]
fn mistakes_have_a_place() {
    let cases = [
        (
            "0 socket(..., 1) = ",
            1,
            20,
            "the script ends; expected a value",
        ),
        (
            "0 socket() = 3\n+0 < S 0:0(0) <mss 5>",
            2,
            15,
            "expected `win`",
        ),
        ("+0 > S 0:1(0)", 1, 8, "do not end at 1"),
        ("+0 > Q 0:0(0)", 1, 6, "`Q` is no control bit"),
        ("+0 > S 0:0(0) <mss 70000>", 1, 20, "too large"),
        ("/* never", 1, 1, "does not end"),
        ("+0 `sysctl", 1, 5, "does not end"),
        ("+99999999999 close(3) = 0", 1, 2, "too large"),
        ("*  close(3) = 0", 1, 1, "only a packet that is expected"),
    ];
    for (text, line, column, what) in cases {
        match parse(text) {
            Err(mistake) => {
                assert_eq!(mistake.place, Place { line, column }, "{text}: {mistake}");
                assert!(mistake.what.contains(what), "{text}: {mistake}");
            }
            Ok(script) => panic!("{text}: {script:?}"),
        }
    }
}

#[test]
fn a_time_that_is_too_large_is_endless() {
    let wait = format!(
        "{OPEN}+0...0.1 poll([{{fd=4, events=POLLIN, revents=POLLIN}}], 1, {}) = 1\n",
        i64::MAX
    );
    assert_eq!(
        verdict(&format!("{wait}+.1 < P. 1:11(10) ack 1 win 1000\n")),
        Verdict::Passed
    );
    let connect = format!(
        "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 `sysctl net.inet.tcp.blackhole=0`\n\
         +0 setsockopt(3, IPPROTO_TCP, TCP_KEEPINIT, [{}], 4) = 0\n+0...0.1 connect(3, ..., ...) = 0\n\
         +.1 < S. 0:0(0) ack 1 win 1000 <mss 1000>\n",
        i64::MAX
    );
    assert_eq!(verdict(&connect), Verdict::Passed);
}

#[test]
fn a_script_gives_the_same_verdict_each_time() {
    let text = format!("{OPEN}+0 write(4, ..., 9000) = 9000\n+0 > . 1:2(1) ack 1\n");
    assert_eq!(verdict(&text), verdict(&text));
}
