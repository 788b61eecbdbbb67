//! The two ends of a connection.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use noq_proto::congestion::ControllerFactory;
use noq_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig,
    Event, FourTuple, PathId, ServerConfig, StreamEvent, StreamId, Transmit, TransportConfig,
    VarInt,
};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use skywave_quic::one_way::{
    Arrivals, Departures, Ear, Report, Tag, accept_reports, report_after, send_reports,
};
use skywave_quic::{Law, Silence};

/// Datagrams that a connection may hand over at once.
const BATCH: NonZeroUsize = NonZeroUsize::new(10).unwrap();

/// A datagram on the path.
pub(super) struct Packet {
    from: SocketAddr,
    bytes: Vec<u8>,
}

impl Packet {
    pub(super) fn bytes(&self) -> u32 {
        self.bytes.len() as u32
    }
}

/// What a sender writes, again and again.
static CHUNK: [u8; 16_384] = [0; 16_384];
/// Bytes that may be under way: more than any path here holds.
const WINDOW: u32 = 64 << 20;
/// What `skywave send` has: blackouts of half a minute are survived.
const IDLE: Duration = Duration::from_secs(60);

struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivatePkcs8KeyDer<'static>,
}

static IDENTITY: LazyLock<Identity> = LazyLock::new(|| {
    let names = vec!["receiver".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
    Identity {
        certificate: made.cert.der().clone(),
        key: PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()),
    }
});

/// What controls a sender.
#[derive(Clone)]
pub(crate) enum Control {
    /// A law of ours, whose receiver tells when packets come if it goes by that.
    #[allow(dead_code, reason = "not every test has laws that hear")]
    Law(Box<Law>),
    Other(Arc<dyn ControllerFactory + Send + Sync>),
}

/// What an end does about one-way delays.
enum OneWay {
    Nothing,
    Hears(Ear, Departures),
    /// It tells, and when the next time.
    Tells(Arrivals, Option<Duration>),
}

/// One end: a sender that has always more to send, or a receiver that reads it.
pub(super) struct Host {
    address: SocketAddr,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    outbox: VecDeque<Packet>,
    stream: Option<StreamId>,
    /// Asks when the peer does not answer, and when it looks next.
    silence: Option<(Silence, Duration)>,
    one_way: OneWay,
    /// Packets that came and went.
    packets: (u64, u64),
    /// When a sender connects to what address, with which configuration.
    plan: Option<(Duration, SocketAddr, ClientConfig)>,
    pub(super) received: u64,
}

fn transport() -> TransportConfig {
    let mut transport = TransportConfig::default();
    transport
        .stream_receive_window(VarInt::from_u32(WINDOW))
        .receive_window(VarInt::from_u32(WINDOW))
        .send_window(u64::from(WINDOW))
        .max_idle_timeout(IDLE.try_into().ok());
    transport
}

impl Host {
    /// A sender and its receiver.
    pub(super) fn pair(
        number: usize,
        seed: u64,
        control: &Control,
        (start, begins, asks): (Instant, Duration, bool),
    ) -> [Self; 2] {
        let address = |last| SocketAddr::from((Ipv4Addr::new(10, 0, number as u8, last), 4433));
        let endpoint = |side: u8, server| {
            let mut config = EndpointConfig::default();
            let mut random = [side; 32];
            random[..8].copy_from_slice(&(seed + 1000 * number as u64).to_le_bytes());
            config.rng_seed(Some(random));
            Endpoint::new(Arc::new(config), server, true)
        };
        let Identity { certificate, key } = &*IDENTITY;
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone()).expect("a root");
        let mut client = ClientConfig::with_root_certificates(Arc::new(roots)).expect("a client");
        let (mut sending, mut receiving) = (transport(), transport());
        let one_way = match control {
            Control::Law(law) if law.hears_one_way() => {
                accept_reports(&mut sending);
                send_reports(&mut receiving);
                let ear = Ear::new(start);
                sending.congestion_controller_factory(Arc::new(law.hearing(ear.clone())));
                let arrivals = Arrivals::new(start);
                [
                    OneWay::Hears(ear, Departures::default()),
                    OneWay::Tells(arrivals, None),
                ]
            }
            Control::Law(law) => {
                sending.congestion_controller_factory(Arc::new(law.as_ref().clone()));
                [OneWay::Nothing, OneWay::Nothing]
            }
            Control::Other(factory) => {
                sending.congestion_controller_factory(factory.clone());
                [OneWay::Nothing, OneWay::Nothing]
            }
        };
        client.transport_config(Arc::new(sending));
        let mut server =
            ServerConfig::with_single_cert(vec![certificate.clone()], key.clone_key().into())
                .expect("a server");
        server.transport_config(Arc::new(receiving));
        let host = |address, endpoint, plan, one_way| Self {
            address,
            endpoint,
            connection: None,
            outbox: VecDeque::new(),
            stream: None,
            silence: asks.then(|| (Silence::new(start), begins)),
            one_way,
            packets: (0, 0),
            plan,
            received: 0,
        };
        let [hears, tells] = one_way;
        let plan = Some((begins, address(2), client));
        let server = Some(Arc::new(server));
        [
            host(address(1), endpoint(1, None), plan, hears),
            host(address(2), endpoint(2, server), None, tells),
        ]
    }

    /// When it has something to do, if nothing arrives before.
    pub(super) fn next_timer(&self, start: Instant) -> Option<Duration> {
        if let Some((begins, ..)) = &self.plan {
            return Some(*begins);
        }
        let (_, connection) = self.connection.as_ref()?;
        let timer = connection.poll_timeout();
        let timer = timer.map(|at| at.saturating_duration_since(start));
        let looks = self.silence.as_ref().map(|(_, next)| *next);
        let tells = match &self.one_way {
            OneWay::Tells(_, at) => *at,
            _ => None,
        };
        timer.into_iter().chain(looks).chain(tells).min()
    }

    /// Asks the peer again if it has not answered for too long.
    pub(super) fn look(&mut self, start: Instant, now: Duration) {
        let Some((silence, next)) = &mut self.silence else {
            return;
        };
        let Some((_, connection)) = self.connection.as_mut().filter(|_| *next <= now) else {
            return;
        };
        *next = now + Silence::LOOK;
        let rtt = connection
            .path_stats(PathId::ZERO)
            .map_or(Duration::ZERO, |path| path.rtt);
        let (received, sent) = self.packets;
        if silence.is_too_long(start + now, received, sent, rtt) {
            connection.handle_network_change(None, start + now);
        }
    }

    /// Tells when packets came, when it is time to.
    pub(super) fn tell(&mut self, start: Instant, now: Duration) {
        if let OneWay::Tells(arrivals, at) = &mut self.one_way
            && at.take_if(|at| *at <= now).is_some()
            && let Some((_, connection)) = &mut self.connection
            && let Some(report) = arrivals.report(start + now)
        {
            let _ = connection
                .datagrams()
                .send(report.into_bytes().into(), true);
        }
    }

    /// A packet came: notes when, if it tells.
    fn note(&mut self, start: Instant, now: Duration, packet: &Packet) {
        if let OneWay::Tells(arrivals, at) = &mut self.one_way
            && let Some(tag) = Tag::of(&packet.bytes)
            && arrivals.note(tag, start + now)
        {
            let connection = self.connection.as_mut();
            let rtt = connection.and_then(|(_, connection)| connection.path_stats(PathId::ZERO));
            *at = Some(now + report_after(rtt.map_or(Duration::ZERO, |path| path.rtt)));
        }
    }

    pub(super) fn receive(&mut self, start: Instant, now: Duration, packet: &Packet) {
        self.note(start, now, packet);
        let now = start + now;
        self.packets.0 += 1;
        let mut answer = Vec::new();
        let path = FourTuple::from_remote(packet.from);
        let data = packet.bytes.as_slice().into();
        match self.endpoint.handle(now, path, None, data, &mut answer) {
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = self.endpoint.accept(incoming, now, &mut answer, None);
                self.connection = Some(accepted.map_err(|e| e.cause).expect("a connection"));
            }
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::Response(transmit)) => self.put(&transmit, &answer),
            None => {}
        }
    }

    /// The next packet that it sends now.
    pub(super) fn poll(&mut self, now: Instant) -> Option<Packet> {
        if let Some((_, to, config)) = self.plan.take_if(|_| true) {
            let connected = self.endpoint.connect(now, config, to, "receiver");
            self.connection = Some(connected.expect("a connection"));
        }
        if self.outbox.is_empty() {
            self.work(now);
        }
        let packet = self.outbox.pop_front();
        self.packets.1 += u64::from(packet.is_some());
        packet
    }

    fn work(&mut self, now: Instant) -> Option<()> {
        let (handle, connection) = self.connection.as_mut()?;
        if connection.poll_timeout().is_some_and(|at| at <= now) {
            connection.handle_timeout(now);
        }
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected if connection.side().is_client() => {
                    self.stream = connection.streams().open(Dir::Uni);
                }
                Event::Stream(StreamEvent::Opened { dir }) => {
                    self.stream = connection.streams().accept(dir);
                }
                Event::ConnectionLost { reason } => panic!("{reason}"),
                Event::DatagramReceived => {
                    while let Some(datagram) = connection.datagrams().recv() {
                        let OneWay::Hears(ear, departures) = &mut self.one_way else {
                            panic!("nobody tells who is not asked");
                        };
                        let report = Report::read(&datagram).expect("a report");
                        for (tag, came) in report.arrivals() {
                            if let Some(sent) = departures.take(tag, now) {
                                ear.hear(sent, came);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        if let Some(stream) = self.stream {
            if stream.initiator() == connection.side() {
                while connection.send_stream(stream).write(&CHUNK).is_ok() {}
            // In any order: noq keeps few pieces that wait for an earlier one.
            } else if let Ok(mut chunks) = connection.recv_stream(stream).read(false) {
                while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                    self.received += chunk.bytes.len() as u64;
                }
                let _ = chunks.finalize();
            }
        }
        let mut bytes = Vec::new();
        while let Some(transmit) = connection.poll_transmit(now, BATCH, &mut bytes) {
            let size = transmit.segment_size.unwrap_or(transmit.size).max(1);
            for datagram in bytes[..transmit.size].chunks(size) {
                if let OneWay::Hears(_, departures) = &mut self.one_way
                    && let Some(tag) = Tag::of(datagram)
                {
                    departures.note(tag, now);
                }
                self.outbox.push_back(Packet {
                    from: self.address,
                    bytes: datagram.to_vec(),
                });
            }
            bytes.clear();
        }
        Some(())
    }

    fn put(&mut self, transmit: &Transmit, bytes: &[u8]) {
        self.outbox.push_back(Packet {
            from: self.address,
            bytes: bytes[..transmit.size].to_vec(),
        });
    }
}
