//! Findings about a link and its transfers, and the commands for each.

use serde::Serialize;

use super::host::Host;
use super::recipe::{HOOK, Recipe, Step};
use super::route::Attributes;
use super::units;

/// Trouble found on a link or in its transfers that settings of hosts or routers may mend, with the numbers that the
/// commands against it need.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// A policer drops packets above its rate.
    Policer {
        /// Rate at which the policer's token bucket fills, bit/s.
        rate_bps: f64,
    },
    /// The bottleneck's queue is so long that packets may wait in it far longer than the base round trip (bufferbloat).
    DeepQueue {
        /// Whether the bottleneck is the user's own uplink, so that the user's router can keep the queue short.
        ours: bool,
        /// Rate of the bottleneck, bit/s.
        rate_bps: f64,
    },
    /// The receiver's window kept the sender from sending more.
    ReceiveWindow {
        /// Bandwidth-delay product of the path, bytes: rate times base round trip.
        bdp_bytes: f64,
    },
    /// The sender's socket buffer kept the sender from having more in flight.
    SendBuffer {
        /// Bandwidth-delay product of the path, bytes: rate times base round trip.
        bdp_bytes: f64,
    },
    /// Transfers were over before the congestion window had grown.
    ShortFlows,
    /// The sending application did not hand over more data.
    Application,
    /// The receiving program did not read fast enough.
    SlowReceiver,
    /// Much of the time was spent waiting for retransmission timeouts.
    Timeouts {
        /// Base round trip of the link, seconds; 0 if it is not known.
        rtt_s: f64,
    },
    /// Packets overtook each other.
    Reordering,
}

/// Share of a policer's rate at which a sender loses nothing.
pub(super) const BELOW_POLICER: f64 = 0.96;
/// Share of a link's rate at which its own queue stays empty.
pub(super) const BELOW_LINK: f64 = 0.95;
/// First window that is advised for short transfers, and the window that the other side should advertise, segments.
pub(super) const INITIAL: (u32, u32) = (20, 40);

impl Finding {
    /// Adds to a route's `attributes` what helps against the finding: an initial cwnd of 20 segments and an initial
    /// receive window of 40 against short flows; a least RTO of 100 ms against timeouts if the base round trip is below
    /// 0.1 s or unknown. Other findings add nothing.
    pub fn attributes(&self, attributes: &mut Attributes) {
        match self {
            Self::ShortFlows => attributes.initial = Some(INITIAL),
            Self::Timeouts { rtt_s } if *rtt_s < 0.1 => attributes.rto_min_ms = Some(100),
            _ => {}
        }
    }

    /// Limit of the transfer that no other sender lifts, in words; `None` if the finding is no such limit.
    pub fn limit(&self) -> Option<&'static str> {
        match self {
            Self::ReceiveWindow { .. } => Some("the receiver's window"),
            Self::SendBuffer { .. } => Some("the sender's buffer"),
            Self::Application => Some("the application, which had nothing to send"),
            Self::SlowReceiver => Some("the receiving program, which read too slowly"),
            _ => None,
        }
    }

    /// Commands against the finding for `host`. `attributes` are the attributes that other findings set on the route,
    /// since one `ip route` command must name them all.
    pub fn recipe(&self, host: &Host, attributes: &Attributes) -> Recipe {
        let mut all = attributes.clone();
        self.attributes(&mut all);
        let (of, steps, notes) = self.parts(host, &all);
        Recipe {
            of,
            steps,
            notes: notes.iter().map(|note| (*note).to_owned()).collect(),
        }
    }

    fn parts(
        &self,
        host: &Host,
        attributes: &Attributes,
    ) -> (String, Vec<Step>, &'static [&'static str]) {
        match *self {
            Self::Policer { rate_bps } => {
                let rate = units::tc_rate(BELOW_POLICER * rate_bps);
                let mut steps = vec![paced(host, &rate)];
                let bytes = (BELOW_POLICER * rate_bps / 8.0) as u64;
                steps.push(Step::once(
                    "one program",
                    format!("unsigned long rate = {bytes}; setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof rate)"),
                ));
                (
                    format!("pace below the policer of {}", units::rate(rate_bps)),
                    steps,
                    &[
                        "a sender that keeps its rate through losses, as BBR does, loses much here unless it is paced",
                    ],
                )
            }
            Self::DeepQueue {
                ours: true,
                rate_bps,
            } => {
                let rate = units::tc_rate(BELOW_LINK * rate_bps);
                let cake = format!("cake bandwidth {rate} nat ack-filter");
                (
                    "a short queue at the router, before the link's own".to_owned(),
                    vec![
                        Step::queue("the router", "WAN", &cake),
                        Step {
                            scope: "the router, without cake".to_owned(),
                            run: format!(
                                "tc qdisc replace dev WAN root handle 1: htb default 1 && tc class add dev WAN parent 1: classid 1:1 htb rate {rate} && tc qdisc add dev WAN parent 1:1 fq_codel"
                            ),
                            undo: Some("tc qdisc del dev WAN root".to_owned()),
                            keep: Some(HOOK.to_owned()),
                        },
                    ],
                    &["what comes down the link needs the same on an ifb device"],
                )
            }
            Self::DeepQueue {
                ours: false,
                rate_bps,
            } => {
                let rate = units::tc_rate(BELOW_LINK * rate_bps);
                (
                    "a short queue where the link is narrow".to_owned(),
                    vec![
                        Step::queue("whoever runs the router there", "DEV", "fq_codel"),
                        Step {
                            scope: "your router, for what comes down".to_owned(),
                            run: format!(
                                "ip link add ifb0 type ifb && ip link set ifb0 up && tc qdisc add dev WAN handle ffff: ingress && tc filter add dev WAN parent ffff: matchall action mirred egress redirect dev ifb0 && tc qdisc replace dev ifb0 root cake bandwidth {rate} ingress nat"
                            ),
                            undo: Some(
                                "tc qdisc del dev WAN ingress && ip link del ifb0".to_owned(),
                            ),
                            keep: Some(HOOK.to_owned()),
                        },
                        Step::sysctl(
                            "less data waiting in this host",
                            "net.ipv4.tcp_notsent_lowat",
                            "131072",
                            "4294967295",
                        ),
                    ],
                    &["a sender that keeps the queue short helps if nobody else fills it"],
                )
            }
            Self::ReceiveWindow { bdp_bytes } => {
                let mut steps = larger("the receiver", "net.ipv4.tcp_rmem", RECEIVE, bdp_bytes);
                if steps.is_empty() {
                    let program = "remove SO_RCVBUF (iperf3 -w): Linux' own limit is enough here";
                    steps.push(Step::once("the receiving program", program));
                }
                steps.push(Step::sysctl(
                    "the receiver",
                    "net.ipv4.tcp_window_scaling",
                    "1",
                    "0",
                ));
                (
                    "a larger receive window, at the receiver".to_owned(),
                    steps,
                    &[
                        "remove SO_RCVBUF (iperf3 -w) from the program: it switches the kernel's own growth off",
                    ],
                )
            }
            Self::SendBuffer { bdp_bytes } => {
                let mut steps = larger("all new connections", "net.ipv4.tcp_wmem", SEND, bdp_bytes);
                if steps.is_empty() {
                    let program = "remove SO_SNDBUF (nginx: sndbuf of `listen`): Linux' own limit is enough here";
                    steps.push(Step::once("the sending program", program));
                }
                (
                    "a larger send buffer".to_owned(),
                    steps,
                    &[
                        "remove SO_SNDBUF (nginx: sndbuf of `listen`) from the program: it switches the kernel's own growth off",
                    ],
                )
            }
            Self::ShortFlows => (
                "a larger first window".to_owned(),
                vec![
                    Step::route(attributes),
                    Step::sysctl(
                        "connections that rest",
                        "net.ipv4.tcp_slow_start_after_idle",
                        "0",
                        "1",
                    ),
                ],
                &[
                    "connections that are kept open, TLS 1.3 and tcp_fastopen=3 save round trips",
                    "not on a slow link or before a short queue",
                    "a law that the route has (congctl) goes into the same command, which takes off what it does not name",
                ],
            ),
            Self::Application => (
                "the application".to_owned(),
                Vec::new(),
                &[
                    "no setting helps: larger writes, and more of them before the answer to the last",
                ],
            ),
            Self::SlowReceiver => (
                "the receiving program".to_owned(),
                Vec::new(),
                &["no setting helps: it reads too slowly, or its disk is too slow"],
            ),
            Self::Timeouts { .. } => (
                "fewer and shorter timeouts".to_owned(),
                if attributes.rto_min_ms.is_some() {
                    vec![Step::route(attributes)]
                } else {
                    Vec::new()
                },
                &[
                    "fewer connections at a time have larger windows; QUIC finds lost repairs without a timeout",
                ],
            ),
            Self::Reordering => (
                "tolerance of packets that overtake".to_owned(),
                vec![
                    Step::sysctl("all connections", "net.ipv4.tcp_recovery", "1", "1"),
                    Step::sysctl(
                        "all connections",
                        "net.ipv4.tcp_max_reordering",
                        "1000",
                        "300",
                    ),
                ],
                &["better: no balancing by packets (bond mode 0, per-packet ECMP) on the way"],
            ),
        }
    }
}

/// Default of `net.ipv4.tcp_rmem` on most hosts with Linux: least, initial and largest size, bytes.
const RECEIVE: [u64; 3] = [4096, 131_072, 6_291_456];
/// As [`RECEIVE`], of `net.ipv4.tcp_wmem`.
const SEND: [u64; 3] = [4096, 16_384, 4_194_304];

/// A limit of a kernel's buffers, which holds three BDPs, where `usual` holds less.
fn larger(scope: &str, setting: &str, usual: [u64; 3], bdp_bytes: f64) -> Vec<Step> {
    let [least, initial, largest] = usual;
    let wanted = 3.0 * bdp_bytes;
    let text = |largest| format!("{least} {initial} {largest}");
    let step = || Step::sysctl(scope, setting, &text(units::buffer(wanted)), &text(largest));
    (wanted > largest as f64).then(step).into_iter().collect()
}

/// A limit of the rate at this host, by what it has.
fn paced(host: &Host, rate: &str) -> Step {
    let discipline = if !host.lacks_queue("fq") {
        format!("fq maxrate {rate}")
    } else if !host.lacks_queue("cake") {
        format!("cake bandwidth {rate}")
    } else {
        format!("tbf rate {rate} burst 32kbit latency 50ms")
    };
    Step::queue("this host", "DEV", &discipline)
}

#[cfg(test)]
mod tests;
