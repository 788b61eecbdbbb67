//! The result of lowering each part of the format, and its defaults.

use std::sync::Arc;

use skywave_core::link::{
    Arq, Blackout, Fec, GilbertElliottConfig, GilbertElliottTimeConfig, Jitter, Limit, LinkConfig,
    LossAt, LossConfig, PeriodicConfig, QueueConfig, RedConfig, Reordering, Service,
};
use skywave_core::tcp::congestion::CerlConfig;
use skywave_core::tcp::{
    Acking, CongestionConfig, Counting, DetectionConfig, EcnRules, Handshake, PacingConfig,
    Profile, RecoveryConfig, RtoArithmetic, TcpConfig, TimeoutConfig, preset,
};
use skywave_core::{Duration, Rate, Segments, Time};
use skywave_scenario::{NoFiles, Scenario};
use skywave_sim::spec::{Dist, PauseFrom, Route, Spec, Traffic, Transport, Tunnel};

fn parse(text: &str) -> Scenario {
    Scenario::parse("test.toml", text, &NoFiles).unwrap_or_else(|e| panic!("{}", e.render(false)))
}

/// A link A-B with `link` in it and a flow from A to B with `flow` in it, as seed 1 runs them.
fn spec(link: &str, flow: &str) -> Spec {
    let text = format!(
        "[[link]]\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\n{link}\n\
         [[flow]]\nfrom = \"A\"\nto = \"B\"\n{flow}\n[run]\nduration = \"100s\"\n"
    );
    parse(&text).points()[0].spec(1)
}

fn link(text: &str) -> LinkConfig {
    let spec = spec(&format!("delay = \"1ms\"\n{text}"), "");
    LinkConfig::clone(&spec.links[0].config)
}

fn both(text: &str) -> (LinkConfig, LinkConfig) {
    let links = spec(text, "").links;
    (
        LinkConfig::clone(&links[0].config),
        LinkConfig::clone(&links[1].config),
    )
}

fn tcp(text: &str) -> TcpConfig {
    match spec("delay = \"1ms\"", text).flows.remove(0).transport {
        Transport::Tcp(config) => (*config).clone(),
        Transport::Udp { .. } | Transport::Wtcp { .. } | Transport::Quic { .. } => {
            panic!("TCP is expected")
        }
    }
}

fn traffic(text: &str) -> Traffic {
    spec("delay = \"1ms\"", &format!("traffic = {text}")).flows[0]
        .traffic
        .clone()
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn at(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

#[test]
fn a_plain_link_has_two_clean_directions() {
    let spec = spec("delay = \"1ms\"", "");
    let config = LinkConfig::new(
        Rate::from_bps(1_000_000),
        ms(1),
        QueueConfig::DropTail(Limit::Packets(50)),
    );
    let names: Vec<&str> = spec.links.iter().map(|l| &*l.name).collect();
    assert_eq!(names, ["A-B", "A-B.reverse"]);
    assert!(spec.links.iter().all(|l| *l.config == config));
    assert_eq!((spec.links[1].from, spec.links[1].to), (1, 0));
}

#[test]
fn a_plain_flow_is_reno_by_todays_standards_from_start_to_end() {
    let spec = spec("delay = \"1ms\"", "");
    let flow = &spec.flows[0];
    let reno = preset("reno").expect("a preset").composition.clone();
    let config = TcpConfig::new(Profile::Rfc, reno);
    assert_eq!(flow.name, "flow1");
    assert_eq!(flow.transport, Transport::Tcp(Arc::new(config)));
    assert_eq!(flow.traffic, Traffic::Ftp);
    assert_eq!((flow.start, flow.stop), (Time::ZERO, None));
    assert_eq!(spec.measure, (Time::ZERO, at(100)));
    assert!(!spec.series);
}

#[test]
fn a_run_says_seeds_window_and_series() {
    let text = "[[link]]\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
                [[flow]]\nfrom = \"A\"\nto = \"B\"\n\
                [run]\nduration = \"1100s\"\nseeds = [3, 0, 5]\nmeasure = [\"100s\", \"18min\"]\n\
                series = true\ndetails = true\nbins = \"500ms\"\n";
    let scenario = parse(text);
    assert_eq!(scenario.seeds(), [3, 0, 5]);
    assert_eq!(
        scenario.title(),
        "test.toml",
        "the name stands in for a title"
    );
    let spec = scenario.points()[0].spec(5);
    assert_eq!((spec.seed, spec.series), (5, true));
    assert_eq!((spec.details, spec.bins), (true, Some(ms(500))));
    assert_eq!(
        (spec.duration, spec.measure),
        (at(1100), (at(100), at(1080)))
    );
    assert_eq!(scenario.runs(), 3);
    assert!(scenario.points()[0].params.is_empty());
}

#[test]
fn the_reverse_direction_may_differ_in_anything() {
    let (there, back) = both(
        "delay = \"5ms\"\ncorruption = 0.1\nreverse_rate = \"64kbps\"\n\
         loss = { forward = { iid = 0.1 }, reverse = { iid = 0.2 } }\n\
         reverse = { delay = \"7ms\", queue = { droptail = \"9kB\" }, loss_at = \"tail\", \
         corruption = 0, duplication = 0.5, jitter = { exponential = \"1ms\" } }",
    );
    assert_eq!(there.loss, [LossConfig::Iid(0.1)]);
    assert_eq!(there.corruption, 0.1);
    assert_eq!(
        back,
        LinkConfig {
            service: Service::Rate(Rate::from_bps(64_000)),
            delay: ms(7),
            queue: QueueConfig::DropTail(Limit::Bytes(9000)),
            loss: vec![LossConfig::Iid(0.2)],
            loss_at: LossAt::Tail,
            corruption: 0.0,
            duplication: 0.5,
            jitter: Some(Jitter::Exponential(ms(1))),
            ..there
        }
    );
}

#[test]
fn a_link_repairs_errors_as_its_keys_say() {
    let loss = "delay = \"20ms\"\nloss = { forward = { iid = 0.1 } }\n";
    let (there, back) = both(&format!("{loss}arq = \"tcp-dcr\""));
    assert_eq!(there.arq, Some(Arq::default()));
    assert_eq!(there.loss_at, LossAt::Tail);
    // Nothing fails on the reverse path.
    assert_eq!((back.arq, back.loss_at), (None, LossAt::Head));
    let (empty, _) = both(&format!("{loss}arq = {{}}"));
    assert_eq!(empty, there);
    let (none, _) = both(&format!("{loss}arq = \"none\"\nfec = \"none\""));
    assert_eq!(
        (none.arq, none.fec, none.loss_at),
        (None, None, LossAt::Head)
    );

    let (there, back) = both(&format!(
        "{loss}arq = {{ round_trip = \"30ms\", retries = 2, in_order = true, \
         errors_on_retransmissions = false }}\n\
         fec = {{ rate = 0.8, repair = 0.9 }}\n\
         reverse = {{ arq = {{ retries = 1 }}, fec = {{ rate = 1, repair = 0 }} }}"
    ));
    let arq = Arq {
        round_trip: Some(ms(30)),
        retries: Some(2),
        in_order: true,
        errors_on_retransmissions: false,
    };
    assert_eq!(there.arq, Some(arq));
    let fec = |rate, repair| Some(Fec { rate, repair });
    assert_eq!((there.fec, back.fec), (fec(0.8, 0.9), fec(1.0, 0.0)));
    let own = Arq {
        retries: Some(1),
        ..Arq::default()
    };
    assert_eq!((back.arq, back.loss_at), (Some(own), LossAt::Tail));

    // A direction with errors of its own ignores the link's; outages are errors too.
    for fails in [
        "loss = { reverse = { iid = 0.1 } }",
        "blackouts = { start = \"1s\", duration = \"1s\" }",
    ] {
        let (_, back) = both(&format!("delay = \"20ms\"\narq = {{}}\n{fails}"));
        assert_eq!(back.arq, Some(Arq::default()));
    }
}

#[test]
fn a_flow_goes_by_the_nodes_that_it_names() {
    let link = |a, b| {
        format!("[[link]]\nbetween = [\"{a}\", \"{b}\"]\nrate = \"1Mbps\"\ndelay = \"5ms\"\n")
    };
    let links = [
        ("CH", "HA"),
        ("HA", "FA"),
        ("CH", "FA"),
        ("FA", "MH1"),
        ("FA", "MH2"),
    ];
    let links: String = links.into_iter().map(|(a, b)| link(a, b)).collect();
    let text = format!(
        "{links}[[flow]]\nname = \"data\"\ncount = 2\nfrom = \"CH\"\nto = \"MH#\"\nvia = [\"HA\"]\n\
         tunnel = {{ from = \"HA\", to = \"FA\" }}\n\
         [[flow]]\nfrom = \"MH1\"\nto = \"CH\"\nreverse_via = [\"HA\"]\n\
         tunnel = [{{ from = \"HA\", to = \"FA\", header = \"8B\" }}]\n\
         [run]\nduration = \"1s\"\n"
    );
    let spec = parse(&text).points()[0].spec(1);
    let node = |name: &str| spec.nodes.iter().position(|n| n == name).unwrap();
    let tunnel = |header| Tunnel {
        from: node("HA"),
        to: node("FA"),
        header,
    };
    let data = Route {
        via: vec![node("HA")],
        tunnels: vec![tunnel(20)],
        ..Route::default()
    };
    assert_eq!((spec.flows[0].way(), spec.flows[1].way()), (&data, &data));
    let back = Route {
        reverse_via: vec![node("HA")],
        tunnels: vec![tunnel(8)],
        ..Route::default()
    };
    assert_eq!(spec.flows[2].way(), &back);
}

#[test]
fn a_one_way_link_has_no_reverse() {
    let text = "[[link]]\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\none_way = true\n\
                [[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\none_way = true\n\
                [[link]]\nbetween = [\"C\", \"A\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\none_way = true\n\
                [[flow]]\nfrom = \"A\"\nto = \"C\"\n[run]\nduration = \"1s\"\n";
    let spec = parse(text).points()[0].spec(1);
    assert_eq!(spec.links.len(), 3);
    assert!(spec.links.iter().all(|l| !l.name.ends_with("reverse")));
}

#[test]
fn every_loss_model_can_be_written() {
    let losses = link(
        "loss = { forward = [{ iid = 0.01 }, { exponential = 1 }, { exponential-bytes = \"150kB\" }, \
         { gilbert-elliott = { to_bad = 0.3, to_good = 0.2 } }, \
         { gilbert-elliott-time = { good = \"1s\", bad = \"100ms\", loss_good = 0.01, loss_bad = 0.9 } }, \
         { periodic = { every = 10, first = 3 } }, { periodic = { every = 7 } }, \
         { packets = [7, 3, 3] }] }",
    );
    let bursts = GilbertElliottConfig {
        to_bad: 0.3,
        to_good: 0.2,
        loss_good: 0.0,
        loss_bad: 1.0,
    };
    assert_eq!(
        losses.loss,
        [
            LossConfig::Iid(0.01),
            LossConfig::Exponential(1.0),
            LossConfig::ExponentialBytes(150_000.0),
            LossConfig::GilbertElliott(bursts),
            LossConfig::GilbertElliottTime(GilbertElliottTimeConfig {
                good: Duration::from_secs(1),
                bad: ms(100),
                loss_good: 0.01,
                loss_bad: 0.9,
            }),
            LossConfig::Periodic(PeriodicConfig {
                every: 10,
                first: Some(3)
            }),
            LossConfig::Periodic(PeriodicConfig {
                every: 7,
                first: None
            }),
            LossConfig::Packets(vec![7, 3, 3]),
        ]
    );
}

#[test]
fn a_loss_model_may_be_a_table_of_its_own() {
    let spec = spec(
        "delay = \"1ms\"\n[link.loss.forward.gilbert-elliott]\nto_bad = 0.1\nto_good = 0.4",
        "",
    );
    assert!(matches!(
        spec.links[0].config.loss[..],
        [LossConfig::GilbertElliott(_)]
    ));
    assert!(spec.links[1].config.loss.is_empty());
}

#[test]
fn a_red_queue_has_thresholds_by_its_limit() {
    let red = RedConfig {
        limit: Limit::Packets(70),
        min_threshold: 17.5,
        max_threshold: 52.5,
        max_p: 0.1,
        weight: 0.002,
        gentle: false,
        wait: true,
        mean_packet: 500,
        mark_p: None,
    };
    let short = link("queue = { red = { limit = \"70 packets\" } }");
    assert_eq!(short.queue, QueueConfig::Red(red));
    let long = link(
        "queue = { red = { limit = \"64kB\", min = \"5kB\", max = \"15kB\", max_p = 0.02, \
         weight = 0.01, gentle = true, wait = false, mean_packet = 1000, ecn = true } }",
    );
    assert_eq!(
        long.queue,
        QueueConfig::Red(RedConfig {
            limit: Limit::Bytes(64_000),
            min_threshold: 5000.0,
            max_threshold: 15_000.0,
            max_p: 0.02,
            weight: 0.01,
            gentle: true,
            wait: false,
            mean_packet: 1000,
            mark_p: Some(0.1),
        })
    );
    let QueueConfig::Red(own) =
        link("queue = { red = { limit = \"70 packets\", ecn = true, mark_p = 0.3 } }").queue
    else {
        panic!("no RED");
    };
    assert_eq!(own.mark_p, Some(0.3));
}

#[test]
fn what_a_path_tells_and_pacing_are_settings() {
    let plain = tcp("");
    assert!(!plain.ecn && !plain.eln && !plain.hints);
    assert_eq!(plain.pacing, PacingConfig::Off);
    let all = tcp("tcp = { ecn = true, eln = true, hints = true, pacing = \"window\" }");
    assert!(all.ecn && all.eln && all.hints);
    assert_eq!(all.pacing, PacingConfig::Window);
}

#[test]
fn impairments_apply_to_both_directions() {
    let (there, back) = both(
        "delay = \"1ms\"\njitter = { uniform = [\"0ms\", \"2ms\"] }\nduplication = 0.1\n\
         reordering = { probability = 0.2, delay = \"3ms\" }\nloss_at = \"tail\"",
    );
    assert_eq!(there, back);
    assert_eq!(there.jitter, Some(Jitter::Uniform(ms(0), ms(2))));
    assert_eq!(there.duplication, 0.1);
    assert_eq!(there.loss_at, LossAt::Tail);
    let overtaken = Reordering {
        probability: 0.2,
        delay: ms(3),
    };
    assert_eq!(there.reordering, Some(overtaken));
}

#[test]
fn blackouts_are_listed_or_repeated() {
    let out = |start: u64, end: u64| Blackout {
        start: at(start),
        end: at(end),
    };
    let one = link(
        "blackouts = [{ start = \"40s\", duration = \"5s\" }, { start = \"10s\", duration = \"1s\" }]",
    );
    assert_eq!(one.blackouts, [out(10, 11), out(40, 45)]);
    let many = link("blackouts = { every = \"30s\", duration = \"2s\", start = \"5s\" }");
    assert_eq!(
        many.blackouts,
        [out(5, 7), out(35, 37), out(65, 67), out(95, 97)]
    );
    let default = link("blackouts = [{ every = \"50s\", duration = \"2s\" }]");
    assert_eq!(
        default.blackouts,
        [out(50, 52)],
        "none begins when the run ends"
    );
}

#[test]
fn members_of_todays_hosts_go_with_others() {
    let composed = tcp("profile = \"ns2\"\ntransport = { detection = \"rack\" }");
    assert_eq!(composed.composition.detection, DetectionConfig::Rack);
    assert!(composed.sack, "the receiver reports what RACK needs");
    let linux = tcp("transport = { preset = \"linux\", congestion = \"reno\" }").composition;
    let rack_tlp = tcp("transport = \"rack-tlp\"").composition;
    assert_eq!(linux, rack_tlp);
    assert_eq!(linux.recovery, RecoveryConfig::Prr);
}

#[test]
fn a_composition_starts_from_a_preset() {
    let composed = tcp(
        "transport = { preset = \"newreno\", detection = { dupacks = 4 }, recovery = \"sack\", \
         congestion = { cerl = { a = 0.3 } }, timeout = \"standard\" }",
    )
    .composition;
    assert_eq!(composed.detection, DetectionConfig::Dupacks(4));
    assert_eq!(composed.recovery, RecoveryConfig::Sack);
    let cerl = CerlConfig {
        a: 0.3,
        once_per_window: true,
    };
    assert_eq!(composed.congestion, CongestionConfig::Cerl(cerl));
    assert_eq!(composed.timeout, TimeoutConfig::Standard);
    assert!(!composed.avoid_repeated_recovery, "CERL comes without it");

    let bare = tcp("transport = { congestion = \"vegas\", detection = \"vegas\" }").composition;
    assert!(
        matches!(bare.recovery, RecoveryConfig::Reno(_)),
        "reno is the base"
    );
    assert_eq!(bare.detection, DetectionConfig::Vegas);
    assert!(matches!(bare.congestion, CongestionConfig::Vegas(_)));
}

#[test]
fn every_preset_is_a_transport_and_is_named_by_itself() {
    for p in skywave_core::tcp::PRESETS.iter() {
        assert_eq!(
            tcp(&format!("transport = {:?}", p.name)).composition,
            p.composition
        );
    }
}

#[test]
fn settings_override_the_profile() {
    let config = tcp(
        "profile = \"bsd\"\nmss = \"1000B\"\nheader = 0\nrwnd = \"40 segments\"\n\
         acking = { delayed = { every = 3 } }\nhandshake = \"none\"\nfin = false\n\
         tcp = { initial_window = \"2 segments\", initial_ssthresh = \"20kB\", min_rto = \"200ms\", \
         max_rto = \"64s\", initial_rto = \"6s\", tick = \"100ms\", limited_transmit = true, \
         timestamps = true, sack = true, dsack = true, impatient = false, \
         avoid_repeated_recovery = false, counting = { bytes = 4 }, arithmetic = \"exact\", iss = 7, \
         max_cwnd = \"20 segments\", restart_after_idle = true }",
    );
    assert_eq!((config.mss, config.header, config.rwnd), (1000, 0, 40_000));
    let acking = Acking::delayed(3, ms(200));
    assert_eq!(config.acking, acking);
    assert_eq!((config.handshake, config.fin), (Handshake::None, false));
    assert_eq!(config.initial_window, Segments(2.0));
    assert_eq!(config.initial_ssthresh, Some(Segments(20.0)));
    let rto = config.rto;
    assert_eq!((rto.min, rto.max), (ms(200), ms(64_000)));
    assert_eq!((rto.initial, rto.granularity), (ms(6000), ms(100)));
    assert_eq!(rto.arithmetic, RtoArithmetic::Exact);
    assert!(config.limited_transmit && config.timestamps && config.sack && config.dsack);
    assert!(!config.impatient && !config.composition.avoid_repeated_recovery);
    assert_eq!((config.counting, config.iss), (Counting::Bytes(4), 7));
    assert_eq!(tcp("acking = \"every\"").acking, Acking::EverySegment);
    assert_eq!(config.max_cwnd, Segments(20.0));
    assert!(config.restart_after_idle && tcp("").restart_after_idle);
    let ns2 = tcp("profile = \"ns2\"");
    assert!(!ns2.restart_after_idle && ns2.max_cwnd == Segments(f64::INFINITY));
    let rules = |text| tcp(text).ecn_rules;
    assert_eq!(rules("profile = \"ns2\""), EcnRules::Ns2);
    assert_eq!(rules("profile = \"bsd\""), EcnRules::Rfc3168);
    assert_eq!(rules("profile = \"rfc\""), EcnRules::Rfc3168);
    assert_eq!(rules("tcp = { ecn_rules = \"ns2\" }"), EcnRules::Ns2);
    let rfc = rules("profile = \"ns2\"\ntcp = { ecn_rules = \"rfc3168\" }");
    assert_eq!(rfc, EcnRules::Rfc3168);
    let ns2 = tcp("profile = \"ns2\"\nacking = \"delayed\"").acking;
    assert!(matches!(ns2, Acking::Delayed(delayed) if delayed.every == 2));
}

#[test]
fn every_traffic_can_be_written() {
    let rate = Rate::from_bps(64_000);
    assert_eq!(traffic("\"ftp\""), Traffic::Ftp);
    assert_eq!(traffic("{ bytes = \"1MB\" }"), Traffic::Bytes(1_000_000));
    assert_eq!(
        traffic("{ cbr = { rate = \"64kbps\", packet = 512, jitter = 0.5 } }"),
        Traffic::Cbr {
            rate,
            packet: 512,
            jitter: 0.5
        }
    );
    assert_eq!(
        traffic(
            "{ on_off = { rate = \"64kbps\", packet = \"512B\", on = { exponential = \"1s\" }, \
             off = { pareto = { mean = \"2s\", shape = 1.5 } } } }"
        ),
        Traffic::OnOff {
            rate,
            packet: 512,
            on: Dist::Exponential(1.0),
            off: Dist::Pareto {
                mean: 2.0,
                shape: 1.5
            },
        }
    );
    assert_eq!(
        traffic(
            "{ requests = { size = { uniform = [\"10 segments\", \"20 segments\"] }, \
             think = \"15s\", pause_from = \"start\" } }"
        ),
        Traffic::Requests {
            size: Dist::Uniform(14_600.0, 29_200.0),
            think: Dist::Constant(15.0),
            pause_from: PauseFrom::Start,
        }
    );
}

#[test]
fn transfers_may_be_of_whole_segments() {
    assert_eq!(
        traffic("{ requests = { segments = [10, 20], think = \"15s\" } }"),
        Traffic::Requests {
            size: Dist::Whole {
                low: 10,
                high: 20,
                unit: 1460.0
            },
            think: Dist::Constant(15.0),
            pause_from: PauseFrom::End,
        }
    );
}

#[test]
fn copies_start_one_after_the_other() {
    let starts = |start: &str| {
        let flow = format!("count = 3\nstart_step = \"250ms\"\n{start}");
        let spec = spec("delay = \"1ms\"", &flow);
        spec.flows.iter().map(|f| f.start).collect::<Vec<_>>()
    };
    let step = |n: u64| ms(250) * n;
    assert_eq!(starts(""), [0, 1, 2].map(|n| Time::ZERO + step(n)));
    assert_eq!(
        starts("start = \"50s\""),
        [0, 1, 2].map(|n| at(50) + step(n))
    );
    let drawn = starts("start = { uniform = [\"5s\", \"5001ms\"] }");
    for (n, start) in (0..).zip(drawn) {
        let from = at(5) + step(n);
        assert!(from <= start && start < from + ms(1), "{start:?}");
    }
}

#[test]
fn udp_has_its_header_and_needs_no_way_back() {
    let cbr = "traffic = { cbr = { rate = \"64kbps\", packet = 512 } }\ntransport = \"udp\"";
    let one = spec("delay = \"1ms\"\none_way = true", cbr);
    assert_eq!(one.flows[0].transport, Transport::Udp { header: 28 });
    let two = spec("delay = \"1ms\"", &format!("{cbr}\nheader = 20"));
    assert_eq!(two.flows[0].transport, Transport::Udp { header: 20 });
}

#[test]
fn copies_have_numbers_in_names_and_nodes() {
    let text = "[[link]]\nname = \"access\"\ncount = 3\nbetween = [\"S#\", \"G\"]\nrate = \"1Mbps\"\n\
                delay = { uniform = [\"0.1ms\", \"10ms\"] }\n\
                [[link]]\ncount = 2\nbetween = [\"G\", \"R#\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
                [[flow]]\nname = \"up\"\ncount = 2\nfrom = \"S#\"\nto = \"R#\"\n\
                [[flow]]\ncount = 2\nfrom = \"S3\"\nto = \"R1\"\n\
                [run]\nduration = \"1s\"\n";
    let scenario = parse(text);
    let point = &scenario.points()[0];
    let spec = point.spec(1);
    let links: Vec<&str> = spec.links.iter().step_by(2).map(|l| &*l.name).collect();
    assert_eq!(links, ["access.1", "access.2", "access.3", "G-R1", "G-R2"]);
    assert_eq!(spec.links[1].name, "access.1.reverse");
    let flows: Vec<(&str, &str, &str)> = spec
        .flows
        .iter()
        .map(|f| (&*f.name, &*spec.nodes[f.from], &*spec.nodes[f.to]))
        .collect();
    assert_eq!(
        flows,
        [
            ("up.1", "S1", "R1"),
            ("up.2", "S2", "R2"),
            ("flow2.1", "S3", "R1"),
            ("flow2.2", "S3", "R1")
        ]
    );
    assert_eq!(point.flow_group(1), Some("up"));
    assert_eq!(point.link_group(5), Some("access"));
    assert_eq!(point.link_group(8), Some("G-R#"));
    assert_eq!(point.flow_group(9), None);
    let delays: Vec<Duration> = spec.links.iter().map(|l| l.config.delay).collect();
    assert_ne!(delays[0], delays[2], "each copy draws its own delay");
    assert_eq!(delays[0], delays[1], "both directions share it");
}
