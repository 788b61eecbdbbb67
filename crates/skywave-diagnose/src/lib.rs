//! From records of a link to what the link is, why a transfer over it was slow, and what would help.
//!
//! [`record`] reads what people have: pings, iperf3, captures, traces of rates. [`fit`] finds the link that explains them,
//! and says what they cannot tell. [`why`] says what a transfer waited for.

pub mod advice;
pub mod answer;
pub mod diagnosis;
pub mod fit;
pub mod goodness;
pub mod link;
mod order;
pub mod page;
pub mod record;
pub mod transfer;
pub mod why;
