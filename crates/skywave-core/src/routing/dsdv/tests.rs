//! The paper's rules as scripts: the updates of the stations of a small network, one by one.

mod breaks;
mod properties;
mod updates;

use super::{Config, Entry, Update};
use crate::parameter::Described;
use crate::radio::Address;
use crate::routing::{Packet, Seq};
use crate::time::Duration;

/// No jitter, so that all times are round.
fn config() -> Config {
    Config {
        jitter: Duration::ZERO,
        ..Config::default()
    }
}

fn entry(destination: u16, seq: u32, hops: Option<u8>) -> Entry {
    Entry {
        destination: Address(destination),
        seq: Seq(seq),
        hops,
    }
}

fn update(entries: &[Entry]) -> Packet<u32> {
    let entries = entries.to_vec();
    Packet::Dsdv(Update { entries })
}

#[test]
fn an_update_has_twelve_bytes_an_entry() {
    let three = [entry(1, 2, Some(0)); 3];
    assert_eq!(update(&three).bytes(), 28 + 3 * 12);
    let most = [entry(1, 2, Some(0)); Update::MOST_ENTRIES];
    assert!(update(&most).bytes() <= 1500 && update(&most).bytes() + 12 > 1500);
}

#[test]
fn parameters_that_cannot_work_are_named() {
    assert_eq!(Config::check(&Config::default()), Ok(()));
    let gap = Config {
        trigger_gap: Duration::from_secs(16),
        ..Config::default()
    };
    assert_eq!(
        Config::check(&gap).unwrap_err().message,
        "DSDV's `trigger_gap` must be longer than 0 and at most update_interval"
    );
    let incessant = Config {
        update_interval: Duration::from_micros(999),
        trigger_gap: Duration::from_micros(999),
        ..Config::default()
    };
    assert_eq!(
        Config::check(&incessant).unwrap_err().message,
        "DSDV's `update_interval` must be at least 1ms"
    );
    let silent = Config {
        allowed_update_loss: 0,
        ..Config::default()
    };
    assert_eq!(
        Config::check(&silent).unwrap_err().message,
        "DSDV's `allowed_update_loss` must be at least 1"
    );
}
