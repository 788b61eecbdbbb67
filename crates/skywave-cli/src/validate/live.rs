//! The point at which ns-2 is run here.

use skywave_papers::validate::live::{self, LiveError};
use skywave_papers::validate::{Agent, Case, Cerl, Dcr, Path, Queue, RedBottleneck, Set, Sifest};

use crate::failure::Failure;
use crate::interrupt;

/// A point on one of the paths. What does not belong to the path is not looked at.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "The point of --live")]
// Without this, `--only` would take the need of `--live` away.
#[group(id = "point", multiple = true, conflicts_with = "only")]
pub(crate) struct Point {
    /// CERL's path, SIFEST's, TCP-DCR's, or a RED bottleneck.
    #[arg(long, value_enum, default_value = "cerl", requires = "live")]
    path: PathName,

    /// The agent: tahoe, reno, newreno, sack1, vegas, linux/veno… [default: reno; dcr: sack1]
    #[arg(long, requires = "live")]
    agent: Option<String>,

    /// cerl: a second agent over the same bottleneck.
    #[arg(long, value_name = "AGENT", requires = "live")]
    beside: Option<String>,

    /// cerl, red: loss probability. [default: 0.01; red: 0]
    #[arg(long, value_name = "P", requires = "live")]
    loss: Option<f64>,

    /// cerl, red: delay of the bottleneck. [default: 80ms; red: 20ms]
    #[arg(long, requires = "live")]
    delay: Option<String>,

    /// cerl, red: rate of the bottleneck. [default: 2Mbps; red: 10Mbps]
    #[arg(long, requires = "live")]
    rate: Option<String>,

    /// cerl, dcr, red: limit of the bottleneck's queue in packets. [default: 90; dcr: 50; red: 60]
    #[arg(long, value_name = "PACKETS",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000), requires = "live")]
    buffer: Option<u32>,

    /// Simulated time. [default: 480s; sifest: 100s; dcr: 1100s; red: 220s]
    #[arg(long, value_name = "TIME", requires = "live")]
    duration: Option<String>,

    /// sifest: loss probability in the good state.
    #[arg(long, value_name = "P", default_value_t = 0.01, requires = "live")]
    loss_good: f64,

    /// sifest: loss probability in the bad state.
    #[arg(long, value_name = "P", default_value_t = 0.15, requires = "live")]
    loss_bad: f64,

    /// sifest: the sender of 2001 (no headers, first window 1, no Limited Transmit).
    #[arg(long, requires = "live")]
    era: bool,

    /// sifest: clock tick in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.1, requires = "live")]
    tick: f64,

    /// sifest: longest delay of an ACK in ms, 0 for none.
    #[arg(long, value_name = "MS", default_value_t = 0, requires = "live")]
    delack: u32,

    /// sifest: rate of the voice flow in kb/s, 0 for none.
    #[arg(long, value_name = "KBPS", default_value_t = 0, requires = "live")]
    cbr: u32,

    /// sifest, dcr: the receiver's window in packets. [default: 16; dcr: 8]
    #[arg(long, value_name = "PACKETS", requires = "live")]
    window: Option<u32>,

    /// dcr: access delays are drawn within this many ms, so that flows are not in lockstep.
    #[arg(long, value_name = "MS", default_value_t = 2,
        value_parser = clap::value_parser!(u32).range(..=8), requires = "live")]
    spread: u32,

    /// dcr: the bottleneck's queue is RED.
    #[arg(long, requires = "live")]
    red: bool,

    /// red: number of flows.
    #[arg(long, value_name = "N", default_value_t = 16,
        value_parser = clap::value_parser!(u32).range(1..=1000), requires = "live")]
    flows: u32,

    /// red: lower threshold in packets.
    #[arg(long, value_name = "PACKETS", default_value_t = 5, requires = "live")]
    min: u32,

    /// red: upper threshold in packets.
    #[arg(long, value_name = "PACKETS", default_value_t = 15, requires = "live")]
    max: u32,

    /// red: probability of a drop at the upper threshold.
    #[arg(long, value_name = "P", default_value_t = 0.1, requires = "live")]
    max_p: f64,

    /// red: the flows use ECN, and the queue marks packets instead of dropping them early.
    #[arg(long, requires = "live")]
    ecn: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum PathName {
    Cerl,
    Sifest,
    Dcr,
    Red,
}

/// Runs ns-2 at the point with `seeds` seeds; the set has that one row.
pub(crate) fn measure(point: &Point, seeds: u64) -> Result<Set, Failure> {
    let set = live::measure(&point.case()?, seeds, interrupt::flag())?;
    Ok(set)
}

/// The rows of `sets` with numbers that ns-2 gives here.
pub(crate) fn repeat(sets: &[Set]) -> Result<Vec<Set>, Failure> {
    let repeated = sets.iter().map(|set| live::repeat(set, interrupt::flag()));
    Ok(repeated.collect::<Result<_, LiveError>>()?)
}

impl Point {
    fn case(&self) -> Result<Case, LiveError> {
        let (agent, duration, path) = match self.path {
            PathName::Cerl => (
                "reno",
                "480s",
                Path::Cerl(Cerl {
                    rate: self.rate.clone().unwrap_or_else(|| "2Mbps".into()),
                    delay: self.delay.clone().unwrap_or_else(|| "80ms".into()),
                    buffer: self.buffer.unwrap_or(90),
                    loss: self.loss.unwrap_or(0.01),
                    beside: self.beside.as_deref().map(find).transpose()?,
                }),
            ),
            PathName::Sifest => (
                "reno",
                "100s",
                Path::Sifest(Sifest {
                    header: !self.era,
                    limited_transmit: !self.era,
                    era: self.era,
                    tick: self.tick,
                    delack_ms: self.delack,
                    cbr_kbps: self.cbr,
                    window: self.window.unwrap_or(16),
                    loss_good: self.loss_good,
                    loss_bad: self.loss_bad,
                    tail: false,
                }),
            ),
            PathName::Dcr => (
                "sack1",
                "1100s",
                Path::Dcr(Dcr {
                    queue: if self.red {
                        Queue::Red
                    } else {
                        Queue::DropTail
                    },
                    buffer: self.buffer.unwrap_or(50),
                    window: self.window.unwrap_or(8),
                    jitter: 1.0,
                    spread_ms: self.spread,
                }),
            ),
            PathName::Red => (
                "reno",
                "220s",
                Path::Red(RedBottleneck {
                    flows: self.flows,
                    rate: self.rate.clone().unwrap_or_else(|| "10Mbps".into()),
                    delay: self.delay.clone().unwrap_or_else(|| "20ms".into()),
                    step_ms: 2,
                    buffer: self.buffer.unwrap_or(60),
                    in_bytes: false,
                    min: self.min,
                    max: self.max,
                    max_p: self.max_p,
                    gentle: true,
                    wait: true,
                    loss: self.loss.unwrap_or(0.0),
                    ecn: self.ecn,
                }),
            ),
        };
        Ok(Case {
            agent: find(self.agent.as_deref().unwrap_or(agent))?,
            path,
            duration: self.duration.clone().unwrap_or_else(|| duration.into()),
        })
    }
}

fn find(name: &str) -> Result<Agent, LiveError> {
    Agent::find(name).ok_or_else(|| LiveError::UnknownAgent(name.to_owned()))
}
