//! A link with timers of its own, and a second count of its packets to check it by.

use std::collections::BTreeMap;

use skywave_core::link::{DropCause, Fate, LinkConfig, Measured, Settled, TimedLink};
use skywave_core::{Duration, Time};

use super::{Operation, compare};

/// Longest step of time: a channel that lets nothing through keeps such a link busy.
const LONGEST: Duration = Duration::from_secs(1);

/// Test bench of a link that decides by timers ([`TimedLink`]): the link, and a count of its packets' fates kept beside
/// it, with which its own counts must agree.
pub struct WatchedTimed {
    config: LinkConfig,
    link: TimedLink,
    now: Time,
    /// Number of the next packet.
    next: u32,
    /// Packets on the link, and when they were offered.
    inside: BTreeMap<u32, Time>,
    /// The latest arrival, and the number of the packet.
    last: (Time, u32),
    books: Measured,
}

impl WatchedTimed {
    /// Link with this configuration, without packets, at time zero.
    pub fn new(config: LinkConfig) -> Self {
        Self {
            link: TimedLink::new(config.clone(), 1, "wireless"),
            config,
            now: Time::ZERO,
            next: 0,
            inside: BTreeMap::new(),
            last: (Time::ZERO, 0),
            books: Measured::default(),
        }
    }

    /// Carries out `operation`, then checks the link's counts, its queue, and the times of arrivals.
    ///
    /// # Panics
    /// When one of these is wrong.
    pub fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Send(gap, size) => {
                self.wait(gap);
                self.offer(size);
            }
            Operation::Burst(packets) => (0..packets).for_each(|_| self.offer(1500)),
            Operation::QueueLen(gap) => self.wait(gap),
            Operation::Timer => {
                let due = self.link.next_time();
                self.wait(due.map_or(Duration::ZERO, |at| at.since(self.now)));
            }
            Operation::Measure => {
                self.link.measure(self.now, Time::MAX);
                self.books = Measured::default();
            }
        }
        self.check();
    }

    fn wait(&mut self, gap: Duration) {
        self.now += gap.min(LONGEST);
        self.link.on_time(self.now);
        self.hear();
        assert!(
            self.link.next_time().is_none_or(|at| at > self.now),
            "undone"
        );
    }

    fn offer(&mut self, size: u32) {
        let id = self.next;
        self.next += 1;
        let refused = self.link.offer(self.now, id, size);
        self.books.offered += 1;
        match refused {
            None => {
                self.inside.insert(id, self.now);
            }
            Some(DropCause::Queue | DropCause::Early | DropCause::Policed) => {
                self.books.queue_drops += 1;
            }
            Some(DropCause::Channel) => {
                assert!(self.config.arq.is_none(), "lost before it was transmitted");
                self.books.channel_drops += 1;
            }
            Some(DropCause::Blackout) => panic!("blackouts are at the end of transmissions"),
        }
        self.hear();
    }

    fn hear(&mut self) {
        while let Some(Settled {
            tag,
            at,
            transmissions,
            fate,
            ..
        }) = self.link.poll()
        {
            let id = tag.id();
            let arq_is_none = self.config.arq.is_none();
            let arq = self.config.arq.unwrap_or_default();
            let offered = self.inside.remove(&id).expect("a packet on the link, once");
            // Where nothing can happen to a packet, the link tells of the one in transmission, too.
            let is_certain = arq_is_none && matches!(fate, Fate::Arrives { .. });
            let in_transmission = is_certain && self.link.next_time() == Some(at);
            assert!(
                offered <= at && (at <= self.now || in_transmission),
                "decided in its time"
            );
            assert!(arq.retries.is_none_or(|most| transmissions <= most + 1));
            match fate {
                Fate::Arrives {
                    at: arrival,
                    corrupt,
                    marked,
                    ..
                } => {
                    assert!(!marked, "a packet that is not ECN-capable");
                    assert!(arrival >= at + self.config.delay, "faster than the link");
                    let overtaken = arrival < self.last.0;
                    assert!(!overtaken || self.config.reordering.is_some() && !arq.in_order);
                    assert!(!arq.in_order || self.last.1 <= id, "out of order");
                    self.last = (arrival, id);
                    self.books.corrupted += u64::from(corrupt);
                }
                Fate::Dropped(DropCause::Queue | DropCause::Early | DropCause::Policed) => {
                    assert!(!self.config.queue.decides_on_arrival(), "dropped later");
                    assert_eq!(transmissions, 0);
                    self.books.queue_drops += 1;
                }
                Fate::Dropped(cause) => {
                    match cause {
                        DropCause::Blackout => self.books.blackout_drops += 1,
                        _ => self.books.channel_drops += 1,
                    }
                    let most = self.config.arq.map_or(Some(0), |arq| arq.retries);
                    assert_eq!(Some(transmissions - 1), most, "given up too early");
                    self.books.arq.given_up += u64::from(self.config.arq.is_some());
                }
            }
        }
    }

    fn check(&mut self) {
        assert!(self.link.queue_len() as usize <= self.inside.len());
        let got = self.link.finish(self.now + Duration::from_nanos(1));
        assert!(got.arq.retransmissions <= got.arq.transmissions);
        let mut books = self.books;
        books.arq.transmissions = got.arq.transmissions;
        books.arq.retransmissions = got.arq.retransmissions;
        compare(&got, &books, &self.config);
    }
}
