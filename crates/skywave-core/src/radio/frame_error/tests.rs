use super::*;
use crate::radio::db_to_ratio;

/// (mode, SINR in dB, share of frames that survive, tolerance).
type Published = (Mode, f64, f64, f64);

fn check(published: &[Published], decoder: Decoder, bits: f64, db_of: impl Fn(f64) -> f64) {
    for &(mode, level, share, tolerance) in published {
        let found = survives(mode, decoder, db_to_ratio(db_of(level)), bits);
        let error = (found - share).abs();
        assert!(
            error <= tolerance,
            "{mode:?} at {level}: {found} for {share}"
        );
    }
}

#[test]
fn hard_decisions_have_ns3s_numbers() {
    use Mode::*;
    // ns-3's wifi-error-rate-models test suite: 2000 bytes, with its tolerances.
    let published = [
        (Ofdm6, 2.5, 2.04e-10, 1e-10),
        (Ofdm6, 3.0, 0.020, 0.001),
        (Ofdm6, 4.0, 0.885, 0.001),
        (Ofdm6, 5.0, 0.997, 0.001),
        (Ofdm9, 6.0, 0.097, 0.001),
        (Ofdm9, 7.0, 0.918, 0.001),
        (Ofdm9, 8.0, 0.998, 0.001),
        (Ofdm9, 9.0, 0.999, 0.001),
        (Ofdm12, 6.0, 0.0174, 0.001),
        (Ofdm12, 7.0, 0.881, 0.001),
        (Ofdm12, 8.0, 0.997, 0.001),
        (Ofdm18, 8.5, 2.85e-6, 1e-6),
        (Ofdm18, 9.5, 0.623, 0.001),
        (Ofdm18, 10.5, 0.985, 0.001),
        (Ofdm24, 12.0, 2.22e-7, 1e-7),
        (Ofdm24, 13.0, 0.495, 0.001),
        (Ofdm24, 14.0, 0.974, 0.001),
        (Ofdm36, 15.5, 0.012, 0.001),
        (Ofdm36, 16.5, 0.818, 0.001),
        (Ofdm36, 17.5, 0.993, 0.001),
        (Ofdm48, 20.0, 1.3e-4, 1e-4),
        (Ofdm48, 21.0, 0.649, 0.001),
        (Ofdm48, 22.0, 0.983, 0.001),
        (Ofdm54, 21.0, 5.44e-8, 1e-8),
        (Ofdm54, 22.0, 0.410, 0.001),
        (Ofdm54, 23.0, 0.958, 0.001),
        (Ofdm54, 24.0, 0.999, 0.001),
    ];
    check(&published, Decoder::Hard, 16_000.0, |db| db);
}

#[test]
fn dsss_and_cck_have_ns3s_numbers() {
    use Mode::*;
    // The same test suite, from the program of the validation paper: signal in dBm, 1078 bytes, and
    // noise of 22 MHz with a noise figure of 7 dB.
    let published = [
        (Dsss1, -100.0, 1.5e-13, 1e-13),
        (Dsss1, -99.0, 0.0003, 0.0001),
        (Dsss1, -98.0, 0.202, 0.005),
        (Dsss1, -97.0, 0.813, 0.005),
        (Dsss1, -96.0, 0.984, 0.005),
        (Dsss1, -95.0, 0.999, 0.001),
        (Dsss2, -96.0, 0.0, 1e-13),
        (Dsss2, -95.0, 4.5e-6, 1e-6),
        (Dsss2, -94.0, 0.036, 0.005),
        (Dsss2, -93.0, 0.519, 0.005),
        (Dsss2, -92.0, 0.915, 0.005),
        (Dsss2, -91.0, 0.993, 0.005),
        (Cck5, -93.0, 6.6e-14, 5e-14),
        (Cck5, -92.0, 0.0001, 0.00005),
        (Cck5, -91.0, 0.132, 0.005),
        (Cck5, -90.0, 0.744, 0.005),
        (Cck5, -89.0, 0.974, 0.005),
        (Cck11, -90.0, 4.7e-14, 1e-14),
        (Cck11, -89.0, 8.85e-5, 1e-5),
        (Cck11, -88.0, 0.128, 0.005),
        (Cck11, -87.0, 0.739, 0.005),
        (Cck11, -86.0, 0.973, 0.005),
        (Cck11, -85.0, 0.999, 0.001),
    ];
    check(&published, Decoder::Soft, 1078.0 * 8.0, |dbm| {
        dbm + 100.552_278_6 - 7.0
    });
}

fn all() -> impl Iterator<Item = (Mode, Decoder)> {
    let modes = Mode::ALL.into_iter();
    modes.flat_map(|mode| Decoder::ALL.iter().map(move |decoder| (mode, *decoder)))
}

/// SINRs from −40 to 50 dB.
fn ratios() -> impl Iterator<Item = f64> {
    (-40_000..50_000).map(|n| db_to_ratio(f64::from(n) / 1000.0 + 0.000_3))
}

#[test]
fn the_tables_are_as_good_as_the_formulas() {
    for (mode, decoder) in all() {
        for sinr in ratios().step_by(7) {
            let exact = bit_loss(mode, decoder, sinr);
            for bits in [16.0, 112.0, 1000.0, 12_000.0, 18_768.0] {
                let error = (survives(mode, decoder, sinr, bits) - libm::exp(-exact * bits)).abs();
                assert!(error < 2e-4, "{mode:?} {sinr} {bits}: {error:e}");
            }
        }
    }
}

#[test]
fn more_signal_never_hurts_and_more_bits_never_help() {
    for (mode, decoder) in all() {
        for bits in [1.0, 100.0, 12_000.0] {
            let mut previous = 0.0;
            for sinr in ratios() {
                let share = survives(mode, decoder, sinr, bits);
                assert!(share >= previous && share <= 1.0, "{mode:?} {sinr}");
                assert!(share >= survives(mode, decoder, sinr, bits * 1.5));
                previous = share;
            }
        }
    }
}

#[test]
fn the_ends_are_all_and_nothing() {
    for (mode, decoder) in all() {
        for sinr in [1e6, f64::INFINITY] {
            assert_eq!(survives(mode, decoder, sinr, 12_000.0), 1.0);
        }
        for sinr in [1e-6, 1e-300, 0.0, -1.0, f64::NAN] {
            assert!(
                survives(mode, decoder, sinr, 112.0) < 1e-30,
                "{mode:?} {sinr}"
            );
            assert_eq!(survives(mode, decoder, sinr, 0.0), 1.0);
        }
    }
}

#[test]
fn bits_multiply() {
    // Two chunks at one ratio have the same error rate as one.
    for (mode, decoder) in all() {
        for sinr in ratios().step_by(500) {
            let product =
                survives(mode, decoder, sinr, 300.0) * survives(mode, decoder, sinr, 700.0);
            assert!((product - survives(mode, decoder, sinr, 1000.0)).abs() < 1e-12);
        }
    }
}

#[test]
fn soft_decisions_are_near_ns3s_tables() {
    use Mode::*;
    // SINR in dB at which 50 and 90 % of frames of 1458 bytes survive by ns-3.44's tables (from
    // simulations of the decoder), and how far ours may be off: its table for 9 Mb/s is alone.
    let tables = [
        (Ofdm6, 0.31, 0.93, 0.2),
        (Ofdm9, 2.24, 3.03, 0.55),
        (Ofdm12, 3.30, 3.95, 0.2),
        (Ofdm18, 5.79, 6.44, 0.15),
        (Ofdm24, 8.92, 9.71, 0.1),
        (Ofdm36, 12.03, 12.81, 0.1),
        (Ofdm48, 16.23, 17.05, 0.1),
        (Ofdm54, 17.53, 18.38, 0.1),
    ];
    for (mode, half, most, tolerance) in tables {
        for (share, theirs) in [(0.5, half), (0.9, most)] {
            let enough =
                |db: &f64| survives(mode, Decoder::Soft, db_to_ratio(*db), 1458.0 * 8.0) >= share;
            let ours = (-500..3000).map(|n| f64::from(n) / 100.0).find(enough);
            let off = ours.map_or(f64::NAN, |ours| (ours - theirs).abs());
            assert!(off <= tolerance, "{mode:?} {share}: {ours:?} for {theirs}");
        }
    }
}
