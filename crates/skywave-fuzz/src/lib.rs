//! Rules that must hold whatever the input is: one function a target, which takes bytes and panics
//! if a rule is broken.
//!
//! The same functions serve libFuzzer (`fuzz/`), the replay of its corpora by `cargo test`, and the
//! property tests, for which proptest draws the bytes. Bytes that are no text or file become a list of
//! operations, and the rules are checked after every one of them.

#[cfg(feature = "files")]
pub mod capture;
pub mod connections;
pub mod d_proxy;
pub mod endpoints;
pub mod link;
pub mod machines;
#[cfg(feature = "files")]
pub mod messages;
mod parameters;
mod path;
#[cfg(feature = "files")]
pub mod records;
#[cfg(feature = "files")]
pub mod scenario;
pub mod scripts;
pub mod setdest;
pub mod snoop;
pub mod tcp_wire;
#[cfg(feature = "files")]
pub mod texts;
pub mod trace;
#[cfg(feature = "files")]
pub mod transfers;
pub mod wtcp;
pub mod wtcp_wire;

/// A target by its name.
pub type Target = (&'static str, fn(&[u8]));

/// All targets; `fuzz/corpus/` has a folder for each.
pub const TARGETS: &[Target] = &[
    #[cfg(feature = "files")]
    ("capture", capture::run),
    ("connections", connections::run),
    ("d_proxy", d_proxy::run),
    ("endpoints", endpoints::run),
    ("link", link::run),
    ("machines", machines::run),
    #[cfg(feature = "files")]
    ("messages", messages::run),
    #[cfg(feature = "files")]
    ("records", records::run),
    #[cfg(feature = "files")]
    ("scenario", scenario::run),
    ("scripts", scripts::run_script),
    ("setdest", setdest::run),
    ("snoop", snoop::run),
    ("tcp_wire", tcp_wire::run),
    #[cfg(feature = "files")]
    ("texts", texts::run),
    ("trace", trace::run),
    #[cfg(feature = "files")]
    ("transfers", transfers::run),
    ("wtcp", wtcp::run),
    ("wtcp_wire", wtcp_wire::run),
];
