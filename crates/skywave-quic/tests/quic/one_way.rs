//! What a law hears of one-way delays, over the simulator's links and over sockets.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use noq::{ClientConfig, Connection, Endpoint, EndpointConfig, ServerConfig, TransportConfig};
use rustls::RootCertStore;
use rustls::pki_types::PrivatePkcs8KeyDer;
use skywave_core::link::{LossConfig, Service};
use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use skywave_core::tcp::{CongestionConfig, CongestionControl, CustomCongestion};
use skywave_core::units::Rate;
use skywave_core::{Offset, Segments};
use skywave_foreign::Sender;
use skywave_foreign::path::Path;
use skywave_quic::Law;
use skywave_quic::one_way::{Ear, VERSION, Watch, accept_reports, send_reports};

/// The round trip and the one-way delay that each ACK told.
type Heard = Arc<Mutex<Vec<(Option<skywave_core::Duration>, Option<Offset>)>>>;

/// A law whose window stays as it is.
struct Listener {
    heard: Heard,
    window: Segments,
}

impl CongestionControl for Listener {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        window.cwnd = self.window;
        let one_way = ack.one_way.map(|delays| delays.least);
        self.heard.lock().unwrap().push((ack.rtt, one_way));
    }

    fn on_loss(&mut self, _: &LossEvent, _: &Window) -> Response {
        Response::cut_to(self.window)
    }

    fn on_timeout(&mut self, _: &TimeoutEvent, _: &Window) -> Response {
        Response::restart(self.window)
    }
}

/// A listener of so many segments, and where it writes.
fn listener(window: f64) -> (Law, Heard) {
    let heard = Heard::default();
    let told = heard.clone();
    let law = CustomCongestion::new("listener", move |_| Listener {
        heard: told.clone(),
        window: Segments(window),
    });
    (Law::new(CongestionConfig::Custom(law)).unwrap(), heard)
}

/// Ten seconds over a path of 80 ms: all round trips and one-way delays, in milliseconds.
fn over_links(window: f64, path: &Path) -> (Vec<f64>, Vec<f64>) {
    let (law, heard) = listener(window);
    path.run(&[Sender::ours("listener", law)]);
    let heard = heard.lock().unwrap();
    let rtts = heard.iter().filter_map(|(rtt, _)| *rtt);
    let delays = heard.iter().filter_map(|(_, delay)| *delay);
    (
        rtts.map(|rtt| rtt.as_secs_f64() * 1e3).collect(),
        delays.map(|delay| delay.as_secs_f64() * 1e3).collect(),
    )
}

fn path(bps: u64) -> Path {
    let rate = Service::Rate(Rate::from_bps(bps));
    Path {
        duration: skywave_core::Duration::from_secs(10),
        ..Path::new(rate, skywave_core::Duration::from_millis(80), 1000)
    }
}

/// The value that so large a share of them is below.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(share * (values.len() - 1) as f64) as usize]
}

#[test]
fn the_way_theres_queue_is_heard() {
    // 300 segments are 1.8 BDPs; what is too much waits, 64 ms.
    let (_, delays) = over_links(300.0, &path(20_000_000));
    assert!(
        delays.len() > 140,
        "{} in some 70 round trips",
        delays.len()
    );
    let (least, median) = (quantile(delays.clone(), 0.0), quantile(delays, 0.5));
    assert!((40.0..60.0).contains(&least), "{least}");
    assert!((95.0..110.0).contains(&median), "{median}");
}

#[test]
fn the_way_backs_queue_is_not_heard() {
    let mut path = path(20_000_000);
    path.back.service = Service::Rate(Rate::from_bps(60_000));
    let (rtts, delays) = over_links(60.0, &path);
    let rtt = quantile(rtts, 0.9);
    assert!(rtt > 200.0, "{rtt}: the ACKs wait");
    assert!(delays.len() > 20, "{}", delays.len());
    let late = quantile(delays, 0.9);
    assert!((40.0..50.0).contains(&late), "{late}");
}

#[test]
fn delays_are_heard_where_packets_are_lost_and_where_they_are_few() {
    let lossy = path(20_000_000).losing(LossConfig::Iid(0.1));
    let (_, delays) = over_links(60.0, &lossy);
    assert!(delays.len() > 200, "{}", delays.len());
    assert!(quantile(delays, 0.9) < 50.0);
    // 40 datagrams a second.
    let (rtts, delays) = over_links(4.0, &path(500_000));
    assert!(
        delays.len() * 2 > rtts.len(),
        "{} of {}",
        delays.len(),
        rtts.len()
    );
}

fn endpoint(server: Option<ServerConfig>) -> (Endpoint, Watch) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    Watch::endpoint(EndpointConfig::default(), server, socket).unwrap()
}

/// What the receiver of data does beside reading it.
#[derive(Clone, Copy, PartialEq)]
enum Peer {
    Tells,
    /// It knows of no reports.
    Old,
    /// It sends nonsense, reports of what never was, and garbage after a true head.
    Lies,
}

/// Sends a megabyte in ten parts, with pauses for reports between them. What the law heard, ACK by ACK.
async fn transfer(peer: Peer) -> Vec<Option<Offset>> {
    let made = rcgen::generate_simple_self_signed(vec!["peer".to_owned()]).unwrap();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let chain = vec![made.cert.der().clone()];
    let mut server = ServerConfig::with_single_cert(chain, key.into()).unwrap();
    let mut transport = TransportConfig::default();
    match peer {
        Peer::Old => {
            transport.datagram_receive_buffer_size(None);
        }
        _ => send_reports(&mut transport),
    }
    server.transport_config(Arc::new(transport));
    let (far, far_watch) = endpoint(Some(server));
    let at: SocketAddr = far.local_addr().unwrap();

    let (law, heard) = listener(64.0);
    let ear = Ear::new(Instant::now());
    let mut transport = TransportConfig::default();
    accept_reports(&mut transport);
    transport.congestion_controller_factory(Arc::new(law.hearing(ear.clone())));
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let mut client = ClientConfig::with_root_certificates(Arc::new(roots)).unwrap();
    client.transport_config(Arc::new(transport));
    let (near, watch) = endpoint(None);

    let receiver = tokio::spawn(async move {
        let connection = far.accept().await.unwrap().await.unwrap();
        let work = read_all(&connection, peer);
        if peer == Peer::Lies {
            return work.await;
        }
        tokio::select! {
            read = work => read,
            never = far_watch.tell(&connection) => match never {},
        }
    });
    let connection = near
        .connect_with(client, at, "peer")
        .unwrap()
        .await
        .unwrap();
    let work = async {
        let mut stream = connection.open_uni().await.unwrap();
        for _ in 0..10 {
            stream.write_all(&vec![7; 100_000]).await.unwrap();
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        stream.finish().unwrap();
        let _ = stream.stopped().await;
    };
    let all = async {
        tokio::select! {
            () = work => {},
            never = watch.hear(&connection, &ear) => match never {},
        }
    };
    tokio::time::timeout(Duration::from_secs(120), all)
        .await
        .unwrap();
    connection.close(0_u32.into(), b"");
    assert_eq!(receiver.await.unwrap(), 1_000_000);
    let heard = heard.lock().unwrap();
    assert!(heard.len() > 20, "{}", heard.len());
    heard.iter().map(|(_, delay)| *delay).collect()
}

async fn read_all(connection: &Connection, peer: Peer) -> usize {
    let mut stream = connection.accept_uni().await.unwrap();
    let mut read = 0;
    while let Some(chunk) = stream.read_chunk(100_000).await.unwrap() {
        read += chunk.len();
        if peer == Peer::Lies {
            for length in [0, 1, 6, 7, 14, 15, 23, 71, 79, 500] {
                let mut lie = vec![0xff; length];
                lie.iter_mut()
                    .take(1)
                    .for_each(|version| *version = VERSION);
                connection.send_datagram(lie.into()).unwrap();
            }
        }
    }
    connection.closed().await;
    read
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delays_are_heard_of_a_peer_that_tells() {
    let heard: Vec<_> = transfer(Peer::Tells).await.into_iter().flatten().collect();
    assert!(heard.len() >= 5, "{}", heard.len());
    let ns = || heard.iter().map(|delay| delay.as_nanos());
    // Two clocks of one host, which began within the time of this test.
    let spread = ns().max().unwrap() - ns().min().unwrap();
    assert!(spread < 60_000_000_000, "{spread}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_heard_of_a_peer_that_does_not() {
    assert!(transfer(Peer::Old).await.iter().all(Option::is_none));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lies_about_datagrams_that_never_were_are_not_heard() {
    assert!(transfer(Peer::Lies).await.iter().all(Option::is_none));
}
