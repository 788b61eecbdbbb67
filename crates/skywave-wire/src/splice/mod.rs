//! TCP senders of this project at both ends of a relay, or at one, under whatever connections come from the two sides.
//!
//! ```text
//! near side's kernel ◀─▶ [junction] ◀─▶ the relay's links ◀─▶ [junction] ◀─▶ far side's kernel
//!                  no link   chosen sender, both directions   no link
//! ```
//!
//! A connection over the links is thus between two of our endpoints, and those to the kernels are as short as a device:
//! data of both directions goes over the links under the chosen sender. With a junction at one end alone ([`Place`]) it
//! is between ours and the other side's kernel. Everything but TCP passes as it came.
//! [`Splice`] is the machine, [`Spliced`] puts it around the devices of a relay.

mod ends;
mod machine;

pub use ends::Spliced;
pub use machine::{Place, Splice};
