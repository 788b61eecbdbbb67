mod literal;
mod scoreboard;

use super::*;
use crate::time::Duration;

fn flight(n: u64) -> Flight {
    let mut f = Flight::default();
    for i in 1..=n {
        f.send_new(i * 100, Time::ZERO);
    }
    f
}

#[test]
fn acknowledgements_remove_segments_and_move_the_edges() {
    let mut f = flight(5);
    assert_eq!((f.una(), f.nxt(), f.max()), (0, 500, 500));
    let acked = f.acknowledge(250);
    assert_eq!(acked.bytes, 250);
    assert_eq!(acked.newest_sent(), Some(Time::ZERO));
    f.send_again(300, Time::ZERO);
    assert_eq!(f.clone().acknowledge(400).newest_sent(), None);
    assert_eq!(f.first().map(|s| (s.start, s.end)), Some((250, 300)));
    assert_eq!(f.in_flight(), 250);
}

#[test]
fn going_back_n_sends_the_same_segments_and_skips_what_is_held() {
    let mut f = flight(4);
    assert_eq!(f.sack(100, 200), 100);
    f.rewind();
    assert_eq!(f.nxt(), 0);
    assert_eq!(
        f.send_again(0, Time::ZERO)
            .and_then(|sent| f.at(sent.start))
            .map(|s| s.transmissions),
        Some(2)
    );
    f.skip_sacked();
    assert_eq!(f.nxt(), 200);
    assert_eq!(f.max(), 400);
}

#[test]
fn segments_are_found_in_order_whatever_the_number_says() {
    let mut f = flight(5);
    f.acknowledge(150);
    for start in [0, 1, 3, 77] {
        let mut number = start;
        let mut found = Vec::new();
        for position in [150, 250, 300, 499] {
            found.extend(
                f.at_number(position, &mut number)
                    .map(|s| (s.end(), number)),
            );
        }
        assert_eq!(found, [(200, 2), (300, 3), (400, 4), (500, 5)]);
        assert!(f.at_number(500, &mut number).is_none());
        assert!(f.at_number(149, &mut number).is_none());
    }
}

#[test]
fn sack_blocks_count_once_and_out_of_range_ones_not_at_all() {
    let mut f = flight(4);
    assert_eq!(f.sack(100, 300), 200);
    assert_eq!(f.sack(100, 400), 100);
    assert_eq!(f.sack(300, 900), 0);
    assert_eq!(f.sacked_bytes(), 300);
    let acked = f.acknowledge(200);
    assert_eq!((acked.sacked_before, f.sacked_bytes()), (100, 200));
}

#[test]
fn a_lost_segment_is_offered_until_it_is_sent_held_or_acknowledged() {
    let mut f = flight(3);
    f.mark_first_lost();
    assert_eq!(f.next_lost().map(|s| s.start), Some(0));
    f.send_again(0, Time::ZERO);
    assert_eq!(f.next_lost(), None);
    f.mark_lost_below(300);
    f.sack(100, 200);
    assert_eq!(f.next_lost().map(|s| s.start), Some(200));
    f.acknowledge(300);
    assert_eq!(f.next_lost(), None);
    assert!(f.is_empty());
}

#[test]
fn a_flight_that_lost_nothing_is_small() {
    assert!(size_of::<Flight>() <= 112, "{}", size_of::<Flight>());
    assert!(flight(4).scoreboard.is_none());
}

#[test]
fn what_was_found_lost_before_a_timeout_is_not_found_again_by_it() {
    let mut f = flight(4);
    f.sack(200, 300);
    f.mark_first_lost();
    assert_eq!(f.lost_ever(), 100);
    f.rewind();
    assert_eq!(f.lost_ever(), 300);
}

#[test]
fn what_was_sent_again_before_a_standstill_shows_no_round_trip() {
    let sample = |f: &Flight| f.delivery().and_then(Delivery::sample);
    let ms = |n| Time::ZERO + Duration::from_millis(n);
    let mut f = flight(2);
    f.track_delivery(false);
    f.send_again(0, ms(10));
    f.stand_still();
    f.send_again(100, ms(900));
    f.begin_ack(ms(1000), None);
    f.acknowledge(100);
    assert_eq!(sample(&f), None);
    // A segment that is sent again after the standstill shows a round trip.
    f.begin_ack(ms(1000), None);
    f.acknowledge(200);
    assert_eq!(
        sample(&f).map(|shown| shown.rtt),
        Some(Duration::from_millis(100))
    );
}
