//! Programs behind a link: `skywave impair … -- COMMAND`. Facts only, no speed: the machine may be busy.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{fed, skywave, text};

/// Sends a datagram to the far side and prints the milliseconds until it returns; ends with code 3 if it
/// does not.
const PING: &str = "
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(float(sys.argv[1]))
sent = time.monotonic()
s.sendto(b'ping', ('far', 7))
try:
    assert s.recv(10) == b'ping'
except TimeoutError:
    sys.exit(3)
print(1000 * (time.monotonic() - sent))
";

/// Returns datagrams to their sender.
const PONG: &str = "
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('far', 7))
while True:
    data, who = s.recvfrom(100)
    s.sendto(data, who)
";

/// Connects to a port of the far side, says hello and prints what comes back, or what went wrong.
const CALL: &str = "
import socket, sys
try:
    s = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=20)
    s.sendall(b'hello')
    s.shutdown(socket.SHUT_WR)
    print(s.makefile().read())
except OSError as error:
    print(type(error).__name__)
";

/// Counts the signals that it gets in the half second after the first one; ends with code 5. It also
/// receives signals that the test itself was started to ignore, as SIGINT is in a shell's background.
const COUNT: &str = "
import signal, sys, time
heard = []
for one in signal.SIGINT, signal.SIGTERM:
    signal.signal(one, lambda *_: heard.append(1))
print('ready', flush=True)
while not heard:
    time.sleep(0.01)
time.sleep(0.5)
print(len(heard))
sys.exit(5)
";

/// A job that says when it goes on, and how often Ctrl-C reached it.
const JOB: &str = "
import signal, time
heard = []
signal.signal(signal.SIGINT, lambda *_: heard.append(1))
signal.signal(signal.SIGCONT, lambda *_: print('goes on', flush=True))
print('ready', flush=True)
while not heard:
    time.sleep(0.01)
time.sleep(0.5)
print('interrupted', len(heard), 'times', flush=True)
";

/// A terminal with a shell in which somebody runs `$JOB`, twice puts it into the background and back, and
/// interrupts it.
const SHELL: &str = r"
import os, pty, select, sys, time

shell, terminal = pty.fork()
if shell == 0:
    os.execvp('sh', ['sh', '-i'])

def until(what, is_so):
    end = time.monotonic() + 30
    while not is_so():
        if time.monotonic() > end:
            sys.exit(f'not in 30 s: {what}')
        time.sleep(0.001)

shown = b''

def expect(text):
    global shown
    def is_so():
        global shown
        if select.select([terminal], [], [], 0.1)[0]:
            more = os.read(terminal, 4096)
            sys.stdout.buffer.write(more)
            sys.stdout.buffer.flush()
            shown += more
        return text in shown
    until(text, is_so)
    shown = shown.split(text, 1)[1]

def type(keys):
    os.write(terminal, keys)

foreground = lambda: os.tcgetpgrp(terminal)
type(b'$JOB\n')
expect(b'ready')
job = foreground()
for is_last in [False, True]:
    type(b'\x1a')
    expect(b'Stopped')
    until('a prompt', lambda: foreground() == shell)
    type(b'bg\n')
    expect(b'goes on')
    type(b'fg\n')
    # In the end Ctrl-C may come before the job has the terminal again.
    until('the job again', lambda: foreground() != shell if is_last else foreground() == job)
type(b'\x03')
expect(b'interrupted')
expect(b'times')
";

/// Whether this kernel allows it; prints a message if not.
pub(crate) fn possible() -> bool {
    let tried = impair(&["--delay", "1ms", "--", "true"]);
    if tried.status.code() == Some(125) {
        println!("skipped: {}", text(&tried.stderr));
        return false;
    }
    assert!(tried.status.success(), "{}", text(&tried.stderr));
    true
}

pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skywave"));
    command.arg("impair").args(arguments).stdin(Stdio::null());
    command
}

pub(crate) fn impair(arguments: &[&str]) -> Output {
    skywave(Path::new("."), &[&["impair"], arguments].concat())
}

/// Processes of the machine whose arguments have this word.
fn processes(word: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("processes").flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(word)).collect()
}

/// Waits until `is_so` returns true.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < until, "not in 30 s: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Starts the command with its output in pipes; `link` has the arguments before COMMAND.
fn start(link: &[&str], script: &str) -> Child {
    let mut command = command(link);
    command.args(["--", "sh", "-c", script]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command starts")
}

/// Reads a line of this length from its standard output.
pub(crate) fn await_line(child: &mut Child, line: &str) {
    let mut read = vec![0; line.len()];
    let out = child.stdout.as_mut().expect("a pipe");
    out.read_exact(&mut read).expect("a line");
    assert_eq!(text(&read), line);
}

pub(crate) fn kill(child: &Child, signal: &str) {
    let mut command = Command::new("kill");
    command.args([signal, &child.id().to_string()]);
    assert!(command.status().expect("kill").success());
}

#[test]
fn an_answer_takes_both_delays_at_least() {
    if !possible() {
        return;
    }
    let far = format!("exec python3 -c \"{PONG}\"");
    let out = impair(&[
        "--rate", "20Mbps", "--delay", "20ms", "--far", &far, "--", "python3", "-c", PING, "20",
    ]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let round_trip: f64 = text(&out.stdout).trim().parse().expect("milliseconds");
    assert!(round_trip >= 40.0, "{round_trip} ms");
}

#[test]
fn a_link_that_loses_everything_gives_no_answer() {
    if !possible() {
        return;
    }
    let far = format!("exec python3 -c \"{PONG}\"");
    for loss in [["--loss", "100%"], ["--loss-back", "100%"]] {
        let mut arguments = vec!["--delay", "1ms", "--json", "--far", &far];
        arguments.extend(loss);
        arguments.extend(["--", "python3", "-c", PING, "1"]);
        let out = impair(&arguments);
        assert_eq!(out.status.code(), Some(3), "{}", text(&out.stderr));
        let report = report(&text(&out.stderr));
        let lost = |link: usize| &report["links"][link]["channel_drops"];
        let lost = [lost(0), lost(1)].map(|lost| lost.as_u64().expect("a number"));
        assert_eq!(lost, if loss[0] == "--loss" { [1, 0] } else { [0, 1] });
    }
}

/// The JSON object among the lines.
pub(crate) fn report(lines: &str) -> serde_json::Value {
    let object = lines.lines().find(|line| line.starts_with('{'));
    serde_json::from_str(object.expect("an object")).expect("JSON")
}

#[test]
fn the_exit_code_is_the_programs() {
    if !possible() {
        return;
    }
    for (script, code) in [
        ("true", 0),
        ("exit 7", 7),
        ("kill -TERM $$", 143),
        ("kill -KILL $$", 137),
    ] {
        let out = impair(&["--delay", "1ms", "--", "sh", "-c", script]);
        assert_eq!(out.status.code(), Some(code), "{script}");
    }
    for (name, code, told) in [
        ("no-such-program", 127, "no-such-program: command not found"),
        ("/etc/passwd", 126, "/etc/passwd: "),
    ] {
        let out = impair(&["--delay", "1ms", "--", name]);
        assert_eq!(out.status.code(), Some(code), "{name}");
        assert!(text(&out.stderr).contains(told), "{}", text(&out.stderr));
    }
    let out = impair(&["--delay", "1ms", "--far", "exit 9", "--", "true"]);
    assert_eq!(out.status.code(), Some(125));
    let told = "the far side's `exit 9` ended with code 9 before the command began";
    assert!(text(&out.stderr).contains(told), "{}", text(&out.stderr));
}

#[test]
fn packets_of_ipv6_pass_too_and_only_those_of_programs() {
    if !possible() || !Path::new("/proc/sys/net/ipv6").exists() {
        return;
    }
    let six = |script: &str| {
        script
            .replace("AF_INET", "AF_INET6")
            .replace("'far'", "'far6'")
    };
    let far = format!("exec python3 -c \"{}\"", six(PONG));
    let out = impair(&[
        "--delay",
        "20ms",
        "--json",
        "--far",
        &far,
        "--",
        "python3",
        "-c",
        &six(PING),
        "20",
    ]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let object = report(&text(&out.stderr));
    assert_eq!(object["forward"]["packets_in"], 1, "{object}");
    assert_eq!(object["back"]["packets_in"], 1, "{object}");
}

#[test]
fn a_link_works_inside_of_a_link() {
    if !possible() {
        return;
    }
    let (skywave, far) = (
        env!("CARGO_BIN_EXE_skywave"),
        format!("exec python3 -c \"{PONG}\""),
    );
    let out = impair(&[
        "--delay", "1ms", "--", skywave, "impair", "--delay", "20ms", "--far", &far, "--",
        "python3", "-c", PING, "20",
    ]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let round_trip: f64 = text(&out.stdout).trim().parse().expect("milliseconds");
    assert!(round_trip >= 40.0, "{round_trip} ms");
    let told = text(&out.stderr);
    assert!(told.contains("inside of another one"), "{told}");
}

#[test]
fn a_shell_behind_the_link_manages_its_jobs() {
    if !possible() {
        return;
    }
    // A terminal around the command, in which this is typed.
    let pty = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let mut child = Command::new("python3")
        .args(["-c", pty, env!("CARGO_BIN_EXE_skywave"), "impair"])
        .args(["--delay", "1ms", "--", "sh", "-i"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a terminal");
    let mut input = child.stdin.take().expect("a pipe");
    input
        .write_all(b"sleep 0.01 | cat\nexit 6\n")
        .expect("typed");
    let out = child.wait_with_output().expect("an end");
    let shown = text(&out.stdout);
    assert_eq!(out.status.code(), Some(6), "{shown}");
    assert!(!shown.contains("tty"), "{shown}");
}

#[test]
fn a_job_that_was_in_the_background_hears_the_terminal_once() {
    if !possible() {
        return;
    }
    let skywave = env!("CARGO_BIN_EXE_skywave");
    let dir = tempfile::tempdir().expect("a folder");
    let job = dir.path().join("job.py");
    fs::write(&job, JOB).expect("written");
    let job = job.display();
    let out = Command::new("python3")
        .args(["-c", SHELL])
        .env(
            "JOB",
            format!("{skywave} impair --delay 1ms -- python3 {job}"),
        )
        .output()
        .expect("a terminal");
    let shown = text(&out.stdout);
    assert!(out.status.success(), "{shown}\n{}", text(&out.stderr));
    assert!(shown.contains("interrupted 1 times"), "{shown}");
}

#[test]
fn who_looks_for_other_hosts_hears_of_forwarding() {
    if !possible() {
        return;
    }
    let script = "import socket; socket.create_connection(('192.0.2.1', 80))";
    let out = impair(&["--delay", "1ms", "--", "python3", "-c", script]);
    assert_eq!(out.status.code(), Some(1));
    let told = text(&out.stderr);
    assert!(told.contains("--forward PORT=HOST:PORT"), "{told}");
    let out = impair(&["--delay", "1ms", "--", "false"]);
    assert!(!text(&out.stderr).contains("--forward"));
}

#[test]
fn input_and_output_are_the_programs_own() {
    if !possible() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("report.json");
    let mut command = command(&["--delay", "1ms", "--far", "echo from far"]);
    command.arg(format!("--json={}", file.display())).args([
        "--",
        "sh",
        "-c",
        "cat; echo $SKYWAVE_NEAR $SKYWAVE_FAR",
    ]);
    let out = fed(&mut command, b"typed\n");
    assert_eq!(text(&out.stdout), "typed\n10.73.9.1 10.73.9.2\n");
    let beside = text(&out.stderr);
    assert!(beside.contains("from far"), "{beside}");
    assert!(beside.contains("link.reverse"), "{beside}");
    let object = fs::read_to_string(file).expect("a report");
    assert_eq!(report(&object)["flow"], "program");
}

#[test]
fn nothing_is_left_of_either_side() {
    if !possible() {
        return;
    }
    // A number that is in no other process's arguments.
    let far = format!("7{:08}.1", std::process::id());
    let near = format!("7{:08}.2", std::process::id());
    let server = format!("sleep {far} & exec sleep {far}");
    let script = format!("sleep {near} & echo ready; read line");

    // The script ends by itself; the process that it left in the background ends too.
    let link = ["--delay", "1ms", "--far", &server];
    let mut child = command(&link)
        .args(["--", "sh", "-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    await_line(&mut child, "ready\n");
    assert!(processes(&far).len() > 1 && processes(&near).len() > 1);
    drop(child.stdin.take());
    child.wait().expect("an end");
    assert_eq!((processes(&far), processes(&near)), (vec![], vec![]));

    // The relay is killed from outside.
    let script = format!("echo ready; exec sleep {near}");
    let mut child = start(&link, &script);
    await_line(&mut child, "ready\n");
    child.kill().expect("killed");
    child.wait().expect("an end");
    eventually("all processes are gone", || {
        processes(&far).is_empty() && processes(&near).is_empty()
    });
}

#[test]
fn a_signal_goes_to_the_program_once() {
    if !possible() {
        return;
    }
    let script = format!("exec python3 -c \"{COUNT}\"");
    for signal in ["-INT", "-TERM"] {
        let mut child = start(&["--delay", "1ms"], &script);
        await_line(&mut child, "ready\n");
        kill(&child, signal);
        let out = child.wait_with_output().expect("an end");
        assert_eq!(out.status.code(), Some(5), "{}", text(&out.stderr));
        assert_eq!(text(&out.stdout), "1\n");
    }
    // This signal ends the script, and with it everything.
    let mut child = start(&["--delay", "1ms"], "echo ready; exec sleep 600");
    await_line(&mut child, "ready\n");
    kill(&child, "-TERM");
    assert_eq!(child.wait().expect("an end").code(), Some(143));
}

#[test]
fn a_forwarded_port_is_the_only_way_out() {
    if !possible() {
        return;
    }
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = server.local_addr().expect("an address").port().to_string();
    let answering = thread::spawn(move || {
        let (mut stream, _) = server.accept().expect("a connection");
        let mut said = String::new();
        stream.read_to_string(&mut said).expect("read");
        let answer = format!("{said} yourself");
        stream.write_all(answer.as_bytes()).expect("written");
    });
    let call = |link: &[&str], host: &str, port: &str| {
        let mut arguments = vec!["--rate", "10Mbps", "--delay", "5ms"];
        arguments.extend(link);
        arguments.extend(["--", "python3", "-c", CALL, host, port]);
        let out = impair(&arguments);
        assert!(out.status.success(), "{}", text(&out.stderr));
        (text(&out.stdout), text(&out.stderr))
    };
    // In the program's network this machine's address belongs to the program itself.
    assert_eq!(call(&[], "127.0.0.1", &port).0, "ConnectionRefusedError\n");
    assert_eq!(call(&[], "192.0.2.1", &port).0, "OSError\n");

    let forward = format!("80=127.0.0.1:{port}");
    let link = ["--forward", &forward, "--forward", &port];
    assert_eq!(call(&link, "far", "80").0, "hello yourself\n");
    answering.join().expect("an answer");
    // No process is left.
    let (said, told) = call(&link, "far", &port);
    assert_eq!(said, "ConnectionResetError\n");
    let complaint = format!("port {port} of the far side goes to 127.0.0.1:{port}: ");
    assert!(told.contains(&complaint), "{told}");
}

#[test]
fn a_scenario_gives_the_link_as_options_do() {
    if !possible() {
        return;
    }
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/lossy-link.toml"
    );
    let out = impair(&[file, "--point", "3", "--json", "--", "true"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let report = report(&text(&out.stderr));
    assert_eq!(report["links"][0]["link"], "radio");
    let ways = |more: &[&str]| {
        let out = impair(&[&[file], more, &["--", "true"]].concat());
        text(&out.stderr)
    };
    let forward = ways(&[]);
    assert!(
        forward.contains("by radio, back by radio.reverse"),
        "{forward}"
    );
    assert!(forward.contains("--swap puts it at "), "{forward}");
    let swapped = ways(&["--swap"]);
    assert!(
        swapped.contains("by radio.reverse, back by radio"),
        "{swapped}"
    );
}

/// The smallest path, for two seconds: its kernel sends no faster than the link carries, and not nothing.
#[test]
fn the_kernels_tcp_goes_over_the_simulated_path() {
    if !possible() {
        return;
    }
    let arguments = [
        "gap",
        "--kernel",
        "--only",
        "1",
        "--laws",
        "reno",
        "--seconds",
        "3",
        "--tries",
        "1",
        "--json",
    ];
    let out = skywave(Path::new("."), &arguments);
    // A busy machine is late, which is told; the numbers come all the same.
    let complaint = text(&out.stderr);
    let late = complaint.contains("not over the path that was asked for");
    assert_eq!(out.status.success(), !late, "{complaint}");
    let row: serde_json::Value = serde_json::from_slice(&out.stdout).expect("one object");
    assert_eq!(
        (&row["law"], &row["rtt_ms"]),
        (&"reno".into(), &20.0.into())
    );
    let kernel = row["real_mbps"][0].as_f64().expect("a number");
    let simulated = row["simulated_mbps"].as_f64().expect("a number");
    assert!((0.5..20.0).contains(&kernel), "{kernel}");
    assert!((10.0..20.0).contains(&simulated), "{simulated}");
    assert_eq!(row["unfaithful"], u64::from(late));
    let none = skywave(Path::new("."), &["gap", "--kernel", "--only", "13"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("from 1 to 12"));
}

/// A sender of ours to the kernel's receiver, with losses to repair: bytes arrive, and not faster than simulated ones could.
#[test]
fn a_sender_of_ours_goes_over_the_simulated_path() {
    if !possible() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let line =
        "gap --tcp cerl --only 3 --seconds 3 --seeds 2 --jobs 2 --tries 1 --json --captures taken";
    let arguments: Vec<&str> = line.split(' ').collect();
    let out = skywave(folder.path(), &arguments);
    let complaint = text(&out.stderr);
    let late = complaint.contains("not over the path that was asked for");
    assert_eq!(out.status.success(), !late, "{complaint}");
    let row: serde_json::Value = serde_json::from_slice(&out.stdout).expect("one object");
    assert_eq!((&row["law"], &row["path"]), (&"cerl".into(), &3.into()));
    let real = row["real_mbps"].as_array().expect("two runs");
    assert_eq!(real.len(), 2);
    for run in real {
        assert!(
            (0.1..20.0).contains(&run.as_f64().expect("a number")),
            "{run}"
        );
    }
    for seed in 1..=2 {
        assert!(
            folder
                .path()
                .join(format!("taken/3-cerl-{seed}.pcapng"))
                .exists()
        );
    }
    let both = skywave(folder.path(), &["gap", "--kernel", "--tcp", "cerl"]);
    assert_eq!(both.status.code(), Some(2));
}
