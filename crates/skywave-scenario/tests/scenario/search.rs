//! Searches: ranges, the scenarios of their points, and the texts of these.

use skywave_scenario::{CustomMembers, NoFiles, Scenario, ScenarioError, Setting, Space};

use crate::wrong::{cases, changed};

/// A space with ranges of all kinds.
pub(crate) const GOOD: &str = r#"# A file's first comment.
title = "a space"

[[link]]
name = "path"               # its comment
between = ["server", "client"]
rate = "20Mbps"             # of the path
delay = "20ms"
loss = { forward = [{ iid = 0.0 }] }

[link.reverse]
rate = "10Mbps"

[[flow]]
name = "test"
from = "server"
to = "client"
profile = "linux"

[[flow]]
name = "beside"
from = "server"
to = "client"
count = 0

[run]
duration = "3s"

# What is searched.
[search]
"link.path.rate" = { log = ["0.5Mbps", "50Mbps"] }
"link.path.delay" = { linear = ["2ms", "300ms"] }
"link.path.loss.forward.0.iid" = { linear = [0, 0.3] }
"link.path.reverse.queue" = ["codel", { droptail = { log = ["4 packets", "2000 packets"] } }]
"link.path.policer" = [{ rate = { log = ["1Mbps", "20Mbps"] }, burst = { log = ["5kB", "2MB"] } }]
"flow.beside.count & flow.beside.transport" = [[{ linear = [1, 4] }, "reno"], [1, { preset = "bbr" }]]
flow.test.rwnd = { log = ["20kB", "2MB"] }
"#;

fn space(text: &str) -> Space<'static> {
    match Space::parse(
        "case.toml",
        "case.toml",
        text,
        &NoFiles,
        &CustomMembers::default(),
    ) {
        Ok(space) => space,
        Err(error) => panic!("{}", error.render(false)),
    }
}

fn one<'f>(space: &Space<'f>, flow: &str, sender: &str) -> Result<Space<'f>, ScenarioError> {
    let mut all = space.with_senders(flow, &[sender.to_owned()])?;
    Ok(all.remove(0))
}

/// A point with all keys set of a number that is not zero, those of the bits that are set.
fn point(space: &Space<'_>, bits: u32) -> Vec<Option<Setting>> {
    let keys = space.keys().iter().zip(0..);
    keys.map(|(key, number)| {
        let at =
            |dimension: usize| f64::from((bits * 7 + number * 3 + dimension as u32) % 11) / 10.0;
        let coordinates: Vec<f64> = (0..key.dimensions()).map(at).collect();
        (bits >> number & 1 == 1).then(|| key.setting(&coordinates))
    })
    .collect()
}

#[test]
fn a_point_and_its_text_are_the_same_scenario() {
    let space = space(GOOD);
    for bits in 0..1 << space.keys().len() {
        let point = point(&space, bits);
        let scenario = space.at(&point).unwrap();
        let text = space.text(&point, "worst", &[7, 9], ("test", &[]));
        let read = Scenario::parse("case.toml", &text, &NoFiles)
            .unwrap_or_else(|error| panic!("{}\n{text}", error.render(false)));
        assert_eq!(
            read.points()[0].spec(7),
            scenario.points()[0].spec(7),
            "{text}"
        );
        assert_eq!((read.seeds(), read.title()), (&[7, 9][..], "worst"));
        assert!(
            text.contains("# its comment") && !text.contains("search"),
            "{text}"
        );
        assert_eq!(scenario.params().is_empty(), bits == 0);
    }
}

#[test]
fn a_text_has_its_settings_in_place() {
    let space = one(&space(GOOD), "test", "bbr").unwrap();
    let point = point(&space, 0b111_1111);
    let senders = [
        "bbr".to_owned(),
        "{ preset = \"sack\", congestion = \"veno\" }".to_owned(),
    ];
    let text = space.text(&point, "worst", &[1], ("test", &senders));
    insta::assert_snapshot!(text);
    let words = space.keys().iter().zip(&point);
    let words: Vec<String> = words
        .map(|(key, setting)| format!("{}: {}", key.text(), key.words(setting.as_ref().unwrap())))
        .collect();
    insta::assert_snapshot!(words.join("\n"));
}

#[test]
fn a_sender_of_quic_does_without_the_keys_of_tcp() {
    let space = space(GOOD);
    let quic = one(&space, "test", "quic-cubic").unwrap();
    assert!(!quic.scenario().text().contains("profile"));
    let tcp = one(&space, "test", "{ preset = \"sack\" }").unwrap();
    assert!(tcp.scenario().text().contains("profile"));
    let error = one(&space, "test", "brr").unwrap_err();
    assert!(
        error.render(false).contains("brr"),
        "{}",
        error.render(false)
    );
    let error = one(&space, "tset", "bbr").unwrap_err();
    assert!(
        error.render(false).contains("tset"),
        "{}",
        error.render(false)
    );
}

#[test]
fn a_search_may_not_set_the_place_of_the_sender() {
    for key in ["flow.test.transport", "flow.*.transport.congestion"] {
        let space = space(&GOOD.replace(
            "flow.test.rwnd = {",
            &format!("\"{key}\" = [\"reno\", \"cubic\"]\nflow.test.rwnd = {{"),
        ));
        let error = one(&space, "test", "bbr").unwrap_err().render(false);
        assert!(
            error.contains("this search sets the sender's place"),
            "{error}"
        );
    }
    // Of the flow beside it a search may.
    assert!(one(&space(GOOD), "test", "bbr").is_ok());
}

#[test]
fn points_of_the_cube_come_back() {
    let space = space(GOOD);
    for bits in 0..1 << space.keys().len() {
        for (key, setting) in space.keys().iter().zip(point(&space, bits)) {
            let Some(setting) = setting else { continue };
            let at = key.place(&setting).unwrap();
            assert_eq!(key.setting(&at), setting, "{}", key.text());
        }
    }
}

#[test]
fn a_file_with_a_search_runs_at_its_defaults() {
    let scenario = Scenario::parse("case.toml", GOOD, &NoFiles).unwrap();
    assert_eq!((scenario.runs(), scenario.params().len()), (1, 0));
    assert_eq!(scenario.points()[0].spec(1).flows.len(), 1);
}

cases! {
    GOOD;
    a_range_without_an_end: "{ log = [\"0.5Mbps\", \"50Mbps\"] }" => "{ log = [\"0.5Mbps\"] }";
    a_range_of_two_kinds: "{ log = [\"0.5Mbps\", \"50Mbps\"] }" => "{ log = [\"0.5Mbps\", \"50ms\"] }";
    a_range_that_is_empty: "{ log = [\"0.5Mbps\", \"50Mbps\"] }" => "{ log = [\"50Mbps\", \"0.5Mbps\"] }";
    a_range_from_zero: "{ linear = [0, 0.3] }" => "{ log = [0, 0.3] }";
    a_range_of_many_digits: "{ linear = [0, 0.3] }" => "{ linear = [0, 0.3333] }";
    a_range_with_an_unknown_unit: "\"50Mbps\"] }" => "\"50Mbits\"] }";
    a_bound_that_cannot_be: "{ linear = [0, 0.3] }" => "{ linear = [0, 1.5] }";
    a_choice_that_cannot_be: "[\"codel\", " => "[\"coddle\", ";
    a_value_that_is_no_range: "{ linear = [0, 0.3] }" => "0.3";
    a_range_of_an_unknown_link: "\"link.path.rate\" =" => "\"link.pth.rate\" =";
    a_range_of_all_of_none: "\"link.path.rate\" =" => "\"agent.*.at\" =";
    a_range_of_a_part_of_another: "\"link.path.rate\" =" => "\"link.path.policer.rate\" =";
    a_search_and_a_sweep: "# What is searched.\n" => "[sweep]\n\"link.path.rate\" = [\"1Mbps\"]\n";
    a_key_without_a_choice: "[[{ linear = [1, 4] }, \"reno\"], [1, { preset = \"bbr\" }]]" => "[]";
}
