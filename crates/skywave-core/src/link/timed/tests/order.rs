//! Delivery in order.

use super::*;

fn in_order(retries: Option<u32>) -> Arq {
    Arq {
        in_order: true,
        retries,
        ..Arq::default()
    }
}

#[test]
fn packets_behind_a_missing_one_wait_for_it() {
    let mut l = link(in_order(None), &[2]);
    offer(&mut l, ms(0), 1..=6);
    // The second is sent again from 50 ms.
    let want = [
        At(1, 25),
        At(2, 75),
        At(3, 75),
        At(4, 75),
        At(5, 75),
        At(6, 85),
    ];
    assert_eq!(run(&mut l), want);
}

#[test]
fn several_missing_ones_let_go_step_by_step() {
    let mut l = link(in_order(None), &[1, 3]);
    offer(&mut l, ms(0), 1..=4);
    // The first is sent again from 40 ms, the third from 60 ms.
    let want = [At(1, 65), At(2, 65), At(3, 85), At(4, 85)];
    assert_eq!(run(&mut l), want);
}

#[test]
fn one_that_is_given_up_lets_those_behind_it_go_when_it_would_have_come() {
    // The first is sent again from 40 to 50 ms, but lost again: the fifth transmission.
    let mut l = link(in_order(Some(1)), &[1, 5]);
    offer(&mut l, ms(0), 1..=4);
    let lost = Lost(1, DropCause::Channel);
    assert_eq!(run(&mut l), [lost, At(2, 65), At(3, 65), At(4, 65)]);
}

#[test]
fn what_waits_at_the_far_side_counts_when_it_is_delivered() {
    let mut l = new(LinkConfig {
        corruption: 1.0,
        ..config(in_order(None), &[1])
    });
    offer(&mut l, ms(0), 1..=2);
    l.on_time(ms(30));
    assert_eq!((l.poll(), l.finish(ms(30)).corrupted), (None, 0));
    assert_eq!(run(&mut l), [At(1, 65), At(2, 65)]);
    assert_eq!(l.finish(ms(60)).corrupted, 2);
}

#[test]
fn what_jitter_and_reordering_mix_is_put_in_order() {
    let mut l = new(LinkConfig {
        loss: vec![LossConfig::Iid(0.2)],
        jitter: Some(Jitter::Exponential(Duration::from_millis(20))),
        reordering: Some(Reordering {
            probability: 0.3,
            delay: Duration::from_millis(70),
        }),
        ..config(in_order(None), &[])
    });
    offer(&mut l, ms(0), 0..=90);
    let heard = run(&mut l);
    let mut last = 0;
    for (id, heard) in (0..).zip(&heard) {
        match heard {
            At(got, at) if *got == id && *at >= last => last = *at,
            _ => panic!("{heard:?} after {last} ms"),
        }
    }
    assert_eq!(heard.len(), 91);
}

#[test]
fn out_of_order_is_the_default_and_arrivals_come_in_their_order() {
    let mut l = new(LinkConfig {
        loss: vec![LossConfig::Iid(0.3)],
        jitter: Some(Jitter::Exponential(Duration::from_millis(20))),
        ..config(Arq::default(), &[])
    });
    offer(&mut l, ms(0), 0..=90);
    let heard = run(&mut l);
    let at = |h: &Heard| match *h {
        At(_, at) => at,
        Lost(..) => panic!("{h:?}"),
    };
    assert!(heard.is_sorted_by_key(at));
    let number = |h: &Heard| match *h {
        At(id, _) | Lost(id, _) => id,
    };
    assert!(!heard.is_sorted_by_key(number));
}
