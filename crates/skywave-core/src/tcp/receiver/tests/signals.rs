//! Signals about the way of the data that a receiver returns: ECN echo (RFC 3168 section 6.1.3), explicit
//! loss notification, congestion warning, contention delay.

use super::{Script, every_segment};
use crate::packet::{ContentionDelay, Ecn, Flags, Marks, Segment, Way};
use crate::time::Duration;

impl Script {
    /// Segment `n` arrives, with these bits, by this way; the ACK for it.
    fn arrive_by(&mut self, n: u64, flags: Flags, way: Way) -> Segment {
        let segment = Segment {
            flags: Flags::ACK | flags,
            ..self.data(n)
        };
        self.receiver.on_packet(self.now, &segment, way);
        self.receiver.poll_transmit(self.now).expect("an ACK")
    }
}

fn script() -> Script {
    Script::new(every_segment())
}

const PLAIN: Way = Way {
    marks: Marks::empty(),
    ecn: Ecn::Ect0,
    contention: ContentionDelay::ZERO,
};

const MARKED: Way = Way {
    ecn: Ecn::Ce,
    ..PLAIN
};

const AFTER_ELN: Way = Way {
    marks: Marks::ELN,
    ..PLAIN
};

#[test]
fn a_mark_is_echoed_until_the_sender_answers() {
    let mut s = script();
    let none = Flags::empty();
    assert_eq!(s.arrive_by(1, none, PLAIN).flags, Flags::ACK);
    assert_eq!(s.arrive_by(2, none, MARKED).flags, Flags::ACK | Flags::ECE);
    assert_eq!(s.arrive_by(3, none, PLAIN).flags, Flags::ACK | Flags::ECE);
    assert_eq!(s.arrive_by(4, Flags::CWR, PLAIN).flags, Flags::ACK);
    assert_eq!(s.arrive_by(5, none, PLAIN).flags, Flags::ACK);
}

#[test]
fn a_mark_on_the_answer_itself_is_a_new_one() {
    let mut s = script();
    s.arrive_by(1, Flags::empty(), MARKED);
    let ack = s.arrive_by(2, Flags::CWR, MARKED);
    assert_eq!(ack.flags, Flags::ACK | Flags::ECE);
}

#[test]
fn a_mark_on_data_out_of_order_or_known_counts_too() {
    for n in [3, 1] {
        let mut s = script();
        s.arrive_by(1, Flags::empty(), PLAIN);
        let ack = s.arrive_by(n, Flags::empty(), MARKED);
        assert!(ack.flags.contains(Flags::ECE));
    }
}

#[test]
fn a_hole_before_a_notified_segment_is_a_channels_loss_until_it_is_filled() {
    let mut s = script();
    let none = Flags::empty();
    s.arrive_by(1, none, PLAIN);
    assert!(s.arrive_by(3, none, AFTER_ELN).hints.is_eln());
    assert!(s.arrive_by(4, none, PLAIN).hints.is_eln());
    assert!(!s.arrive_by(2, none, PLAIN).hints.is_eln());
    // The notification is not about the next hole.
    assert!(!s.arrive_by(6, none, PLAIN).hints.is_eln());
}

#[test]
fn of_two_holes_the_first_counts() {
    let mut s = script();
    let none = Flags::empty();
    assert!(
        !s.arrive_by(2, none, PLAIN).hints.is_eln(),
        "a queue lost segment 1"
    );
    assert!(
        !s.arrive_by(4, none, AFTER_ELN).hints.is_eln(),
        "and a channel 3"
    );
    assert!(
        s.arrive_by(1, none, PLAIN).hints.is_eln(),
        "which is the hole now"
    );
}

#[test]
fn a_notification_on_data_in_order_says_nothing() {
    let mut s = script();
    assert!(!s.arrive_by(1, Flags::empty(), AFTER_ELN).hints.is_eln());
}

#[test]
fn a_warning_is_told_until_the_sender_answers_and_contention_of_the_latest_segment() {
    let mut s = script();
    let contention = ContentionDelay::from_duration(Duration::from_micros(400));
    let warned = Way {
        marks: Marks::CONGESTION_WARNING,
        contention,
        ..PLAIN
    };
    let hints = s.arrive_by(1, Flags::empty(), warned).hints;
    assert_eq!(
        (hints.marks, hints.contention),
        (Marks::CONGESTION_WARNING, contention)
    );
    let hints = s.arrive_by(2, Flags::empty(), PLAIN).hints;
    assert_eq!(hints.marks, Marks::CONGESTION_WARNING);
    assert_eq!(hints.contention, ContentionDelay::ZERO);
    assert!(s.arrive_by(3, Flags::CWR, PLAIN).hints.is_none());
}
