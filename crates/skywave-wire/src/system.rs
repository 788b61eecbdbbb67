//! Calls to the system that drivers need besides sockets.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::fstat;
use rustix::io::Errno;
use rustix::net::sockopt;
use skywave_core::{Duration, Time};

/// Whether this process runs as root (effective user 0), so that advice to run it as root is of no use.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Time since `origin`, as machines want it. It never goes backwards, and lasts for 584 years.
pub(crate) fn since(origin: Instant) -> Time {
    Time::from_nanos(u64::try_from(origin.elapsed().as_nanos()).unwrap_or(u64::MAX))
}

/// Asks the system to wake this thread when its timers end, instead of up to 50 µs later.
pub(crate) fn ask_for_exact_timers() {
    // If the system refuses, packets are that much later, which is measured.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

/// Time before something is due at which the relay stops sleeping and polls for packets: a virtual
/// machine took 50 µs to wake it (median; 10 µs like this), a twelfth of the time between packets
/// at 20 Mb/s.
pub(crate) const AWAKE: Duration = Duration::from_micros(80);

/// Waits until one of the files can be read, at most for `at_most`, and calls `readable` with the
/// index of each that can.
///
/// A signal ends it too.
pub(crate) fn wait<'a>(
    files: impl Iterator<Item = &'a (impl AsFd + 'a)>,
    at_most: Duration,
    mut readable: impl FnMut(usize),
) -> io::Result<()> {
    let watch = |file| PollFd::new(file, PollFlags::IN);
    let mut files: Vec<PollFd<'_>> = files.map(watch).collect();
    let timeout = Timespec {
        tv_sec: (at_most.as_nanos() / 1_000_000_000) as i64,
        tv_nsec: (at_most.as_nanos() % 1_000_000_000) as _,
    };
    match poll(&mut files, Some(&timeout)) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    for (index, file) in files.iter().enumerate() {
        if !file.revents().is_empty() {
            readable(index);
        }
    }
    Ok(())
}

/// Room for packets that come while the thread is not running: at 1 Gb/s, 30 ms of them.
const SOCKET_BUFFER: usize = 4 << 20;

/// Asks for large buffers; more than the system's limit takes rights.
pub(crate) fn enlarge_buffers(socket: impl AsFd + Copy) {
    // If the buffers are too small, that shows as packets that were not read.
    #[cfg(target_os = "linux")]
    if sockopt::set_socket_recv_buffer_size_force(socket, SOCKET_BUFFER).is_ok()
        && sockopt::set_socket_send_buffer_size_force(socket, SOCKET_BUFFER).is_ok()
    {
        return;
    }
    let _ = sockopt::set_socket_recv_buffer_size(socket, SOCKET_BUFFER);
    let _ = sockopt::set_socket_send_buffer_size(socket, SOCKET_BUFFER);
}

/// Datagrams that the system dropped because nobody read them in time; `None` where it does not say.
pub(crate) fn unread(socket: impl AsFd) -> Option<u64> {
    let inode = fstat(socket).ok()?.st_ino.to_string();
    ["/proc/thread-self/net/udp", "/proc/thread-self/net/udp6"]
        .into_iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .find_map(|table| dropped(&table, &inode))
}

/// The last column of the socket's line; its inode is in the tenth.
fn dropped(table: &str, inode: &str) -> Option<u64> {
    let mut lines = table.lines().map(str::split_whitespace);
    lines.find_map(|columns| {
        let columns: Vec<&str> = columns.collect();
        let is_it = columns.get(9) == Some(&inode);
        is_it.then(|| columns.last()?.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_says_what_was_not_read() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        receiver.set_nonblocking(true).unwrap();
        sockopt::set_socket_recv_buffer_size(&receiver, 10_000).unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        assert_eq!(unread(&receiver), Some(0));
        for _ in 0..100 {
            let to = receiver.local_addr().unwrap();
            sender.send_to(&[0; 1000], to).unwrap();
        }
        let mut read = 0;
        while receiver.recv(&mut [0; 1000]).is_ok() {
            read += 1;
        }
        assert!(read < 100);
        assert_eq!(unread(&receiver), Some(100 - read));
    }
}
