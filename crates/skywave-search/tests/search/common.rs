//! Spaces of the tests.

use skywave_scenario::{CustomMembers, NoFiles, Space};

/// A short path with keys of all kinds.
pub(crate) const SMALL: &str = r#"
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
duration = "4s"
measure = ["1s", "4s"]

[search]
"link.path.rate" = { log = ["1Mbps", "10Mbps"] }
"link.path.delay" = { log = ["2ms", "100ms"] }
"link.path.queue" = [{ droptail = { log = ["4 packets", "200 packets"] } }, "codel"]
"link.path.loss.forward.iid" = { log = [0.001, 0.2] }
"link.path.loss.reverse.iid" = { log = [0.001, 0.2] }
"link.path.jitter.uniform" = [["0ms", { log = ["1ms", "50ms"] }]]
"#;

pub(crate) fn space<'a>(text: &str, custom: &CustomMembers) -> Space<'a> {
    match Space::parse("test", "test.toml", text, &NoFiles, custom) {
        Ok(space) => space,
        Err(error) => panic!("{}", error.render(false)),
    }
}
