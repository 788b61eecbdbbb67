//! Segment-by-segment tests, one file for each mechanism.

// A block of segments is written as a range.
#![allow(clippy::single_range_in_vec_init)]

mod abe;
mod cause;
mod cerl;
mod contention;
mod dcr;
mod dctcp;
mod ddlrp;
mod early_retransmit;
mod ecn;
mod frto;
mod idle;
mod lifecycle;
mod limits;
mod loss_events;
mod missing;
mod ncl;
mod ncr;
mod newreno;
mod own;
mod owner;
mod pacing;
mod polling;
mod prr;
mod rack;
mod rate;
mod reno;
mod sac;
mod sack;
mod sack1;
mod short_way;
mod sifest;
mod slow_start;
mod tahoe;
mod tdlrp;
mod thesis;
mod timeout;
mod timing;
mod tlp;
mod told_window;
mod undo;
mod usage;
mod vegas;
mod waiting;
mod wam;
mod westwood;
mod yongmei2;

use super::super::config::TcpConfig;
use super::super::testing::{MSS, config};

/// `config`, with limited transmit off.
fn plain(name: &str, window: u32) -> TcpConfig {
    TcpConfig {
        limited_transmit: false,
        ..config(name, window)
    }
}
