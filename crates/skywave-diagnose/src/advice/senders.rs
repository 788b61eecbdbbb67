//! Senders that can be advised: how the simulator runs each, and what a host must have for it.
//!
//! The order is that of preference among equals: what every host has comes first. Congestion controls that need routers
//! which mark packets (ECN) are left out: outside of a data centre nobody knows that they do.

use super::host::{Host, On};
use super::libraries::Law;

/// Sender that can be advised: a congestion control together with the TCP stack, QUIC library or program that runs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sender {
    /// Name of the sender for people, such as `CUBIC in QUIC`.
    pub name: &'static str,
    /// Identifier of the sender in results and options, such as `quic-cubic`; for TCP the kernel's name of the
    /// congestion control.
    pub id: &'static str,
    /// Value (TOML) of the key `transport` of a scenario's flow with which the sender is simulated.
    pub transport: &'static str,
    /// Stack, program or library that the sender is part of.
    pub by: By,
    /// Goodput of a long flow in real runs as a share (0 to 1) of the simulated goodput; 1 unless it was measured to be
    /// less.
    pub carries: f64,
}

/// Share for `skywave send`: the median over the links of twelve twins, 0.96 to 1.00 (docs/diagnose.md). Its
/// driver leaves short pauses on the link, which the machine in the simulator does not.
const SEND_CARRIES: f64 = 0.97;

/// TCP stack, program or QUIC library that runs the congestion control of a [`Sender`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// TCP of the Linux kernel, with the congestion control that the kernel calls by this name.
    Kernel(&'static str),
    /// The command `skywave send`, this project's own file transfer.
    Send,
    /// A QUIC library with this congestion control.
    Quic(Law),
}

const fn kernel(name: &'static str, law: &'static str, transport: &'static str) -> Sender {
    Sender {
        name,
        id: law,
        transport,
        by: By::Kernel(law),
        carries: 1.0,
    }
}

const fn quic(name: &'static str, id: &'static str, transport: &'static str, law: Law) -> Sender {
    Sender {
        name,
        id,
        transport,
        by: By::Quic(law),
        carries: 1.0,
    }
}

/// Senders that can be advised, in the order of preference among equals.
pub const SENDERS: &[Sender] = &[
    kernel("CUBIC", "cubic", "\"linux\""),
    kernel("Reno", "reno", "\"rack-tlp\""),
    kernel("BBR", "bbr", "\"bbr\""),
    kernel("BBR version 3", "bbr3", "\"bbr3\""),
    kernel("Westwood+", "westwood", "\"westwood-rack\""),
    kernel(
        "Veno",
        "veno",
        "{ preset = \"rack-tlp\", congestion = \"veno\" }",
    ),
    kernel(
        "Vegas",
        "vegas",
        "{ preset = \"rack-tlp\", congestion = \"vegas\" }",
    ),
    kernel(
        "Hybla",
        "hybla",
        "{ preset = \"rack-tlp\", congestion = \"hybla\" }",
    ),
    Sender {
        name: "skywave send",
        id: "skywave-send",
        transport: "\"quic-skywave\"",
        by: By::Send,
        carries: SEND_CARRIES,
    },
    quic("CUBIC in QUIC", "quic-cubic", "\"quic-cubic\"", Law::Cubic),
    quic("NewReno in QUIC", "quic-newreno", "\"quic\"", Law::NewReno),
    quic("BBR in QUIC", "quic-bbr", "\"quic-bbr\"", Law::Bbr),
    quic(
        "BBR 2 or 3 in QUIC",
        "quic-bbr3",
        "{ preset = \"quic\", congestion = \"bbr3\" }",
        Law::Bbr3,
    ),
    quic(
        "Skywave in QUIC",
        "quic-skywave",
        "\"quic-skywave\"",
        Law::Skywave,
    ),
];

/// Laws that a kernel of which nothing is known has, or can load.
const STOCK: [&str; 3] = ["cubic", "reno", "bbr"];

/// Laws of QUIC that are tried for a host of which nothing is known.
const COMMON: [Law; 2] = [Law::Cubic, Law::Bbr];

impl Sender {
    /// Whether the sender is TCP of the Linux kernel.
    pub fn is_tcp(&self) -> bool {
        matches!(self.by, By::Kernel(_))
    }

    /// Whether `host` has the sender; if that is not known, whether most hosts have it.
    pub fn is_on(&self, host: &Host) -> bool {
        match (self.by, &host.on) {
            (By::Kernel(law), On::Any | On::Linux) => match &host.laws {
                Some(laws) => laws.has(law),
                None => STOCK.contains(&law) || host.default_law() == law,
            },
            (By::Send, On::Any | On::Linux) => true,
            (By::Quic(law), On::Any) => COMMON.contains(&law),
            (By::Quic(law), On::Quic(library)) => library.option(law).is_some(),
            _ => false,
        }
    }
}

/// The senders that a host has.
pub(super) fn on(host: &Host) -> Vec<&'static Sender> {
    SENDERS.iter().filter(|sender| sender.is_on(host)).collect()
}
