//! Properties of a TCP connection that hold for every variant and whatever the path does, as long
//! as it does not do it for ever.
//!
//! A plan is a list of operations: writes of the application, and the fate of each packet in turn
//! (delivered, lost, doubled, delayed so that others overtake it). When the list is used up the path
//! is perfect, so that every transfer must end. The rules are checked after every event.

mod pair;
mod plan;

use pair::Pair;
use plan::{Plan, any_config, any_plan, near_the_wrap};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use skywave_core::tcp::{PRESETS, Profile, TcpConfig};

const PROFILES: [Profile; 3] = [Profile::Ns2, Profile::Bsd, Profile::Rfc];

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    })
}

/// Runs `plans` on every preset in every profile, changed by `change`.
fn for_every_preset(cases: u32, change: impl Fn(&mut TcpConfig, &Plan)) {
    for preset in PRESETS {
        for profile in PROFILES {
            let result = runner(cases).run(&any_plan(), |plan| {
                let mut config = TcpConfig::new(profile, preset.composition.clone());
                config.mss = plan.mss;
                config.rwnd = plan.rwnd();
                change(&mut config, &plan);
                Pair::new(config, &plan).run()
            });
            if let Err(error) = result {
                panic!("{} in profile {profile:?}: {error}", preset.name);
            }
        }
    }
}

#[test]
fn every_preset_in_every_profile_delivers_everything_and_goes_quiet() {
    for_every_preset(60, |_, _| ());
}

#[test]
fn every_preset_crosses_the_end_of_the_sequence_space() {
    for_every_preset(20, |config, plan| config.iss = near_the_wrap(plan));
}

#[test]
fn any_composition_delivers_everything_and_goes_quiet() {
    let result = runner(3000).run(&(any_config(), any_plan()), |(mut config, plan)| {
        config.mss = plan.mss;
        config.rwnd = plan.rwnd();
        Pair::new(config, &plan).run()
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
