//! Records that come through a pipe, which gives them once.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::{fed, skywave, text};

/// A pcap without packets.
const CAPTURE: [u8; 24] = [
    0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0,
];

fn pings() -> String {
    let answer = |n| {
        format!(
            "64 bytes from h: icmp_seq={n} ttl=57 time=40.{} ms\n",
            n % 3
        )
    };
    let answers: String = (1..=200).map(answer).collect();
    format!("PING h (192.0.2.7) 56(84) bytes of data.\n{answers}")
}

/// Diagnoses what is piped into the command.
fn piped(dir: &Path, name: &str, bytes: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skywave"));
    command
        .args(["diagnose", name, "--no-advice"])
        .current_dir(dir);
    fed(&mut command, bytes)
}

#[test]
fn a_record_through_a_pipe_tells_what_its_file_does() {
    let dir = tempfile::tempdir().expect("a directory");
    for bytes in [pings().as_bytes(), &CAPTURE] {
        fs::write(dir.path().join("stdin"), bytes).expect("written");
        let of_file = skywave(dir.path(), &["diagnose", "stdin", "--no-advice"]);
        let of_pipe = piped(dir.path(), "/dev/stdin", bytes);
        assert_eq!(of_pipe.status.code(), of_file.status.code());
        assert_eq!(text(&of_pipe.stdout), text(&of_file.stdout));
        assert_eq!(text(&of_pipe.stderr), text(&of_file.stderr));
    }
    let of_pipe = piped(dir.path(), "-", pings().as_bytes());
    assert!(of_pipe.status.success(), "{}", text(&of_pipe.stderr));
    assert!(text(&of_pipe.stdout).contains("standard input"));
    let scenario = "[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\n";
    let told = text(&piped(dir.path(), "-", scenario.as_bytes()).stderr);
    assert!(
        told.contains("a scenario is diagnosed alone, from its file"),
        "{told}"
    );
}
