//! Links drawn from all kinds, and records of them made by the simulator.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use skywave_core::rng::Stream;
use skywave_diagnose::diagnosis::Diagnosis;
use skywave_lab::capture::{Keep, Options, capture};
use skywave_lab::folder;

/// What a link is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    DropTail,
    Iid,
    Bursts,
    BurstsInTime,
    CoDel,
    Pie,
    Red,
    Policer,
    Steps,
    Shares,
}

pub(crate) const KINDS: [Kind; 10] = [
    Kind::DropTail,
    Kind::Iid,
    Kind::Bursts,
    Kind::BurstsInTime,
    Kind::CoDel,
    Kind::Pie,
    Kind::Red,
    Kind::Policer,
    Kind::Steps,
    Kind::Shares,
];

/// A drawn link with its true numbers.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) kind: Kind,
    pub(crate) mbps: f64,
    pub(crate) rtt_ms: f64,
    pub(crate) packets: u64,
    /// Parameters of the kind, as they stand in the scenario.
    pub(crate) parameters: Vec<f64>,
    keys: String,
}

impl Made {
    /// A link of a kind; another for each number.
    pub(crate) fn draw(kind: Kind, number: u64) -> Self {
        let mut stream = Stream::named(number, &format!("{kind:?}"), "link");
        let rounded = |x: f64, unit: f64| (x / unit).round() * unit;
        let mbps = rounded(stream.uniform(3.0, 10.0), 0.01);
        let rtt_ms = rounded(stream.uniform(20.0, 100.0), 0.1);
        let bdp = mbps * rtt_ms * 1e3 / 8.0 / 1500.0;
        let packets = (bdp * stream.uniform(0.5, 2.0)).max(12.0) as u64;
        let mut draw = |low: f64, high: f64, unit: f64| rounded(stream.uniform(low, high), unit);
        let tail = format!("queue = {{ droptail = \"{packets} packets\" }}\n");
        let (parameters, keys) = match kind {
            Kind::DropTail => (vec![], tail),
            Kind::Iid => {
                let p = draw(0.002, 0.02, 0.0001);
                (
                    vec![p],
                    format!("{tail}loss = {{ forward = {{ iid = {p} }} }}\n"),
                )
            }
            Kind::Bursts => {
                let (bad, good) = (draw(0.001, 0.004, 0.0001), draw(0.15, 0.4, 0.01));
                let loss = format!("gilbert-elliott = {{ to_bad = {bad}, to_good = {good} }}");
                (
                    vec![bad, good],
                    format!("{tail}loss = {{ forward = {{ {loss} }} }}\n"),
                )
            }
            Kind::BurstsInTime => {
                let (good, bad) = (draw(1.0, 3.0, 0.1), draw(20.0, 80.0, 1.0));
                let loss =
                    format!("gilbert-elliott-time = {{ good = \"{good}s\", bad = \"{bad}ms\" }}");
                let keys = format!("{tail}loss = {{ forward = {{ {loss} }} }}\n");
                (vec![good, bad / 1e3], keys)
            }
            Kind::CoDel => (vec![], "queue = \"codel\"\n".to_owned()),
            Kind::Pie => (vec![], "queue = \"pie\"\n".to_owned()),
            Kind::Red => {
                let min = (packets / 4).max(3);
                let max = (packets * 2 / 3).max(min + 5);
                let limit = packets.max(max + 5);
                let keys = format!(
                    "queue = {{ red = {{ limit = \"{limit} packets\", min = \"{min} packets\", \
                     max = \"{max} packets\" }} }}\n"
                );
                (vec![min as f64, max as f64], keys)
            }
            Kind::Policer => {
                let (rate, burst) = (
                    rounded(mbps * draw(0.3, 0.6, 0.01), 0.01),
                    draw(20.0, 80.0, 1.0),
                );
                let keys =
                    format!("{tail}policer = {{ rate = \"{rate}Mbps\", burst = \"{burst}kB\" }}\n");
                (vec![rate, burst], keys)
            }
            Kind::Steps => (
                vec![],
                format!(
                    "{tail}steps = {{ every = \"15s\", delay = [\"0ms\", \"10ms\", \"4ms\", \"16ms\"] }}\n"
                ),
            ),
            Kind::Shares => (
                vec![],
                format!("{tail}steps = {{ every = \"15s\", share = [1, 0.5, 0.75, 0.4] }}\n"),
            ),
        };
        Self {
            kind,
            mbps,
            rtt_ms,
            packets,
            parameters,
            keys,
        }
    }

    /// A minute and a half of CUBIC over the link, captured at its sender, and what that tells.
    pub(crate) fn diagnosis(&self, seed: u64) -> Diagnosis {
        let mut text = String::from(
            "[[link]]\nname = \"lan\"\nbetween = [\"host\", \"gateway\"]\nrate = \"1Gbps\"\ndelay = \"0ms\"\n\
             queue = { droptail = \"10000 packets\" }\n\n\
             [[link]]\nname = \"link\"\nbetween = [\"gateway\", \"server\"]\n",
        );
        let Self {
            mbps, rtt_ms, keys, ..
        } = self;
        let half = rtt_ms / 2.0;
        write!(
            text,
            "rate = \"{mbps}Mbps\"\ndelay = \"{half}ms\"\n{keys}\
             reverse = {{ queue = {{ droptail = \"1000 packets\" }} }}\n\n\
             [[flow]]\nfrom = \"host\"\nto = \"server\"\ntransport = \"cubic\"\ntraffic = \"ftp\"\n\
             rwnd = \"4MB\"\n\n[run]\nduration = \"90s\"\nseeds = [{seed}]\n"
        )
        .unwrap();
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("made.toml");
        std::fs::write(&file, text).unwrap();
        let scenario = folder::load(&file).unwrap();
        let cancel = AtomicBool::new(false);
        let options = Options {
            dir: dir.path(),
            links: &["lan".to_owned(), "link".to_owned()],
            keep: Keep::Headers,
            threads: Some(1),
            cancel: &cancel,
        };
        let captured = capture(&scenario, &options).unwrap();
        let named = |name: &str| -> PathBuf {
            let is = |file: &&PathBuf| file.file_name().is_some_and(|known| known == name);
            captured.files.iter().find(is).unwrap().clone()
        };
        // What goes into the link, with its fate, and what comes back to the host.
        Diagnosis::of(&[named("link.pcapng"), named("lan.reverse.pcapng")]).unwrap()
    }
}
