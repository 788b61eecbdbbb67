//! `--transport wtcp`: single files by WTCP, the paper's protocol.

mod bars;
pub(crate) mod recv;
pub(crate) mod send;
