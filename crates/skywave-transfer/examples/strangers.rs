//! First packets from strangers, as fast as they can be made: what does a host that listens bear?
//!
//! ```sh
//! cargo run -p skywave-transfer --example strangers -- 127.0.0.1:4747 initial 1000000
//! ```
//!
//! `initial`: packets that begin a handshake, each with a connection number and keys of its own, as a host
//! would send them that answers nothing (RFC 9001 section 5). `garbage`: bytes that look like such packets. `mixed`: one of
//! each. They come from many addresses of the loopback network. Prints a line of JSON: what was sent, what came back.
//! `bench/strangers.py` measures the host meanwhile.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::quic::{ClientConnection, Keys, Version};
use rustls::{Error, Side};

/// Addresses that the packets come from: 127.1.0.1 and on.
const ADDRESSES: u16 = 512;
/// Bytes of a datagram, the least that begins a connection (RFC 9000 section 14.1).
const DATAGRAM: usize = 1200;
/// Bytes of a connection number.
const CID: usize = 8;
/// Bytes of an authentication tag, and of a packet number here.
const TAG: usize = 16;
const NUMBER: usize = 4;
/// This side's number of every connection: the handshake's first message has it, and is made once.
const SOURCE: [u8; CID] = [7; CID];

/// TLS's first message, and its last part: this side's number.
fn client_hello() -> Result<Vec<u8>, Error> {
    let config = skywave_transfer::rules::client_tls()?;
    // RFC 9000 section 18.2: initial_source_connection_id.
    let parameters = [&[0x0f, CID as u8][..], &SOURCE].concat();
    let name = ServerName::try_from("x").map_err(|_| Error::General("a name".to_owned()))?;
    let mut tls = ClientConnection::new(Arc::new(config), Version::V1, name, parameters)?;
    let mut hello = Vec::new();
    let _ = tls.write_hs(&mut hello);
    Ok(hello)
}

/// Splitmix: connection numbers that do not repeat.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number of QUIC's in two bytes (RFC 9000 section 16).
fn two_bytes(n: usize) -> [u8; 2] {
    (n as u16 | 0x4000).to_be_bytes()
}

/// The header of a first packet of version 1 with a packet number of four bytes, all zero; the datagram has
/// no other packet.
fn header(destination: [u8; CID]) -> Vec<u8> {
    let mut header = vec![0xc0 | (NUMBER as u8 - 1), 0, 0, 0, 1, CID as u8];
    header.extend_from_slice(&destination);
    header.push(CID as u8);
    header.extend_from_slice(&SOURCE);
    header.push(0); // no token
    header.extend_from_slice(&two_bytes(DATAGRAM - header.len() - 2));
    header.extend_from_slice(&[0; NUMBER]);
    header
}

/// A packet with TLS's first message.
fn initial(destination: [u8; CID], hello: &[u8]) -> Result<Vec<u8>, Error> {
    let suite = ring::cipher_suite::TLS13_AES_128_GCM_SHA256;
    let suite = suite.tls13();
    let suite = suite.ok_or_else(|| Error::General("no suite".to_owned()))?;
    let quic = suite.quic.ok_or(Error::EncryptError)?;
    let keys = Keys::initial(Version::V1, suite, quic, &destination, Side::Client).local;
    let header = header(destination);
    // A frame with the first bytes of the handshake; zeros are padding.
    let mut payload = [&[0x06, 0x00][..], &two_bytes(hello.len()), hello].concat();
    payload.resize(DATAGRAM - header.len() - TAG, 0);
    let tag = keys.packet.encrypt_in_place(0, &header, &mut payload)?;
    let mut packet = [&header[..], &payload, tag.as_ref()].concat();
    let sample = header.len()..header.len() + keys.header.sample_len();
    let sample = packet[sample].to_vec();
    let (clear, rest) = packet.split_at_mut(header.len() - NUMBER);
    keys.header
        .encrypt_in_place(&sample, &mut clear[0], &mut rest[..NUMBER])?;
    Ok(packet)
}

/// A packet that looks like one until it is opened.
fn garbage(destination: [u8; CID], state: &mut u64) -> Vec<u8> {
    let mut packet = header(destination);
    while packet.len() < DATAGRAM {
        packet.extend_from_slice(&random(state).to_be_bytes());
    }
    packet.truncate(DATAGRAM);
    packet
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [to, kind, packets, rest @ ..] = &args[..] else {
        return Err("arguments: ADDRESS initial|garbage|mixed PACKETS [PACKETS-A-SECOND]".into());
    };
    let (to, packets): (SocketAddr, u64) = (to.parse()?, packets.parse()?);
    let rate: f64 = rest
        .first()
        .map_or(Ok(f64::INFINITY), |rate| rate.parse())?;
    let sockets: Result<Vec<UdpSocket>, std::io::Error> = (1..=ADDRESSES)
        .map(|n| {
            let [high, low] = n.to_be_bytes();
            let socket = UdpSocket::bind(SocketAddr::from(([127, 1, high, low], 0)))?;
            socket.set_nonblocking(true)?;
            Ok(socket)
        })
        .collect();
    let sockets = sockets?;
    let hello = client_hello()?;
    let mut state = u64::from(std::process::id());
    let (mut sent, mut unsent, mut answers, mut came) = (0_u64, 0_u64, 0_u64, 0_u64);
    let mut buffer = [0; 2048];
    let begun = Instant::now();
    for n in 0..packets {
        let destination = random(&mut state).to_be_bytes();
        let packet = match kind.as_str() {
            "initial" => initial(destination, &hello)?,
            "mixed" if n % 2 == 0 => initial(destination, &hello)?,
            _ => garbage(destination, &mut state),
        };
        let socket = &sockets[(n % u64::from(ADDRESSES)) as usize];
        match socket.send_to(&packet, to) {
            Ok(_) => sent += 1,
            Err(_) => unsent += 1,
        }
        while let Ok((len, _)) = socket.recv_from(&mut buffer) {
            answers += 1;
            came += len as u64;
        }
        let ahead = n as f64 / rate - begun.elapsed().as_secs_f64();
        if ahead > 0.001 {
            std::thread::sleep(Duration::from_secs_f64(ahead));
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    // What is still answered, and sent again.
    std::thread::sleep(Duration::from_secs(1));
    for socket in &sockets {
        while let Ok((len, _)) = socket.recv_from(&mut buffer) {
            answers += 1;
            came += len as u64;
        }
    }
    println!(
        "{{\"packets\": {sent}, \"unsent\": {unsent}, \"bytes\": {}, \"answers\": {answers}, \
         \"bytes_back\": {came}, \"seconds\": {seconds:.3}}}",
        sent * DATAGRAM as u64
    );
    Ok(())
}
