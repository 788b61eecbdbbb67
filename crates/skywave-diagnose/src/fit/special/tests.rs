use super::{beta_cdf, gamma_cdf, proportion};

/// Shape, x and the probability by scipy 1.17.1's `special.gammainc`.
const GAMMA: [(f64, f64, f64); 8] = [
    (0.5, 0.1, 0.345_279_153_981_423_17),
    (1.0, 2.0, 0.864_664_716_763_387_3),
    (2.0, 0.5, 0.090_204_010_431_049_86),
    (2.0, 5.0, 0.959_572_318_005_487_3),
    (3.7, 3.7, 0.569_172_935_247_195_9),
    (50.0, 60.0, 0.915_593_318_906_308_2),
    (0.2, 8.0, 0.999_987_304_150_804_2),
    (1000.0, 1010.0, 0.627_678_944_736_994_7),
];

/// Both shapes, x and the probability by scipy 1.17.1's `special.betainc`.
const BETA: [(f64, f64, f64, f64); 6] = [
    (0.5, 0.5, 0.3, 0.369_010_119_565_545_36),
    (2.0, 3.0, 0.4, 0.524_8),
    (11.0, 1490.0, 0.01, 0.882_754_305_506_351_7),
    (5.0, 1.0, 0.9, 0.590_49),
    (300.0, 299_701.0, 0.0011, 0.955_197_181_054_047_9),
    (20.0, 30.0, 0.7, 0.999_994_056_247_414_7),
];

/// Bounds of Clopper and Pearson by scipy 1.17.1's `stats.beta.ppf`.
const PROPORTIONS: [(u64, u64, f64, f64); 5] = [
    (
        11,
        1500,
        0.003_666_291_625_621_986_4,
        0.013_083_394_514_575_906,
    ),
    (0, 1500, 0.0, 0.002_456_231_484_198_528),
    (5, 5, 0.478_176_249_895_018_5, 1.0),
    (
        3,
        1000,
        0.000_619_099_931_649_571_3,
        0.008_742_023_238_478_303,
    ),
    (
        1500,
        300_000,
        0.004_750_727_863_529_479,
        0.005_258_906_699_206_427,
    ),
];

#[test]
fn gamma_and_beta_distributions_agree_with_scipy() {
    for (shape, x, expected) in GAMMA {
        let found = gamma_cdf(shape, x);
        assert!(
            (found - expected).abs() < 1e-10,
            "{found} for {expected} at {shape}, {x}"
        );
    }
    for (a, b, x, expected) in BETA {
        let found = beta_cdf(a, b, x);
        assert!(
            (found - expected).abs() < 1e-9,
            "{found} for {expected} at {a}, {b}, {x}"
        );
    }
}

#[test]
fn values_outside_the_range_have_no_or_all_probability() {
    assert_eq!(gamma_cdf(2.0, -1.0), 0.0);
    assert_eq!(gamma_cdf(2.0, 1e6), 1.0);
    assert_eq!(beta_cdf(2.0, 3.0, 0.0), 0.0);
    assert_eq!(beta_cdf(2.0, 3.0, 1.0), 1.0);
}

#[test]
fn proportions_have_exact_intervals() {
    for (hits, trials, low, high) in PROPORTIONS {
        let found = proportion(hits, trials);
        assert!(
            (found.low - low).abs() < 1e-9 && (found.high - high).abs() < 1e-9,
            "{found:?}"
        );
    }
    let nothing = proportion(0, 0);
    assert_eq!((nothing.low, nothing.high), (0.0, 1.0));
}
