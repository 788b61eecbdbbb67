//! What a user is told of options and progress.

use std::fs;
use std::process::{Command, Output, Stdio};

use super::{Listening, RECV, folder, json_lines};
use crate::common::{skywave, text};

/// Nothing is sent or awaited.
#[test]
fn options_that_would_do_nothing_are_refused() {
    let dir = folder();
    let send = ["send", "film", "127.0.0.1:1", "--peer", "far.pub"];
    let recv = ["recv", "--into", "-", "--allow", "near.pub"];
    let get = ["get", "127.0.0.1:1", "--into", "-", "--peer", "far.pub"];
    for (args, option) in [
        (&[&send[..], &["--count", "1"]].concat()[..], "--count"),
        (&[&recv[..], &["--quota", "1GB"]].concat(), "--quota"),
        (&[&get[..], &["--overwrite"]].concat(), "--overwrite"),
    ] {
        let refused = skywave(dir.path(), args);
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
        let said = text(&refused.stderr);
        let begin = format!("skywave: {option} is for ");
        assert!(said.starts_with(&begin), "{said}");
    }
}

/// Each kind of a code that is none is told as what it is.
#[test]
fn who_has_no_code_is_told_where_it_was_looked_for() {
    let dir = folder();
    let send = ["send", "--key", "near", "--code"];
    let said = |refused: Output| {
        assert_eq!(refused.status.code(), Some(2));
        text(&refused.stderr)
    };
    let taken = said(skywave(
        dir.path(),
        &[&send[..], &["photos/sun", "127.0.0.1:1"]].concat(),
    ));
    assert!(
        taken.starts_with("skywave: --code photos/sun: expected a code of eight"),
        "{taken}"
    );
    assert!(
        taken.ends_with("what follows --code is taken as the code\n"),
        "{taken}"
    );
    // In a session of its own there is no terminal.
    let alone = Command::new("setsid")
        .args([
            "--wait",
            env!("CARGO_BIN_EXE_skywave"),
            "send",
            "film",
            "127.0.0.1:1",
        ])
        .args(["--key", "near", "--code"])
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .output()
        .expect("setsid of util-linux");
    let alone = said(alone);
    assert!(
        alone.contains("no terminal") && alone.contains("--code-file FILE"),
        "{alone}"
    );
}

/// Over a slow link, too; its rate is known from the first word on.
#[test]
fn progress_is_told_each_second() {
    let dir = folder();
    fs::write(dir.path().join("film"), vec![7; 300_000]).expect("written");
    let receiver = Listening::new(dir.path(), &RECV, Stdio::null());
    let args = [
        "send",
        "film",
        &receiver.address,
        "--key",
        "near",
        "--peer",
        "far.pub",
    ];
    let sent = skywave(
        dir.path(),
        &[&args[..], &["--json", "--limit", "400kbps"]].concat(),
    );
    let rows = json_lines(&sent.stdout);
    let told: Vec<_> = rows
        .iter()
        .filter(|row| row["event"] == "progress")
        .collect();
    assert!(told.len() >= 3, "{told:?}");
    assert!(
        told.iter().all(|row| row["rate_bps"].as_f64() > Some(0.0)),
        "{told:?}"
    );
}

/// What was read from standard input is gone.
#[test]
fn who_interrupts_a_pipe_is_told_that_it_begins_anew() {
    let dir = folder();
    let receiver = Listening::new(dir.path(), &RECV, Stdio::null());
    let sender = Command::new(env!("CARGO_BIN_EXE_skywave"))
        .args(["send", "-", "--name", "log", &receiver.address])
        .args(["--key", "near", "--peer", "far.pub"])
        .current_dir(dir.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let part = || fs::read_dir(dir.path().join("in")).is_ok_and(|in_it| in_it.count() > 0);
    while !part() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let stopped = Command::new("kill")
        .args(["-s", "INT", &sender.id().to_string()])
        .status();
    assert!(stopped.expect("kill").success());
    // Its input ends only with it.
    let mut sender = sender;
    let _input = sender.stdin.take();
    let ended = sender.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130));
    assert!(text(&ended.stderr).contains("standard input is sent from its start"));
}
