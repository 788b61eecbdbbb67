use skywave_scenario::NoFiles;

use super::*;
use crate::advice::senders::SENDERS;

const HOP: &str =
    "[[link]]\nname = \"hop\"\nbetween = [\"a\", \"b\"]\nrate = \"5Mbps\"\ndelay = \"20ms\"\n";
const LAN: &str =
    "[[link]]\nname = \"lan\"\nbetween = [\"b\", \"c\"]\nrate = \"100Mbps\"\ndelay = \"1ms\"\n";

fn read(text: &str) -> Result<Scene, AdviceError> {
    let one = Contestant {
        sender: &SENDERS[0],
        change: None,
    };
    Scene::read(text, None, &NoFiles, &[one])
}

fn ends_of(text: &str) -> (String, String) {
    let scene = read(text).unwrap();
    let flow = &scene.spec.flows[0];
    let name = |node: usize| scene.spec.nodes[node].to_string();
    (name(flow.from), name(flow.to))
}

#[test]
fn data_go_from_the_first_end_to_the_last_one_unless_a_flow_says_otherwise() {
    let both = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(ends_of(HOP), both("a", "b"));
    assert_eq!(ends_of(&format!("{HOP}{LAN}")), both("a", "c"));
    let flow = "[[flow]]\nfrom = \"c\"\nto = \"a\"\n[run]\nduration = \"3s\"\n";
    let text = format!("{HOP}{LAN}{flow}");
    assert_eq!(ends_of(&text), both("c", "a"));
    // The way of another flow has the first link alone.
    let hop = Scene::read(&text, Some(["a", "b"]), &NoFiles, &[]).unwrap();
    assert_eq!(hop.way, [0]);
}

#[test]
fn what_is_no_link_is_refused() {
    let error = |text: &str| read(text).map(drop).unwrap_err().to_string();
    assert!(error("[[link").contains("cannot be read"));
    assert!(error("title = \"a\"\n").contains("expected a [[link]]"));
    assert!(error("[[flow]]\nfrom = \"a\"\nto = \"b\"\n").contains("expected a [[link]]"));
    assert!(error("link = 3\n").contains("expected a [[link]]"));
    assert!(error(&HOP.replace("5Mbps", "5")).contains("is none"));
    assert!(error(&format!("{HOP}[radio]\n")).contains("links alone"));
}

#[test]
fn facts_are_those_of_the_narrowest_link() {
    let policer = "policer = { rate = \"2Mbps\", burst = \"50kB\" }\n";
    let facts = read(&format!("{HOP}{policer}{LAN}")).unwrap().facts();
    assert_eq!((facts.rate_bps, facts.policer_bps), (2e6, Some(2e6)));
    assert!(
        (facts.base_rtt_s - 0.0446).abs() < 2e-4,
        "{}",
        facts.base_rtt_s
    );
    assert!(facts.constant && !facts.managed);
    let facts = read(&format!("{HOP}queue = \"codel\"\n")).unwrap().facts();
    assert_eq!((facts.policer_bps, facts.managed), (None, true));
    let is_constant = |keys: &str| read(&format!("{HOP}{keys}")).unwrap().facts().constant;
    assert!(is_constant(
        "steps = { every = \"9s\", delay = [\"0ms\", \"9ms\"] }\n"
    ));
    assert!(!is_constant(
        "steps = { every = \"9s\", share = [1.0, 0.5] }\n"
    ));
}

#[test]
fn a_pace_is_a_link_before_the_narrowest_one() {
    let text = format!(
        "{LAN}{}",
        HOP.replace("\"b\"", "\"d\"").replace("\"a\"", "\"c\"")
    );
    let scene = read(&text).unwrap();
    let spec = scene.simulation(0, Some(Change::Shaped), Task::Bulk, (10.0, 0.0), 1);
    let named = |name: &str| spec.links.iter().find(|link| link.name == name).unwrap();
    let (lan, shaper, hop) = (named("lan"), named("shaper"), named("hop"));
    assert_eq!((lan.to, shaper.to), (shaper.from, hop.from));
    assert_eq!(shaper.config.mean_rate().as_bps(), 4_750_000);
}

#[test]
fn no_queue_is_put_where_stations_contend() {
    let scene = read(&format!("{HOP}contention = \"cdpd\"\n")).unwrap();
    assert!(scene.facts().managed);
    let spec = scene.simulation(0, Some(Change::Queue), Task::Bulk, (10.0, 0.0), 1);
    assert_eq!(spec.links, scene.spec.links);
}

#[test]
fn luck_has_no_part_in_a_plain_link() {
    let is_certain = |keys: &str| read(&format!("{HOP}{keys}")).unwrap().is_certain();
    assert!(is_certain("") && is_certain("queue = \"codel\"\n"));
    assert!(is_certain(
        "policer = { rate = \"2Mbps\", burst = \"50kB\" }\n"
    ));
    assert!(!is_certain("loss = { reverse = { iid = 0.01 } }\n"));
    assert!(!is_certain("jitter = { exponential = \"1ms\" }\n"));
    assert!(!is_certain(
        "blackouts = { every = \"9s\", duration = \"1s\" }\n"
    ));
    assert!(!is_certain(
        "steps = { every = \"9s\", share = [1.0, 0.5] }\n"
    ));
}

#[test]
fn the_round_trip_is_that_of_the_links_on_the_way() {
    let aside = "[[link]]\nname = \"aside\"\nbetween = [\"b\", \"d\"]\nrate = \"5Mbps\"\ndelay = \"500ms\"\n";
    let flow = "[[flow]]\nfrom = \"a\"\nto = \"c\"\n[run]\nduration = \"3s\"\n";
    let facts = read(&format!("{HOP}{LAN}{aside}{flow}")).unwrap().facts();
    assert!(
        (facts.base_rtt_s - 0.0446).abs() < 2e-4,
        "{}",
        facts.base_rtt_s
    );
}
