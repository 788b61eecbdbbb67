//! A link by options, as a scenario: what a file says is read the same way.

use skywave_lab::folder::Folder;
use skywave_lab::scenario::{MAX_BLACKOUTS, Quantity, Scenario, ScenarioError};

use crate::quantity;

/// The rate of a link that is to delay and lose alone: never the bottleneck of a real program.
const NO_LIMIT: &str = "1000Gbps";

/// Longest time for which blackouts are planned, in seconds.
const LONGEST_PLAN: f64 = 86_400.0;

/// A link between near and far; each option holds for both directions unless it is one of `-back`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct LinkArgs {
    /// Instead of a scenario: the link's rate each way, as 20Mbps; without it only delay and loss.
    #[arg(long, value_name = "RATE", value_parser = rate)]
    rate: Option<String>,

    /// The link's rate on the way back.
    #[arg(long, value_name = "RATE", value_parser = rate)]
    rate_back: Option<String>,

    /// The link's delay each way, as 40ms: a round trip takes twice as long; none unless given.
    #[arg(long, value_name = "TIME", value_parser = time)]
    delay: Option<String>,

    /// A random addition to the delay of each packet, from none to this; packets keep their order.
    #[arg(long, value_name = "TIME", value_parser = time)]
    jitter: Option<String>,

    /// The random addition to the delay on the way back.
    #[arg(long, value_name = "TIME", value_parser = time)]
    jitter_back: Option<String>,

    /// The share of packets that the link loses each way, as 1% or 0.01; 100% for all.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    loss: Option<f64>,

    /// The share that the link loses on the way back; beside --preset with --loss only.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    loss_back: Option<f64>,

    /// Room of the link's queue each way, as 100 (packets, the one in transmission included) or 64kB; 50 packets
    /// unless given.
    #[arg(long, value_name = "PACKETS|BYTES", value_parser = queue)]
    queue: Option<String>,

    /// Times without any transmission: how often and how long, as 15s,500ms; the first one after EVERY.
    #[arg(long, value_name = "EVERY,LENGTH", value_parser = blackouts)]
    blackouts: Option<Blackouts>,

    /// Recorded opportunities to send instead of a rate, in a file as `trace` of a scenario takes it:
    /// mahimahi's format, or seconds and Mbit/s in two columns. It repeats for ever.
    #[arg(long, value_name = "FILE", conflicts_with = "rate")]
    trace: Option<String>,

    /// Recorded opportunities to send on the way back.
    #[arg(long, value_name = "FILE", conflicts_with = "rate_back")]
    trace_back: Option<String>,

    /// A link of docs/links.md, as lte, with near at the user's side; other options replace its keys.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
}

/// Times without transmission, as they were written.
#[derive(Clone, Debug, PartialEq)]
struct Blackouts {
    every: String,
    duration: String,
    /// Seconds for which they are planned.
    plan: f64,
}

impl LinkArgs {
    /// The names of its options, as clap knows them. Of a group of them clap would tell all as in conflict.
    pub(crate) const NAMES: [&'static str; 12] = [
        "rate",
        "rate_back",
        "delay",
        "jitter",
        "jitter_back",
        "loss",
        "loss_back",
        "queue",
        "blackouts",
        "trace",
        "trace_back",
        "preset",
    ];

    /// Whether the preset's losses would be replaced on the way there too, though nothing says by what:
    /// a scenario replaces those of both directions together.
    pub(crate) fn lacks_loss(&self) -> bool {
        self.preset.is_some() && self.loss_back.is_some() && self.loss.is_none()
    }

    /// Note for the user on an option that has no effect here.
    pub(crate) fn note(&self) -> Option<&'static str> {
        let rates = [&self.rate, &self.rate_back, &self.trace, &self.trace_back];
        let no_rate = self.preset.is_none() && rates.into_iter().all(Option::is_none);
        (no_rate && self.queue.is_some()).then_some(
            "the link has no rate, so that no queue builds up: --queue does nothing without --rate",
        )
    }

    /// The scenario of a flow over this link; traces are looked for from the folder of this process on.
    pub(crate) fn scenario(&self) -> Result<Scenario, ScenarioError> {
        Scenario::parse("link", &self.text(), &Folder::new(""))
    }

    /// As a file would say it.
    fn text(&self) -> String {
        // The first node of a preset is the network's side.
        let between = match self.preset {
            Some(_) => r#"["far", "near"]"#,
            None => r#"["near", "far"]"#,
        };
        let in_order = |ways: [String; 2]| {
            let [there, back] = ways;
            if self.preset.is_some() {
                [back, there]
            } else {
                [there, back]
            }
        };
        let [link, reverse] = in_order([self.keys(false), self.keys(true)]);
        let preset = self.preset.as_ref();
        let preset = preset.map(|name| format!("preset = {}\n", quoted(name)));
        let loss = self.loss.or(self.loss_back).map(|_| {
            let there = self.loss.unwrap_or(0.0);
            let losses = [there, self.loss_back.unwrap_or(there)];
            let [there, back] = in_order(losses.map(|loss| format!("{{ iid = {loss:?} }}")));
            format!("loss = {{ forward = {there}, reverse = {back} }}\n")
        });
        let blackouts = self.blackouts.as_ref().map(|blackouts| {
            let [every, duration] =
                [&blackouts.every, &blackouts.duration].map(|time| quoted(time));
            format!("blackouts = {{ every = {every}, duration = {duration} }}\n")
        });
        let more: String = [preset, loss, blackouts].into_iter().flatten().collect();
        let plan = match (&self.blackouts, &self.preset) {
            (Some(blackouts), _) => blackouts.plan,
            // It may have some.
            (None, Some(_)) => LONGEST_PLAN,
            (None, None) => 1.0,
        };
        // Of the flow only its way is taken, and no time is simulated.
        format!(
            "[[link]]\nname = \"link\"\nbetween = {between}\n{link}{more}\n[link.reverse]\n{reverse}\n\
             [[flow]]\nname = \"program\"\nfrom = \"near\"\nto = \"far\"\n\
             transport = \"reno\"\ntraffic = \"ftp\"\n\n[run]\nduration = \"{plan}s\"\n"
        )
    }

    /// Keys of one direction, of those that each direction may have for itself.
    fn keys(&self, is_back: bool) -> String {
        let own = |there: &'_ Option<String>, back: &'_ Option<String>| match back {
            Some(back) if is_back => Some(back.clone()),
            _ => there.clone(),
        };
        let new = self.preset.is_none();
        let mut rate = own(&self.rate, &self.rate_back);
        let mut trace = own(&self.trace, &self.trace_back);
        if is_back && self.rate_back.is_some() {
            trace = None;
        } else if is_back && self.trace_back.is_some() {
            rate = None;
        }
        if new && trace.is_none() {
            rate.get_or_insert_with(|| NO_LIMIT.to_owned());
        }
        let delay = self.delay.clone().or(new.then(|| "0ms".to_owned()));
        let jitter = own(&self.jitter, &self.jitter_back);
        let plain = |key: &str, value: Option<String>| {
            value.map(|value| format!("{key} = {}\n", quoted(&value)))
        };
        let lines = [
            plain("rate", rate),
            plain("trace", trace),
            plain("delay", delay),
            jitter.map(|most| format!("jitter = {{ uniform = [\"0s\", {}] }}\n", quoted(&most))),
            (self.queue.as_ref()).map(|queue| format!("queue = {{ droptail = \"{queue}\" }}\n")),
        ];
        lines.into_iter().flatten().collect()
    }
}

/// A text as TOML writes it, which takes the strings of JSON except for DEL, which it wants to be escaped too.
fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json.replace('\u{7f}', "\\u007f")
}

fn blackouts(text: &str) -> Result<Blackouts, String> {
    let expected = "expected two times, as 15s,500ms: how often, and how long, which is less";
    let (every, duration) = text.split_once(',').ok_or(expected)?;
    let [period, length] = [every, duration].map(quantity::time_above_zero);
    let (period, length) = (period?.as_secs_f64(), length?.as_secs_f64());
    if length >= period {
        return Err(expected.to_owned());
    }
    Ok(Blackouts {
        every: every.trim().to_owned(),
        duration: duration.trim().to_owned(),
        plan: LONGEST_PLAN.min(MAX_BLACKOUTS as f64 * period),
    })
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
    use skywave_lab::scenario::NoFiles;

    use super::*;
    use crate::impair::path::{self, Choice, Path};

    fn path_of(scenario: &Scenario) -> Path {
        let choice = Choice {
            flow: None,
            seed: 1,
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
            jitter: Some("4ms".to_owned()),
            jitter_back: Some("0ms".to_owned()),
            blackouts: Some(blackouts("15s,500ms").unwrap()),
            ..LinkArgs::default()
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
jitter = { uniform = ["0ms", "4ms"] }
reverse = { jitter = { uniform = ["0ms", "0ms"] } }
blackouts = { every = "15s", duration = "500ms" }
[[flow]]
from = "A"
to = "B"
transport = "reno"
traffic = "ftp"
[run]
duration = "86400s"
"#;
        let file = Scenario::parse("file", file, &NoFiles).unwrap();
        let options = options.scenario().unwrap();
        assert_eq!(path_of(&options).config, path_of(&file).config);
    }

    #[test]
    fn one_direction_alone_may_have_jitter() {
        let jitters = |scenario: &Scenario| {
            let hops = path_of(scenario).config.hops;
            hops.iter().map(|hop| hop.link.jitter).collect::<Vec<_>>()
        };
        let most = Some("4ms".to_owned());
        let [none, back] = jitters(
            &LinkArgs {
                jitter_back: most.clone(),
                ..LinkArgs::default()
            }
            .scenario()
            .unwrap(),
        )[..] else {
            panic!("two links");
        };
        assert!(none.is_none() && back.is_some(), "{none:?} {back:?}");
        let forward = LinkArgs {
            jitter: most,
            jitter_back: Some("0ms".to_owned()),
            ..LinkArgs::default()
        };
        assert_eq!(jitters(&forward.scenario().unwrap())[0], back);

        // The overlay of a file is the same.
        let file = "[[link]]\nname = \"link\"\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
                    reverse = { jitter = { uniform = [\"0ms\", \"4ms\"] } }\n[[flow]]\nfrom = \"A\"\n\
                    to = \"B\"\ntransport = \"reno\"\ntraffic = \"ftp\"\n[run]\nduration = \"1s\"\n";
        let file = Scenario::parse("file", file, &NoFiles).unwrap();
        assert_eq!(jitters(&file), [None, back]);
    }

    #[test]
    fn near_is_the_user_of_a_preset_whose_keys_options_replace() {
        let lte = LinkArgs {
            preset: Some("lte".to_owned()),
            ..LinkArgs::default()
        };
        let text = "[[link]]\nname = \"link\"\nbetween = [\"cell\", \"phone\"]\npreset = \"lte\"\n\
                    [[flow]]\nfrom = \"phone\"\nto = \"cell\"\ntransport = \"reno\"\n\
                    traffic = \"ftp\"\n[run]\nduration = \"1s\"\n";
        let file = Scenario::parse("file", text, &NoFiles).unwrap();
        assert_eq!(
            path_of(&lte.scenario().unwrap()).config,
            path_of(&file).config
        );

        let faster = LinkArgs {
            rate_back: Some("90Mbps".to_owned()),
            queue: Some(queue("7").unwrap()),
            preset: Some("leo".to_owned()),
            ..LinkArgs::default()
        };
        let path = path_of(&faster.scenario().unwrap());
        let rates = path.config.hops.iter().map(|hop| format!("{:?}", hop.link));
        let [up, down] = rates.collect::<Vec<_>>().try_into().unwrap();
        // Its own 20 Mb/s up, and ours down; our queue both ways.
        assert!(up.contains("20000000"), "{up}");
        assert!(down.contains("90000000"), "{down}");
        assert!(path.notes.iter().any(|note| note.contains("blackouts")));

        let lossy = LinkArgs {
            preset: Some("lte".to_owned()),
            loss: Some(0.25),
            loss_back: Some(0.75),
            ..LinkArgs::default()
        };
        assert!(!lossy.lacks_loss());
        let path = path_of(&lossy.scenario().unwrap());
        let losses = (path.config.routes.iter())
            .map(|route| format!("{:?}", path.config.hops[route[0].hop].link));
        let [there, back] = losses.collect::<Vec<_>>().try_into().unwrap();
        assert!(there.contains("Iid(0.25)"), "{there}");
        assert!(back.contains("Iid(0.75)"), "{back}");
        // Nothing says what the way there loses: none, or as the preset does?
        let half = LinkArgs {
            loss: None,
            ..lossy
        };
        assert!(half.lacks_loss());

        let unknown = LinkArgs {
            preset: Some("lt\"e".to_owned()),
            ..LinkArgs::default()
        };
        let told = unknown.scenario().unwrap_err().to_string();
        assert!(told.contains("preset") && told.contains("lt\"e"), "{told}");

        // It is read as TOML: what is wrong is the value, not how it was written.
        let unknown = LinkArgs {
            preset: Some("lt\u{7f}e".to_owned()),
            ..LinkArgs::default()
        };
        let told = unknown.scenario().unwrap_err().to_string();
        assert_eq!(told, "a text cannot have control characters");
    }

    #[test]
    fn all_options_are_named() {
        let command = <LinkArgs as clap::Args>::augment_args(clap::Command::new("link"));
        let options = command
            .get_arguments()
            .map(|option| option.get_id().as_str());
        assert_eq!(options.collect::<Vec<_>>(), LinkArgs::NAMES);
    }

    #[test]
    fn traces_stand_for_rates() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, b"1\n5\n10\n").unwrap();
        let trace = Some(file.path().to_str().unwrap().to_owned());
        let is_traced = |options: &LinkArgs| {
            let path = path_of(&options.scenario().unwrap());
            let hops = path.config.hops.iter();
            let traced = hops.map(|hop| format!("{:?}", hop.link).contains("Trace"));
            traced.collect::<Vec<_>>()
        };
        let mut options = LinkArgs {
            trace: trace.clone(),
            ..LinkArgs::default()
        };
        assert_eq!(is_traced(&options), [true, true]);
        options.rate_back = Some("1Mbps".to_owned());
        assert_eq!(is_traced(&options), [true, false]);
        options = LinkArgs {
            rate: Some("1Mbps".to_owned()),
            trace_back: trace,
            ..LinkArgs::default()
        };
        assert_eq!(is_traced(&options), [false, true]);
        options.trace_back = Some("no such file".to_owned());
        let told = options.scenario().unwrap_err().to_string();
        assert!(told.contains("no such file"), "{told}");
    }

    #[test]
    fn a_queue_that_never_builds_up_is_told_of() {
        let queue = LinkArgs {
            queue: Some(queue("2").unwrap()),
            ..LinkArgs::default()
        };
        assert!(queue.note().is_some_and(|note| note.contains("--queue")));
        let back = LinkArgs {
            rate_back: Some("1Mbps".to_owned()),
            ..queue
        };
        assert_eq!(back.note(), None);
        assert_eq!(LinkArgs::default().note(), None);
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
        for text in ["", "15s", "15s,", ",1s", "1s,1s", "0s,0s", "1s,2s", "15,1"] {
            assert!(blackouts(text).is_err(), "{text}");
        }
    }
}
