//! A run as a line of text, with a check of itself.
//!
//! A line is a JSON object whose last member, `check`, is a hash of all before it. So one changed digit is
//! found, and does not become a result. The hash is no signature: it finds damage and edits, not a
//! forger who computes it anew.

use std::path::Path;

use serde_json::{Map, Value, json};
use skywave_sim::outcome::{
    Bins, Cell, Column, FLOW, LINK, Outcome, PROXY, Request, STATION, StationOutcome,
};

use super::key::{RunKey, hash};
use super::results::RunResult;
use super::store::series_path;
use super::timeline;

/// Why a line is no result that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// The line is not what was written.
    Damaged,
    /// The line has no check: a version before checks wrote it.
    Unchecked,
    /// Another engine made the result, or the file of its time series is gone.
    Stale,
}

/// Text between a run and its check.
const CHECK: &str = ",\"check\":\"";
/// Bytes of a check and of what ends the line after it.
const CHECKED: usize = CHECK.len() + 32 + 2;

/// The line of a run, with its end.
pub(super) fn line(key: RunKey, seed: u64, engine: &str, run: &RunResult) -> String {
    let outcome = &run.outcome;
    let flows = outcome.flows.iter().map(|o| record(&o.name, FLOW, o));
    let links = outcome.links.iter().map(|o| record(&o.name, LINK, o));
    let proxies = outcome.proxies.iter().map(|o| record(&o.name, PROXY, o));
    let stations = outcome.stations.iter().map(|o| {
        let mut station = record(&o.name, STATION, o);
        station["timeline"] = timeline::record(&o.timeline);
        station
    });
    let line = json!({
        "key": key.to_string(),
        "engine": engine,
        "seed": seed,
        "flows": flows.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
        "proxies": proxies.collect::<Vec<_>>(),
        "stations": stations.collect::<Vec<_>>(),
        "events": outcome.events,
        "series": run.has_series(),
        "bins": outcome.bins.as_ref().map(|bins| json!({
            "width_s": bins.width_s,
            "delivered": bins.delivered,
        })),
        "requests": outcome.requests.as_ref().map(|flows| {
            let request = |r: &Request| json!([r.start_s, r.bytes, r.took_s]);
            let of_flow = |flow: &Vec<Request>| flow.iter().map(request).collect::<Value>();
            flows.iter().map(of_flow).collect::<Value>()
        }),
    });
    checked(line.to_string())
}

/// A JSON object as a line, with its check and its end.
pub(super) fn checked(mut object: String) -> String {
    let check = hash(object.as_bytes());
    object.pop();
    format!("{object}{CHECK}{check:032x}\"}}\n")
}

fn record<T>(name: &str, columns: &[Column<T>], outcome: &T) -> Value {
    let mut map = Map::new();
    map.insert("name".into(), name.into());
    for column in columns {
        let value = match (column.get)(outcome) {
            Cell::Count(n) => n.into(),
            Cell::Real(x) => x.into(),
            Cell::Maybe(x) => x.into(),
            Cell::Later => Value::Null,
        };
        map.insert(column.name.into(), value);
    }
    map.into()
}

/// The run of a line, which is without its end; of an `engine`, in the run directory `dir`.
pub(super) fn read(line: &[u8], engine: &str, dir: &Path) -> Result<(RunKey, RunResult), Unusable> {
    let checked = has_check(line);
    // Old lines of another engine are of no use in any case, whatever else is wrong with them.
    let text = std::str::from_utf8(line).map_err(|_| Unusable::Damaged)?;
    let value: Value = serde_json::from_str(text).map_err(|_| Unusable::Damaged)?;
    let made_by = value.get("engine").and_then(Value::as_str);
    match (checked, made_by) {
        (Some(false), _) | (_, None) => return Err(Unusable::Damaged),
        (_, Some(made_by)) if made_by != engine => return Err(Unusable::Stale),
        (None, _) => return Err(Unusable::Unchecked),
        (Some(true), _) => {}
    }
    let (key, mut run) = parse(&value).ok_or(Unusable::Damaged)?;
    if value.get("series").and_then(Value::as_bool) == Some(true) {
        let path = series_path(dir, key);
        if !path.is_file() {
            return Err(Unusable::Stale);
        }
        run.series_file = Some(path);
    }
    Ok((key, run))
}

/// Whether the check of a line is right; `None` if it has none.
pub(super) fn has_check(line: &[u8]) -> Option<bool> {
    let (body, end) = line.split_at_checked(line.len().checked_sub(CHECKED)?)?;
    let end = std::str::from_utf8(end).ok()?;
    let check = end.strip_prefix(CHECK)?.strip_suffix("\"}")?;
    let mut whole = body.to_vec();
    whole.push(b'}');
    Some(format!("{:032x}", hash(&whole)) == check)
}

/// The run in the members of a line; `None` if one of them is missing or no number.
fn parse(value: &Value) -> Option<(RunKey, RunResult)> {
    let key = RunKey::parse(value.get("key")?.as_str()?)?;
    let list = |name| Some(value.get(name)?.as_array()?.iter());
    let flows = list("flows")?.map(|v| restore(v, FLOW, |flow, name| flow.name = name));
    let links = list("links")?.map(|v| restore(v, LINK, |link, name| link.name = name));
    let proxies = list("proxies")?.map(|v| restore(v, PROXY, |proxy, name| proxy.name = name));
    let stations = list("stations")?.map(|v| {
        let mut station: StationOutcome = restore(v, STATION, |station, name| station.name = name)?;
        station.timeline = timeline::restore(v.get("timeline")?)?;
        Some(station)
    });
    let run = RunResult::new(Outcome {
        flows: flows.collect::<Option<_>>()?,
        links: links.collect::<Option<_>>()?,
        proxies: proxies.collect::<Option<_>>()?,
        stations: stations.collect::<Option<_>>()?,
        series: Vec::new(),
        bins: match value.get("bins")? {
            Value::Null => None,
            bins => Some(restore_bins(bins)?),
        },
        requests: match value.get("requests")? {
            Value::Null => None,
            requests => Some(restore_requests(requests)?),
        },
        events: value.get("events")?.as_u64()?,
    });
    Some((key, run))
}

fn restore_bins(value: &Value) -> Option<Bins> {
    let counts = |flow: &Value| flow.as_array()?.iter().map(Value::as_u64).collect();
    let delivered = value.get("delivered")?.as_array()?.iter().map(counts);
    Some(Bins {
        width_s: value.get("width_s")?.as_f64()?,
        delivered: delivered.collect::<Option<_>>()?,
    })
}

fn restore_requests(value: &Value) -> Option<Vec<Vec<Request>>> {
    let request = |request: &Value| {
        let took = request.get(2)?;
        Some(Request {
            start_s: request.get(0)?.as_f64()?,
            bytes: request.get(1)?.as_u64()?,
            took_s: if took.is_null() {
                None
            } else {
                Some(took.as_f64()?)
            },
        })
    };
    let of_flow = |flow: &Value| flow.as_array()?.iter().map(request).collect();
    value.as_array()?.iter().map(of_flow).collect()
}

fn restore<T: Default>(
    value: &Value,
    columns: &[Column<T>],
    set_name: fn(&mut T, String),
) -> Option<T> {
    let mut outcome = T::default();
    for column in columns {
        // A run from before there was this column has none, and no such number where one may be missing.
        let number = value.get(column.name);
        let (real, count) = (
            number.and_then(Value::as_f64),
            number.and_then(Value::as_u64),
        );
        (column.set)(&mut outcome, real, count)?;
    }
    set_name(&mut outcome, value.get("name")?.as_str()?.to_owned());
    Some(outcome)
}

#[cfg(test)]
mod tests {
    use skywave_sim::outcome::{FlowOutcome, ProxyOutcome};

    use super::*;

    #[test]
    fn a_run_from_before_a_column_that_may_be_empty_is_read() {
        let proxy = ProxyOutcome {
            name: "f".into(),
            delivered_bytes: 7,
            ..ProxyOutcome::default()
        };
        let mut old = record("f", PROXY, &proxy);
        let map = old.as_object_mut().unwrap();
        assert!(map.remove("hand_over_s").is_some());
        let name: fn(&mut ProxyOutcome, String) = |proxy, name| proxy.name = name;
        assert_eq!(restore(&old, PROXY, name), Some(proxy));
        // A number that is always there is missed.
        let map = old.as_object_mut().unwrap();
        assert!(map.remove("delivered_bytes").is_some());
        assert_eq!(restore(&old, PROXY, name), None);
    }

    #[test]
    fn any_changed_byte_of_a_line_is_found() {
        let flow = FlowOutcome {
            name: "bulk".into(),
            goodput_bps: 1.5e6,
            ..FlowOutcome::default()
        };
        let outcome = Outcome {
            flows: vec![flow],
            ..Outcome::default()
        };
        let key = RunKey::parse("0123456789abcdef0123456789abcdef").unwrap();
        let run = RunResult::new(outcome);
        let line = line(key, 7, "engine", &run);
        let whole = line.trim_end().as_bytes();
        let dir = Path::new("");
        assert_eq!(read(whole, "engine", dir), Ok((key, run)));
        assert_eq!(read(whole, "other", dir), Err(Unusable::Stale));
        for at in 0..whole.len() {
            let mut wrong = whole.to_vec();
            wrong[at] ^= 1;
            let read = read(&wrong, "engine", dir);
            assert!(read.is_err(), "{}", String::from_utf8_lossy(&wrong));
        }
        // A digit of a number, as an editor would change it.
        let edited = line.replace("1500000.0", "9500000.0");
        assert_ne!(edited, line);
        let edited = edited.trim_end().as_bytes();
        assert_eq!(read(edited, "engine", dir), Err(Unusable::Damaged));
        // A line from before there were checks.
        let old = format!("{}}}", line.split(CHECK).next().unwrap());
        assert_eq!(
            read(old.as_bytes(), "engine", dir),
            Err(Unusable::Unchecked)
        );
    }
}
