//! Knowledge about the papers, besides measurements: claims and their verdicts, studies of all
//! compositions, and comparisons with other simulators.

pub mod claims;
mod embedded;
pub mod file;
pub mod maps;
pub mod page;
pub mod rank;
pub mod referee;
pub mod validate;
