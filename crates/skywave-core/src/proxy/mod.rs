//! A split connection: a node on the path ends the source's connection and begins another one to the destination.
//!
//! A [`Proxy`] is what joins the two: it takes the bytes of the one as they come in order and hands them
//! to the other. Both are [`Connection`]s like any other, with slots, timers and windows of their own,
//! and the driver keeps them. So there is no second TCP here, and the two may differ in everything.
//!
//! Bytes stay unread in the receive buffer of the connection from the source until the destination has
//! acknowledged them. So that buffer is the proxy's whole memory, its receive window is the room that is
//! left, and when it is full the source waits.
//!
//! Bakre and Badrinath, "I-TCP: Indirect TCP for Mobile Hosts", ICDCS 1995; the thesis' section 3.3.
//!
//! Out-of-order data takes its place in that buffer too, so that nothing else has to be counted or limited. A
//! byte is read there only when the destination has acknowledged it, though it is handed on as soon as it has
//! come in order.
//!
//! A flow with a proxy is two flows, each of which reports what any flow reports, and may have any variant of TCP.
//! The whole has a table of its own: delay from end to end, what is in the buffer, and what a failure would lose.
//!
//! When a proxy hands on is a policy of its own (`release.rs`) before the connection to the destination. What
//! waits there is in the receive buffer like all else, and a policy that is to slow the source down only has to
//! put off reading.

mod end_to_end;
mod release;

use crate::tcp::Connection;
use crate::tcp::connection::Event;
use crate::time::Time;

pub use end_to_end::EndToEnd;
pub use release::{Paced, Spaced, TowardsDestination};

use end_to_end::Watch;
use release::Release;

/// Settings of a proxy that splits a TCP path. Its buffer is the receive buffer of its connection from the source.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProxyConfig {
    /// Policy towards the source: the bytes that it acknowledges, and the window that it grants.
    pub towards_source: TowardsSource,
    /// Policy towards the destination: when the proxy hands on the bytes that have come in order.
    pub towards_destination: TowardsDestination,
}

/// Policy of a proxy that splits a TCP path, on the source's side: what it acknowledges, and which window it
/// grants.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum TowardsSource {
    /// Acknowledges everything received, and grants all the room that the receive buffer has.
    #[default]
    Plain,
    /// Acknowledgements of everything received, and a window of at most this many full segments, so that the
    /// source never sends many in a row: intentional flow control (Itoh and Yamamoto, GLOBECOM 2008, has 2).
    Window(u32),
    /// Acknowledges nothing but what the destination has acknowledged, and closes the window while
    /// the destination does not answer (M-TCP).
    EndToEnd(EndToEnd),
}

impl TowardsSource {
    /// Whether the connection from the source may use timestamps. Not under a policy that delays acknowledgements:
    /// they would echo the segment that came last instead of the one that they acknowledge, and the source would
    /// measure a round trip that ends at the proxy.
    pub fn allows_timestamps(self) -> bool {
        !matches!(self, Self::EndToEnd(_))
    }

    /// Whether the proxy may close the window while the source has data in flight, and the source must stand still at
    /// a zero window, without a retransmission timer.
    pub fn freezes_source(self) -> bool {
        matches!(self, Self::EndToEnd(_))
    }
}

impl ProxyConfig {
    /// Opens the new connection `from_source` passively, with the limit of its window or of its ACKs that
    /// [`Self::towards_source`] sets; `mss` is a full segment's payload in bytes.
    pub fn listen(&self, from_source: &mut Connection, mss: u32) {
        match self.towards_source {
            TowardsSource::Plain => {}
            TowardsSource::Window(segments) => {
                from_source.limit_window(segments.saturating_mul(mss));
            }
            TowardsSource::EndToEnd(_) => from_source.hold_acks(0),
        }
        from_source.open_passive();
    }
}

/// The part of a proxy's node that joins its two TCP connections: takes the bytes that come in order from the
/// source, and hands them to the connection to the destination.
///
/// # The caller's contract
/// The driver owns both connections and gives them their segments and timers, as those of any [`Connection`].
/// [`ProxyConfig::listen`] comes first. After every input to one of the two, and when [`Proxy::next_timer`] is
/// due, call [`Proxy::work`] before the connections are polled for what they send.
#[derive(Clone, Debug)]
pub struct Proxy {
    /// Payload bytes handed to the connection to the destination.
    handed: u64,
    /// Payload bytes that the destination has acknowledged, and those of them whose room the source may use again.
    done: u64,
    read: u64,
    /// The source has closed.
    source_closed: bool,
    /// M-TCP's: whether the destination answers.
    watch: Option<Watch>,
    release: Release,
}

impl Proxy {
    /// A proxy that has taken no bytes from the source yet.
    pub fn new(config: ProxyConfig) -> Self {
        Self {
            handed: 0,
            done: 0,
            read: 0,
            source_closed: false,
            release: Release::new(config.towards_destination),
            watch: match config.towards_source {
                TowardsSource::EndToEnd(settings) => Some(Watch::new(settings)),
                TowardsSource::Plain | TowardsSource::Window(_) => None,
            },
        }
    }

    /// Opens and closes the connection to the destination as the source does, hands on the bytes that the policies
    /// let pass, and frees the buffer of the bytes that the destination has acknowledged; with [`Paced::cooperates`]
    /// only while no byte waits to be handed on.
    pub fn work(
        &mut self,
        now: Time,
        from_source: &mut Connection,
        to_destination: &mut Connection,
    ) {
        while let Some(event) = from_source.poll_event() {
            match event {
                Event::Connected => to_destination.open_active(),
                Event::PeerClosed => self.source_closed = true,
                _ => {}
            }
        }
        let mss = u64::from(to_destination.agreed().mss);
        let srtt = to_destination.sender().rto().srtt();
        let allowed = self.release.allow(now, from_source.received(), mss, srtt);
        to_destination.write(allowed - self.handed);
        self.handed = allowed;
        if self.source_closed && !self.release.waits() {
            to_destination.close();
        }
        let done = to_destination.acknowledged();
        self.done = done;
        if !self.release.holds_window() {
            from_source.read(done - self.read);
            self.read = done;
        }
        if let Some(watch) = &mut self.watch {
            watch.work(now, done, from_source, to_destination);
        }
    }

    /// The destination moves out of reach at `now`, and the proxy follows it to another node. Call [`Self::work`] first.
    /// Then poll both connections once more for what they send, and give them no segment and no timer until the proxy is
    /// at the other node; there, call [`Self::work`]. A proxy of M-TCP stops the source until the destination is heard
    /// again, if anything is in flight.
    pub fn leave(
        &mut self,
        now: Time,
        from_source: &mut Connection,
        to_destination: &mut Connection,
    ) {
        let done = to_destination.acknowledged();
        if let Some(watch) = &mut self.watch {
            watch.leave(now, done, from_source, to_destination);
        }
    }

    /// When [`Self::work`] is due without any input; `None` for never.
    pub fn next_timer(&self) -> Option<Time> {
        let watch = self.watch.as_ref().and_then(Watch::next_timer);
        watch.into_iter().chain(self.release.next_timer()).min()
    }

    /// Payload bytes in the proxy's buffer: they came in order, and the destination has not acknowledged
    /// them.
    pub fn buffered(&self, from_source: &Connection) -> u64 {
        from_source.received() - self.done
    }

    /// Payload bytes that move with the proxy when it changes nodes: those [in the buffer](Self::buffered), and those
    /// that came out of order on `from_source`, its connection from the source.
    pub fn holds(&self, from_source: &Connection) -> u64 {
        self.buffered(from_source) + from_source.receiver().out_of_order()
    }
}

#[cfg(test)]
mod tests;
