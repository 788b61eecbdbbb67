//! A congestion control law at work in one connection of the kernel's.
//!
//! Where the core's own sender finds losses and repairs them, the kernel does, and tells of it. A [`Connection`] makes of
//! that the events that a law knows:
//!
//! | the kernel tells | the law hears |
//! |---|---|
//! | an ACK | [`on_ack`](skywave_core::tcp::CongestionControl::on_ack) and [`grow`](CongestionControl::grow); [`on_dupack`](CongestionControl::on_dupack) if nothing new was acknowledged, unless the law owns the window |
//! | packets found lost | [`on_segment_lost`](skywave_core::tcp::CongestionControl::on_segment_lost), if the law wants it |
//! | a repair begins | [`on_loss`](skywave_core::tcp::CongestionControl::on_loss) |
//! | the window is to be reduced for an echoed mark | [`on_ecn`](skywave_core::tcp::CongestionControl::on_ecn) |
//! | the same without a mark, as after a probe that repaired a loss | [`on_loss`](skywave_core::tcp::CongestionControl::on_loss) |
//! | the retransmission timer expired | [`on_timeout`](skywave_core::tcp::CongestionControl::on_timeout) |
//! | a cut was a mistake | [`on_spurious`](skywave_core::tcp::CongestionControl::on_spurious) |
//! | data after a pause | [`on_resume`](skywave_core::tcp::CongestionControl::on_resume); [`on_idle_restart`](CongestionControl::on_idle_restart) after the retransmission timeout, or any pause if the law owns the window |
//!
//! Everything is worked out from the messages alone, which tell totals: the same messages give the same answers, and of a
//! message that was lost only the moment is missing. The reduction in proportion (RFC 6937) is made by the program in
//! the kernel, ACK by ACK, towards the window that the law wants.

use skywave_core::packet::Hints;
use skywave_core::tcp::config::TcpConfig;
use skywave_core::tcp::congestion::{Congestion, LawFacts};
use skywave_core::tcp::flight::{LossSample, RateSample};
use skywave_core::tcp::slow_start::SlowStart;
use skywave_core::tcp::window::{
    AckEvent, IdleEvent, LossCause, LossEvent, MIN_SSTHRESH, Repairing, Response, SpuriousEvent,
    TimeoutEvent, Window,
};
use skywave_core::time::{Duration, Time};
use skywave_core::units::Segments;

use crate::answer::Answer;
use crate::history::{History, Moment};
use crate::law::Law;
use crate::message::{Kind, Message, State};

/// The retransmission timer waits at least this long beyond the round trip (`tcp_rto_min`).
const LEAST_VARIANCE: Duration = Duration::from_millis(200);

/// User-space state of one kernel TCP connection: a congestion control law that is fed with the kernel's [`Message`]s
/// and answers with window, threshold and pacing rate.
#[derive(Debug)]
pub struct Connection {
    law: Congestion,
    facts: LawFacts,
    config: TcpConfig,
    slow_start: Option<SlowStart>,
    window: Window,
    /// Before the latest cut, while that may still turn out to be a mistake.
    before_cut: Option<Window>,
    /// The latest message.
    last: Message,
    /// The law's time begins at the first message.
    origin: u64,
    /// Bytes acknowledged since then.
    una: u64,
    /// Packets delivered, marked and lost since then.
    delivered: u64,
    marked: u64,
    lost: u64,
    /// The kernel reduces the window, and it is not known yet whether for a mark.
    reduces: bool,
    history: History,
}

/// Additions of a message to the totals.
#[derive(Clone, Copy, Debug)]
struct News {
    acked: u64,
    delivered: u64,
    marked: u64,
    lost: u64,
}

/// From one reading of a total of 32 bits to the next.
fn ahead(from: u32, to: u32) -> u64 {
    u64::try_from(to.wrapping_sub(from).cast_signed()).unwrap_or(0)
}

impl Connection {
    /// State of a connection of which `first` is the first message: the law's time begins with it, and its initial
    /// window is the one that the message tells.
    pub fn new(law: &Law, first: &Message) -> Self {
        let initial = Segments(f64::from(first.cwnd.max(1)));
        let config = TcpConfig {
            mss: first.mss,
            initial_window: initial,
            ..law.config.clone()
        };
        let mut law = Congestion::new(&config);
        let facts = law.facts();
        let rtt = Some(first.srtt).filter(|srtt| !srtt.is_zero());
        law.on_open(Time::ZERO, rtt);
        Self {
            slow_start: SlowStart::new(config.slow_start).filter(|_| !facts.owns_window),
            law,
            facts,
            window: Window {
                cwnd: initial,
                ssthresh: config.initial_ssthresh.unwrap_or(Segments(f64::INFINITY)),
            },
            config,
            before_cut: None,
            last: *first,
            origin: first.at,
            una: 0,
            delivered: 0,
            marked: 0,
            lost: 0,
            reduces: false,
            history: History::default(),
        }
    }

    /// Tells the law of `message` and returns its answer; `None` after a [`Kind::Close`], and at the start of a window
    /// reduction, whose cause only the next ACK tells.
    pub fn take(&mut self, message: &Message) -> Option<Answer> {
        let news = self.count(message);
        match message.kind {
            Kind::Open => {}
            Kind::Close => return None,
            Kind::Ack => self.on_ack(message, &news),
            // Whether it is for a mark, the ACK tells that comes with it.
            Kind::State if message.state == State::Reduction => {
                self.reduces = true;
                self.last = *message;
                return None;
            }
            Kind::State => self.look_at_state(message, true),
            Kind::Undo => self.on_undo(message),
            Kind::Idle => self.on_idle(message),
        }
        self.last = *message;
        Some(self.answer(message))
    }

    /// Answer that the law's present window and pacing rate give, addressed as the answer to `message`; changes
    /// nothing.
    pub fn answer(&self, message: &Message) -> Answer {
        Answer {
            id: message.id,
            number: message.number,
            at: message.at,
            pace: self.law.pacing_rate().map(|rate| rate.as_bps() / 8),
            cwnd: Answer::packets(self.window.cwnd.0),
            ssthresh: Answer::packets(self.window.ssthresh.0),
        }
    }

    /// Congestion window and slow start threshold that the law wants now, in segments, maybe with a fraction.
    pub fn window(&self) -> Window {
        self.window
    }

    fn count(&mut self, message: &Message) -> News {
        let last = &self.last;
        let news = News {
            acked: ahead(last.una, message.una),
            delivered: ahead(last.delivered, message.delivered),
            marked: ahead(last.marked, message.marked),
            lost: ahead(last.lost, message.lost),
        };
        self.una += news.acked;
        self.delivered += news.delivered;
        self.marked += news.marked;
        self.lost += news.lost;
        news
    }

    fn time(&self, message: &Message) -> Time {
        Time::from_nanos(message.at.saturating_sub(self.origin))
    }

    fn segments(&self, bytes: u64) -> Segments {
        Segments::from_bytes(bytes, self.config.mss)
    }

    fn bytes(&self, packets: u32) -> u64 {
        u64::from(packets) * u64::from(self.config.mss)
    }

    /// Bytes from the oldest that is not acknowledged to the next to be sent.
    fn outstanding(message: &Message) -> u64 {
        ahead(message.una, message.nxt)
    }

    /// The window in force: the law's or the receiver's, whichever is smaller.
    fn effective_window(&self, message: &Message) -> Segments {
        let peer = self.segments(u64::from(message.rwnd));
        self.window.cwnd.min(peer)
    }

    fn on_ack(&mut self, message: &Message, news: &News) {
        let now = self.time(message);
        self.look_at_state(message, false);
        if std::mem::take(&mut self.reduces) {
            let marked = message.echo || news.marked > 0;
            self.cut(
                message,
                if marked {
                    LossCause::Mark
                } else {
                    LossCause::Probe
                },
            );
        }
        let moment = Moment {
            at: now,
            nxt: self.una + Self::outstanding(message),
            delivered: self.delivered,
            lost: self.lost,
        };
        let rate = self.facts.needs_rate.then(|| self.sample(message, &moment));
        self.tell_losses(message, &moment, news.lost);
        self.history
            .push(moment, now - message.srtt * 2, self.prior(message));
        let mut event = self.ack_event(message, news);
        event.rate = rate.flatten();
        if self.facts.owns_window {
            self.law.on_ack(&event);
            self.law.grow(&event, &mut self.window);
        } else if news.acked > 0 {
            if let Some(slow_start) = &mut self.slow_start
                && !message.state.reduces()
            {
                let paced = self.law.pacing_rate().is_some();
                event.counted = slow_start.on_ack(&event, &mut self.window, paced);
            }
            self.law.on_ack(&event);
            self.law.grow(&event, &mut self.window);
        } else if news.delivered > 0 {
            event.counted = Segments::ZERO;
            event.may_grow = false;
            self.law.on_dupack(&event);
        }
        if self.window.cwnd > self.config.max_cwnd {
            self.window.cwnd = self.config.max_cwnd;
        }
    }

    fn ack_event(&self, message: &Message, news: &News) -> AckEvent {
        let packets = |count: u64| Segments(count as f64);
        let outstanding = Self::outstanding(message);
        // Nothing was sent since the latest message but data that is outstanding now.
        let before = self.segments(outstanding + news.acked);
        let slow_start = self.window.cwnd < self.window.ssthresh;
        let used = message.cwnd_limited || slow_start && before * 2.0 >= self.window.cwnd;
        let acked = self.segments(news.acked);
        AckEvent {
            now: self.time(message),
            acked,
            // As Linux counts (`Counting::Delivered`).
            counted: packets(news.delivered),
            may_grow: used && !message.state.reduces() && news.marked == 0,
            rtt: message.rtt,
            segment_rtt: message.rtt,
            srtt: Some(message.srtt).filter(|srtt| !srtt.is_zero()),
            una: self.una,
            nxt: self.una + outstanding,
            in_flight: self.segments(outstanding),
            in_flight_before: before,
            delivered: packets(news.delivered),
            lost: packets(news.lost),
            marked: packets(news.marked),
            rate: None,
            repairing: match message.state {
                State::Recovery => Repairing::Loss,
                State::Loss => Repairing::Timeout,
                State::Open | State::Disorder | State::Reduction => Repairing::Nothing,
            },
            hints: Hints::NONE,
            one_way: None,
        }
    }

    /// Packets that had been delivered when the newest one that this ACK reports was sent.
    fn prior(&self, message: &Message) -> u64 {
        let since = ahead(message.prior_delivered, message.delivered);
        self.delivered.saturating_sub(since)
    }

    fn sample(&self, message: &Message, moment: &Moment) -> Option<RateSample> {
        let mss = u64::from(self.config.mss);
        let delivered = u64::from(message.rate_delivered?);
        let prior = self.prior(message);
        let lost = self.lost - self.history.lost_when(prior).unwrap_or(self.lost);
        Some(RateSample {
            delivered: delivered * mss,
            interval: message.interval.unwrap_or(Duration::ZERO),
            send_elapsed: Duration::ZERO,
            receiver_time: None,
            prior_delivered: prior * mss,
            total_delivered: moment.delivered * mss,
            // The kernel keeps no such snapshot: what has come or was lost since is what was in flight then.
            flight_at_send: (delivered + lost) * mss,
            flight_before: self.bytes(message.prior_in_flight),
            flight_now: self.bytes(message.in_flight),
            lost: lost * mss,
            rtt: message.rtt,
            app_limited: message.app_limited,
            too_short: message.interval.is_none(),
            of_original: false,
        })
    }

    /// Tells of packets found lost. The kernel says how many, not which: they left a round trip ago.
    fn tell_losses(&mut self, message: &Message, moment: &Moment, packets: u64) {
        if !self.facts.needs_losses || packets == 0 {
            return;
        }
        let mss = u64::from(self.config.mss);
        let sent = self.history.at(moment.at - message.srtt);
        let sent = sent.copied().unwrap_or(Moment {
            nxt: self.una,
            ..*moment
        });
        for number in 0..packets {
            let start = sent.nxt + number * mss;
            let loss = LossSample {
                start,
                end: start + mss,
                flight_at_send: self.bytes(message.prior_in_flight),
                lost: (moment.lost - sent.lost) * mss,
                total_delivered: moment.delivered * mss,
                sent_at: sent.at,
                resent: false,
                app_limited: message.app_limited,
            };
            self.law.on_segment_lost(moment.at, &loss, &self.window);
        }
    }

    /// Notices that the kernel began to repair; `told` if it says so, else it is seen by the state of an ACK.
    fn look_at_state(&mut self, message: &Message, told: bool) {
        let (before, now) = (self.last.state, message.state);
        let again = now == State::Recovery && message.high != self.last.high;
        if now == before && !again && !(told && now == State::Loss) {
            return;
        }
        match now {
            // The reduction that goes on is this one's too.
            State::Recovery if before == State::Reduction => {}
            State::Recovery => self.cut(message, LossCause::Sack),
            State::Loss => self.on_timeout(message),
            State::Reduction => self.reduces = true,
            State::Open | State::Disorder => {}
        }
    }

    /// Has the law answer a loss, or a mark.
    fn cut(&mut self, message: &Message, cause: LossCause) {
        let outstanding = self.segments(Self::outstanding(message));
        let now = self.time(message);
        let is_mark = cause == LossCause::Mark;
        let event = LossEvent {
            now,
            cause,
            una: self.una,
            max: self.una + Self::outstanding(message),
            window: self.effective_window(message),
            in_flight: outstanding,
            outstanding,
            sent_at: now - message.srtt,
            transmissions: 1,
            floor: if is_mark { Segments::ONE } else { MIN_SSTHRESH },
            abe: is_mark && self.config.abe,
            warned: is_mark || message.echo,
        };
        self.before_cut = Some(self.window);
        let response = if is_mark {
            self.law.on_ecn(&event, &self.window)
        } else {
            self.law.on_loss(&event, &self.window)
        };
        self.apply(response);
    }

    fn on_timeout(&mut self, message: &Message) {
        let outstanding = self.segments(Self::outstanding(message));
        let event = TimeoutEvent {
            now: self.time(message),
            window: self.effective_window(message),
            in_flight: outstanding,
            outstanding,
        };
        // An expiry after an expiry: the window before all of them may come back.
        if self.last.state != State::Loss {
            self.before_cut = Some(self.window);
        }
        let mut response = self.law.on_timeout(&event, &self.window);
        response.window_after = response.window_after.max(self.config.loss_window);
        self.apply(response);
    }

    fn apply(&mut self, response: Response) {
        self.window.apply(response);
        if self.config.whole_ssthresh {
            self.window.ssthresh = Segments(libm::trunc(self.window.ssthresh.0));
        }
    }

    fn on_undo(&mut self, message: &Message) {
        if let Some(before) = self.before_cut.take()
            && !self.facts.owns_window
        {
            self.window.take_back(&before);
        }
        let event = SpuriousEvent {
            now: self.time(message),
            outstanding: self.segments(Self::outstanding(message)),
        };
        self.law.on_spurious(&event, &mut self.window);
    }

    fn on_idle(&mut self, message: &Message) {
        let idle = message.rtt.unwrap_or_default();
        let event = IdleEvent {
            now: self.time(message),
            idle,
            initial_window: self.config.initial_window,
        };
        self.law.on_resume(&event);
        let rto = message.srtt + message.rttvar.max(LEAST_VARIANCE);
        if self.facts.owns_window || idle > rto && self.config.restart_after_idle {
            self.law.on_idle_restart(&event, &mut self.window);
        }
    }
}

#[cfg(test)]
mod tests;
