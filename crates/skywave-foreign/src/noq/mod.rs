//! A connection of noq.

mod bbr3;
mod extras;
mod keys;
mod watched;

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;

use noq_proto::congestion::ControllerFactory;
use noq_proto::{
    ClientConfig, Connection, ConnectionHandle, ConnectionId, DatagramEvent, Dir, EcnCodepoint,
    Endpoint, EndpointConfig, Event, FourTuple, PathId, ServerConfig, StreamEvent, StreamId,
    Transmit, VarInt,
};
use skywave_core::Time;
use skywave_quic::Law;

use crate::alike;
use crate::clock::Clock;
use crate::host::{BATCH, Datagram, Host, IDLE_S, Supply, Told, WINDOW};
use crate::keys::numbered;
use crate::tally::Shared;
pub(crate) use bbr3::SeededBbr3;
use extras::{OneWay, Watchdog};
use keys::{Numbers, Secret};
use watched::WatchedFactory;

/// A connection's law.
#[derive(Clone)]
pub(crate) enum Laws {
    /// A law of this project, whose receiver tells when packets come if the law goes by that.
    Ours(Box<Law>),
    /// Any law.
    Any(Arc<dyn ControllerFactory + Send + Sync>),
}

/// One end of a connection of noq.
pub(crate) struct NoqHost {
    clock: Clock,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    /// Configuration that a sender connects with.
    plan: Option<ClientConfig>,
    supply: Option<Supply>,
    stream: Option<StreamId>,
    outbox: VecDeque<Datagram>,
    one_way: OneWay,
    watchdog: Option<Watchdog>,
    /// Bytes of the stream that were read.
    read: u64,
    told: Told,
    ended: Option<String>,
    buffer: Vec<u8>,
}

alike::end!(noq_proto);

/// A sender and its receiver. With `asks`, a peer that does not answer is asked again, as `skywave send` does.
pub(crate) fn pair(
    seed: u64,
    laws: &Laws,
    (clock, supply, asks): (Clock, Supply, bool),
    tally: &Shared,
) -> [NoqHost; 2] {
    let endpoint = |side: u64, server| {
        let seed = seed ^ side;
        let mut config = EndpointConfig::new(Arc::new(Secret(seed)));
        config.rng_seed(Some(numbered(seed, 0)));
        config.cid_generator(Arc::new(move || Box::new(Numbers(seed, 0))));
        Endpoint::new(Arc::new(config), server, true)
    };
    let secret = Arc::new(Secret(seed));
    let mut client = ClientConfig::new(secret.clone());
    let first = ConnectionId::new(&numbered::<20>(seed, 1));
    client.initial_dst_cid_provider(Arc::new(move || first));
    let (mut sending, mut receiving) = (transport(), transport());
    let (laws, [hears, tells]): (Arc<dyn ControllerFactory + Send + Sync>, _) = match laws {
        Laws::Ours(law) if law.hears_one_way() => {
            let start = clock.instant(Time::ZERO);
            let (ear, ends) = OneWay::pair(start, &mut sending, &mut receiving);
            (Arc::new(law.hearing(ear)), ends)
        }
        Laws::Ours(law) => (Arc::new(law.as_ref().clone()), OneWay::none()),
        Laws::Any(laws) => (laws.clone(), OneWay::none()),
    };
    let tally = tally.clone();
    sending.congestion_controller_factory(Arc::new(WatchedFactory { laws, tally }));
    client.transport_config(Arc::new(sending));
    let mut server = ServerConfig::new(secret.clone(), secret);
    server.transport_config(Arc::new(receiving));
    let host = |endpoint, plan, supply, one_way| NoqHost {
        clock,
        endpoint,
        connection: None,
        plan,
        supply,
        stream: None,
        outbox: VecDeque::new(),
        one_way,
        watchdog: asks.then(|| Watchdog::new(clock.instant(Time::ZERO))),
        read: 0,
        told: Told::default(),
        ended: None,
        buffer: Vec::new(),
    };
    [
        host(endpoint(1, None), Some(client), Some(supply), hears),
        host(endpoint(2, Some(Arc::new(server))), None, None, tells),
    ]
}

impl Host for NoqHost {
    fn due(&mut self) -> Option<Time> {
        let Some((_, connection)) = &mut self.connection else {
            return self
                .plan
                .as_ref()
                .and(self.supply)
                .map(|supply| supply.start);
        };
        let timer = connection.poll_timeout().map(|at| self.clock.time(at));
        let stop = self.supply.and_then(|supply| supply.stop);
        let looks = self.watchdog.as_ref().map(Watchdog::due);
        let all = timer.into_iter().chain(stop).chain(looks);
        all.chain(self.one_way.due()).min()
    }

    fn receive(&mut self, now: Time, datagram: &Datagram) {
        let connection = self.connection.as_mut().map(|(_, connection)| connection);
        let at = self.clock.instant(now);
        self.one_way.arrived(at, now, &datagram.bytes, connection);
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.received();
        }
        let mut answer = Vec::new();
        let from = if self.supply.is_some() {
            address(2)
        } else {
            address(1)
        };
        let ecn = EcnCodepoint::from_bits(datagram.ecn as u8);
        let bytes = datagram.bytes.as_slice().into();
        let path = FourTuple::from_remote(from);
        match self.endpoint.handle(at, path, ecn, bytes, &mut answer) {
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                let accepted = self.endpoint.accept(incoming, at, &mut answer, None);
                match accepted {
                    Ok(connection) => self.connection = Some(connection),
                    Err(error) => self.ended = Some(error.cause.to_string()),
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::Response(transmit)) => self.put(now, &transmit, &answer),
            None => {}
        }
    }

    fn poll(&mut self, now: Time) -> Option<Datagram> {
        if self.supply.is_some_and(|supply| supply.start <= now)
            && let Some(config) = self.plan.take()
        {
            let at = self.clock.instant(now);
            match self.endpoint.connect(at, config, address(2), "receiver") {
                Ok(connection) => self.connection = Some(connection),
                Err(error) => self.ended = Some(error.to_string()),
            }
        }
        if self.outbox.is_empty() {
            self.work(now);
        }
        let datagram = self.outbox.pop_front()?;
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.sent();
        }
        Some(datagram)
    }

    fn read(&self) -> u64 {
        self.read
    }

    fn told(&mut self) -> Told {
        let connection = self.connection.as_mut();
        let stats = connection.and_then(|(_, connection)| connection.path_stats(PathId::ZERO));
        Told {
            lost: stats.map_or(0, |stats| stats.lost_packets),
            ..self.told
        }
    }

    fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }
}

impl NoqHost {
    fn work(&mut self, now: Time) -> Option<()> {
        let at = self.clock.instant(now);
        let (handle, connection) = self.connection.as_mut()?;
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.look(at, now, connection);
        }
        self.one_way.tell(at, now, connection);
        if connection.poll_timeout().is_some_and(|due| due <= at) {
            connection.handle_timeout(at);
        }
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected if connection.side().is_client() => {
                    self.told.connected = Some(now);
                    self.stream = connection.streams().open(Dir::Uni);
                }
                Event::Stream(StreamEvent::Opened { dir }) => {
                    self.stream = connection.streams().accept(dir);
                }
                Event::Stream(StreamEvent::Finished { .. }) => self.told.finished = Some(now),
                Event::ConnectionLost { reason } => self.ended = Some(reason.to_string()),
                Event::DatagramReceived => self.one_way.hear(at, connection),
                _ => {}
            }
        }
        match &mut self.supply {
            Some(Supply { stop, .. }) if stop.is_some_and(|stop| stop <= now) => {
                *stop = None;
                connection.close(at, VarInt::from_u32(0), bytes::Bytes::new());
            }
            Some(supply) => write(connection, &mut self.stream, supply),
            None => self.read += read(connection, self.stream),
        }
        let batch = NonZeroUsize::new(BATCH).unwrap_or(NonZeroUsize::MIN);
        let mut buffer = std::mem::take(&mut self.buffer);
        while let Some((_, connection)) = &mut self.connection
            && let Some(transmit) = connection.poll_transmit(at, batch, &mut buffer)
        {
            self.put(now, &transmit, &buffer);
            buffer.clear();
        }
        self.buffer = buffer;
        Some(())
    }

    fn put(&mut self, now: Time, transmit: &Transmit, bytes: &[u8]) {
        let size = transmit.segment_size.unwrap_or(transmit.size).max(1);
        for datagram in bytes[..transmit.size].chunks(size) {
            self.one_way.left(self.clock.instant(now), datagram);
            self.outbox.push_back(Datagram {
                bytes: datagram.to_vec(),
                ecn: mark(transmit),
            });
        }
    }
}

/// Writes what the application has and the stream takes; the stream is forgotten when it is finished.
fn write(connection: &mut Connection, stream: &mut Option<StreamId>, supply: &mut Supply) {
    while let Some(id) = *stream {
        let mut stream_end = connection.send_stream(id);
        let Some(piece) = supply.piece() else {
            // It can only fail if the peer has stopped the stream, which no receiver here does.
            let _ = stream_end.finish();
            *stream = None;
            return;
        };
        match stream_end.write_chunks(&mut &mut [piece][..]) {
            Ok(bytes) if bytes > 0 => supply.written(bytes),
            _ => return,
        }
    }
}
