//! A TCP sender and its receiver with a Snoop agent between them, whatever the path and the application do.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::Duration;
use skywave_core::agent::LocalTimeout;
use skywave_core::agent::SnoopConfig;

use super::machines::{AnyConfig, Pair, Plan};

/// Configuration of a Snoop agent (local retransmission of TCP segments) read out of arbitrary bytes.
#[derive(Clone, Copy, Debug)]
pub struct AnyAgent(pub SnoopConfig);

impl<'a> Arbitrary<'a> for AnyAgent {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let timeout = match bytes.int_in_range(0..=3u8)? {
            0 | 1 => None,
            2 => Some(LocalTimeout::default()),
            _ => Some(LocalTimeout {
                rtts: f64::from(bytes.int_in_range(1u8..=40)?) / 10.0,
                min: Duration::from_millis(u64::from(u8::arbitrary(bytes)?)),
            }),
        };
        Ok(Self(SnoopConfig {
            dupacks: match bytes.int_in_range(0..=3u8)? {
                0 | 1 => 1,
                _ => bytes.int_in_range(1..=4)?,
            },
            cache: match bytes.int_in_range(0..=3u8)? {
                0..=2 => None,
                _ => Some(bytes.int_in_range(0..=20)?),
            },
            in_queue: true,
            timeout,
        }))
    }
}

/// Reads the configurations of a Snoop agent and of a TCP connection and a plan out of `data`, and runs the connection
/// through the agent to the end of the plan. Panics if a rule of TCP is broken, or data do not arrive.
pub fn run(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    // Bytes that run out read as zeros.
    if let (Ok(agent), Ok(config), Ok(plan)) = (
        AnyAgent::arbitrary(&mut bytes),
        AnyConfig::arbitrary(&mut bytes),
        Plan::arbitrary(&mut bytes),
    ) {
        Pair::with_agent(plan.applied_to(config.0), &plan, agent.0).run();
    }
}
