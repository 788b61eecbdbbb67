//! The `acking` slot: when the receiver acknowledges.
//!
//! The only slot of a receiver. Its members are ways through one piece of code (`receiver/schedule.rs`), so that their
//! descriptions are here instead of in a file a member.

use super::slot::{OwnPreset, Slot};
use crate::parameter::{Described, family, parameters};
use crate::time::Duration;

family! {
    "acking" => "When the receiver acknowledges.";
    open: false; sections: false;
    /// Rule by which a TCP receiver decides when to acknowledge data, and by how many ACKs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Acking;
    EverySegment: EverySegment,
    Delayed(config): Delayed,
    SelfTriggered(config): SelfTriggered,
    DelayedDupacks(config): DelayedDupacks,
    Wam(config): Wam,
    Lba(config): Lba,
}

/// Rule of a receiver that acknowledges every segment at once: no delayed ACKs.
#[derive(Debug)]
pub struct EverySegment;

impl Described for EverySegment {
    type Config = ();
    const NAME: &'static str = "every";
    const SUMMARY: &'static str = "an ACK for every segment";
    const SOURCE: &'static str = "RFC 5681 section 4.2";
}

parameters! {
    /// Rule of delayed ACKs: one for every `every`th in-order segment, or `timeout` after the first unacknowledged one;
    /// at once when a segment is out of order or fills a hole (RFC 5681 section 4.2).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Delayed {
        /// In-order segments for each ACK.
        every: u32 = 2, Count;
        /// Longest delay of an ACK, from the first unacknowledged segment on.
        timeout: Duration = Duration::from_millis(200), Period;
    }
}

impl Described for Delayed {
    type Config = Self;
    const NAME: &'static str = "delayed";
    const SUMMARY: &'static str =
        "an ACK for every second segment or after 200 ms (every, timeout)";
    const SOURCE: &'static str = "RFC 1122, RFC 5681 section 4.2";
}

parameters! {
    /// Rule of self-triggered ACKs: one for as many in-order segments as the sender's window holds, which the sender
    /// tells in an option, or `timeout` after the first unacknowledged one; at once when a segment is out of order or
    /// fills a hole (Chen, Marsic and Miller 2008).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct SelfTriggered {
        /// Longest delay of an ACK, from the first unacknowledged segment on.
        timeout: Duration = Duration::from_millis(200), Period;
    }
}

impl Described for SelfTriggered {
    type Config = Self;
    const NAME: &'static str = "self-triggered";
    const SUMMARY: &'static str = "an ACK for a window of the sender's, or after 200 ms (timeout)";
    const SOURCE: &'static str = "Chen, Marsic and Miller 2008; Francis 2012, section 3.2.2";
}

parameters! {
    /// Rule of delayed duplicate ACKs: every segment is acknowledged at once, but the third duplicate ACK for a hole
    /// and those after it wait for `wait`, and are dropped if the hole is filled before (Vaidya et al. 2002).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct DelayedDupacks {
        /// For how long the third duplicate ACK for a hole is kept back. Those after it leave together with it, later
        /// ones at once.
        // The text gives no number, and a receiver cannot know for how long its link repairs.
        wait: Duration = Duration::from_millis(100), Period;
    }
}

impl Described for DelayedDupacks {
    type Config = Self;
    const NAME: &'static str = "delayed-dupacks";
    const SUMMARY: &'static str =
        "every segment, from the third duplicate ACK on 100 ms later unless filled (wait)";
    const SOURCE: &'static str = "Vaidya et al. 2002";
}

/// Rule of a TCP-WAM receiver: delayed ACKs as by [`Delayed`], but data on which the sender asks for an answer is
/// acknowledged at once. The ACK says so if everything up to that data has arrived (Francis 2012, section 3.2.1).
#[derive(Debug)]
pub struct Wam;

impl Described for Wam {
    type Config = Delayed;
    const NAME: &'static str = "wam";
    const SUMMARY: &'static str = "as `delayed`, but data that asks at once, with a mark if all before has come (every, timeout)";
    const SOURCE: &'static str = "Francis 2012, section 3.2.1";
}

parameters! {
    /// Rule of loss-based acknowledgement (LBA): `wait` after the first unanswered segment, the receiver answers for
    /// all that came until then, by one ACK for each missing segment, which names it, or one that says that none is
    /// missing (Long et al., in Francis 2012, section 3.2.3).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Lba {
        /// How long the receiver waits before it answers.
        // The text says "one RTO", which the receiver does not know; this is the least that there is with most stacks.
        wait: Duration = Duration::from_millis(200), Period;
    }
}

impl Described for Lba {
    type Config = Self;
    const NAME: &'static str = "lba";
    const SUMMARY: &'static str = "200 ms after the first segment, an ACK for each missing one, or one that all have come (wait)";
    const SOURCE: &'static str = "Long et al., in Francis 2012, section 3.2.3";
}

impl Acking {
    /// Delayed ACKs: one for every second in-order segment, or 200 ms after the first unacknowledged one.
    pub const DELAYED: Self = Self::Delayed(Delayed::DEFAULT);

    /// Delayed ACKs: one for every `every`th in-order segment, or `timeout` after the first unacknowledged one.
    pub const fn delayed(every: u32, timeout: Duration) -> Self {
        Self::Delayed(Delayed { every, timeout })
    }

    /// Whether the receiver acknowledges at once each data segment on which the sender asks for an answer;
    /// true for TCP-WAM's rule alone.
    pub const fn answers(self) -> bool {
        matches!(self, Self::Wam(_))
    }

    /// Whether the sender writes on data segments what the receiver's rule needs: its window (self-triggered ACKs), or
    /// a request for an answer (TCP-WAM).
    pub const fn listens(self) -> bool {
        self.is_by_window() || self.answers()
    }

    /// Whether the number of segments per ACK follows the window in force at the sender, which that tells in an option.
    pub const fn is_by_window(self) -> bool {
        matches!(self, Self::SelfTriggered(_))
    }

    /// Longest time for which an ACK of data in order is kept back; zero for a rule that acknowledges it at once.
    pub const fn longest_delay(self) -> Duration {
        match self {
            Self::EverySegment | Self::DelayedDupacks(_) => Duration::ZERO,
            Self::Delayed(Delayed { timeout, .. })
            | Self::SelfTriggered(SelfTriggered { timeout })
            | Self::Wam(Delayed { timeout, .. })
            | Self::Lba(Lba { wait: timeout }) => timeout,
        }
    }
}

impl Slot for Acking {
    const LABELS_GIVEN: bool = false;

    fn presets() -> Vec<OwnPreset<Self>> {
        Vec::new()
    }
}
