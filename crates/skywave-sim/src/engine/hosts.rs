//! How the hosts at the ends of flows handle packets and timers.

use skywave_core::Time;

use super::flow::{Answer, Local};
use super::plan::{Receiving, latest};
use super::stop;
use super::world::{Event, Travelling, World};

impl World<'_> {
    /// The sender's host does everything that is due by now.
    #[inline(never)]
    pub(super) fn on_sender(&mut self, index: usize) {
        let (own, first) = 'turns: loop {
            let flow = &mut self.flows[index];
            // Of equal times: the application, the timer, the network.
            let (own, first) = (flow.next_own(), flow.to_sender.first());
            let mail = first.filter(|&at| at < own);
            let at = mail.unwrap_or(own);
            if at > self.now || at >= self.end {
                break (own, first);
            }
            flow.pass(at);
            if mail.is_none() {
                self.on_own(index, at);
            } else if let Some(id) = flow.to_sender.take() {
                flow.on_ack(at, &self.packets[id as usize]);
                self.release(id);
                self.prefetch_acks(index);
            }
            loop {
                let flow = &mut self.flows[index];
                let Some(departure) = flow.poll_sender(at) else {
                    break;
                };
                let packet = flow.data(departure, at);
                self.send_inlined(packet, at);
                if departure.is_last() {
                    continue 'turns; // with data in flight there is nothing to settle
                }
            }
            if !self.flows[index].is_tcp() {
                self.send_other(index, at);
            }
            self.flows[index].settle(at);
        };
        self.schedule_sender_at(index, own, first);
    }

    /// Sends what a sender other than TCP's has to send.
    #[inline(never)]
    fn send_other(&mut self, index: usize, at: Time) {
        self.send_all(index, at);
        self.work_proxy(index, at);
    }

    /// As [`Self::send_other`], whatever follows from it for a proxy. It looks at the flag of the caller now and then: a source of
    /// datagrams may send without end within one event.
    pub(super) fn send_all(&mut self, index: usize, at: Time) {
        while let Some(packet) = self.flows[index].poll_other_sender(at) {
            self.send(packet, at);
            self.others -= 1;
            if self.others == 0 {
                self.others = stop::TURNS;
                self.is_to_stop();
            }
        }
    }

    /// The sender's host does what is due at `at`, other than to take a packet.
    #[inline(never)]
    fn on_own(&mut self, index: usize, at: Time) {
        let flow = &mut self.flows[index];
        match flow.own_turn() {
            Local::Stop => flow.on_stop(),
            Local::Timer => flow.on_sender_timer(at),
            Local::Application => flow.on_application(at),
        }
    }

    pub(super) fn schedule_sender(&mut self, index: usize) {
        let flow = &self.flows[index];
        self.schedule_sender_at(index, flow.next_own(), flow.to_sender.first());
    }

    /// Schedules events for the sender's host: for its `own` turn, and for the `first` of its
    /// packets.
    #[inline(always)]
    fn schedule_sender_at(&mut self, index: usize, own: Time, first: Option<Time>) {
        if let Some(first) = first {
            self.schedule_mail_to_sender(index, first);
        }
        if own < self.end {
            let at = latest(own, self.plan.senders[index]);
            let flow = &mut self.flows[index];
            if flow.sender_timer.earlier(at) {
                self.push(at, Event::SenderTimer(index as u32));
            }
        }
    }

    /// Schedules an event for the `first` of the packets that wait for the sender's host.
    #[inline(always)]
    pub(super) fn schedule_mail_to_sender(&mut self, index: usize, first: Time) {
        let at = latest(first, self.plan.senders[index]);
        let mail = &mut self.flows[index].to_sender;
        if mail.wake.earlier(at) {
            self.push(at, Event::Sender(index as u32));
        }
    }

    /// The receiver's host does what is due by now, less its slack.
    pub(super) fn on_receiver(&mut self, index: usize) {
        if !self.flows[index].is_tcp() {
            self.hear_destination_first(index);
        }
        let Receiving { slack, .. } = self.plan.receivers[index];
        let horizon = self.now - slack;
        let mut turns = 0_usize;
        while let Some(mail) = &mut self.flows[index].to_receiver
            && let Some(at) = mail.first()
            && at <= horizon
            && let Some(id) = mail.take()
        {
            self.deliver(index, id, at);
            turns += 1;
            if turns.is_multiple_of(stop::TURNS) && self.is_to_stop() {
                return;
            }
        }
        self.fire_receiver_timer(index, horizon);
        if !self.flows[index].is_tcp() {
            self.work_proxy(index, self.now);
        }
        self.schedule_receiver(index);
    }

    pub(super) fn schedule_receiver(&mut self, index: usize) {
        let Receiving { slack, .. } = self.plan.receivers[index];
        let flow = &mut self.flows[index];
        if let Some(mail) = &mut flow.to_receiver
            && let Some(first) = mail.first()
        {
            let at = first + slack;
            if mail.wake.earlier(at) {
                self.push(at, Event::Receiver(index as u32));
            }
        }
        self.schedule_receiver_timer(index);
    }

    #[inline(always)]
    fn schedule_receiver_timer(&mut self, index: usize) {
        let flow = &mut self.flows[index];
        let due = flow.receiver_due();
        if due < self.end {
            let at = due + self.plan.receivers[index].slack;
            if flow.receiver_timer.earlier(at) {
                self.push(at, Event::ReceiverTimer(index as u32));
            }
        }
    }

    /// Hands a packet to its receiver at `at` and sends what that answers.
    #[inline(never)]
    pub(super) fn deliver(&mut self, index: usize, id: u32, at: Time) {
        self.fire_receiver_timer(index, at);
        let flow = &mut self.flows[index];
        let Travelling { packet, hop } = &self.packets[id as usize];
        flow.on_data(at, packet, *hop);
        let answer = flow.poll_receiver();
        if answer == Answer::Plain {
            // The usual case: the ACK may take the place of the packet that it answers. Saves 6 % of the instructions of
            // 24 flows.
            let packet = flow.ack::<false>(at);
            self.send_in_place(id, packet, at);
        } else {
            self.release(id);
            if answer == Answer::WithNews {
                // Not in the loop of all answers: 0.4 % of the instructions of one flow.
                self.answer_with_news(index, at);
                self.answer(index, at);
            } else if answer != Answer::None {
                self.answer_all(index, at, answer);
            }
        }
        self.schedule_receiver_timer(index);
    }

    /// Fires the receiver's timer if it is due by `horizon`, as of the time at which it is due.
    #[inline]
    fn fire_receiver_timer(&mut self, index: usize, horizon: Time) {
        let due = self.flows[index].receiver_due();
        if due <= horizon {
            self.on_receiver_timer(index, due);
        }
    }

    #[inline(never)]
    fn on_receiver_timer(&mut self, index: usize, due: Time) {
        self.flows[index].ends.on_receiver_timer(due);
        self.answer(index, due);
    }

    /// Sends all that the receiver has to say.
    #[inline(always)]
    pub(super) fn answer(&mut self, index: usize, at: Time) {
        let first = self.flows[index].poll_receiver();
        if first != Answer::None {
            self.answer_all(index, at, first);
        }
    }

    /// Sends this answer of the receiver, and those after it.
    #[inline(never)]
    fn answer_all(&mut self, index: usize, at: Time, mut answer: Answer) {
        loop {
            match answer {
                Answer::None => return,
                Answer::Plain => {
                    let packet = self.flows[index].ack::<false>(at);
                    return self.send(packet, at);
                }
                Answer::WithNews => self.answer_with_news(index, at),
                Answer::Other => {
                    while let Some(packet) = self.flows[index].poll_other_receiver(at) {
                        self.send(packet, at);
                    }
                    return;
                }
            }
            answer = self.flows[index].poll_receiver();
        }
    }

    /// Sends an ACK that may report blocks.
    #[inline(never)]
    fn answer_with_news(&mut self, index: usize, at: Time) {
        let packet = self.flows[index].ack::<true>(at);
        self.send(packet, at);
    }
}
