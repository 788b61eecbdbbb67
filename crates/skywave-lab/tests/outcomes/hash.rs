//! Hashes of outcomes, one for each group of columns.

use std::collections::BTreeMap;

use skywave_sim::outcome::{Cell, Column, FLOW, FlowOutcome, LINK, Outcome, PROXY, STATION, Unit};

/// Digits of a hash: enough that two outcomes of one case do not agree by chance, and few enough that a
/// line of the table can be read.
const DIGITS: usize = 6;

/// Collects runs, and hashes all of them together: by a group of columns each, so that a column that is
/// added, or differs, leaves the hashes of the other groups as they are.
#[derive(Default)]
pub(crate) struct Hashes(BTreeMap<&'static str, blake3::Hasher>);

impl Hashes {
    /// All of a run but the number of the engine's events, which may change while results stay the same.
    pub(crate) fn add(&mut self, seed: u64, outcome: &Outcome) {
        let Outcome {
            flows,
            links,
            proxies,
            stations,
            series,
            bins,
            requests,
            events: _,
        } = outcome;
        for flow in flows {
            self.entity(of_flow, (seed, &flow.name), FLOW, flow);
        }
        for link in links {
            self.entity(|_| "links", (seed, &link.name), LINK, link);
        }
        for proxy in proxies {
            self.entity(|_| "proxies", (seed, &proxy.name), PROXY, proxy);
        }
        for station in stations {
            self.entity(|_| "stations", (seed, &station.name), STATION, station);
            for span in &station.timeline {
                let times = format!("{} {}", bits(span.from_s), bits(span.to_s));
                self.entry("timelines", &times, &format!("{:?}", span.activity));
            }
        }
        for series in series {
            self.entry("series", &series.entity, series.quantity);
            for (time, value) in &series.points {
                self.entry("series", &bits(*time), &bits(*value));
            }
        }
        if let Some(bins) = bins {
            self.entry("bins", "width", &bits(bins.width_s));
            for flow in &bins.delivered {
                self.entry("bins", "delivered", &format!("{flow:?}"));
            }
        }
        for (flow, requests) in requests.iter().flatten().enumerate() {
            for request in requests {
                let took = request.took_s.map(bits);
                let value = format!("{} {} {took:?}", bits(request.start_s), request.bytes);
                self.entry("requests", &flow.to_string(), &value);
            }
        }
    }

    /// All columns of a flow, link, proxy or station of a run, each in its group.
    fn entity<T>(
        &mut self,
        group: fn(&Column<T>) -> &'static str,
        (seed, name): (u64, &str),
        columns: &[Column<T>],
        of: &T,
    ) {
        for column in columns {
            let value = match (column.get)(of) {
                Cell::Count(n) => n.to_string(),
                Cell::Real(x) | Cell::Maybe(Some(x)) => bits(x),
                Cell::Maybe(None) => "none".to_owned(),
                Cell::Later => "later".to_owned(),
            };
            let name = format!("{seed} {name} {}", column.name);
            self.entry(group(column), &name, &value);
        }
    }

    fn entry(&mut self, group: &'static str, name: &str, value: &str) {
        let hash = self.0.entry(group).or_default();
        for part in [name, "=", value, "\n"] {
            hash.update(part.as_bytes());
        }
    }

    /// The hash of each group of which something was added.
    pub(crate) fn digits(&self) -> BTreeMap<&'static str, String> {
        let digits = |hash: &blake3::Hasher| {
            let mut digits = hash.finalize().to_hex().to_string();
            digits.truncate(DIGITS);
            digits
        };
        let groups = self.0.iter();
        groups.map(|(group, hash)| (*group, digits(hash))).collect()
    }
}

/// The group of a flow's column.
fn of_flow(column: &Column<FlowOutcome>) -> &'static str {
    match column.unit {
        Unit::Count if column.name.starts_with("lost_") => "losses",
        Unit::Count => "counts",
        Unit::Seconds => "times",
        Unit::Share => "shares",
        Unit::BitRate | Unit::Bytes | Unit::Packets | Unit::Segments | Unit::Ratio => "amounts",
    }
}

/// All bits of a number.
fn bits(x: f64) -> String {
    format!("{:016x}", x.to_bits())
}
