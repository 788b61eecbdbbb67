use super::*;

/// What comes out of the agent, in this order.
#[derive(Debug, PartialEq)]
enum Out {
    On(u64),
    Nack(u64, u64),
}
use Out::{Nack, On};

struct Script {
    agent: Downstream,
    now: Time,
}

impl Script {
    fn new(config: DownstreamConfig) -> Self {
        Self {
            agent: Downstream::new(config),
            now: Time::ZERO + Duration::from_secs(1),
        }
    }

    /// The default, where segments up to this one have come.
    fn after(last: u64) -> Self {
        let mut script = Self::new(DownstreamConfig::default());
        for n in 1..=last {
            script.comes(n, &[On(n)]);
        }
        script
    }

    fn wait(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
    }

    /// Milliseconds until the timer is due.
    fn due(&self) -> Option<u64> {
        let due = self.agent.next_timer()?;
        Some(due.since(self.now).as_nanos() / 1_000_000)
    }

    #[track_caller]
    fn is(&mut self, before: Option<Out>, expected: &[Out]) {
        let polled = std::iter::from_fn(|| self.agent.poll_transmit()).map(|heard| match heard {
            Heard::Forward(packet) => On(carried(&packet)),
            Heard::Nack(hole) => Nack(number(hole.start), number(hole.end)),
        });
        let out: Vec<Out> = before.into_iter().chain(polled).collect();
        assert_eq!(out, expected);
    }

    /// Segment `n` comes over the hop, and then this goes out.
    #[track_caller]
    fn comes(&mut self, n: u64, expected: &[Out]) {
        let verdict = self.agent.on_data(self.now, &packet(data(n)), &data(n));
        let forwarded = (verdict == Verdict::Forward).then_some(On(n));
        self.is(forwarded, expected);
    }

    #[track_caller]
    fn is_refused(&mut self, asked: (u64, u64), expected: &[Out]) {
        self.agent.on_refused(hole(asked));
        self.is(None, expected);
    }

    #[track_caller]
    fn timer(&mut self, expected: &[Out]) {
        self.agent.on_timer(self.now);
        self.is(None, expected);
    }
}

#[test]
fn what_comes_in_order_goes_on_at_once() {
    let script = Script::after(5);
    assert_eq!(script.agent.counters(), Counters::default());
    assert_eq!((script.due(), script.agent.held_bytes()), (None, 0));
}

#[test]
fn a_gap_is_asked_for_by_its_numbers_and_later_segments_wait_for_it() {
    let mut script = Script::after(1);
    script.comes(4, &[Nack(2, 4)]);
    script.comes(5, &[]); // asked for once
    assert_eq!(script.agent.held_bytes(), 2 * SIZE);
    script.comes(2, &[On(2)]); // 3 is still missing
    script.comes(3, &[On(3), On(4), On(5)]);
    script.comes(6, &[On(6)]);
    let counters = script.agent.counters();
    assert_eq!(
        (counters.nacks, counters.held, counters.given_up),
        (1, 2, 0)
    );
    assert_eq!((script.due(), script.agent.held_bytes()), (None, 0));
}

#[test]
fn each_gap_is_asked_for_when_it_is_seen() {
    let mut script = Script::after(1);
    script.comes(3, &[Nack(2, 3)]);
    script.comes(5, &[Nack(4, 5)]);
    script.comes(4, &[]); // 2 comes first
    script.comes(2, &[On(2), On(3), On(4), On(5)]);
}

#[test]
fn a_repair_in_the_middle_of_a_gap_is_held_too() {
    let mut script = Script::after(1);
    script.comes(5, &[Nack(2, 5)]);
    script.comes(3, &[]);
    script.comes(2, &[On(2), On(3)]);
    script.comes(4, &[On(4), On(5)]);
}

#[test]
fn old_segments_pass_and_second_copies_of_held_ones_do_not() {
    let mut script = Script::after(3);
    script.comes(2, &[On(2)]); // the receiver answers it: the ACK may be lost
    script.comes(5, &[Nack(4, 5)]);
    script.comes(5, &[]);
    script.comes(2, &[On(2)]);
    assert_eq!(script.agent.held_bytes(), SIZE);
    script.comes(4, &[On(4), On(5)]);
}

#[test]
fn a_segment_that_was_cut_in_another_way_does_not_bring_held_bytes_again() {
    let mut script = Script::after(1);
    script.comes(3, &[Nack(2, 3)]);
    let both = Segment {
        len: 2 * MSS,
        ..data(2)
    };
    let verdict = script.agent.on_data(script.now, &packet(both), &both);
    assert_eq!(verdict, Verdict::Forward);
    script.is(None, &[]);
    assert_eq!(script.agent.held_bytes(), 0);
    script.comes(4, &[On(4)]);
}

#[test]
fn it_asks_again_after_two_round_trips_and_later_each_time() {
    let mut script = Script::after(1);
    script.comes(3, &[Nack(2, 3)]);
    assert_eq!(script.due(), Some(200), "as if the round trip took 100 ms");
    script.wait(40);
    script.comes(2, &[On(2), On(3)]);
    // Now it is known to take 40 ms.
    script.comes(5, &[Nack(4, 5)]);
    assert_eq!(script.due(), Some(80));
    script.wait(79);
    script.timer(&[]);
    script.wait(1);
    script.timer(&[Nack(4, 5)]);
    assert_eq!(script.due(), Some(160));
    script.wait(160);
    script.timer(&[Nack(4, 5)]);
    // Which request is answered is not known, so that this is no sample.
    script.comes(4, &[On(4), On(5)]);
    script.comes(7, &[Nack(6, 7)]);
    assert_eq!(script.due(), Some(80));
}

#[test]
fn an_answer_to_a_part_gives_the_rest_its_time() {
    let mut script = Script::after(1);
    script.comes(4, &[Nack(2, 4)]);
    script.wait(190);
    script.comes(2, &[On(2)]);
    script.wait(20);
    script.timer(&[]);
    assert_eq!(script.due(), Some(2 * 190 - 20));
}

#[test]
fn it_lets_go_after_the_longest_time() {
    let mut script = Script::after(1);
    script.comes(3, &[Nack(2, 3)]);
    script.wait(600);
    script.timer(&[Nack(2, 3)]);
    script.comes(5, &[Nack(4, 5)]);
    script.wait(399);
    script.timer(&[Nack(4, 5)]);
    assert_eq!(script.due(), Some(1));
    script.wait(1);
    script.timer(&[On(3)]); // but not 5, which has waited for 400 ms
    script.wait(600);
    script.timer(&[On(5)]);
    assert_eq!(script.agent.counters().given_up, 2);
    assert_eq!((script.due(), script.agent.held_bytes()), (None, 0));
    // They are the sender's now, and pass.
    script.comes(2, &[On(2)]);
    script.comes(4, &[On(4)]);
    script.comes(6, &[On(6)]);
}

#[test]
fn it_lets_go_when_the_other_agent_does_not_have_it_either() {
    let mut script = Script::after(1);
    script.comes(5, &[Nack(2, 5)]);
    script.comes(7, &[Nack(6, 7)]);
    script.is_refused((3, 4), &[]); // 2 may come yet
    script.comes(2, &[On(2)]);
    script.is_refused((4, 5), &[On(5)]);
    script.is_refused((4, 5), &[]); // known
    script.is_refused((9, 10), &[]); // never asked for
    script.is_refused((6, 7), &[On(7)]);
    assert_eq!(script.agent.counters().given_up, 3);
}

#[test]
fn what_was_left_to_the_sender_is_held_when_it_comes_before_an_earlier_hole_is_filled() {
    let mut script = Script::after(1);
    script.comes(3, &[Nack(2, 3)]);
    script.comes(5, &[Nack(4, 5)]);
    script.is_refused((4, 5), &[]);
    script.comes(4, &[]);
    script.comes(4, &[]);
    assert_eq!(script.agent.held_bytes(), 3 * SIZE);
    script.comes(2, &[On(2), On(3), On(4), On(5)]);
    assert_eq!((script.due(), script.agent.held_bytes()), (None, 0));
}

#[test]
fn it_holds_no_more_than_its_buffer() {
    let config = DownstreamConfig {
        buffer: 2 * SIZE,
        ..DownstreamConfig::default()
    };
    let mut script = Script::new(config);
    script.comes(1, &[On(1)]);
    script.comes(3, &[Nack(2, 3)]);
    script.comes(5, &[Nack(4, 5)]);
    // The third: what waits for the first gap goes, in order, and the second gap is waited for.
    script.comes(6, &[On(3)]);
    assert_eq!(script.agent.held_bytes(), 2 * SIZE);
    script.comes(4, &[On(4), On(5), On(6)]);
    // Without any buffer nothing waits.
    let mut script = Script::new(DownstreamConfig {
        buffer: 0,
        ..config
    });
    script.comes(1, &[On(1)]);
    script.comes(3, &[Nack(2, 3), On(3)]);
    script.comes(2, &[On(2)]);
}

#[test]
fn what_takes_no_sequence_number_passes() {
    let mut script = Script::after(1);
    script.comes(3, &[Nack(2, 3)]);
    let empty = Segment { len: 0, ..data(9) };
    let verdict = script.agent.on_data(script.now, &packet(empty), &empty);
    assert_eq!(verdict, Verdict::Forward);
    script.is(None, &[]);
}

#[test]
fn syn_and_fin_have_their_places() {
    let mut script = Script::new(DownstreamConfig::default());
    let control = |seq: u32, flags| Segment {
        seq: SeqNr(seq),
        flags,
        ..Segment::default()
    };
    let syn = control(ISS.wrapping_sub(1), Flags::SYN);
    let fin = control(seq(3).0, Flags::FIN);
    assert_eq!(
        script.agent.on_data(script.now, &packet(syn), &syn),
        Verdict::Forward
    );
    script.comes(1, &[On(1)]);
    assert_eq!(
        script.agent.on_data(script.now, &packet(fin), &fin),
        Verdict::Keep
    );
    script.is(None, &[Nack(2, 3)]);
    script.comes(2, &[On(2), On(3)]);
}
