//! A link by options, as a scenario: what a file says is read the same way.

use skywave_lab::scenario::{NoFiles, Quantity, Scenario, ScenarioError};

use crate::quantity;

/// The rate of a link that is to delay and lose alone: never the bottleneck of a real program.
const NO_LIMIT: &str = "1000Gbps";

/// A link between near and far; each option holds for both directions unless it is one of `-back`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct LinkArgs {
    /// Instead of a scenario: the link's rate each way, as 20Mbps; without it only delay and loss.
    #[arg(long, value_name = "RATE", value_parser = rate)]
    rate: Option<String>,

    /// Its rate on the way back.
    #[arg(long, value_name = "RATE", value_parser = rate)]
    rate_back: Option<String>,

    /// Its delay each way, as 40ms: a round trip takes twice as long; none unless given.
    #[arg(long, value_name = "TIME", value_parser = time)]
    delay: Option<String>,

    /// The share of packets that it loses each way, as 1% or 0.01; 100% for all.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    loss: Option<f64>,

    /// The share that it loses on the way back.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    loss_back: Option<f64>,

    /// What fits into its queue each way, as 100 (packets, the one in transmission included) or
    /// 64kB; 50 packets unless given.
    #[arg(long, value_name = "PACKETS|BYTES", value_parser = queue)]
    queue: Option<String>,
}

impl LinkArgs {
    /// The names of its options, as clap knows them.
    pub(crate) const NAMES: [&'static str; 6] =
        ["rate", "rate_back", "delay", "loss", "loss_back", "queue"];

    /// The scenario of a flow over this link.
    pub(crate) fn scenario(&self) -> Result<Scenario, ScenarioError> {
        Scenario::parse("link", &self.text(), &NoFiles)
    }

    /// As a file would say it.
    fn text(&self) -> String {
        let rate = self.rate.as_deref().unwrap_or(NO_LIMIT);
        let delay = self.delay.as_deref().unwrap_or("0ms");
        let optional = |key: &str, value: Option<String>| {
            let line = value.map(|value| format!("{key} = {value}\n"));
            line.unwrap_or_default()
        };
        let quoted = |text: &String| format!("\"{text}\"");
        let reverse_rate = optional("reverse_rate", self.rate_back.as_ref().map(quoted));
        let droptail = |queue: &String| format!("{{ droptail = \"{queue}\" }}");
        let queue = optional("queue", self.queue.as_ref().map(droptail));
        let there = self.loss.unwrap_or(0.0);
        let back = self.loss_back.unwrap_or(there);
        // Of the flow only its way is taken, and no time is simulated.
        format!(
            "[[link]]\nname = \"link\"\nbetween = [\"near\", \"far\"]\n\
             rate = \"{rate}\"\ndelay = \"{delay}\"\n{reverse_rate}{queue}\
             loss = {{ forward = {{ iid = {there:?} }}, reverse = {{ iid = {back:?} }} }}\n\n\
             [[flow]]\nname = \"program\"\nfrom = \"near\"\nto = \"far\"\n\
             transport = \"reno\"\ntraffic = \"ftp\"\n\n[run]\nduration = \"1s\"\n"
        )
    }
}

fn rate(text: &str) -> Result<String, String> {
    quantity::rate(text).map(|_| text.trim().to_owned())
}

fn time(text: &str) -> Result<String, String> {
    match quantity::time(text) {
        Ok(_) => Ok(text.trim().to_owned()),
        Err(_) => Err("expected a time with its unit, as 40ms".to_owned()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let number: Option<f64> = match text.strip_suffix('%') {
        Some(number) => number.trim_end().parse().ok().map(|x: f64| x / 100.0),
        None => match text.parse::<f64>() {
            // Who writes 1 beside the 1% of others hardly means every packet.
            Ok(number) if (1.0..=100.0).contains(&number) => {
                let percent = format!("{number}%, that is {}", (number * 1e8).round() / 1e10);
                return Err(format!(
                    "without a unit a share is below 1: did you mean {percent}? To lose all, write 100%"
                ));
            }
            other => other.ok(),
        },
    };
    let number = number.filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a share from 0 to 1, as 0.01 or 1%".to_owned())
}

fn queue(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.parse::<u32>().is_ok_and(|packets| packets > 0) {
        return Ok(format!("{text} packets"));
    }
    match Quantity::parse(text) {
        Some(found) if ["packets", "B"].contains(&found.unit) && found.value >= 1.0 => {
            Ok(text.to_owned())
        }
        _ => Err("expected packets or bytes, as 100 or 64kB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impair::path::{self, Choice, Path};

    fn path_of(scenario: &Scenario) -> Path {
        let choice = Choice {
            flow: None,
            seed: None,
            point: 1,
            overhead: 0,
        };
        path::of(scenario, choice).unwrap()
    }

    #[test]
    fn options_make_the_link_that_a_file_would() {
        let options = LinkArgs {
            rate: Some("20Mbps".to_owned()),
            rate_back: Some("1Mbps".to_owned()),
            delay: Some("40ms".to_owned()),
            loss: Some(share("1%").unwrap()),
            loss_back: Some(share("0.5").unwrap()),
            queue: Some(queue("100").unwrap()),
        };
        let file = r#"
[[link]]
name = "link"
between = ["A", "B"]
rate = "20Mbps"
delay = "40ms"
reverse_rate = "1Mbps"
queue = { droptail = "100 packets" }
loss = { forward = { iid = 0.01 }, reverse = { iid = 0.5 } }
[[flow]]
from = "A"
to = "B"
transport = "reno"
traffic = "ftp"
[run]
duration = "9s"
"#;
        let file = Scenario::parse("file", file, &NoFiles).unwrap();
        let options = options.scenario().unwrap();
        assert_eq!(path_of(&options).config, path_of(&file).config);
    }

    #[test]
    fn any_option_may_be_left_out() {
        let delay = LinkArgs {
            delay: Some("5ms".to_owned()),
            ..LinkArgs::default()
        };
        let all_lost = LinkArgs {
            loss: Some(1.0),
            ..LinkArgs::default()
        };
        for options in [LinkArgs::default(), delay, all_lost] {
            let path = path_of(&options.scenario().unwrap());
            assert_eq!(path.config.hops.len(), 2);
            assert!(path.notes.is_empty(), "{:?}", path.notes);
        }
    }

    #[test]
    fn values_that_are_none_are_told() {
        for text in ["", "%", "101%", "-1%", "nan", "101"] {
            assert!(share(text).is_err(), "{text}");
        }
        // One per cent, or every packet? Nobody is to find out by a link that carries nothing.
        for (text, meant) in [("1", "1%, that is 0.01?"), ("1.5", "1.5%, that is 0.015?")] {
            let told = share(text).unwrap_err();
            assert!(told.contains(meant), "{told}");
        }
        assert_eq!(share("100%"), Ok(1.0));
        for text in ["", "0", "-1", "10ms", "0 packets", "some"] {
            assert!(queue(text).is_err(), "{text}");
        }
        assert_eq!(queue("64kB"), Ok("64kB".to_owned()));
        assert!(rate("20").is_err() && rate("0Mbps").is_err());
        assert!(time("40").is_err_and(|told| told.contains("40ms")));
        assert!(time("-1ms").is_err());
    }
}
