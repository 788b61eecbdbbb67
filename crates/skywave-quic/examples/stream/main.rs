//! How fast a law carries a stream over real packets, as `iperf3` measures TCP.
//!
//! ```sh
//! cargo build --release -p skywave-quic --example stream
//! stream=target/release/examples/stream
//! skywave impair --rate 20Mbps --delay 40ms --loss 1% --queue 100 \
//!     --far "$stream listen 0.0.0.0:4433 cert.der" -- $stream send far:4433 cert.der skywave 20
//! ```
//!
//! The sender prints one line: the law, Mb/s of payload that the receiver has read in that time, and what the connection knows
//! of its losses and round trips. Of `noq-cubic` and `noq-bbr3` it measures the library's own. The
//! listener tells when packets come, if the law goes by that.
//!
//! noq ends a connection in which too many pieces of a stream are missing. Where packets are lost at some Gb/s,
//! as on loopback, let the listener announce less than 16 MiB: `stream listen ADDR CERT 1`.

mod arrivals;

use std::io;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrivals::Arrivals;
use noq::congestion::{Bbr3Config, ControllerFactory, CubicConfig};
use noq::rustls::RootCertStore;
use noq::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use noq::{
    ClientConfig, Connection, Endpoint, EndpointConfig, PathId, ReadError, ServerConfig,
    TransportConfig, VarInt,
};
use skywave_quic::Law;
use skywave_quic::one_way::{Ear, Watch, accept_reports, send_reports};

type Error = Box<dyn std::error::Error + Send + Sync>;

const USAGE: &str = "stream listen ADDR CERT [MIB] | stream send HOST:PORT CERT LAW SECONDS";
/// The name in the certificate.
const NAME: &str = "stream";
/// MiB that may be on their way or wait to be sent.
const LARGEST_WINDOW: u32 = 16;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["listen", at, certificate] => listen(at.parse()?, certificate, LARGEST_WINDOW).await,
        ["listen", at, certificate, mib] => listen(at.parse()?, certificate, mib.parse()?).await,
        ["send", to, certificate, law, seconds] => {
            let to = to.to_socket_addrs()?.next().ok_or("no such host")?;
            let time = Duration::from_secs_f64(seconds.parse()?);
            send(to, certificate, law, time).await
        }
        _ => Err(USAGE.into()),
    }
}

fn transport(mib: u32) -> TransportConfig {
    let mut transport = TransportConfig::default();
    let window = mib.min(1024) << 20;
    transport
        .stream_receive_window(VarInt::from_u32(window))
        .receive_window(VarInt::from_u32(window))
        .send_window(window.into())
        .datagram_receive_buffer_size(None);
    transport
}

fn endpoint(at: SocketAddr, server: Option<ServerConfig>) -> io::Result<(Endpoint, Watch)> {
    Watch::endpoint(EndpointConfig::default(), server, UdpSocket::bind(at)?)
}

/// Reads all that comes, and answers each stream with the bytes of it a second.
async fn listen(at: SocketAddr, certificate: &str, mib: u32) -> Result<(), Error> {
    let made = rcgen::generate_simple_self_signed(vec![NAME.to_owned()])?;
    std::fs::write(certificate, made.cert.der())?;
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let mut config = ServerConfig::with_single_cert(vec![made.cert.der().clone()], key.into())?;
    let mut transport = transport(mib);
    send_reports(&mut transport);
    config.transport_config(Arc::new(transport));
    let (endpoint, watch) = endpoint(at, Some(config))?;
    while let Some(incoming) = endpoint.accept().await {
        let watch = watch.clone();
        tokio::spawn(async move {
            let connection = incoming.await?;
            let told = connection.clone();
            let telling = tokio::spawn(async move { watch.tell(&told).await });
            let done = read(&connection).await;
            telling.abort();
            done
        });
    }
    Ok(())
}

/// Reads one stream, and answers with its rate.
async fn read(connection: &Connection) -> Result<(), Error> {
    let (mut answer, stream) = connection.accept_bi().await?;
    // noq keeps few pieces that wait for an earlier one.
    let mut stream = stream.into_unordered();
    let mut arrivals = Arrivals::begin();
    let time = loop {
        match stream.read_chunk(usize::MAX).await {
            Ok(Some(chunk)) => arrivals.add(chunk.bytes.len()),
            Err(ReadError::Reset(ms)) => break Duration::from_millis(ms.into_inner()),
            Ok(None) => return Err("the stream ended without telling its time".into()),
            Err(error) => return Err(error.into()),
        }
    };
    answer
        .write_all(&arrivals.rate_in(time).to_be_bytes())
        .await?;
    answer.finish()?;
    connection.closed().await;
    Ok(())
}

async fn send(to: SocketAddr, certificate: &str, law: &str, time: Duration) -> Result<(), Error> {
    let mut transport = transport(LARGEST_WINDOW);
    let mut ear = None;
    let factory: Arc<dyn ControllerFactory + Send + Sync> = match law {
        "noq-cubic" => Arc::new(CubicConfig::default()),
        "noq-bbr3" => Arc::new(Bbr3Config::default()),
        law => {
            let law = Law::named(law)?;
            if law.hears_one_way() {
                accept_reports(&mut transport);
                let ear = ear.insert(Ear::new(Instant::now()));
                Arc::new(law.hearing(ear.clone()))
            } else {
                Arc::new(law)
            }
        }
    };
    transport.congestion_controller_factory(factory);
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(std::fs::read(certificate)?))?;
    let mut config = ClientConfig::with_root_certificates(Arc::new(roots))?;
    config.transport_config(Arc::new(transport));
    let (endpoint, watch) = endpoint(SocketAddr::new([0, 0, 0, 0].into(), 0), None)?;
    let connection = endpoint.connect_with(config, to, NAME)?.await?;
    let hearing = ear.map(|ear| {
        let connection = connection.clone();
        tokio::spawn(async move { watch.hear(&connection, &ear).await })
    });
    let rate = fill(&connection, time).await?;
    if let Some(hearing) = hearing {
        hearing.abort();
    }
    let path = connection.path(PathId::ZERO).ok_or("no path")?.stats();
    println!(
        "{law} {:.3} Mb/s, {} of {} packets lost, RTT {:.0} ms",
        rate * 8e-6,
        path.lost_packets,
        path.udp_tx.datagrams,
        path.rtt.as_secs_f64() * 1e3,
    );
    connection.close(VarInt::from_u32(0), b"");
    endpoint.wait_idle().await;
    Ok(())
}

/// Sends for this time; the bytes a second that the peer has read.
async fn fill(connection: &Connection, time: Duration) -> Result<f64, Error> {
    let (mut stream, mut answer) = connection.open_bi().await?;
    let chunk = vec![0; 65_536];
    let fill = async { while stream.write_all(&chunk).await.is_ok() {} };
    // Its end is no error: it has no other.
    let _ = tokio::time::timeout(time, fill).await;
    stream.reset(u32::try_from(time.as_millis())?.into())?;
    let rate = answer.read_to_end(8).await?;
    Ok(f64::from_be_bytes(rate[..].try_into()?))
}
