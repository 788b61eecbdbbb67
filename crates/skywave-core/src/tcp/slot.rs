//! Policy slots: how a built-in member describes itself, and how a slot is made of its members.
//!
//! The file of a member has everything that is to know of it: the law, its parameters with their
//! defaults, its name in scenario files, where it was published. [`BuiltIn`] is that description. One
//! line in the slot's `slot!` (`slot/register.rs`) registers the member; from the two follow the
//! configuration, static dispatch, the list of members, reading from a scenario file, the JSON schema,
//! the name in results and what the fuzzers try.
//!
//! This module names no member and no slot, so that members need nothing from above.
//!
//! # What a new member needs
//! Its file, a `mod` line and one line of the `slot!`, in any slot but `acking`.
//!
//! - [`BuiltIn`], in the member's file: type and defaults of its parameters, name, summary, source, the presets
//!   that change nothing but this member, and `build`, which makes its state for a connection from the parameters
//!   and a `Setup` (the facts about the connection that members may know).
//! - `parameters!` declares the parameters, as everywhere ([`crate::parameter`]). A place may refuse a value: TCP-DCR's
//!   `tick` does after `by = "dupacks"`.
//! - `trait Law`, `Detector`, `Repairs`: questions about a member in a configuration, before a connection has made
//!   it (does it need SACK), as constants with defaults that the member states.
//! - `slot!` makes of the list the enum of configurations and that of states, `each!` to call the member without a
//!   trait object, as is done for what is asked of each packet, `any!` to have it as one, `fact!` to read such a
//!   constant. It also implements [`Slot`], a [`Family`]: the members as plain data.
//!
//! Everything else walks [`Family`] and knows no member: the scenario reader, its JSON schema and the names in
//! results (`model/member.rs`, `model/value.rs`, `model/schema.rs` and `lower/member.rs` of the scenario crate), the
//! fuzzers, `skywave variants`, Python. `preset.rs` collects the members' presets and adds those that change several
//! slots. `config.rs` names the slots' enums only.
//!
//! A user's own member is a boxed trait object beside the built-in ones. Its runs are never kept or reused. It leaves
//! one circle of imports: it is made from the whole `TcpConfig`, which contains it.

pub(super) mod register;

use crate::parameter::{Configuration, Described, Family};
use crate::time::Duration;
use crate::units::Segments;

pub use crate::parameter::{Field, Form, Kind, Member, Parameter, Refusal, Value};

/// Built-in policy of a TCP sender or receiver: its parameters, name and source, and how its state is built for a
/// connection.
pub trait BuiltIn {
    /// Parameters of the member; `()` for none.
    type Config: Configuration;
    /// The state machine that runs in a connection.
    type State;
    /// Name in scenario files and results.
    const NAME: &'static str;
    /// Effect of the member, in one line.
    const SUMMARY: &'static str;
    /// Where the member was published.
    const SOURCE: &'static str;
    /// Parameters as published.
    const DEFAULT: Self::Config = <Self::Config as Configuration>::DEFAULT;
    /// The parameters one by one. They are set in this order.
    const FIELDS: &'static [Field<Self::Config>] = <Self::Config as Configuration>::FIELDS;
    /// Published variants that differ from a basic one in this member only.
    const PRESETS: &'static [OwnPreset<Self::Config>] = &[];

    /// Checks that the parameters agree with each other, and refuses them otherwise.
    fn check(_config: &Self::Config) -> Result<(), Refusal> {
        Ok(())
    }

    /// Builds the state for a new connection.
    fn build(config: &Self::Config, setup: &Setup) -> Self::State;
}

impl<T: BuiltIn> Described for T {
    type Config = T::Config;
    const NAME: &'static str = T::NAME;
    const SUMMARY: &'static str = T::SUMMARY;
    const SOURCE: &'static str = T::SOURCE;
    const DEFAULT: T::Config = T::DEFAULT;
    const FIELDS: &'static [Field<T::Config>] = T::FIELDS;

    fn check(config: &T::Config) -> Result<(), Refusal> {
        <T as BuiltIn>::check(config)
    }
}

/// Facts about a connection, from which its policies are built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// First congestion window.
    pub initial_window: Segments,
    /// Position of the first payload byte: 1 after a SYN, 0 without a handshake.
    pub first_data: u64,
    /// Window with which slow start begins again after a loss.
    pub loss_window: Segments,
    /// Whether NewReno restarts the timer on the first partial ACK only (RFC 6582 section 4, "impatient").
    pub impatient: bool,
    /// Whether the receiver sends SACK blocks (RFC 2018).
    pub sack: bool,
    /// Whether the recovery works by SACK blocks, so that only duplicate ACKs count that SACK something for the first
    /// time.
    pub recovery_uses_sack: bool,
    /// Longest time for which the receiver keeps back an ACK of data in order.
    pub ack_delay: Duration,
    /// Time by which a loss detector's own timers expire later than its rules say, as in a kernel whose clock ticks.
    pub timer_slack: Duration,
    /// Tick of the retransmission timer's clock.
    pub tick: Duration,
    /// Whether routers' marks reach the sender (RFC 3168).
    pub ecn: bool,
    /// Whether the congestion control alone says how much may be in flight. Told only to recoveries and timeout
    /// policies, which are built after it; false for every other policy.
    pub law_owns_window: bool,
}

/// Published TCP variant that differs from a basic one in one policy alone, and is listed in that policy's description.
#[derive(Clone, Copy, Debug)]
pub struct OwnPreset<C> {
    /// Name in scenario files.
    pub name: &'static str,
    /// Difference from the basic variant, in one line.
    pub summary: &'static str,
    /// Where the variant was published.
    pub source: &'static str,
    /// The basic variant from which the preset differs.
    pub base: Base,
    /// Parameters of the policy in which the variant differs.
    pub config: C,
}

impl<C> OwnPreset<C> {
    /// The same preset around the member's configuration in its slot.
    pub(super) fn around<S>(&self, config: S) -> OwnPreset<S> {
        OwnPreset {
            name: self.name,
            summary: self.summary,
            source: self.source,
            base: self.base,
            config,
        }
    }
}

/// Basic TCP variant from which others differ in one policy: RFC 5681's congestion control with the named recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Recovery of Tahoe (Jacobson 1988).
    Tahoe,
    /// Fast recovery of Reno (RFC 5681).
    Reno,
    /// Fast recovery of NewReno (RFC 6582).
    NewReno,
    /// SACK-based recovery (RFC 6675).
    Sack,
    /// SACK-based recovery as in ns-2's Sack1 (Fall and Floyd 1996).
    Sack1,
}

/// Kind of policy that a sender or receiver is composed of, such as congestion control: the policies to
/// choose from.
pub trait Slot: Family {
    /// Whether results are labelled with each number and period that a scenario file gives, even if it is the default,
    /// so that each point of a sweep has its label. False: only with what differs from the default.
    const LABELS_GIVEN: bool;

    /// Presets listed in the descriptions of the policies of this kind, each of which changes only such a policy.
    fn presets() -> Vec<OwnPreset<Self>>;
}
