//! A link that decides at once, and a second count of its packets to check it by.

use skywave_core::link::{
    DropCause, Fate, Limit, Link, LinkConfig, Measured, QueueConfig, Service,
};
use skywave_core::{Duration, Time};

use super::{Operation, compare};

/// Test bench of a link that decides at once when a packet is offered ([`Link`]): the link, and a count of its packets'
/// fates kept beside it, with which its own counts must agree.
pub struct Watched {
    config: LinkConfig,
    link: Link,
    now: Time,
    /// The latest arrival; nothing arrives before it unless the link reorders.
    last: Time,
    arrived: u64,
    books: Measured,
}

impl Watched {
    /// Link with this configuration, without packets, at time zero.
    pub fn new(config: LinkConfig) -> Self {
        Self {
            link: Link::new(config.clone(), 1, "wireless"),
            config,
            now: Time::ZERO,
            last: Time::ZERO,
            arrived: 0,
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
                self.now += gap;
                self.send(size);
            }
            Operation::Burst(packets) => (0..packets).for_each(|_| self.send(1500)),
            Operation::QueueLen(gap) => self.now += gap,
            Operation::Timer => {}
            Operation::Measure => {
                self.link.measure(self.now, Time::MAX);
                self.books = Measured::default();
                self.arrived = 0;
            }
        }
        self.check();
    }

    fn send(&mut self, size: u32) {
        let fate = self.link.send(self.now, size);
        self.books.offered += 1;
        match fate {
            Fate::Arrives {
                at,
                corrupt,
                marked,
                duplicate,
            } => {
                self.arrive(at, size);
                self.arrived += 1;
                self.books.corrupted += u64::from(corrupt);
                assert!(!corrupt || self.config.corruption > 0.0);
                assert!(!marked, "a packet that is not ECN-capable");
                assert!(!duplicate || self.config.duplication > 0.0);
            }
            Fate::Dropped(DropCause::Queue) => self.books.queue_drops += 1,
            Fate::Dropped(DropCause::Early) => {
                assert!(matches!(self.config.queue, QueueConfig::Red(_)));
                self.books.queue_drops += 1;
            }
            Fate::Dropped(DropCause::Policed) => {
                assert!(self.config.policer.is_some());
                self.books.queue_drops += 1;
            }
            Fate::Dropped(DropCause::Channel) => {
                assert!(!self.config.loss.is_empty());
                self.books.channel_drops += 1;
            }
            Fate::Dropped(DropCause::Blackout) => {
                assert!(!self.config.blackouts.is_empty());
                self.books.blackout_drops += 1;
            }
        }
    }

    fn arrive(&mut self, at: Time, size: u32) {
        assert!(at >= self.now + self.config.delay, "faster than the link");
        if self.config.reordering.is_some() {
            return;
        }
        assert!(at >= self.last, "overtaken");
        if let Service::Rate(rate) = self.config.service
            && self.config.jitter.is_none()
            && at < Time::MAX
        {
            // A nanosecond less for what transmissions carry over from one to the next.
            let (transmission, _) = rate.transmission_time(u64::from(size), 0);
            let transmission = transmission.saturating_sub(Duration::from_nanos(1));
            let free = (self.now + self.config.delay).max(self.last);
            assert!(at >= free + transmission, "more than the link's rate");
        }
        self.last = at;
    }

    fn check(&mut self) {
        let waiting = u64::from(self.link.queue_len(self.now));
        let most = match self.config.queue {
            // It counts the packet in transmission.
            QueueConfig::DropTail(Limit::Packets(packets)) => u64::from(packets.saturating_sub(1)),
            queue => match queue.limit() {
                Limit::Packets(packets) => u64::from(packets),
                // A packet has a byte at least.
                Limit::Bytes(bytes) => bytes,
            },
        };
        assert!(waiting <= most, "above the limit");
        assert_eq!(
            self.link.leaving().filter(|&at| at > self.now).count() as u64,
            waiting
        );
        // Packets count that were offered before a moment.
        let got = self.link.finish(self.now + Duration::from_nanos(1));
        compare(&got, &self.books, &self.config);
        assert_eq!(
            got.offered,
            self.arrived + got.queue_drops + got.channel_drops + got.blackout_drops
        );
        assert!(
            (0.0..=f64::MAX).contains(&got.queue_mean_packets),
            "{got:?}"
        );
    }
}
