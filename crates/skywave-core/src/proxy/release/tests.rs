use super::*;

const MSS: u64 = 1000;

fn ms(t: u64) -> Time {
    Time::ZERO + Duration::from_millis(t)
}

fn spaced() -> Release {
    Release::new(TowardsDestination::Spaced(Spaced::default()))
}

fn paced(cooperates: bool) -> Release {
    Release::new(TowardsDestination::Paced(Paced {
        cooperates,
        ..Paced::default()
    }))
}

#[test]
fn nothing_waits_without_a_policy() {
    let mut release = Release::new(TowardsDestination::AtOnce);
    assert_eq!(release.allow(ms(1), 50 * MSS, MSS, None), 50 * MSS);
    assert_eq!((release.waits(), release.next_timer()), (false, None));
}

#[test]
fn the_spacing_follows_the_gaps() {
    let mut release = spaced();
    let mut spacing = 0.0;
    for segment in 0..200u64 {
        release.allow(ms(10 * segment), MSS * (segment + 1), MSS, None);
        let gap = if segment == 0 { 0.0 } else { 10e-3 };
        spacing = 0.9 * (0.875 * spacing + 0.125 * gap);
        assert!((release.spacing.as_secs_f64() - spacing).abs() < 1e-6);
    }
    // The formula's fixed point is far below β: 0.1125 / 0.2125 of the gap.
    assert!((spacing - 5.294e-3).abs() < 1e-5, "{spacing}");
}

#[test]
fn a_lump_leaves_a_segment_at_a_time() {
    let mut release = spaced();
    for segment in 1..=50u64 {
        release.allow(ms(10 * segment), MSS * segment, MSS, None);
    }
    let before = release.released;
    assert_eq!(before, 50 * MSS);
    assert_eq!(release.allow(ms(510), 53 * MSS, MSS, None), before + MSS);
    let next = release.next_timer().expect("more waits");
    assert!(next > ms(510));
    // Nobody calls it early; if somebody does, nothing goes.
    assert_eq!(release.allow(ms(510), 53 * MSS, MSS, None), before + MSS);
    assert_eq!(release.allow(next, 53 * MSS, MSS, None), before + 2 * MSS);
}

/// Ten segments 10 ms apart, then eleven at once: twenty came in the 100 ms since the first.
#[test]
fn a_lump_is_paced_at_the_mean_rate() {
    let mut release = paced(true);
    let srtt = Some(Duration::from_millis(100));
    for segment in 1..=10u64 {
        let now = ms(10 * segment);
        assert_eq!(release.allow(now, MSS * segment, MSS, srtt), MSS * segment);
    }
    assert!(!release.holds_window());
    assert_eq!(release.allow(ms(110), 21 * MSS, MSS, srtt), 11 * MSS);
    assert!(release.holds_window());
    let gap = release.next_timer().expect("more waits").since(ms(110));
    assert!((gap.as_secs_f64() - 0.1 / 20.0).abs() < 1e-6, "{gap:?}");
    let mut now = ms(110);
    while let Some(next) = release.next_timer() {
        assert!(next > now);
        now = next;
        let before = release.released;
        assert_eq!(release.allow(now, 21 * MSS, MSS, srtt), before + MSS);
    }
    assert_eq!(release.released, 21 * MSS);
    assert!(!release.holds_window());
}

/// A hole that took longer to repair than the mean covers: the wait counts, so the lump is spread over as long.
#[test]
fn a_lump_after_a_long_wait_is_paced_too() {
    let mut release = paced(true);
    let srtt = Some(Duration::from_millis(10));
    for segment in 1..=10u64 {
        release.allow(ms(10 * segment), MSS * segment, MSS, srtt);
    }
    release.allow(ms(600), 30 * MSS, MSS, srtt);
    let gap = release.next_timer().expect("more waits").since(ms(600));
    // 20 segments in the 500 ms since the last arrival.
    assert!((gap.as_secs_f64() - 25e-3).abs() < 1e-6, "{gap:?}");
}

/// What comes while a lump leaves waits behind it.
#[test]
fn nothing_overtakes_a_lump() {
    let mut release = paced(false);
    let srtt = Some(Duration::from_millis(100));
    for segment in 1..=10u64 {
        release.allow(ms(10 * segment), MSS * segment, MSS, srtt);
    }
    assert_eq!(release.allow(ms(200), 20 * MSS, MSS, srtt), 11 * MSS);
    assert_eq!(release.allow(ms(201), 21 * MSS, MSS, srtt), 11 * MSS);
    assert!(release.waits() && !release.holds_window(), "independent");
}
