//! Links with a time of their own (ARQ, CoDel, FQ-CoDel, PIE, DualPI2): they decide later than packets come, by
//! timers.
//!
//! Such a link has an inbox in any case, and its timer lies there among the packets. When a bucket is
//! taken, all packets up to its end are known, and the link does everything that is due by then.
//! Packets come out at least the link's delay later, as with any link, so that its slack is the
//! same.
//!
//! The link first does all that is due in a bucket. Then its packets go on, with their labels alone, as those of
//! plain links do: their own memory is read only where the link writes on them. A queue of FQ-CoDel is one line
//! of the cache, with its place in the round of turns, and CoDel has a fast path for a packet before which none
//! may be dropped.

use std::collections::VecDeque;

use skywave_core::link::{DropCause, Fate, LinkConfig, Offered, Settled, TimedLink};
use skywave_core::packet::{Ecn, Marks, Packet};
use skywave_core::{Duration, Time};

use super::arrival::{Arrival, Label};
use super::stop;
use super::wake::Wake;
use super::world::{Travelling, World};
use crate::losses::LossCause;
use crate::observe::Offer;
use crate::spec::Spec;

/// Number of packets ahead for which queues are prefetched with many flows: while the engine offers a
/// packet, it fetches the queue of the packet this number of places behind it.
const ARRIVALS_AHEAD: usize = 4;

/// A link with a time of its own.
pub(crate) struct TimedLane {
    pub(super) link: TimedLink,
    /// Whether the link's queue may mark packets, so that it is to know whether they are ECN-capable.
    marks: bool,
    /// The earliest timer that lies in the inbox.
    timer: Wake,
    /// Decisions of the link in the present bucket; kept to save allocations.
    decided: VecDeque<Settled>,
    /// Offers not yet reported to the observer. They are reported in order, so all of them wait
    /// until the fate of the first is known.
    untold: VecDeque<Untold>,
}

/// A packet that was offered.
struct Untold {
    at: Time,
    id: u32,
    packet: Packet,
    /// Fate of the packet and number of its transmissions, once known.
    decided: Option<(Fate, u32)>,
}

impl TimedLane {
    pub(super) fn new(config: LinkConfig, run: &Spec, name: &str) -> Self {
        let marks = config.queue.marks();
        let mut link = TimedLink::new(config, run.seed, name);
        link.measure(run.measure.0, run.measure.1);
        Self {
            link,
            marks,
            timer: Wake::default(),
            decided: VecDeque::new(),
            untold: VecDeque::new(),
        }
    }

    /// A packet comes to the link at `at`.
    #[inline(always)]
    fn offer(&mut self, at: Time, label: Label, packets: &[Travelling]) {
        let ecn = if self.marks {
            packets[label.id() as usize].packet.ecn
        } else {
            Ecn::NotEct
        };
        let offered = Offered { tag: label.0, ecn };
        if let Some(cause) = self.link.offer_packet(at, offered) {
            self.refuse(at, label, cause);
        }
    }

    /// The link has refused a packet.
    #[cold]
    fn refuse(&mut self, at: Time, label: Label, cause: DropCause) {
        self.collect();
        self.decided.push_back(Settled {
            tag: label.0,
            at,
            transmissions: 0,
            fate: Fate::Dropped(cause),
        });
    }

    /// Collects what the link has decided.
    fn collect(&mut self) {
        self.link.poll_all(&mut self.decided);
    }
}

/// When a packet arrives once and as it was, if it does. That such packets go on by themselves saves 5 % of the
/// instructions of 24 flows at CoDel.
#[inline(always)]
fn arrival_as_it_was(fate: Fate) -> Option<Time> {
    match fate {
        Fate::Arrives {
            at,
            corrupt: false,
            marked: false,
            duplicate: false,
        } => Some(at),
        _ => None,
    }
}

impl World<'_> {
    /// A link with a time of its own does what is due by the end of its earliest bucket.
    ///
    /// First it does all of that, then the packets go on from it: nothing that they cause comes back to it
    /// before the end of the bucket (the module `plan`).
    pub(super) fn on_timed(&mut self, link: usize) {
        let Some(inbox) = self.lanes[link].inbox() else {
            return;
        };
        let horizon = inbox.horizon(self.now);
        let packets = inbox.take(self.now);
        let recorded = self.lanes[link].series().is_some();
        let many = self.has_many_flows();
        let arrivals = packets.iter().filter(|arrival| !arrival.is_timer());
        if recorded || self.observer.is_some() {
            for arrival in arrivals {
                if recorded {
                    self.advance(link, arrival.at); // otherwise the offer does so
                }
                self.offer_watched(link, arrival);
            }
        } else {
            let timed = self.lanes[link].timed();
            for (place, &Arrival { at, label }) in arrivals.enumerate() {
                if many && let Some(later) = packets.get(place + ARRIVALS_AHEAD) {
                    timed.link.prefetch(later.label.flow());
                }
                timed.offer(at, label, &self.packets);
            }
        }
        self.lanes[link].recycle(packets);
        self.advance(link, horizon);
        self.lanes[link].timed().timer.pass(horizon);
        let mut decided = std::mem::take(&mut self.lanes[link].timed().decided);
        let list = decided.make_contiguous();
        if list.len() > stop::TURNS {
            self.settle_in_parts(link, list);
        } else {
            let mut changes_none = self.changes_none(link);
            for (place, settled) in list.iter().enumerate() {
                if many {
                    self.prefetch_labels(|ahead| Some(Label(list.get(place + ahead)?.tag)));
                }
                match arrival_as_it_was(settled.fate) {
                    Some(at) if changes_none => self.go_on(Label(settled.tag), at),
                    _ => {
                        self.settle(link, settled);
                        changes_none = self.changes_none(link);
                    }
                }
            }
        }
        decided.clear();
        self.lanes[link].timed().decided = decided;
        self.set_timer(link);
    }

    /// Whether the link leaves packets as they were: nothing is to be written on them, and
    /// nobody is told of them.
    #[inline]
    fn changes_none(&self, link: usize) -> bool {
        self.lanes[link].has_no_notices() && self.observer.is_none()
    }

    /// Passes on very many packets, and looks in between whether the run is to stop.
    #[cold]
    #[inline(never)]
    fn settle_in_parts(&mut self, link: usize, decided: &[Settled]) {
        for (place, settled) in decided.iter().enumerate() {
            if place.is_multiple_of(stop::TURNS) && self.is_to_stop() {
                return;
            }
            self.settle(link, settled);
        }
    }

    fn set_timer(&mut self, link: usize) {
        let timed = self.lanes[link].timed();
        if let Some(at) = timed.link.next_time().filter(|at| *at < self.end)
            && timed.timer.earlier(at)
        {
            self.collect(link as u32, Arrival::timer(at));
        }
    }

    /// Lets the link do everything that is due by `until`, except after the end of the run.
    fn advance(&mut self, link: usize, until: Time) {
        let until = until.min(self.end - Duration::from_nanos(1));
        let lane = &mut self.lanes[link];
        if lane.series().is_none() {
            let timed = lane.timed();
            timed.link.on_time(until);
            return timed.collect();
        }
        while let Some(at) = lane.timed().link.next_time()
            && at <= until
        {
            lane.timed().link.on_time(at);
            lane.timed().collect();
            lane.record_waiting(at);
        }
    }

    /// A packet comes to the link; the observer is to hear of it, and the queue may be recorded.
    #[inline(never)]
    fn offer_watched(&mut self, link: usize, &Arrival { at, label }: &Arrival) {
        let lane = &mut self.lanes[link];
        let timed = lane.timed();
        if self.observer.is_some() {
            timed.untold.push_back(Untold {
                at,
                id: label.0.id(),
                packet: self.packets[label.id() as usize].packet,
                decided: None,
            });
        }
        timed.offer(at, label, &self.packets);
        lane.record_waiting(at);
    }

    /// Passes on a packet that the link has decided about, or drops it, and tells of it.
    #[inline(never)]
    fn settle(&mut self, link: usize, settled: &Settled) {
        if self.observer.is_some() {
            self.note(link, *settled);
        }
        let label = Label(settled.tag);
        match settled.fate {
            Fate::Dropped(cause) => self.lose(link, label, settled.at, cause.into()),
            Fate::Arrives { .. } => self.settle_changed(link, settled, label),
        }
    }

    /// The link has lost a packet.
    #[cold]
    fn lose(&mut self, link: usize, label: Label, at: Time, cause: LossCause) {
        self.notice_loss(link as u32, label.id(), cause);
        self.drop_packet(label.id(), label.hop(), cause, at);
    }

    /// A packet has crossed a link as it was.
    #[inline(always)]
    fn go_on(&mut self, label: Label, at: Time) {
        if at >= self.end {
            return self.release(label.id());
        }
        let label = label.at_next_hop();
        self.cross_inlined(self.routes.hop(label.hop()), at, label);
    }

    /// A packet has crossed the link; something may have to be written on it, or it comes twice.
    #[inline(never)]
    fn settle_changed(&mut self, link: usize, settled: &Settled, label: Label) {
        let Fate::Arrives {
            at,
            corrupt,
            marked,
            duplicate,
        } = settled.fate
        else {
            return;
        };
        let travelling = &mut self.packets[label.id() as usize];
        if let Some(notices) = self.lanes[link].notices() {
            notices.tell(&mut travelling.packet);
        }
        if marked {
            travelling.packet.ecn = Ecn::Ce;
        }
        if corrupt {
            travelling.packet.marks |= Marks::CORRUPT;
        }
        travelling.hop = label.at_next_hop().hop();
        if duplicate {
            self.pass_on_twice(label.id(), at);
        } else {
            self.pass_on(label.id(), at);
        }
    }

    /// Notes for the observer what became of a packet.
    fn note(&mut self, link: usize, settled: Settled) {
        let untold = &mut self.lanes[link].timed().untold;
        // Packet numbers are reused, but earlier offers with this number have been decided.
        let open = |offer: &&mut Untold| offer.id == settled.tag.id() && offer.decided.is_none();
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
                offer.decided.get_or_insert((Fate::untouched(end), 0));
            }
            self.tell(link);
        }
    }
}
