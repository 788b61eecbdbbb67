//! Scenario files, from the outside: what they become, and what is said of wrong ones.

mod agent;
mod becomes;
mod contention;
mod custom;
mod detection;
mod errors;
mod example;
mod members;
mod mutations;
mod profiles;
mod queues;
mod radio;
mod runs;
mod schema;
mod steps;
mod sweeps;
mod timeout;
mod wrong;
mod wtcp;
