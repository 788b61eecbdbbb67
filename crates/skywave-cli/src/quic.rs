//! Files over QUIC: what `send`, `recv` and `get` have in common.

pub(crate) mod run;
pub(crate) mod show;
pub(crate) mod who;
