//! A text as a trace of a recorded link (delivery opportunities), and packets that it serves.

use std::sync::Arc;

use skywave_core::link::{Limit, LinkConfig, QueueConfig, Service, Trace};
use skywave_core::{Duration, Rate};

use crate::link::{Operation, Watched};

/// Packets that are served, a while after one another.
const PACKETS: u64 = 100;

/// Reads `data` as a trace, a recording of a link's delivery opportunities. If it is one, sends packets over a link
/// with this trace and checks their arrivals and counts. Panics if one is wrong.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let trace = match Trace::parse(text) {
        Ok(trace) => trace,
        Err(error) => {
            assert!(error.line >= 1 && error.line <= text.lines().count().max(1));
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(trace.opportunities(), text.lines().count());
    assert!(!trace.period().is_zero());

    let config = LinkConfig {
        service: Service::Trace(Arc::new(trace.clone())),
        ..LinkConfig::new(
            Rate::from_bps(0),
            Duration::from_millis(20),
            QueueConfig::DropTail(Limit::Packets(50)),
        )
    };
    let mut link = Watched::new(config);
    // Packets that an opportunity just holds, and others; faster than the trace, then slower.
    let mean = trace.period().as_nanos() / trace.opportunities() as u64;
    for n in 0..PACKETS {
        let byte = u32::from(data[n as usize % data.len()]);
        let gap = Duration::from_nanos(mean / 2 + mean * (n / (PACKETS / 2)));
        let size = if n % 3 == 0 { 1500 } else { 40 + 20 * byte };
        link.apply(Operation::Send(gap, size));
    }
}
