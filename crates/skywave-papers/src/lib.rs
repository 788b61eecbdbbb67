//! Knowledge about the papers, besides measurements: claims and their verdicts, rankings of senders over studies of
//! paths, test cases for congestion controls, and comparisons with other simulators.

pub mod claims;
mod embedded;
pub mod file;
pub mod maps;
pub mod page;
pub mod rank;
pub mod referee;
pub mod validate;
