//! A connection: the handshake, then sealed packets of both streams.

use std::net::SocketAddr;
use std::sync::Arc;

use skywave_core::{Duration, Time};

use super::config::Config;
use super::moving::{Moving, Token};
use super::status::Status;
use super::streams::Streams;
use crate::key::{PublicKey, SecretKey};
use crate::secure::handshake::{Initiator, Sealer};
use crate::secure::packet::{COOKIE, FIRST, Outer, Refusal, SEALED_HEADER, SECOND, TAG};
use crate::secure::replay::ReplayWindow;

/// Sealed in place of a packet of WTCP, this tells the peer that the connection is given up.
const GONE: &[u8] = &[0];
/// Sealed empty, a packet shows the responder that the handshake is complete; the responder answers
/// with the same.
const NOTHING: &[u8] = &[];
/// Sealed before a token, this asks the peer whether it receives where it seems to be.
const CHALLENGE: u8 = 1;
/// Sealed before the token of a challenge, this answers it.
const RESPONSE: u8 = 2;
/// Bytes of a datagram with either of them.
const CHALLENGE_LEN: usize = SEALED_HEADER + 1 + size_of::<Token>() + TAG;

/// Number of times that the first message is sent without an answer, over 7.5 s, before the handshake
/// begins anew with a new cookie.
const MAX_GREETINGS: u32 = 4;
/// Number of times that a peer is told unasked that the connection is given up. After that it is told
/// only when it says something.
const MAX_GONE: u32 = 4;

/// Why a connection has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failed {
    /// The peer did not answer in time.
    #[error("no answer")]
    NoAnswer,
    /// The peer, or somebody in its place, refused for a while.
    #[error("{}", match .0 {
        Refusal::WrongKey => "refused: the host there has another public key",
        Refusal::UnknownPeer => "refused: the host there does not accept this host's public key",
        Refusal::Full => "refused: the host there has too many connections",
    })]
    Refused(Refusal),
    /// Nothing was heard for [`Config::idle_timeout`].
    #[error("nothing was heard for too long")]
    Idle,
    /// The peer gave up.
    #[error("the peer gave up")]
    GivenUp,
    /// This side gave up.
    #[error("given up")]
    Abandoned,
}

/// The answer to the first message, in case that comes again.
struct Answered {
    first: blake3::Hash,
    second: [u8; SECOND],
}

enum Stage {
    /// May I?
    Asking,
    /// Noise's first message is sent.
    Greeting(Box<Initiator>, [u8; COOKIE], Box<[u8; FIRST]>),
    /// The second message is sent; nothing has shown that the peer has it.
    Answering(Sealer, Box<Answered>),
    /// Both sides can seal.
    Open(Sealer),
    Failed(Failed),
}

/// How both sides call the connection, and who and where the peer is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    /// Number of the connection on this side; packets to it carry it.
    pub(super) id: u32,
    /// Number of the connection on the peer's side, once known.
    pub(super) peer_id: u32,
    /// Where the peer is, as far as is proven.
    pub(super) peer: SocketAddr,
    /// Who the peer is.
    pub(super) peer_key: PublicKey,
}

pub(super) struct Connection {
    stage: Stage,
    config: Arc<Config>,
    names: Names,
    streams: Streams,
    /// The number of the next sealed packet.
    counter: u64,
    replay: ReplayWindow,
    last_heard: Time,
    /// The latest refusal, which may be a stranger's.
    refusal: Option<Refusal>,
    /// When the handshake is given up, and when its message is sent again.
    deadline: Time,
    repeat_at: Time,
    repeats: u32,
    /// Whether this side began, and has to show that the handshake is complete.
    connects: bool,
    shown: bool,
    /// Somebody at the peer's address has said since that there is no such connection.
    doubted: bool,
    /// Something to be sealed beside the streams' packets.
    aside: Option<&'static [u8]>,
    /// Where the peer may have moved to.
    moving: Moving,
    /// A challenge to be answered, and where it came from.
    challenged: Option<(SocketAddr, Token)>,
    /// The application has given it up, or needs it no more.
    abandoned: bool,
    packet: Vec<u8>,
}

impl Connection {
    /// Connects to a peer.
    pub(super) fn connect(now: Time, names: Names, config: &Arc<Config>) -> Self {
        Self::new(now, names, Stage::Asking, true, config)
    }

    /// Answers a peer that has shown who it is.
    pub(super) fn answer(
        now: Time,
        names: Names,
        (sealer, second, first): (Sealer, [u8; SECOND], &[u8; FIRST]),
        config: &Arc<Config>,
    ) -> Self {
        let first = blake3::hash(first);
        let stage = Stage::Answering(sealer, Box::new(Answered { first, second }));
        Self::new(now, names, stage, false, config)
    }

    fn new(now: Time, names: Names, stage: Stage, connects: bool, config: &Arc<Config>) -> Self {
        Self {
            stage,
            names,
            streams: Streams::new(connects, &config.wtcp, config.send_buffer),
            counter: 0,
            replay: ReplayWindow::default(),
            last_heard: now,
            refusal: None,
            deadline: now + config.handshake_timeout,
            repeat_at: now,
            repeats: 0,
            connects,
            shown: false,
            doubted: false,
            aside: None,
            moving: Moving::default(),
            challenged: None,
            abandoned: false,
            packet: Vec::new(),
            config: Arc::clone(config),
        }
    }

    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    pub(super) fn streams(&self) -> &Streams {
        &self.streams
    }

    pub(super) fn streams_mut(&mut self) -> &mut Streams {
        &mut self.streams
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Open(_))
    }

    pub(super) fn failed(&self) -> Option<Failed> {
        match self.stage {
            Stage::Failed(why) => Some(why),
            _ => self.abandoned.then_some(Failed::Abandoned),
        }
    }

    /// The second message is sent, and nothing has shown that the peer has it.
    pub(super) fn is_answering(&self) -> bool {
        matches!(self.stage, Stage::Answering(..))
    }

    /// Whether nobody needs it but a peer that has not been told of the end.
    pub(super) fn is_spare(&self) -> bool {
        self.abandoned
    }

    /// Whether nobody needs it at all.
    pub(super) fn is_dead(&self) -> bool {
        self.abandoned && matches!(self.stage, Stage::Failed(_))
    }

    pub(super) fn status(&self, now: Time) -> Status {
        Status {
            refusal: self.refusal,
            ..Status::of(&self.streams, self.silence(now), self.doubted)
        }
    }

    /// The application gives up, or needs nothing more: what is not delivered will not be.
    pub(super) fn abandon(&mut self, now: Time) {
        if std::mem::replace(&mut self.abandoned, true) {
            return;
        }
        if !self.is_open() {
            self.fail(Failed::NoAnswer);
        } else if !self.streams.is_over() {
            self.streams.forget();
            self.repeats = 0;
            self.repeat_at = now;
        }
    }

    /// The answer to send again, if it is the same first message again.
    pub(super) fn answer_again(&self, message: &[u8; FIRST]) -> Option<Outer<'_>> {
        match &self.stage {
            Stage::Answering(_, answered) if answered.first == blake3::hash(message) => {
                Some(Outer::Second {
                    id: self.names.peer_id,
                    message: &answered.second,
                })
            }
            _ => None,
        }
    }

    pub(super) fn on_cookie(
        &mut self,
        now: Time,
        from: SocketAddr,
        cookie: [u8; COOKIE],
        secret: &SecretKey,
    ) {
        if from == self.names.peer && matches!(self.stage, Stage::Asking) {
            let (state, message) = Initiator::begin(secret, &self.names.peer_key, cookie);
            self.stage = Stage::Greeting(Box::new(state), cookie, Box::new(message));
            self.repeat_at = now;
            self.repeats = 0;
        }
    }

    pub(super) fn on_second(&mut self, now: Time, from: SocketAddr, message: &[u8; SECOND]) {
        let Stage::Greeting(state, ..) = &mut self.stage else {
            return;
        };
        if from != self.names.peer {
            return;
        }
        let Ok(peer_id) = state.read(message) else {
            return; // somebody else's
        };
        if let Stage::Greeting(state, ..) = std::mem::replace(&mut self.stage, Stage::Asking)
            && let Ok(sealer) = state.into_sealer()
        {
            self.stage = Stage::Open(sealer);
            self.names.peer_id = peer_id;
            self.last_heard = now;
            self.repeat_at = now;
            self.repeats = 0;
        }
    }

    pub(super) fn on_refused(&mut self, from: SocketAddr, reason: Refusal) {
        if from == self.names.peer && matches!(self.stage, Stage::Greeting(..)) {
            self.refusal = Some(reason);
        }
    }

    /// Whether the peer began it.
    pub(super) fn is_answered(&self) -> bool {
        !self.connects
    }

    /// Gives it up although the application needs it: it is silent, and its place is needed.
    pub(super) fn displace(&mut self) {
        self.fail(Failed::Idle);
    }

    /// Time since anything authentic was heard.
    pub(super) fn silence(&self, now: Time) -> Duration {
        now.since(self.last_heard)
    }

    /// Somebody at the peer's address says that there is no connection of its number.
    pub(super) fn on_unknown(&mut self) {
        self.doubted |= self.is_open();
    }

    /// A sealed packet. True if it is the peer's.
    pub(super) fn on_sealed(
        &mut self,
        now: Time,
        from: SocketAddr,
        counter: u64,
        sealed: &[u8],
    ) -> bool {
        let (Stage::Open(sealer) | Stage::Answering(sealer, _)) = &self.stage else {
            return false;
        };
        let new = self.replay.is_new(counter);
        if !new || sealer.open(counter, sealed, &mut self.packet).is_err() {
            return false;
        }
        self.replay.accept(counter);
        self.last_heard = now;
        let heard = (SEALED_HEADER + sealed.len(), self.replay.is_latest(counter));
        let interval = self.config.handshake_interval;
        let places = (from, self.names.peer);
        self.moving.heard(now, places, heard, interval);
        if let Stage::Answering(..) = self.stage
            && let Stage::Answering(sealer, _) = std::mem::replace(&mut self.stage, Stage::Asking)
        {
            self.stage = Stage::Open(sealer);
        }
        self.shown = true;
        self.doubted = false;
        if let Some((&kind @ (CHALLENGE | RESPONSE), token)) = self.packet.split_first()
            && let Ok(token) = token.try_into()
        {
            if kind == CHALLENGE {
                self.challenged = Some((from, token));
            } else if let Some(at) = self.moving.answered(token) {
                self.names.peer = at;
            }
        } else if self.packet == GONE {
            if !self.streams.is_over() {
                self.fail(Failed::GivenUp);
            }
        } else if self.has_given_up() {
            self.aside = Some(GONE);
        } else if self.packet == NOTHING {
            if !self.connects {
                self.aside = Some(NOTHING);
            }
        } else {
            let packet = std::mem::take(&mut self.packet);
            self.streams.on_packet(now, &packet);
            self.packet = packet;
            if self.streams.has_failed() {
                self.fail(Failed::GivenUp);
            }
        }
        true
    }

    pub(super) fn on_timer(&mut self, now: Time) {
        match &self.stage {
            Stage::Failed(_) => {}
            Stage::Open(_) => {
                if self.idle_at() <= now {
                    self.fail(Failed::Idle);
                } else {
                    self.streams.on_timer(now);
                }
            }
            Stage::Asking | Stage::Greeting(..) | Stage::Answering(..) => {
                if self.deadline <= now {
                    // The application has never heard of one that a peer began.
                    self.abandoned |= matches!(self.stage, Stage::Answering(..));
                    self.fail(self.refusal.map_or(Failed::NoAnswer, Failed::Refused));
                }
            }
        }
    }

    /// When something is to be done, in [`Self::on_timer`] or [`Self::poll_transmit`].
    pub(super) fn next_timer(&self) -> Option<Time> {
        match self.stage {
            Stage::Asking | Stage::Greeting(..) => Some(self.deadline.min(self.repeat_at)),
            Stage::Answering(..) => Some(self.deadline),
            Stage::Open(_) => {
                let streams = self.streams.next_timer().filter(|_| self.streams_live());
                let times = [streams, self.unasked_at(), self.moving.next(CHALLENGE_LEN)];
                let times = times.into_iter().flatten();
                Some(times.fold(self.idle_at(), Time::min))
            }
            Stage::Failed(_) => None,
        }
    }

    /// Writes the next datagram for the peer to the end of `out`, and says where it goes.
    pub(super) fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<SocketAddr> {
        let peer = self.names.peer;
        match &self.stage {
            Stage::Open(_) => self.poll_sealed(now, out),
            Stage::Greeting(_, cookie, message)
                if self.repeat_at <= now && self.repeats < MAX_GREETINGS =>
            {
                let (id, cookie) = (self.names.id, *cookie);
                let first = Outer::First {
                    id,
                    cookie,
                    message,
                };
                first.encode(out);
                self.repeat(now);
                Some(peer)
            }
            Stage::Asking | Stage::Greeting(..) if self.repeat_at <= now => {
                if matches!(self.stage, Stage::Greeting(..)) {
                    // The cookie may be too old.
                    self.stage = Stage::Asking;
                    self.repeats = 0;
                }
                Outer::Hello { id: self.names.id }.encode(out);
                self.repeat(now);
                Some(peer)
            }
            _ => None,
        }
    }

    fn poll_sealed(&mut self, now: Time, out: &mut Vec<u8>) -> Option<SocketAddr> {
        let mut to = self.names.peer;
        self.packet.clear();
        if let Some((from, token)) = self.challenged.take() {
            to = from;
            self.packet.push(RESPONSE);
            self.packet.extend_from_slice(&token);
        } else if let Some((at, token)) = self.moving.challenge(now, CHALLENGE_LEN) {
            to = at;
            self.packet.push(CHALLENGE);
            self.packet.extend_from_slice(&token);
        } else if let Some(aside) = self.aside.take() {
            self.packet.extend_from_slice(aside);
        } else if self.unasked_at().is_some_and(|at| at <= now) {
            let word = if self.has_given_up() { GONE } else { NOTHING };
            self.packet.extend_from_slice(word);
            self.repeat(now);
        } else if !self.streams_live() || !self.streams.poll_transmit(now, &mut self.packet) {
            return None;
        }
        let Stage::Open(sealer) = &self.stage else {
            return None;
        };
        let (id, counter) = (self.names.peer_id, self.counter);
        let sealed = &[];
        Outer::Sealed {
            id,
            counter,
            sealed,
        }
        .encode(out);
        debug_assert_eq!(out.len(), SEALED_HEADER);
        sealer.seal(counter, &self.packet, out);
        self.counter += 1;
        Some(to)
    }

    /// The application has given up before the streams were over.
    fn has_given_up(&self) -> bool {
        self.abandoned && !self.streams.is_over()
    }

    /// When something is sealed that no packet has asked for: that the connection is given up, that the
    /// handshake is complete, or whether the peer is still there.
    fn unasked_at(&self) -> Option<Time> {
        if self.has_given_up() {
            (self.repeats < MAX_GONE).then_some(self.repeat_at)
        } else if !self.connects || self.abandoned {
            None
        } else if self.shown {
            Some(self.repeat_at.max(self.last_heard + self.config.ask_after))
        } else {
            Some(self.repeat_at)
        }
    }

    /// The streams go on, unless the application has given up before they were over.
    fn streams_live(&self) -> bool {
        !self.has_given_up()
    }

    fn repeat(&mut self, now: Time) {
        self.repeat_at = now + self.interval();
        self.repeats += 1;
    }

    fn interval(&self) -> Duration {
        let doubled = self.config.handshake_interval * (1 << self.repeats.min(16));
        doubled.min(self.config.max_handshake_interval)
    }

    fn idle_at(&self) -> Time {
        self.last_heard + self.config.idle_timeout
    }

    fn fail(&mut self, why: Failed) {
        self.stage = Stage::Failed(why);
    }
}
