//! BBR's share beside CUBIC: Ware, Mukerjee, Seshan and Sherry, "Modeling BBR's Interactions with Loss-Based
//! Congestion Control" (IMC 2019), on the path of their figure 8a.

use skywave_core::tcp::{Profile, TcpConfig, preset};
use skywave_core::{Duration, Time};
use skywave_sim::{Spec, simulate};

use crate::common::{ftp, link, wire};

const RATE_MBPS: f64 = 10.0;
/// Round trip in seconds.
const RTT: f64 = 0.04;
const PACKET: f64 = 1500.0;

fn flow(name: &str) -> TcpConfig {
    let composition = preset(name).expect("a preset").composition.clone();
    TcpConfig {
        rwnd: 16_000_000,
        ..TcpConfig::new(Profile::Rfc, composition)
    }
}

/// BBR's part of the goodput, from 200 s on.
fn share(buffer: u32) -> f64 {
    let [start, end] = [200, 600].map(|s| Time::ZERO + Duration::from_secs(s));
    let [access, half] = [1.0, 1e3 * RTT / 2.0 - 1.0];
    let mut links = vec![
        link("there", 2, 3, wire(RATE_MBPS, half, buffer)),
        link("back", 3, 2, wire(RATE_MBPS, half, buffer)),
    ];
    for host in [0, 1] {
        links.push(link("out", host, 2, wire(100.0, access, 1000)));
        links.push(link("home", 2, host, wire(100.0, access, 1000)));
    }
    let outcome = simulate(&Spec {
        nodes: ["S1", "S2", "gateway", "R"].map(Into::into).to_vec(),
        links,
        flows: vec![
            ftp("bbr", 0, 3, flow("bbr")),
            ftp("cubic", 1, 3, flow("linux")),
        ],
        duration: end,
        measure: (start, end),
        seed: 1,
        ..Spec::default()
    });
    let [bbr, cubic] = [0, 1].map(|flow: usize| outcome.flows[flow].goodput_bps);
    bbr / (bbr + cubic)
}

/// Equations 9 to 11 for one BBR flow.
fn closed_form(buffer: u32) -> f64 {
    let (capacity, queue) = (RATE_MBPS * 1e6 / 8.0 / PACKET, f64::from(buffer));
    let others = 0.5 - capacity * RTT / (2.0 * queue) - 4.0 / queue;
    let silent = (queue / capacity + 0.2 + RTT) / 10.0;
    (1.0 - others.max(0.0)) * (1.0 - silent)
}

#[test]
fn bbr_beside_cubic_is_near_the_closed_form_with_1_8_and_16_bdps() {
    // Measured: 0.88 to 0.89 of it. The queue is not always full, and BBR not always at its cap.
    for buffer in [33, 267, 533] {
        let ratio = share(buffer) / closed_form(buffer);
        assert!((0.85..=1.15).contains(&ratio), "{buffer} packets: {ratio}");
    }
}

#[test]
fn bbr_beside_cubic_is_below_the_closed_form_with_2_and_4_bdps() {
    // Measured: 0.80 and 0.78 of it, as docs/mechanisms/bbr.md says; Linux has less. Far from both would be a
    // mistake of another kind.
    for buffer in [67, 133] {
        let ratio = share(buffer) / closed_form(buffer);
        assert!((0.70..=0.85).contains(&ratio), "{buffer} packets: {ratio}");
    }
}
