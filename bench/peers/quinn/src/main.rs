//! A stream over QUIC by quinn with a law of quinn's own: a peer of `skywave-quic`'s example `stream`, with its
//! words, its windows and its line of results, for `bench/wire.py`.

#[path = "../../../../crates/skywave-quic/examples/stream/arrivals.rs"]
mod arrivals;

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use arrivals::Arrivals;
use quinn::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use quinn::rustls::RootCertStore;
use quinn::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use quinn::{ClientConfig, Endpoint, ReadError, ServerConfig, TransportConfig, VarInt};

type Error = Box<dyn std::error::Error + Send + Sync>;

const USAGE: &str =
    "quinn-stream listen ADDR CERT | quinn-stream send HOST:PORT CERT cubic|newreno|bbr SECONDS";
/// The name in the certificate.
const NAME: &str = "stream";
/// Bytes that may be on their way or wait to be sent.
const LARGEST_WINDOW: u32 = 16 << 20;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["listen", at, certificate] => listen(at.parse()?, certificate).await,
        ["send", to, certificate, law, seconds] => {
            let to = to.to_socket_addrs()?.next().ok_or("no such host")?;
            let time = Duration::from_secs_f64(seconds.parse()?);
            send(to, certificate, law, time).await
        }
        _ => Err(USAGE.into()),
    }
}

fn transport(law: Option<Arc<dyn ControllerFactory + Send + Sync>>) -> Arc<TransportConfig> {
    let mut transport = TransportConfig::default();
    let window = VarInt::from_u32(LARGEST_WINDOW);
    transport
        .stream_receive_window(window)
        .receive_window(window)
        .send_window(LARGEST_WINDOW.into());
    if let Some(law) = law {
        transport.congestion_controller_factory(law);
    }
    Arc::new(transport)
}

/// Reads all that comes, and answers each stream with the bytes of it a second.
async fn listen(at: SocketAddr, certificate: &str) -> Result<(), Error> {
    let made = rcgen::generate_simple_self_signed(vec![NAME.to_owned()])?;
    std::fs::write(certificate, made.cert.der())?;
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let mut config = ServerConfig::with_single_cert(vec![made.cert.der().clone()], key.into())?;
    config.transport_config(transport(None));
    let endpoint = Endpoint::server(config, at)?;
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async move {
            let connection = incoming.await?;
            let (mut answer, mut stream) = connection.accept_bi().await?;
            let mut arrivals = Arrivals::begin();
            let time = loop {
                match stream.read_chunk(usize::MAX, false).await {
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
            Ok::<(), Error>(())
        });
    }
    Ok(())
}

async fn send(to: SocketAddr, certificate: &str, law: &str, time: Duration) -> Result<(), Error> {
    let factory: Arc<dyn ControllerFactory + Send + Sync> = match law {
        "cubic" => Arc::new(CubicConfig::default()),
        "newreno" => Arc::new(NewRenoConfig::default()),
        "bbr" => Arc::new(BbrConfig::default()),
        _ => return Err(USAGE.into()),
    };
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(std::fs::read(certificate)?))?;
    let mut config = ClientConfig::with_root_certificates(Arc::new(roots))?;
    config.transport_config(transport(Some(factory)));
    let endpoint = Endpoint::client(SocketAddr::new([0, 0, 0, 0].into(), 0))?;
    let connection = endpoint.connect_with(config, to, NAME)?.await?;
    let (mut stream, mut answer) = connection.open_bi().await?;
    let chunk = vec![0; 65_536];
    let fill = async { while stream.write_all(&chunk).await.is_ok() {} };
    // Its end is no error: it has no other.
    let _ = tokio::time::timeout(time, fill).await;
    stream.reset(u32::try_from(time.as_millis())?.into())?;
    let rate = answer.read_to_end(8).await?;
    let rate = f64::from_be_bytes(rate[..].try_into()?);
    let path = connection.stats().path;
    println!(
        "quinn-{law} {:.3} Mb/s, {} of {} packets lost, RTT {:.0} ms",
        rate * 8e-6,
        path.lost_packets,
        connection.stats().udp_tx.datagrams,
        path.rtt.as_secs_f64() * 1e3,
    );
    connection.close(VarInt::from_u32(0), b"");
    endpoint.wait_idle().await;
    Ok(())
}
