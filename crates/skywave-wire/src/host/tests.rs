//! Our host beside the kernel, in a network of its own: facts only, no speed.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, TcpListener, TcpStream};
use std::thread;

use nix::sched::{CloneFlags, unshare};
use skywave_core::tcp::{Profile, preset};

use super::*;
use crate::tcp::Role;

const KERNEL: Ipv4Addr = Ipv4Addr::new(10, 9, 8, 1);
const OURS: Ipv4Addr = Ipv4Addr::new(10, 9, 8, 2);
const KERNEL6: Ipv6Addr = Ipv6Addr::new(0xfd09, 0, 0, 0, 0, 0, 0, 1);
const OURS6: Ipv6Addr = Ipv6Addr::new(0xfd09, 0, 0, 0, 0, 0, 0, 2);

/// Runs in a network with a host, where that can be made.
fn with_host(mtu: u16, sender: &'static str, test: impl FnOnce(Host) + Send + 'static) {
    let inside = move || {
        if let Err(error) = unshare(CloneFlags::CLONE_NEWNET) {
            return println!("skipped: {error}");
        }
        let kernel = [(KERNEL.into(), 24), (KERNEL6.into(), 64)];
        let device = match Device::open("ours", mtu, &kernel) {
            Ok(device) => device,
            Err(error) => return println!("skipped: {error}"),
        };
        let composition = preset(sender).expect("a preset").composition.clone();
        let config = EndpointConfig::new(Role::Host, Profile::Linux, composition);
        test(Host::new(device, &[OURS.into(), OURS6.into()], config).unwrap());
    };
    thread::spawn(inside).join().unwrap();
}

fn bytes(number: usize) -> Vec<u8> {
    (0..number as u64)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect()
}

#[test]
fn blocking_streams_carry_bytes_both_ways_and_ends() {
    with_host(1500, "cubic", |host| {
        for own in [IpAddr::from(KERNEL), KERNEL6.into()] {
            let server = TcpListener::bind((own, 0)).unwrap();
            let at = server.local_addr().unwrap();
            let answers = thread::spawn(move || {
                let (mut stream, _) = server.accept().unwrap();
                let mut all = Vec::new();
                stream.read_to_end(&mut all).unwrap();
                stream.write_all(&all).unwrap();
            });
            let mut stream = host.connect(at).unwrap();
            assert_eq!(stream.peer_addr().unwrap(), at);
            stream.write_all(&bytes(5_000_000)).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            let late = stream.write(b"late").unwrap_err();
            assert_eq!(late.kind(), ErrorKind::BrokenPipe);
            let mut all = Vec::new();
            stream.read_to_end(&mut all).unwrap();
            assert!(all == bytes(5_000_000));
            answers.join().unwrap();
            let refused = host.connect(at).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
        }
    });
}

#[test]
fn tasks_accept_and_answer_many_at_once() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    with_host(u16::MAX, "skywave", |host| {
        let listener = host.listen(80, 256).unwrap();
        assert!(host.listen(80, 1).is_err());
        let call = |to: IpAddr| {
            // Not in the thread: who is not let in fails the test instead of leaving it to wait.
            let mut stream = TcpStream::connect((to, 80)).unwrap();
            thread::spawn(move || {
                Write::write_all(&mut stream, &bytes(300_000)).unwrap();
                stream.shutdown(Shutdown::Write).unwrap();
                let mut all = Vec::new();
                Read::read_to_end(&mut stream, &mut all).unwrap();
                assert!(all == bytes(300_000));
            })
        };
        let calls: Vec<_> = (0..40)
            .map(|n| {
                call(if n % 2 == 0 {
                    OURS.into()
                } else {
                    OURS6.into()
                })
            })
            .collect();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut tasks = Vec::new();
            for _ in 0..40 {
                let (stream, _) = listener.accept_async().await.unwrap();
                tasks.push(tokio::spawn(async move {
                    let (mut read, mut write) = tokio::io::split(stream);
                    tokio::io::copy(&mut read, &mut write).await.unwrap();
                    write.shutdown().await.unwrap();
                    assert_eq!(read.read(&mut [0]).await.unwrap(), 0);
                }));
            }
            for task in tasks {
                task.await.unwrap();
            }
        });
        for call in calls {
            call.join().unwrap();
        }
        // A port is free again when its listener is gone.
        drop(listener);
        let refused = TcpStream::connect((OURS, 80)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
        host.listen(80, 1).unwrap();
    });
}

#[test]
fn who_waits_is_told_when_the_host_is_gone_or_the_stream_is_shut() {
    with_host(1500, "linux", |host| {
        let server = TcpListener::bind((KERNEL, 0)).unwrap();
        let stream = Arc::new(host.connect(server.local_addr().unwrap()).unwrap());
        let writes = Arc::clone(&stream);
        // Nobody reads: the buffers are full at some time.
        let writer = thread::spawn(move || (&*writes).write_all(&bytes(60_000_000)));
        while host.totals().bytes < 1 {
            thread::yield_now();
        }
        stream.shutdown(Shutdown::Write).unwrap();
        let shut = writer.join().unwrap().unwrap_err();
        assert_eq!(shut.kind(), ErrorKind::BrokenPipe);
        let listener = host.listen(80, 1).unwrap();
        let accepts = thread::spawn(move || listener.accept().map(drop));
        let reads = thread::spawn(move || (&*stream).read(&mut [0]));
        drop(host);
        assert_eq!(
            accepts.join().unwrap().unwrap_err().kind(),
            ErrorKind::NotConnected
        );
        assert_eq!(
            reads.join().unwrap().unwrap_err().kind(),
            ErrorKind::NotConnected
        );
    });
}
