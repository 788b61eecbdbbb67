//! Members of all slots, from their own descriptions: each one can be written with each of its
//! parameters, and both the decoder and the schema take and refuse the same.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use skywave_core::link::{LinkConfig, LossConfig, QueueConfig};
use skywave_core::parameter::{Family, Form, Kind, Member, Parameter, Value};
use skywave_core::routing::RoutingConfig;
use skywave_core::tcp::{Acking, CongestionConfig, DetectionConfig, RecoveryConfig, TimeoutConfig};
use skywave_core::tcp::{MEMBERS, Slot, TcpConfig};
use skywave_scenario::{NoFiles, Scenario, json_schema};
use skywave_sim::spec::Transport;

use crate::schema::check;

/// A file whose flow has this member in its slot.
fn file(slot: &str, member: &str) -> String {
    let line = match slot {
        "acking" => format!("acking = {member}"),
        _ => format!("transport = {{ {slot} = {member} }}"),
    };
    format!(
        "[[link]]\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
         [[flow]]\nfrom = \"A\"\nto = \"B\"\n{line}\n[run]\nduration = \"10s\"\n"
    )
}

/// A legal value that is not the default.
fn legal(kind: Kind) -> String {
    match kind {
        Kind::Positive => "2.625".into(),
        Kind::Probability | Kind::BelowOne | Kind::Share => "0.375".into(),
        // The test tries both values of a flag.
        Kind::Flag => "true".into(),
        Kind::Count | Kind::Byte => "7".into(),
        Kind::Counts => "[7, 3]".into(),
        Kind::Period | Kind::Time => "\"30ms\"".into(),
        Kind::Rate => "\"3Mbps\"".into(),
        Kind::Size | Kind::Bytes => "\"30B\"".into(),
        Kind::Limit => "\"30 packets\"".into(),
        Kind::Level => "\"20 packets\"".into(),
        Kind::Table(..) => "{}".into(),
        Kind::OneOf(names) => format!("{:?}", names[names.len() - 1]),
    }
}

fn with(member: &Member, parameter: &Parameter, value: &str) -> String {
    match parameter.form {
        Form::Alone => format!("{{ {} = {value} }}", member.name),
        Form::Named | Form::ByValue => {
            format!("{{ {} = {{ {} = {value} }} }}", member.name, parameter.name)
        }
    }
}

/// The configuration and the label of the flow, if the decoder takes the text; the schema must agree.
fn read(schema: &Json, text: &str) -> Option<(TcpConfig, String)> {
    let file: Json = toml::from_str(text).expect("TOML");
    let fits = check(schema, schema, &file, "");
    let Ok(scenario) = Scenario::parse("member.toml", text, &NoFiles) else {
        assert!(fits.is_err(), "the schema accepts {text}");
        return None;
    };
    assert_eq!(fits, Ok(()), "the schema refuses {text}");
    let point = &scenario.points()[0];
    let Transport::Tcp(config) = &point.spec(1).flows[0].transport else {
        panic!("TCP is expected");
    };
    let label = point.transport_label(0).expect("a label").to_owned();
    Some((config.as_ref().clone(), label))
}

/// The names that files with built-in members can have as keys.
pub(crate) fn keys() -> BTreeSet<String> {
    let all = || {
        let links = LossConfig::MEMBERS.iter().chain(QueueConfig::MEMBERS);
        MEMBERS.iter().chain(links).chain(RoutingConfig::MEMBERS)
    };
    let names = all().map(|m| m.name);
    let keys = all().flat_map(|m| m.keys.iter().copied());
    names.chain(keys).map(str::to_owned).collect()
}

fn each_is_read<S: Slot>(of: fn(TcpConfig) -> S) {
    let schema = json_schema();
    for (member, default) in S::MEMBERS.iter().zip(S::defaults()) {
        let read = |text: &str| read(&schema, &file(S::NAME, text));
        let called = |label: &str| S::NAME == "acking" || label.ends_with(member.name);
        let (config, label) = read(&format!("{:?}", member.name)).expect("a name");
        assert_eq!(of(config), default);
        assert!(called(&label), "{label}");
        assert!(read(&format!("{{ {} = {{ no-such-key = 1 }} }}", member.name)).is_none());
        for (place, parameter) in member.parameters.iter().enumerate() {
            let value = legal(parameter.kind);
            let (config, label) = read(&with(member, parameter, &value)).expect("legal");
            let config = of(config);
            if parameter.kind == Kind::Flag {
                let (other, _) = read(&with(member, parameter, "false")).expect("legal");
                assert_ne!(of(other), config, "{} {}", member.name, parameter.name);
            } else {
                assert_ne!(
                    config.get(place),
                    default.get(place),
                    "{value} is the default"
                );
                let told =
                    S::NAME == "acking" || label.contains(member.name) && label.ends_with(')');
                assert!(told, "{label}");
            }
            for others in member
                .parameters
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != place)
            {
                let now = config.get(others.0);
                assert!(
                    now.is_none() || now == default.get(others.0),
                    "{}",
                    others.1.name
                );
            }
            // Not for a period: the checker here does not know the format of a string with a unit.
            let text = ["\"what\""]
                .iter()
                .filter(|_| parameter.kind != Kind::Period);
            for wrong in ["[]", "-1", "{ x = 1 }"].iter().chain(text) {
                assert!(read(&with(member, parameter, wrong)).is_none(), "{wrong}");
            }
        }
    }
}

/// The members of this family, as the links of a file have them.
fn each_is_written<F: Family>(line: &str, of: fn(&LinkConfig) -> F) {
    let schema = json_schema();
    let read = |member: &str| {
        let line = line.replace("MEMBER", member);
        let text = file("acking", "\"every\"").replace("delay", &format!("{line}\ndelay"));
        let json: Json = toml::from_str(&text).expect("TOML");
        let fits = check(&schema, &schema, &json, "");
        let scenario = Scenario::parse("member.toml", &text, &NoFiles);
        assert_eq!(
            scenario.is_ok(),
            fits.is_ok(),
            "{text} {fits:?} {scenario:?}"
        );
        let spec = scenario.ok()?.points()[0].spec(1);
        Some(of(&spec.links[0].config))
    };
    for (member, default) in F::MEMBERS.iter().zip(F::defaults()) {
        let name = member.name;
        let bare = read(&format!("{name:?}"));
        assert_eq!(
            bare,
            member.needs_nothing().then_some(default.clone()),
            "{name}"
        );
        assert_eq!(read(&format!("{{ {name} = {{ no-such-key = 1 }} }}")), None);
        let needed = member.parameters.iter().filter(|other| other.is_needed());
        let needed: Vec<(&str, String)> = needed.map(|p| (p.name, legal(p.kind))).collect();
        for (place, parameter) in member.parameters.iter().enumerate() {
            let write = |value: &str| {
                if parameter.form == Form::Alone {
                    return format!("{{ {name} = {value} }}");
                }
                let others = needed.iter().filter(|other| other.0 != parameter.name);
                let mut keys: Vec<String> = others
                    .map(|(key, value)| format!("{key} = {value}"))
                    .collect();
                keys.push(format!("{} = {value}", parameter.name));
                // What is for marking packets needs a queue that marks.
                if member.keys.contains(&"ecn") && parameter.name != "ecn" {
                    keys.push("ecn = true".to_owned());
                }
                format!("{{ {name} = {{ {} }} }}", keys.join(", "))
            };
            let other = match default.get(place) {
                Some(Value::Flag(true)) => "false".to_owned(),
                _ => legal(parameter.kind),
            };
            let config = read(&write(&other)).expect(parameter.name);
            assert_ne!(
                config.get(place),
                default.get(place),
                "{name} {}",
                parameter.name
            );
            for wrong in ["-1", "{ x = 1 }", "true"] {
                if !(parameter.kind == Kind::Flag && wrong == "true") {
                    assert_eq!(
                        read(&write(wrong)),
                        None,
                        "{name} {} {wrong}",
                        parameter.name
                    );
                }
            }
        }
    }
}

#[test]
fn each_loss_model_is_read_with_each_of_its_parameters() {
    each_is_written::<LossConfig>("loss = { forward = [MEMBER] }", |link| link.loss[0].clone());
}

#[test]
fn each_queue_is_read_with_each_of_its_parameters() {
    each_is_written::<QueueConfig>("queue = MEMBER", |link| link.queue);
}

#[test]
fn each_member_is_read_with_each_of_its_parameters() {
    each_is_read::<DetectionConfig>(|config| config.composition.detection);
    each_is_read::<RecoveryConfig>(|config| config.composition.recovery);
    each_is_read::<CongestionConfig>(|config| config.composition.congestion);
    each_is_read::<TimeoutConfig>(|config| config.composition.timeout);
    each_is_read::<Acking>(|config| config.acking);
}

#[test]
fn a_count_beyond_32_bits_is_refused_at_its_place() {
    let text = file("detection", "{ dupacks = 4294967296 }");
    let error = Scenario::parse("member.toml", &text, &NoFiles).unwrap_err();
    assert_eq!(error.to_string(), "`dupacks` must be at most 4294967295");
    assert_eq!(error.position(), Some((8, 39)));
}

#[test]
fn labels_tell_compositions_apart() {
    let label = |flow: &str| {
        let text = format!(
            "[[link]]\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
             [[flow]]\nfrom = \"A\"\nto = \"B\"\n{flow}\n[run]\nduration = \"1s\"\n"
        );
        let scenario = Scenario::parse("labels", &text, &NoFiles).expect("a scenario");
        scenario.points()[0].transport_label(0).map(String::from)
    };
    assert_eq!(label("").as_deref(), Some("reno"));
    assert_eq!(
        label("transport = \"westwood+\"").as_deref(),
        Some("westwood+")
    );
    assert_eq!(
        label("transport = { recovery = \"sack\", congestion = { cerl = { a = 0.3 } } }")
            .as_deref(),
        Some("reno recovery=sack congestion=cerl(a=0.3)")
    );
}
