use super::*;
use crate::advice::host::Laws;
use crate::advice::senders::{SENDERS, Sender};

fn named(id: &str) -> Option<&'static Sender> {
    SENDERS.iter().find(|sender| sender.id == id)
}

fn typed(id: &str, host: &Host) -> Vec<String> {
    let sender = named(id).unwrap();
    let recipe = Recipe::of_sender(sender, host, &Attributes::default());
    recipe.steps.into_iter().map(|step| step.run).collect()
}

#[test]
fn what_must_be_loaded_is_loaded_first() {
    let host = Host::parse("linux").unwrap();
    assert_eq!(
        typed("bbr", &host),
        [
            "modprobe tcp_bbr",
            "sysctl -w net.ipv4.tcp_congestion_control=bbr",
            "ip route replace DST via GW dev DEV congctl bbr",
            "setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, \"bbr\", 3)",
        ]
    );
    let host = Host::parse("linux:cubic,bbr").unwrap();
    assert!(typed("bbr", &host)[0].starts_with("sysctl"));
}

#[test]
fn what_the_host_has_already_needs_nothing() {
    let host = Host {
        ..Host::parse("linux:cubic,bbr")
            .unwrap()
            .or_today("bbr", "a test")
    };
    assert!(typed("bbr", &host).is_empty());
    assert!(typed("cubic", &Host::any()).is_empty());
    let recipe = Recipe::of_sender(named("cubic").unwrap(), &host, &Attributes::default());
    let undo = recipe.steps[0].undo.as_deref();
    assert_eq!(undo, Some("sysctl -w net.ipv4.tcp_congestion_control=bbr"));
}

#[test]
fn a_law_that_only_root_may_choose_is_named() {
    let host = Host {
        laws: Some(Laws {
            available: vec!["reno".into(), "cubic".into(), "bbr".into()],
            allowed: vec!["reno".into(), "cubic".into()],
            loadable: Vec::new(),
        }),
        ..Host::parse("linux").unwrap()
    };
    let recipe = Recipe::of_sender(named("bbr").unwrap(), &host, &Attributes::default());
    assert!(
        recipe.notes[0].ends_with("=\"reno cubic bbr\""),
        "{}",
        recipe.notes[0]
    );
}

#[test]
fn a_library_is_told_by_its_own_option() {
    let host = Host::parse("quic:ngtcp2").unwrap();
    assert_eq!(
        typed("quic-cubic", &host),
        ["settings.cc_algo = NGTCP2_CC_ALGO_CUBIC;"]
    );
}
