//! Senders and receivers that are killed at any moment.

use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::random::random;

/// Number of kills.
const KILLS: u32 = 50;
/// Bytes of a file; at the rate below, a transfer lasts about a second.
const SIZE: u64 = 1_000_000;
const RATE: &str = "8Mbps";
/// Longest time between two kills, in ms.
const LIFE: u64 = 400;
/// Prefix of the names of partial files.
const PARTIAL: &str = ".skywave-";

/// A process that does not outlive the test.
struct Process(Child);

impl Process {
    fn kill(&mut self) {
        // SIGKILL; a process that has ended by itself cannot be killed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

struct Lab {
    dir: tempfile::TempDir,
    address: String,
    receiver_key: String,
    sender_key: String,
}

impl Lab {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join("in")).expect("created");
        let key = |file: &str| {
            let made = skywave(dir.path(), &["key", "--key", file]).output();
            let made = made.expect("the command starts");
            assert!(made.status.success());
            String::from_utf8(made.stdout).unwrap().trim().to_owned()
        };
        let (receiver_key, sender_key) = (key("receiver"), key("sender"));
        // A port that was free a moment ago.
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let address = socket.local_addr().unwrap().to_string();
        Self {
            dir,
            address,
            receiver_key,
            sender_key,
        }
    }

    fn receiver(&self) -> Process {
        let to = ["recv", "--into", "in", "--key", "receiver"];
        let mut command = skywave(self.dir.path(), &to);
        command.args(["--listen", &self.address, "--allow", &self.sender_key]);
        Process(command.spawn().expect("the command starts"))
    }

    fn sender(&self, file: &Path) -> Process {
        let mut command = skywave(self.dir.path(), &["send"]);
        command.arg(file).arg(&self.address);
        command.args([
            "--peer",
            &self.receiver_key,
            "--key",
            "sender",
            "--limit",
            RATE,
        ]);
        Process(command.spawn().expect("the command starts"))
    }

    /// Makes a new file to send.
    fn file(&self, n: u64) -> PathBuf {
        let path = self.dir.path().join(format!("file-{n}"));
        let bytes: Vec<u8> = (0..SIZE)
            .map(|i| ((i + n) * (i % 4093) % 251) as u8)
            .collect();
        fs::write(&path, bytes).expect("written");
        path
    }

    /// Partial files and their sizes.
    fn left_over(&self) -> String {
        let entries = fs::read_dir(self.dir.path().join("in")).unwrap();
        let entries = entries.map(|entry| entry.unwrap());
        let partial =
            |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(PARTIAL);
        let told = |entry: fs::DirEntry| {
            let size = entry.metadata().unwrap().len();
            format!("{}: {size} bytes\n", entry.file_name().display())
        };
        entries.filter(partial).map(told).collect()
    }

    /// Checks that every file under its final name is complete and correct; returns their number.
    fn check(&self) -> usize {
        let mut whole = 0;
        for entry in fs::read_dir(self.dir.path().join("in")).unwrap() {
            let name = entry.unwrap().file_name();
            if name.to_string_lossy().starts_with(PARTIAL) {
                continue;
            }
            let ours = fs::read(self.dir.path().join(&name)).expect("a file that was sent");
            let theirs = fs::read(self.dir.path().join("in").join(&name)).unwrap();
            assert!(ours == theirs, "{}", name.display());
            whole += 1;
        }
        whole
    }
}

fn skywave(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skywave"));
    command.args(args).current_dir(dir);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    if args[0] == "key" {
        command.stdout(Stdio::piped());
    }
    command
}

#[test]
fn files_are_whole_or_absent_whoever_is_killed() {
    let lab = Lab::new();
    let mut state = 1;
    let mut files = 0;
    let mut path = lab.file(files);
    let mut receiver = lab.receiver();
    let mut sender = lab.sender(&path);
    for kill in 0..KILLS {
        let until = Instant::now() + Duration::from_millis(random(&mut state) % LIFE);
        while Instant::now() < until {
            if let Some(status) = sender.0.try_wait().expect("waits") {
                assert!(status.success(), "kill {kill}: {status}");
                files += 1;
                path = lab.file(files);
                sender = lab.sender(&path);
            }
            thread::sleep(Duration::from_millis(2));
        }
        if random(&mut state).is_multiple_of(2) {
            receiver.kill();
            lab.check();
            receiver = lab.receiver();
        } else {
            sender.kill();
            lab.check();
            sender = lab.sender(&path);
        }
    }
    let status = sender.0.wait().expect("waits");
    assert!(status.success(), "{status}");
    receiver.kill();
    assert_eq!(lab.check() as u64, files + 1, "all that were sent");
    assert_eq!(lab.left_over(), "", "nothing else");
}
