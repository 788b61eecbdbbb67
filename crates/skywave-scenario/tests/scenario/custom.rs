//! Policy members of a program's own, by their names in a file.

use skywave_core::Segments;
use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use skywave_core::tcp::{
    CongestionConfig, CongestionControl, CustomCongestion, CustomDetection, DetectionConfig,
    DetectionEvent, LossDetector,
};
use skywave_scenario::{CustomMembers, NoFiles, Scenario};
use skywave_sim::spec::Transport;

use crate::wrong::without_lists;

struct Still;

impl CongestionControl for Still {
    fn grow(&mut self, _ack: &AckEvent, _window: &mut Window) {}

    fn on_loss(&mut self, loss: &LossEvent, _window: &Window) -> Response {
        Response::cut_to(loss.window)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(timeout.window)
    }
}

struct Never;

impl LossDetector for Never {
    fn on_dupack(&mut self, _event: &DetectionEvent) -> bool {
        false
    }
}

fn members() -> (CustomMembers, CustomCongestion, CustomDetection) {
    let still = CustomCongestion::new("still", |_| Still);
    let never = CustomDetection::new("never", |_| Never);
    let mut members = CustomMembers::default();
    members.add_congestion(still.clone()).expect("a free name");
    members.add_detection(never.clone()).expect("a free name");
    (members, still, never)
}

fn text(transport: &str) -> String {
    format!(
        r#"
[[link]]
between = ["A", "B"]
rate = "1Mbps"
delay = "1ms"
[[flow]]
name = "f"
from = "A"
to = "B"
transport = {transport}
[run]
duration = "10s"
"#
    )
}

#[test]
fn a_registered_member_is_taken_by_its_name() {
    let (members, still, never) = members();
    let text = text(r#"{ preset = "newreno", congestion = "still", detection = "never" }"#);
    let scenario =
        Scenario::parse_with("test.toml", "test.toml", &text, &NoFiles, &members).expect("good");
    let point = &scenario.points()[0];
    let label = "newreno detection=never congestion=still";
    assert_eq!(point.transport_label(0), Some(label));
    let spec = point.spec(1);
    assert!(spec.has_custom());
    let Transport::Tcp(config) = &spec.flows[0].transport else {
        panic!("TCP is expected");
    };
    let composition = &config.composition;
    assert_eq!(composition.congestion, CongestionConfig::Custom(still));
    assert_eq!(composition.detection, DetectionConfig::Custom(never));
}

#[test]
fn a_sweep_compares_it_with_built_in_ones() {
    let (members, ..) = members();
    let text = text("\"reno\"")
        + "[sweep]\n\"flow.f.transport\" = [\"reno\", { congestion = \"still\" }, \"cubic\"]\n";
    let scenario =
        Scenario::parse_with("test.toml", "test.toml", &text, &NoFiles, &members).expect("good");
    let labels: Vec<_> = scenario
        .points()
        .iter()
        .map(|p| p.transport_label(0))
        .collect();
    let expected = ["reno", "reno congestion=still", "cubic"].map(Some);
    assert_eq!(labels, expected);
}

#[test]
fn a_name_that_nobody_knows_is_shown_with_those_that_are_known() {
    let (members, ..) = members();
    let error = |transport: &str, members: &CustomMembers| {
        let result = Scenario::parse_with(
            "test.toml",
            "test.toml",
            &text(transport),
            &NoFiles,
            members,
        );
        without_lists(&result.expect_err("an unknown name").render(false))
    };
    insta::assert_snapshot!(error(r#"{ congestion = "stil" }"#, &members));
    insta::assert_snapshot!(error(r#"{ detection = "nobody" }"#, &members));
    // Without the registry the same file is wrong.
    let none = error(r#"{ congestion = "still" }"#, &CustomMembers::default());
    assert!(none.contains("unknown congestion `still`"), "{none}");
    assert!(!none.contains(", still"), "{none}");
}

#[test]
fn a_name_is_given_once() {
    let (mut members, still, _) = members();
    let twice = members.add_congestion(still).unwrap_err().to_string();
    assert_eq!(twice, "there is a `congestion` called `still` already");
    let reno = CustomCongestion::new("reno", |_| Still);
    assert!(members.add_congestion(reno).is_err());
    // `never` is a detector; a member of another slot may have the same name.
    let never = CustomCongestion::new("never", |_| Still);
    members.add_congestion(never).expect("a free name");
}

#[test]
fn a_window_that_is_no_number_becomes_one() {
    struct Broken;

    impl CongestionControl for Broken {
        fn grow(&mut self, _ack: &AckEvent, window: &mut Window) {
            window.cwnd = Segments(f64::NAN);
        }

        fn on_loss(&mut self, _loss: &LossEvent, _window: &Window) -> Response {
            Response {
                ssthresh: Segments(-1.0),
                window_after: Segments(f64::INFINITY),
            }
        }

        fn on_timeout(&mut self, _timeout: &TimeoutEvent, _window: &Window) -> Response {
            Response::restart(Segments(f64::NAN))
        }
    }

    let mut members = CustomMembers::default();
    let broken = CustomCongestion::new("broken", |_| Broken);
    members.add_congestion(broken).expect("a free name");
    let text = text(r#"{ congestion = "broken" }"#);
    let scenario =
        Scenario::parse_with("test.toml", "test.toml", &text, &NoFiles, &members).expect("good");
    let flow = skywave_sim::simulate(&scenario.points()[0].spec(1))
        .flows
        .remove(0);
    assert_eq!(flow.cwnd_mean.map(f64::round), Some(1.0));
    assert!(flow.delivered_bytes > 50_000, "{}", flow.delivered_bytes);
}
