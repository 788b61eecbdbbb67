//! A path of one link each way, for programs that compare congestion control laws over it.

use skywave_core::link::{Limit, LinkConfig, LossAt, LossConfig, QueueConfig, Service};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::Spec;
use skywave_sim::outcome::Outcome;
use skywave_sim::spec::{FlowSpec, LinkSpec, Traffic, Transport};

use crate::run::{HEADERS, run_each};
use crate::sender::Sender;

/// Length of the time bins in which a [`Path`]'s delivered bytes are counted, and the time between the starts of its
/// connections.
pub const STEP: Duration = Duration::from_millis(100);

/// Test path of one bottleneck link and one link back, and the length and seed of a run over it.
#[derive(Clone, Debug)]
pub struct Path {
    /// Bottleneck link, from the sender to the receiver.
    pub forward: LinkConfig,
    /// Link from the receiver back to the sender, for the ACKs.
    pub back: LinkConfig,
    /// Seed of all random numbers of a run: losses, jitter, and those of the libraries.
    pub seed: u64,
    /// Length of the run.
    pub duration: Duration,
    /// Whether connections of the library noq probe a peer after half a second of silence, or two round trips if that
    /// is longer, as QUIC alone does not ([`run_each`]).
    pub asks: bool,
}

impl Path {
    /// A path with this rate and this round-trip propagation delay, half of it each way. The bottleneck's queue holds
    /// at most `packets` packets and drops from the tail; the link back has 100 Mb/s and a queue of the same length. A
    /// run takes 30 s.
    pub fn new(service: Service, rtt: Duration, packets: u32) -> Self {
        let wide = Rate::from_bps(100_000_000);
        let queue = QueueConfig::DropTail(Limit::Packets(packets));
        let back = LinkConfig {
            loss_at: LossAt::Tail,
            ..LinkConfig::new(wide, rtt / 2, queue)
        };
        Self {
            forward: LinkConfig {
                service,
                ..back.clone()
            },
            back,
            seed: 1,
            duration: Duration::from_secs(30),
            asks: false,
        }
    }

    /// The path with `loss` as the only loss model of its bottleneck: packets are lost after they have used the link's
    /// rate.
    #[must_use]
    pub fn losing(mut self, loss: LossConfig) -> Self {
        self.forward.loss = vec![loss];
        self
    }

    /// The path as a specification for the simulator, with `flows` flows that always have data to send, measured over
    /// the whole run. Flow 0 begins at time zero, and each further flow 100 ms after the flow before it; the caller
    /// chooses the flows' senders.
    pub fn spec(&self, flows: usize) -> Spec {
        let link = |name: &str, from, to, config: &LinkConfig| LinkSpec {
            name: name.into(),
            from,
            to,
            config: config.clone().into(),
        };
        let flow = |number: usize| FlowSpec {
            name: format!("flow-{}", number + 1).into(),
            from: 0,
            to: 1,
            route: None,
            transport: Transport::Udp { header: HEADERS },
            traffic: Traffic::Ftp,
            start: Time::ZERO + STEP * number as u64,
            stop: None,
        };
        let end = Time::ZERO + self.duration;
        Spec {
            nodes: vec!["sender".into(), "receiver".into()],
            links: vec![
                link("forward", 0, 1, &self.forward),
                link("back", 1, 0, &self.back),
            ],
            radio: None,
            flows: (0..flows).map(flow).collect(),
            agents: Vec::new(),
            proxies: Vec::new(),
            duration: end,
            measure: (Time::ZERO, end),
            seed: self.seed,
            series: false,
            details: false,
            bins: Some(STEP),
            requests: false,
        }
    }

    /// Runs one connection of each sender over the path for [`Path::duration`]. Connections always have data to send,
    /// begin 100 ms apart, and are numbered in the result in the order of `senders`, from 0.
    pub fn run(&self, senders: &[Sender]) -> Carried {
        let senders: Vec<_> = senders.iter().cloned().enumerate().collect();
        let report = run_each(&self.spec(senders.len()), &senders, self.asks);
        // Two nodes, two links and flows without end are what there is.
        let report = report.unwrap_or_else(|refused| unreachable!("{refused}"));
        Carried(report.outcome)
    }
}

/// Outcome of a run of connections over a [`Path`]; connections are numbered from 0, in the order of their starts.
#[derive(Clone, Debug)]
pub struct Carried(pub Outcome);

impl Carried {
    /// Payload bytes that the receiver of a connection has read over the whole run. Connections are numbered from 0 in
    /// the order of the specification's flows. Panics if there is no such connection.
    pub fn bytes(&self, connection: usize) -> u64 {
        self.0.flows[connection].delivered_bytes
    }

    /// Mean goodput of connection number `connection`, from 0 in the order of the connections' starts, over the whole
    /// run, Mb/s; the time before its start counts, too. Panics if there is no such connection.
    pub fn mbps(&self, connection: usize) -> f64 {
        self.0.flows[connection].goodput_bps * 1e-6
    }

    /// Mean goodput of connection number `connection`, from 0 in the order of the connections' starts, from time `from`
    /// to time `to` of the run, Mb/s. Bytes are counted in bins of 100 ms, from the bin that has `from` to the last one
    /// before that which has `to`, and divided by the time from `from` to `to`: choose both at whole bins. 0 if the run
    /// ends before `to`, and NaN if `to` is not after `from`. Panics if there is no such connection.
    pub fn mbps_in(&self, connection: usize, from: Duration, to: Duration) -> f64 {
        let step = |at: Duration| (at.as_nanos() / STEP.as_nanos()) as usize;
        let bins = self.0.bins.iter().map(|bins| &bins.delivered[connection]);
        let steps = bins.flat_map(|bins| bins.get(step(from)..step(to)).unwrap_or_default());
        steps.sum::<u64>() as f64 * 8e-6 / to.saturating_sub(from).as_secs_f64()
    }

    /// Mean time that a packet waits in the queue of the bottleneck, computed from the mean length of the queue
    /// (Little's law); `path` is the path of the run.
    pub fn queueing(&self, path: &Path) -> Duration {
        let bottleneck = &self.0.links[0];
        let taken = (bottleneck.offered - bottleneck.queue_drops).max(1);
        let waiting = bottleneck.queue_mean_packets * path.duration.as_secs_f64();
        Duration::from_secs_f64(waiting / taken as f64)
    }

    /// Share (0 to 1) of the packets offered to the bottleneck that its queue dropped; 0 without packets.
    pub fn dropped(&self) -> f64 {
        self.0.links[0].drop_rate.unwrap_or(0.0)
    }
}
