use std::sync::atomic::AtomicBool;

use skywave_lab::experiment::Ledger;
use skywave_search::bench::Making;

use super::{Taking, load, load_dir};
use crate::claims::papers;

const SPACE: &str = r#"
[[link]]
name = "path"
between = ["a", "b"]
rate = "2Mbps"
delay = "20ms"
queue = { droptail = "20 packets" }

[[flow]]
name = "bulk"
from = "a"
to = "b"
transport = "reno"
traffic = "ftp"

[run]
duration = "4s"

[search]
"link.path.delay" = { log = ["10ms", "100ms"] }
"link.path.loss.forward.iid" = { log = [0.0005, 0.1] }
"#;

const MAP: &str = r#"
[[map]]
name = "bbr-over-reno"
statement = "BBR has at least twice Reno's goodput"
space = "space.toml"
flow = "bulk"
sender = "bbr"
over = "reno"
objective = "against"
at_least = 2.0
"#;

/// A paper's folder with this list of maps.
fn folder(list: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let maps = dir.path().join("maps");
    std::fs::create_dir(&maps).unwrap();
    std::fs::write(maps.join("maps.toml"), list).unwrap();
    std::fs::write(maps.join("space.toml"), SPACE).unwrap();
    dir
}

fn refused(list: &str) -> String {
    let dir = folder(list);
    let error = load_dir(dir.path()).err();
    error.unwrap().to_string()
}

#[test]
fn each_of_the_five_studies_has_a_map() {
    for paper in ["cerl", "dcr", "sifest", "thesis", "wtcp"] {
        assert!(papers().any(|name| name == paper));
        assert!(!load(paper).unwrap().is_empty(), "{paper}");
    }
    let none = load("survey").err().unwrap().to_string();
    assert!(none.contains("has no maps"), "{none}");
}

#[test]
fn what_is_wrong_in_a_list_is_told() {
    let objective = refused(&MAP.replace("\"against\"", "\"channel\""));
    assert!(objective.contains("no objective `channel` that compares"));
    let bound = refused(&MAP.replace("2.0", "0.0"));
    assert!(bound.contains("`at_least` must be"), "{bound}");
    let space = refused(&MAP.replace("space.toml", "other.toml"));
    assert!(space.contains("other.toml"), "{space}");
    let sender = refused(&MAP.replace("\"bbr\"", "\"brb\""));
    assert!(sender.contains("brb"), "{sender}");
    let key = refused(&MAP.replace("over =", "beside ="));
    assert!(key.contains("beside"), "{key}");
    let empty = tempfile::tempdir().unwrap();
    let none = load_dir(empty.path()).err().unwrap().to_string();
    assert!(none.contains("has no maps"), "{none}");
}

#[test]
fn a_map_finds_where_loss_begins_to_matter_with_any_number_of_threads() {
    let dir = folder(MAP);
    let maps = load_dir(dir.path()).unwrap();
    let cancel = AtomicBool::new(false);
    let take = |threads: usize| {
        let kept = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(kept.path(), false, &|doubts| panic!("{doubts}")).unwrap();
        let taking = Taking {
            points: 30,
            ledger: &ledger,
            making: Making {
                threads: Some(threads),
                cancel: &cancel,
                told: &|_, _| (),
            },
        };
        maps[0].take(&taking).unwrap()
    };
    let one = take(1);
    // Without loss Reno fills this link, with a tenth lost it does not.
    assert!(one.share > 0.1 && one.share < 0.9, "{}", one.share);
    assert!(
        one.check.right * 10 >= one.check.points * 9,
        "{:?}",
        one.check
    );
    let two = take(2);
    assert_eq!((one.words, one.plots), (two.words, two.plots));
}
