//! Contention for links, and links by preset: what they become.

use skywave_core::link::{
    Blackout, Contention, Jitter, Limit, LinkConfig, LossAt, QueueConfig, Service,
};
use skywave_core::{Duration, Rate, Time};
use skywave_scenario::{NoFiles, Scenario};

/// A link with these lines, in both directions.
fn both(lines: &str) -> (LinkConfig, LinkConfig) {
    let text = format!(
        "[[link]]\nbetween = [\"A\", \"B\"]\n{lines}\n[[flow]]\nfrom = \"A\"\nto = \"B\"\n\
         [run]\nduration = \"620s\"\n"
    );
    let scenario = Scenario::parse("test.toml", &text, &NoFiles);
    let scenario = scenario.unwrap_or_else(|e| panic!("{}", e.render(false)));
    let links = scenario.points()[0].spec(1).links;
    (
        LinkConfig::clone(&links[0].config),
        LinkConfig::clone(&links[1].config),
    )
}

const CDPD: Contention = Contention {
    slot: Duration::from_micros(3125),
    window: 16,
    max_window: 256,
    failure: 0.4,
    hold: Duration::from_secs(1),
    capture: true,
};

#[test]
fn contention_by_name_and_by_its_settings_in_each_direction() {
    let link = "rate = \"1Mbps\"\ndelay = \"1ms\"\n";
    let (there, back) = both(link);
    assert_eq!((there.contention, back.contention), (None, None));
    let (there, back) = both(&format!("{link}contention = \"cdpd\""));
    assert_eq!(
        (there.contention, back.contention),
        (Some(CDPD), Some(CDPD))
    );
    let (there, back) = both(&format!(
        "{link}contention = {{}}\nreverse = {{ contention = \"none\" }}"
    ));
    assert_eq!((there.contention, back.contention), (Some(CDPD), None));
    let (there, back) = both(&format!(
        "{link}reverse = {{ contention = {{ slot = \"1ms\", window = 400, max_window = 400, failure = 0.1, \
         hold = \"0s\", capture = false }} }}"
    ));
    let own = Contention {
        slot: Duration::from_millis(1),
        window: 400,
        max_window: 400,
        failure: 0.1,
        hold: Duration::ZERO,
        capture: false,
    };
    assert_eq!((there.contention, back.contention), (None, Some(own)));
}

#[test]
fn a_preset_has_its_keys_and_each_that_is_given_replaces_one() {
    let (there, back) = both("preset = \"cdpd\"");
    assert_eq!(there.service, Service::Rate(Rate::from_bps(12_000)));
    assert_eq!(there.delay, Duration::from_millis(200));
    assert_eq!(
        there.jitter,
        Some(Jitter::Exponential(Duration::from_millis(50)))
    );
    assert_eq!(there.queue, QueueConfig::DropTail(Limit::Packets(10)));
    assert_eq!((there.loss.len(), back.loss.len()), (1, 1));
    assert_eq!(there.loss_at, LossAt::Tail);
    let at = |s| Time::ZERO + Duration::from_secs(s);
    let dark = |s| Blackout {
        start: at(s),
        end: at(s + 10),
    };
    assert_eq!(there.blackouts, [dark(300), dark(600)]);
    assert_eq!((there.contention, back.contention), (None, Some(CDPD)));

    let (there, back) = both(
        "preset = \"cdpd\"\ndelay = \"50ms\"\nloss = { forward = { iid = 0.5 } }\n\
         reverse = { rate = \"6kbps\" }",
    );
    assert_eq!(
        (there.delay, back.delay),
        (Duration::from_millis(50), Duration::from_millis(50))
    );
    assert_eq!((there.loss.len(), back.loss.len()), (1, 0));
    assert_eq!(there.service, Service::Rate(Rate::from_bps(12_000)));
    assert_eq!(back.service, Service::Rate(Rate::from_bps(6_000)));
    assert_eq!(back.contention, Some(CDPD));
}

#[test]
fn a_sweep_reaches_into_a_preset() {
    let text = "[[link]]\nname = \"air\"\npreset = \"cdpd\"\nbetween = [\"A\", \"B\"]\n\
                [[flow]]\nfrom = \"A\"\nto = \"B\"\n[run]\nduration = \"10s\"\n\
                [sweep]\n\"link.air.reverse.contention.hold\" = [\"0s\", \"4s\"]\n";
    let scenario = Scenario::parse("test.toml", text, &NoFiles);
    let scenario = scenario.unwrap_or_else(|e| panic!("{}", e.render(false)));
    let hold = |point: usize| {
        let link = scenario.points()[point].spec(1).links[1].config.clone();
        link.contention.map(|c| c.hold)
    };
    assert_eq!(hold(0), Some(Duration::ZERO));
    assert_eq!(hold(1), Some(Duration::from_secs(4)));
}
