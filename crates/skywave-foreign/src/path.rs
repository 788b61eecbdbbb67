//! A path of one link each way, for programs that compare laws over it.

use skywave_core::link::{Limit, LinkConfig, LossAt, LossConfig, QueueConfig, Service};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::Spec;
use skywave_sim::outcome::Outcome;
use skywave_sim::spec::{FlowSpec, LinkSpec, Traffic, Transport};

use crate::run::{HEADERS, run_each};
use crate::sender::Sender;

/// Length of the bins in which a path's data are counted.
pub const STEP: Duration = Duration::from_millis(100);

/// A bottleneck, a way back, and how long to send.
#[derive(Clone, Debug)]
pub struct Path {
    /// Bottleneck link, from the sender to the receiver.
    pub forward: LinkConfig,
    /// Link from the receiver back to the sender, for the ACKs.
    pub back: LinkConfig,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Length of the run.
    pub duration: Duration,
    /// Whether a peer of noq that does not answer is asked again, sooner than QUIC does ([`run_each`]).
    pub asks: bool,
}

impl Path {
    /// A path of this rate and round trip, whose bottleneck keeps `packets` packets waiting, with 100 Mb/s back, for 30 s.
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

    /// The path with a channel that loses packets after they have used the bottleneck.
    #[must_use]
    pub fn losing(mut self, loss: LossConfig) -> Self {
        self.forward.loss = vec![loss];
        self
    }

    /// The path as a specification with so many flows without end, measured from the beginning to the end; the second one and
    /// those after it begin 100 ms later than the one before. Their transport is for who runs it to choose.
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

    /// Runs one connection of each sender over the path until the end of the path's time, each with more data than it
    /// can send; each begins 100 ms after the one before. Returns what each has carried.
    pub fn run(&self, senders: &[Sender]) -> Carried {
        let senders: Vec<_> = senders.iter().cloned().enumerate().collect();
        let report = run_each(&self.spec(senders.len()), &senders, self.asks);
        // Two nodes, two links and flows without end are what there is.
        let report = report.unwrap_or_else(|refused| unreachable!("{refused}"));
        Carried(report.outcome)
    }
}

/// Outcome of connections over a path.
#[derive(Clone, Debug)]
pub struct Carried(pub Outcome);

impl Carried {
    /// Payload of a connection's stream that was read, bytes.
    pub fn bytes(&self, connection: usize) -> u64 {
        self.0.flows[connection].delivered_bytes
    }

    /// Mean goodput of connection number `connection` over the whole run, Mb/s. Panics if there is no such connection.
    pub fn mbps(&self, connection: usize) -> f64 {
        self.0.flows[connection].goodput_bps * 1e-6
    }

    /// Mean goodput of a connection between two times of the run, in Mb/s, by bins of 100 ms; 0 if the run
    /// ends before `to`.
    pub fn mbps_in(&self, connection: usize, from: Duration, to: Duration) -> f64 {
        let step = |at: Duration| (at.as_nanos() / STEP.as_nanos()) as usize;
        let bins = self.0.bins.iter().map(|bins| &bins.delivered[connection]);
        let steps = bins.flat_map(|bins| bins.get(step(from)..step(to)).unwrap_or_default());
        steps.sum::<u64>() as f64 * 8e-6 / to.saturating_sub(from).as_secs_f64()
    }

    /// Mean time that a packet waits in the bottleneck's queue, by how many wait (Little's law).
    pub fn queueing(&self, path: &Path) -> Duration {
        let bottleneck = &self.0.links[0];
        let taken = (bottleneck.offered - bottleneck.queue_drops).max(1);
        let waiting = bottleneck.queue_mean_packets * path.duration.as_secs_f64();
        Duration::from_secs_f64(waiting / taken as f64)
    }

    /// Share of the packets offered to the bottleneck that its queue dropped.
    pub fn dropped(&self) -> f64 {
        self.0.links[0].drop_rate.unwrap_or(0.0)
    }
}
