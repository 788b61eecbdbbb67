//! Blackouts that are probably not meant.

use skywave_scenario::{NoFiles, Scenario};

/// The warnings of a run of 5 s over a link with these blackouts.
fn warnings(blackouts: &str) -> Vec<String> {
    let text = format!(
        "[[link]]\nbetween = [\"A\", \"B\"]\nrate = \"10Mbps\"\ndelay = \"10ms\"\nblackouts = {blackouts}\n\
         [[flow]]\nfrom = \"A\"\nto = \"B\"\n[run]\nduration = \"5s\"\n"
    );
    let scenario = Scenario::parse("case.toml", &text, &NoFiles);
    let scenario = scenario.unwrap_or_else(|error| panic!("{}", error.render(false)));
    let shown = scenario.warnings().iter();
    shown.map(|warning| warning.render(false)).collect()
}

#[test]
fn a_blackout_of_the_whole_run_or_after_it_is_a_warning() {
    let [shown] = &warnings("{ start = \"0s\", duration = \"60s\" }")[..] else {
        panic!("one warning");
    };
    insta::assert_snapshot!("whole_run", shown);
    let [shown] = &warnings(
        "[{ start = \"1s\", duration = \"1s\" }, { start = \"100s\", duration = \"2s\" }]",
    )[..] else {
        panic!("one warning");
    };
    insta::assert_snapshot!("after_the_run", shown);
    assert_eq!(warnings("{ duration = \"1s\", every = \"5s\" }").len(), 1);
    for few in [
        "{ start = \"1ms\", duration = \"60s\" }",
        "{ start = \"0s\", duration = \"4.9s\" }",
        "{ start = \"4.9s\", duration = \"2s\" }",
        "{ duration = \"1s\", every = \"3s\" }",
    ] {
        assert!(warnings(few).is_empty(), "{few}");
    }
}
