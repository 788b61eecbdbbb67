//! Scenarios to capture.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use skywave_lab::capture::{self, Keep, Options, Summary};
use skywave_lab::scenario::{NoFiles, Scenario};
use skywave_sim::outcome::Outcome;
use skywave_sim::simulate;

/// 1 MB over a link that loses by errors, and by a short queue.
pub(crate) const LOSSY: &str = r#"
[[link]]
name = "radio"
between = ["A", "B"]
rate = "2Mbps"
delay = "30ms"
queue = { droptail = "20 packets" }
loss = { forward = { iid = 0.01 } }

[[flow]]
name = "bulk"
from = "A"
to = "B"
rwnd = "100 segments"
traffic = { bytes = "1MB" }

[run]
duration = "60s"

[sweep]
"flow.bulk.profile" = ["ns2", "rfc"]
"flow.bulk.transport" = ["reno", "newreno", "sack"]
"flow.bulk.tcp.timestamps" = [false, true]
"#;

/// Every way to lose a packet, two hops with an agent between them, both protocols, two directions.
pub(crate) const EVERYTHING: &str = r#"
[[link]]
name = "wire/less"
between = ["A", "B"]
rate = "5Mbps"
delay = "10ms"
queue = { red = { limit = "30 packets", min = "2 packets", max = "6 packets", max_p = 0.3, weight = 0.05 } }
corruption = 0.005
duplication = 0.01
reordering = { probability = 0.01, delay = "30ms" }

[[link]]
name = "radio"
between = ["B", "C"]
rate = "2Mbps"
delay = "20ms"
queue = { droptail = "10 packets" }
loss = { forward = { iid = 0.01 }, reverse = { iid = 0.01 } }
blackouts = { start = "4s", duration = "300ms" }

[[agent]]
at = "B"
snoop = "original"

[[flow]]
name = "down"
count = 2
from = "A"
to = "C"
transport = "sack"
rwnd = "1MB"

[[flow]]
name = "up"
from = "C"
to = "A"
transport = "newreno"
profile = "bsd"
handshake = "none"

[[flow]]
name = "voice"
from = "A"
to = "C"
transport = "udp"
traffic = { cbr = { rate = "64kbps", packet = "160B" } }

[run]
duration = "20s"
"#;

/// The captures of a scenario's points.
pub(crate) struct Captures {
    pub(crate) scenario: Scenario,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) dir: tempfile::TempDir,
}

impl Captures {
    pub(crate) fn of(text: &str, links: &[&str], keep: Keep) -> Self {
        let scenario = Scenario::parse("bench", text, &NoFiles).expect("a right scenario");
        let dir = tempfile::tempdir().expect("a directory");
        let links: Vec<String> = links.iter().map(ToString::to_string).collect();
        let options = Options {
            dir: dir.path(),
            links: &links,
            keep,
            threads: None,
            cancel: &AtomicBool::new(false),
        };
        let captured = capture::capture(&scenario, &options).expect("captured");
        Self {
            scenario,
            files: captured.files,
            dir,
        }
    }

    /// The outcome of the simulation itself at a point.
    pub(crate) fn outcome(&self, point: usize) -> Outcome {
        simulate(&self.scenario.points()[point].spec(1))
    }

    /// The file of a link at a point.
    pub(crate) fn file(&self, point: usize, link: &str) -> &Path {
        let of_point = |path: &&PathBuf| {
            let dir = path
                .parent()
                .and_then(Path::file_name)
                .expect("a directory");
            let number = dir.to_string_lossy();
            let number = number.split('-').next().map(str::to_owned);
            number == Some((point + 1).to_string()) && path.file_stem() == Some(link.as_ref())
        };
        self.files.iter().find(of_point).expect("a capture")
    }
}

pub(crate) fn summary(file: &Path) -> Summary {
    Summary::read(std::fs::File::open(file).expect("a file")).expect("a capture")
}
