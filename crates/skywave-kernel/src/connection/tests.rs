//! Facts that a kernel told, recorded by `skywave attach cerl --record`: 2 % of loss and a blackout, so that there are
//! repairs, timeouts, cuts taken back and pauses among them.

use skywave_core::tcp::PRESETS;

use super::*;
use crate::agent::Agent;
use crate::message::BYTES;

const FACTS: &[u8] = include_bytes!("../../tests/data/cerl.facts");

/// Words of an answer that are recorded.
const WORDS: usize = 6;

/// Each message with the words that answered it.
fn facts() -> Vec<(Message, [u64; WORDS])> {
    let events = FACTS.chunks_exact(BYTES + WORDS * 8);
    let read = events.map(|event| {
        let (message, answer) = event.split_at(BYTES);
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(answer.as_chunks().0) {
            *word = u64::from_ne_bytes(*bytes);
        }
        (Message::read(message).unwrap(), words)
    });
    read.collect()
}

fn law(name: &str) -> Law {
    Law::named(name).unwrap()
}

#[test]
fn the_recording_has_all_that_a_law_hears() {
    let facts = facts();
    let count = |test: &dyn Fn(&Message) -> bool| facts.iter().filter(|(m, _)| test(m)).count();
    assert!(count(&|m| m.kind == Kind::Ack) > 600);
    assert!(count(&|m| m.kind == Kind::State && m.state == State::Recovery) > 5);
    assert!(count(&|m| m.kind == Kind::State && m.state == State::Loss) > 2);
    assert!(count(&|m| m.kind == Kind::Undo) > 0);
    assert!(count(&|m| m.kind == Kind::Idle) > 0);
}

#[test]
fn what_was_answered_is_answered_again() {
    let facts = facts();
    let mut connection = Connection::new(&law("cerl"), &facts[0].0);
    for (message, words) in &facts {
        let answer = connection.take(message).unwrap();
        assert_eq!(
            answer.words()[..WORDS],
            words[..],
            "event {}",
            message.number
        );
    }
}

/// The law alone, told by the definitions of its events: each from the message itself, the one before and the first.
struct Alone {
    law: Congestion,
    window: Window,
    config: TcpConfig,
    slow_start: Option<SlowStart>,
    before: Option<Window>,
    told: Vec<Message>,
}

impl Alone {
    fn new(name: &str, first: &Message) -> Self {
        let config = TcpConfig {
            mss: first.mss,
            initial_window: Segments(f64::from(first.cwnd)),
            ..law(name).config
        };
        let mut law = Congestion::new(&config);
        law.on_open(Time::ZERO, Some(first.srtt));
        let own = law.facts().owns_window;
        Self {
            law,
            window: Window {
                cwnd: config.initial_window,
                ssthresh: Segments(f64::INFINITY),
            },
            slow_start: SlowStart::new(config.slow_start).filter(|_| !own),
            config,
            before: None,
            told: vec![*first],
        }
    }

    fn since_open(&self, m: &Message, of: fn(&Message) -> u32) -> u64 {
        u64::from(of(m).wrapping_sub(of(&self.told[0])))
    }

    fn since_last(&self, m: &Message, of: fn(&Message) -> u32) -> u64 {
        u64::from(of(m).wrapping_sub(of(self.told.last().unwrap())))
    }

    fn segments(m: &Message, bytes: u64) -> Segments {
        Segments(bytes as f64 / f64::from(m.mss))
    }

    fn now(&self, m: &Message) -> Time {
        Time::from_nanos(m.at - self.told[0].at)
    }

    fn take(&mut self, m: &Message) {
        let out = Self::segments(m, u64::from(m.nxt.wrapping_sub(m.una)));
        let in_force = self.window.cwnd.min(Self::segments(m, u64::from(m.rwnd)));
        let (una, now) = (self.since_open(m, |m| m.una), self.now(m));
        match m.kind {
            Kind::Open | Kind::Close => {}
            Kind::Ack => self.on_ack(m),
            Kind::State if m.state == State::Loss => {
                if self.told.last().unwrap().state != State::Loss {
                    self.before = Some(self.window);
                }
                let event = TimeoutEvent {
                    now,
                    window: in_force,
                    in_flight: out,
                    outstanding: out,
                };
                let answer = self.law.on_timeout(&event, &self.window);
                self.window = Window {
                    cwnd: answer.window_after.max(Segments::ONE),
                    ssthresh: Segments(answer.ssthresh.0.trunc()),
                };
            }
            Kind::State => {
                assert_eq!(m.state, State::Recovery, "no marks were recorded");
                self.before = Some(self.window);
                let event = LossEvent {
                    now,
                    cause: LossCause::Sack,
                    una,
                    max: self.since_open(m, |m| m.nxt),
                    window: in_force,
                    in_flight: out,
                    outstanding: out,
                    sent_at: now - m.srtt,
                    transmissions: 1,
                    floor: MIN_SSTHRESH,
                    abe: false,
                    warned: false,
                };
                let answer = self.law.on_loss(&event, &self.window);
                self.window = Window {
                    cwnd: answer.window_after,
                    ssthresh: Segments(answer.ssthresh.0.trunc()),
                };
            }
            Kind::Undo => {
                if let Some(before) = self.before.take()
                    && !self.law.facts().owns_window
                {
                    self.window.cwnd = self.window.cwnd.max(before.cwnd);
                    self.window.ssthresh = self.window.ssthresh.max(before.ssthresh);
                }
                let event = SpuriousEvent {
                    now,
                    outstanding: out,
                };
                self.law.on_spurious(&event, &mut self.window);
            }
            Kind::Idle => {
                let event = IdleEvent {
                    now,
                    idle: m.rtt.unwrap(),
                    initial_window: self.config.initial_window,
                };
                self.law.on_resume(&event);
                let rto = m.srtt + m.rttvar.max(Duration::from_millis(200));
                if self.law.facts().owns_window || event.idle > rto {
                    self.law.on_idle_restart(&event, &mut self.window);
                }
            }
        }
        self.told.push(*m);
    }

    fn on_ack(&mut self, m: &Message) {
        let mss = u64::from(m.mss);
        let (una, nxt) = (self.since_open(m, |m| m.una), self.since_open(m, |m| m.nxt));
        let (acked, delivered, lost) = (
            self.since_last(m, |m| m.una),
            self.since_last(m, |m| m.delivered),
            self.since_last(m, |m| m.lost),
        );
        let facts = self.law.facts();
        let total = self.since_open(m, |m| m.delivered);
        let prior = total.saturating_sub(u64::from(m.delivered.wrapping_sub(m.prior_delivered)));
        // Losses were counted ACK by ACK: those when so much had been delivered.
        let mut known = self.told.iter().filter(|m| m.kind == Kind::Ack);
        let lost_before = known
            .clone()
            .rfind(|m| self.since_open(m, |m| m.delivered) <= prior)
            .or(known.next())
            .map_or(self.since_open(m, |m| m.lost), |found| {
                self.since_open(found, |m| m.lost)
            });
        let lost_since = self.since_open(m, |m| m.lost) - lost_before;
        if facts.needs_losses {
            self.tell_losses(m, lost);
        }
        let rate = m.rate_delivered.filter(|_| facts.needs_rate);
        let rate = rate.map(|packets| RateSample {
            delivered: u64::from(packets) * mss,
            interval: m.interval.unwrap_or_default(),
            send_elapsed: Duration::ZERO,
            receiver_time: None,
            prior_delivered: prior * mss,
            total_delivered: total * mss,
            flight_at_send: (u64::from(packets) + lost_since) * mss,
            flight_before: u64::from(m.prior_in_flight) * mss,
            flight_now: u64::from(m.in_flight) * mss,
            lost: lost_since * mss,
            rtt: m.rtt,
            app_limited: m.app_limited,
            too_short: m.interval.is_none(),
            of_original: false,
        });
        let before = Self::segments(m, nxt - una + acked);
        let is_slow = self.window.cwnd < self.window.ssthresh;
        let used = m.cwnd_limited || is_slow && before * 2.0 >= self.window.cwnd;
        let mut event = AckEvent {
            now: self.now(m),
            acked: Self::segments(m, acked),
            counted: Segments(delivered as f64),
            may_grow: used && m.state != State::Recovery,
            rtt: m.rtt,
            segment_rtt: m.rtt,
            srtt: Some(m.srtt),
            una,
            nxt,
            in_flight: Self::segments(m, nxt - una),
            in_flight_before: before,
            delivered: Segments(delivered as f64),
            lost: Segments(lost as f64),
            marked: Segments::ZERO,
            rate,
            repairing: match m.state {
                State::Recovery => Repairing::Loss,
                State::Loss => Repairing::Timeout,
                _ => Repairing::Nothing,
            },
            hints: Hints::NONE,
            one_way: None,
        };
        if facts.owns_window || acked > 0 {
            if let Some(slow_start) = &mut self.slow_start
                && m.state != State::Recovery
            {
                event.counted = slow_start.on_ack(&event, &mut self.window, false);
            }
            self.law.on_ack(&event);
            self.law.grow(&event, &mut self.window);
        } else if delivered > 0 {
            event.counted = Segments::ZERO;
            event.may_grow = false;
            self.law.on_dupack(&event);
        }
    }

    /// Each packet left where the sender was a round trip ago.
    fn tell_losses(&mut self, m: &Message, lost: u64) {
        let mss = u64::from(m.mss);
        let then = self.now(m) - m.srtt;
        let mut known = self.told.iter().filter(|m| m.kind == Kind::Ack);
        let sent = known
            .clone()
            .rfind(|m| self.now(m) <= then)
            .or(known.next());
        let (nxt, at, before) = sent.map_or(
            (
                self.since_open(m, |m| m.una),
                self.now(m),
                self.since_open(m, |m| m.lost),
            ),
            |found| {
                (
                    self.since_open(found, |m| m.nxt),
                    self.now(found),
                    self.since_open(found, |m| m.lost),
                )
            },
        );
        for number in 0..lost {
            let sample = LossSample {
                start: nxt + number * mss,
                end: nxt + (number + 1) * mss,
                flight_at_send: u64::from(m.prior_in_flight) * mss,
                lost: (self.since_open(m, |m| m.lost) - before) * mss,
                total_delivered: self.since_open(m, |m| m.delivered) * mss,
                sent_at: at,
                resent: false,
                app_limited: m.app_limited,
            };
            let now = self.now(m);
            self.law.on_segment_lost(now, &sample, &self.window);
        }
    }
}

#[test]
fn answers_are_the_laws_own() {
    let facts = facts();
    for name in [
        "cerl",
        "veno",
        "westwood+",
        "cubic",
        "bbr",
        "skywave",
        "reno",
        "hybla",
    ] {
        let first = &facts[0].0;
        let mut connection = Connection::new(&law(name), first);
        let mut alone = Alone::new(name, first);
        let mut windows = std::collections::BTreeSet::new();
        for (message, _) in &facts {
            let answer = connection.take(message).unwrap();
            alone.take(message);
            let at = format!("{name}, event {}", message.number);
            assert_eq!(connection.window(), alone.window, "{at}");
            let pace = alone.law.pacing_rate().map(|rate| rate.as_bps() / 8);
            assert_eq!(answer.pace, pace, "{at}");
            windows.insert(answer.cwnd);
        }
        assert!(windows.len() > 5, "{name} hardly moved its window");
    }
}

#[test]
fn a_message_that_was_lost_loses_no_totals() {
    let facts = facts();
    let mut all = Connection::new(&law("veno"), &facts[0].0);
    let mut some = Connection::new(&law("veno"), &facts[0].0);
    for (at, (message, _)) in facts.iter().enumerate() {
        all.take(message);
        if message.kind != Kind::Ack || at % 3 != 0 || at + 1 == facts.len() {
            some.take(message);
        }
    }
    let totals = |c: &Connection| (c.una, c.delivered, c.lost);
    assert_eq!(totals(&some), totals(&all));
}

#[test]
fn a_repair_that_was_not_told_is_seen_by_the_next_ack() {
    let facts = facts();
    let mut told = Connection::new(&law("reno"), &facts[0].0);
    let mut untold = Connection::new(&law("reno"), &facts[0].0);
    let first = |m: &Message| m.kind == Kind::State && m.state == State::Recovery;
    let cut = facts.iter().position(|(m, _)| first(m)).unwrap();
    for (at, (message, _)) in facts[..cut + 2].iter().enumerate() {
        told.take(message);
        if at != cut {
            untold.take(message);
        }
    }
    assert!(told.window.ssthresh < Segments(1e6));
    assert_eq!(told.window, untold.window);
}

#[test]
fn a_reduction_waits_for_the_ack_that_says_why() {
    let mut first = facts()[0].0;
    first.cwnd = 20;
    let reduces = Message {
        kind: Kind::State,
        state: State::Reduction,
        number: 2,
        nxt: first.una.wrapping_add(20 * first.mss),
        ..first
    };
    for (echo, window) in [(true, 10.0), (false, 10.0)] {
        let mut connection = Connection::new(&law("reno"), &first);
        connection.take(&first);
        assert_eq!(connection.take(&reduces), None);
        let ack = Message {
            kind: Kind::Ack,
            number: 3,
            echo,
            ..reduces
        };
        assert!(connection.take(&ack).is_some());
        assert_eq!(connection.window.cwnd, Segments(window));
        // The next ACK of the same reduction is no further one.
        connection.take(&Message { number: 4, ..ack });
        assert_eq!(connection.window.cwnd, Segments(window));
    }
}

#[test]
fn an_agent_that_is_behind_hears_the_latest_ack_of_several() {
    let facts = facts();
    let messages: Vec<Message> = facts.iter().map(|(message, _)| *message).collect();
    let mut agent = Agent::new(law("cerl"));
    let mut last = None;
    agent.take(&messages, &mut |slot, _, answer| {
        last = Some((slot, *answer));
    });
    let heard = agent.heard();
    assert_eq!(heard.connections, 1);
    assert!(heard.merged > 600, "{heard:?}");
    assert_eq!(heard.missing, 0);
    let newest = messages.last().unwrap();
    assert_eq!(last.map(|(_, answer)| answer.number), Some(newest.number));
    // One at a time, all of them; a gap in the numbers is noticed.
    let mut agent = Agent::new(law("cerl"));
    for (at, message) in messages.iter().enumerate() {
        if at != 7 {
            agent.take(&[*message], &mut |_, _, _| {});
        }
    }
    assert_eq!((agent.heard().merged, agent.heard().missing), (0, 1));
}

#[test]
fn a_slot_is_the_next_connections_although_no_end_was_told() {
    let first = facts()[0].0;
    let next = Message {
        id: first.id + 1,
        ..first
    };
    let closed = Message {
        kind: Kind::Close,
        ..first
    };
    let mut agent = Agent::new(law("reno"));
    let mut ids = Vec::new();
    // The late end of the first one does not end the second.
    for message in [first, next, closed, Message { number: 2, ..next }] {
        agent.take(&[message], &mut |_, _, answer| ids.push(answer.id));
    }
    assert_eq!(ids, [first.id, next.id, next.id]);
    assert_eq!((agent.heard().connections, agent.heard().missing), (2, 0));
}

#[test]
fn every_law_that_the_kernel_can_have_takes_the_facts() {
    let facts = facts();
    let mut laws = 0;
    for known in PRESETS.iter() {
        let Ok(law) = Law::named(known.name) else {
            continue;
        };
        laws += 1;
        let mut connection = Connection::new(&law, &facts[0].0);
        for (message, _) in &facts {
            let answer = connection.take(message).unwrap();
            assert!(answer.cwnd > 0 && answer.pace != Some(0), "{}", known.name);
        }
    }
    assert!(laws > 30, "{laws}");
}
