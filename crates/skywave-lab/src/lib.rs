//! From a scenario file to results: scenario files, experiments, statistics, reports, captures, claims.

pub mod capture;
pub mod claims;
pub mod experiment;
pub mod file;
pub mod rank;
pub mod report;
pub mod scenario;
pub mod validate;
