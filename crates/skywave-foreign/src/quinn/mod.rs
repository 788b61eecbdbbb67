//! A connection of quinn.

mod keys;
mod watched;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use quinn_proto::congestion::ControllerFactory;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, ConnectionId, EcnCodepoint, Endpoint,
    EndpointConfig, SendStream, ServerConfig, StreamId,
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

alike::end!(quinn_proto, QuinnHost);

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
        let ecn = EcnCodepoint::from_bits(datagram.ecn as u8);
        let bytes = datagram.bytes.as_slice().into();
        let from = self.peer();
        let endpoint = &mut self.endpoint;
        let event = endpoint.handle(at, from, None, ecn, bytes, &mut answer);
        self.answer(at, event, answer);
    }

    fn poll(&mut self, now: Time) -> Option<Datagram> {
        self.connect(now);
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
        self.happen(now, at)?;
        self.apply(now, at)
    }

    #[expect(
        clippy::unused_self,
        reason = "what both libraries' ends do alike calls it; noq's looks at the datagram"
    )]
    fn leaves(&mut self, _: Instant, _: &[u8]) {}
}

fn taken(stream: &mut SendStream<'_>, piece: Bytes) -> usize {
    let written = stream.write_chunks(&mut [piece]);
    written.map_or(0, |written| written.bytes)
}
