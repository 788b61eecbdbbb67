//! Ports of the far side that this machine answers.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;

/// How long a connection may take to be made.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time until the next attempt when the system gives no connection (too many files are open).
const PAUSE: Duration = Duration::from_millis(100);

/// Forwarded TCP port: a port of the far side of an emulated link, and the address that this machine connects to for
/// it. The connection over the link ends in the far side's kernel: only its bytes go further, in a second connection
/// outside of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forward {
    /// TCP port that the far side listens at for connections to be forwarded, 1 or higher.
    pub port: u16,
    /// Address to which this machine connects, from its own network, for each connection to the port.
    pub to: SocketAddr,
}

/// Serves a port for as long as this process lives; what cannot be connected is told.
pub(super) fn serve(listener: TcpListener, forward: Forward, complain: Sender<String>) {
    thread::spawn(move || {
        loop {
            let Ok((stream, _)) = listener.accept() else {
                thread::sleep(PAUSE);
                continue;
            };
            let complain = complain.clone();
            thread::spawn(move || {
                if let Err(error) = connect(&stream, forward.to) {
                    let Forward { port, to } = forward;
                    let told = format!("port {port} of the far side goes to {to}: {error}");
                    // At the end nobody listens any more.
                    let _ = complain.send(told);
                }
            });
        }
    });
}

/// Connects further and moves bytes until both sides have ended.
fn connect(near: &TcpStream, to: SocketAddr) -> io::Result<()> {
    let far = match TcpStream::connect_timeout(&to, PATIENCE) {
        Ok(far) => far,
        Err(error) => {
            // Nobody is there: a reset says so, as the refusal would have.
            let _ = set_socket_linger(near, Some(Duration::ZERO));
            return Err(error);
        }
    };
    // Bytes are passed on as soon as they come (no Nagle algorithm).
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    thread::scope(|scope| {
        scope.spawn(|| pass(near, &far));
        pass(&far, near);
    });
    Ok(())
}

/// Moves bytes one way until its end, and passes the end on.
fn pass(mut from: &TcpStream, mut to: &TcpStream) {
    let result = io::copy(&mut from, &mut to);
    // After an error neither side gets more; each learns of it by the end of its connection.
    let how = if result.is_ok() {
        Shutdown::Write
    } else {
        Shutdown::Both
    };
    let _ = to.shutdown(how);
    if result.is_err() {
        let _ = from.shutdown(how);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::Ipv4Addr;
    use std::sync::mpsc;

    use super::*;

    fn port() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    }

    #[test]
    fn bytes_and_ends_pass_both_ways() {
        let ((server, to), (entry, address)) = (port(), port());
        let (complain, complaints) = mpsc::channel();
        let forward = Forward {
            port: address.port(),
            to,
        };
        serve(entry, forward, complain);
        let answering = thread::spawn(move || {
            let (mut stream, _) = server.accept().unwrap();
            let mut question = String::new();
            stream.read_to_string(&mut question).unwrap();
            stream
                .write_all(question.to_uppercase().as_bytes())
                .unwrap();
        });
        let mut client = TcpStream::connect(address).unwrap();
        client.write_all(b"question").unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert_eq!(answer, "QUESTION");
        answering.join().unwrap();
        assert!(complaints.try_recv().is_err());
    }

    #[test]
    fn nobody_behind_a_port_is_a_reset_and_told() {
        let ((closed, to), (entry, address)) = (port(), port());
        drop(closed);
        let (complain, complaints) = mpsc::channel();
        let forward = Forward {
            port: address.port(),
            to,
        };
        serve(entry, forward, complain);
        let mut client = TcpStream::connect(address).unwrap();
        let read = client.read(&mut [0; 1]);
        assert_eq!(read.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        let told = complaints.recv_timeout(PATIENCE).unwrap();
        assert!(told.contains(&to.to_string()), "{told}");
    }
}
