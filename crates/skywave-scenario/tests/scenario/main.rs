//! Scenario files, from the outside: what they become, and what is said of wrong ones.

mod agent;
mod becomes;
mod clock;
mod contention;
mod cross_layer;
mod custom;
mod detection;
mod empirical;
mod errors;
mod example;
mod flow;
mod members;
mod mutations;
mod profiles;
mod proxy;
mod queues;
mod quic;
mod radio;
mod runs;
mod schema;
mod several;
mod steps;
mod sweeps;
mod timeout;
mod wrong;
mod wtcp;
