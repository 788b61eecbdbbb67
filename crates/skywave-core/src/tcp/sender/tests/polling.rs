//! A driver that learns that a segment is the last one need not poll again.

use crate::packet::{Flags, SackBlock, Segment};
use crate::seq::SeqNr;
use crate::tcp::preset::PRESETS;
use crate::tcp::sender::Sender;
use crate::tcp::testing::{MSS, config};
use crate::time::{Duration, Time};

/// Number of polls and segments of a sender in a transfer of 60 segments, some of which are lost; each ACK
/// reports the data held above a hole.
fn transfer(name: &str, trusts: bool) -> (u32, Vec<Segment>) {
    let mut sender = Sender::new(config(name, 4));
    sender.open();
    sender.write(60 * u64::from(MSS));
    let (mut now, mut asked) = (Time::ZERO + Duration::from_secs(1), 0);
    let (mut sent, mut held) = (Vec::new(), [false; 60]);
    while !held.iter().all(|&held| held) && sent.len() < 500 {
        let mut answers = Vec::new();
        loop {
            asked += 1;
            let Some(departure) = sender.poll_departure(now) else {
                break;
            };
            let segment = sender.segment(departure, now);
            sent.push(segment);
            if ![9, 10, 23, 37].contains(&sent.len()) {
                let position = segment.seq.expand(0, 0).expect("its own number");
                answers.push((position / u64::from(MSS)) as usize);
            }
            if departure.is_last() {
                if trusts {
                    break;
                }
                assert_eq!(sender.poll_departure(now), None, "{name}");
            }
        }
        now += Duration::from_millis(100);
        for number in answers {
            held[number] = true;
            sender.on_segment(now, &ack(&held, number));
            now += Duration::from_millis(1);
        }
        // Continue at the next timer, but after at most a second.
        let due = sender.next_timer().unwrap_or(now);
        now = now.max(due.min(now + Duration::from_secs(1)));
        sender.on_timer(now);
    }
    assert!(held.iter().all(|&held| held), "{name}");
    (asked, sent)
}

/// The ACK for segment `number` of a receiver that holds these segments.
fn ack(held: &[bool], number: usize) -> Segment {
    let at = |number: usize| SeqNr::at(0, number as u64 * u64::from(MSS));
    let next = held.iter().take_while(|&&held| held).count();
    let block = SackBlock {
        start: at(number),
        end: at(number + 1),
    };
    Segment {
        ack: at(next),
        window: 1000 * MSS,
        flags: Flags::ACK,
        options: (number > next).then_some(block).into_iter().collect(),
        ..Segment::default()
    }
}

#[test]
fn nothing_follows_the_last_segment() {
    let mut saved = 0;
    for preset in PRESETS.iter() {
        let (asked, sent) = transfer(preset.name, false);
        let (asked_less, same) = transfer(preset.name, true);
        assert_eq!(sent, same, "{}", preset.name);
        // Detectors that send beyond the window must be polled each time.
        saved += usize::from(asked_less < asked);
    }
    assert!(saved >= 10, "{saved} of {}", PRESETS.len());
}
