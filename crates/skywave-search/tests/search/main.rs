//! The search from the outside: a minimum that is known, a planted stall, the same bytes for any threads and shards.

mod common;
mod kinds;
mod known;
mod planted;
mod shipped;
