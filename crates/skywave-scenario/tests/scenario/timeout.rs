//! Members of the timeout slot: what they become and what they are called.

use skywave_core::tcp::TimeoutConfig;
use skywave_core::tcp::timeout::{BoundedConfig, ExtendedConfig};
use skywave_core::time::Duration;
use skywave_scenario::{NoFiles, Scenario};
use skywave_sim::spec::Transport;

/// `timeout` is read as this member, called so.
#[track_caller]
fn becomes(timeout: &str, member: TimeoutConfig, name: &str) {
    let text = format!(
        "[[link]]\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
         [[flow]]\nfrom = \"A\"\nto = \"B\"\n\
         transport = {{ preset = \"newreno\", timeout = {timeout} }}\n\
         [run]\nduration = \"10s\"\n"
    );
    let scenario = Scenario::parse("test.toml", &text, &NoFiles)
        .map_err(|e| e.render(false))
        .expect("a scenario");
    let point = &scenario.points()[0];
    let Transport::Tcp(config) = &point.spec(1).flows[0].transport else {
        panic!("TCP is expected");
    };
    assert_eq!(config.composition.timeout, member);
    let label = format!("newreno timeout={name}");
    assert_eq!(point.transport_label(0), Some(label.as_str()));
}

#[test]
fn plain_members() {
    becomes("\"standard\"", TimeoutConfig::Standard, "standard");
    becomes("\"half-window\"", TimeoutConfig::HalfWindow, "half-window");
}

#[test]
fn bounded() {
    let bounded = |s| {
        TimeoutConfig::Bounded(BoundedConfig {
            longest: Duration::from_secs(s),
        })
    };
    becomes("\"bounded\"", bounded(4), "bounded");
    becomes(
        "{ bounded = { longest = \"9s\" } }",
        bounded(9),
        "bounded(longest=9s)",
    );
}

#[test]
fn extended() {
    let extended = |first, later, retransmit| {
        TimeoutConfig::Extended(ExtendedConfig {
            first,
            later,
            retransmit,
        })
    };
    becomes("\"extended\"", extended(1.5, 2.0, false), "extended");
    becomes(
        "{ extended = { first = 1.5, later = 2, retransmit = false } }",
        extended(1.5, 2.0, false),
        "extended",
    );
    becomes(
        "{ extended = { first = 3, later = 1.25, retransmit = true } }",
        extended(3.0, 1.25, true),
        "extended(first=3, later=1.25, retransmit)",
    );
}
