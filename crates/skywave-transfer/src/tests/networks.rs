//! Networks that give hosts other addresses, and disks that are full.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use tokio::net::UdpSocket;

use super::*;

fn count(told: &Told, which: fn(&Event) -> bool) -> usize {
    told.0
        .lock()
        .unwrap()
        .iter()
        .filter(|event| which(event))
        .count()
}

/// Translates addresses between a host and the one at `to`: each time that it is told, the host has
/// another port from then on, and what is sent to the old one is lost.
async fn translator(
    to: SocketAddr,
    mut again: watch::Receiver<usize>,
) -> (SocketAddr, JoinHandle<()>) {
    let inside = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let at = inside.local_addr().unwrap();
    let work = tokio::spawn(async move {
        let mut outside = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let (mut out, mut back) = ([0; 2048], [0; 2048]);
        let mut host = None;
        loop {
            tokio::select! {
                Ok(()) = again.changed() => {
                    outside = UdpSocket::bind("127.0.0.1:0").await.unwrap();
                }
                Ok((len, from)) = inside.recv_from(&mut out) => {
                    host = Some(from);
                    let _ = outside.send_to(&out[..len], to).await;
                }
                Ok((len, _)) = outside.recv_from(&mut back) => {
                    if let Some(host) = host {
                        let _ = inside.send_to(&back[..len], host).await;
                    }
                }
            }
        }
    });
    (at, work)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_port_that_changes_under_way_breaks_no_connection() {
    let bench = Bench::of(1).await;
    let path = bench.file("film", LEN);
    let change = watch::Sender::new(0);
    let (at, translating) = translator(bench.at, change.subscribe()).await;
    let told = Told::default();
    let (host, to) = (slow(&told), to(at));
    let (sent, ()) = soon(async {
        tokio::join!(send(&host, &to, items(&path)), async {
            for n in 1..=4 {
                told.progress(n * 1_000_000).await;
                change.send_modify(|n| *n += 1);
            }
        })
    })
    .await;
    assert_eq!(sent.unwrap().done, 1);
    assert_eq!(fs::read(bench.there("film")).unwrap(), bytes(LEN));
    assert_eq!(
        count(&told, |event| matches!(event, Event::Connected(..))),
        1
    );
    assert_eq!(count(&told, |event| matches!(event, Event::Lost(_))), 0);
    translating.abort();
    bench.end().await;
}

/// A host that gets a file sends some of its packets in somebody else's name. What goes there is a few datagrams
/// for each of them, and no more than that of the file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_packet_in_another_name_buys_three_datagrams_at_most() {
    let dir = tempfile::tempdir().unwrap();
    // Each of them has the sender begin with its smallest window again: little comes in a second.
    fs::write(dir.path().join("film"), bytes(300_000)).unwrap();
    let sender = Told::default();
    let (host, offered) = (slow(&sender), items(&dir.path().join("film")));
    let listen = Listen {
        allowed: keys(&[RECEIVER.public()]),
        ..listen(Some(1))
    };
    let offering = tokio::spawn(async move { offer(&host, &listen, offered).await });
    let to = sender.address().await;
    let inside = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let at = inside.local_addr().unwrap();
    let victim = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
    let counts = Arc::new(Mutex::new((0, 0)));
    let (forged, counted) = (victim.clone(), counts.clone());
    let forging = tokio::spawn(async move {
        let outside = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let (mut out, mut back, mut flood) = ([0; 2048], [0; 2048], [0; 2048]);
        let (mut host, mut packets) = (None, 0_u64);
        loop {
            tokio::select! {
                Ok((len, from)) = inside.recv_from(&mut out) => {
                    host = Some(from);
                    packets += 1;
                    if packets > 20 && packets % 20 == 0 {
                        counted.lock().unwrap().0 += 1;
                        let _ = forged.send_to(&out[..len], to).await;
                    } else {
                        let _ = outside.send_to(&out[..len], to).await;
                    }
                }
                Ok((len, _)) = outside.recv_from(&mut back) => {
                    if let Some(host) = host {
                        let _ = inside.send_to(&back[..len], host).await;
                    }
                }
                Ok((len, _)) = forged.recv_from(&mut flood) => counted.lock().unwrap().1 += len,
            }
        }
    });
    let inbox = tempfile::tempdir().unwrap();
    let target = Target::Folder(inbox.path().to_owned(), Taking::default());
    let from = dial_of(at, Proof::Key(SENDER.public()));
    let host = Told::default().host(RECEIVER);
    let got = soon(get(&host, &from, Vec::new(), target)).await;
    assert_eq!(got.unwrap().done, 1);
    let (forged, came) = *counts.lock().unwrap();
    assert!(
        forged > 0 && came <= 3 * 1500 * forged,
        "{came} bytes for {forged} packets"
    );
    forging.abort();
    offering.abort();
}

/// Needs a name that has two, which `localhost` has on most machines.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_several_addresses_the_one_that_answers_is_found() {
    let found: Vec<SocketAddr> = tokio::net::lookup_host("localhost:1")
        .await
        .unwrap()
        .collect();
    let Some(second) = found.iter().find(|at| at.ip() != found[0].ip()) else {
        eprintln!("skipped: localhost has one address on this machine");
        return;
    };
    let at = SocketAddr::new(second.ip(), 0);
    let bench = Bench::new(
        Listen {
            at,
            ..listen(Some(1))
        },
        Taking::default(),
    )
    .await;
    let told = Told::default();
    let mut dial = to(bench.at);
    dial.to = format!("localhost:{}", bench.at.port());
    let path = bench.file("film", 10);
    let sent = soon(give(told.host(SENDER), dial.clone(), items(&path))).await;
    assert_eq!(sent.unwrap().done, 1);
    assert!(count(&told, |event| matches!(event, Event::Connecting(_))) >= 2);
    bench.end().await;
}

/// An address that means nothing without its link. Linux has one on most machines that have a network.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_of_a_link_is_reached_with_its_zone() {
    // Address, number, length of the prefix, scope (0x20: of the link), flags and name of each.
    let all = fs::read_to_string("/proc/net/if_inet6").unwrap_or_default();
    let of_link = all.lines().find_map(|line| {
        let [ip, _, _, "20", _, name] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return None;
        };
        let ip = std::net::Ipv6Addr::from_bits(u128::from_str_radix(ip, 16).ok()?);
        Some(format!("[{ip}%{name}]"))
    });
    let Some(host) = of_link else {
        eprintln!("skipped: this machine has no such address");
        return;
    };
    let listen = Listen {
        at: address(&format!("{host}:0")).unwrap().unwrap(),
        ..listen(Some(1))
    };
    let bench = Bench::new(listen, Taking::default()).await;
    let mut dial = to(bench.at);
    dial.to = format!("{host}:{}", bench.at.port());
    let path = bench.file("film", 10);
    let sent = soon(give(Told::default().host(SENDER), dial, items(&path))).await;
    assert_eq!(sent.unwrap().done, 1);
    bench.end().await;
}

/// What a program reads that has room for so many bytes.
struct Small(usize);

impl Write for Small {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_writer_that_is_full_is_told_of() {
    let told = Told::default();
    let (host, target) = (
        told.host(RECEIVER),
        Target::Output(Box::new(Small(1_000_000))),
    );
    let working = tokio::spawn(async move { receive(&host, &listen(Some(1)), target).await });
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), bytes(2_000_000)).unwrap();
    let sender = Told::default();
    let (host, to) = (sender.host(SENDER), to(told.address().await));
    let sent = soon(send(&host, &to, items(&dir.path().join("a")))).await;
    assert_eq!(sent.unwrap(), Outcome { done: 0, failed: 1 });
    let why = sender.failures();
    assert!(
        matches!(&why[..], [Why::Refused(Refusal::Io(text))] if !text.is_empty()),
        "{why:?}"
    );
    // Nothing can come out of it any more.
    let received = soon(working).await.unwrap();
    assert!(matches!(received, Err(Error::Output(_))), "{received:?}");
}

/// Nobody reads any more, while nothing is written: the sender is told all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sender_is_told_that_nobody_reads() {
    let told = Told::default();
    let (close, closed) = tokio::sync::oneshot::channel::<()>();
    let host = told.host(RECEIVER);
    let working = tokio::spawn(async move {
        let target = Target::Output(Box::new(std::io::sink()));
        let unread = async {
            let _ = closed.await;
            std::io::ErrorKind::BrokenPipe.into()
        };
        receive_until(&host, &listen(Some(1)), target, unread).await
    });
    let (reader, _writer) = std::io::pipe().unwrap();
    let log = Item::pipe(RelativePath::parse("log").unwrap(), Pipe::open(reader));
    let (host, dial) = (Told::default().host(SENDER), to(told.address().await));
    let sending = send(&host, &dial, vec![log]);
    let closing = async {
        let offered = |event: &Event| matches!(event, Event::Offered { .. }).then_some(());
        told.wait(offered).await;
        close.send(()).unwrap();
    };
    let (sent, ()) = soon(async { tokio::join!(sending, closing) }).await;
    assert!(matches!(sent, Err(Error::Unread)), "{sent:?}");
    assert!(matches!(
        soon(working).await.unwrap(),
        Err(Error::Output(_))
    ));
}

/// A file system of `mebibytes` in a mount namespace of its own, or nothing where that is not allowed.
fn small_disk(mebibytes: usize) -> Option<(Child, PathBuf)> {
    let dir = "/mnt";
    let script =
        format!("mount -t tmpfs -o size={mebibytes}m tmpfs {dir} && echo && exec sleep 600");
    let mut holder = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut line = [0];
    let mounted = std::io::Read::read(holder.stdout.as_mut()?, &mut line);
    let there = PathBuf::from(format!("/proc/{}/root{dir}", holder.id()));
    if mounted.is_ok_and(|n| n == 1) && fs::create_dir(there.join("in")).is_ok() {
        return Some((holder, there));
    }
    let _ = holder.kill();
    let _ = holder.wait();
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_told_of_and_what_came_is_kept() {
    let Some((mut holder, disk)) = small_disk(40) else {
        eprintln!("skipped: no file system can be mounted here");
        return;
    };
    let inbox = disk.join("in");
    let (_receiver, at, working) = receiver(listen(Some(2)), &inbox, Taking::default()).await;
    let dir = tempfile::tempdir().unwrap();
    // More than there is.
    let large = dir.path().join("large");
    fs::write(&large, bytes(50_000_000)).unwrap();
    let told = Told::default();
    let sent = soon(give(told.host(SENDER), to(at), items(&large))).await;
    assert_eq!(sent.unwrap().failed, 1);
    assert!(matches!(
        told.failures()[..],
        [Why::Refused(Refusal::Space(_))]
    ));
    // A part of a small disk is left free, not all of it.
    let small = dir.path().join("small");
    fs::write(&small, bytes(30_000_000)).unwrap();
    let sent = soon(give(Told::default().host(SENDER), to(at), items(&small))).await;
    assert_eq!(sent.unwrap().done, 1);
    fs::remove_file(inbox.join("small")).unwrap();
    // Somebody else fills the disk under way.
    let film = dir.path().join("film");
    fs::write(&film, bytes(15_000_000)).unwrap();
    let told = Told::default();
    let (host, dial) = (slow(&told), to(at));
    let (sent, ()) = soon(async {
        tokio::join!(send(&host, &dial, items(&film)), async {
            told.progress(1_000_000).await;
            let mut filler = fs::File::create(disk.join("filler")).unwrap();
            while filler.write_all(&[1; 1 << 12]).is_ok() {}
        })
    })
    .await;
    assert_eq!(sent.unwrap().failed, 1);
    assert!(
        matches!(told.failures()[..], [Why::Refused(Refusal::Io(_))]),
        "{:?}",
        told.failures()
    );
    let left = names(&inbox);
    assert!(
        matches!(&left[..], [part] if part.starts_with(crate::name::PREFIX)),
        "{left:?}"
    );
    // There is room again, and the file goes on where it was.
    fs::remove_file(disk.join("filler")).unwrap();
    let told = Told::default();
    let sent = soon(give(told.host(SENDER), to(at), items(&film))).await;
    assert_eq!(sent.unwrap().done, 1);
    assert!(told.arrived()[0].resumed_from >= 1_000_000);
    assert_eq!(fs::read(inbox.join("film")).unwrap(), bytes(15_000_000));
    working.abort();
    let _ = holder.kill();
    let _ = holder.wait();
}
