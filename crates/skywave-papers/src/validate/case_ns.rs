//! A case as arguments of our ns-2 script.

use skywave_core::link::Service;
use skywave_sim::Spec;

use super::case::{Case, Path, RedBottleneck};

impl Case {
    /// The arguments of `path.tcl`; rates, delays and times are those of `spec`, which the scenario
    /// became.
    pub(super) fn ns_arguments(&self, spec: &Spec) -> Vec<String> {
        let mut list: Vec<(&str, String)> = vec![
            ("agent", self.agent.name.to_owned()),
            ("mss", self.payload().0.to_string()),
            ("duration", spec.duration.as_secs_f64().to_string()),
        ];
        match &self.path {
            Path::Cerl(path) => {
                list.extend(bottleneck(spec));
                list.push(("path", "cerl".into()));
                list.push(("buffer", path.buffer.to_string()));
                list.push(("loss", path.loss.to_string()));
                if let Some(second) = path.beside {
                    list.push(("second", second.name.to_owned()));
                }
            }
            Path::Sifest(path) => {
                list.push(("path", "sifest".into()));
                list.push(("buffer", "50".into()));
                list.push(("window", path.window.to_string()));
                list.push(("header", u32::from(path.header).to_string()));
                list.push(("limited", u32::from(path.limited_transmit).to_string()));
                list.push(("tick", path.tick.to_string()));
                list.push(("delack", path.delack_ms.to_string()));
                list.push(("cbr", path.cbr_kbps.to_string()));
                list.push(("lossgood", path.loss_good.to_string()));
                list.push(("lossbad", path.loss_bad.to_string()));
                list.push(("at", if path.tail { "tail" } else { "head" }.into()));
                if path.era {
                    let era = [("iw", "1"), ("minrto", "0"), ("initrto", "6")];
                    list.extend(era.map(|(key, value)| (key, value.into())));
                }
            }
            Path::Dcr(path) => {
                list.push(("path", "dcr".into()));
                list.push(("buffer", path.buffer.to_string()));
                list.push(("window", path.window.to_string()));
                list.push(("jitter", path.jitter.to_string()));
                let spread = f64::from(path.spread_ms) / 1e3;
                list.push(("spread", spread.to_string()));
                list.push(("from", spec.measure.0.as_secs_f64().to_string()));
                list.push(("queue", path.queue.ns_name().into()));
            }
            Path::Red(path) => {
                list.extend(bottleneck(spec));
                list.push(("path", "red".into()));
                list.push(("window", RedBottleneck::WINDOW.to_string()));
                list.push(("from", spec.measure.0.as_secs_f64().to_string()));
                list.push(("flows", path.flows.to_string()));
                list.push(("step", path.step_ms.to_string()));
                list.push(("buffer", path.buffer.to_string()));
                let unit = if path.in_bytes { "bytes" } else { "packets" };
                list.push(("unit", unit.into()));
                list.push(("min", path.min.to_string()));
                list.push(("max", path.max.to_string()));
                list.push(("maxp", path.max_p.to_string()));
                list.push(("weight", RedBottleneck::WEIGHT.to_string()));
                list.push(("gentle", u32::from(path.gentle).to_string()));
                list.push(("wait", u32::from(path.wait).to_string()));
                list.push(("ecn", u32::from(path.ecn).to_string()));
                list.push(("loss", path.loss.to_string()));
            }
            // The script knows none of these, and says so.
            Path::Dumbbell(_) => list.push(("path", "dumbbell".into())),
            Path::Relayed(_) => list.push(("path", "relayed".into())),
            Path::Shared(_) => list.push(("path", "shared".into())),
            Path::Wifi(_) => list.push(("path", "wifi".into())),
            Path::Witness(_) => list.push(("path", "witness".into())),
        }
        let pairs = list.into_iter();
        pairs.flat_map(|(key, value)| [key.into(), value]).collect()
    }
}

/// Rate and delay of the bottleneck.
fn bottleneck(spec: &Spec) -> Vec<(&'static str, String)> {
    let mut list = Vec::new();
    if let Some(link) = spec.links.iter().find(|l| l.name == Case::BOTTLENECK) {
        if let Service::Rate(rate) = link.config.service {
            list.push(("rate", rate.as_bps().to_string()));
        }
        list.push(("delay", link.config.delay.as_secs_f64().to_string()));
    }
    list
}
