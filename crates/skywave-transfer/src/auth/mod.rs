//! Proofs of who the peer is: by its key, or by a code that both sides know.

pub(crate) mod code;
pub(crate) mod prove;
pub(crate) mod tls;
