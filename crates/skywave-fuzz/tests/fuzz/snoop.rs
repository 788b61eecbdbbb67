//! A TCP connection outlives the agent on its path, whatever the path does on either side of the agent,
//! unless it fails for ever.

use skywave_core::agent::SnoopConfig;
use skywave_core::tcp::{PRESETS, TcpConfig};
use skywave_fuzz::machines::{AnyConfig, PROFILES, Pair, Plan};
use skywave_fuzz::snoop::AnyAgent;

use crate::bytes::{check, from_bytes};

#[test]
fn every_preset_delivers_everything_and_goes_quiet_behind_the_papers_agent() {
    for preset in PRESETS.iter() {
        for profile in PROFILES {
            let name = format!("{} in profile {profile:?}", preset.name);
            check(&name, 30, from_bytes::<Plan>(200), |plan| {
                let config = TcpConfig::new(profile, preset.composition.clone());
                let mut config = plan.applied_to(config);
                config.iss = plan.near_the_wrap();
                Pair::with_agent(config, &plan, SnoopConfig::default()).run();
            });
        }
    }
}

#[test]
fn any_composition_delivers_everything_behind_any_agent() {
    let input = (
        from_bytes::<AnyConfig>(40),
        from_bytes::<AnyAgent>(10),
        from_bytes::<Plan>(200),
    );
    check("any agent", 3000, input, |(config, agent, plan)| {
        Pair::with_agent(plan.applied_to(config.0), &plan, agent.0).run();
    });
}
