use super::super::fixtures::{QLOG_01, QLOG_03, QLOG_14};
use super::super::{Record, read};
use super::{PacketSpace, Qlog, QuicLoss, QuicMetrics, QuicSent};

fn log(text: &str) -> Qlog {
    match read(text.as_bytes()).unwrap().remove(0) {
        Record::Qlog(log) => log,
        other => panic!("no log: {other:?}"),
    }
}

fn sent(at_s: f64, space: PacketSpace, number: u64, bytes: u32) -> QuicSent {
    QuicSent {
        at_s,
        space,
        number: Some(number),
        bytes: Some(bytes),
    }
}

fn rounded(mut log: Qlog) -> Qlog {
    let round = |at: &mut f64| *at = libm::round(*at * 1e7) / 1e7;
    log.sent.iter_mut().for_each(|it| round(&mut it.at_s));
    log.lost.iter_mut().for_each(|it| round(&mut it.at_s));
    log.metrics.iter_mut().for_each(|it| round(&mut it.at_s));
    log
}

#[test]
fn a_sequence_of_version_0_3_is_read_up_to_where_it_was_cut() {
    let found = rounded(log(QLOG_03));
    let expected = Qlog {
        sent: vec![
            sent(0.0, PacketSpace::Initial, 0, 1200),
            sent(0.0406, PacketSpace::Application, 0, 1300),
        ],
        lost: vec![QuicLoss {
            at_s: 0.0906,
            space: PacketSpace::Application,
            number: Some(0),
        }],
        metrics: vec![QuicMetrics {
            at_s: 0.0405,
            latest_rtt_s: Some(0.0405),
            min_rtt_s: Some(0.0405),
            smoothed_rtt_s: Some(0.041),
            cwnd: Some(12_000),
            in_flight: Some(0),
        }],
    };
    assert_eq!(found, expected);
}

#[test]
fn late_drafts_may_count_from_the_event_before() {
    let found = rounded(log(QLOG_14));
    let application = PacketSpace::Application;
    assert_eq!(
        found.sent,
        [
            sent(0.0, application, 7, 1200),
            sent(0.01, application, 8, 1200)
        ]
    );
    assert_eq!(found.metrics[0].at_s, 0.02);
    assert_eq!(
        (
            found.metrics[0].smoothed_rtt_s,
            found.metrics[0].latest_rtt_s
        ),
        (Some(0.03025), None)
    );
}

#[test]
fn early_drafts_have_rows_in_a_unit_of_their_own() {
    let found = rounded(log(QLOG_01));
    assert_eq!(found.sent, [sent(0.0, PacketSpace::Application, 3, 1280)]);
    assert_eq!(found.metrics[0].latest_rtt_s, Some(0.04));
    assert_eq!(
        (found.metrics[0].cwnd, found.metrics[0].in_flight),
        (Some(14_600), Some(1280))
    );
    assert_eq!((found.lost[0].at_s, found.lost[0].number), (0.09, Some(3)));
}
