//! Forward error correction, alone and together with retransmission.

use super::*;
use crate::link::{Link, LossAt};

fn coded(rate: f64, repair: f64, lost: &[u64]) -> LinkConfig {
    LinkConfig {
        fec: Some(Fec { rate, repair }),
        ..config(Arq::default(), lost)
    }
}

#[test]
fn a_coded_packet_takes_longer_by_the_code_rate() {
    let mut l = new(coded(0.5, 1.0, &[]));
    offer(&mut l, ms(0), 1..=2);
    assert_eq!(run(&mut l), [At(1, 35), At(2, 55)]);
    assert_eq!(l.finish(ms(80)).utilisation, 0.5);

    let plain = LinkConfig {
        arq: None,
        ..coded(0.5, 1.0, &[])
    };
    let mut l = Link::new(plain, 1, "wireless");
    let arrives = |at| Fate::Arrives {
        at,
        corrupt: false,
        marked: false,
        duplicate: false,
    };
    assert_eq!(l.send(ms(0), 1500), arrives(ms(35)));
    assert_eq!(l.send(ms(0), 1500), arrives(ms(55)));
    assert_eq!(l.finish(ms(80)).utilisation, 0.5);
}

#[test]
fn rounding_adds_no_byte() {
    // 700 / 0.7 is a little more than 1000 in binary.
    for (rate, size, on_air) in [(0.7, 700, 1000), (0.8, 1000, 1250), (0.9, 1500, 1667)] {
        let medium = Medium::new(&coded(rate, 0.0, &[]), 1, "wireless");
        assert_eq!(medium.on_air(size), on_air);
    }
}

#[test]
fn what_the_code_repairs_is_not_sent_again() {
    let mut l = new(coded(1.0, 1.0, &[1, 2]));
    offer(&mut l, ms(0), 1..=2);
    assert_eq!(run(&mut l), [At(1, 25), At(2, 35)]);
    let got = l.finish(ms(40));
    assert_eq!((got.fec_repairs, got.arq.retransmissions), (2, 0));
}

#[test]
fn what_it_does_not_repair_is_sent_again() {
    let mut l = new(coded(1.0, 0.0, &[1]));
    offer(&mut l, ms(0), 1..=2);
    assert_eq!(run(&mut l), [At(2, 35), At(1, 65)]);
    let got = l.finish(ms(100));
    assert_eq!((got.fec_repairs, got.arq.retransmissions), (0, 1));
}

#[test]
fn a_blackout_leaves_nothing_to_repair() {
    let mut l = new(LinkConfig {
        blackouts: vec![Blackout {
            start: ms(10),
            end: ms(11),
        }],
        ..coded(1.0, 1.0, &[1])
    });
    offer(&mut l, ms(0), 1..=1);
    assert_eq!(run(&mut l), [At(1, 65)]);
    assert_eq!(l.finish(ms(100)).fec_repairs, 0);
}

#[test]
fn the_share_repaired_is_as_asked_wherever_losses_happen() {
    for loss_at in [LossAt::Head, LossAt::Tail] {
        let mut l = Link::new(
            LinkConfig {
                arq: None,
                loss: vec![LossConfig::Iid(0.5)],
                loss_at,
                ..coded(0.9, 0.8, &[])
            },
            1,
            "wireless",
        );
        for i in 0..20_000 {
            l.send(ms(20 * i), 1500);
        }
        let got = l.finish(ms(400_000));
        let share = |n: u64| n as f64 / 20_000.0;
        assert!((share(got.channel_drops) - 0.1).abs() < 0.01, "{got:?}");
        assert!((share(got.fec_repairs) - 0.4).abs() < 0.015, "{got:?}");
    }
}

#[test]
fn red_works_before_a_link_that_retransmits() {
    let mut l = new(LinkConfig {
        loss: vec![LossConfig::Iid(0.1)],
        queue: QueueConfig::Red(RedConfig {
            limit: Limit::Packets(100),
            min_threshold: 20.0,
            max_threshold: 60.0,
            max_p: 0.2,
            weight: 0.01,
            gentle: false,
            wait: true,
            mean_packet: 1500,
            mark_p: None,
        }),
        ..config(Arq::default(), &[])
    });
    l.measure(ms(20_000), ms(400_000));
    // The link carries 90% of its rate; the load is 4% more than that.
    let mut early = 0;
    for id in 0..37_440_u32 {
        let now = Time::from_nanos(u64::from(id) * 10_683_761);
        match l.offer(now, id, 1500) {
            None => {}
            Some(cause) => {
                assert_eq!(cause, DropCause::Early);
                early += 1;
            }
        }
    }
    let got = l.finish(ms(400_000));
    assert!((20.0..60.0).contains(&got.queue_mean_packets), "{got:?}");
    assert!((1_200..1_800).contains(&early), "{early}");
}
