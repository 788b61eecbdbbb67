use super::*;
use proptest::prelude::*;

const ORIGIN: Position = Position { x: 0.0, y: 0.0 };

fn at(x: f64) -> Position {
    Position { x, y: 0.0 }
}

fn close(found: f64, expected: f64, relative: f64) {
    let error = (found / expected - 1.0).abs();
    assert!(error <= relative, "{found:e} for {expected:e}: {error:e}");
}

fn presets() -> [Propagation; 3] {
    [
        Propagation::ns2_wavelan(),
        Propagation::ns3_default(),
        Propagation::ranges(250.0, 550.0),
    ]
}

#[test]
fn wavelan_is_received_to_250_m_and_sensed_to_550_m() {
    let radio = Propagation::ns2_wavelan();
    let heard = |metres| radio.reach(ORIGIN, at(metres));
    let kind = |metres| heard(metres).map(|h| (h.decodable, h.sensed));
    assert_eq!(kind(250.0), Some((true, true)));
    assert_eq!(kind(250.1), Some((false, true)));
    assert_eq!(kind(550.0), Some((false, true)));
    assert_eq!(kind(550.1), None);
    close(radio.reception_range(), 250.0, 1e-4);
    close(radio.sensing_range(), 550.0, 1e-4);
}

#[test]
fn two_ray_ground_has_ns2s_powers() {
    // Watts that ns-2's wireless scripts give for these distances, from its program `threshold`.
    let radio = Propagation::ns2_wavelan();
    for (metres, watts) in [
        (5.0, 7.69113e-6),
        (10.0, 1.92278e-6),
        (25.0, 3.07645e-7),
        (40.0, 1.20174e-7),
        (100.0, 1.42681e-8),
        (250.0, 3.65262e-10),
    ] {
        let heard = radio.reach(ORIGIN, at(metres)).unwrap();
        close(heard.power_mw / 1000.0, watts, 1e-5);
    }
}

#[test]
fn two_ray_ground_has_ns3s_powers() {
    // ns-3's propagation-loss-model test suite: antennas at 1.5 m, a wave of 0.125 m.
    let loss = PathLoss::TwoRayGround {
        wavelength: 0.125,
        antenna_height: 1.5,
    };
    for (metres, watts) in [
        (100.0, 4.98265e-10),
        (500.0, 4.078_918_62e-12),
        (1000.0, 2.549_324_137_5e-13),
        (2000.0, 1.593_327_585_938e-14),
    ] {
        close(loss.received(0.050_357_02, metres), watts, 1e-6);
    }
}

#[test]
fn log_distance_has_ns3s_powers() {
    // The same test suite: path-loss exponent 3 and a loss of 40.045997 dB at 1 m.
    let loss = PathLoss::log_distance(3.0, 1.0, 40.045_997);
    for (metres, watts) in [
        (10.0, 4.98265e-9),
        (20.0, 6.22831e-10),
        (40.0, 7.78539e-11),
        (80.0, 9.73173e-12),
    ] {
        close(loss.received(0.050_357_02, metres), watts, 1e-6);
    }
}

#[test]
fn ns3s_defaults_have_their_levels() {
    let radio = Propagation::ns3_default();
    let dbm = |metres| ratio_to_db(radio.reach(ORIGIN, at(metres)).unwrap().power_mw);
    // 16.0206 − 46.6777 − 30 log 30.
    assert!((dbm(30.0) + 74.9707).abs() < 1e-4, "{}", dbm(30.0));
    // kTB of 20 MHz is −100.97 dBm.
    assert!((ratio_to_db(channel_noise_mw()) + 93.97).abs() < 0.01);
    // Reception down to −82 dBm: 10^((16.0206 − 46.6777 + 82) / 30) m; the sensing range is the same.
    close(radio.reception_range(), 51.455, 1e-4);
    assert_eq!(radio.sensing_range(), radio.reception_range());
    // Interference to −101 dBm.
    assert!(radio.reach(ORIGIN, at(221.1)).is_some());
    assert!(radio.reach(ORIGIN, at(221.3)).is_none());
}

#[test]
fn fixed_ranges_include_their_ends() {
    let mut radio = Propagation::ranges(100.0, 200.0);
    radio.hearing = Hearing::Distance(Ranges {
        reception: 100.0,
        sensing: 200.0,
        interference: 300.0,
    });
    let kind = |metres| {
        radio
            .reach(ORIGIN, at(metres))
            .map(|h| (h.decodable, h.sensed))
    };
    assert_eq!(kind(100.0), Some((true, true)));
    assert_eq!(kind(100.001), Some((false, true)));
    assert_eq!(kind(200.001), Some((false, false)));
    assert_eq!(kind(300.001), None);
    assert_eq!(radio.reception_range(), 100.0);
    assert_eq!(radio.sensing_range(), 200.0);
    let power = |metres| radio.reach(ORIGIN, at(metres)).unwrap().power_mw;
    close(power(50.0) / power(100.0), 16.0, 1e-9);
}

#[test]
fn power_falls_without_a_step() {
    for radio in presets() {
        let power = |metres| radio.path_loss.received(radio.tx_mw, metres);
        let mut metres = 0.01;
        while metres < 10_000.0 {
            // With the fourth power of distance at most.
            let ratio = power(metres) / power(metres * 1.01);
            assert!((1.0..1.041).contains(&ratio), "{ratio} at {metres}");
            metres *= 1.01;
        }
    }
}

#[test]
fn light_takes_its_time() {
    assert_eq!(
        Propagation::delay(ORIGIN, Position { x: 180.0, y: 240.0 }).as_nanos(),
        1001
    );
    assert_eq!(Propagation::delay(ORIGIN, ORIGIN), Duration::ZERO);
}

proptest! {
    #[test]
    fn power_never_grows_with_distance(near in 0.0..3000.0f64, more in 0.0..100.0f64) {
        for radio in presets() {
            let power = |metres| radio.path_loss.received(radio.tx_mw, metres);
            prop_assert!(power(near + more) <= power(near));
            prop_assert!(power(near) <= radio.tx_mw);
        }
    }

    #[test]
    fn ranges_are_where_hearing_ends(part in 0.0..0.999_999f64) {
        for radio in presets() {
            let kind = |metres| radio.reach(ORIGIN, at(metres));
            let (reception, sensing) = (radio.reception_range(), radio.sensing_range());
            prop_assert!(kind(reception * part).unwrap().decodable);
            prop_assert!(kind(sensing * part).unwrap().sensed);
            prop_assert!(!kind(reception / part).is_some_and(|heard| heard.decodable));
            prop_assert!(!kind(sensing / part).is_some_and(|heard| heard.sensed));
        }
    }

    #[test]
    fn range_inverts_loss(metres in 2.0..5000.0f64) {
        for radio in presets() {
            let power = radio.path_loss.received(radio.tx_mw, metres);
            let found = radio.path_loss.range(radio.tx_mw, power);
            prop_assert!((found / metres - 1.0).abs() < 1e-9, "{found} for {metres}");
        }
    }
}
