//! Rules that must hold whatever the input is: one function for each fuzz target, which takes bytes and panics if a
//! rule is broken.
//!
//! The same functions serve libFuzzer (`fuzz/`), the replay of its corpora by `cargo test`, and the property tests, for
//! which proptest draws the bytes. For targets that do not read a text or file, the bytes become a list of operations,
//! and the rules are checked after each of them. A stranger is a third party that sends forged packets to either end.

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

/// Fuzz target: its name, and the function that takes the input bytes and panics if a rule is broken.
pub type Target = (&'static str, fn(&[u8]));

/// All fuzz targets; `fuzz/corpus/` has a folder of inputs for each, under its name.
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
