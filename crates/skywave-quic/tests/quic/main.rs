//! Window laws in QUIC connections, over links of the simulator and over sockets.

mod goodput;
mod one_way;
