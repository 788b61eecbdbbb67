//! A path between two junctions, with ordinary ends outside.

use skywave_core::tcp::config::Profile;
use skywave_core::tcp::preset;
use skywave_core::{Duration, Time};

use super::network::{SERVER, byte, config, ends};
use crate::tcp::{Ending, Endpoint, EndpointConfig, Event, Junction, Role, Side, StreamId};

/// Client, junction, path, junction, server: the path alone takes time, and loses every `loses`th packet.
struct Chain {
    client: Endpoint,
    junctions: [Junction; 2],
    server: Endpoint,
    now: Time,
    under_way: Vec<(Time, usize, Vec<u8>)>,
    sent: u64,
    loses: u64,
    events: [Vec<Event>; 2],
}

const DELAY: Duration = Duration::from_millis(20);

impl Chain {
    fn new(loses: u64) -> Self {
        let device = || {
            let linux = preset("linux").unwrap().composition.clone();
            EndpointConfig::new(Role::Device, Profile::Linux, linux)
        };
        let mut server = Endpoint::new(config("linux"), 4);
        server.listen(SERVER).unwrap();
        Self {
            client: Endpoint::new(config("linux"), 3),
            junctions: [
                Junction::new([device(), config("dcr")], 1),
                Junction::new([device(), config("dcr")], 2),
            ],
            server,
            now: Time::from_nanos(1_000_000_000),
            under_way: Vec::new(),
            sent: 0,
            loses,
            events: [Vec::new(), Vec::new()],
        }
    }

    fn pump(&mut self) {
        let now = self.now;
        let mut packet = Vec::new();
        loop {
            let mut any = false;
            for n in 0..2 {
                let outside = [&mut self.client, &mut self.server];
                let [client, server] = outside;
                let end = if n == 0 { client } else { server };
                while end.transmit(now, &mut packet) {
                    any = true;
                    self.junctions[n]
                        .receive(now, Side::First, &packet)
                        .unwrap();
                }
                while let Some(event) = end.poll_event() {
                    self.events[n].push(event);
                }
                while self.junctions[n].transmit(now, Side::First, &mut packet) {
                    any = true;
                    end.receive(now, &packet).unwrap();
                }
                while self.junctions[n].transmit(now, Side::Second, &mut packet) {
                    any = true;
                    self.sent += 1;
                    if self.loses == 0 || !self.sent.is_multiple_of(self.loses) {
                        self.under_way.push((now + DELAY, 1 - n, packet.clone()));
                    }
                }
            }
            if !any {
                return;
            }
        }
    }

    fn wait(&mut self, time: Duration) {
        let until = self.now + time;
        self.pump();
        loop {
            let timers = [
                self.client.deadline(),
                self.server.deadline(),
                self.junctions[0].deadline(),
                self.junctions[1].deadline(),
                self.under_way.first().map(|(at, ..)| *at),
            ];
            let Some(next) = timers.into_iter().flatten().min().filter(|&at| at <= until) else {
                break;
            };
            self.now = self.now.max(next);
            while self
                .under_way
                .first()
                .is_some_and(|(at, ..)| *at <= self.now)
            {
                let (_, to, packet) = self.under_way.remove(0);
                self.junctions[to]
                    .receive(self.now, Side::Second, &packet)
                    .unwrap();
            }
            self.client.poll(self.now);
            self.server.poll(self.now);
            for junction in &mut self.junctions {
                junction.poll(self.now);
            }
            self.pump();
        }
        self.now = until;
    }

    fn accepted(&mut self) -> Option<StreamId> {
        self.events[1].drain(..).find_map(|event| match event {
            Event::Accepted(id) => Some(id),
            _ => None,
        })
    }
}

#[test]
fn a_connection_goes_through_and_every_byte_and_end_with_it() {
    for loses in [0, 17] {
        let mut chain = Chain::new(loses);
        let id = chain.client.connect(chain.now, ends(5000)).unwrap();
        chain.wait(DELAY);
        // Not before the server has answered.
        assert!(!chain.client.status(id).unwrap().connected);
        chain.wait(Duration::from_millis(25));
        assert!(chain.client.status(id).unwrap().connected);
        chain.client.write(id, b"question");
        chain.client.close(id);
        chain.wait(Duration::from_secs(2));
        let server = chain.accepted().unwrap();
        let status = chain.server.status(server).unwrap();
        assert!(status.peer_closed && status.readable == 8, "{status:?}");
        // The answer is longer than all buffers on the way.
        let answer: Vec<u8> = (0..20_000_000).map(|n| byte(1, n)).collect();
        let (mut written, mut read) = (0, Vec::new());
        let mut block = vec![0; 1 << 20];
        while read.len() < answer.len() {
            written += chain.server.write(server, &answer[written..]);
            if written == answer.len() {
                chain.server.close(server);
            }
            chain.wait(Duration::from_millis(10));
            let n = chain.client.read(id, &mut block);
            read.extend_from_slice(&block[..n]);
            assert!(chain.now < Time::from_nanos(600_000_000_000));
        }
        assert!(read == answer);
        chain.wait(Duration::from_secs(1));
        assert!(chain.client.status(id).unwrap().peer_closed);
        let totals = chain.junctions[1].totals(Side::Second);
        assert_eq!((totals.connections, totals.bytes), (1, 20_000_000));
        assert_eq!(totals.retransmissions > 0, loses > 0);
        chain.wait(Duration::from_secs(300));
        for junction in &chain.junctions {
            for side in Side::ALL {
                assert_eq!(junction.connections(side), 0);
            }
        }
    }
}

#[test]
fn refusals_and_resets_pass_through() {
    let mut chain = Chain::new(0);
    let mut nowhere = ends(5000);
    nowhere.destination.set_port(81);
    let refused = chain.client.connect(chain.now, nowhere).unwrap();
    let id = chain.client.connect(chain.now, ends(5001)).unwrap();
    chain.wait(Duration::from_millis(100));
    let status = chain.client.status(refused).unwrap();
    assert_eq!(status.ended, Some(Ending::Refused));
    let server = chain.accepted().unwrap();
    chain.client.abort(id);
    chain.wait(Duration::from_millis(100));
    let status = chain.server.status(server).unwrap();
    assert_eq!(status.ended, Some(Ending::Reset));
    // And the other way, with bytes unread.
    let id = chain.client.connect(chain.now, ends(5002)).unwrap();
    chain.wait(Duration::from_millis(100));
    let server = chain.accepted().unwrap();
    chain.server.write(server, b"answer");
    chain.wait(Duration::from_millis(100));
    chain.server.abort(server);
    chain.wait(Duration::from_millis(100));
    let status = chain.client.status(id).unwrap();
    assert_eq!(status.ended, Some(Ending::Reset));
    chain.wait(Duration::from_secs(1));
    for junction in &chain.junctions {
        for side in Side::ALL {
            assert_eq!(junction.connections(side), 0);
        }
    }
}
