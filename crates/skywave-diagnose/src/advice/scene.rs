//! A link with each contestant's flow on it, and the simulations that are made of it.

use std::fmt::Write as _;
use std::sync::Arc;

use skywave_core::link::{CoDelConfig, FqCoDelConfig, Limit, LinkConfig, QueueConfig, Service};
use skywave_core::{Duration, Rate, Time};
use skywave_scenario::{Files, Scenario};
use skywave_sim::Spec;
use skywave_sim::network::{Router, edges};
use skywave_sim::spec::{FlowSpec, LinkSpec, Traffic};
use toml::{Table, Value};

use super::findings::{BELOW_LINK, BELOW_POLICER, INITIAL};
use super::{AdviceError, Change, Contestant};

/// The receiver's window, bytes: never a limit.
const WINDOW: f64 = 256e6;
/// Payload of a packet of a call, bytes, and its rate, bit/s: 62.5 packets a second.
const CALL: (i64, &str) = (200, "100kbps");

/// A link, and a flow of each contestant on it.
pub(super) struct Scene {
    /// Flows: those of the contestants in their order, then the neighbour, then the call.
    spec: Spec,
    contestants: usize,
    /// Links on the data's way.
    way: Vec<usize>,
    /// Links on the way back.
    back: Vec<usize>,
    /// Narrowest of those on the data's way.
    bottleneck: usize,
}

/// Link properties that decide which advice fits, computed from a scenario: bottleneck rate, base RTT, policer,
/// kind of queue, constancy of the rate.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Facts {
    /// Long-run rate of the narrowest link on the way of the data, or of its policer if that is lower, bit/s.
    pub rate_bps: f64,
    /// Round trip without any queue, seconds, with 1500 bytes on the way there and 40 bytes on the way back.
    pub base_rtt_s: f64,
    /// Rate of the policer that limits data more than any link does, bit/s; `None` if there is none.
    pub policer_bps: Option<f64>,
    /// Whether the bottleneck's queue is managed (not drop-tail) already, or stations contend for the link: if so,
    /// [`Change::Queue`] is not tried.
    pub managed: bool,
    /// Whether the bottleneck's rate is constant: false with a trace, and with steps of the rate. If so, a shaper just
    /// below it ([`Change::Shaped`]) may be tried.
    pub constant: bool,
}

impl Facts {
    /// Window of a sender that its host paces, bytes: what is on the path and as much in the host.
    fn paced_window(&self) -> f64 {
        (2.0 * self.rate_bps / 8.0 * self.base_rtt_s).max(30e3)
    }
}

/// One simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// The contestant alone.
    Bulk,
    /// The contestant beside CUBIC.
    Beside,
    /// A call beside the contestant.
    Call,
    /// A transfer of this size in bytes.
    Transfer(u64),
}

impl Scene {
    /// Reads a link: the `[[link]]` tables of a scenario. Where data go is said by `between`, or by its first flow, if
    /// it has one; else they go from the first end of the chain to the last one.
    pub(super) fn read(
        text: &str,
        between: Option<[&str; 2]>,
        files: &dyn Files,
        contestants: &[Contestant],
    ) -> Result<Self, AdviceError> {
        let given: Table = text
            .parse()
            .map_err(|error: toml::de::Error| AdviceError::NoToml(error.to_string()))?;
        let first = ends(&given)?;
        let (from, to) = between.map_or(first, |[from, to]| (from.to_owned(), to.to_owned()));
        let mut table = Table::new();
        let links = given.get("link").ok_or(AdviceError::NoLink)?;
        table.insert("link".into(), links.clone());
        let mut flows: Vec<Value> = Vec::new();
        let ends = |flow: &mut Table| {
            flow.insert("from".into(), from.clone().into());
            flow.insert("to".into(), to.clone().into());
        };
        for (index, contestant) in contestants.iter().enumerate() {
            let window = match contestant.change {
                Some(Change::Paced) => Self::read(text, between, files, &[])?
                    .facts()
                    .paced_window(),
                _ => WINDOW,
            };
            let mut flow = format!(
                "name = \"c{index}\"\nrwnd = \"{window:.0}B\"\ntransport = {}\n",
                contestant.sender.transport
            );
            if contestant.sender.is_tcp() {
                flow.push_str("profile = \"linux\"\n");
            }
            if contestant.change == Some(Change::InitialWindow) {
                let _ = writeln!(
                    flow,
                    "tcp = {{ initial_window = \"{} segments\" }}",
                    INITIAL.0
                );
            }
            flows.push(flow_of(&flow, ends));
        }
        let neighbour = format!(
            "name = \"neighbour\"\nrwnd = \"{WINDOW:.0}B\"\ntransport = \"linux\"\nprofile = \"linux\"\n"
        );
        let (packet, rate) = CALL;
        let call = format!(
            "name = \"call\"\ntransport = \"udp\"\ntraffic = {{ cbr = {{ rate = \"{rate}\", packet = {packet} }} }}\n"
        );
        flows.push(flow_of(&neighbour, ends));
        flows.push(flow_of(&call, ends));
        table.insert("flow".into(), flows.into());
        let mut run = Table::new();
        run.insert("duration".into(), "30s".into());
        table.insert("run".into(), run.into());
        // What was read can be written.
        let text =
            toml::to_string(&table).map_err(|error| AdviceError::NoToml(error.to_string()))?;
        let scenario = Scenario::parse("link", &text, files)?;
        let point = scenario.points().first().ok_or(AdviceError::NoLink)?;
        Self::of(point.spec(1), contestants.len())
    }

    fn of(spec: Spec, contestants: usize) -> Result<Self, AdviceError> {
        let mut router = Router::new(edges(&spec.links, &[]), spec.nodes.len());
        let flow = spec.flows.last().ok_or(AdviceError::NoLink)?;
        let mut way = |from: usize, to: usize| -> Vec<usize> {
            let way = router.route(from, &[], to).unwrap_or_default();
            way.into_iter().map(|edge| edge as usize).collect()
        };
        let back = way(flow.to, flow.from);
        let way = way(flow.from, flow.to);
        let rate = |&&link: &&usize| spec.links[link].config.allowed_rate().as_bps();
        let bottleneck = *way.iter().min_by_key(rate).ok_or(AdviceError::NoLink)?;
        Ok(Self {
            spec,
            contestants,
            way,
            back,
            bottleneck,
        })
    }

    /// Whether every seed and moment is like every other one.
    pub(super) fn is_certain(&self) -> bool {
        self.spec.links.iter().all(|link| {
            let config = &link.config;
            let plain = LinkConfig {
                service: config.service.clone(),
                delay: config.delay,
                policer: config.policer,
                shaper: config.shaper,
                ring: config.ring,
                loss_at: config.loss_at,
                arq: config.arq,
                fec: config.fec,
                ..LinkConfig::new(Rate::from_bps(1), Duration::ZERO, config.queue)
            };
            matches!(config.service, Service::Rate(_))
                && matches!(
                    config.queue,
                    QueueConfig::DropTail(_) | QueueConfig::CoDel(_)
                )
                && **config == plain
        })
    }

    pub(super) fn facts(&self) -> Facts {
        let config = &self.spec.links[self.bottleneck].config;
        let rate = config.allowed_rate().as_bps() as f64;
        let delay = |&link: &usize, bytes: f64| {
            let config = &self.spec.links[link].config;
            config.delay.as_secs_f64() + bytes * 8.0 / config.mean_rate().as_bps() as f64
        };
        let there = self.way.iter().map(|link| delay(link, 1500.0));
        let delays: f64 = there
            .chain(self.back.iter().map(|link| delay(link, 40.0)))
            .sum();
        let policers = self.way.iter().filter_map(|&link| {
            let policer = self.spec.links[link].config.policer.as_ref()?;
            Some(policer.rate.as_bps() as f64)
        });
        Facts {
            rate_bps: rate,
            base_rtt_s: delays,
            policer_bps: policers.reduce(f64::min).filter(|&policer| policer <= rate),
            managed: !matches!(config.queue, QueueConfig::DropTail(_))
                || config.contention.is_some(),
            constant: matches!(config.service, Service::Rate(_))
                && config
                    .steps
                    .as_ref()
                    .is_none_or(|steps| steps.share.is_none()),
        }
    }

    /// Whether the bottleneck's rate or delay changes in steps.
    pub(super) fn has_steps(&self) -> bool {
        self.spec.links[self.bottleneck].config.steps.is_some()
    }

    /// The simulation of a task: from 5 s of `seconds` on, or for as long as a transfer needs, which begins at
    /// `begins` seconds.
    pub(super) fn simulation(
        &self,
        contestant: usize,
        change: Option<Change>,
        task: Task,
        (seconds, begins): (f64, f64),
        seed: u64,
    ) -> Spec {
        let mut spec = self.spec.clone();
        spec.seed = seed;
        let mut flow = spec.flows[contestant].clone();
        let other = |index: usize| -> FlowSpec { spec.flows[self.contestants + index].clone() };
        let mut from = WARM_UP.min(seconds / 2.0);
        let flows = match task {
            Task::Bulk => {
                spec.details = true;
                vec![flow]
            }
            Task::Beside => vec![flow, other(0)],
            Task::Call => vec![flow, other(1)],
            Task::Transfer(bytes) => {
                flow.traffic = Traffic::Bytes(bytes);
                flow.start = at(begins);
                from = 0.0;
                vec![flow]
            }
        };
        spec.flows = flows;
        spec.duration = at(begins + seconds);
        spec.measure = (at(from), spec.duration);
        match change {
            Some(Change::Queue) => self.with_queue(&mut spec),
            Some(Change::Shaped) => {
                let rate = self.spec.links[self.bottleneck].config.mean_rate();
                self.shape(&mut spec, BELOW_LINK * rate.as_bps() as f64, fq_codel());
            }
            Some(Change::Paced) => {
                let rate = self.spec.links[self.bottleneck].config.allowed_rate();
                self.shape(&mut spec, BELOW_POLICER * rate.as_bps() as f64, fq());
            }
            Some(Change::InitialWindow) | None => {}
        }
        spec
    }

    /// The bottleneck has a queue of FQ-CoDel.
    fn with_queue(&self, spec: &mut Spec) {
        let link = &mut spec.links[self.bottleneck];
        // Where stations contend, no queue decides when packets leave.
        if link.config.contention.is_some() {
            return;
        }
        let mut config = LinkConfig::clone(&link.config);
        config.queue = fq_codel();
        config.ring = 0;
        link.config = Arc::new(config);
    }

    /// Data pass another link before the bottleneck, of this rate in bit/s.
    fn shape(&self, spec: &mut Spec, rate: f64, queue: QueueConfig) {
        let between = spec.nodes.len();
        spec.nodes.push("shaper".into());
        let link = &mut spec.links[self.bottleneck];
        let from = std::mem::replace(&mut link.from, between);
        let rate = Rate::from_bps((rate as u64).max(1));
        spec.links.push(LinkSpec {
            name: "shaper".into(),
            from,
            to: between,
            config: Arc::new(LinkConfig::new(rate, Duration::ZERO, queue)),
        });
    }
}

/// Seconds that are not measured.
const WARM_UP: f64 = 5.0;

fn fq_codel() -> QueueConfig {
    QueueConfig::FqCoDel(FqCoDelConfig::new(CoDelConfig::new(Limit::Packets(10_240))))
}

/// A queue by flows that drops nothing: a host that paces asks programs to wait.
fn fq() -> QueueConfig {
    let codel = CoDelConfig {
        target: Duration::from_secs(60),
        ..CoDelConfig::new(Limit::Packets(10_240))
    };
    QueueConfig::FqCoDel(FqCoDelConfig::new(codel))
}

fn at(seconds: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(seconds)
}

/// A table of a flow, from text of ours.
fn flow_of(text: &str, ends: impl Fn(&mut Table)) -> Value {
    let mut table: Table = text.parse().unwrap_or_default();
    ends(&mut table);
    table.into()
}

/// The nodes that data come from and go to.
fn ends(given: &Table) -> Result<(String, String), AdviceError> {
    for key in ["radio", "station"] {
        if given.contains_key(key) {
            return Err(AdviceError::Radio);
        }
    }
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let flow = given.get("flow").and_then(Value::as_array);
    let first = flow.and_then(|flows| flows.first());
    let end = |key: &str| text(first.and_then(|flow| flow.get(key)));
    if let (Some(from), Some(to)) = (end("from"), end("to")) {
        return Ok((from, to));
    }
    let links = given.get("link").and_then(Value::as_array);
    let pairs = links.into_iter().flatten().filter_map(|link| {
        let between = link.get("between")?.as_array()?;
        Some([text(between.first())?, text(between.get(1))?])
    });
    let nodes: Vec<String> = pairs.flatten().collect();
    let once = |node: &&String| nodes.iter().filter(|other| other == node).count() == 1;
    let mut ends = nodes.iter().filter(once);
    match (ends.next(), ends.next_back()) {
        (Some(from), Some(to)) => Ok((from.clone(), to.clone())),
        _ => Err(AdviceError::NoLink),
    }
}

#[cfg(test)]
mod tests;
