//! The reference's statements about profiles: their text is in `model/tcp.rs` and `model/flow.rs`, the values are
//! in the core.

use std::sync::Arc;

use skywave_core::tcp::{
    Acking, Counting, EcnRules, Handshake, PacingConfig, Profile, RtoArithmetic, RtoConfig,
    SlowStartConfig, TcpConfig, UndoConfig, preset,
};
use skywave_core::{Duration, Segments};

/// Change the doc comments with the values.
#[test]
fn the_doc_comments_of_tcp_settings_have_the_defaults_of_profiles() {
    let composition = &preset("reno").expect("a preset").composition;
    let [ns2, bsd, rfc] = [Profile::Ns2, Profile::Bsd, Profile::Rfc]
        .map(|profile| TcpConfig::new(profile, composition.clone()));
    let all = [&rfc, &ns2, &bsd];
    let ms = |of: fn(&TcpConfig) -> Duration| all.map(|config| of(config).as_nanos() / 1_000_000);
    let is = |of: fn(&TcpConfig) -> bool| all.map(of);

    assert_eq!(
        all.map(|c| c.initial_window),
        [10.0, 2.0, 1.0].map(Segments)
    );
    assert_eq!(ms(|c| c.rto.min), [1000, 200, 1000]);
    assert_eq!(ms(|c| c.rto.max), [60_000, 60_000, 60_000]);
    assert_eq!(ms(|c| c.rto.initial), [1000, 3000, 3000]);
    assert_eq!(ms(|c| c.rto.granularity), [1, 10, 500]);
    assert_eq!(
        is(|c| c.rto.arithmetic == RtoArithmetic::Exact),
        [true, false, false]
    );
    assert_eq!(
        is(|c| c.counting == Counting::Bytes(2)),
        [true, false, false]
    );
    assert_eq!(is(|c| c.restart_after_idle), [true, false, false]);
    assert_eq!(is(|c| c.whole_ssthresh), [false, true, true]);
    assert_eq!(is(|c| c.hold_ssthresh), [true, false, false]);
    assert_eq!(is(|c| c.limited_transmit), [true, true, false]);
    assert_eq!(is(|c| c.timestamps), [true, false, false]);
    assert_eq!(is(|c| c.sack), [true, false, false]);
    assert_eq!(is(|c| c.dsack), [true, false, false]);
    assert_eq!(is(|c| c.fin), [true, false, true]);
    assert_eq!(
        is(|c| c.acking == Acking::EverySegment),
        [false, true, false]
    );
    assert_eq!(is(|c| c.ecn_rules == EcnRules::Ns2), [false, true, false]);
    for config in all {
        assert_eq!(config.handshake, Handshake::ThreeWay);
        assert_eq!(config.pacing, PacingConfig::Off);
        assert!(
            config.impatient
                && !config.ecn
                && !config.exact_echo
                && !config.l4s
                && !config.abe
                && !config.eln
                && !config.hints
        );
        assert_eq!(
            (config.mss, config.header, config.rwnd, config.iss),
            (1460, 40, 1 << 20, 0)
        );
        assert_eq!(config.loss_window, Segments::ONE);
        assert_eq!(config.slow_start, SlowStartConfig::Standard);
        assert_eq!(config.undo, UndoConfig::default());
    }
}

#[test]
fn the_doc_comment_of_linux_has_its_differences() {
    let with = |name: &str, profile| {
        let composition = preset(name).expect("a preset").composition.clone();
        TcpConfig::new(profile, composition)
    };
    for (name, slow_start) in [
        ("reno", SlowStartConfig::Standard),
        ("linux", SlowStartConfig::HyStart),
    ] {
        let rfc = with(name, Profile::Rfc);
        let ms = Duration::from_millis;
        let expected = TcpConfig {
            rto: Arc::new(RtoConfig {
                min: ms(200),
                granularity: ms(200),
                max: ms(120_000),
                ..*rfc.rto
            }),
            whole_ssthresh: true,
            counting: Counting::Delivered,
            acking: Acking::delayed(2, ms(40)),
            restart_on_repair: true,
            undo: UndoConfig::ALL,
            slow_start,
            ..rfc
        };
        assert_eq!(with(name, Profile::Linux), expected);
    }
}
