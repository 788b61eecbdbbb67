//! RFC 8257 section 3.2: every mark is echoed, and ACKs that are held back never mix marked and unmarked
//! data.

use super::*;
use crate::packet::{Ecn, Way};

fn exact(config: TcpConfig) -> Script {
    Script::new(TcpConfig {
        exact_echo: true,
        ..config
    })
}

impl Script {
    /// Segment `n` arrives, marked or not; the ACKs for it: the segment that each asks for, and whether it
    /// echoes a mark.
    fn arrive_marked(&mut self, n: u64, marked: bool) -> Vec<(u64, bool)> {
        let way = Way {
            ecn: if marked { Ecn::Ce } else { Ecn::Ect0 },
            ..Way::default()
        };
        let segment = self.data(n);
        self.receiver.on_packet(self.now, &segment, way);
        self.echoes()
    }

    fn echoes(&mut self) -> Vec<(u64, bool)> {
        let acks: Vec<Segment> =
            std::iter::from_fn(|| self.receiver.poll_transmit(self.now)).collect();
        acks.iter()
            .map(|ack| (self.number(ack.ack), ack.flags.contains(Flags::ECE)))
            .collect()
    }
}

const NONE: [(u64, bool); 0] = [];

#[test]
fn with_an_ack_for_every_segment_each_echoes_its_own() {
    let mut s = exact(every_segment());
    for (n, marked) in [(1, false), (2, true), (3, true), (4, false), (5, true)] {
        assert_eq!(s.arrive_marked(n, marked), [(n + 1, marked)]);
    }
}

#[test]
fn delayed_acks_go_out_where_marks_begin_and_end() {
    let mut s = exact(delayed());
    assert_eq!(s.arrive_marked(1, false), NONE);
    // What was held back was not marked.
    assert_eq!(s.arrive_marked(2, true), [(2, false), (3, true)]);
    assert_eq!(s.arrive_marked(3, true), NONE);
    assert_eq!(s.arrive_marked(4, true), [(5, true)]);
    // Nothing was held back.
    assert_eq!(s.arrive_marked(5, false), [(6, false)]);
    assert_eq!(s.arrive_marked(6, false), NONE);
    assert_eq!(s.arrive_marked(7, false), [(8, false)]);
    assert_eq!(s.arrive_marked(8, true), [(9, true)]);
    assert_eq!(s.arrive_marked(9, true), NONE);
    assert_eq!(s.arrive_marked(10, false), [(10, true), (11, false)]);
    assert_eq!(s.receiver.next_timer(), None);
}

#[test]
fn a_delayed_ack_that_its_timer_sends_echoes_as_well() {
    let mut s = exact(delayed());
    assert_eq!(s.arrive_marked(1, true), [(2, true)]);
    assert_eq!(s.arrive_marked(2, true), NONE);
    s.wait(200);
    s.receiver.on_timer(s.now);
    assert_eq!(s.echoes(), [(3, true)]);
}

#[test]
fn what_was_held_back_goes_before_the_report_of_a_hole() {
    let mut s = exact(delayed());
    assert_eq!(s.arrive_marked(1, false), NONE);
    let way = Way {
        ecn: Ecn::Ce,
        ..Way::default()
    };
    let third = s.data(3);
    s.receiver.on_packet(s.now, &third, way);
    let before = s.receiver.poll_transmit(s.now).expect("the ACK held back");
    assert_eq!((before.flags, before.sack().len()), (Flags::ACK, 0));
    let report = s.receiver.poll_transmit(s.now).expect("the report");
    assert_eq!(
        (report.flags, report.sack().len()),
        (Flags::ACK | Flags::ECE, 1)
    );
    s.expect_nothing();
}

#[test]
fn the_senders_answer_ends_nothing() {
    let mut s = exact(every_segment());
    assert_eq!(s.arrive_marked(1, true), [(2, true)]);
    let segment = Segment {
        flags: Flags::ACK | Flags::CWR,
        ..s.data(2)
    };
    let way = Way {
        ecn: Ecn::Ce,
        ..Way::default()
    };
    s.receiver.on_packet(s.now, &segment, way);
    assert_eq!(s.echoes(), [(3, true)]);
}
