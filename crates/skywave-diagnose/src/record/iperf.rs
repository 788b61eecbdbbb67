//! JSON of iperf3: `-J` of a client or a server, `--json-stream`.

use serde_json::{Map, Value, json};

use super::columns::MAX_S;
use super::json::{Object, count, mended, objects};
use super::{Carried, Interval, Lost, Mistake, Record, Throughput};

#[cfg(test)]
mod tests;

const KIND: &str = "iperf3";

/// Whether the text is what iperf3 prints for people.
pub(super) fn is_words(text: &str) -> bool {
    text.contains("[ ID] Interval")
}

/// Reads every test of a text.
pub(super) fn read(text: &str) -> Result<Vec<Record>, Mistake> {
    let text = mended(text);
    let mut records = Vec::new();
    let mut first_mistake = None;
    for (line, test) in joined(objects(KIND, &text)?) {
        match tests(line, &test) {
            Ok(found) => records.extend(found.into_iter().map(Record::Throughput)),
            // A server's log has clients that failed among those that did not.
            Err(mistake) => first_mistake = first_mistake.or(Some(mistake)),
        }
    }
    match first_mistake {
        Some(mistake) if records.is_empty() => Err(mistake),
        None if records.is_empty() => Err(Mistake::at(
            KIND,
            "line 1",
            "an object with `intervals`",
            "none",
        )),
        _ => Ok(records),
    }
}

/// The objects, each test of `--json-stream` joined to one such as `-J` writes.
fn joined(objects: Vec<Object>) -> Vec<Object> {
    let mut tests: Vec<Object> = Vec::new();
    let mut is_open = false;
    for (line, mut object) in objects {
        let Some(event) = object["event"].as_str().map(str::to_owned) else {
            tests.push((line, object));
            is_open = false;
            continue;
        };
        if event == "start" || !is_open {
            tests.push((line, json!({ "intervals": [] })));
            is_open = true;
        }
        let Some(test) = tests.last_mut().and_then(|(_, test)| test.as_object_mut()) else {
            continue;
        };
        let data = object["data"].take();
        match event.as_str() {
            "interval" => add_interval(test, data),
            "start" | "end" | "error" | "server_output_json" => {
                test.insert(event, data);
            }
            _ => {}
        }
    }
    tests
}

fn add_interval(test: &mut Map<String, Value>, interval: Value) {
    if let Some(Value::Array(intervals)) = test.get_mut("intervals") {
        intervals.push(interval);
    }
}

/// A test's directions, and those as the server saw them if its output is there too.
fn tests(line: usize, test: &Value) -> Result<Vec<Throughput>, Mistake> {
    let mut found = directions(line, test)?;
    let server = &test["server_output_json"];
    if server.is_object() {
        let others = directions(line, server)?.into_iter();
        found.extend(others.map(|other| Throughput {
            is_download: other.is_sender,
            ..other
        }));
    }
    if found.is_empty() {
        let found = match test["error"].as_str() {
            Some(error) => format!("only the error {}", super::mistake::excerpt(error)),
            None => "none".to_owned(),
        };
        let expected = "at least one interval that is not omitted";
        return Err(Mistake::at(
            KIND,
            format_args!("the test on line {line}"),
            expected,
            found,
        ));
    }
    Ok(found)
}

/// The directions of a test in which data went, as seen by the host that wrote it.
fn directions(line: usize, test: &Value) -> Result<Vec<Throughput>, Mistake> {
    let start = &test["start"];
    let (settings, end) = (&start["test_start"], &test["end"]);
    let is_set = |name: &str| count(&settings[name]).is_some_and(|value| value > 0);
    // Versions before 3.7 do not say which streams send.
    let is_server = start["accepted_connection"].is_object();
    let sends = is_server == is_set("reverse");
    let none = Vec::new();
    let intervals = test["intervals"].as_array().unwrap_or(&none);
    let carried = match settings["protocol"].as_str() {
        Some("UDP") => Carried::Udp,
        None if intervals
            .iter()
            .any(|it| it["streams"][0]["packets"].is_number()) =>
        {
            Carried::Udp
        }
        Some("TCP") | None => Carried::Tcp,
        Some(other) => {
            let place = format_args!("the test on line {line}");
            let found = super::mistake::excerpt(other);
            return Err(Mistake::at(KIND, place, "protocol TCP or UDP", found));
        }
    };
    let mut found = Vec::new();
    for is_sender in [true, false] {
        let (mut sums, mut most) = (Vec::<Interval>::new(), 0);
        for (index, interval) in intervals.iter().enumerate() {
            let streams: Vec<&Value> = interval["streams"]
                .as_array()
                .unwrap_or(&none)
                .iter()
                .filter(|stream| stream["sender"].as_bool().unwrap_or(sends) == is_sender)
                // Those at the beginning that the user wanted left out (`-O`).
                .filter(|stream| stream["omitted"].as_bool() != Some(true))
                .collect();
            most = most.max(streams.len());
            let wrong = |(expected, found): (&str, String)| {
                let place = format_args!("interval {} of the test on line {line}", index + 1);
                Mistake::at(KIND, place, expected, found)
            };
            let Some(next) = sum(&streams).map_err(wrong)? else {
                continue;
            };
            let is_before = |last: &Interval| next.from_s < last.from_s;
            if sums.last().is_some_and(is_before) {
                let found = format!("{} s", next.from_s);
                return Err(wrong(("a start after that of the interval before", found)));
            }
            sums.push(next);
        }
        if sums.is_empty() {
            continue;
        }
        let is_second = is_set("bidir") && sends != is_sender;
        let name = if is_second {
            "sum_bidir_reverse"
        } else {
            "sum"
        };
        found.push(Throughput {
            carried,
            congestion: end["sender_tcp_congestion"].as_str().map(str::to_owned),
            is_sender,
            is_download: !is_sender,
            streams: most,
            intervals: sums,
            lost: lost(&end[name]),
        });
    }
    Ok(found)
}

/// The streams of one interval together, if it has any and lasted. Else what was expected and what was found.
fn sum(streams: &[&Value]) -> Result<Option<Interval>, (&'static str, String)> {
    let Some(first) = streams.first() else {
        return Ok(None);
    };
    let time = |name: &'static str| match first[name].as_f64() {
        Some(at) if (0.0..=MAX_S).contains(&at) => Ok(at),
        _ => Err((
            "`start` and `end` in seconds within a year",
            first[name].to_string(),
        )),
    };
    let (from_s, to_s) = (time("start")?, time("end")?);
    if to_s <= from_s {
        return Ok(None);
    }
    let all = |name: &str| -> Option<u64> {
        streams
            .iter()
            .try_fold(0_u64, |sum, stream| sum.checked_add(count(&stream[name])?))
    };
    let Some(bytes) = all("bytes") else {
        let wrong = streams
            .iter()
            .map(|it| &it["bytes"])
            .find(|bytes| count(bytes).is_none());
        let found = wrong.map_or("more".to_owned(), Value::to_string);
        return Err(("`bytes` as whole numbers with a sum below 2^64", found));
    };
    let rtts = streams.iter().map(|stream| stream["rtt"].as_f64());
    let rtts: Option<f64> = rtts.map(|us| us.filter(|us| *us > 0.0)).sum();
    let losses = streams.iter().map(|stream| lost(stream));
    let losses = losses.reduce(|a, b| {
        let (a, b) = (a?, b?);
        Some(Lost {
            lost: a.lost.checked_add(b.lost)?,
            sent: a.sent.checked_add(b.sent)?,
        })
    });
    Ok(Some(Interval {
        from_s,
        to_s,
        bytes,
        retransmits: all("retransmits"),
        rtt_s: rtts.map(|us| us / streams.len() as f64 / 1e6),
        cwnd: all("snd_cwnd"),
        lost: losses.flatten(),
    }))
}

/// The datagrams that a receiver counted. Fewer than none are lost if late ones come after they were counted as lost.
fn lost(sum: &Value) -> Option<Lost> {
    let sent = count(&sum["packets"])?;
    let lost = sum["lost_packets"].as_f64()?.max(0.0) as u64;
    Some(Lost {
        lost: lost.min(sent),
        sent,
    })
}
