//! Connections of this machine's kernel under a law. Skipped where rights are missing.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use rustix::net::sockopt::{set_tcp_congestion, tcp_congestion};
use skywave_core::tcp::preset;
use skywave_kernel::machine::{self, Verdict};
use skywave_kernel::{AttachError, Attached, Group, Law};

/// A law under a name of its own in each test, or why it cannot be had here.
fn attached(name: &str) -> Option<Attached> {
    if let Some(bad) = machine::findings()
        .into_iter()
        .find(|found| found.verdict == Verdict::Bad)
    {
        eprintln!("skipped: {}: {}", bad.subject, bad.what);
        return None;
    }
    let cerl = preset("cerl").unwrap().composition.congestion.clone();
    Some(Attached::new(Law::new(name, cerl).unwrap()).unwrap())
}

fn is_offered(name: &str) -> bool {
    let names = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    names.unwrap().split_whitespace().any(|known| known == name)
}

/// Two ends of a connection, the first one under the law.
fn connected(law: &str) -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    set_tcp_congestion(&near, law).unwrap();
    (near, listener.accept().unwrap().0)
}

/// Sends `bytes` bytes from one end to the other. The number of bytes that the other end has received.
fn transfer(near: &mut TcpStream, far: &mut TcpStream, bytes: usize) -> usize {
    thread::scope(|scope| {
        scope.spawn(|| near.write_all(&vec![7; bytes]).unwrap());
        let mut came = vec![0; bytes];
        far.read_exact(&mut came).map_or(0, |()| came.len())
    })
}

#[test]
fn a_connection_is_heard_and_answered() {
    let Some(attached) = attached("heard") else {
        return;
    };
    let over = AtomicBool::new(false);
    let (acks, ids) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let heard = thread::scope(|scope| {
        let law = "sky_heard";
        scope.spawn(|| {
            let (mut near, mut far) = connected(law);
            assert_eq!(transfer(&mut near, &mut far, 3_000_000), 3_000_000);
            drop((near, far));
            over.store(true, Ordering::Relaxed);
        });
        attached.run(&over, &mut |message, answer| {
            acks.fetch_add(1, Ordering::Relaxed);
            ids.lock().unwrap().push(answer.id);
            assert_eq!((message.id, message.number), (answer.id, answer.number));
        })
    });
    let heard = heard.unwrap();
    assert_eq!(heard.connections, 1);
    assert!(acks.into_inner() > 10, "{heard:?}");
    assert_eq!(attached.counters().connections, 1);
    assert!(is_offered("sky_heard"));
    drop(attached);
    assert!(!is_offered("sky_heard"));
}

#[test]
fn a_connection_outlives_its_law() {
    let Some(attached) = attached("outlived") else {
        return;
    };
    let (mut near, mut far) = connected("sky_outlived");
    // Nobody answers from the beginning on, and then the law is gone.
    assert_eq!(transfer(&mut near, &mut far, 1_000_000), 1_000_000);
    drop(attached);
    assert!(!is_offered("sky_outlived"));
    assert_eq!(tcp_congestion(&near).unwrap(), "sky_outlived");
    assert_eq!(transfer(&mut near, &mut far, 3_000_000), 3_000_000);
}

#[test]
fn a_name_is_taken_once() {
    let Some(first) = attached("twice") else {
        return;
    };
    let reno = preset("reno").unwrap().composition.congestion.clone();
    let second = Attached::new(Law::new("twice", reno).unwrap());
    assert_eq!(
        second.err(),
        Some(AttachError::Taken("sky_twice".to_owned()))
    );
    drop(first);
}

#[test]
fn a_command_has_the_law_and_its_group_goes() {
    let Some(mut attached) = attached("group") else {
        return;
    };
    let group = match Group::new() {
        Ok(group) => group,
        Err(why) => return eprintln!("skipped: {why}"),
    };
    attached.give_to(std::os::fd::AsFd::as_fd(&group)).unwrap();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut bash = Command::new("bash");
    bash.args([
        "-c",
        &format!("exec 3<>/dev/tcp/127.0.0.1/{port}; read -u 3"),
    ]);
    let mut child = match group.spawn(&mut bash).unwrap() {
        Ok(child) => child,
        Err(why) => return eprintln!("skipped: bash: {why}"),
    };
    let (accepted, _) = listener.accept().unwrap();
    // This process is not in the group, and neither is its end of the connection.
    assert_ne!(tcp_congestion(&accepted).unwrap(), "sky_group");
    drop(accepted);
    child.wait().unwrap();
    assert_eq!(attached.counters().connections, 1);
    assert!(group.remove());
}
