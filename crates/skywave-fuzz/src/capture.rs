//! Bytes as a packet capture.

use std::io::{self, Read};

use skywave_lab::capture::{Direction, Summary};

/// Reads `data` as a packet capture file and checks that the result is an error or a summary whose counts add up, and
/// the same however few bytes a read gives. Panics if not.
pub fn run(data: &[u8]) {
    let whole = describe(data);
    let piecemeal = describe(Trickle(data));
    assert_eq!(whole, piecemeal, "the same in small pieces");
}

fn describe(input: impl Read + Send) -> String {
    match Summary::read(input) {
        Ok(summary) => {
            check(&summary);
            format!("{summary:?}")
        }
        Err(error) => {
            let text = error.to_string();
            assert!(!text.is_empty());
            text
        }
    }
}

fn check(summary: &Summary) {
    let ends = |c: &skywave_lab::capture::Connection| c.forward.packets + c.backward.packets;
    let dissected: u64 = summary.connections.iter().map(ends).sum();
    assert_eq!(summary.packets, summary.other + dissected);
    assert_eq!(summary.span_ns.is_some(), summary.packets > 0);
    for connection in &summary.connections {
        let all = summary.span_ns.expect("there are packets");
        let own = connection.span_ns;
        assert!(all.0 <= own.0 && own.0 <= own.1 && own.1 <= all.1);
        for direction in [&connection.forward, &connection.backward] {
            check_direction(direction);
            let goodput = connection.goodput_bps(direction);
            assert!((0.0..=f64::MAX).contains(&goodput));
        }
    }
}

fn check_direction(direction: &Direction) {
    assert!(direction.data_packets <= direction.packets);
    assert!(direction.passed_bytes <= direction.payload_bytes);
    assert!(direction.retransmits <= direction.packets);
}

/// Gives a few bytes at a time.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let some = buffer.len().min(7);
        self.0.read(&mut buffer[..some])
    }
}
