//! One end of a connection, and what a kernel keeps beside it.

use skywave_core::packet::{Ecn, Flags, Segment, Timestamps, Way};
use skywave_core::seq::SeqNr;
use skywave_core::tcp::config::{Acking, Composition, Profile, RtoConfig, TcpConfig, Usage};
use skywave_core::tcp::connection::{
    Connection, ConnectionConfig, Event, Outgoing, State, refusal,
};
use skywave_core::time::{Duration, Time};

use super::ready::Wakes;
use super::reordering::{Before, Reordering};
use super::sending::Sending;
use super::settings::{Settings, System};
use super::socket::Wishes;

/// Initial sequence number of every connection here; scripts count from their own.
pub(crate) const ISS: u32 = 3_000_000_000;

/// The estimate of the peer's segments before the first one.
const FIRST_RECEIVED_MSS: u32 = 536;

/// Local end of a TCP connection of the modelled host, with what a kernel keeps beside it, such as send queue
/// and pending error.
#[derive(Debug)]
pub struct End {
    pub(crate) connection: Connection,
    pub(crate) system: System,
    /// Window scale that this end's SYN offers.
    shift: u8,
    /// The window scale of the peer's SYN.
    peer_shift: u8,
    /// The peer's initial sequence number.
    pub(crate) irs: Option<u32>,
    /// Error that no call has told yet.
    pub(crate) error: Option<&'static str>,
    /// The connection was established at some time.
    pub(crate) connected: bool,
    /// The connection has ended.
    pub(crate) over: bool,
    /// A reset of the peer's has ended it.
    pub(crate) was_reset: bool,
    /// The peer has sent its FIN.
    pub(crate) peer_closed: bool,
    pub(crate) sending: Sending,
    pub(crate) wakes: Wakes,
    /// Bytes of the receive buffer that are asked for; rounded where the system does so.
    pub(crate) receive_buffer: u32,
    /// The application has set the receive buffer.
    pub(crate) own_buffer: bool,
    pub(crate) write_shut: bool,
    pub(crate) read_shut: bool,
    /// The application has closed both ways.
    pub(crate) closed: bool,
    /// Answer to data that came after the application had closed both ways.
    pub(crate) late_reset: Option<Segment>,
    /// MSS of this end's SYN.
    pub(crate) advertised: u32,
    /// When data came last, or the connection was made.
    pub(crate) last_data: Time,
    /// The timestamp that came last.
    last_timestamp: Option<Timestamps>,
    pub(crate) reordering: Reordering,
    /// Payload of the largest segment that came, as Linux estimates it.
    pub(crate) received_mss: u32,
    arriving_mss: Option<u32>,
    /// A call has accepted the connection.
    pub(crate) accepted: bool,
    /// SYNs that this end has sent.
    syns: u32,
    syn_retries: Option<u32>,
    /// When a connection that is not established is given up.
    pub(crate) deadline: Option<Time>,
}

impl End {
    pub(crate) fn new(
        settings: &Settings,
        wishes: &Wishes,
        composition: &Composition,
        passive: bool,
        now: Time,
    ) -> Self {
        let config = config(settings, wishes, composition, passive);
        let advertised = config.tcp.mss;
        let shift = config.window_shift.unwrap_or(0);
        Self {
            receive_buffer: wishes.receive_buffer.unwrap_or(settings.receive_buffer),
            own_buffer: wishes.receive_buffer.is_some(),
            sending: Sending::new(settings, wishes),
            wakes: Wakes::default(),
            syn_retries: wishes.syn_retries.or(settings.syn_retries),
            connection: Connection::new(config),
            system: settings.system,
            shift,
            peer_shift: 0,
            irs: None,
            error: None,
            connected: false,
            over: false,
            was_reset: false,
            peer_closed: false,
            write_shut: false,
            read_shut: false,
            closed: false,
            late_reset: None,
            advertised,
            last_data: now,
            last_timestamp: None,
            reordering: Reordering::default(),
            arriving_mss: settings.arriving_mss,
            received_mss: FIRST_RECEIVED_MSS,
            accepted: false,
            syns: 0,
            deadline: None,
        }
    }

    /// A segment arrives; its window is the field of its header.
    pub(crate) fn deliver(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        let before = self.connection.state();
        let mut segment = *segment;
        if segment.is_syn() {
            if self.irs.is_none() {
                let options = segment.options.syn().copied().unwrap_or_default();
                self.peer_shift = options.window_scale.unwrap_or(0).min(14);
            }
        } else if self.connection.agreed().window_scaling {
            segment.window <<= self.peer_shift;
        }
        self.sending.hear(segment.window);
        let in_flight = Before::of(self.connection.sender().flight());
        self.connection.on_segment(
            now,
            &segment,
            Way {
                ecn,
                ..Way::default()
            },
        );
        self.reset_late_data(&segment);
        let flight = self.connection.sender().flight();
        self.reordering
            .after(&in_flight, flight, self.connection.agreed().mss);
        if segment.len > 0 {
            let size = self
                .arriving_mss
                .map_or(segment.len, |mss| mss.min(segment.len));
            self.received_mss = self.received_mss.max(size.min(self.advertised));
            self.last_data = now;
        }
        self.last_timestamp = segment.timestamps.or(self.last_timestamp);
        let after = self.connection.state();
        if segment.is_syn()
            && self.irs.is_none()
            && !matches!(after, State::Closed | State::Listen | State::SynSent)
        {
            self.irs = Some(segment.seq.0);
            self.round_buffer();
        }
        let refused = matches!(before, State::SynSent | State::SynReceived);
        if segment.is_rst()
            && after == State::Closed
            && before != State::TimeWait
            && before != State::Closed
        {
            self.was_reset = true;
            self.error = Some(match before {
                _ if refused => "ECONNREFUSED",
                State::CloseWait if self.system == System::Linux => "EPIPE",
                _ => "ECONNRESET",
            });
        }
        let was_connected = self.connected;
        self.hear_events();
        if self.connected && !was_connected {
            self.last_data = now;
        }
    }

    /// Data comes that nobody will read, since the application has closed: the peer is told by a reset (RFC 1122
    /// section 4.2.2.13).
    fn reset_late_data(&mut self, segment: &Segment) {
        let waits = matches!(self.connection.state(), State::FinWait1 | State::FinWait2);
        if self.closed && waits && self.connection.readable() > 0 {
            self.connection.abort();
            self.late_reset = refusal(segment);
            let _ = self.connection.poll_transmit(Time::ZERO);
        }
    }

    /// FreeBSD makes a buffer a multiple of the MSS when that is known.
    fn round_buffer(&mut self) {
        if self.system == System::FreeBsd {
            let mss = self.connection.agreed().mss.max(1);
            self.receive_buffer = self.receive_buffer.div_ceil(mss).saturating_mul(mss);
            self.connection.set_receive_buffer(self.receive_buffer);
        }
    }

    pub(crate) fn hear_events(&mut self) {
        while let Some(event) = self.connection.poll_event() {
            match event {
                Event::Connected => self.connected = true,
                Event::PeerClosed => self.peer_closed = true,
                Event::Reset => {
                    self.was_reset = true;
                    self.error = self.error.or(Some("ECONNRESET"));
                }
                Event::TimedOut => self.error = Some("ETIMEDOUT"),
                Event::Closed => self.over = true,
                Event::Readable | Event::Writable => {}
            }
        }
    }

    /// Next segment that this end sends, with the field of its header for the window.
    pub(crate) fn poll(&mut self, now: Time) -> Option<(Outgoing, u32)> {
        let outgoing = self.connection.poll_transmit(now)?;
        let segment = &outgoing.segment;
        if segment.is_syn() {
            self.syns += 1;
            if self.syn_retries.is_some_and(|most| self.syns > most + 1) {
                self.give_up("ETIMEDOUT");
                return None;
            }
        }
        let scaled = !segment.is_syn() && self.connection.agreed().window_scaling;
        let shift = if scaled { self.shift } else { 0 };
        let field = (segment.window >> shift).min(0xffff);
        Some((outgoing, field))
    }

    /// Ends the connection without a word to the peer.
    pub(crate) fn give_up(&mut self, error: &'static str) {
        self.connection.abort();
        // In SYN-SENT nobody is told; in another state the reset is thrown away.
        let _ = self.connection.poll_transmit(Time::ZERO);
        self.hear_events();
        self.error = Some(error);
    }

    /// Ends the connection by a reset that acknowledges what has come, as Linux does when nobody will read that.
    pub(crate) fn abort_unread(&mut self, now: Time) -> Option<Segment> {
        self.connection.abort();
        let reset = self.connection.poll_transmit(now)?.segment;
        let next = self.connection.received() + 1 + u64::from(self.peer_closed);
        Some(Segment {
            ack: SeqNr::at(self.irs?, next),
            flags: reset.flags | Flags::ACK,
            timestamps: self
                .last_timestamp
                .filter(|_| self.connection.agreed().timestamps)
                .map(|t| Timestamps {
                    value: now,
                    echo: t.value,
                }),
            ..reset
        })
    }

    /// TCP state of the connection, such as ESTABLISHED (RFC 9293 section 3.3.2).
    pub fn state(&self) -> State {
        self.connection.state()
    }
}

/// Room for what arrives: in Linux whole segments, if there is room for one.
fn first_window(settings: &Settings, wishes: &Wishes, mss: u32) -> u32 {
    let buffer = wishes.receive_buffer.unwrap_or(settings.receive_buffer);
    match settings.system {
        System::Linux if buffer > mss => buffer / mss * mss,
        _ => buffer,
    }
}

fn config(
    settings: &Settings,
    wishes: &Wishes,
    composition: &Composition,
    passive: bool,
) -> ConnectionConfig {
    let profile = match settings.system {
        System::Linux => Profile::Linux,
        System::FreeBsd => Profile::Rfc,
    };
    let rto = RtoConfig {
        granularity: settings.rto_slop.max(Duration::from_millis(1)),
        min: settings.rto_slop,
        max: Duration::from_secs(if settings.system == System::Linux {
            120
        } else {
            64
        }),
        initial: settings.initial_rto,
        ..RtoConfig::EXACT
    };
    let mss = settings.mss().min(wishes.mss.unwrap_or(u32::MAX));
    let tcp = TcpConfig {
        mss,
        rwnd: first_window(settings, wishes, mss),
        iss: ISS,
        timestamps: settings.timestamps,
        sack: settings.sack,
        dsack: settings.dsack,
        fin_ignores_window: settings.system == System::Linux,
        timer_slack: settings.timer_slack,
        usage: match settings.system {
            System::Linux => Usage::InRound,
            System::FreeBsd => Usage::AtAck,
        },
        ecn: settings.ecn == 1 || settings.ecn == 2 && passive,
        restart_after_idle: settings.restart_after_idle,
        rto: rto.into(),
        acking: match settings.system {
            // The first segments of a connection are acknowledged one by one, and scripts are short.
            System::Linux => Acking::delayed(1, settings.rto_slop),
            System::FreeBsd => Acking::delayed(2, settings.ack_delay),
        },
        ..TcpConfig::new(profile, composition.clone())
    };
    let buffer = wishes.receive_buffer;
    ConnectionConfig {
        window_scaling: settings.window_scaling,
        nagle: !wishes.no_delay,
        window_shift: Some(settings.window_shift(buffer)),
        exact_window: true,
        blind_resets: settings.insecure_reset || settings.insecure_syn,
        mss_counts_options: true,
        challenge_interval: match settings.system {
            System::Linux => Duration::from_millis(500),
            System::FreeBsd => Duration::ZERO,
        },
        user_timeout: wishes.user_timeout,
        takes_bare: settings.system == System::Linux,
        accepts_whole_buffer: settings.system == System::FreeBsd,
        repeats_fin: settings.system == System::FreeBsd,
        ..ConnectionConfig::from(tcp)
    }
}
