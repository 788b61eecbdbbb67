//! Other libraries' senders over the simulator's links.

mod conservation;
mod refusals;
mod senders;
