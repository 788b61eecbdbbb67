//! A TCP sender and its receiver, whatever the path and the application do.

mod config;
mod operation;
mod pair;

use arbitrary::{Arbitrary, Unstructured};
use skywave_core::tcp::{PRESETS, Profile, TcpConfig};

pub use config::AnyConfig;
pub use operation::{Operation, Plan};
pub use pair::Pair;

/// Profiles (sets of timers and defaults, as of one implementation of TCP) that a scenario can name.
pub const PROFILES: [Profile; 4] = [Profile::Ns2, Profile::Bsd, Profile::Rfc, Profile::Linux];

/// Reads a TCP configuration and a [`Plan`] out of `data`, and runs a sender and a receiver to the end of the plan: one
/// of the presets in one of the profiles, or any composition. Panics if a rule of TCP is broken, or data do not arrive.
pub fn run(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    // Bytes that run out read as zeros.
    if let (Ok(config), Ok(plan)) = (any_config(&mut bytes), Plan::arbitrary(&mut bytes)) {
        Pair::new(plan.applied_to(config), &plan).run();
    }
}

/// Configuration by one of the presets in one of the profiles, or by any composition.
pub(crate) fn any_config(bytes: &mut Unstructured<'_>) -> arbitrary::Result<TcpConfig> {
    let which = usize::from(u8::arbitrary(bytes)?);
    let profile = PROFILES[which % PROFILES.len()];
    match PRESETS.get(which / PROFILES.len()) {
        Some(preset) => Ok(TcpConfig::new(profile, preset.composition.clone())),
        None => Ok(AnyConfig::arbitrary(bytes)?.0),
    }
}
