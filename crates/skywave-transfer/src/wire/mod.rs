//! Messages and chunks on a connection, and the reasons with which it is closed.

pub(crate) mod close;
pub(crate) mod frame;
pub(crate) mod message;
