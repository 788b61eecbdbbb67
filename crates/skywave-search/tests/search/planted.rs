//! A law with a mistake that shows on few paths, found.

use std::sync::atomic::AtomicBool;

use skywave_core::Rate;
use skywave_core::tcp::congestion::standard_growth;
use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use skywave_core::tcp::{CongestionControl, CustomCongestion};
use skywave_lab::experiment::Ledger;
use skywave_scenario::{CustomMembers, Space};
use skywave_search::bench::Making;
use skywave_search::evolution::{Plan, search};
use skywave_search::findings::{Findings, findings};
use skywave_search::page::Page;
use skywave_search::{Bench, Objective, keys_off};

use crate::common::{SMALL, space};

/// Reno, but a first loss at a window of 60 to 63 segments leaves it as good as silent.
#[derive(Default)]
struct Stuck {
    is_stuck: bool,
    losses: u32,
}

impl CongestionControl for Stuck {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        self.losses += 1;
        self.is_stuck |= self.losses == 1 && (60.0..64.0).contains(&window.cwnd.0);
        Response::cut_to(loss.window * 0.5)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(timeout.window / 2.0)
    }

    fn pacing_rate(&self) -> Option<Rate> {
        // Without bounds, or a segment in two minutes.
        let rate = if self.is_stuck { 100 } else { 1_000_000_000 };
        Some(Rate::from_bps(rate))
    }
}

/// A path on which timeouts alone are no long stall.
const MILD: &str = r#"
[[link]]
name = "path"
between = ["server", "client"]
rate = "4Mbps"
delay = "10ms"
queue = { droptail = "20 packets" }

[[flow]]
name = "test"
from = "server"
to = "client"

[run]
duration = "20s"
measure = ["1s", "20s"]

[search]
"link.path.rate" = { log = ["1Mbps", "10Mbps"] }
"link.path.delay" = { log = ["2ms", "100ms"] }
"link.path.queue.droptail" = { log = ["4 packets", "200 packets"] }
"link.path.loss.forward.iid" = { log = [0.0001, 0.01] }
"#;

/// The space with the law, and with Reno.
fn spaces<'a>() -> Vec<Space<'a>> {
    let mut members = CustomMembers::default();
    let law = CustomCongestion::new("stuck", |_| Stuck::default());
    members.add_congestion(law).unwrap();
    let senders = ["{ congestion = \"stuck\" }".to_owned(), "reno".to_owned()];
    space(MILD, &members)
        .with_senders("test", &senders)
        .unwrap()
}

fn making(threads: usize, cancel: &AtomicBool) -> Making<'_> {
    Making {
        threads: Some(threads),
        cancel,
        told: &|_, _| (),
    }
}

/// Findings of a search with so many threads, whose runs the ledger keeps.
fn found(
    spaces: &[Space<'_>],
    objective: &str,
    threads: usize,
    ledger: Option<&Ledger>,
    islands: &[usize],
) -> Findings {
    let cancel = AtomicBool::new(false);
    let making = making(threads, &cancel);
    let objective = Objective::named(objective).unwrap();
    let bench = Bench::new(spaces, "test", objective, ledger, making).unwrap();
    let plan = Plan {
        keys: spaces[0].keys(),
        seed: 1,
        islands,
        each: 400,
        go_on: &|| true,
    };
    let seeds = spaces[0].scenario().seeds();
    let found = search(&plan, |candidates| bench.means(candidates, seeds)).unwrap();
    findings(&bench, spaces[0].keys(), &found, 1, seeds, None).unwrap()
}

#[test]
fn a_planted_stall_is_found_and_made_small() {
    let spaces = spaces();
    let findings = found(&spaces[..1], "stall", 2, None, &[0, 1]);
    let finding = &findings.standing[0];
    assert!(finding.value.mean < 0.3, "{finding:?}");
    assert!(keys_off(&finding.candidate) <= 3, "{finding:?}");
    // It is the law: Reno does not stand still there.
    let cancel = AtomicBool::new(false);
    let making = making(2, &cancel);
    let stall = Objective::named("stall").unwrap();
    let bench = Bench::new(&spaces[1..], "test", stall, None, making).unwrap();
    let reno = bench.means(std::slice::from_ref(&finding.candidate), &finding.seeds);
    assert!(reno.unwrap()[0].unwrap() > 0.8);
    let page = Page {
        space: &spaces[0],
        flow: "test",
        senders: &["stuck".to_owned()],
        seats: &["stuck".to_owned()],
        objective: Objective::named("stall").unwrap(),
        command: "skywave worst stuck",
    };
    assert!(page.file(finding).starts_with("# stuck: "));
}

#[test]
fn threads_and_shards_change_nothing() {
    let senders = ["vegas".to_owned(), "reno".to_owned()];
    let spaces = space(SMALL, &CustomMembers::default())
        .with_senders("test", &senders)
        .unwrap();
    let dirs = [(); 4].map(|()| tempfile::tempdir().unwrap());
    let open = |place: usize| {
        Ledger::open(dirs[place].path(), false, &|doubts| panic!("{doubts}")).unwrap()
    };
    let whole = {
        let ledger = open(0);
        let whole = found(&spaces, "against", 1, Some(&ledger), &[0, 1]);
        ledger.arrange().unwrap();
        whole
    };
    let bytes = |place: usize| std::fs::read(dirs[place].path().join(Ledger::FILE)).unwrap();
    {
        let ledger = open(1);
        assert_eq!(found(&spaces, "against", 3, Some(&ledger), &[0, 1]), whole);
        ledger.arrange().unwrap();
    }
    assert!(bytes(0) == bytes(1));
    // Each island elsewhere, then all of them put together: no run of the search is made again.
    found(&spaces, "against", 2, Some(&open(2)), &[0]);
    found(&spaces, "against", 2, Some(&open(3)), &[1]);
    let ledger = open(2);
    ledger
        .take(dirs[3].path(), &|doubts| panic!("{doubts}"))
        .unwrap();
    let before = ledger.len();
    assert_eq!(found(&spaces, "against", 2, Some(&ledger), &[0, 1]), whole);
    let made = ledger.len() - before;
    assert!(made < before / 10, "{made} of {before}");
}
