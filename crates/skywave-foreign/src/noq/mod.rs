//! A connection of noq.

mod bbr3;
mod extras;
mod keys;
mod watched;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use noq_proto::congestion::ControllerFactory;
use noq_proto::{
    ClientConfig, Connection, ConnectionHandle, ConnectionId, EcnCodepoint, Endpoint,
    EndpointConfig, FourTuple, PathId, SendStream, ServerConfig, StreamId,
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

alike::end!(noq_proto, NoqHost);

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
        let ecn = EcnCodepoint::from_bits(datagram.ecn as u8);
        let bytes = datagram.bytes.as_slice().into();
        let path = FourTuple::from_remote(self.peer());
        let event = self.endpoint.handle(at, path, ecn, bytes, &mut answer);
        self.answer(at, event, answer);
    }

    fn poll(&mut self, now: Time) -> Option<Datagram> {
        self.connect(now);
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
        let (_, connection) = self.connection.as_mut()?;
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.look(at, now, connection);
        }
        self.one_way.tell(at, now, connection);
        self.happen(now, at)?;
        let (_, connection) = self.connection.as_mut()?;
        self.one_way.hear(at, connection);
        self.apply(now, at)
    }

    fn leaves(&mut self, at: Instant, datagram: &[u8]) {
        self.one_way.left(at, datagram);
    }
}

fn taken(stream: &mut SendStream<'_>, piece: Bytes) -> usize {
    stream.write_chunks(&mut &mut [piece][..]).unwrap_or(0)
}
