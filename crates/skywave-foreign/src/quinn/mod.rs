//! A connection of quinn.

mod keys;
mod watched;

use std::collections::VecDeque;
use std::sync::Arc;

use quinn_proto::congestion::ControllerFactory;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, ConnectionId, DatagramEvent, Dir, EcnCodepoint,
    Endpoint, EndpointConfig, Event, ServerConfig, StreamEvent, StreamId, Transmit, VarInt,
};
use skywave_core::Time;

use crate::alike;
use crate::clock::Clock;
use crate::host::{BATCH, Datagram, Host, IDLE_S, Supply, Told, WINDOW};
use crate::keys::numbered;
use crate::tally::Shared;
use keys::{Numbers, Secret};
use watched::WatchedFactory;

/// A connection's law.
pub(crate) type Laws = Arc<dyn ControllerFactory + Send + Sync>;

/// One end of a connection of quinn.
pub(crate) struct QuinnHost {
    clock: Clock,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    /// Configuration that a sender connects with.
    plan: Option<ClientConfig>,
    supply: Option<Supply>,
    stream: Option<StreamId>,
    outbox: VecDeque<Datagram>,
    /// Bytes of the stream that were read.
    read: u64,
    told: Told,
    ended: Option<String>,
    buffer: Vec<u8>,
}

alike::end!(quinn_proto);

/// A sender and its receiver.
pub(crate) fn pair(
    seed: u64,
    laws: &Laws,
    (clock, supply): (Clock, Supply),
    tally: &Shared,
) -> [QuinnHost; 2] {
    let endpoint = |side: u64, server| {
        let seed = seed ^ side;
        let mut config = EndpointConfig::new(Arc::new(Secret(seed)));
        config.cid_generator(move || Box::new(Numbers(seed, 0)));
        Endpoint::new(Arc::new(config), server, true, Some(numbered(seed, 0)))
    };
    let secret = Arc::new(Secret(seed));
    let mut client = ClientConfig::new(secret.clone());
    let first = ConnectionId::new(&numbered::<20>(seed, 1));
    client.initial_dst_cid_provider(Arc::new(move || first));
    let mut sending = transport();
    let (laws, tally) = (laws.clone(), tally.clone());
    sending.congestion_controller_factory(Arc::new(WatchedFactory { laws, tally }));
    client.transport_config(Arc::new(sending));
    let mut server = ServerConfig::new(secret.clone(), secret);
    server.transport_config(Arc::new(transport()));
    let host = |endpoint, plan, supply| QuinnHost {
        clock,
        endpoint,
        connection: None,
        plan,
        supply,
        stream: None,
        outbox: VecDeque::new(),
        read: 0,
        told: Told::default(),
        ended: None,
        buffer: Vec::new(),
    };
    [
        host(endpoint(1, None), Some(client), Some(supply)),
        host(endpoint(2, Some(Arc::new(server))), None, None),
    ]
}

impl Host for QuinnHost {
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
        timer.into_iter().chain(stop).min()
    }

    fn receive(&mut self, now: Time, datagram: &Datagram) {
        let at = self.clock.instant(now);
        let mut answer = Vec::new();
        let from = address(if self.supply.is_some() { 2 } else { 1 });
        let ecn = EcnCodepoint::from_bits(datagram.ecn as u8);
        let bytes = datagram.bytes.as_slice().into();
        match self
            .endpoint
            .handle(at, from, None, ecn, bytes, &mut answer)
        {
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                match self.endpoint.accept(incoming, at, &mut answer, None) {
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
            Some(DatagramEvent::Response(transmit)) => self.put(&transmit, &answer),
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
        self.outbox.pop_front()
    }

    fn read(&self) -> u64 {
        self.read
    }

    fn told(&mut self) -> Told {
        let connection = self.connection.as_ref();
        Told {
            lost: connection.map_or(0, |(_, connection)| connection.stats().path.lost_packets),
            ..self.told
        }
    }

    fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }
}

impl QuinnHost {
    fn work(&mut self, now: Time) -> Option<()> {
        let at = self.clock.instant(now);
        let (handle, connection) = self.connection.as_mut()?;
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
                Event::Connected if self.supply.is_some() => {
                    self.told.connected = Some(now);
                    self.stream = connection.streams().open(Dir::Uni);
                }
                Event::Stream(StreamEvent::Opened { dir }) => {
                    self.stream = connection.streams().accept(dir);
                }
                Event::Stream(StreamEvent::Finished { .. }) => self.told.finished = Some(now),
                Event::ConnectionLost { reason } => self.ended = Some(reason.to_string()),
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
        let mut buffer = std::mem::take(&mut self.buffer);
        while let Some((_, connection)) = &mut self.connection
            && let Some(transmit) = connection.poll_transmit(at, BATCH, &mut buffer)
        {
            self.put(&transmit, &buffer);
            buffer.clear();
        }
        self.buffer = buffer;
        Some(())
    }

    fn put(&mut self, transmit: &Transmit, bytes: &[u8]) {
        let size = transmit.segment_size.unwrap_or(transmit.size).max(1);
        for datagram in bytes[..transmit.size].chunks(size) {
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
        match stream_end.write_chunks(&mut [piece]) {
            Ok(written) if written.bytes > 0 => supply.written(written.bytes),
            _ => return,
        }
    }
}
