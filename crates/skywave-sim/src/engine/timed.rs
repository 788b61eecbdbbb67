//! Links with a time of their own (ARQ, CoDel, FQ-CoDel, PIE): they decide later than packets come, by
//! timers.
//!
//! Such a link has an inbox in any case, and its timer lies there among the packets. When a bucket is
//! taken, all packets up to its end are known, and the link does everything that is due by then.
//! Packets come out at least the link's delay later, as with any link, so that its slack is the
//! same.

use std::collections::VecDeque;

use skywave_core::link::{Fate, LinkConfig, Offered, Settled, TimedLink};
use skywave_core::packet::{Ecn, Marks, Packet};
use skywave_core::{Duration, Time};

use super::arrival::Arrival;
use super::world::{Event, World};
use crate::observe::Offer;
use crate::spec::Spec;

/// A link with a time of its own.
pub(crate) struct TimedLane {
    pub(super) link: TimedLink,
    /// The earliest timer that lies in the inbox.
    timer: Option<Time>,
    /// Offers not yet reported to the observer. They are reported in order, so all of them wait
    /// until the fate of the first is known.
    untold: VecDeque<Untold>,
}

/// A packet that was offered.
struct Untold {
    at: Time,
    id: u32,
    packet: Packet,
    /// Its fate and its transmissions, once known.
    decided: Option<(Fate, u32)>,
}

impl TimedLane {
    pub(super) fn new(config: LinkConfig, run: &Spec, name: &str) -> Self {
        let mut link = TimedLink::new(config, run.seed, name);
        link.measure(run.measure.0, run.measure.1);
        Self {
            link,
            timer: None,
            untold: VecDeque::new(),
        }
    }
}

impl World<'_> {
    /// A link with a time of its own does what is due by the end of its earliest bucket.
    pub(super) fn on_timed(&mut self, link: usize) {
        let Some(inbox) = &mut self.lanes[link].inbox else {
            return;
        };
        let horizon = inbox.horizon(self.now);
        let packets = inbox.take(self.now);
        for arrival in packets.iter().filter(|arrival| !arrival.is_timer()) {
            self.advance(link, arrival.at);
            self.offer(link, arrival);
        }
        if let Some(inbox) = &mut self.lanes[link].inbox {
            inbox.recycle(packets);
        }
        self.advance(link, horizon);
        self.lanes[link].timed().timer.take_if(|at| *at <= horizon);
        self.set_timer(link);
    }

    fn set_timer(&mut self, link: usize) {
        let lane = &mut self.lanes[link];
        let timed = lane.timed();
        let Some(at) = timed.link.next_time().filter(|at| *at < self.end) else {
            return;
        };
        if timed.timer.is_some_and(|pending| pending <= at) {
            return;
        }
        timed.timer = Some(at);
        if let Some(inbox) = &mut lane.inbox
            && let Some(wake) = inbox.insert(Arrival::timer(at))
        {
            self.push(wake, Event::Link(link as u32));
        }
    }

    /// Lets the link do everything that is due by `until`, except after the end of the run.
    fn advance(&mut self, link: usize, until: Time) {
        let until = until.min(self.end - Duration::from_nanos(1));
        while let Some(at) = self.lanes[link].timed().link.next_time()
            && at <= until
        {
            self.lanes[link].timed().link.on_time(at);
            self.settle(link, at);
        }
    }

    fn offer(&mut self, link: usize, &Arrival { at, label }: &Arrival) {
        let id = label.id();
        let travelling = &mut self.packets[id as usize];
        travelling.hop = label.hop();
        let packet = &travelling.packet;
        let timed = self.lanes[link].timed();
        let offered = Offered {
            id,
            size: packet.size,
            flow: packet.flow,
            ecn: packet.ecn,
        };
        let refused = timed.link.offer_packet(at, offered);
        if self.observer.is_some() {
            timed.untold.push_back(Untold {
                at,
                id,
                packet: *packet,
                decided: refused.map(|cause| (Fate::Dropped(cause), 0)),
            });
            self.tell(link);
        }
        if let Some(cause) = refused {
            self.notice_loss(link as u32, id, cause.into());
            self.drop_packet(id, label.hop(), cause.into(), at);
        }
        self.settle(link, at);
    }

    /// Something happened on the link at `at`: records the queue, and passes on what is decided.
    fn settle(&mut self, link: usize, at: Time) {
        let lane = &mut self.lanes[link];
        let waiting = lane.timed().link.queue_len();
        if let Some(recorder) = lane.series() {
            recorder.record(0, at, f64::from(waiting));
        }
        while let Some(settled) = self.lanes[link].timed().link.poll() {
            self.note(link, settled);
            let id = settled.id;
            match settled.fate {
                Fate::Dropped(cause) => {
                    let hop = self.packets[id as usize].hop;
                    self.notice_loss(link as u32, id, cause.into());
                    self.drop_packet(id, hop, cause.into(), settled.at);
                }
                Fate::Arrives {
                    at,
                    corrupt,
                    marked,
                    duplicate,
                } => {
                    let travelling = &mut self.packets[id as usize];
                    self.lanes[link].notices.tell(&mut travelling.packet);
                    if marked {
                        travelling.packet.ecn = Ecn::Ce;
                    }
                    if corrupt {
                        travelling.packet.marks |= Marks::CORRUPT;
                    }
                    travelling.hop += 1;
                    if duplicate {
                        self.pass_on_twice(id, at);
                    } else {
                        self.pass_on(id, at);
                    }
                }
            }
        }
    }

    /// Notes for the observer what became of a packet.
    fn note(&mut self, link: usize, settled: Settled) {
        if self.observer.is_none() {
            return;
        }
        let untold = &mut self.lanes[link].timed().untold;
        // Packet numbers are reused, but earlier offers with this number have been decided.
        let open = |offer: &&mut Untold| offer.id == settled.id && offer.decided.is_none();
        if let Some(offer) = untold.iter_mut().find(open) {
            offer.decided = Some((settled.fate, settled.transmissions));
        }
        self.tell(link);
    }

    /// Tells the observer of the offers that are decided, in the order of the offers.
    fn tell(&mut self, link: usize) {
        let Some(observer) = &mut self.observer else {
            return;
        };
        let untold = &mut self.lanes[link].timed().untold;
        while let Some(offer) = untold.front()
            && let Some((fate, transmissions)) = offer.decided
        {
            observer.on_offer(&Offer {
                at: offer.at,
                link,
                packet: &offer.packet,
                fate,
                transmissions,
            });
            untold.pop_front();
        }
    }

    /// At the end of the run: tells the observer of the rest.
    pub(super) fn tell_of_undecided(&mut self) {
        if self.observer.is_none() {
            return;
        }
        let end = self.end;
        for link in 0..self.lanes.len() {
            if !self.lanes[link].is_timed() {
                continue;
            }
            for offer in &mut self.lanes[link].timed().untold {
                let after_the_end = Fate::Arrives {
                    at: end,
                    corrupt: false,
                    marked: false,
                    duplicate: false,
                };
                offer.decided.get_or_insert((after_the_end, 0));
            }
            self.tell(link);
        }
    }
}
