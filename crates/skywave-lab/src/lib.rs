//! From a scenario file to results: scenario files, experiments, statistics, reports, claims.

pub mod claims;
pub mod experiment;
pub mod report;
pub mod scenario;
pub mod validate;
