//! Messages about wrong files: each one as printed without colours.

use skywave_scenario::{CustomMembers, NoFiles, PlotAxis, Scenario};

use crate::wrong::{cases, changed, message};

/// A small legal file; cases change one line of it.
const GOOD: &str = r#"title = "two nodes"

[[link]]
name = "air"
between = ["A", "B"]
rate = "2Mbps"
delay = "80ms"
queue = { droptail = "90 packets" }
loss = { forward = { exponential = 0.01 } }

[[flow]]
name = "bulk"
from = "A"
to = "B"
transport = "reno"
mss = 1460
rwnd = "64kB"

[run]
duration = "100s"
seeds = 3

[sweep]
"flow.bulk.transport" = ["reno", "cerl"]
"link.air.loss.forward.exponential" = [0.0, 0.01]

[report]
plot = [{ x = "link.air.loss.forward.exponential", y = "goodput", by = "flow.bulk.transport" }]
"#;

#[test]
fn the_base_of_the_cases_is_legal() {
    let scenario = Scenario::parse("case.toml", GOOD, &NoFiles);
    assert!(scenario.is_ok(), "{}", scenario.unwrap_err().render(false));
}

// The text itself.
cases! {
    GOOD;
    toml_that_is_broken: "delay = \"80ms\"" => "delay = \"80ms";
    bursts_without_end: "rwnd = \"64kB\"" => "traffic = { on_off = { rate = \"64kbps\", packet = \"512B\", on = \"1ns\", off = \"1ns\" } }";
    a_key_given_twice: "delay = \"80ms\"" => "delay = \"80ms\"\ndelay = \"81ms\"";
    an_unknown_table: "[run]" => "[runn]";
    an_unknown_key: "delay = \"80ms\"" => "dealy = \"80ms\"";
    an_unknown_key_in_an_inline_table: "{ droptail = \"90 packets\" }" => "{ red = { limit = \"70 packets\", minimum = \"9 packets\" } }";
    a_header_that_is_missing: "[run]\n" => "";
    a_round_trip_for_a_delay: "delay = \"80ms\"" => "rtt = \"160ms\"";
    losses_of_no_direction: "{ forward = { exponential = 0.01 } }" => "{ iid = 0.01 }";
    a_missing_key: "delay = \"80ms\"\n" => "";
    a_missing_table: "[run]\nduration = \"100s\"\nseeds = 3\n" => "";
    a_link_that_is_no_array: "[[link]]" => "[link]";
}

#[test]
fn all_mistakes_are_shown_that_can_be_told_apart() {
    let several = GOOD
        .replace("delay = \"80ms\"", "dealy = \"80ms\"")
        .replace("rwnd = \"64kB\"", "rwnd = \"64kb\"\ncolour = \"red\"")
        .replace("y = \"goodput\"", "z = \"goodput\"");
    insta::assert_snapshot!("several", message(&several));
    // The sweep sets what the file leaves out.
    let swept = GOOD
        .replace("delay = \"80ms\"\n", "")
        .replace("[sweep]", "[sweep]\n\"link.air.delay\" = [\"1ms\"]")
        .replace("seeds = 3", "sedes = 3");
    let shown = message(&swept);
    assert_eq!(shown.matches("case.toml:").count(), 1, "{shown}");
}

/// The warnings about a legal file, as printed.
fn warnings(text: &str) -> Vec<String> {
    let scenario = Scenario::parse("case.toml", text, &NoFiles);
    let scenario = scenario.unwrap_or_else(|error| panic!("{}", error.render(false)));
    let all = scenario.warnings().iter();
    all.map(|warning| warning.render(false)).collect()
}

#[test]
fn a_delay_as_long_as_the_run_is_a_warning() {
    let none = Vec::<String>::new();
    assert_eq!(warnings(GOOD), none);
    let delay = |delay: &str| GOOD.replace("delay = \"80ms\"", &format!("delay = {delay}"));
    // Once, not at each point of the sweep.
    let [shown] = &warnings(&delay("\"100s\""))[..] else {
        panic!("one warning");
    };
    insta::assert_snapshot!("late", shown);
    assert_eq!(warnings(&delay("\"99s\"")), none);
    assert_eq!(warnings(&delay("{ uniform = [\"99s\", \"200s\"] }")), none);
    assert_eq!(
        warnings(&delay("{ uniform = [\"100s\", \"200s\"] }")).len(),
        1
    );
    assert_eq!(
        warnings(&delay("\"1s\"\nreverse = { delay = \"100s\" }")).len(),
        1
    );
    let swept = GOOD.replace("[sweep]", "[sweep]\n\"run.duration\" = [\"60ms\", \"1s\"]");
    assert_eq!(warnings(&swept).len(), 1);
}

#[test]
fn a_queue_that_marks_is_a_warning_if_no_flow_uses_ecn_at_any_point() {
    let queue = |queue: &str| GOOD.replace("{ droptail = \"90 packets\" }", queue);
    let red = queue("{ red = { limit = \"90 packets\", ecn = true } }");
    let [shown] = &warnings(&red)[..] else {
        panic!("one warning");
    };
    insta::assert_snapshot!("marks_nobody", shown);
    for marks in ["codel", "fq-codel", "pie"] {
        let marks = format!("{{ {marks} = {{ ecn = true }} }}");
        assert_eq!(warnings(&queue(&marks)).len(), 1, "{marks}");
    }
    for drops in [
        "{ codel = {} }",
        "{ red = { limit = \"90 packets\" } }",
        "{ dualpi2 = {} }",
    ] {
        assert!(warnings(&queue(drops)).is_empty(), "{drops}");
    }
    let sweep = |text: &str, line: &str| text.replace("[sweep]", &format!("[sweep]\n{line}"));
    let flows = sweep(&red, "\"flow.bulk.tcp.ecn\" = [false, true]");
    assert!(warnings(&flows).is_empty(), "one point uses ECN");
    let drops = queue("{ red = { limit = \"90 packets\", ecn = false } }");
    let queues = sweep(&drops, "\"link.air.queue.red.ecn\" = [false, true]");
    assert_eq!(warnings(&queues).len(), 1, "the second point");
}

#[test]
fn a_policer_through_which_no_full_packet_passes_is_a_warning() {
    let policer = |burst: &str, reverse: &str| {
        let policer = format!("policer = {{ rate = \"1Mbps\", burst = \"{burst}\" }}\n{reverse}");
        GOOD.replace("rate = \"2Mbps\"", &format!("rate = \"2Mbps\"\n{policer}"))
    };
    let [shown] = &warnings(&policer("1499B", ""))[..] else {
        panic!("one warning");
    };
    insta::assert_snapshot!("narrow", shown);
    assert!(warnings(&policer("1500B", "")).is_empty());
    let inherits = "reverse = { queue = { droptail = \"9 packets\" } }";
    assert_eq!(warnings(&policer("1499B", inherits)).len(), 1);
    // Data may go that way.
    let without = "reverse = { policer = \"none\" }";
    assert!(warnings(&policer("1499B", without)).is_empty());
}

/// [`GOOD`] without its sweep.
fn one_point() -> &'static str {
    GOOD.split("[sweep]").next().unwrap_or(GOOD)
}

#[test]
fn a_link_over_which_nothing_arrives_is_a_warning() {
    let loss =
        |model: &str| warnings(&one_point().replace("forward = { exponential = 0.01 }", model));
    let [shown] = &loss("forward = { iid = 1 }")[..] else {
        panic!("one warning");
    };
    insta::assert_snapshot!("all_lost", shown);
    for all in [
        "reverse = { iid = 1 }",
        "forward = [{ iid = 0.1 }, { periodic = { every = 1 } }]",
        "forward = { gilbert-elliott = { to_bad = 0.1, to_good = 0.1, loss_good = 1 } }",
    ] {
        assert_eq!(loss(all).len(), 1, "{all}");
    }
    for some in [
        "forward = { iid = 0.99 }",
        "forward = { periodic = { every = 2 } }",
        "forward = { gilbert-elliott = { to_bad = 0.1, to_good = 0.1 } }",
    ] {
        assert!(loss(some).is_empty(), "{some}");
    }
}

#[test]
fn blackouts_in_step_with_timeouts_that_are_backed_off_are_a_warning() {
    let dark = |every: &str| {
        let dark = format!("blackouts = {{ duration = \"9s\", every = \"{every}\" }}\nrate");
        warnings(&GOOD.replacen("rate", &dark, 1))
    };
    let [shown] = &dark("20s")[..] else {
        panic!("one warning");
    };
    insta::assert_snapshot!("in_step", shown);
    assert!(dark("17s").is_empty());
    let short = GOOD.replace("\"100s\"", "\"50s\"");
    let short = short.replacen(
        "rate",
        "blackouts = { duration = \"9s\", every = \"20s\" }\nrate",
        1,
    );
    assert!(
        warnings(&short).is_empty(),
        "the run has one such timeout at most"
    );
}

#[test]
fn a_link_that_outlasts_the_patience_of_wtcp_is_a_warning() {
    let text = |transport: &str| {
        let far = one_point()
            .replace("\"80ms\"", "\"1h\"")
            .replace("\"100s\"", "\"9h\"");
        let own = "transport = \"reno\"\nmss = 1460\nrwnd = \"64kB\"";
        assert!(far.contains(own));
        far.replace(own, transport)
    };
    let [shown] = &warnings(&text("transport = \"wtcp\""))[..] else {
        panic!("one warning");
    };
    insta::assert_snapshot!("outlasts", shown);
    assert!(warnings(&text("transport = \"reno\"")).is_empty());
    let patient = "transport = { wtcp = { idle_timeout = \"3h\" } }";
    assert!(warnings(&text(patient)).is_empty());
}

// Values and units.
cases! {
    GOOD;
    a_text_that_terminals_obey: "\"two nodes\"" => "\"\\u001b[31m\\u0007\"";
    a_number_without_unit: "delay = \"80ms\"" => "delay = 80";
    a_string_without_unit: "delay = \"80ms\"" => "delay = \"80\"";
    a_unit_in_wrong_case: "\"2Mbps\"" => "\"2mbps\"";
    a_rate_for_no_time: "\"2Mbps\"" => "\"2Mbit\"";
    a_long_name_of_a_time: "\"100s\"" => "\"100sec\"";
    a_unit_of_something_else: "\"2Mbps\"" => "\"2ms\"";
    a_unit_of_bits_or_bytes: "\"2Mbps\"" => "\"2MBps\"";
    a_unit_of_bits_with_the_letter_of_bytes: "\"2Mbps\"" => "\"2GBps\"";
    a_negative_rate: "\"2Mbps\"" => "\"-2Mbps\"";
    a_zero_rate: "\"2Mbps\"" => "\"0Mbps\"";
    a_queue_for_nothing: "\"90 packets\"" => "\"0 packets\"";
    a_zero_duration: "\"100s\"" => "\"0s\"";
    a_duration_of_centuries: "\"100s\"" => "\"99999999h\"";
    no_seeds: "seeds = 3" => "seeds = 0";
    a_seed_twice: "seeds = 3" => "seeds = [1, 5, 1]";
    a_probability_above_one: "{ exponential = 0.01 }" => "{ iid = 1.5 }";
    losses_by_a_number: "{ forward = { exponential = 0.01 } }" => "0.02";
    losses_of_a_direction_by_a_number: "{ exponential = 0.01 }" => "0.02";
    a_probability_in_percent: "{ exponential = 0.01 }" => "{ iid = \"1%\" }";
    a_probability_above_one_in_percent: "{ exponential = 0.01 }" => "{ iid = 5 }";
    an_mss_of_zero: "mss = 1460" => "mss = 0";
    an_mss_beyond_ipv4: "mss = 1460" => "mss = 65496";
    a_window_below_a_segment: "\"64kB\"" => "\"1kB\"";
    a_window_beyond_tcp: "\"64kB\"" => "\"2GiB\"";
    a_bool_in_quotes: "seeds = 3" => "series = \"yes\"";
}

// Names and choices.
cases! {
    GOOD;
    an_unknown_arq: "delay = \"80ms\"" => "delay = \"80ms\"\narq = \"tcp-drc\"";
    a_code_rate_above_one: "delay = \"80ms\"" => "delay = \"80ms\"\nfec = { rate = 1.25, repair = 0.9 }";
    no_retries: "delay = \"80ms\"" => "delay = \"80ms\"\narq = { retries = 0 }";
    an_unknown_queue: "{ droptail = \"90 packets\" }" => "{ droptial = \"90 packets\" }";
    a_queue_without_value: "{ droptail = \"90 packets\" }" => "\"droptail\"";
    two_loss_models_in_one_table: "{ exponential = 0.01 }" => "{ iid = 0.1, exponential = 0.01 }";
    a_value_for_a_name: "rwnd = \"64kB\"" => "traffic = { ftp = 1 }";
    an_unknown_transport: "transport = \"reno\"" => "transport = \"newrneo\"";
    an_unknown_slot_member: "transport = \"reno\"" => "transport = { recovery = \"sak\" }";
    an_unknown_slot: "transport = \"reno\"" => "transport = { recover = \"sack\" }";
    an_unknown_parameter: "transport = \"reno\"" => "transport = { congestion = { cerl = { b = 0.3 } } }";
    an_unknown_profile: "mss = 1460" => "profile = \"ns3\"";
    prague_without_ecn: "[\"reno\", \"cerl\"]" =>
        "[\"reno\", \"prague\"]\n\"flow.bulk.tcp.ecn\" = [false]";
    low_latency_without_ecn: "mss = 1460" => "mss = 1460\ntcp = { l4s = true }";
    a_milder_cut_without_ecn: "mss = 1460" => "mss = 1460\ntcp = { abe = true }";
    undo_without_timestamps: "mss = 1460" =>
        "mss = 1460\ntcp = { undo = [\"eifel\"], timestamps = false }";
    undo_without_duplicates_reported: "mss = 1460" =>
        "mss = 1460\ntcp = { undo = [\"f-rto\", \"d-sack\"], dsack = false }";
    a_cap_below_a_segment: "mss = 1460" => "tcp = { max_cwnd = \"100B\" }";
    a_step_for_one_flow: "mss = 1460" => "start_step = \"1s\"";
    copies_that_start_after_the_run: "mss = 1460" => "count = 3\nstart_step = \"50s\"";
    a_transfer_of_no_size: "mss = 1460" => "traffic = { requests = { think = \"1s\" } }";
    a_transfer_of_two_sizes: "mss = 1460" => "traffic = { requests = { size = \"1kB\", segments = [1, 2], think = \"1s\" } }";
    a_transfer_of_less_than_least: "mss = 1460" => "traffic = { requests = { segments = [20, 10], think = \"1s\" } }";
    too_many_bins: "seeds = 3" => "bins = \"1us\"";
    a_sequence_number_beyond_tcps: "mss = 1460" => "tcp = { iss = 4294967296 }";
    wtcp_as_a_preset: "transport = \"reno\"" => "transport = { preset = \"wtcp\" }";
    udp_as_a_preset: "transport = \"reno\"" => "transport = { preset = \"udp\" }";
    an_rto_that_contradicts_itself: "mss = 1460" => "tcp = { min_rto = \"5s\", max_rto = \"1s\" }";
}

// A direction of a link that differs.
cases! {
    GOOD;
    a_reverse_that_is_no_table: "delay = \"80ms\"" => "delay = \"80ms\"\nreverse = \"2Mbps\"";
    a_key_of_the_link_in_reverse: "delay = \"80ms\"" => "delay = \"80ms\"\nreverse = { count = 3 }";
    a_slip_in_reverse: "delay = \"80ms\"" => "delay = \"80ms\"\nreverse = { latency = \"1ms\", dupication = 0 }";
    a_wrong_value_in_reverse: "delay = \"80ms\"" => "delay = \"80ms\"\nreverse = { delay = 3 }";
    a_reverse_of_a_link_without_delay: "delay = \"80ms\"" => "reverse = { delay = \"2ms\" }";
    two_rates_in_reverse: "delay = \"80ms\"" => "delay = \"80ms\"\nreverse_rate = \"1Mbps\"\nreverse = { trace = \"a.trace\" }";
    a_substitute_for_no_trace_in_reverse: "delay = \"80ms\"" => "delay = \"80ms\"\nreverse = { trace_else = \"a.trace\" }";
    a_ring_in_reverse: "delay = \"80ms\"" => "delay = \"80ms\"\nreverse = { ring = \"2 packets\" }";
    a_queue_without_room_in_reverse: "\"90 packets\" }" => "\"1ms\" }\nreverse = { rate = \"1kbps\" }";
}

// Settings that belong together.
cases! {
    GOOD;
    a_route_by_nobody: "[[flow]]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nvia = [\"c\"]";
    a_route_in_a_circle: "[[flow]]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nvia = [\"C\"]";
    a_tunnel_beside_the_route: "[[flow]]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\ntunnel = { from = \"B\", to = \"C\" }";
    a_way_back_for_datagrams: "[[flow]]" => "[[flow]]\nfrom = \"A\"\nto = \"B\"\ntransport = \"udp\"\nreverse_via = [\"A\"]\ntraffic = { cbr = { rate = \"64kbps\", packet = 200 } }\n\n[[flow]]";
    retransmission_of_what_was_never_sent: "delay = \"80ms\"" => "delay = \"80ms\"\narq = \"tcp-dcr\"\nloss_at = \"head\"";
    retransmission_in_no_time: "delay = \"80ms\"" => "delay = \"0s\"\narq = { retries = 3 }";
    an_unknown_node: "from = \"A\"" => "from = \"a1\"";
    a_flow_to_itself: "to = \"B\"" => "to = \"A\"";
    a_receiver_out_of_reach: "[[flow]]" => "[[link]]\nbetween = [\"C\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"D\"\n\n[[flow]]";
    no_way_back_for_acks: "delay = \"80ms\"" => "delay = \"80ms\"\none_way = true";
    a_reverse_of_a_one_way_link: "delay = \"80ms\"" => "delay = \"80ms\"\none_way = true\nreverse_rate = \"1Mbps\"";
    a_link_to_itself: "between = [\"A\", \"B\"]" => "between = [\"A\", \"A\"]";
    a_link_between_three: "between = [\"A\", \"B\"]" => "between = [\"A\", \"B\", \"C\"]";
    two_links_of_a_name: "[[flow]]" => "[[link]]\nname = \"air\"\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]";
    two_flows_of_a_name: "[run]" => "[[flow]]\nname = \"bulk\"\nfrom = \"B\"\nto = \"A\"\n\n[run]";
    a_link_without_rate: "rate = \"2Mbps\"\n" => "";
    a_link_with_rate_and_trace: "rate = \"2Mbps\"" => "rate = \"2Mbps\"\ntrace = \"lte.trace\"";
    copies_of_a_link_between_the_same: "name = \"air\"" => "name = \"air\"\ncount = 3";
    a_loss_model_by_name: "{ forward = { exponential = 0.01 } }" => "{ forward = \"iid\" }";
    a_delay_of_two: "delay = \"80ms\"" => "delay = [\"1ms\", \"2ms\"]";
    a_date: "delay = \"80ms\"" => "delay = 2008-04-01";
    a_number_without_copies: "between = [\"A\", \"B\"]" => "between = [\"A#\", \"B\"]";
    overlapping_blackouts: "delay = \"80ms\"" => "delay = \"80ms\"\nblackouts = [{ start = \"10s\", duration = \"5s\" }, { start = \"14s\", duration = \"1s\" }]";
    a_blackout_without_end: "delay = \"80ms\"" => "delay = \"80ms\"\nblackouts = { every = \"1s\", duration = \"1s\" }";
    red_thresholds_upside_down: "{ droptail = \"90 packets\" }" => "{ red = { limit = \"90 packets\", min = \"50 packets\", max = \"40 packets\" } }";
    red_units_mixed: "{ droptail = \"90 packets\" }" => "{ red = { limit = \"90 packets\", min = \"5kB\" } }";
    bounds_in_wrong_order: "delay = \"80ms\"" => "delay = { uniform = [\"9ms\", \"1ms\"] }";
    a_pareto_without_mean: "delay = \"80ms\"" => "delay = { pareto = { mean = \"9ms\", shape = 1.0 } }";
    a_window_outside_the_run: "seeds = 3" => "measure = [\"10s\", \"110s\"]";
    an_empty_window: "seeds = 3" => "measure = [\"10s\", \"10s\"]";
    a_flow_after_the_run: "mss = 1460" => "start = \"100s\"";
    a_flow_that_stops_first: "mss = 1460" => "start = \"50s\"\nstop = \"20s\"";
    a_window_of_too_many_segments: "rwnd = \"64kB\"" => "rwnd = \"1GB\"";
    a_trace_instead_of_none: "rate = \"2Mbps\"" => "trace_else = \"lte.trace\"";
    a_trace_without_folder: "rate = \"2Mbps\"" => "trace = \"lte.trace\"";
}

// Contention and presets.
cases! {
    GOOD;
    a_contention_that_is_never_won: "delay = \"80ms\"" => "delay = \"80ms\"\ncontention = { failure = 1 }";
    a_first_window_above_the_largest: "delay = \"80ms\"" => "delay = \"80ms\"\ncontention = { window = 512 }";
    a_contention_of_nobody: "delay = \"80ms\"" => "delay = \"80ms\"\ncontention = \"cpdp\"";
    a_window_that_shrinks: "delay = \"80ms\"" => "delay = \"80ms\"\ncontention = { window = 32, max_window = 16 }";
    a_contention_beside_arq: "delay = \"80ms\"" => "delay = \"80ms\"\narq = \"tcp-dcr\"\ncontention = \"cdpd\"";
    an_unknown_preset_of_a_link: "delay = \"80ms\"" => "preset = \"cpdp\"";
    a_preset_with_two_rates: "rate = \"2Mbps\"" => "preset = \"cdpd\"\nrate = \"2Mbps\"\ntrace = \"lte.trace\"";
}

// Agents.
cases! {
    GOOD;
    an_agent_nowhere: "[run]" => "[[agent]]\nat = \"C\"\nsnoop = {}\n\n[run]";
    an_agent_at_an_end: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"C\"\nsnoop = {}\n\n[run]";
    an_agent_that_nothing_passes: "[run]" => "[[agent]]\nat = \"B\"\nsnoop = {}\n\n[run]";
    an_agent_beside_the_way: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[agent]]\nat = \"D\"\nsnoop = {}\n\n[run]";
    two_agents_at_a_node: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"B\"\nsnoop = {}\n\n[[agent]]\nat = \"B\"\nsnoop = \"none\"\n\n[run]";
    an_agent_without_work: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"B\"\n\n[run]";
    an_unknown_kind_of_snoop: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"B\"\nsnoop = \"orginal\"\n\n[run]";
    a_cache_in_bytes: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"B\"\nsnoop = { cache = \"64kB\" }\n\n[run]";
    no_dupacks_at_all: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"B\"\nsnoop = { dupacks = 0 }\n\n[run]";
    a_d_proxy_to_nowhere: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"B\"\nd_proxy = { to = \"D\" }\n\n[run]";
    a_d_proxy_without_its_other_end: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"B\"\nd_proxy = { hold = \"1s\" }\n\n[run]";
    a_d_proxy_to_itself: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"B\"\nd_proxy = { to = \"B\" }\n\n[run]";
    a_d_proxy_the_wrong_way: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"C\"\nd_proxy = { to = \"B\" }\n\n[run]";
    a_d_proxy_that_nothing_passes: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[link]]\nbetween = [\"C\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[agent]]\nat = \"B\"\nd_proxy = { to = \"D\" }\n\n[run]";
    a_d_proxy_whose_requests_have_no_way: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nreverse_via = [\"D\"]\n\n[[link]]\nbetween = [\"C\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"D\", \"A\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[agent]]\nat = \"B\"\nd_proxy = { to = \"C\" }\n\n[run]";
    a_d_proxy_of_a_tunnel: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\ntunnel = [{ from = \"A\", to = \"B\", header = 20 }]\n\n[[agent]]\nat = \"B\"\nd_proxy = { to = \"C\" }\n\n[run]";
    a_d_proxy_and_snoop: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"B\"\nsnoop = {}\nd_proxy = { to = \"C\" }\n\n[run]";
    a_d_proxy_to_another_agent: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"C\"\nsnoop = \"none\"\n\n[[agent]]\nat = \"B\"\nd_proxy = { to = \"C\" }\n\n[run]";
    a_d_proxy_that_holds_for_no_time: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"B\"\nd_proxy = { to = \"C\", hold = \"0s\" }\n\n[run]";
    a_d_proxy_without_room: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\n\n[[agent]]\nat = \"B\"\nd_proxy = { to = \"C\", buffer = \"0 B\" }\n\n[run]";
    a_path_to_no_agent: "\"flow.bulk.transport\" =" => "\"agent.B.snoop\" =";
}

// Proxies.
cases! {
    GOOD;
    a_proxy_nowhere: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"E\" }\n\n[run]";
    a_proxy_at_an_end: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"C\" }\n\n[run]";
    a_proxy_beside_the_way: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"D\" }\n\n[run]";
    a_proxy_without_a_place: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { buffer = \"64kB\" }\n\n[run]";
    a_proxy_without_room: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", buffer = \"0 B\" }\n\n[run]";
    a_proxy_with_room_for_less_than_a_segment: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", buffer = \"1kB\" }\n\n[run]";
    a_proxy_with_too_much_room: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", buffer = \"2GiB\" }\n\n[run]";
    a_proxy_of_datagrams: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\ntransport = \"udp\"\ntraffic = { cbr = { rate = \"64kbps\", packet = 200 } }\nproxy = { at = \"B\" }\n\n[run]";
    a_proxy_of_quic: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\ntransport = \"quic\"\nproxy = { at = \"B\" }\n\n[run]";
    a_proxy_that_begins_datagrams: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", transport = \"udp\" }\n\n[run]";
    a_proxy_of_an_unknown_transport: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", transport = \"renoo\" }\n\n[run]";
    a_proxy_on_a_route_of_its_own: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nvia = [\"B\"]\nproxy = { at = \"B\" }\n\n[run]";
    a_proxy_with_an_unknown_policy: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", towards_source = \"plan\" }\n\n[run]";
    a_proxy_that_grants_nothing: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", towards_source = { window = 0 } }\n\n[run]";
    a_proxy_that_fails_before_the_run: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", fails_at = \"0s\" }\n\n[run]";
    a_hand_over_to_nowhere: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"D\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"A\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", hand_overs = { at = \"1s\", to = \"E\" } }\n\n[run]";
    a_hand_over_to_an_end_of_the_flow: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"D\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"A\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", hand_overs = { at = \"1s\", to = \"C\" } }\n\n[run]";
    a_hand_over_to_where_the_proxy_is: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"D\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"A\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", hand_overs = [{ at = \"1s\", to = \"D\" }, { at = \"2s\", to = \"D\" }] }\n\n[run]";
    hand_overs_out_of_order: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"D\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"A\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", hand_overs = [{ at = \"2s\", to = \"D\" }, { at = \"2s\", to = \"B\" }] }\n\n[run]";
    a_hand_over_before_the_flow: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"D\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"A\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nstart = \"1s\"\nproxy = { at = \"B\", hand_overs = { at = \"1s\", to = \"D\" } }\n\n[run]";
    a_hand_over_after_the_run: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"D\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"A\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", hand_overs = { at = \"1000s\", to = \"D\" } }\n\n[run]";
    a_hand_over_at_no_time: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"D\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"A\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", hand_overs = { at = \"0s\", to = \"D\" } }\n\n[run]";
    a_hand_over_without_a_node: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"D\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"A\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", hand_overs = { at = \"1s\" } }\n\n[run]";
    a_hand_over_out_of_reach: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"D\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"A\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"E\", \"F\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", hand_overs = { at = \"1s\", to = \"E\" } }\n\n[run]";
    a_hand_over_by_way_of_the_destination: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"D\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", hand_overs = { at = \"1s\", to = \"D\" } }\n\n[run]";
    a_hand_over_past_an_agent: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"A\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"D\", \"E\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"E\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"E\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", hand_overs = { at = \"1s\", to = \"E\" } }\n\n[[flow]]\nfrom = \"A\"\nto = \"E\"\n\n[[agent]]\nat = \"D\"\nsnoop = {}\n\n[run]";
    a_hand_over_past_a_d_proxy: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"D\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"A\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = { at = \"B\", hand_overs = { at = \"1s\", to = \"D\" } }\n\n[[flow]]\nfrom = \"D\"\nto = \"C\"\n\n[[agent]]\nat = \"D\"\nd_proxy = { to = \"C\" }\n\n[run]";
    an_unknown_kind_of_proxy: "[run]" => "[[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[link]]\nbetween = [\"B\", \"D\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n[[flow]]\nfrom = \"A\"\nto = \"C\"\nproxy = \"non\"\n\n[run]";
}

// The sweep.
cases! {
    GOOD;
    a_swept_value_that_is_wrong: "[\"reno\", \"cerl\"]" => "[\"reno\", \"curl\"]";
    a_swept_number_out_of_range: "[0.0, 0.01]" => "[0.0, 1.01]";
    a_swept_value_against_another: "\"flow.bulk.transport\" = [\"reno\", \"cerl\"]" => "\"flow.bulk.mss\" = [1000, 65000]";
    a_path_to_no_link: "\"link.air.loss" => "\"link.iar.loss";
    a_path_to_no_key: "\"link.air.loss.forward.exponential\" =" => "\"link.air.loss.forwrad.exponential\" =";
    a_path_into_a_string: "\"link.air.loss.forward.exponential\" =" => "\"link.air.delay.uniform\" =";
    a_path_to_nothing: "\"flow.bulk.transport\" =" => "\"flow.bulk\" =";
    a_path_to_elsewhere: "\"flow.bulk.transport\" =" => "\"flows.bulk.transport\" =";
    a_sweep_of_seeds: "\"flow.bulk.transport\" = [\"reno\", \"cerl\"]" => "\"run.seeds\" = [1, 2]";
    an_empty_sweep: "[0.0, 0.01]" => "[]";
    a_value_twice_in_a_sweep: "[\"reno\", \"cerl\"]" => "[\"reno\", \"cerl\", \"reno\"]";
    a_number_twice_in_a_sweep: "[0.0, 0.01]" => "[0.0, 0.01, 1e-2]";
    a_sweep_that_is_no_array: "[0.0, 0.01]" => "0.01";
    a_path_swept_twice: "\"link.air.loss.forward.exponential\" =" => "\"flow.bulk.transport & flow.bulk.rwnd\" =";
    a_path_that_replaces_another: "\"link.air.loss.forward.exponential\" =" => "\"flow.*.transport\" =";
    linked_values_that_do_not_match: "\"flow.bulk.transport\" = [\"reno\", \"cerl\"]" => "\"flow.bulk.transport & flow.bulk.rwnd\" = [[\"reno\", \"64kB\"], [\"cerl\"]]";
    too_many_runs: "seeds = 3" => "seeds = 900000";
}

// The report.
cases! {
    GOOD;
    a_plot_over_a_path_not_swept: "x = \"link.air.loss.forward.exponential\"" => "x = \"link.air.delay\"";
    a_plot_of_nothing_measured: "y = \"goodput\"" => "y = \"godput\"";
    a_plot_by_its_own_axis: "by = \"flow.bulk.transport\"" => "by = \"link.air.loss.forward.exponential\"";
    a_plot_over_time_without_series: "x = \"link.air.loss.forward.exponential\", y = \"goodput\"" => "x = \"time\", y = \"cwnd\"";
    goodput_over_time_without_bins: "x = \"link.air.loss.forward.exponential\", y = \"goodput\"" => "x = \"time\", y = \"goodput\"";
    a_plot_without_y: "y = \"goodput\"," => "";
    a_cdf_with_y: "plot = [{" => "plot = [{ kind = \"cdf\",";
    a_cdf_of_nothing_measured: "plot = [{ x = \"link.air.loss.forward.exponential\", y = \"goodput\"" => "plot = [{ kind = \"cdf\", x = \"godput\"";
    a_box_over_time: "plot = [{ x = \"link.air.loss.forward.exponential\"" => "plot = [{ kind = \"box\", x = \"time\"";
    an_unknown_kind_of_plot: "plot = [{" => "plot = [{ kind = \"bar\",";
    samples_of_a_line: "plot = [{" => "plot = [{ sample = \"flow\",";
    samples_of_flows_of_a_link: "plot = [{ x = \"link.air.loss.forward.exponential\", y = \"goodput\"" => "plot = [{ kind = \"cdf\", x = \"utilisation\", link = \"air\", sample = \"flow\"";
    a_name_of_no_value: "plot = [{" => "plot = [{ names = { crel = \"TCP CERL\" },";
    a_name_of_no_value_in_any_plot: "plot = [{" => "names = { reno = \"Reno\", crel = \"CERL\" }\nplot = [{";
    a_label_that_is_no_text: "plot = [{" => "plot = [{ x_label = 3,";
    a_plot_of_no_flow: "y = \"goodput\"" => "y = \"goodput\", flow = \"bluk\"";
    an_unknown_scale: "y = \"goodput\"" => "y = \"goodput\", x_scale = \"logarithmic\"";
}

/// The network and its flow only, the flow's transport line replaced.
#[track_caller]
fn with_transport(line: &str) -> String {
    let (start, _) = GOOD.split_once("[sweep]").expect("a sweep");
    message(&start.replace("transport = \"reno\"", line))
}

#[test]
fn sack_switched_off() {
    insta::assert_snapshot!(with_transport(
        "transport = \"sack\"\ntcp = { sack = false }"
    ));
}

#[test]
fn tcp_keys_for_udp() {
    insta::assert_snapshot!(with_transport("transport = \"udp\""));
}

#[test]
fn udp_without_a_rate() {
    let text = "[[link]]\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
                [[flow]]\nfrom = \"A\"\nto = \"B\"\ntransport = \"udp\"\n\
                [run]\nduration = \"1s\"\n";
    insta::assert_snapshot!(message(text));
}

#[test]
fn too_many_points() {
    let values = format!("{:?}", (1..=20).collect::<Vec<_>>());
    let keys = ["mss", "header", "start", "stop"];
    let lines = keys.map(|key| format!("\"flow.bulk.{key}\" = {values}\n"));
    let sweep = format!("[sweep]\n{}", lines.concat());
    insta::assert_snapshot!(changed(GOOD, "[sweep]\n", &sweep));
}

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(message(""));
}

#[test]
fn nesting_without_end() {
    let deep = format!("title = {}{}", "[".repeat(60), "]".repeat(60));
    insta::assert_snapshot!(changed(GOOD, "title = \"two nodes\"", &deep));
}

#[test]
fn a_file_beyond_a_mebibyte() {
    let error = Scenario::parse("case.toml", &"# padding\n".repeat(200_000), &NoFiles).unwrap_err();
    insta::assert_snapshot!(error.render(false));
}

#[test]
fn colours_are_only_for_terminals() {
    let error = Scenario::parse("case.toml", "titel = 1", &NoFiles).unwrap_err();
    assert!(!error.render(false).contains('\u{1b}'));
    assert!(error.render(true).contains('\u{1b}'));
    assert_eq!(error.to_string(), "unknown key `titel`");
}

#[test]
fn plots_over_time_are_no_mistake_where_series_are_recorded_anyway() {
    let over_time = GOOD.replace(
        "x = \"link.air.loss.forward.exponential\", y = \"goodput\"",
        "x = \"time\", y = \"cwnd\"",
    );
    let custom = CustomMembers::default();
    let parsed = Scenario::parse_recorded("case", "case.toml", &over_time, &NoFiles, &custom);
    let scenario = parsed.expect("a scenario");
    assert_eq!(scenario.report().plots[0].x, PlotAxis::Time);
    assert!(Scenario::parse("case", &over_time, &NoFiles).is_err());
    // Whether the results contain it is checked later.
    let good = Scenario::parse("case", GOOD, &NoFiles).expect("a scenario");
    let report = good.report_from("plot = [{ x = \"time\", y = \"rtt\" }]");
    assert!(report.is_ok());
}

#[test]
fn names_are_for_values_as_written_or_in_short() {
    let composed = GOOD
        .replace("\"cerl\"]", "{ preset = \"cerl\", recovery = \"sack\" }]")
        .replace(
            "plot = [{",
            "plot = [{ names = { reno = \"Reno\", \"cerl, recovery sack\" = \"CERL + SACK\" },",
        );
    let scenario = Scenario::parse("case", &composed, &NoFiles).expect("a scenario");
    let names = &scenario.report().plots[0].names;
    assert_eq!(names["cerl, recovery sack"], "CERL + SACK");
    let composed = composed.replace(
        "\"cerl, recovery sack\"",
        "'{ preset = \"cerl\", recovery = \"sack\" }'",
    );
    assert!(Scenario::parse("case", &composed, &NoFiles).is_ok());
    // Names of all plots, and those of one before them.
    let shared = GOOD.replace(
        "plot = [{",
        "names = { reno = \"Reno\", cerl = \"CERL\" }\nplot = [{ names = { cerl = \"TCP CERL\" },",
    );
    let scenario = Scenario::parse("case", &shared, &NoFiles).expect("a scenario");
    let names = &scenario.report().plots[0].names;
    assert_eq!(
        (&names["reno"][..], &names["cerl"][..]),
        ("Reno", "TCP CERL")
    );
}

#[test]
fn escape_sequences_of_files_do_not_reach_the_terminal() {
    let escapes = |text: &str| {
        let error = Scenario::parse("case.toml", text, &NoFiles).unwrap_err();
        let printed = error.render(false) + &error.to_string();
        assert!(
            !printed.contains(['\u{1b}', '\u{9b}', '\u{202e}']),
            "{printed:?}"
        );
    };
    // In the excerpt, in a key and in a value that the message repeats.
    escapes(&GOOD.replace("delay = \"80ms\"", "delay = \"80\u{9b}31m\" # \u{202e}"));
    escapes(&GOOD.replace("delay = \"80ms\"", "delay = \"\\u001b[31m80\""));
    escapes(&GOOD.replace("delay = \"80ms\"", "\"d\\u001b[2J\" = \"80ms\""));
    escapes(&GOOD.replace("delay = \"80ms\"", "delay = \"80ms\" \u{1b}[2J"));
}

#[test]
fn a_name_that_leads_out_of_the_folder_of_results_is_refused() {
    for name in ["..", ".", "", "../esc", "a/b", "a\\b", "a\nb"] {
        let error = Scenario::parse(name, GOOD, &NoFiles).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with(" cannot be the name of a scenario"),
            "{error}"
        );
    }
    for name in ["...", "a b", "lte.v1"] {
        assert!(Scenario::parse(name, GOOD, &NoFiles).is_ok(), "{name}");
    }
}
