//! TCP: a sender composed of policy slots, and its receiver.

pub mod config;
pub mod preset;

pub use config::*;
pub use preset::{PRESETS, Preset, preset};
