//! Goodput of window laws and of noq's own over paths that lose packets, in the time of the simulator.
//!
//! ```sh
//! cargo run --release -p skywave-quic --example goodput            # share of rate × (1 − loss)
//! ```

#[path = "../tests/path/mod.rs"]
mod path;

use std::sync::Arc;
use std::time::Duration;

use noq_proto::congestion::{Bbr3Config, ControllerFactory, CubicConfig};
use path::Path;
use skywave_core::tcp::CongestionConfig;
use skywave_core::units::Rate;
use skywave_quic::Law;

type Factory = Arc<dyn ControllerFactory + Send + Sync>;

fn laws() -> Vec<(&'static str, Factory)> {
    let ours = |name| Arc::new(Law::named(name).expect("a preset")) as Factory;
    vec![
        (
            "capacity",
            Arc::new(Law::new(CongestionConfig::Capacity).expect("it is built in")),
        ),
        ("bbr", ours("bbr")),
        ("bbr3", ours("bbr3")),
        ("cubic", ours("cubic")),
        ("noq's cubic", Arc::new(CubicConfig::default())),
        ("noq's bbr3", Arc::new(Bbr3Config::default())),
    ]
}

fn main() {
    let losses = [0.0, 0.001, 0.01, 0.02, 0.05, 0.1];
    print!("{:14}", "loss");
    for loss in losses {
        print!("{:>9}", format!("{} %", loss * 100.0));
    }
    println!("{:>12}", "queue, 0 %");
    for (name, law) in laws() {
        print!("{name:14}");
        let mut queue = Duration::ZERO;
        for loss in losses {
            let path = Path::lossy(Rate::from_bps(20_000_000), Duration::from_millis(80), loss);
            let outcome = path.run(std::slice::from_ref(&law));
            if loss == 0.0 {
                queue = outcome.queueing;
            }
            let share = outcome.carried[0].mbps() / (20.0 * (1.0 - loss));
            print!("{:>8.1}%", 100.0 * share);
        }
        println!("{:>9.1} ms", queue.as_secs_f64() * 1e3);
    }
}
