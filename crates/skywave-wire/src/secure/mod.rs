//! Who the peer is, and that nobody else reads or writes: Noise IK (the Noise protocol framework,
//! revision 34) by `snow`, behind a cookie, with protection against replay. The bytes are in
//! `docs/secure-datagrams.md`.

pub(crate) mod cookie;
pub(crate) mod handshake;
pub(crate) mod packet;
pub(crate) mod replay;
