use super::*;

/// A link of 10 Mb/s and 40 ms, with further keys.
fn link(keys: &str) -> String {
    format!(
        "[[link]]\nname = \"hop\"\nbetween = [\"a\", \"b\"]\nrate = \"10Mbps\"\ndelay = \"20ms\"\n\
         queue = {{ droptail = \"60 packets\" }}\n{keys}"
    )
}

fn linux() -> Host {
    Host::parse("linux").unwrap()
}

fn asked(link: &str, objectives: &[Objective], host: &Host) -> Advice {
    let question = Question {
        objectives,
        ..Question::new(link, host)
    };
    advise(&question, &|_, _| ()).unwrap()
}

fn bulk(keys: &str) -> Advice {
    asked(&link(keys), &[Objective::Bulk], &linux())
}

#[test]
fn random_loss_wants_a_law_that_does_not_take_it_for_congestion() {
    let advice = bulk("loss = { forward = { iid = 0.01 } }\n");
    let ranking = &advice.rankings[0];
    assert!(
        ["BBR", "skywave send"].contains(&ranking.chosen),
        "{advice}"
    );
    let cubic = ranking
        .order
        .iter()
        .find(|(name, _)| *name == "CUBIC")
        .unwrap()
        .1;
    assert!(cubic.median < ranking.order[0].1.median / 2.0, "{advice}");
    assert!(!ranking.best.contains(&"CUBIC"));
    assert!(advice.recipes.iter().any(|recipe| recipe.of == "BBR"));
}

#[test]
fn a_plain_link_leaves_everything_as_it_is() {
    let advice = bulk("");
    let ranking = &advice.rankings[0];
    assert_eq!(
        (ranking.chosen, ranking.best.len()),
        ("CUBIC", advice.senders.len())
    );
    assert!(
        advice.recipes.iter().all(|recipe| recipe.steps.is_empty()),
        "{advice}"
    );
}

#[test]
fn a_policer_is_paced_below() {
    let advice = bulk("policer = { rate = \"4Mbps\", burst = \"80kB\" }\n");
    let paced = advice
        .alternatives
        .iter()
        .find(|other| other.change == Change::Paced)
        .unwrap();
    let (with, without) = paced.resent.unwrap();
    assert!(paced.helps && with < without, "{advice}");
    assert!(paced.with.median > 0.9 * 4e6, "{advice}");
    let typed: Vec<&str> = advice
        .recipes
        .iter()
        .flat_map(|r| &r.steps)
        .map(|s| s.run.as_str())
        .collect();
    assert!(
        typed.iter().any(|run| run.ends_with("fq maxrate 3840kbit")),
        "{typed:?}"
    );
}

#[test]
fn what_was_not_asked_for_has_no_numbers() {
    let policed = link("policer = { rate = \"4Mbps\", burst = \"80kB\" }\n");
    let host = Host::parse("linux:cubic").unwrap();
    let advice = asked(&policed, &[Objective::Calls], &host);
    let paced = advice
        .alternatives
        .iter()
        .find(|other| other.change == Change::Paced);
    let paced = paced.unwrap();
    assert_eq!((paced.resent, paced.goodput_bps), (None, None));
    assert!(!advice.to_string().contains("sent again"), "{advice}");
}

#[test]
fn a_short_queue_helps_a_call_more_than_any_sender() {
    let deep = link("").replace("60 packets", "400 packets");
    let advice = asked(
        &deep,
        &[Objective::Calls],
        &Host::parse("linux:cubic").unwrap(),
    );
    let queue = advice
        .alternatives
        .iter()
        .find(|other| other.change == Change::Queue)
        .unwrap();
    assert!(
        queue.helps && queue.with.median < queue.today.median / 4.0,
        "{advice}"
    );
    assert!(
        advice
            .to_string()
            .contains("FQ-CoDel at the narrowest link")
    );
}

#[test]
fn an_uplink_is_taken_over_by_the_users_router() {
    let deep = link("").replace("60 packets", "400 packets");
    let host = linux();
    let question = Question {
        objectives: &[Objective::Calls],
        uplink: true,
        ..Question::new(&deep, &host)
    };
    let advice = advise(&question, &|_, _| ()).unwrap();
    assert_eq!(advice.alternatives[0].change, Change::Shaped);
    let typed = &advice.recipes.last().unwrap().steps[0].run;
    assert_eq!(
        typed,
        "tc qdisc replace dev WAN root cake bandwidth 9500kbit nat ack-filter"
    );
}

#[test]
fn the_answer_is_the_same_on_any_number_of_threads() {
    let link = link("loss = { forward = { iid = 0.02 } }\n");
    let draws = [
        link.replace("0.02", "0.01"),
        format!("title = \"no loss\"\n{}", link.replace("0.02", "0")),
    ];
    let host = Host::parse("linux:cubic,bbr").unwrap();
    let with = |threads| {
        let question = Question {
            draws: &draws,
            threads: Some(threads),
            ..Question::new(&link, &host)
        };
        advise(&question, &|_, _| ()).unwrap()
    };
    let advice = with(1);
    assert_eq!(advice, with(3));
    assert_eq!(advice.links, ["the link", "draw 1", "draw 2, no loss"]);
    let text = advice.to_string();
    assert!(text.lines().count() <= 25, "{text}");
    insta::assert_snapshot!(text);
    let json = advice.json();
    assert_eq!(json["rankings"][0]["measure"], "goodput");
    assert_eq!(json["senders"].as_array().unwrap().len(), 3);
}

#[test]
fn one_command_gives_a_route_all_that_is_advised() {
    let link = link("loss = { forward = { iid = 0.01 } }\n");
    let host = linux();
    let question = Question {
        objectives: &[Objective::Bulk],
        findings: &[Finding::ShortFlows, Finding::Timeouts { rtt_s: 0.04 }],
        ..Question::new(&link, &host)
    };
    let advice = advise(&question, &|_, _| ()).unwrap();
    let steps = advice.recipes.iter().flat_map(|recipe| &recipe.steps);
    let routes: Vec<&str> = steps
        .map(|step| step.run.as_str())
        .filter(|run| run.starts_with("ip route"))
        .collect();
    // Against the findings, the law stays as it is.
    let laws = [" congctl bbr", "", ""];
    let all = laws.map(|law| {
        format!("ip route replace DST via GW dev DEV{law} initcwnd 20 initrwnd 40 rto_min 100ms")
    });
    assert_eq!(routes, all);
}

#[test]
fn a_caller_can_stop_it_and_sees_how_far_it_is() {
    let link = link("");
    let host = linux();
    let cancel = AtomicBool::new(true);
    let question = Question {
        cancel: &cancel,
        ..Question::new(&link, &host)
    };
    let total = std::sync::atomic::AtomicUsize::new(0);
    let progress = |_, all| total.store(all, std::sync::atomic::Ordering::Relaxed);
    assert!(matches!(
        advise(&question, &progress),
        Err(AdviceError::Cancelled)
    ));
    assert!(total.into_inner() > 100);
}

#[test]
fn a_host_without_a_sender_that_is_known_is_told_so() {
    let host = Host {
        on: On::Quic(&Library {
            name: "none",
            default: Law::Cubic,
            laws: &[],
        }),
        ..Host::any()
    };
    let link = link("");
    let error = advise(&Question::new(&link, &host), &|_, _| ()).unwrap_err();
    assert!(
        error.to_string().contains("expected one of cubic, reno"),
        "{error}"
    );
}

#[test]
fn the_text_says_where_todays_sender_is_known_from() {
    let first = |host: &Host| asked(&link(""), &[Objective::Bulk], host).to_string();
    assert!(first(&linux()).contains("today's is CUBIC, as is assumed"));
    let named = first(&linux().or_today("reno", "iperf.json"));
    assert!(
        named.contains("today's is Reno, as iperf.json says"),
        "{named}"
    );
    let other = first(&linux().or_today("htcp", "iperf.json"));
    assert!(
        other.contains("today's is CUBIC, in place of htcp (iperf.json)"),
        "{other}"
    );
}

#[test]
fn no_long_flow_carries_more_than_the_link() {
    // Losses in a deep queue leave holes that later data wait behind.
    let deep =
        link("loss = { forward = { gilbert-elliott = { to_bad = 0.0005, to_good = 0.05 } } }\n")
            .replace("60 packets", "600 packets");
    let advice = asked(&deep, &[Objective::Bulk], &Host::any());
    for sender in &advice.senders {
        assert!(
            sender.goodput_bps.high <= 10e6 * 1448.0 / 1500.0,
            "{advice}"
        );
    }
}
