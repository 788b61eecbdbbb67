//! Files over QUIC, as the command moves them.

mod openssh;
mod told;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::common::{skywave, text};

/// A side that listens, until the test ends.
struct Listening {
    process: Child,
    address: String,
    said: BufReader<ChildStderr>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Listening {
    fn new(dir: &Path, args: &[&str], out: Stdio) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_skywave"))
            .args(args)
            .args(["--listen", "127.0.0.1:0"])
            .current_dir(dir)
            .stdout(out)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut said = BufReader::new(process.stderr.take().expect("standard error"));
        let line = line(&mut said);
        // Expected: "skywave: listening at ADDRESS; …"
        let address = line
            .split([' ', ';'])
            .nth(3)
            .expect("an address")
            .to_owned();
        Self {
            process,
            address,
            said,
        }
    }

    fn end(&mut self) -> Option<i32> {
        self.process.wait().expect("it ends").code()
    }
}

fn line(from: &mut impl BufRead) -> String {
    let mut line = String::new();
    from.read_line(&mut line).expect("a line");
    line
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    for key in ["near", "far"] {
        let made = skywave(dir.path(), &["key", "--key", key]);
        fs::write(dir.path().join(format!("{key}.pub")), made.stdout).expect("written");
    }
    fs::create_dir(dir.path().join("photos")).expect("made");
    fs::write(dir.path().join("photos/sun"), "bright").expect("written");
    fs::write(dir.path().join("film"), "pictures").expect("written");
    dir
}

const RECV: [&str; 7] = [
    "recv", "--into", "in", "--key", "far", "--allow", "near.pub",
];

#[test]
fn files_and_folders_go_to_a_host_by_its_key() {
    let dir = folder();
    let mut receiver = Listening::new(
        dir.path(),
        &[&RECV[..], &["--count", "2"]].concat(),
        Stdio::null(),
    );
    let to = ["--key", "near", "--peer", "far.pub", "--json"];
    let sent = skywave(
        dir.path(),
        &[&["send", "film", "photos", &receiver.address], &to[..]].concat(),
    );
    assert!(sent.status.success(), "{}", text(&sent.stderr));
    let sent = text(&sent.stdout);
    let rows = sent
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an object"));
    let done: Vec<_> = rows.filter(|row| row["event"] == "done").collect();
    assert_eq!(done.len(), 2);
    let film = done
        .iter()
        .find(|row| row["path"] == "film")
        .expect("the film");
    assert_eq!(
        (&film["bytes"], &film["resumed_from"]),
        (&8.into(), &0.into())
    );
    assert_eq!(film["blake3"].as_str().map(str::len), Some(64));
    assert_eq!(receiver.end(), Some(0));
    assert_eq!(
        fs::read(dir.path().join("in/photos/sun")).expect("there"),
        b"bright"
    );
}

/// More lines than a pipe holds, and nobody who reads them: all files arrive, and the command ends when it is told to.
#[test]
fn a_full_pipe_holds_nothing_up() {
    let dir = folder();
    let name = |n: usize| format!("{n}{}", "x".repeat(200));
    fs::create_dir(dir.path().join("many")).expect("made");
    for n in 0..300 {
        fs::write(dir.path().join("many").join(name(n)), "x").expect("written");
    }
    let mut receiver = Command::new(env!("CARGO_BIN_EXE_skywave"))
        .args(RECV)
        .args(["--listen", "127.0.0.1:0", "--json"])
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let mut said = BufReader::with_capacity(200, receiver.stdout.take().expect("a pipe"));
    let listening: serde_json::Value = serde_json::from_str(&line(&mut said)).expect("an object");
    let at = listening["address"].as_str().expect("an address");
    let args = ["send", "many", at, "--key", "near", "--peer", "far.pub"];
    let sent = skywave(dir.path(), &args);
    assert!(sent.status.success(), "{}", text(&sent.stderr));
    assert_eq!(
        fs::read_dir(dir.path().join("in/many"))
            .expect("there")
            .count(),
        300
    );
    let pid = rustix::process::Pid::from_child(&receiver);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    assert_eq!(receiver.wait().expect("it ends").code(), Some(130));
}

/// `recv --into - | head`: nothing can come out any more, with or without a sender.
#[test]
fn a_receiver_ends_with_whoever_reads_it() {
    let dir = folder();
    let args = ["recv", "--into", "-", "--key", "far", "--allow", "near.pub"];
    let mut receiver = Listening::new(dir.path(), &args, Stdio::piped());
    drop(receiver.process.stdout.take());
    assert_eq!(receiver.end(), Some(1));
}

/// No argument tells the code, which others would see.
#[test]
fn a_code_comes_from_a_file_on_either_side() {
    let dir = folder();
    fs::write(dir.path().join("code"), "\n 3K7D-X9QM \n").expect("written");
    let args = [
        "recv",
        "--into",
        "in",
        "--key",
        "far",
        "--code-file",
        "code",
    ];
    let mut receiver = Listening::new(dir.path(), &args, Stdio::null());
    let at = receiver.address.clone();
    let send = |code: &str| {
        let args = ["send", "film", &at, "--key", "near", "--code-file", code];
        skywave(dir.path(), &args)
    };
    let none = send("photos/sun");
    assert_eq!(none.status.code(), Some(2), "{}", text(&none.stderr));
    fs::write(dir.path().join("empty"), "").expect("written");
    let said = text(&send("empty").stderr);
    assert!(
        said.starts_with("skywave: empty: expected a code"),
        "{said}"
    );
    let sent = send("code");
    assert!(sent.status.success(), "{}", text(&sent.stderr));
    assert_eq!(receiver.end(), Some(0));
}

#[test]
fn files_go_to_whoever_knows_the_code() {
    let dir = folder();
    let args = ["recv", "--into", "in", "--key", "far", "--code"];
    let mut receiver = Listening::new(dir.path(), &args, Stdio::null());
    let code = line(&mut receiver.said);
    let code = code.trim().rsplit(' ').next().expect("a code").to_owned();
    let send = |code: &str| {
        let args = [
            "send",
            "film",
            &receiver.address,
            "--key",
            "near",
            "--code",
            code,
        ];
        skywave(dir.path(), &args)
    };
    let wrong = send("0000-0000");
    assert_eq!(wrong.status.code(), Some(1));
    assert_eq!(text(&wrong.stderr), "skywave: the peer has another code\n");
    assert!(send(&code).status.success());
    assert_eq!(receiver.end(), Some(0));
    assert_eq!(
        fs::read(dir.path().join("in/film")).expect("there"),
        b"pictures"
    );
}

#[test]
fn files_are_fetched_into_a_pipe() {
    let dir = folder();
    let args = [
        "send", "film", "photos", "--key", "near", "--allow", "far.pub",
    ];
    let offering = Listening::new(dir.path(), &args, Stdio::null());
    let from = [
        "get",
        &offering.address,
        "--key",
        "far",
        "--peer",
        "near.pub",
        "--into",
    ];
    let got = skywave(dir.path(), &[&from[..], &["-", "photos/sun"]].concat());
    assert_eq!(got.stdout, b"bright", "{}", text(&got.stderr));
    let none = skywave(dir.path(), &[&from[..], &["in", "books"]].concat());
    assert_eq!(
        text(&none.stderr),
        "skywave: the peer does not offer what was asked for\n"
    );
    assert_eq!(none.status.code(), Some(1));
}

#[test]
fn nobody_has_to_read_what_is_printed() {
    let dir = folder();
    let full = || {
        Stdio::from(
            fs::File::options()
                .write(true)
                .open("/dev/full")
                .expect("a device"),
        )
    };
    let (closed, out) = std::io::pipe().expect("a pipe");
    drop(closed);
    let mut receiver = Listening::new(
        dir.path(),
        &[&RECV[..], &["--count", "3"]].concat(),
        out.into(),
    );
    for name in ["one", "two", "three"] {
        fs::write(dir.path().join(name), name).expect("written");
        let sent = Command::new(env!("CARGO_BIN_EXE_skywave"))
            .args([
                "send",
                name,
                &receiver.address,
                "--key",
                "near",
                "--peer",
                "far.pub",
            ])
            .current_dir(dir.path())
            .stdout(full())
            .stderr(full())
            .status();
        assert_eq!(sent.expect("it ends").code(), Some(0));
    }
    assert_eq!(receiver.end(), Some(0));
    assert_eq!(
        fs::read(dir.path().join("in/three")).expect("there"),
        b"three"
    );
}

#[test]
fn who_is_not_let_in_is_told_what_to_give_the_other_side() {
    let dir = folder();
    skywave(dir.path(), &["key", "--key", "stranger"]);
    let receiver = Listening::new(dir.path(), &RECV, Stdio::null());
    let send = |key: &str| {
        let to = ["send", "film", &receiver.address, "--peer", "far.pub"];
        skywave(dir.path(), &[&to[..], &["--key", key]].concat())
    };
    let refused = send("stranger");
    assert_eq!(refused.status.code(), Some(1));
    let key = text(&skywave(dir.path(), &["key", "--key", "stranger"]).stdout);
    let said = text(&refused.stderr);
    let advice = format!("its option --allow {}", key.trim());
    assert!(said.contains(&advice), "{said}");
    assert!(send("near").status.success());
}

#[test]
fn who_asks_for_a_code_may_be_given_a_key() {
    let dir = folder();
    let args = ["recv", "--into", "in", "--key", "far", "--code"];
    let receiver = Listening::new(dir.path(), &args, Stdio::null());
    let to = ["send", "film", &receiver.address, "--peer", "far.pub"];
    let refused = skywave(dir.path(), &[&to[..], &["--key", "near"]].concat());
    let key = fs::read_to_string(dir.path().join("near.pub")).expect("a key");
    let said = text(&refused.stderr);
    let advice = format!("its option --allow {}", key.trim());
    assert!(said.contains(&advice), "{said}");
}

#[test]
fn who_listens_for_this_host_only_says_so() {
    let dir = folder();
    let mut receiver = Listening::new(dir.path(), &RECV, Stdio::null());
    let hint = line(&mut receiver.said);
    assert!(
        hint.starts_with("skywave: only this host reaches that address; --listen 0.0.0.0:"),
        "{hint}"
    );
}

#[test]
fn files_of_keys_that_are_none_are_told() {
    let dir = folder();
    let near = fs::read(dir.path().join("near.pub")).expect("a key");
    let marked = [&[0xef, 0xbb, 0xbf], &near[..]].concat();
    fs::write(dir.path().join("marked.pub"), marked).expect("written");
    let old = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=";
    fs::write(dir.path().join("old.pub"), old).expect("written");
    let made = Command::new("mkfifo").arg(dir.path().join("fifo")).status();
    assert!(made.expect("it runs").success());
    let said = |key: &str| {
        let args = [
            "send",
            "film",
            "127.0.0.1:9",
            "--key",
            "near",
            "--wait",
            "1ms",
            "--peer",
            key,
        ];
        text(&skywave(dir.path(), &args).stderr)
    };
    for (key, expected) in [
        ("marked.pub", "no answer from 127.0.0.1:9"),
        (
            "old.pub",
            "old.pub, line 1: a key made by an older skywave: make a new one with `skywave key`",
        ),
        (old, "a key made by an older skywave"),
        (
            "fifo",
            "fifo: this is no file of keys: it is a device or a pipe",
        ),
        (
            "/dev/zero",
            "/dev/zero: this is no file of keys: it is a device or a pipe",
        ),
        ("photos", "photos: this is no file of keys: it is a folder"),
        ("near", "near: a secret key: expected a public one"),
        (
            "sky1AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "no key of a host",
        ),
        (
            "nothing",
            "there is no file \"nothing\", and it is no public key",
        ),
    ] {
        let said = said(key);
        assert!(said.contains(expected), "{key}: {said}");
    }
}

#[test]
fn two_files_of_one_name_are_not_sent() {
    let dir = folder();
    fs::create_dir(dir.path().join("old")).expect("made");
    fs::write(dir.path().join("old/film"), "other pictures").expect("written");
    let to = ["127.0.0.1:1", "--key", "near", "--peer", "far.pub"];
    for other in ["old/film", "./film"] {
        let refused = skywave(dir.path(), &[&["send", "film", other], &to[..]].concat());
        assert_eq!(refused.status.code(), Some(1));
        let expected = format!("{other}: `film` would come from here and from film");
        let told = text(&refused.stderr);
        assert!(told.contains(&expected), "{told}");
    }
}

fn json_lines(output: &[u8]) -> Vec<serde_json::Value> {
    let rows = text(output);
    let rows = rows.lines().map(serde_json::from_str);
    rows.collect::<Result<_, _>>().expect("objects")
}

/// Files that cannot be read or named count; what is left out by a rule does not.
#[test]
fn what_is_not_sent_is_counted() {
    use std::os::unix::fs::PermissionsExt;

    let dir = folder();
    let photos = dir.path().join("photos");
    fs::write(photos.join("two\nlines"), "x").expect("written");
    fs::write(photos.join(".DS_Store"), "x").expect("written");
    fs::write(photos.join("secret"), "x").expect("written");
    let closed = fs::Permissions::from_mode(0o000);
    fs::set_permissions(photos.join("secret"), closed).expect("set");
    // Who may read everything reads it.
    let unread = usize::from(fs::read(photos.join("secret")).is_err());
    let receiver = Listening::new(dir.path(), &RECV, Stdio::null());
    let send = |more: &[&str]| {
        let to = ["send", "photos", &receiver.address];
        let by = ["--key", "near", "--peer", "far.pub"];
        skywave(dir.path(), &[&to[..], &by, more].concat())
    };
    let sent = send(&["--exclude", ".DS_Store"]);
    assert_eq!(sent.status.code(), Some(1));
    let said = text(&sent.stderr);
    assert!(said.contains("lines: not sent: not a plain name"), "{said}");
    let all = format!("skywave: {} of 3 files were not sent", 1 + unread);
    assert!(said.contains(&all), "{said}");
    fs::remove_file(photos.join("secret")).expect("removed");
    let sent = send(&["--exclude", "two*"]);
    let said = text(&sent.stderr);
    assert!(
        said.contains("photos/.DS_Store: the receiver takes no hidden"),
        "{said}"
    );
    let sent = send(&["--exclude", "two*", "--exclude", ".DS_Store"]);
    assert_eq!(sent.status.code(), Some(0), "{}", text(&sent.stderr));
    let sent = send(&[
        "--exclude",
        "two*",
        "--exclude",
        ".DS_Store",
        "--exclude",
        "/.DS_Store",
    ]);
    let said = text(&sent.stderr);
    assert_eq!(sent.status.code(), Some(0), "{said}");
    assert!(
        said.starts_with("skywave: --exclude '/.DS_Store' leaves nothing out: "),
        "{said}"
    );
    for bad in ["a[", ""] {
        let refused = send(&["--exclude", bad]);
        assert_eq!(refused.status.code(), Some(2));
        assert_eq!(text(&refused.stderr).lines().count(), 1);
    }
}

/// One line for many files, and hashes for those who want them.
#[test]
fn all_files_have_one_line_unless_each_is_asked_for() {
    let dir = folder();
    fs::write(dir.path().join("photos/moon"), "dark").expect("written");
    let receiver = Listening::new(dir.path(), &RECV, Stdio::null());
    let send = |more: &[&str]| {
        let to = ["send", "photos", &receiver.address];
        let by = ["--key", "near", "--peer", "far.pub"];
        let sent = skywave(dir.path(), &[&to[..], &by, more].concat());
        assert!(sent.status.success(), "{}", text(&sent.stderr));
        sent.stdout
    };
    let said = text(&send(&[]));
    assert!(said.starts_with("2 files: 10 B in "), "{said}");
    assert_eq!(said.lines().count(), 1);
    assert_eq!(text(&send(&[])), "2 files: there already\n");
    let said = text(&send(&["--verbose"]));
    assert_eq!(
        said.matches("it was there already, BLAKE3 ").count(),
        2,
        "{said}"
    );
    let rows = json_lines(&send(&["--json"]));
    let expected = rows
        .iter()
        .find(|row| row["event"] == "expected")
        .expect("one");
    assert_eq!(
        (&expected["files"], &expected["bytes"]),
        (&2.into(), &10.into())
    );
}

/// More files than may be open wait for one another, at both ends.
#[test]
fn few_files_may_be_open() {
    let dir = folder();
    let many = dir.path().join("many");
    for n in 0..300 {
        let below = many.join(format!("{:02}", n % 60));
        fs::create_dir_all(&below).expect("made");
        let len = if n % 10 == 0 { 300_000 } else { 10 };
        fs::write(below.join(n.to_string()), vec![b'x'; len]).expect("written");
    }
    let program = env!("CARGO_BIN_EXE_skywave");
    let few = |args: &[&str]| {
        let mut command = Command::new("sh");
        command
            .args(["-c", "ulimit -n 32; exec \"$0\" \"$@\"", program])
            .args(args)
            .current_dir(dir.path());
        command
    };
    let args = [&RECV[..], &["--listen", "127.0.0.1:0", "--count", "300"]].concat();
    let mut receiving = few(&args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut said = BufReader::new(receiving.stderr.take().expect("standard error"));
    let line = line(&mut said);
    let address = line.split([' ', ';']).nth(3).expect("an address");
    let sent = few(&[
        "send", "many", address, "--key", "near", "--peer", "far.pub",
    ])
    .output();
    let sent = sent.expect("it ends");
    assert!(sent.status.success(), "{}", text(&sent.stderr));
    assert!(receiving.wait().expect("it ends").success());
}
