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

/// A log of ping, in which every so many answers are missing.
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
