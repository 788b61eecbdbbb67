//! From a scenario file to results: scenario files, experiments, statistics, reports, captures, claims.

pub mod capture;

pub mod experiment;

pub mod folder;

pub mod report;
pub mod threads;

pub use skywave_scenario as scenario;
