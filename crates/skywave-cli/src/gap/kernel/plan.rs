//! The real connections that stand for the flows of a simulation.

use std::path::PathBuf;
use std::time::Duration;

use skywave_core::Time;
use skywave_core::link::QueueConfig;
use skywave_core::tcp::config::{Acking, CongestionConfig, DetectionConfig, TcpConfig};
use skywave_sim::Spec;
use skywave_sim::spec::{FlowSpec, LinkSpec, Traffic, Transport};
use skywave_wire::behind::bulk::Connection;
use skywave_wire::relay::RelayConfig;

use crate::impair::path::Path;

/// Port of the first connection, in a network that nobody else is in.
pub(super) const PORT: u16 = 5001;

/// Law of the near side's kernel where it hands its data to a sender of ours; every kernel has it.
const ANY: &str = "reno";

/// Payload of segments that make packets of about the size of the kernel's, 1500 bytes.
const MSS: std::ops::RangeInclusive<u32> = 1400..=1460;

/// Connections over a path.
pub(crate) struct Plan {
    /// The verb that makes them, among the arguments of this process.
    pub(super) verb: &'static str,
    /// The path.
    pub(super) config: RelayConfig,
    /// The connections; the first one is measured.
    pub(crate) connections: Vec<Connection>,
    /// Start and end of what is measured.
    pub(super) window: (Duration, Duration),
    /// Length of the bins in which bytes are counted.
    pub(super) bins: Option<Duration>,
    /// Bytes up to which TCP's windows may grow; the system's setting unless given.
    pub(super) rwnd: Option<u32>,
    /// The sender over the links if it is ours, for the only connection; else that of its side's kernel.
    pub(super) ours: Option<TcpConfig>,
    /// File for a capture of the packets as they come to the links.
    pub(super) capture: Option<PathBuf>,
}

/// Why a point has no case.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The kernel does not have this sender.
    Sender(String),
    /// The kernel, or the relay, cannot have the path or who is beside it.
    Path(String),
}

impl Refusal {
    /// The reason in words.
    pub(crate) fn why(self) -> String {
        let (Self::Sender(why) | Self::Path(why)) = self;
        why
    }
}

impl Plan {
    /// The plan for a sender of ours, or else for the kernel's.
    pub(super) fn of(path: &Path, verb: &'static str, is_ours: bool) -> Result<Self, Refusal> {
        if is_ours {
            Self::ours(path, verb)
        } else {
            Self::new(path, verb)
        }
    }

    /// A connection for each flow of the path's simulation, that of the path first.
    pub(crate) fn new(path: &Path, verb: &'static str) -> Result<Self, Refusal> {
        Self::with(path, verb, law(&path.flow).map_err(Refusal::Sender)?)
    }

    /// A connection whose sender over the links is that of the simulation, for the only flow.
    fn ours(path: &Path, verb: &'static str) -> Result<Self, Refusal> {
        let flow = &path.flow;
        let Some(sender) = tcp(flow) else {
            return Err(Refusal::Sender(format!(
                "`flow.{}.transport` is not of TCP",
                table_of(flow)
            )));
        };
        if path.spec.flows.len() > 1 {
            return Err(Refusal::Path(format!(
                "flow.{}: beside others; expected one flow alone with --tcp",
                table_of(flow)
            )));
        }
        Ok(Self {
            ours: Some(sender.clone()),
            ..Self::with(path, verb, ANY)?
        })
    }

    /// Connections of the kernel's, the first one with this law.
    fn with(path: &Path, verb: &'static str, first: &str) -> Result<Self, Refusal> {
        let (spec, measured) = (&path.spec, &path.flow);
        network(spec).map_err(Refusal::Path)?;
        for flow in &spec.flows {
            bulk(flow, measured).map_err(Refusal::Path)?;
        }
        let time = |time: Time| Duration::from_secs_f64(time.as_secs_f64());
        let connection = |law: &str, flow: &FlowSpec, port| Connection {
            law: law.to_owned(),
            port,
            is_back: flow.from != measured.from,
            start: time(flow.start),
        };
        let mut connections = vec![connection(first, measured, PORT)];
        let others = spec.flows.iter().filter(|f| f.name != measured.name);
        for (flow, port) in others.zip(PORT + 1..) {
            let law = law(flow).map_err(Refusal::Path)?;
            connections.push(connection(law, flow, port));
        }
        let bins = spec
            .bins
            .map(|bins| Duration::from_secs_f64(bins.as_secs_f64()));
        Ok(Self {
            verb,
            connections,
            window: (time(spec.measure.0), time(spec.measure.1)),
            bins,
            rwnd: spec.flows.iter().filter_map(tcp).map(|c| c.rwnd).max(),
            ours: None,
            capture: None,
            config: path.config.clone(),
        })
    }

    /// Mean rate of a connection that got `bytes` in the measured time, bits a second.
    pub(crate) fn bps(&self, bytes: u64) -> f64 {
        let seconds = self.window.1.saturating_sub(self.window.0).as_secs_f64();
        8.0 * bytes as f64 / seconds.max(1e-9)
    }

    /// Whether the receiver acknowledges every segment at once, as the simulated one does; otherwise as the kernel does.
    pub(super) fn answers_each(&self) -> bool {
        let ours = self.ours.as_ref();
        ours.is_some_and(|sender| sender.acking == Acking::EverySegment)
    }

    /// Number of bins up to the end of what is measured.
    pub(super) fn count_of_bins(&self) -> usize {
        self.bins.map_or(0, |width| {
            (self.window.1.as_secs_f64() / width.as_secs_f64()).ceil() as usize
        })
    }
}

fn tcp(flow: &FlowSpec) -> Option<&TcpConfig> {
    match &flow.transport {
        Transport::Tcp(config) => Some(config),
        _ => None,
    }
}

/// The kernel's name of a flow's congestion control.
fn law(flow: &FlowSpec) -> Result<&'static str, String> {
    let composition = tcp(flow).map(|config| &config.composition);
    let law = composition.and_then(|c| match (&c.detection, &c.congestion) {
        // The kernel detects losses as RACK does; Reno's own way is what RACK falls back to.
        (DetectionConfig::Rack | DetectionConfig::Dupacks(_), law) => match law {
            CongestionConfig::Reno => Some("reno"),
            CongestionConfig::Cubic(_) => Some("cubic"),
            CongestionConfig::Bbr => Some("bbr"),
            _ => None,
        },
        _ => None,
    });
    law.ok_or_else(|| {
        format!(
            "`flow.{}.transport` is none of the kernel's; expected linux, bbr, rack-tlp, or another with the law of \
             CUBIC, BBR or Reno",
            table_of(flow)
        )
    })
}

/// Refuses a flow that no connection of the kernel's can stand for.
fn bulk(flow: &FlowSpec, measured: &FlowSpec) -> Result<(), String> {
    let ends = [(flow.from, flow.to), (flow.to, flow.from)];
    let route = flow.way();
    let key = if !matches!(flow.traffic, Traffic::Ftp) {
        "traffic: the kernel's connections always have data to send; expected \"ftp\""
    } else if flow.stop.is_some() {
        "stop: the kernel's connections go on to the end"
    } else if !ends.contains(&(measured.from, measured.to)) {
        "from: all connections of the kernel's go between the two ends of the flow that is measured"
    } else if !route.outages.is_empty() {
        "outages: the kernel's receiver does not see disconnections coming"
    } else if flow.name != measured.name && route != measured.way() {
        "via: all connections of the kernel's go over the links of the flow that is measured"
    } else if tcp(flow).is_some_and(|config| config.ecn) {
        "tcp.ecn: the kernel's connections do not ask for marks here; expected false"
    } else if tcp(flow).is_some_and(|config| !MSS.contains(&config.mss)) {
        "mss: the kernel fills packets of 1500 bytes; expected 1400B to 1460B"
    } else {
        return Ok(());
    };
    Err(format!("flow.{}.{key}", table_of(flow)))
}

/// Name of the table in the file that a flow is, or is a copy of.
fn table_of(flow: &FlowSpec) -> &str {
    let name = flow.name.as_str();
    let copy = name.rsplit_once('.');
    let copy = copy.filter(|(_, number)| number.bytes().all(|b| b.is_ascii_digit()));
    copy.map_or(name, |(table, _)| table)
}

/// Refuses what the relay does not have.
fn network(spec: &Spec) -> Result<(), String> {
    if !spec.agents.is_empty() {
        return Err("snoop, d-proxy: agents know simulated TCP only".to_owned());
    }
    if !spec.proxies.is_empty() {
        return Err("proxy: paths that are split have no relay".to_owned());
    }
    let fair = |link: &&LinkSpec| matches!(link.config.queue, QueueConfig::FqCoDel(_));
    match spec.links.iter().find(fair) {
        Some(link) if spec.flows.len() > 1 => Err(format!(
            "link.{}.queue: the relay does not tell flows apart, as fq-codel does; expected another queue, or one flow",
            link.name
        )),
        _ => Ok(()),
    }
}
