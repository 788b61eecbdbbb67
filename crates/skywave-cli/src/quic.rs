//! Files over QUIC: what `send`, `recv` and `get` have in common.

mod bar;
mod budget;
pub(crate) mod run;
pub(crate) mod show;
pub(crate) mod who;
