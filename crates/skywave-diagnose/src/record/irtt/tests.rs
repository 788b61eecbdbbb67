use super::super::fixtures::IRTT;
use super::super::{Fate, Probes, Reading, Record, Way, read};

fn probes(text: &str) -> Probes {
    match read(text.as_bytes()).unwrap().remove(0) {
        Record::Probes(probes) => probes,
        other => panic!("no probes: {other:?}"),
    }
}

#[test]
fn both_ways_and_the_direction_of_losses_are_read() {
    let found = probes(IRTT);
    assert_eq!((found.bytes, found.is_timed), (Some(88), true));
    let rtt = Reading {
        low_s: 0.04,
        high_s: 0.04,
    };
    let fates: Vec<Fate> = found.probes.iter().map(|probe| probe.fate).collect();
    let first = Fate::Answered {
        rtt,
        up_s: Some(0.03),
        down_s: Some(0.01),
    };
    let lost = [Way::Up, Way::Down, Way::Unknown].map(Fate::Lost);
    assert_eq!(fates, [&[first][..], &lost].concat());
    let times: Vec<f64> = found.probes.iter().map(|probe| probe.sent_s).collect();
    // The last one has no time of its own, and the interval is the median of those known, the lower one of two.
    let expected = [0.0, 0.0201, 0.04, 0.0599];
    assert!(
        times
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-9),
        "{times:?}"
    );
}

#[test]
fn older_versions_only_say_whether_a_packet_was_lost() {
    let old = IRTT
        .replace("\"false\"", "false")
        .replace("\"true_up\"", "true");
    let fates: Vec<Fate> = probes(&old).probes.iter().map(|probe| probe.fate).collect();
    assert!(matches!(fates[0], Fate::Answered { .. }));
    assert_eq!(fates[1], Fate::Lost(Way::Unknown));
}

#[test]
fn a_compressed_file_is_read_as_it_is() {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(IRTT.as_bytes()).unwrap();
    assert_eq!(read(&packer.finish().unwrap()), read(IRTT.as_bytes()));
}
