//! Bulk transfers by the kernel's TCP over the link. The near side's ends are this program, started once more there;
//! those of the far side are in this process, at its ports ([`Setup::listen`](super::Setup::listen)).

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::sockopt::{set_tcp_congestion, set_tcp_quickack};
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, socket_with};

use super::{FAR, INSIDE};
use crate::exit::FAILED;

/// Second argument of the near side's ends.
pub(super) const STAGE: &str = "bulk";

/// Bytes that are written and read at once.
const BLOCK: usize = 1 << 16;

/// Longest wait for data, for room and for a connection, until it is asked again whether to go on.
const LOOK: Duration = Duration::from_millis(50);

/// Names of the congestion controls that this system's TCP offers now (`net.ipv4.tcp_available_congestion_control`). An
/// error if the setting cannot be read.
pub fn laws() -> io::Result<Vec<String>> {
    let names = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")?;
    Ok(names.split_whitespace().map(str::to_owned).collect())
}

/// Makes the kernel load its module of the congestion control `law`, if there is one and this user may. Failure is not
/// reported: [`laws`] shows afterwards whether the name is there.
pub fn load(law: &str) {
    let flags = SocketFlags::CLOEXEC;
    if let Ok(socket) = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None) {
        let _ = set_tcp_congestion(&socket, law);
    }
}

/// Bulk transfer by the kernel's TCP between the two sides of an emulated link: a connection whose sender always has
/// data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Congestion control of the side that sends, by its name in the kernel, as [`laws`] lists it.
    pub law: String,
    /// TCP port at the far side, of this connection alone: this process listens there, the near side
    /// connects.
    pub port: u16,
    /// Whether data flow from the far side to the near one: then [`give`] serves the connection at the far side, else
    /// [`receive`] does.
    pub is_back: bool,
    /// Time from the start of the near side's command to the start of the connection.
    pub start: Duration,
}

/// Command line for [`Setup::command`](super::Setup::command) that makes these bulk transfers in place of a command of
/// the user's: this program, started once more at the near side. It connects to the connections' ports at the far side,
/// and ends `time` after its own start, or earlier if all connections are closed.
pub fn near(connections: &[Connection], time: Duration) -> Vec<OsString> {
    let mut words = vec![INSIDE.to_owned(), STAGE.to_owned()];
    words.push(time.as_millis().to_string());
    words.extend(connections.iter().map(Connection::word));
    words.into_iter().map(OsString::from).collect()
}

impl Connection {
    /// The argument that [`Connection::from_str`] reads.
    fn word(&self) -> String {
        let (law, port, start) = (&self.law, self.port, self.start.as_micros());
        format!("{port}:{}:{start}:{law}", u8::from(self.is_back))
    }
}

impl FromStr for Connection {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        let parts: Vec<&str> = word.splitn(4, ':').collect();
        let [port, back, start, law] = parts[..] else {
            return Err(());
        };
        Ok(Self {
            law: law.to_owned(),
            port: port.parse().map_err(drop)?,
            is_back: back == "1",
            start: Duration::from_micros(start.parse().map_err(drop)?),
        })
    }
}

/// Runs the near side's ends with their arguments, those after the stage. Returns the exit code.
pub(super) fn run(arguments: &[OsString]) -> u8 {
    let words: Option<Vec<&str>> = arguments.iter().map(|word| word.to_str()).collect();
    let Some([time, connections @ ..]) = words.as_deref() else {
        return FAILED;
    };
    let connections: Result<Vec<Connection>, ()> =
        connections.iter().map(|word| word.parse()).collect();
    let (Ok(time), Ok(connections)) = (time.parse(), connections) else {
        return FAILED;
    };
    let began = Instant::now();
    let until = began + Duration::from_millis(time);
    thread::scope(|scope| {
        let ends = connections.iter().map(|connection| {
            scope.spawn(move || {
                thread::sleep((began + connection.start).saturating_duration_since(Instant::now()));
                let ended = end(connection, until);
                if let Err(error) = &ended {
                    let law = &connection.law;
                    eprintln!("skywave: a connection with `{law}`: {error}");
                }
                ended.is_ok()
            })
        });
        let ends: Vec<_> = ends.collect();
        let all = ends.into_iter().all(|end| end.join().unwrap_or(false));
        if all { 0 } else { FAILED }
    })
}

/// The near side's end of a connection.
fn end(connection: &Connection, until: Instant) -> io::Result<()> {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    if !connection.is_back {
        // From the first segment on: the kernel would go over to it in the middle of a connection too.
        set_tcp_congestion(&socket, &connection.law)?;
    }
    connect(&socket, &SocketAddr::from((FAR, connection.port)))?;
    let mut stream = TcpStream::from(socket);
    let mut block = vec![0; BLOCK];
    let is_over = || Instant::now() >= until;
    if connection.is_back {
        pass(&mut stream, |stream| stream.read(&mut block), is_over)
    } else {
        pass(&mut stream, |stream| stream.write(&block), is_over)
    }
}

/// Moves data until it is over, or the other side has seen enough.
fn pass(
    stream: &mut TcpStream,
    mut step: impl FnMut(&mut TcpStream) -> io::Result<usize>,
    is_over: impl Fn() -> bool,
) -> io::Result<()> {
    stream.set_read_timeout(Some(LOOK))?;
    stream.set_write_timeout(Some(LOOK))?;
    while !is_over() {
        match step(stream) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if waits(&error) => {}
            Err(_) => break,
        }
    }
    Ok(())
}

/// Accepts one connection at `listener` and sends data in it under the congestion control `law`, until `over` is set or
/// the receiver has closed it. An error if the kernel does not have `law`, or the socket fails.
pub fn give(listener: &TcpListener, law: &str, over: &AtomicBool) -> io::Result<()> {
    // What comes in has it from the first segment on.
    set_tcp_congestion(listener, law)?;
    let Some(mut stream) = accept(listener, over)? else {
        return Ok(());
    };
    let block = vec![0; BLOCK];
    let is_over = || over.load(Ordering::Relaxed);
    pass(&mut stream, |stream| stream.write(&block), is_over)
}

/// Next connection, unless `over` is set before.
fn accept(listener: &TcpListener, over: &AtomicBool) -> io::Result<Option<TcpStream>> {
    listener.set_nonblocking(true)?;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                return Ok(Some(stream));
            }
            Err(error) if !waits(&error) => return Err(error),
            Err(_) if over.load(Ordering::Relaxed) => return Ok(None),
            Err(_) => thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Accepts one connection at `listener` and reads from it for `time`. Calls `take` after each read that ends within
/// `time`, with the time since the connection was accepted and the number of bytes read, 0 if none came within 50 ms.
/// Returns true if the connection lasted for `time`, false if `over` was set or the sender closed it before. With
/// `at_once`, the kernel does not delay ACKs (`TCP_QUICKACK`).
pub fn receive(
    listener: &TcpListener,
    time: Duration,
    at_once: bool,
    over: &AtomicBool,
    take: &mut dyn FnMut(Duration, u64),
) -> io::Result<bool> {
    let Some(mut stream) = accept(listener, over)? else {
        return Ok(false);
    };
    let began = Instant::now();
    stream.set_read_timeout(Some(LOOK))?;
    let mut block = vec![0; BLOCK];
    while !over.load(Ordering::Relaxed) {
        let came = match stream.read(&mut block) {
            Ok(0) => break,
            Ok(came) => came as u64,
            Err(error) if waits(&error) => 0,
            Err(error) => return Err(error),
        };
        if at_once {
            // What has come is acknowledged by this; the kernel forgets it afterwards (tcp(7)).
            set_tcp_quickack(&stream, true)?;
        }
        let now = began.elapsed();
        if now >= time {
            return Ok(true);
        }
        take(now, came);
    }
    // The sender has ended too early, or nobody waits any more.
    Ok(false)
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

    /// A listener and its address.
    fn listening() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    }

    /// Bytes that come in this time, and whether it went on for it.
    fn received(listener: &TcpListener, time: Duration, is_over: bool) -> (u64, bool) {
        let mut bytes = 0;
        let over = AtomicBool::new(is_over);
        let lasted = receive(listener, time, false, &over, &mut |_, came| bytes += came);
        (bytes, lasted.unwrap())
    }

    #[test]
    fn all_bytes_are_told() {
        let (listener, address) = listening();
        let sending = thread::spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(&vec![0; 100_000]).unwrap();
            // Until the receiver has seen enough.
            stream.read(&mut [0]).unwrap_or(0)
        });
        let got = received(&listener, Duration::from_secs(1), false);
        assert_eq!(got, (100_000, true));
        sending.join().unwrap();
    }

    #[test]
    fn a_connection_without_data_goes_on() {
        let (listener, address) = listening();
        let _silent = TcpStream::connect(address).unwrap();
        assert_eq!(received(&listener, LOOK, false), (0, true));
    }

    #[test]
    fn data_go_the_other_way_too() {
        let (listener, address) = listening();
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let giving = scope.spawn(|| give(&listener, "reno", &over));
            let mut stream = TcpStream::connect(address).unwrap();
            stream.read_exact(&mut vec![0; 100_000]).unwrap();
            over.store(true, Ordering::Relaxed);
            giving.join().unwrap().unwrap();
        });
    }

    #[test]
    fn connections_are_read_as_they_are_written() {
        let connection = Connection {
            law: "bbr".to_owned(),
            port: 5001,
            is_back: true,
            start: Duration::from_micros(1500),
        };
        assert_eq!(connection.word().parse(), Ok(connection));
        for word in ["", "5001", "5001:1:0", "x:1:0:bbr", "5001:1:x:bbr"] {
            assert_eq!(word.parse::<Connection>(), Err(()), "{word}");
        }
    }

    #[test]
    fn a_connection_that_ends_early_does_not_last() {
        let (listener, address) = listening();
        drop(TcpStream::connect(address).unwrap());
        for is_over in [false, true] {
            let got = received(&listener, Duration::from_secs(60), is_over);
            assert_eq!(got, (0, false));
        }
    }

    #[test]
    fn a_law_that_does_not_exist_is_an_error() {
        let connection = Connection {
            law: "no-such-law".to_owned(),
            port: 1,
            is_back: false,
            start: Duration::ZERO,
        };
        let error = end(&connection, Instant::now()).unwrap_err();
        assert!(error.kind() != ErrorKind::ConnectionRefused, "{error}");
    }
}
