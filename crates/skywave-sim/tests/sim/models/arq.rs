//! Links that retransmit have the capacity and delay that theory gives.

use skywave_core::link::{Arq, Fec, LinkConfig, LossConfig};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::simulate;
use skywave_sim::spec::{FlowSpec, Spec, Traffic, Transport};

use crate::common::{link, wire};

/// A stream of 1000-byte packets over a wire and a wireless link of 1 Mb/s and 20 ms.
fn stream(rate: u64, radio: LinkConfig) -> Spec {
    let end = Time::ZERO + Duration::from_secs(400);
    Spec {
        nodes: ["S", "BS", "R"].map(Into::into).to_vec(),
        links: vec![
            link("wire", 0, 1, wire(100.0, 5.0, 100)),
            link("radio", 1, 2, radio),
        ],
        flows: vec![FlowSpec {
            name: "stream".into(),
            from: 0,
            to: 2,
            route: None,
            transport: Transport::Udp { header: 0 },
            traffic: Traffic::Cbr {
                rate: Rate::from_bps(rate),
                packet: 1000,
                jitter: 0.0,
            },
            start: Time::ZERO,
            stop: None,
        }],
        duration: end,
        measure: (Time::ZERO + Duration::from_secs(20), end),
        seed: 1,
        ..Spec::default()
    }
}

fn radio(p: f64, arq: Arq) -> LinkConfig {
    LinkConfig {
        loss: vec![LossConfig::Exponential(p)],
        arq: Some(arq),
        // More room than packets can fill, so that nothing is lost.
        ..wire(1.0, 20.0, 20_000)
    }
}

#[test]
fn at_full_load_a_link_carries_all_but_what_its_errors_take() {
    let outcome = simulate(&stream(1_000_000, radio(0.05, Arq::default())));
    let (stream, radio) = (&outcome.flows[0], &outcome.links[1]);
    assert!(
        (stream.goodput_bps / 0.95e6 - 1.0).abs() < 0.002,
        "{stream:?}"
    );
    assert_eq!((stream.queue_drops, stream.channel_drops), (0, 0));
    assert_eq!((radio.utilisation, radio.given_up), (1.0, 0));
    let mean = radio.mean_transmissions.expect("transmissions");
    assert!((mean - 1.0 / 0.95).abs() < 0.002, "{mean}");
}

#[test]
fn a_code_takes_its_share_and_leaves_fewer_errors_to_retransmission() {
    let mut radio = radio(0.05, Arq::default());
    radio.fec = Some(Fec {
        rate: 0.8,
        repair: 0.6,
    });
    let outcome = simulate(&stream(1_000_000, radio));
    let stream = &outcome.flows[0];
    // 80% of the rate is left for packets, of which 2% fail.
    let want = 0.8e6 * (1.0 - 0.05 * 0.4);
    assert!(
        (stream.goodput_bps / want - 1.0).abs() < 0.002,
        "{stream:?}"
    );
    assert_eq!((stream.queue_drops, stream.channel_drops), (0, 0));
}

#[test]
fn with_few_retransmissions_the_rest_is_lost() {
    let arq = Arq {
        retries: Some(1),
        ..Arq::default()
    };
    let outcome = simulate(&stream(400_000, radio(0.2, arq)));
    let (stream, radio) = (&outcome.flows[0], &outcome.links[1]);
    // Lost twice: 4% of 19 000.
    let share = stream.channel_drops as f64 / stream.sent_packets as f64;
    assert!((share - 0.04).abs() < 0.005, "{share}");
    assert_eq!(radio.given_up, stream.channel_drops);
}

#[test]
fn a_repaired_packet_is_late_by_the_links_round_trip() {
    // An empty link every time: a packet takes 5.08 + 28 ms, and 40 + 8 ms more once repaired.
    let outcome = simulate(&stream(100_000, radio(0.2, Arq::default())));
    let stream = &outcome.flows[0];
    let close = |got: Option<f64>, want: f64| {
        let got = got.expect("delays");
        assert!((got / want - 1.0).abs() < 0.016, "{got} for {want}");
    };
    close(stream.delay_p50_s, 0.033_08);
    // One in 25 needs more than one repair, one in five at least one.
    close(stream.delay_p95_s, 0.081_08);
    close(stream.delay_p99_s, 0.129_08);
}

#[test]
fn in_order_delivery_makes_others_wait() {
    let in_order = Arq {
        in_order: true,
        ..Arq::default()
    };
    let p50 = |arq| {
        let outcome = simulate(&stream(800_000, radio(0.1, arq)));
        let stream = &outcome.flows[0];
        assert_eq!((stream.queue_drops, stream.channel_drops), (0, 0));
        assert!(
            (stream.goodput_bps / 0.8e6 - 1.0).abs() < 0.001,
            "{stream:?}"
        );
        stream.delay_p50_s.expect("delays")
    };
    // A packet comes every 10 ms; four or five come while one is repaired.
    assert!(p50(in_order) > p50(Arq::default()) + 0.005);
}
