//! The order of transmissions, packet by packet.

use super::*;

#[test]
fn a_repaired_packet_comes_one_round_trip_and_its_second_transmission_later() {
    // Claim dcr-link-recovery-extra-delay.
    for delay in [0, 1, 20, 250].map(Duration::from_millis) {
        let arrival = |lost: &[u64]| {
            let mut l = new(LinkConfig {
                delay,
                ..config(Arq::default(), lost)
            });
            offer(&mut l, ms(7), 1..=1);
            match run(&mut l)[..] {
                [At(1, at)] => Duration::from_millis(at),
                ref other => panic!("{other:?}"),
            }
        };
        let transmission = Duration::from_millis(10);
        let round_trip = delay * 2;
        let extra = arrival(&[1]).saturating_sub(arrival(&[]));
        if delay.is_zero() {
            // A nanosecond, which `At` rounds off.
            assert_eq!(extra, transmission);
        }
        assert_eq!(extra, round_trip + transmission);
    }
}

#[test]
fn a_repaired_packet_goes_before_those_that_wait() {
    let mut l = link(Arq::default(), &[1]);
    offer(&mut l, ms(0), 1..=6);
    // The first fails at 10 ms and is back at 40 ms, when the fourth has been sent.
    let want = [
        At(2, 35),
        At(3, 45),
        At(4, 55),
        At(1, 65),
        At(5, 75),
        At(6, 85),
    ];
    assert_eq!(run(&mut l), want);
}

#[test]
fn it_waits_for_the_end_of_the_transmission_that_goes_on() {
    let arq = Arq {
        round_trip: Some(Duration::from_millis(25)),
        ..Arq::default()
    };
    let mut l = link(arq, &[1]);
    offer(&mut l, ms(0), 1..=5);
    l.on_time(ms(39));
    assert_eq!(l.queue_len(), 2, "it is back, before the fifth");
    let want = [At(2, 35), At(3, 45), At(4, 55), At(1, 65), At(5, 75)];
    assert_eq!(run(&mut l), want);
}

#[test]
fn of_two_repaired_packets_the_later_one_is_at_the_head() {
    // The second is short: it fails while the third is under way, back 1 ms after the first.
    let mut l = link(Arq::default(), &[1, 2]);
    l.offer(ms(0), 1, 1500);
    l.offer(ms(0), 2, 150);
    // 1 fails at 10, 2 at 11 ms; they are back at 40 and 41 ms, in the third's transmission.
    l.offer(ms(38), 3, 1500);
    l.offer(ms(38), 4, 1500);
    let want = [At(3, 63), At(2, 64), At(1, 74), At(4, 84)];
    assert_eq!(run(&mut l), want);
}

#[test]
fn packets_that_come_back_together_stay_in_order() {
    let trace = Trace::parse("10\n20\n30").unwrap();
    let mut l = new(LinkConfig {
        service: Service::Trace(Arc::new(trace)),
        ..config(Arq::default(), &[1, 2])
    });
    // Both leave with the opportunity at 10 ms; that at 40 ms has gone when they are back.
    l.offer(ms(0), 1, 500);
    l.offer(ms(0), 2, 500);
    assert_eq!(run(&mut l), [At(1, 65), At(2, 65)]);
}

#[test]
fn a_retransmission_may_fail_again_and_again() {
    let mut l = link(Arq::default(), &[1, 2, 3]);
    offer(&mut l, ms(0), 1..=1);
    // Sent from 0, 40, 80 and 120 ms.
    assert_eq!(run(&mut l), [At(1, 145)]);
    let got = l.finish(ms(130)).arq;
    assert_eq!((got.transmissions, got.retransmissions), (4, 3));
    assert_eq!(got.mean_transmissions(), Some(4.0));
}

#[test]
fn errors_strike_transmissions_in_their_order() {
    // The fifth transmission is the first packet's second one.
    let mut l = link(Arq::default(), &[1, 5]);
    offer(&mut l, ms(0), 1..=5);
    let want = [At(2, 35), At(3, 45), At(4, 55), At(5, 75), At(1, 105)];
    assert_eq!(run(&mut l), want);
}

#[test]
fn retransmissions_may_be_exempt_from_errors_but_not_from_blackouts() {
    let arq = Arq {
        errors_on_retransmissions: false,
        ..Arq::default()
    };
    let mut l = new(LinkConfig {
        loss: vec![LossConfig::Iid(1.0)],
        blackouts: vec![Blackout {
            start: ms(50),
            end: ms(51),
        }],
        ..config(arq, &[])
    });
    offer(&mut l, ms(0), 1..=2);
    // Their second transmissions end at 50 and 60 ms.
    assert_eq!(run(&mut l), [At(2, 75), At(1, 105)]);
}

#[test]
fn after_the_last_retransmission_a_packet_is_given_up() {
    let arq = Arq {
        retries: Some(2),
        ..Arq::default()
    };
    let mut l = link(arq, &[1, 3, 4]);
    offer(&mut l, ms(0), 1..=2);
    assert_eq!(run(&mut l), [At(2, 35), Lost(1, DropCause::Channel)]);
    let got = l.finish(ms(200));
    assert_eq!((got.channel_drops, got.arq.given_up), (1, 1));
    assert_eq!((got.arq.transmissions, got.arq.retransmissions), (4, 2));
}

#[test]
fn the_last_failure_is_the_cause_of_giving_up() {
    let arq = Arq {
        retries: Some(1),
        ..Arq::default()
    };
    let run_with = |lost: &[u64], start| {
        let mut l = new(LinkConfig {
            blackouts: vec![Blackout {
                start: ms(start),
                end: ms(start + 1),
            }],
            ..config(arq, lost)
        });
        offer(&mut l, ms(0), 1..=1);
        (run(&mut l), l.finish(ms(100)))
    };
    let (first, got) = run_with(&[1], 50);
    assert_eq!(first, [Lost(1, DropCause::Blackout)]);
    assert_eq!((got.channel_drops, got.blackout_drops), (0, 1));
    let (second, got) = run_with(&[2], 10);
    assert_eq!(second, [Lost(1, DropCause::Channel)]);
    assert_eq!((got.channel_drops, got.blackout_drops), (1, 0));
}

#[test]
fn without_retries_nothing_is_sent_again() {
    let arq = Arq {
        retries: Some(0),
        ..Arq::default()
    };
    let mut l = link(arq, &[1]);
    offer(&mut l, ms(0), 1..=2);
    assert_eq!(run(&mut l), [Lost(1, DropCause::Channel), At(2, 35)]);
}

#[test]
fn held_packets_take_no_place_and_come_back_to_a_full_queue() {
    let mut l = new(LinkConfig {
        // Two may wait beside the packet in transmission.
        queue: QueueConfig::DropTail(Limit::Packets(3)),
        ..config(Arq::default(), &[1, 2])
    });
    offer(&mut l, ms(0), 1..=3);
    // At 20 ms 1 and 2 are held, 3 is in transmission: two places.
    offer(&mut l, ms(20), 4..=5);
    assert_eq!(l.offer(ms(20), 6, 1500), Some(DropCause::Queue));
    // At 30 ms 4 starts; at 40 ms 1 is back, and 7 has taken the last place.
    offer(&mut l, ms(30), 7..=7);
    l.on_time(ms(40));
    assert_eq!(l.queue_len(), 2, "1 is in transmission before 5 and 7");
    l.on_time(ms(50));
    assert_eq!(l.queue_len(), 2, "2 too");
    let want = [
        At(3, 45),
        At(4, 55),
        At(1, 65),
        At(2, 75),
        At(5, 85),
        At(7, 95),
    ];
    assert_eq!(run(&mut l), want);
    assert_eq!(l.finish(ms(100)).queue_drops, 1);
}

#[test]
fn the_queue_may_exceed_its_limit_with_what_comes_back() {
    let mut l = new(LinkConfig {
        queue: QueueConfig::DropTail(Limit::Packets(2)),
        ..config(
            Arq {
                round_trip: Some(Duration::from_millis(5)),
                ..Arq::default()
            },
            &[1],
        )
    });
    offer(&mut l, ms(0), 1..=2);
    offer(&mut l, ms(10), 3..=3);
    l.on_time(ms(15));
    assert_eq!(l.queue_len(), 2, "one more than may wait");
    assert_eq!(l.offer(ms(16), 4, 1500), Some(DropCause::Queue));
    assert_eq!(run(&mut l), [At(2, 35), At(1, 45), At(3, 55)]);
}

#[test]
fn a_full_link_carries_one_less_the_error_rate() {
    // Every twentieth transmission fails.
    let every = LossConfig::Periodic(PeriodicConfig {
        every: 20,
        first: Some(20),
    });
    let mut l = new(LinkConfig {
        loss: vec![every],
        ..config(Arq::default(), &[])
    });
    let mut arrived = 0;
    for id in 0..20_000 {
        let now = ms(10 * u64::from(id));
        l.offer(now, id, 1500);
        arrived += std::iter::from_fn(|| l.poll()).count();
    }
    l.on_time(ms(200_000));
    arrived += std::iter::from_fn(|| l.poll()).count();
    // 20 000 transmissions fit, of which 5% fail.
    assert_eq!(arrived, 19_000);
    let got = l.finish(ms(200_000));
    assert_eq!(got.utilisation, 1.0);
    assert_eq!((got.channel_drops, got.arq.given_up), (0, 0));
    assert_eq!(got.arq.transmissions, 20_000);
}

#[test]
fn every_packet_arrives_over_a_bad_channel_and_is_sent_as_often_as_it_should() {
    let mut l = new(LinkConfig {
        loss: vec![LossConfig::GilbertElliott(GilbertElliottConfig {
            to_bad: 0.1,
            to_good: 0.3,
            loss_good: 0.1,
            loss_bad: 0.6,
        })],
        ..config(Arq::default(), &[])
    });
    for id in 0..20_000 {
        assert_eq!(l.offer(ms(20 * u64::from(id)), id, 1500), None);
    }
    let mut ids: Vec<u32> = run(&mut l)
        .into_iter()
        .map(|heard| match heard {
            At(id, _) => id,
            Lost(..) => panic!("{heard:?}"),
        })
        .collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..20_000));
    // A quarter of the transmissions in the bad state: 0.225 fail.
    let got = l.finish(ms(400_000)).arq;
    let mean = got.mean_transmissions().unwrap();
    assert!((mean - 1.0 / (1.0 - 0.225)).abs() < 0.02, "{mean}");
}
