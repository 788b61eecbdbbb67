//! Our TCP and the kernel's over a TUN device without impairment: bits a second, and processor time a byte.
//!
//! Each side has a thread for its program; ours has one more that reads the device. A line is one way: who sends, who
//! receives. The kernel beside itself is over the loopback device with the same MTU, which cuts nothing either. In a network
//! of its own:
//!
//! `cargo build --release -p skywave-wire --example host_speed`
//! `unshare -rn target/release/examples/host_speed linux 1500`

use std::error::Error;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use std::time::Instant;

use skywave_core::tcp::{Profile, preset};
use skywave_wire::host::{Device, Host};
use skywave_wire::tcp::{EndpointConfig, Role};

const KERNEL: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::new(10, 9, 8, 1)),
    IpAddr::V6(Ipv6Addr::new(0xfd09, 0, 0, 0, 0, 0, 0, 1)),
];
const OURS: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::new(10, 9, 8, 2)),
    IpAddr::V6(Ipv6Addr::new(0xfd09, 0, 0, 0, 0, 0, 0, 2)),
];
const BLOCK: usize = 1 << 17;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Nanoseconds of a processor that a thread has had.
fn ran(thread: &str) -> u64 {
    let read = fs::read_to_string(format!("/proc/{thread}/schedstat")).unwrap_or_default();
    let first = read.split(' ').next().and_then(|n| n.parse().ok());
    first.unwrap_or(0)
}

/// Nanoseconds of the threads that read devices.
fn readers() -> u64 {
    let tasks = fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    let is_reader = |task: &fs::DirEntry| {
        fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name == "tcp host\n")
    };
    tasks
        .filter(is_reader)
        .map(|task| ran(&format!("self/task/{}", task.file_name().display())))
        .sum()
}

/// Sends this many bytes and closes this half of the connection by `end`. Returns the processor time of this thread, ns, once
/// the receiver, which has everything then, has closed the other half.
fn send<S>(stream: &S, bytes: usize, end: impl FnOnce() -> io::Result<()>) -> Result<u64>
where
    for<'a> &'a S: Read + Write,
{
    let (block, mut to) = (vec![7; BLOCK], stream);
    for _ in 0..bytes / BLOCK {
        to.write_all(&block)?;
    }
    end()?;
    to.read_to_end(&mut Vec::new())?;
    Ok(ran("thread-self"))
}

fn receive(mut from: impl Read) -> Result<(usize, u64)> {
    let (mut block, mut bytes) = (vec![0; BLOCK], 0);
    loop {
        match from.read(&mut block)? {
            0 => return Ok((bytes, ran("thread-self"))),
            n => bytes += n,
        }
    }
}

fn kernel_sends(to: SocketAddr, bytes: usize) -> Result<u64> {
    let stream = TcpStream::connect(to)?;
    send(&stream, bytes, || stream.shutdown(Shutdown::Write))
}

fn show(name: &str, bytes: usize, came: usize, took: f64, sender: u64, receiver: u64) {
    assert_eq!(bytes, came, "bytes are missing");
    let each = |ns: u64| ns as f64 / bytes as f64;
    println!(
        "| {name} | {:.2} Gb/s | {:.3} | {:.3} | {:.3} |",
        bytes as f64 * 8e-9 / took,
        each(sender),
        each(receiver),
        each(sender + receiver)
    );
}

fn measure(host: &Host, family: usize, bytes: usize) -> Result<()> {
    let name = ["IPv4", "IPv6"][family];
    // The kernel alone.
    let listener = TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0))?;
    let port = listener.local_addr()?.port();
    let own = [
        IpAddr::from(Ipv4Addr::LOCALHOST),
        Ipv6Addr::LOCALHOST.into(),
    ][family];
    let began = Instant::now();
    let sender = thread::spawn(move || kernel_sends((own, port).into(), bytes));
    let (came, ran) = receive(listener.accept()?.0)?;
    let took = began.elapsed().as_secs_f64();
    let before = sender.join().map_err(|_| "the sender failed")??;
    show(
        &format!("{name}, kernel to kernel"),
        bytes,
        came,
        took,
        before,
        ran,
    );

    // Ours sends.
    let receiver = thread::spawn(move || receive(listener.accept()?.0));
    let (reader, began) = (readers(), Instant::now());
    let stream = host.connect((KERNEL[family], port).into())?;
    let ours = thread::scope(|scope| {
        let sends = scope.spawn(|| send(&stream, bytes, || stream.shutdown(Shutdown::Write)));
        sends.join().map_err(|_| "the sender failed")?
    })?;
    let (came, kernel) = receiver.join().map_err(|_| "the receiver failed")??;
    let took = began.elapsed().as_secs_f64();
    let ours = ours + readers() - reader;
    show(
        &format!("{name}, ours to kernel"),
        bytes,
        came,
        took,
        ours,
        kernel,
    );

    // Ours receives.
    let listener = host.listen(80, 1)?;
    let (reader, began) = (readers(), Instant::now());
    let to = (OURS[family], 80).into();
    let sender = thread::spawn(move || kernel_sends(to, bytes));
    let stream = listener.accept()?.0;
    let (came, ours) = thread::scope(|scope| {
        let receives = scope.spawn(|| receive(&stream));
        receives.join().map_err(|_| "the receiver failed")?
    })?;
    let took = began.elapsed().as_secs_f64();
    let ours = ours + readers() - reader;
    drop(stream);
    let kernel = sender.join().map_err(|_| "the sender failed")??;
    show(
        &format!("{name}, kernel to ours"),
        bytes,
        came,
        took,
        kernel,
        ours,
    );
    Ok(())
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let sender = arguments.next().unwrap_or_else(|| "linux".to_owned());
    let mtu: u16 = arguments.next().map_or(Ok(1500), |mtu| mtu.parse())?;
    let megabytes: usize = arguments.next().map_or(Ok(1000), |size| size.parse())?;
    let composition = preset(&sender).ok_or("no such preset")?.composition.clone();
    let device = Device::open("ours", mtu, &[(KERNEL[0], 24), (KERNEL[1], 64)])?;
    let up = ["link", "set", "lo", "up", "mtu", &mtu.to_string()];
    if !Command::new("ip").args(up).status()?.success() {
        return Err("the loopback device does not start".into());
    }
    let config = EndpointConfig::new(Role::Host, Profile::Linux, composition);
    let host = Host::new(device, &OURS, config)?;
    println!("{sender}, MTU {mtu}; processor time in ns a byte\n");
    println!("| way | rate | sender | receiver | both |\n|---|---|---|---|---|");
    for family in 0..2 {
        measure(&host, family, megabytes * 1_000_000 / BLOCK * BLOCK)?;
    }
    Ok(())
}
