//! Programs' connections under a sender of ours: `skywave impair --tcp`. Facts only, no speed: the machine may be busy.
#![cfg(target_os = "linux")]

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Output;
use std::thread;

use serde_json::Value;

use crate::common::{skywave, text};
use crate::program::{impair, possible};

/// Serves files of the folder at port 8000, to hundreds at once.
const SERVER: &str = r#"exec python3 -c "
import http.server, socket
class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
    request_queue_size = 512
Server(('::', 8000), http.server.SimpleHTTPRequestHandler).serve_forever()
" 2>/dev/null"#;

/// Downloads one file over several connections at once, and prints how many of the answers equal the file.
const LOAD: &str = "
import sys, threading, urllib.request
name, number = sys.argv[1], int(sys.argv[2])
want = open(name, 'rb').read()
same = []
def get():
    same.append(urllib.request.urlopen('http://far:8000/' + name).read() == want)
threads = [threading.Thread(target=get) for _ in range(number)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(same.count(True))
";

/// What happens to connections besides data: a port without anybody, a half-close both ways, a reset both ways.
const ENDS: &str = "
import socket, struct
def call(port):
    return socket.create_connection(('far', port), timeout=20)
def reset(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    s.close()
try:
    call(9)
except ConnectionRefusedError:
    print('refused')
s = call(10)
s.sendall(b'x' * 3000000)
s.shutdown(socket.SHUT_WR)
print(len(s.makefile('rb').read()))
s = call(11)
s.sendall(b'hello')
s.recv(1)
reset(s)
s = call(11)
print(s.recv(100))
try:
    # On a busy machine the reset is there before the call returns.
    print(call(12).recv(100))
except ConnectionResetError:
    print('reset')
";

/// The other end: 10 answers twice as much after the end of the question; 11 tells the second caller how the first one
/// ended; 12 resets.
const ANSWERS: &str = "
import socket, struct, threading
def echo(s):
    n = len(s.makefile('rb').read())
    s.sendall(b'y' * 2 * n)
    s.close()
def watch(l):
    s = l.accept()[0]
    s.recv(100)
    s.sendall(b'y')
    try:
        told = s.recv(100)
    except ConnectionResetError:
        told = b'reset'
    l.accept()[0].sendall(told)
def reset(l):
    s = l.accept()[0]
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    s.close()
ports = [socket.create_server(('far', port)) for port in (10, 11, 12)]
threading.Thread(target=watch, args=(ports[1],)).start()
threading.Thread(target=reset, args=(ports[2],)).start()
echo(ports[0].accept()[0])
";

fn bytes(number: usize) -> Vec<u8> {
    (0..number as u64)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect()
}

/// Runs a program of Python's in a folder, behind a link with a program of the far side's.
fn python(dir: &Path, link: &[&str], far: &str, program: &str, arguments: &[&str]) -> Output {
    let own = ["impair", "--json", "--far", far];
    let command = ["--", "python3", "-c", program];
    let out = skywave(dir, &[&own, link, &command, arguments].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
    out
}

/// The object of `--json` among the lines of standard error.
fn report(out: &Output) -> Value {
    let told = text(&out.stderr);
    let line = told.lines().find(|line| line.starts_with('{'));
    serde_json::from_str(line.expect("an object")).expect("JSON")
}

#[test]
fn files_come_whole_under_three_senders() {
    if !possible() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), bytes(500_000)).unwrap();
    for sender in ["dcr", "cubic", "cerl"] {
        let link = [
            "--rate", "50Mbps", "--delay", "5ms", "--loss", "2%", "--tcp", sender,
        ];
        let out = python(dir.path(), &link, SERVER, LOAD, &["file", "4"]);
        assert_eq!(text(&out.stdout), "4\n", "{sender}: {}", text(&out.stderr));
        let tcp = &report(&out)["tcp"];
        assert_eq!(
            (tcp["sender"].as_str(), tcp["profile"].as_str()),
            (Some(sender), Some("linux"))
        );
        assert_eq!(tcp["back"]["connections"], 4);
        assert!(tcp["back"]["retransmissions"].as_u64() > Some(0), "{tcp}");
    }
}

/// The kernel's TCP is at the other end of a link that does everything wrong: once it opens, once it accepts.
#[test]
fn what_the_kernel_and_one_sender_exchange_is_whole() {
    if !possible() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), bytes(500_000)).unwrap();
    let link = r#"
        [[link]]
        name = "link"
        between = ["near", "far"]
        rate = "50Mbps"
        delay = "5ms"
        loss = { forward = { iid = 0.02 }, reverse = { iid = 0.02 } }
        corruption = 0.02
        duplication = 0.02
        reordering = { probability = 0.02, delay = "3ms" }
        [[flow]]
        name = "flow"
        from = "near"
        to = "far"
        transport = "reno"
        traffic = "ftp"
        [run]
        duration = "1s"
    "#;
    fs::write(dir.path().join("link.toml"), link).unwrap();
    for (at, ours, theirs) in [("near", "forward", "back"), ("far", "back", "forward")] {
        let link = ["link.toml", "--tcp", "sack", "--tcp-at", at];
        let out = python(dir.path(), &link, SERVER, LOAD, &["file", "4"]);
        assert_eq!(text(&out.stdout), "4\n", "{at}: {}", text(&out.stderr));
        let tcp = &report(&out)["tcp"];
        assert_eq!(tcp[ours]["connections"], 4, "{tcp}");
        assert!(tcp[theirs].is_null(), "{tcp}");
    }
}

#[test]
fn fifty_megabytes_come_whole_through_five_percent_of_loss() {
    if !possible() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), bytes(50_000_000)).unwrap();
    let link = [
        "--rate", "200Mbps", "--delay", "1ms", "--loss", "5%", "--tcp", "skywave",
    ];
    let out = python(dir.path(), &link, SERVER, LOAD, &["file", "1"]);
    assert_eq!(text(&out.stdout), "1\n", "{}", text(&out.stderr));
}

#[test]
fn refusals_half_closes_and_resets_pass_through() {
    if !possible() {
        return;
    }
    let far = format!("exec python3 -c \"{ANSWERS}\"");
    let link = ["--delay", "5ms", "--tcp", "dcr", "--tcp-profile", "rfc"];
    let out = python(Path::new("."), &link, &far, ENDS, &[]);
    let want = "refused\n6000000\nb'reset'\nreset\n";
    assert_eq!(text(&out.stdout), want, "{}", text(&out.stderr));
}

#[test]
fn ipv6_and_hundreds_of_connections_go_the_same_way() {
    if !possible() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), bytes(20_000)).unwrap();
    let program = LOAD.replace("far:", "far6:");
    let link = ["--delay", "5ms", "--loss", "1%", "--tcp", "linux"];
    let out = python(dir.path(), &link, SERVER, &program, &["file", "200"]);
    assert_eq!(text(&out.stdout), "200\n", "{}", text(&out.stderr));
}

#[test]
fn forwarded_ports_and_other_packets_go_as_before() {
    if !possible() {
        return;
    }
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port().to_string();
    thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = server.accept().unwrap();
        let mut question = String::new();
        stream.read_to_string(&mut question).unwrap();
        stream
            .write_all(question.to_uppercase().as_bytes())
            .unwrap();
    });
    let call = "
import socket, sys
s = socket.create_connection(('far', int(sys.argv[1])))
s.sendall(b'hello')
s.shutdown(socket.SHUT_WR)
print(s.makefile().read())
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.settimeout(20)
u.sendto(b'datagram', ('far', 7))
print(u.recv(100).decode())
";
    let echo = "
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('far', 7))
data, who = s.recvfrom(100)
s.sendto(data, who)
";
    let far = format!("exec python3 -c \"{echo}\"");
    let link = ["--delay", "5ms", "--forward", &port, "--tcp", "cubic"];
    let out = python(Path::new("."), &link, &far, call, &[&port]);
    assert_eq!(
        text(&out.stdout),
        "HELLO\ndatagram\n",
        "{}",
        text(&out.stderr)
    );
}

#[test]
fn an_unknown_sender_is_refused_before_anything_starts() {
    for (unknown, meant) in [("cubik", "cubic"), ("TCP-DCR", "dcr")] {
        let out = impair(&["--delay", "5ms", "--tcp", unknown, "--", "echo", "started"]);
        assert_eq!(out.status.code(), Some(2));
        let told = text(&out.stderr);
        let says = format!("--tcp {unknown}: there is no such preset, did you mean {meant}?");
        assert!(told.contains(&says), "{told}");
        assert!(out.stdout.is_empty());
    }
}
