//! Files with several mistakes: which of them are told in one go.

use skywave_scenario::{NoFiles, Scenario};

/// A legal file of two links, a flow, a sweep and a report.
const GOOD: &str = r#"[[link]]
name = "wired"
between = ["server", "base"]
rate = "20Mbps"
delay = "10ms"

[[link]]
name = "air"
between = ["base", "phone"]
rate = "2Mbps"
delay = "40ms"
loss = { forward = { iid = 0.01 } }

[[flow]]
name = "bulk"
from = "server"
to = "phone"
transport = "reno"
rwnd = "64kB"

[[flow]]
name = "web"
from = "server"
to = "base"

[run]
duration = "30s"
seeds = 2

[sweep]
"flow.bulk.transport" = ["reno", "cubic"]

[report]
plot = [{ x = "flow.bulk.transport", y = "goodput", flow = "bulk" }]
"#;

/// The first lines of all messages about a file, in their order; none for a legal one.
fn told(text: &str) -> Vec<String> {
    let Err(error) = Scenario::parse("case.toml", text, &NoFiles) else {
        return Vec::new();
    };
    let drawn = error.render(false);
    let firsts = drawn
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("× "));
    firsts.map(str::to_owned).collect()
}

/// What is told about the good file with each `from` replaced by its `to`.
#[track_caller]
fn changed(changes: &[(&str, &str)]) -> Vec<String> {
    let mut text = GOOD.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    told(&text)
}

#[test]
fn names_are_looked_up_although_numbers_are_wrong() {
    assert_eq!(told(GOOD), Vec::<String>::new());
    let shown = changed(&[
        ("delay = \"10ms\"", "delay = 10"),
        (
            "from = \"server\"\nto = \"phone\"",
            "from = \"srever\"\nto = \"phone\"",
        ),
        ("rwnd = \"64kB\"", "rwnd = \"64kb\""),
        ("to = \"base\"", "to = \"bsae\""),
        ("duration = \"30s\"", "duration = 30"),
        ("y = \"goodput\"", "y = \"godput\""),
        ("flow = \"bulk\"", "flow = \"bluk\""),
    ]);
    let mut shown = shown;
    // The first one stands alone, at the top.
    shown.sort();
    assert_eq!(
        shown,
        [
            "`delay` must be a time with its unit, like \"80ms\"",
            "`duration` must be a time above zero with its unit, like \"80ms\"",
            "`rwnd` must be an amount of data, like \"270 segments\" or \"64kB\"",
            "there is no node `bsae`",
            "there is no node `srever`",
            "unknown flow `bluk`",
            "unknown measured number `godput`",
        ]
    );
}

#[test]
fn names_in_the_sweep_are_looked_up_too() {
    let shown = changed(&[
        ("delay = \"40ms\"", "dealy = \"40ms\""),
        ("\"flow.bulk.transport\" = [", "\"flow.blk.transport\" = ["),
        ("to = \"base\"", "to = \"bsae\""),
    ]);
    assert_eq!(
        shown,
        [
            "unknown key `dealy`",
            "there is no node `bsae`",
            "unknown flow `blk`",
        ]
    );
}

#[test]
fn what_follows_from_a_mended_mistake_is_not_told() {
    // The names that only the mended part has are no mistakes elsewhere.
    for (from, to) in [
        (
            "between = [\"base\", \"phone\"]",
            "between = \"base-phone\"",
        ),
        (
            "between = [\"base\", \"phone\"]",
            "betwixt = [\"base\", \"phone\"]",
        ),
        (
            "between = [\"base\", \"phone\"]",
            "between = [3, \"phone\"]",
        ),
        ("between = [\"base\", \"phone\"]\n", ""),
        ("[[link]]\nname = \"air\"", "[[linkx]]\nname = \"air\""),
        ("from = \"server\"\nto = \"phone\"\n", "to = \"phone\"\n"),
        ("[sweep]", "[sweepx]"),
        ("name = \"bulk\"", "name = 3"),
        ("delay = \"40ms\"", "delay = 40"),
        ("delay = \"40ms\"\n", ""),
        ("delay = \"40ms\"\n", "preset = \"nope\"\n"),
        ("rate = \"2Mbps\"", "rate = 2"),
        ("rate = \"2Mbps\"\n", ""),
        ("[run]\nduration = \"30s\"", "[run]\nduration = 30"),
        (
            "[[flow]]\nname = \"bulk\"",
            "[[flow]]\nname = \"bulk\"\ncount = \"3\"",
        ),
    ] {
        let shown = changed(&[(from, to)]);
        assert_eq!(shown.len(), 1, "{from} as {to}: {shown:#?}");
    }
}

/// Names at all points of a sweep are looked up in small files only: this one would take minutes, and gigabytes.
#[test]
fn a_mistake_in_a_large_sweep_is_told_at_once() {
    let delays: Vec<String> = (1..=1000).map(|ms| format!("\"{ms}ms\"")).collect();
    let shown = changed(&[
        ("name = \"bulk\"\n", "name = \"bulk\"\ncount = 10000\n"),
        ("rwnd = \"64kB\"", "rwnd = \"64kb\""),
        (
            "[sweep]\n\"flow.bulk.transport\" = [\"reno\", \"cubic\"]",
            &format!("[sweep]\n\"link.air.delay\" = [{}]", delays.join(", ")),
        ),
        ("x = \"flow.bulk.transport\"", "x = \"link.air.delay\""),
    ]);
    assert_eq!(shown.len(), 1, "{shown:#?}");
}

/// Changes that are one mistake each, of different lines.
const MISTAKES: [(&str, &str); 22] = [
    ("name = \"wired\"", "nmae = \"wired\""),
    ("between = [\"server\", \"base\"]", "between = [\"server\"]"),
    ("rate = \"20Mbps\"", "rate = \"20mbps\""),
    ("delay = \"10ms\"", "delay = 10"),
    ("name = \"air\"", "name = \"wired\""),
    (
        "between = [\"base\", \"phone\"]",
        "between = [\"base\", \"fone\"]",
    ),
    ("rate = \"2Mbps\"\n", ""),
    ("delay = \"40ms\"\n", ""),
    ("{ iid = 0.01 }", "{ iid = 1.5 }"),
    ("[[flow]]\nname = \"bulk\"", "[[flow]]\nname = \"web\""),
    (
        "from = \"server\"\nto = \"phone\"",
        "from = \"srever\"\nto = \"phone\"",
    ),
    ("to = \"phone\"", "to = \"server\""),
    ("transport = \"reno\"", "transport = \"rneo\""),
    ("rwnd = \"64kB\"", "rwnd = 64"),
    ("to = \"base\"", "to = \"bsae\""),
    ("[run]", "[runn]"),
    ("duration = \"30s\"", "duration = \"30sec\""),
    ("seeds = 2", "measure = [\"10s\", \"40s\"]"),
    ("\"flow.bulk.transport\" = [", "\"flow.blk.transport\" = ["),
    ("x = \"flow.bulk.transport\"", "x = \"flow.bulk.transprt\""),
    ("y = \"goodput\"", "y = \"godput\""),
    ("flow = \"bulk\"", "flow = \"bluk\""),
];

#[test]
fn two_mistakes_make_no_third() {
    let mut both_told = 0;
    let mut pairs = 0;
    for (at, first) in MISTAKES.iter().enumerate() {
        let alone = changed(&[*first]);
        for second in &MISTAKES[at + 1..] {
            let mut known = alone.clone();
            known.extend(changed(&[*second]));
            let shown = changed(&[*first, *second]);
            let others: Vec<&String> = shown.iter().filter(|m| !known.contains(m)).collect();
            assert!(others.is_empty(), "{first:?} and {second:?}: {shown:#?}");
            pairs += 1;
            both_told += usize::from(shown.len() >= 2);
        }
    }
    assert!(both_told * 2 > pairs, "{both_told} of {pairs}");
}

#[test]
fn of_a_long_line_the_part_around_the_mistake_is_shown() {
    let values = "10, ".repeat(2000);
    for (text, place) in [
        (format!("title = [{values}]\n"), "case.toml:1:9"),
        (
            format!("[run]\nseeds = [{values}\"two\", {values}]\n"),
            "case.toml:2:8010",
        ),
    ] {
        let error = Scenario::parse("case.toml", &text, &NoFiles).unwrap_err();
        let drawn = error.render(false);
        assert!(drawn.lines().all(|line| line.len() < 500), "{drawn}");
        assert!(drawn.contains(place), "{drawn}");
    }
}
