//! One flow over one link: what its lines become.

use skywave_scenario::{NoFiles, Scenario};
use skywave_sim::spec::{Traffic, Transport};

/// A network whose flow has these lines.
pub(crate) fn scenario(lines: &str) -> Result<Scenario, String> {
    let text = format!(
        "[[link]]\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
         [[flow]]\nfrom = \"A\"\nto = \"B\"\n{lines}\n\
         [run]\nduration = \"10s\"\n"
    );
    Scenario::parse("test.toml", &text, &NoFiles).map_err(|e| e.render(false))
}

/// The flow has this transport and this name, and sends for ever.
#[track_caller]
pub(crate) fn becomes(lines: &str, transport: &Transport, name: &str) {
    let scenario = scenario(lines).expect("a scenario");
    let point = &scenario.points()[0];
    let flow = &point.spec(1).flows[0];
    assert_eq!(flow.transport, *transport);
    assert_eq!(flow.traffic, Traffic::Ftp);
    assert_eq!(point.transport_label(0), Some(name));
}
