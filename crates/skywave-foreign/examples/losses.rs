//! Goodput of other libraries' senders, and of this project's own in the simulator, as a share of what a path carries that loses
//! packets: 20 Mb/s, 80 ms, a buffer of one BDP, the mean of three seeds, in percent. Then how many packets a second that was.
//!
//! ```sh
//! cargo run --release -p skywave-foreign --example losses
//! ```

use std::sync::Arc;
use std::time::Instant;

use skywave_core::link::{LossConfig, Service};
use skywave_core::quic::Config;
use skywave_core::tcp::preset;
use skywave_core::{Duration, Rate};
use skywave_foreign::path::Path;
use skywave_sim::outcome::Outcome;
use skywave_sim::simulate;
use skywave_sim::spec::Transport;

const MBPS: f64 = 20.0;
const LOSSES: [f64; 7] = [0.0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2];
const SEEDS: [u64; 3] = [1, 2, 3];
/// Window laws by the presets of TCP that have them, in the simulator's QUIC.
const OURS: [&str; 3] = ["bbr3", "cubic", "skywave"];

fn path(loss: f64, seed: u64) -> Path {
    let rate = Service::Rate(Rate::from_bps((MBPS * 1e6) as u64));
    let mut path = Path::new(rate, Duration::from_millis(80), 133);
    path.seed = seed;
    if loss > 0.0 {
        path = path.losing(LossConfig::Iid(loss));
    }
    path
}

/// The outcome of a sender of either kind.
fn outcome(name: &str, path: &Path) -> Outcome {
    let mut spec = path.spec(1);
    let Ok(sender) = skywave_foreign::parse(name) else {
        let preset = preset(name).expect("a sender or a preset");
        let config = Arc::new(Config::new(preset.composition.congestion.clone()));
        spec.flows[0].transport = Transport::Quic { config, header: 28 };
        return simulate(&spec);
    };
    skywave_foreign::run(&spec, &sender).expect("a path of two links")
}

fn main() {
    print!("{:14}", "lost");
    for loss in LOSSES {
        print!("{:>8}", format!("{} %", loss * 100.0));
    }
    println!("{:>14}", "packets/s");
    for name in skywave_foreign::senders().chain(OURS) {
        let label = if name.contains(':') {
            name.to_owned()
        } else {
            format!("our {name}")
        };
        print!("{label:14}");
        let (start, mut packets) = (Instant::now(), 0);
        for loss in LOSSES {
            let shares = SEEDS.map(|seed| {
                let outcome = outcome(name, &path(loss, seed));
                packets += outcome.flows[0].sent_packets;
                outcome.flows[0].goodput_bps * 1e-6 / (MBPS * (1.0 - loss))
            });
            let mean = shares.iter().sum::<f64>() / SEEDS.len() as f64;
            print!("{:8.1}", 100.0 * mean);
        }
        println!("{:14.0}", packets as f64 / start.elapsed().as_secs_f64());
    }
}
