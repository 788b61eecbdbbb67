//! Single transfers as samples of a plot.

use skywave_scenario::{NoFiles, Sample, Scenario};

use crate::wrong::{cases, changed};

const GOOD: &str = r#"
[[link]]
between = ["A", "B"]
rate = "2Mbps"
delay = "80ms"

[[flow]]
name = "pages"
from = "A"
to = "B"
traffic = { requests = { size = "10kB", think = "1s" } }

[[flow]]
name = "bulk"
from = "A"
to = "B"

[run]
duration = "100s"
requests = true

[report]
plot = [{ kind = "cdf", x = "request_time", sample = "request" }]
"#;

#[test]
fn a_plot_may_take_each_transfer_as_a_sample() {
    let scenario = Scenario::parse("case.toml", GOOD, &NoFiles);
    let scenario = scenario.unwrap_or_else(|error| panic!("{}", error.render(false)));
    assert!(scenario.points()[0].spec(1).requests);
    assert_eq!(scenario.report().plots[0].sample, Sample::Request);
    let boxes = GOOD.replace(
        "kind = \"cdf\", x = \"request_time\"",
        "kind = \"box\", x = \"seed\", y = \"request_time\"",
    );
    assert!(Scenario::parse("case.toml", &boxes, &NoFiles).is_ok());
}

#[test]
fn transfers_that_wait_for_each_other_need_no_pause() {
    for text in [
        GOOD.replace("think = \"1s\"", "think = \"0s\""),
        GOOD.replace("think = \"1s\"", "think = \"1us\", pause_from = \"start\""),
    ] {
        let scenario = Scenario::parse("case.toml", &text, &NoFiles);
        assert!(scenario.is_ok(), "{}", scenario.unwrap_err().render(false));
    }
}

cases! {
    GOOD;
    transfers_that_are_not_kept: "requests = true\n" => "";
    transfers_of_another_measure: "x = \"request_time\"" => "x = \"goodput\"";
    transfers_of_a_flow_without: "sample = \"request\"" => "sample = \"request\", flow = \"bulk\"";
    plots_without_transfers: "traffic = { requests = { size = \"10kB\", think = \"1s\" } }" => "";
    transfers_of_a_link: "sample = \"request\"" => "sample = \"request\", link = \"A-B\"";
    transfers_at_one_instant: "think = \"1s\"" => "think = \"0s\", pause_from = \"start\"";
    transfers_at_one_instant_by_chance: "think = \"1s\"" => "think = { exponential = \"1ns\" }, pause_from = \"start\"";
    transfers_of_lines: "kind = \"cdf\", x = \"request_time\"" => "x = \"seed\", y = \"request_time\"";
}
