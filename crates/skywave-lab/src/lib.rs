//! From a scenario file to results: scenario files, experiments, statistics, reports and captures.
//!
//! The caller of the scenario crate supplies the files that a scenario names; here they come from the scenario's
//! folder (`folder.rs`). Parquet tables, threads and figures as PDF (`pdf`, which the command has) are features.

pub mod capture;

pub mod experiment;

pub mod folder;

pub mod report;
pub mod threads;
pub mod way;

pub use skywave_scenario as scenario;
