use super::*;
use crate::advice::Facts;
use crate::fit::{Estimate, Known};
use crate::goodness::Compared;

/// Diagnosis of records with these contents; at least 1 Mb/s were seen.
fn diagnosed(records: &[(&str, &str)]) -> Diagnosis {
    let dir = tempfile::tempdir().unwrap();
    let paths: Vec<_> = records
        .iter()
        .map(|(name, text)| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        })
        .collect();
    let mut diagnosis = Diagnosis::of(&paths).unwrap();
    diagnosis.link.at_least_bps.get_or_insert(1e6);
    diagnosis
}

/// A log of 200 pings, in which every answer whose number is a multiple of `missing` is missing.
fn pings(missing: usize) -> String {
    let answers = (1..=200).filter(|number| number % missing != 0);
    let answers = answers.map(|number| {
        format!(
            "64 bytes from h: icmp_seq={number} ttl=57 time=40.{} ms\n",
            number % 3
        )
    });
    format!(
        "PING h (192.0.2.7) 56(84) bytes of data.\n{}",
        answers.collect::<String>()
    )
}

/// Section of the page, with advice that has nothing but its cautions.
fn section(diagnosis: &Diagnosis) -> String {
    let advice = Advice {
        cautions: Vec::new(),
        facts: Facts {
            rate_bps: 1e6,
            base_rtt_s: 0.04,
            policer_bps: None,
            managed: false,
            constant: true,
        },
        links: vec!["the link".to_owned()],
        today: "CUBIC".to_owned(),
        today_by: "as is assumed".to_owned(),
        senders: Vec::new(),
        rankings: Vec::new(),
        alternatives: Vec::new(),
        recipes: Vec::new(),
    };
    let answer = Answer::of(diagnosis, &Host::any(), |_| Ok(advice)).unwrap();
    answer.section().unwrap().1
}

#[test]
fn advice_over_a_link_that_does_not_fit_says_so() {
    let mut diagnosis = diagnosed(&[("ping.log", &pings(300))]);
    assert!(!section(&diagnosis).contains("does not fit"));
    let number = |name: &str, fits| Compared {
        name: name.to_owned(),
        unit: "ms",
        record: 315.0,
        model: Estimate::new(86.0, 80.0, 88.0),
        fits,
        is_main: true,
    };
    diagnosis.goodness[0].compared = Known::Told(vec![
        number("lost", true),
        number("round trips, half below", false),
        number("round trips, 95 % below", false),
        number("carried in a second, half below", false),
    ]);
    let text = section(&diagnosis);
    let told =
        "does not fit the end of ping.log (round trips, carried in a second): what hangs on that";
    assert!(text.contains(told), "{text}");
}

/// An iperf3 result of ten seconds at 1 Mb/s and constant round trips, with `again` segments retransmitted.
fn test(again: u64) -> String {
    let intervals = (0..10).map(|at| {
        let again = if at == 5 { again } else { 0 };
        format!(
            r#"{{"streams":[{{"start":{at},"end":{},"bytes":125000,"retransmits":{again},"rtt":40000,"sender":true}}]}}"#,
            at + 1
        )
    });
    let intervals: Vec<String> = intervals.collect();
    format!(
        r#"{{"start":{{"test_start":{{"protocol":"TCP"}}}},"intervals":[{}],"end":{{}}}}"#,
        intervals.join(",")
    )
}

#[test]
fn nothing_is_advised_where_losses_may_have_made_the_rate() {
    let log = pings(33);
    let of = |again| diagnosed(&[("iperf.json", &test(again)), ("ping.log", &log[..3000])]);
    let lossy = of(20);
    let text = section(&lossy);
    assert!(text.contains("no sender can be advised"), "{text}");
    let why = format!("{:?}", lossy.link.losses.known);
    assert!(why.contains("iperf.json counted 2.3"), "{why}");
    assert!(section(&of(0)).starts_with("The rate is not known; it was taken to be the most"));
}

#[test]
fn datagrams_that_a_test_missed_are_a_record_of_losses() {
    let udp = r#"{"start":{"test_start":{"protocol":"UDP"}},"intervals":[
        {"streams":[{"start":0,"end":4,"bytes":500000,"packets":400}]},
        {"streams":[{"start":4,"end":8,"bytes":500000,"packets":400}]}],
        "end":{"sum":{"packets":4316,"lost_packets":74}}}"#;
    let diagnosis = diagnosed(&[("udp.json", udp)]);
    let why = format!("{:?}", diagnosis.link.losses.known);
    assert!(why.contains("udp.json counted 1.715 % lost"), "{why}");
    assert!(section(&diagnosis).contains("no sender can be advised"));
}
