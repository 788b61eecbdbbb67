use super::script::{MSS, RTT_MS, Script};
use super::*;

fn fates(transfer: &Transfer) -> Vec<(Fate, Option<Cause>)> {
    transfer
        .sent
        .iter()
        .map(|sent| (sent.fate, sent.again))
        .collect()
}

/// Some round trips without anything remarkable: the first 4 segments.
fn calm(first: u32) -> Script {
    let mut script = Script::begun(first);
    for round in 0..4 {
        let at = 60 + round as u64 * RTT_MS;
        script.data(at, round * MSS, MSS);
        script.ack(at + RTT_MS, (round + 1) * MSS, &[]);
    }
    script
}

#[test]
fn a_loss_is_told_by_what_arrived_after_it() {
    let mut script = calm(1);
    for (at, segment) in [(300, 4), (301, 5), (302, 6), (303, 7)] {
        script.data(at, segment * MSS, MSS);
    }
    script
        .ack(351, 4000, &[(5000, 6000)])
        .ack(352, 4000, &[(5000, 7000)])
        .ack(353, 4000, &[(5000, 8000)])
        .data(354, 4000, MSS)
        .ack(404, 8000, &[]);
    let transfer = script.transfer();
    let timed = (Fate::Timed, None);
    assert_eq!(
        fates(&transfer)[4..],
        [
            (Fate::Lost, None),
            timed,
            timed,
            timed,
            (Fate::Delivered, Some(Cause::Dupacks))
        ]
    );
    assert_eq!(transfer.delivered, 8000);
    assert_eq!(transfer.handshake.unwrap().rtt_s, 0.05);
    assert!(transfer.is_near_sender);
    assert_eq!((transfer.mss, transfer.headers), (1000, 40));
}

#[test]
fn a_duplicates_report_tells_that_a_retransmission_was_in_vain() {
    let mut script = calm(1);
    script
        .data(300, 4000, MSS)
        .data(301, 5000, MSS)
        .ack(351, 4000, &[(5000, 6000)])
        .data(352, 4000, MSS)
        // Long enough after the retransmission for both to be possible.
        .ack(385, 6000, &[])
        .ack(402, 6000, &[(4000, 5000)]);
    let transfer = script.transfer();
    assert_eq!(
        fates(&transfer)[4..],
        [
            (Fate::Delivered, None),
            (Fate::Timed, None),
            (Fate::Delivered, Some(Cause::Spurious))
        ]
    );
    let overtaken: u16 = transfer.bins.iter().map(|bin| bin.overtaken).sum();
    assert_eq!(overtaken, 1);
}

#[test]
fn an_answer_that_comes_too_soon_is_one_to_the_first_transmission() {
    let mut script = calm(1);
    script
        .data(300, 4000, MSS)
        .data(301, 5000, MSS)
        .ack(351, 4000, &[(5000, 6000)])
        .data(352, 4000, MSS)
        .ack(360, 6000, &[])
        .ack(402, 6000, &[(4000, 5000)]);
    let fates = fates(&script.transfer());
    assert_eq!(fates[4], (Fate::Delivered, None));
    assert_eq!(fates[6].1, Some(Cause::Spurious));
}

#[test]
fn an_echo_from_before_a_retransmission_is_an_answer_to_the_original() {
    for (echo, original) in [(300, Fate::Delivered), (352, Fate::Lost)] {
        let mut script = calm(1);
        script.echo = Some(0);
        script
            .data(300, 4000, MSS - 12)
            .data(301, 4988, MSS - 12)
            .ack(351, 4000, &[(4988, 5976)])
            .data(352, 4000, MSS - 12);
        script.echo = Some(echo);
        // Long enough after the retransmission for both to be possible.
        script.ack(395, 5976, &[]);
        let fates = fates(&script.transfer());
        assert_eq!(fates[4], (original, None));
        let is_in_vain = original == Fate::Delivered;
        assert_eq!(fates[6].1 == Some(Cause::Spurious), is_in_vain);
    }
}

#[test]
fn a_segment_that_others_overtook_was_not_lost() {
    let mut script = calm(1);
    script
        .data(300, 4000, MSS)
        .data(301, 5000, MSS)
        .ack(351, 4000, &[(5000, 6000)])
        .ack(360, 6000, &[]);
    let transfer = script.transfer();
    assert_eq!(fates(&transfer)[4].0, Fate::Timed);
    assert_eq!(
        transfer
            .bins
            .iter()
            .filter(|bin| bin.overtaken == 1)
            .count(),
        1
    );
}

#[test]
fn silence_before_a_retransmission_is_a_timeout_and_what_follows_is_its_work() {
    let mut script = calm(1);
    script
        .data(300, 4000, MSS)
        .data(300, 5000, MSS)
        .data(300, 6000, MSS)
        .data(550, 4000, MSS)
        .ack(600, 5000, &[])
        .data(601, 5000, MSS)
        .data(601, 6000, MSS)
        .ack(651, 7000, &[]);
    let transfer = script.transfer();
    let again = (Fate::Delivered, Some(Cause::Timeout));
    assert_eq!(fates(&transfer)[4..7], [(Fate::Lost, None); 3]);
    assert_eq!(fates(&transfer)[7..], [again; 3]);
    assert!(transfer.bins.iter().any(|bin| bin.is_after_timeout));
}

#[test]
fn timers_that_went_on_until_an_answer_came_began_with_what_had_arrived() {
    let mut script = calm(1);
    script
        .data(300, 4000, MSS)
        .data(300, 5000, MSS)
        .data(550, 4000, MSS)
        .data(1050, 4000, MSS)
        // The answers were lost, not the segments; nor is what follows a timer's work.
        .ack(1100, 5000, &[(4000, 5000)])
        .data(1101, 5000, MSS)
        .ack(1151, 6000, &[]);
    assert_eq!(
        fates(&script.transfer())[4..],
        [
            (Fate::Delivered, None),
            (Fate::Lost, None),
            (Fate::Lost, Some(Cause::Timeout)),
            (Fate::Delivered, Some(Cause::Spurious)),
            (Fate::Delivered, Some(Cause::Dupacks)),
        ]
    );
}

#[test]
fn the_last_segment_sent_again_after_two_round_trips_probes_the_tail() {
    let mut script = calm(1);
    script
        .data(300, 4000, MSS)
        .data(300, 5000, MSS)
        .ack(350, 5000, &[])
        .data(450, 5000, MSS)
        .ack(500, 6000, &[]);
    let fates = fates(&script.transfer());
    assert_eq!(fates[5], (Fate::Lost, None));
    assert_eq!(fates[6], (Fate::Delivered, Some(Cause::TailProbe)));
}

#[test]
fn packets_that_the_network_card_cuts_up_are_segments_one_by_one() {
    let mut script = calm(1);
    script
        .data(300, 4000, 5500)
        .ack(350, 6000, &[(7000, 9500)])
        .data(351, 6000, MSS)
        .ack(401, 9500, &[]);
    let transfer = script.transfer();
    let fates = fates(&transfer);
    assert_eq!(fates.len(), 11);
    assert_eq!(fates[6], (Fate::Lost, None));
    assert_eq!(
        fates.iter().filter(|(fate, _)| *fate == Fate::Lost).count(),
        1
    );
    assert_eq!(transfer.sent[9].bytes, 540);
    assert_eq!((transfer.delivered, transfer.mss), (9500, 1000));
}

#[test]
fn the_smallest_segments_take_no_more_memory() {
    let mut script = Script::agreed(1, 1);
    script.data(60, 0, 60_000).ack(110, 60_000, &[]);
    let transfer = script.transfer();
    assert_eq!(transfer.sent.len(), 128);
    assert_eq!(transfer.delivered, 60_000);
}

#[test]
fn sequence_numbers_wrap_around() {
    let mut script = calm(u32::MAX - 4500);
    script
        .data(300, 4000, MSS)
        .data(301, 5000, MSS)
        .ack(351, 4000, &[(5000, 6000)])
        .data(352, 4000, MSS)
        .ack(402, 6000, &[]);
    let transfer = script.transfer();
    assert_eq!(transfer.delivered, 6000);
    assert_eq!(fates(&transfer)[4], (Fate::Lost, None));
}

#[test]
fn the_number_of_a_fin_is_no_payload() {
    let mut script = calm(1);
    script.ack(400, 4001, &[]);
    assert_eq!(script.transfer().delivered, 4000);
}

#[test]
fn answers_to_what_was_never_sent_count_for_nothing() {
    let mut script = calm(1);
    script
        .data(300, 4000, MSS)
        .ack(310, 3_000_000_000, &[])
        .ack(311, 4000, &[(900_000, 950_000), (7000, 6000), (5000, 5000)])
        .ack(312, 4000, &[(0, 2_000_000_000)])
        .ack(350, 5000, &[]);
    let transfer = script.transfer();
    assert_eq!(transfer.delivered, 5000);
    assert_eq!(fates(&transfer)[4], (Fate::Timed, None));
}

#[test]
fn what_the_capture_missed_is_counted_and_no_retransmission() {
    let mut script = calm(1);
    script
        .data(300, 6000, MSS)
        .data(301, 5000, MSS)
        .ack(350, 7000, &[]);
    let transfer = script.transfer();
    assert_eq!((transfer.unseen, transfer.delivered), (2000, 5000));
    let again = |(_, again): &(Fate, Option<Cause>)| again.is_some();
    assert!(!fates(&transfer).iter().any(again));
}

#[test]
fn a_window_without_its_scale_is_unknown() {
    let windows = |script: &Script| -> Vec<u32> {
        script
            .transfer()
            .bins
            .iter()
            .map(|bin| bin.window)
            .collect()
    };
    assert_eq!(windows(&calm(1)).last(), Some(&240_000));
    let mut script = Script::midway(1);
    script.data(0, 0, MSS).ack(50, 1000, &[]);
    assert_eq!(windows(&script), [u32::MAX, u32::MAX]);
}

#[test]
fn what_an_answer_that_stretches_over_many_tells_is_the_last_ones_round_trip() {
    let mut script = calm(1);
    for segment in 4..12 {
        script.data(300 + u64::from(segment), segment * MSS, MSS);
    }
    script.ack(400, 12_000, &[]);
    let timed = |(fate, _): &(Fate, _)| *fate == Fate::Timed;
    let fates = fates(&script.transfer());
    assert_eq!(fates[4..].iter().filter(|fate| timed(fate)).count(), 1);
    assert!(timed(&fates[11]));
}

#[test]
fn answers_are_read_however_long_the_transfer_lasts() {
    const HOURS_MS: u64 = 2 * 3600 * 1000;
    let mut script = calm(1);
    script.echo = Some(0);
    script
        .data(HOURS_MS, 4000, MSS - 12)
        .ack(HOURS_MS + RTT_MS, 4988, &[]);
    let answers = script.transfer().answers;
    let times_s: Vec<f64> = answers
        .iter()
        .map(|answer| answer.at_us as f64 / 1e6)
        .collect();
    assert_eq!(times_s, [7200.05]);
}
