//! Radio networks: what they become, their defaults, and what is said of wrong ones.

use skywave_core::link::{Jitter, Limit, LossConfig, QueueConfig, Service};
use skywave_core::mac::{self, Timing};
use skywave_core::radio::{
    Decoder, Hearing, Mode, PathLoss, Position, Preamble, Propagation, RandomWaypointConfig,
    Ranges, Reception, Sensing, Thresholds, channel_noise_mw, db_to_ratio, dbm_to_mw,
};
use skywave_core::routing::{aodv, dsdv, dsr};
use skywave_core::{Duration, Time};
use skywave_scenario::{Bundle, NoFiles, Scenario};
use skywave_sim::Spec;
use skywave_sim::spec::{Movement, RadioSpec, RoutingSpec};

use crate::wrong::{cases, changed, message};

fn parse(text: &str) -> Scenario {
    Scenario::parse("test.toml", text, &NoFiles).unwrap_or_else(|e| panic!("{}", e.render(false)))
}

/// Two stations with `radio` in their network, and a flow between them.
fn text(radio: &str) -> String {
    format!(
        "[radio]\n{radio}\n[[station]]\nnode = \"N#\"\ncount = 2\nat = [\"10m\", \"-5m\"]\nstep = [\"200m\", \"0m\"]\n\
         [[flow]]\nfrom = \"N1\"\nto = \"N2\"\n[run]\nduration = \"10s\"\n"
    )
}

fn spec(text: &str) -> Spec {
    parse(text).points()[0].spec(1)
}

fn radio(keys: &str) -> RadioSpec {
    let standard = if keys.contains("standard") {
        ""
    } else {
        "standard = \"802.11g\"\n"
    };
    spec(&text(&format!("{standard}{keys}")))
        .radio
        .expect("a radio network")
}

fn at(x: f64, y: f64) -> Movement {
    Movement::Fixed(Position { x, y })
}

#[test]
fn a_plain_network_has_the_radios_of_ns2_and_aodv() {
    let spec = spec(&text("standard = \"802.11g\""));
    assert_eq!(spec.nodes, ["N1", "N2"]);
    let radio = spec.radio.expect("a radio network");
    let movements: Vec<&Movement> = radio.stations.iter().map(|s| &s.movement).collect();
    assert_eq!(movements, [&at(10.0, -5.0), &at(210.0, -5.0)]);
    assert!(radio.stations.iter().all(|s| s.ip.is_none()));
    assert_eq!(radio.mac, mac::Config::ieee80211g());
    assert_eq!(radio.propagation, Propagation::ns2_wavelan());
    assert_eq!(radio.reception, Reception::Capture { ratio: 10.0 });
    assert_eq!(radio.sensing, Sensing::Signals);
    assert_eq!(radio.routing, RoutingSpec::Aodv(aodv::Config::default()));
    assert_eq!(radio.timeline, None);
    let b = self::radio("standard = \"802.11b\"");
    assert_eq!(b.mac, mac::Config::ieee80211b());
}

#[test]
fn every_parameter_of_the_mac_can_be_written() {
    let mac = radio(
        "rate = \"54Mbps\"\ncontrol_rate = \"24Mbps\"\nack_rate = \"6Mbps\"\neifs_rate = \"1Mbps\"\nbroadcast_rate = \"12Mbps\"\nslot = \"9us\"\n\
         cw_min = 7\ncw_max = 255\ncca = \"3us\"\nrts = \"256B\"\nnav_reset = false\nkeep_access = true\nqueue = \"50 packets\"\n\
         retries = { short = 5, long = 3, long_above = 1000 }",
    )
    .mac;
    let expected = mac::Config {
        timing: Timing {
            cw_min: 7,
            cw_max: 255,
            cca: Duration::from_micros(3),
            ..Timing::erp()
        },
        data_mode: Mode::Ofdm54,
        control_mode: Mode::Ofdm24,
        ack_mode: Mode::Ofdm6,
        eifs_mode: Mode::Dsss1,
        broadcast_mode: Mode::Ofdm12,
        preamble: Preamble::Long,
        rts_threshold: Some(256),
        long_above: 1000,
        short_retries: 5,
        long_retries: 3,
        nav_reset: false,
        keep_access: true,
        queue: QueueConfig::DropTail(Limit::Packets(50)),
        overhead: mac::Config::ieee80211g().overhead,
    };
    assert_eq!(mac, expected);
    let codel = radio("queue = { codel = { target = \"20ms\" } }").mac.queue;
    assert!(
        matches!(codel, QueueConfig::CoDel(codel) if codel.target == Duration::from_millis(20))
    );
    assert!(matches!(
        radio("queue = { fq-codel = {} }").mac.queue,
        QueueConfig::FqCoDel(_)
    ));
    let mac = radio("control_rate = \"12Mbps\"").mac;
    assert_eq!(mac.ack_mode, Mode::Ofdm12);
    let mac = radio("standard = \"802.11b\"\npreamble = \"short\"\nrate = \"5.5Mbps\"").mac;
    assert_eq!((mac.preamble, mac.data_mode), (Preamble::Short, Mode::Cck5));
}

#[test]
fn the_rts_threshold_is_also_what_makes_a_frame_long() {
    let thresholds = |keys: &str| {
        let mac = radio(keys).mac;
        (mac.rts_threshold, mac.long_above)
    };
    assert_eq!(thresholds("rts = \"always\""), (Some(0), 0));
    assert_eq!(thresholds("rts = \"never\""), (None, 2347));
    assert_eq!(thresholds("rts = \"500B\""), (Some(500), 500));
    let own = "rts = \"always\"\nretries = { long_above = \"256B\" }";
    assert_eq!(thresholds(own), (Some(0), 256));
}

/// The reception `"sinr"` with its defaults.
fn sinr(noise_mw: f64) -> Reception {
    Reception::Interference {
        noise_mw,
        preamble: db_to_ratio(4.0),
        decoder: Decoder::Soft,
    }
}

#[test]
fn reception_follows_the_propagation_unless_said() {
    let ns3 = radio("propagation = \"ns3\"");
    let noise_mw = channel_noise_mw();
    assert_eq!(ns3.propagation, Propagation::ns3_default());
    assert_eq!(ns3.reception, sinr(noise_mw));
    assert_eq!(ns3.sensing, Sensing::Signals);

    let ranges = radio("propagation = { ranges = { reception = \"250m\", sensing = \"550m\" } }");
    assert_eq!(ranges.propagation, Propagation::ranges(250.0, 550.0));
    let ratio = f64::INFINITY;
    assert_eq!(ranges.reception, Reception::Capture { ratio });
    assert_eq!(ranges.sensing, Sensing::Signals);
    let wider = radio(
        "propagation = { ranges = { reception = \"100m\", interference = \"1km\" } }\n\
         reception = { capture = \"6dB\" }",
    );
    let Hearing::Distance(hearing) = wider.propagation.hearing else {
        panic!("{:?}", wider.propagation)
    };
    let (reception, sensing, interference) = (100.0, 100.0, 1000.0);
    assert_eq!(
        hearing,
        Ranges {
            reception,
            sensing,
            interference
        }
    );
    let Reception::Capture { ratio } = wider.reception else {
        panic!("{:?}", wider.reception)
    };
    assert!((ratio - 3.981).abs() < 1e-3, "{ratio}");
    let loud = radio("sensing = { frames = { energy = \"-70dBm\" } }");
    let energy_mw = dbm_to_mw(-70.0);
    assert_eq!(loud.sensing, Sensing::Frames { energy_mw });

    // A propagation without noise of its own: as ns-3's.
    let noisy = radio("reception = \"sinr\"\nsensing = \"signals\"");
    assert_eq!(noisy.reception, sinr(noise_mw));
    let old = radio("reception = { sinr = { preamble = \"0dB\", decoder = \"hard\" } }");
    let expected = Reception::Interference {
        noise_mw,
        preamble: 1.0,
        decoder: Decoder::Hard,
    };
    assert_eq!(old.reception, expected);
    let lost = radio("reception = \"collision\"").reception;
    assert_eq!(
        lost,
        Reception::Capture {
            ratio: f64::INFINITY
        }
    );
}

#[test]
fn propagation_is_that_of_a_preset_where_nothing_else_is_said() {
    for (name, preset) in [("two_ray", "ns2"), ("log_distance", "ns3")] {
        let [own, preset] = [name, preset].map(|p| radio(&format!("propagation = \"{p}\"")));
        assert_eq!(own, preset);
    }
    let own = radio(
        "propagation = { log_distance = { exponent = 2.5, reference = \"2m\", loss = \"40dB\", \
         power = { transmitted = \"20dBm\", reception = \"-80dBm\", sensing = \"-70dBm\", \
         interference = \"-99dBm\", noise = \"-90dBm\" } } }",
    );
    let least = |reception: f64, sensing: f64, interference: f64| {
        Hearing::Power(Thresholds {
            reception_mw: dbm_to_mw(reception),
            sensing_mw: dbm_to_mw(sensing),
            interference_mw: dbm_to_mw(interference),
        })
    };
    let expected = Propagation {
        path_loss: PathLoss::log_distance(2.5, 2.0, 40.0),
        tx_mw: dbm_to_mw(20.0),
        hearing: least(-80.0, -70.0, -99.0),
    };
    assert_eq!(own.propagation, expected);
    let noise_mw = dbm_to_mw(-90.0);
    assert_eq!(own.reception, sinr(noise_mw));
    let own = radio("propagation = { two_ray = { wavelength = \"0.125m\", height = \"2m\" } }");
    let path_loss = PathLoss::TwoRayGround {
        wavelength: 0.125,
        antenna_height: 2.0,
    };
    assert_eq!(own.propagation.path_loss, path_loss);
}

#[test]
fn routing_is_static_or_aodv_with_its_parameters() {
    assert_eq!(radio("routing = \"static\"").routing, RoutingSpec::Static);
    let default = aodv::Config::default();
    assert_eq!(
        radio("routing = \"aodv\"").routing,
        RoutingSpec::Aodv(default)
    );
    let own = radio(
        "routing = { aodv = { hello = true, hello_interval = \"2s\", active_route_timeout = \"10s\", \
         my_route_timeout = \"12s\", max_repair_ttl = 4, buffer_packets = 5, rreq_ratelimit = 20, \
         link_feedback = false, raise_on_break = false, drop_queued = false, ttl_start = 2, error_damping = \"1s\", \
         jitter = \"0s\" } }",
    );
    let expected = aodv::Config {
        hello: true,
        hello_interval: Duration::from_secs(2),
        active_route_timeout: Duration::from_secs(10),
        my_route_timeout: Some(Duration::from_secs(12)),
        max_repair_ttl: Some(4),
        buffer_packets: 5,
        rreq_ratelimit: 20,
        link_feedback: false,
        raise_on_break: false,
        drop_queued: false,
        ttl_start: 2,
        error_damping: Some(Duration::from_secs(1)),
        jitter: Duration::ZERO,
        ..default
    };
    assert_eq!(own.routing, RoutingSpec::Aodv(expected));
}

#[test]
fn dsdv_has_its_parameters() {
    let default = dsdv::Config::default();
    assert_eq!(
        radio("routing = \"dsdv\"").routing,
        RoutingSpec::Dsdv(default)
    );
    let own = radio(
        "routing = { dsdv = { update_interval = \"5s\", trigger_gap = \"2s\", allowed_update_loss = 2, \
         settling_time = \"0s\", trigger_on_seq = true, link_feedback = false, drop_queued = false, \
         buffer_packets = 7, buffer_time = \"9s\", jitter = \"0s\" } }",
    );
    let expected = dsdv::Config {
        update_interval: Duration::from_secs(5),
        trigger_gap: Duration::from_secs(2),
        allowed_update_loss: 2,
        settling_time: Duration::ZERO,
        trigger_on_seq: true,
        link_feedback: false,
        drop_queued: false,
        buffer_packets: 7,
        buffer_time: Duration::from_secs(9),
        jitter: Duration::ZERO,
    };
    assert_eq!(own.routing, RoutingSpec::Dsdv(expected));
}

#[test]
fn dsr_has_its_parameters() {
    let default = dsr::Config::default();
    assert_eq!(
        radio("routing = \"dsr\"").routing,
        RoutingSpec::Dsr(default)
    );
    let own = radio(
        "routing = { dsr = { discovery_hop_limit = 9, ask_neighbours = false, nonprop_request_timeout = \"40ms\", \
         request_period = \"1s\", max_request_period = \"4s\", max_request_rexmt = 3, \
         route_cache_timeout = \"60s\", cached_replies = false, salvage = true, drop_queued = false, error_damping = \"2s\", \
         buffer_packets = 7, buffer_time = \"9s\", jitter = \"0s\" } }",
    );
    let expected = dsr::Config {
        discovery_hop_limit: 9,
        ask_neighbours: false,
        nonprop_request_timeout: Duration::from_millis(40),
        request_period: Duration::from_secs(1),
        max_request_period: Duration::from_secs(4),
        max_request_rexmt: 3,
        route_cache_timeout: Duration::from_secs(60),
        cached_replies: false,
        salvage: true,
        drop_queued: false,
        error_damping: Some(Duration::from_secs(2)),
        buffer_packets: 7,
        buffer_time: Duration::from_secs(9),
        jitter: Duration::ZERO,
    };
    assert_eq!(own.routing, RoutingSpec::Dsr(expected));
}

#[test]
fn a_station_has_an_ip_layer_as_a_link_is() {
    let text = text("standard = \"802.11g\"\ntimeline = [\"1s\", \"1.05s\"]").replace(
        "[[flow]]",
        "[[station]]\nname = \"far\"\nnode = \"M\"\nat = [\"0m\", \"0m\"]\n\
         ip = { rate = \"1Mbps\", queue = { droptail = \"9 packets\" }, delay = \"5ms\", \
         jitter = { exponential = \"1s\" }, loss = [{ iid = 0.05 }] }\n[[flow]]",
    );
    let radio = spec(&text).radio.expect("a radio network");
    let ip = radio.stations[2].ip.as_ref().expect("an IP layer");
    assert!(matches!(ip.service, Service::Rate(rate) if rate.as_bps() == 1_000_000));
    assert_eq!(ip.queue, QueueConfig::DropTail(Limit::Packets(9)));
    assert_eq!(ip.delay, Duration::from_millis(5));
    assert_eq!(ip.jitter, Some(Jitter::Exponential(Duration::from_secs(1))));
    assert_eq!(ip.loss, [LossConfig::Iid(0.05)]);
    let steady = text.replace("{ exponential = \"1s\" }", "\"none\"");
    let steady = spec(&steady).radio.expect("a radio network");
    let ip = steady.stations[2].ip.as_ref().expect("an IP layer");
    assert_eq!(ip.jitter, None);
    let ms = |n| Time::ZERO + Duration::from_millis(n);
    assert_eq!(radio.timeline, Some((ms(1000), ms(1050))));
}

#[test]
fn stations_move_at_random_or_as_a_file_says() {
    let moves = |moves: &str| {
        text("standard = \"802.11g\"").replace(
            "at = [\"10m\", \"-5m\"]\nstep = [\"200m\", \"0m\"]",
            &format!("moves = {moves}"),
        )
    };
    let random = moves(
        "{ random_waypoint = { area = [\"500m\", \"300m\"], speed = [\"1m/s\", \"36km/h\"], pause = \"2s\" } }",
    );
    let config = RandomWaypointConfig {
        corner: Position { x: 500.0, y: 300.0 },
        min_speed: 1.0,
        max_speed: 10.0,
        pause: Duration::from_secs(2),
    };
    for station in spec(&random).radio.expect("a radio network").stations {
        assert_eq!(station.movement, Movement::RandomWaypoint(config));
    }
    let steady = random.replace("[\"1m/s\", \"36km/h\"]", "\"10m/s\"");
    let config = RandomWaypointConfig {
        min_speed: 10.0,
        ..config
    };
    let radio = spec(&steady).radio.expect("a radio network");
    assert_eq!(radio.stations[0].movement, Movement::RandomWaypoint(config));

    let file = "$node_(0) set X_ 1\n$node_(0) set Y_ 2\n$node_(1) set X_ 3\n$node_(1) set Y_ 4\n\
                $ns_ at 2.0 \"$node_(1) setdest 20.0 18.0 1.5\"\n";
    let files = Bundle(Box::leak(Box::new([("walk.setdest", file)])));
    let read = |text: &str| Scenario::parse("test.toml", text, &files);
    let scenario = read(&moves("\"walk.setdest\"")).unwrap_or_else(|e| panic!("{e}"));
    let radio = scenario.points()[0].spec(1).radio.expect("a radio network");
    assert_eq!(radio.stations[0].movement, at(1.0, 2.0));
    let Movement::Track(track) = &radio.stations[1].movement else {
        panic!("{:?}", radio.stations[1])
    };
    assert_eq!((track.start.x, track.commands.len()), (3.0, 1));
    assert_eq!(scenario.traces(), [std::path::Path::new("walk.setdest")]);
    let one = moves("\"walk.setdest\"").replace("count = 2", "count = 1");
    insta::assert_snapshot!(
        read(&one.replace("to = \"N2\"", "to = \"N1\""))
            .unwrap_err()
            .render(false)
    );
}

#[test]
fn a_way_may_be_as_long_as_packets_go() {
    let chain = |routing: &str, hops: usize| {
        let radio = format!("standard = \"802.11g\"\nrouting = {routing}");
        let text = text(&radio)
            .replace("count = 2", &format!("count = {}", hops + 1))
            .replace("\"N2\"", &format!("\"N{}\"", hops + 1));
        Scenario::parse("test.toml", &text, &NoFiles).is_ok()
    };
    let wide = "{ aodv = { net_diameter = 200 } }";
    for (routing, most) in [
        ("\"static\"", 64),
        ("\"dsdv\"", 64),
        ("\"dsr\"", 63),
        ("\"aodv\"", 35),
        (wide, 64),
    ] {
        assert!(chain(routing, most), "{routing}");
        assert!(!chain(routing, most + 1), "{routing}");
    }
    // Stations in a cluster are near each other, and moving ones may come near.
    let heap = text("standard = \"802.11g\"")
        .replace("count = 2", "count = 100")
        .replace("\"200m\"", "\"1m\"")
        .replace("\"N2\"", "\"N100\"");
    parse(&heap);
    let far = heap.replace("\"1m\"", "\"200m\"");
    assert!(Scenario::parse("test.toml", &far, &NoFiles).is_err());
    let walker = "[[station]]\nnode = \"W\"\nmoves = { random_waypoint = { area = [\"1km\", \"1km\"], \
                  speed = \"1m/s\" } }\n[run]";
    parse(&far.replace("[run]", walker));
    // With intermediate nodes at which packets leave the network, each part of the path counts for itself.
    parse(&far.replace(
        "to = \"N100\"",
        "to = \"N100\"\nvia = [\"N34\", \"N67\"]\nreverse_via = [\"N67\", \"N34\"]",
    ));
    // Stations without any way are what a scenario may show.
    parse(&far.replace("[\"200m\", \"0m\"]", "[\"1km\", \"0m\"]"));
}

#[test]
fn a_chain_grows_with_the_end_of_its_flow() {
    let text = text("standard = \"802.11g\"")
        + "[sweep]\n\"station.N#.count & flow.flow1.to\" = [[2, \"N2\"], [5, \"N5\"]]\n\
           \"radio.propagation\" = [\"ns2\", \"ns3\"]\n\"radio.retries.short\" = [7]\n\"station.*.ip.loss.iid\" = [0.05]\n";
    let scenario = parse(&text);
    let specs: Vec<Spec> = scenario.points().iter().map(|p| p.spec(1)).collect();
    let sizes: Vec<usize> = specs.iter().map(|s| s.stations().len()).collect();
    assert_eq!(sizes, [2, 2, 5, 5]);
    assert_eq!(specs[2].flows[0].to, 4);
    let radio = specs[3].radio.as_ref().expect("a radio network");
    assert_eq!(radio.propagation, Propagation::ns3_default());
    let ip = radio.stations[4].ip.as_ref().expect("an IP layer");
    assert_eq!(ip.loss, [LossConfig::Iid(0.05)]);
}

#[test]
fn a_flow_goes_over_links_and_the_radio_network() {
    let wired = "[[link]]\nbetween = [\"S\", \"N1\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n";
    let base = text("standard = \"802.11g\"").replace("from = \"N1\"", "from = \"S\"");
    let spec = spec(&format!("{wired}{base}"));
    assert_eq!(spec.nodes, ["S", "N1", "N2"]);
    assert_eq!(spec.stations(), [1, 2]);
    // By way of a station, and with a tunnel after it.
    let tunnel = base.replace(
        "to = \"N2\"",
        "to = \"N2\"\nvia = [\"N1\"]\ntunnel = { from = \"N1\", to = \"N2\" }",
    );
    let spec = self::spec(&format!("{wired}{tunnel}"));
    assert_eq!(spec.flows[0].way().via, [1]);
    // Snoop at the station that joins the two.
    let agent = format!("{wired}{base}")
        .replace("[run]", "[[agent]]\nat = \"N1\"\nsnoop = \"wtcp\"\n[run]");
    assert_eq!(self::spec(&agent).agents[0].node, 1);
}

/// A legal file; cases change a piece of it.
const GOOD: &str = r#"[radio]
standard = "802.11g"

[[station]]
node = "N#"
count = 3
at = ["0m", "0m"]
step = ["200m", "0m"]

[[flow]]
from = "N1"
to = "N3"

[run]
duration = "10s"
"#;

#[test]
fn the_base_of_the_cases_is_legal() {
    parse(GOOD);
}

/// A station on the way may know the rest of the route from another flow, unless it may not answer.
#[test]
fn aodv_may_find_longer_ways_with_the_help_of_another_flow() {
    let far = |routing: &str| {
        let standard = format!("standard = \"802.11g\"\n{routing}");
        let two = THREE.replace("3\n", "40\n").replace("\"N3\"", "\"N40\"");
        let two = format!("{two}\n\n[[flow]]\nfrom = \"N20\"\nto = \"N40\"");
        let text = GOOD.replace(STANDARD, &standard).replace(THREE, &two);
        Scenario::parse("case.toml", &text, &NoFiles).is_ok()
    };
    assert!(far(""));
    assert!(!far("routing = { aodv = { destination_only = true } }\n"));
}

const STANDARD: &str = "standard = \"802.11g\"\n";
const THREE: &str = "count = 3\nat = [\"0m\", \"0m\"]\nstep = [\"200m\", \"0m\"]\n\n[[flow]]\nfrom = \"N1\"\nto = \"N3\"";
const PLACES: &str = "at = [\"0m\", \"0m\"]\nstep = [\"200m\", \"0m\"]";

cases! {
    GOOD;
    an_unknown_standard: "802.11g" => "802.11n";
    no_standard: STANDARD => "";
    a_rate_of_another_standard: STANDARD => "standard = \"802.11g\"\nrate = \"11Mbps\"";
    a_slot_of_no_standard: STANDARD => "standard = \"802.11g\"\nslot = \"10us\"";
    a_short_slot_of_80211b: STANDARD => "standard = \"802.11b\"\nslot = \"9us\"";
    a_preamble_of_80211g: STANDARD => "standard = \"802.11g\"\npreamble = \"short\"";
    windows_upside_down: STANDARD => "standard = \"802.11g\"\ncw_min = 63\ncw_max = 31";
    a_first_window_above_the_default_of_the_largest: STANDARD => "standard = \"802.11g\"\ncw_min = 2047";
    a_window_beyond_any_standard: STANDARD => "standard = \"802.11g\"\ncw_max = 65535";
    rts_by_an_unknown_word: STANDARD => "standard = \"802.11g\"\nrts = \"sometimes\"";
    no_attempt: STANDARD => "standard = \"802.11g\"\nretries = { short = 0 }";
    an_unknown_propagation: STANDARD => "standard = \"802.11g\"\npropagation = \"ns4\"";
    a_range_without_unit: STANDARD => "standard = \"802.11g\"\npropagation = { ranges = { reception = 250 } }";
    a_range_below_zero: STANDARD => "standard = \"802.11g\"\npropagation = { ranges = { reception = \"-250m\" } }";
    a_range_that_is_received_and_not_sensed: STANDARD => "standard = \"802.11g\"\npropagation = { ranges = { reception = \"250m\", sensing = \"200m\" } }";
    powers_of_fixed_ranges: STANDARD => "standard = \"802.11g\"\npropagation = { ranges = { reception = \"250m\" } }\nreception = \"sinr\"";
    a_power_in_watts: STANDARD => "standard = \"802.11g\"\npropagation = { two_ray = { power = { noise = \"1mW\" } } }";
    a_capture_without_ratio: STANDARD => "standard = \"802.11g\"\nreception = \"capture\"";
    a_capture_by_the_weaker_one: STANDARD => "standard = \"802.11g\"\nreception = { capture = \"-3dB\" }";
    an_unknown_routing: STANDARD => "standard = \"802.11g\"\nrouting = \"olsr\"";
    aodv_that_would_loop: STANDARD => "standard = \"802.11g\"\nrouting = { aodv = { local_repair = true, raise_on_break = false } }";
    aodv_that_cannot_work: STANDARD => "standard = \"802.11g\"\nrouting = { aodv = { hello = true, active_route_timeout = \"1s\" } }";
    an_unknown_parameter_of_aodv: STANDARD => "standard = \"802.11g\"\nrouting = { aodv = { helo = true } }";
    dsdv_that_cannot_work: STANDARD => "standard = \"802.11g\"\nrouting = { dsdv = { trigger_gap = \"20s\" } }";
    dsr_that_cannot_work: STANDARD => "standard = \"802.11g\"\nrouting = { dsr = { request_period = \"20s\" } }";
    a_chain_longer_than_a_source_route: STANDARD => "standard = \"802.11g\"\nrouting = \"dsr\"\n\n[[flow]]\nfrom = \"M70\"\nto = \"N1\"\n\n[[station]]\nnode = \"M#\"\ncount = 70\nat = [\"0m\", \"200m\"]\nstep = [\"0m\", \"200m\"]\n";
    a_timeline_backwards: STANDARD => "standard = \"802.11g\"\ntimeline = [\"2s\", \"1s\"]";
    a_timeline_after_the_run: STANDARD => "standard = \"802.11g\"\ntimeline = [\"9s\", \"11s\"]";
    stations_without_a_network: "[radio]\nstandard = \"802.11g\"\n" => "";
    two_stations_of_a_node: "[[flow]]" => "[[station]]\nnode = \"N2\"\nat = [\"0m\", \"0m\"]\n\n[[flow]]";
    a_station_nowhere: PLACES => "";
    a_station_that_stands_and_moves: "step = [\"200m\", \"0m\"]" => "moves = \"walk.setdest\"";
    a_step_of_one_station: "[[flow]]" => "[[station]]\nnode = \"M\"\nat = [\"0m\", \"0m\"]\nstep = [\"1m\", \"0m\"]\n\n[[flow]]";
    a_step_of_stations_that_move: "at = [\"0m\", \"0m\"]" => "moves = { random_waypoint = { area = [\"1km\", \"1km\"], speed = [\"1m/s\", \"2m/s\"] } }";
    copies_of_a_station_at_one_node: "\"N#\"" => "\"N\"";
    a_number_of_no_copy: "count = 3\n" => "";
    too_many_stations: "count = 3" => "count = 1001";
    speeds_upside_down: PLACES => "moves = { random_waypoint = { area = [\"1km\", \"1km\"], speed = [\"2m/s\", \"1m/s\"] } }";
    no_speed: PLACES => "moves = { random_waypoint = { area = [\"1km\", \"1km\"], speed = [\"0m/s\", \"1m/s\"] } }";
    movements_without_a_folder: PLACES => "moves = \"walk.setdest\"";
    an_end_that_is_no_station: "to = \"N3\"" => "to = \"N4\"";
    a_path_to_one_copy_of_a_station: "[run]" => "[sweep]\n\"station.N2.at\" = [[\"0m\", \"9m\"]]\n\n[run]";
    a_chain_longer_than_aodv_seeks: THREE => "count = 40\nat = [\"0m\", \"0m\"]\nstep = [\"200m\", \"0m\"]\n\n[[flow]]\nfrom = \"N40\"\nto = \"N1\"";
    a_chain_longer_than_a_packet_goes: STANDARD => "standard = \"802.11g\"\nrouting = \"static\"\n\n[[flow]]\nfrom = \"M70\"\nto = \"N1\"\n\n[[station]]\nnode = \"M#\"\ncount = 70\nat = [\"0m\", \"200m\"]\nstep = [\"0m\", \"200m\"]\n";
    a_path_to_no_station: "[run]" => "[sweep]\n\"station.M.count\" = [1]\n\n[run]";
    a_plot_of_no_station: "[run]" => "[report]\nplot = [{ x = \"seed\", y = \"attempts\", station = \"M\" }]\n\n[run]";
    a_plot_of_what_no_station_has: "[run]" => "[report]\nplot = [{ x = \"seed\", y = \"goodput\", station = \"N1\" }]\n\n[run]";
    an_eifs_for_a_mode_of_no_station: STANDARD => "standard = \"802.11b\"\neifs_rate = \"6Mbps\"";
    a_signal_noticed_after_a_slot: STANDARD => "standard = \"802.11g\"\ncca = \"20us\"";
    a_table_of_what_a_station_has: "[run]" => "[report]\ntable = [\"goodput\", \"unanswered_share\"]\n\n[run]";
    a_plot_of_flows_of_what_links_and_stations_have: "[run]" => "[report]\nplot = [{ x = \"seed\", y = \"given_up\" }]\n\n[run]";
    a_plot_of_what_nothing_has: "[run]" => "[report]\nplot = [{ x = \"seed\", y = \"retransmissions\" }]\n\n[run]";
    losses_of_a_station_by_a_number: "count = 3" => "count = 3\nip = { loss = 0.02 }";
    a_plot_of_a_link_and_a_station: "[run]" => "[report]\nplot = [{ x = \"seed\", y = \"attempts\", station = \"N1\", link = \"air\" }]\n\n[run]";
    a_plot_of_a_station_over_time: "[run]" => "[report]\nplot = [{ x = \"time\", y = \"queue\", station = \"N1\" }]\n\n[run]\nseries = true";
    an_unknown_key_of_an_ip_layer: "count = 3" => "count = 3\nip = { los = { iid = 0.1 } }";
}

#[test]
fn a_network_of_no_station_is_refused() {
    let stations = &GOOD[GOOD.find("[[station]]").unwrap()..GOOD.find("[[flow]]").unwrap()];
    insta::assert_snapshot!(changed(
        GOOD,
        stations,
        "[[link]]\nbetween = [\"N1\", \"N3\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n"
    ));
}

#[test]
fn no_network_at_all_is_refused() {
    insta::assert_snapshot!(message(&GOOD[GOOD.find("[[flow]]").unwrap()..]));
}

#[test]
fn a_link_and_a_station_of_different_networks_are_apart() {
    let apart = GOOD
        .replace(
            "[[flow]]",
            "[[link]]\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]",
        )
        .replace("to = \"N3\"", "to = \"B\"");
    insta::assert_snapshot!(message(&apart));
}

#[test]
fn a_timeline_of_many_stations_is_short() {
    let long = GOOD
        .replace(
            "\n\n[[station]]",
            "\ntimeline = [\"0s\", \"300s\"]\n\n[[station]]",
        )
        .replace("\"10s\"", "\"1000s\"");
    insta::assert_snapshot!(message(&long));
}
