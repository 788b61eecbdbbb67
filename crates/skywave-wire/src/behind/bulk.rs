//! A bulk transfer by the kernel's TCP over the link. Its sender is this program, started once more at the near
//! side; its receiver is in this process, at a port of the far side ([`Setup::listen`](super::Setup::listen)).

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::sockopt::set_tcp_congestion;
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, socket_with};

use super::{FAILED, FAR, INSIDE};

/// Second argument of the sender.
pub(super) const STAGE: &str = "send";

/// Bytes that are written and read at once.
const BLOCK: usize = 1 << 16;

/// Longest wait for data, for room and for a connection, until it is asked again whether to go on.
const LOOK: Duration = Duration::from_millis(50);

/// The congestion controls that this system offers (`net.ipv4.tcp_available_congestion_control`).
pub fn laws() -> io::Result<Vec<String>> {
    let names = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")?;
    Ok(names.split_whitespace().map(str::to_owned).collect())
}

/// Has the system load a congestion control that it has as a module, if this user may. Whether it did,
/// [`laws`] tells.
pub fn load(law: &str) {
    let flags = SocketFlags::CLOEXEC;
    if let Ok(socket) = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None) {
        let _ = set_tcp_congestion(&socket, law);
    }
}

/// The command that sends without end to a port of the far side, with this congestion control. It ends after
/// `time`, or when the receiver closes.
pub fn sender(law: &str, port: u16, time: Duration) -> Vec<OsString> {
    [
        INSIDE,
        STAGE,
        law,
        &port.to_string(),
        &time.as_millis().to_string(),
    ]
    .map(OsString::from)
    .to_vec()
}

/// Runs the sender with its arguments, those after its stage. Returns its exit code.
pub(super) fn run(arguments: &[OsString]) -> u8 {
    let words: Option<Vec<&str>> = arguments.iter().map(|word| word.to_str()).collect();
    let Some([law, port, time]) = words.as_deref() else {
        return FAILED;
    };
    let (Ok(port), Ok(time)) = (port.parse(), time.parse()) else {
        return FAILED;
    };
    match send(law, port, Duration::from_millis(time)) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("skywave: sending with `{law}`: {error}");
            FAILED
        }
    }
}

fn send(law: &str, port: u16, time: Duration) -> io::Result<()> {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    // From the first segment on: the kernel would go over to it in the middle of a connection too.
    set_tcp_congestion(&socket, law)?;
    connect(&socket, &SocketAddr::from((FAR, port)))?;
    let mut stream = TcpStream::from(socket);
    stream.set_write_timeout(Some(LOOK))?;
    let block = vec![0; BLOCK];
    let end = Instant::now() + time;
    while Instant::now() < end {
        match stream.write(&block) {
            Ok(_) => {}
            Err(error) if waits(&error) => {}
            // The receiver has seen enough.
            Err(_) => break,
        }
    }
    Ok(())
}

/// Takes one connection, and gives the rate at which data came in it, bits a second, from `window.0` to `window.1`
/// after it began; `None` when `over` was set before, or when it had ended by `window.0`.
pub fn receive(
    listener: &TcpListener,
    window: (Duration, Duration),
    over: &AtomicBool,
) -> io::Result<Option<f64>> {
    listener.set_nonblocking(true)?;
    let mut stream = loop {
        match listener.accept() {
            Ok((stream, _)) => break stream,
            Err(error) if waits(&error) && !over.load(Ordering::Relaxed) => {
                thread::sleep(Duration::from_millis(1));
            }
            Err(error) if waits(&error) => return Ok(None),
            Err(error) => return Err(error),
        }
    };
    let began = Instant::now();
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(LOOK))?;
    let mut block = vec![0; BLOCK];
    let mut count = Count::new(window);
    while !over.load(Ordering::Relaxed) {
        let bytes = match stream.read(&mut block) {
            Ok(0) => break,
            Ok(bytes) => bytes as u64,
            Err(error) if waits(&error) => 0,
            Err(error) => return Err(error),
        };
        if count.take(began.elapsed(), bytes) {
            return Ok(count.bps);
        }
    }
    // The sender has ended too early, or nobody waits any more.
    Ok(None)
}

/// Rate of the bytes that have come in a window of time.
struct Count {
    /// Start and end of the window, after the connection began.
    window: (Duration, Duration),
    /// When counting began, which is with the first data in the window, and the bytes that came since.
    counted: Option<(Duration, u64)>,
    /// Rate of the counted bytes, bits a second.
    bps: Option<f64>,
}

impl Count {
    fn new(window: (Duration, Duration)) -> Self {
        Self {
            window,
            counted: None,
            bps: None,
        }
    }

    /// `bytes` came `elapsed` after the connection began. Returns whether the window is over, to which these do
    /// not belong then.
    fn take(&mut self, elapsed: Duration, bytes: u64) -> bool {
        if elapsed >= self.window.1 {
            return true;
        }
        match &mut self.counted {
            None if bytes > 0 && elapsed >= self.window.0 => self.counted = Some((elapsed, 0)),
            None => {}
            Some((from, sum)) => {
                *sum += bytes;
                let seconds = elapsed.saturating_sub(*from).as_secs_f64();
                self.bps = Some(8.0 * *sum as f64 / seconds.max(1e-9));
            }
        }
        false
    }
}

/// Nothing was there, or no room.
fn waits(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn the_rate_is_that_of_the_window() {
        let ms = Duration::from_millis;
        let mut count = Count::new((ms(300), ms(1300)));
        // A burst before the window.
        assert!(!count.take(ms(10), 10_000_000));
        assert!(!count.take(ms(310), 0));
        assert_eq!((count.counted, count.bps), (None, None));
        // Counting begins with what comes first, which may have waited.
        assert!(!count.take(ms(320), 500_000));
        assert!(!count.take(ms(570), 10_000));
        assert!(!count.take(ms(820), 15_000));
        assert_eq!(count.bps, Some(400_000.0));
        assert!(count.take(ms(1300), 1_000_000));
        assert_eq!(count.bps, Some(400_000.0));
    }

    #[test]
    fn data_that_comes_without_end_has_a_rate() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let sending = thread::spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            while stream.write_all(&[0; 1000]).is_ok() {
                thread::sleep(Duration::from_millis(1));
            }
        });
        let window = (Duration::ZERO, Duration::from_secs(1));
        let bps = receive(&listener, window, &AtomicBool::new(false)).unwrap();
        assert!(bps.expect("a rate") > 0.0);
        sending.join().unwrap();
    }

    #[test]
    fn a_connection_that_ends_early_has_no_rate() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        drop(TcpStream::connect(address).unwrap());
        let window = (Duration::from_secs(1), Duration::from_secs(60));
        let rate = receive(&listener, window, &AtomicBool::new(false));
        assert_eq!(rate.unwrap(), None);
        let rate = receive(&listener, window, &AtomicBool::new(true));
        assert_eq!(rate.unwrap(), None);
    }

    #[test]
    fn a_law_that_does_not_exist_is_an_error() {
        let error = send("no-such-law", 1, Duration::from_secs(1)).unwrap_err();
        assert!(error.kind() != ErrorKind::ConnectionRefused, "{error}");
    }
}
