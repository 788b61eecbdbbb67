//! Goodput of window laws and of noq's own over paths that lose packets, in the time of the simulator: as a share of
//! what the path carries, and how much of it the bottleneck's queue costs.
//!
//! ```sh
//! cargo run --release -p skywave-quic --example goodput
//! cargo run --release -p skywave-quic --example goodput -- traces/*.down    # over recorded links as well
//! cargo run --release -p skywave-quic --example goodput -- --law capacity --path cubic --seed 2
//! ```

use std::sync::Arc;

use skywave_core::link::{Blackout, GilbertElliottConfig, Jitter, LossConfig, Service, Trace};
use skywave_core::tcp::CongestionConfig;
use skywave_core::{Duration, Rate, Time};
use skywave_foreign::Sender;
use skywave_foreign::path::{Carried, Path, STEP};
use skywave_quic::Law;

fn laws() -> Vec<(&'static str, Sender)> {
    let ours = |name| Sender::ours(name, Law::named(name).expect("a preset"));
    let capacity = Law::new(CongestionConfig::Capacity).expect("it is built in");
    vec![
        ("capacity", Sender::ours("capacity", capacity)),
        ("bbr", ours("bbr")),
        ("bbr3", ours("bbr3")),
        ("cubic", ours("cubic")),
        ("noq cubic", cubic()),
        ("noq bbr3", named("noq:bbr3")),
    ]
}

fn named(name: &str) -> Sender {
    skywave_foreign::parse(name).expect("a sender")
}

fn cubic() -> Sender {
    named("noq:cubic")
}

/// A path, and what it carries in Mb/s without any loss of the channel.
struct Row {
    name: String,
    path: Path,
    carries: f64,
    /// A CUBIC flow is there first.
    shared: bool,
    /// Connections of the law.
    connections: usize,
    /// How long nothing arrives.
    dark: Option<Duration>,
}

impl Row {
    /// The law's share of the path and the queue that it makes; beside CUBIC both shares, CUBIC's last.
    fn measured(&self, law: Sender) -> String {
        let mut all = vec![law; self.connections];
        if self.shared {
            all.insert(0, cubic());
        }
        let outcome = self.path.run(&all);
        let share = |n: usize| 100.0 * outcome.mbps(n) / self.carries;
        if let Some(dark) = self.dark {
            return light_again(&outcome, DARK + dark);
        }
        if self.shared {
            return format!("{:.0} : {:.0}", share(1), share(0));
        }
        if self.connections > 1 {
            let shares: Vec<f64> = (0..self.connections).map(share).collect();
            let (sum, squares) = shares
                .iter()
                .fold((0.0, 0.0), |(a, b), x| (a + x, b + x * x));
            let jain = sum * sum / squares / shares.len() as f64;
            return format!("{sum:.0} {jain:.2} {:.1} %", 100.0 * outcome.dropped());
        }
        let queue = outcome.queueing(&self.path).as_secs_f64() * 1e3;
        format!("{:.1} {queue:5.0}", share(0))
    }
}

/// When it becomes dark.
const DARK: Duration = Duration::from_secs(10);
/// Seconds until data arrives again at four fifths of the rate before, for half a second.
fn light_again(carried: &Carried, end: Duration) -> String {
    let window = Duration::from_millis(500);
    let old = carried.mbps_in(0, DARK / 2, DARK);
    let times = (0_u64..).map(|n| end + STEP * n);
    let mut times = times.take_while(|at| *at + window < end + Duration::from_secs(20));
    let back = times.find(|at| carried.mbps_in(0, *at, *at + window) >= 0.8 * old);
    back.map_or("never".to_owned(), |at| {
        format!("{:.1} s late", at.saturating_sub(end).as_secs_f64())
    })
}

const RTT: Duration = Duration::from_millis(80);

fn rate(bps: u64) -> Service {
    Service::Rate(Rate::from_bps(bps))
}

/// 20 Mb/s, 80 ms.
fn usual(packets: u32) -> Path {
    Path::new(rate(20_000_000), RTT, packets)
}

/// Nothing arrives for this long, from [`DARK`] on, either way.
fn dark(seconds: u64, asks: bool) -> Path {
    let mut path = usual(100);
    let start = Time::ZERO + DARK;
    let end = start + Duration::from_secs(seconds);
    for link in [&mut path.forward, &mut path.back] {
        link.blackouts = vec![Blackout { start, end }];
    }
    path.duration = DARK + Duration::from_secs(seconds + 20);
    path.asks = asks;
    path
}

/// One connection of the law on a path.
fn row(name: &str, path: Path, carries: f64) -> Row {
    Row {
        name: name.to_owned(),
        path,
        carries,
        shared: false,
        connections: 1,
        dark: None,
    }
}

fn rows() -> Vec<Row> {
    let mut rows = vec![row("no loss", usual(100), 20.0)];
    for loss in [0.001, 0.01, 0.02, 0.05, 0.1, 0.2] {
        let path = usual(100).losing(LossConfig::Iid(loss));
        rows.push(row(
            &format!("{} %", loss * 100.0),
            path,
            20.0 * (1.0 - loss),
        ));
    }
    let bursts = GilbertElliottConfig {
        to_bad: 0.03 / 0.97 / 5.0,
        to_good: 0.2,
        loss_good: 0.0,
        loss_bad: 1.0,
    };
    let path = usual(100).losing(LossConfig::GilbertElliott(bursts));
    rows.push(row("bursts, 3 %", path, 20.0 * 0.97));
    for loss in [0.0, 0.01] {
        let mut path = usual(100).losing(LossConfig::Iid(loss));
        for link in [&mut path.forward, &mut path.back] {
            link.jitter = Some(Jitter::Uniform(Duration::ZERO, Duration::from_millis(20)));
        }
        let name = format!("jitter, {} %", loss * 100.0);
        rows.push(row(&name, path, 20.0 * (1.0 - loss)));
    }
    let mut slow = Path::new(rate(50_000), RTT, 100).losing(LossConfig::Iid(0.04));
    slow.duration = Duration::from_secs(120);
    rows.push(row("50 kb/s, 4 %", slow, 0.05 * 0.96));
    for loss in [0.0, 0.01, 0.05, 0.1, 0.2] {
        // A buffer of one BDP.
        let path = Path::new(rate(1_000_000_000), Duration::from_millis(100), 8333);
        let path = Path {
            duration: Duration::from_secs(20),
            ..path.losing(LossConfig::Iid(loss))
        };
        let name = format!("1 Gb/s, 100 ms, {} %", loss * 100.0);
        rows.push(row(&name, path, 1000.0 * (1.0 - loss)));
    }
    for (seconds, asks) in [1, 3, 10, 30]
        .iter()
        .flat_map(|s| [(*s, false), (*s, true)])
    {
        let asking = if asks { "asking" } else { "waiting" };
        let (path, carries) = (dark(seconds, asks), 20.0);
        let name = format!("{seconds} s dark, {asking}");
        rows.push(Row {
            dark: Some(Duration::from_secs(seconds)),
            ..row(&name, path, carries)
        });
    }
    for (name, packets) in [
        ("7 packets", 7),
        ("0.5 BDP", 67),
        ("1 BDP", 133),
        ("4 BDP", 533),
    ] {
        rows.push(row(name, usual(packets), 20.0));
    }
    for (name, packets) in [("+cubic 0.5", 67), ("+cubic 1", 133), ("+cubic 4", 533)] {
        let mut path = usual(packets);
        path.duration = Duration::from_secs(60);
        rows.push(Row {
            shared: true,
            ..row(name, path, 20.0)
        });
    }
    for (name, packets) in [
        ("4 own, 7 packets", 7),
        ("4 own, 0.25 BDP", 33),
        ("4 own, 1 BDP", 133),
    ] {
        rows.push(Row {
            connections: 4,
            ..row(name, usual(packets), 20.0)
        });
    }
    rows
}

/// Recorded links that lose 1 % besides.
fn recorded(files: &[String]) -> Vec<Row> {
    files
        .iter()
        .map(|file| {
            let text = std::fs::read_to_string(file).expect("a readable trace");
            let trace = Trace::parse(&text).expect("a trace");
            let mean = trace.mean_rate().as_bps() as f64 * 1e-6;
            let mut path =
                Path::new(Service::Trace(Arc::new(trace)), RTT, 300).losing(LossConfig::Iid(0.01));
            path.duration = Duration::from_secs(60);
            let name = std::path::Path::new(file).file_name().expect("a name");
            row(&name.to_string_lossy(), path, mean * 0.99)
        })
        .collect()
}

/// What is asked for on the command line.
#[derive(Default)]
struct Asked {
    /// Part of a path's and of a law's name; all if empty.
    path: String,
    law: String,
    seed: u64,
    traces: Vec<String>,
}

impl Asked {
    fn of(mut words: impl Iterator<Item = String>) -> Self {
        let mut asked = Self {
            seed: 1,
            ..Self::default()
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().expect("a value after the option");
            match word.as_str() {
                "--path" => asked.path = value(),
                "--law" => asked.law = value(),
                "--seed" => asked.seed = value().parse().expect("a whole number"),
                _ => asked.traces.push(word),
            }
        }
        asked
    }
}

fn main() {
    let asked = Asked::of(std::env::args().skip(1));
    let laws: Vec<_> = laws()
        .into_iter()
        .filter(|(name, _)| name.contains(&asked.law))
        .collect();
    print!("{:30}", "share of the path, queue in ms");
    for (name, _) in &laws {
        print!("{name:>16}");
    }
    println!();
    let rows = rows().into_iter().chain(recorded(&asked.traces));
    for mut row in rows.filter(|row| row.name.contains(&asked.path)) {
        row.path.seed = asked.seed;
        print!("{:30}", row.name);
        for (_, law) in &laws {
            print!("{:>16}", row.measured(law.clone()));
        }
        println!();
    }
}
