//! Studies of families: from hand-made numbers, and a tiny one from its files to its tables and curve.

use std::path::Path;

use super::{PAIR, alone};
use crate::rank::{
    Contestant, Families, Group, Kind, Order, PathSamples, RankError, Ranked, Study, Together,
    evaluate, html, json_lines, load, markdown, picture, rank, table, write_ranking,
};
use skywave_lab::experiment::{RunOptions, run_all, simulate};

/// Four paths, one in each group, of three families.
const STUDY: &str = r#"
title = "Where senders fail"
presets = ["reno", "cubic"]
reference = "cubic"
path = [
    { name = "one", family = "lossy", scenario = "alone.toml", about = "two in a hundred" },
    { name = "two", family = "lossy", scenario = "alone.toml", set = { "link.radio.rate" = "400kbps" } },
    { name = "three", family = "beside", scenario = "pair.toml" },
    { name = "four", family = "trace", scenario = "recorded.toml" },
]
"#;

fn study_in(dir: &Path, text: &str) -> Result<Study, RankError> {
    std::fs::write(dir.join("alone.toml"), alone()).unwrap();
    std::fs::write(dir.join("pair.toml"), PAIR).unwrap();
    let trace: Vec<String> = (1..=100).map(|i| (10 * i).to_string()).collect();
    std::fs::write(dir.join("steady.down"), trace.join("\n")).unwrap();
    let recorded = alone().replace("rate = \"1Mbps\"", "trace = \"steady.down\"");
    std::fs::write(dir.join("recorded.toml"), recorded).unwrap();
    std::fs::write(dir.join("tiny.toml"), text).unwrap();
    load(&dir.join("tiny.toml"))
}

fn run(study: &Study) -> Ranked {
    let results = run_all(&study.scenarios, &RunOptions::default(), simulate).unwrap();
    evaluate(study, &results)
}

#[test]
fn a_path_has_the_group_that_its_scenario_has() {
    let dir = tempfile::tempdir().unwrap();
    let study = study_in(dir.path(), STUDY).unwrap();
    let groups = study.paths.iter().map(|p| p.family.as_ref().unwrap().group);
    let expected = [Group::Alone, Group::Slow, Group::Shared, Group::Recorded];
    assert_eq!(groups.collect::<Vec<_>>(), expected);
    let baselines: Vec<_> = study.paths.iter().map(|path| path.baseline).collect();
    assert_eq!(baselines, [None, None, Some(1), None]);
    assert!(study.paths.iter().all(|path| path.kind == Kind::Any));
}

/// An upload takes no link of the download's way, and a call does.
#[test]
fn beside_is_whose_data_share_a_link_whatever_the_transport() {
    let dir = tempfile::tempdir().unwrap();
    let group = |from: &str, to: &str| {
        let other = PAIR.replacen(
            "name = \"other\"\nfrom = \"A\"\nto = \"B\"\nrwnd = \"60 segments\"",
            to,
            1,
        );
        assert!(other.contains(from));
        study_in(dir.path(), STUDY).unwrap();
        std::fs::write(dir.path().join("pair.toml"), other).unwrap();
        let study = load(&dir.path().join("tiny.toml")).unwrap();
        study.paths[2].family.clone().unwrap().group
    };
    let upload = "name = \"other\"\nfrom = \"B\"\nto = \"A\"";
    assert_eq!(group("from = \"B\"", upload), Group::Alone);
    let call = "name = \"other\"\nfrom = \"A\"\nto = \"B\"\ntransport = \"udp\"\n\
                traffic = { cbr = { packet = \"160B\", rate = \"64kbps\" } }";
    assert_eq!(group("udp", call), Group::Shared);
}

/// Samples of a path with one seed: goodputs, what the path carries, and what is left to others.
fn path(name: &str, goodput: [f64; 2], carried: f64, others: Option<[f64; 2]>) -> PathSamples {
    let one = |value: f64| vec![Some(value)];
    PathSamples {
        name: name.into(),
        kind: Kind::Any,
        baseline: others.map(|_| 1),
        goodput: goodput.map(one).to_vec(),
        others: others.map_or_else(Vec::new, |others| others.map(one).to_vec()),
        jain: others.map_or_else(Vec::new, |_| vec![one(1.0), one(1.0)]),
        delay: vec![one(1.5), one(2.5)],
        timeouts: vec![one(0.0), one(0.0)],
        retransmits: vec![one(1.0), one(3.0)],
        resent: vec![one(0.01), one(0.03)],
        carried: one(carried),
    }
}

#[test]
fn figures_of_hand_made_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let study = study_in(dir.path(), STUDY).unwrap();
    let samples = vec![
        path("one", [100.0, 50.0], 200.0, None),
        path("two", [30.0, 40.0], 40.0, None),
        path("three", [80.0, 20.0], 100.0, Some([10.0, 50.0])),
        // More than the path carries, by a definition of what that is, counts as all of it.
        path("four", [10.0, 11.0], 10.0, None),
    ];
    let part = Contestant::default();
    let ranking = rank(&samples, &[part, part], Order::Share);
    let families = Families::of(&study, &Ranked { samples, ranking });
    let titles: Vec<_> = families.sets.iter().map(|set| set.of.title()).collect();
    let groups = Group::ALL.map(Group::title);
    let expected = [&["all paths"][..], &groups, &["lossy", "beside", "trace"]].concat();
    assert_eq!(titles, expected);

    // Shares of the best: 1, 3/4, 1, 10/11 and 1/2, 1, 1/4, 1.
    let [reno, cubic] = &families.standings[..] else {
        panic!("two senders");
    };
    assert_eq!((reno.entry, cubic.entry), (0, 1));
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    let all = reno.over[0].share.unwrap();
    near(all.mean, (1.0 + 0.75 + 1.0 + 10.0 / 11.0) / 4.0);
    assert_eq!((all.paths, all.worst, all.low), (4, 0.75, 1));
    near(
        cubic.over[0].share.unwrap().geometric_mean,
        0.125_f64.powf(0.25),
    );
    near(
        cubic.over[0].channel.unwrap().mean,
        (0.25 + 1.0 + 0.2 + 1.0) / 4.0,
    );
    assert_eq!(cubic.worst()[..2], [(0.25, 2), (0.5, 0)]);
    near(reno.over[0].resent.unwrap(), 0.01);
    near(cubic.over[0].delay.unwrap(), 2.5);
    // Left to the flow beside it, against what cubic leaves; only one path has others.
    let left = reno.over[0].left.unwrap();
    assert_eq!((left.paths, left.mean), (1, 0.2));
    let of = |together: &Together| families.sets.iter().position(|set| set.of == *together);
    let lossy = of(&Together::Family("lossy".into())).unwrap();
    near(cubic.over[lossy].share.unwrap().mean, 0.75);
    assert_eq!(cubic.over[lossy].left, None);
}

#[test]
fn a_tiny_study_of_families_from_files_to_tables() {
    let dir = tempfile::tempdir().unwrap();
    let study = study_in(dir.path(), STUDY).unwrap();
    let ranked = run(&study);
    insta::assert_snapshot!("families", table(&study, &ranked, 140, 30));
    insta::assert_snapshot!("families-markdown", markdown(&study, &ranked));
    let page = html(&study, &ranked, "skywave rank tiny.toml").unwrap();
    assert!(page.contains("two in a hundred") && !page.contains("<script"));
    let lines: Vec<serde_json::Value> = json_lines(&study, &ranked)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    let all = &lines[0]["all"]["share"];
    assert_eq!(all["paths"], 4);
    let of_family = &lines[0]["families"]["lossy"]["share"];
    let shares = ["one", "two"].map(|path| lines[0]["paths"][path]["share"].as_f64().unwrap());
    let mean = of_family["mean"].as_f64().unwrap();
    assert!((mean - f64::midpoint(shares[0], shares[1])).abs() < 1e-9);
    assert_eq!(lines[0]["paths"]["three"]["group"], "beside others");
    let mut parquet = Vec::new();
    write_ranking(&mut parquet, &study, &ranked).unwrap();
    assert!(!parquet.is_empty());
}

/// A curve a sender that rises to the whole, with the worst paths named.
#[test]
fn the_curve_names_the_worst_paths() {
    let dir = tempfile::tempdir().unwrap();
    let study = study_in(dir.path(), STUDY).unwrap();
    let ranked = run(&study);
    let svg = picture(&study, &ranked);
    let curves = svg.matches("<polyline").count() + svg.matches("class=\"l n\"").count();
    assert!(curves >= study.entries.len(), "{curves}");
    for path in ["one", "two", "three", "four"] {
        assert!(svg.contains(&format!(">{path}")), "{path} has no name");
    }
}

#[test]
fn mistakes_in_studies_of_families_are_told_with_their_place() {
    let dir = tempfile::tempdir().unwrap();
    let error = |from: &str, to: &str| {
        assert!(STUDY.contains(from), "{from}");
        let error = study_in(dir.path(), &STUDY.replacen(from, to, 1)).unwrap_err();
        let root = format!("{}/", dir.path().display());
        error.to_string().replace(&root, "")
    };
    let errors = [
        error("reference = \"cubic\"", "reference = \"cubik\""),
        error("family = \"beside\"", "kind = \"fairness\""),
        error("family = \"beside\", ", ""),
        error("family = \"lossy\"", "family = \"\""),
        error("family = \"lossy\"", "family = \"lossy\", kind = \"lossy\""),
        error("family = \"lossy\"", "family = 3"),
        error(
            "reference = \"cubic\"",
            "mechanism = [{ name = \"quic\", transport = \"quic\", without = [\"profil\"] }]",
        ),
        error(
            "reference = \"cubic\"",
            "proposed = { name = \"cubic\", as_fair_as = \"reno\" }",
        ),
        error("scenario = \"pair.toml\"", "scenario = \"pear.toml\""),
    ];
    insta::assert_snapshot!("families-errors", errors.join("\n"));
}

#[test]
fn what_is_of_families_alone_is_refused_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let error = |text: &str| super::study_in(dir.path(), text).unwrap_err().to_string();
    let reference =
        error(&super::STUDY.replacen("[[cross]]", "reference = \"reno\"\n[[cross]]", 1));
    assert!(
        reference.contains("`reference` is for paths of families"),
        "{reference}"
    );
    let neither = error(&super::STUDY.replacen("kind = \"clean\"\n", "", 1));
    assert!(neither.contains("`clean` needs a `kind`"), "{neither}");
}

/// A transport that does not take a key of the paths' flows is a sender like the others once that is left out.
#[test]
fn a_sender_may_leave_out_a_key_of_the_flow() {
    let dir = tempfile::tempdir().unwrap();
    let sender = |without: &str| {
        let text =
            format!("mechanism = [{{ name = \"quic\", transport = \"quic\"{without} }}]\npath = [");
        study_in(dir.path(), STUDY).unwrap();
        for file in ["alone.toml", "pair.toml", "recorded.toml"] {
            let scenario = std::fs::read_to_string(dir.path().join(file)).unwrap();
            let stack = "name = \"test\"\nprofile = \"linux\"";
            let scenario = scenario.replacen("name = \"test\"", stack, 1);
            std::fs::write(dir.path().join(file), scenario).unwrap();
        }
        std::fs::write(
            dir.path().join("tiny.toml"),
            STUDY.replacen("path = [", &text, 1),
        )
        .unwrap();
        load(&dir.path().join("tiny.toml"))
    };
    let refused = sender("").unwrap_err().to_string();
    assert!(refused.contains("`quic` runs on no path"), "{refused}");
    let study = sender(", without = [\"profile\"]").unwrap();
    let families = Families::of(&study, &run(&study));
    assert_eq!((study.entries.len(), families.standings.len()), (3, 3));
    let quic = families.standings.iter().find(|s| s.entry == 2).unwrap();
    let figures = &quic.over[0];
    assert_eq!(figures.share.unwrap().paths, 4);
    assert!(figures.channel.unwrap().worst > 0.1 && figures.delay.unwrap() > 1.0);
    assert_eq!(figures.left.unwrap().paths, 1);
}

/// The committed draw loads: its number of paths, all groups, and nothing that is left out.
#[test]
fn the_study_of_robustness_loads() {
    let file = "../../experiments/robust/study.toml";
    let study = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    assert_eq!((study.name.as_str(), study.paths.len()), ("robust", 208));
    assert!(study.left_out.is_empty() && study.refused.is_empty());
    for group in Group::ALL {
        let of_group =
            |path: &&crate::rank::StudyPath| path.family.as_ref().unwrap().group == group;
        assert!(
            study.paths.iter().filter(of_group).count() >= 8,
            "{group:?}"
        );
    }
}
