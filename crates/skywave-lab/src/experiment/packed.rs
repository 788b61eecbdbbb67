//! Lossless packing of outcomes: for results that wait, in memory or in a file without a name.
//!
//! Most fields of most outcomes are zero. So a list of fields is a bit a field, which says whether it is
//! something, and the values of those that are.
//!
//! Most of the 110 numbers of a flow are zero, so a run packs into some hundred bytes, and beyond 32 MB all go to
//! a file without a name (`spill.rs`). Reports unpack a run when its turn comes, a plot at a time. If the file
//! cannot be read, the results say so (`Results::check`), and no report is written.

use skywave_sim::outcome::{
    Bins, Cell, Column, FLOW, LINK, Outcome, PROXY, Request, STATION, Span, StationOutcome,
};

use super::timeline::ACTIVITIES;

/// Adds an outcome; its time series are left out.
pub(super) fn write(out: &mut Vec<u8>, outcome: &Outcome) {
    count(out, outcome.events);
    list(out, &outcome.flows, |out, flow| {
        entity(out, &flow.name, FLOW, flow);
    });
    list(out, &outcome.links, |out, link| {
        entity(out, &link.name, LINK, link);
    });
    list(out, &outcome.proxies, |out, proxy| {
        entity(out, &proxy.name, PROXY, proxy);
    });
    list(out, &outcome.stations, |out, station| {
        entity(out, &station.name, STATION, station);
        list(out, &station.timeline, |out, span| {
            real(out, span.from_s);
            real(out, span.to_s);
            let known = ACTIVITIES.iter().map(|(known, _)| *known);
            let at = known.take_while(|known| *known != span.activity).count();
            count(out, at as u64);
        });
    });
    let bins = outcome.bins.as_ref();
    count(out, u64::from(bins.is_some()));
    if let Some(bins) = bins {
        real(out, bins.width_s);
        list(out, &bins.delivered, |out, flow| {
            list(out, flow, |out, bytes| count(out, *bytes));
        });
    }
    count(out, u64::from(outcome.requests.is_some()));
    list(
        out,
        outcome.requests.as_deref().unwrap_or_default(),
        |out, flow| {
            list(out, flow, |out, request| {
                real(out, request.start_s);
                count(out, request.bytes);
                real(out, request.took_s.unwrap_or(f64::INFINITY));
            });
        },
    );
}

/// The outcome again; `None` if these are not the bytes of one.
pub(super) fn read(mut bytes: &[u8]) -> Option<Outcome> {
    let from = &mut bytes;
    Some(Outcome {
        events: take_count(from)?,
        flows: take_list(from, |from| {
            take_entity(from, FLOW, |flow, name| flow.name = name)
        })?,
        links: take_list(from, |from| {
            take_entity(from, LINK, |link, name| link.name = name)
        })?,
        proxies: take_list(from, |from| {
            take_entity(from, PROXY, |proxy, name| proxy.name = name)
        })?,
        stations: take_list(from, |from| {
            let mut station: StationOutcome =
                take_entity(from, STATION, |station, name| station.name = name)?;
            station.timeline = take_list(from, |from| {
                Some(Span {
                    from_s: take_real(from)?,
                    to_s: take_real(from)?,
                    activity: ACTIVITIES.get(usize::try_from(take_count(from)?).ok()?)?.0,
                })
            })?;
            Some(station)
        })?,
        series: Vec::new(),
        bins: match take_count(from)? {
            0 => None,
            _ => Some(Bins {
                width_s: take_real(from)?,
                delivered: take_list(from, |from| take_list(from, take_count))?,
            }),
        },
        requests: {
            let kept = take_count(from)? != 0;
            let requests = take_list(from, |from| take_list(from, take_request))?;
            kept.then_some(requests)
        },
    })
}

fn take_request(from: &mut &[u8]) -> Option<Request> {
    Some(Request {
        start_s: take_real(from)?,
        bytes: take_count(from)?,
        took_s: Some(take_real(from)?).filter(|took| took.is_finite()),
    })
}

/// Numbers below 128 take a byte.
fn count(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn take_count(from: &mut &[u8]) -> Option<u64> {
    let mut n = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        n |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(n);
        }
    }
    None
}

fn real(out: &mut Vec<u8>, x: f64) {
    out.extend(x.to_bits().to_le_bytes());
}

fn take_real(from: &mut &[u8]) -> Option<f64> {
    let (bytes, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(f64::from_bits(u64::from_le_bytes(*bytes)))
}

fn list<T>(out: &mut Vec<u8>, all: &[T], mut one: impl FnMut(&mut Vec<u8>, &T)) {
    count(out, all.len() as u64);
    for item in all {
        one(out, item);
    }
}

fn take_list<T>(from: &mut &[u8], mut one: impl FnMut(&mut &[u8]) -> Option<T>) -> Option<Vec<T>> {
    let len = usize::try_from(take_count(from)?).ok()?;
    // Each item takes a byte at least: a wrong length must not take all memory.
    let mut all = Vec::with_capacity(len.min(from.len()));
    for _ in 0..len {
        all.push(one(from)?);
    }
    Some(all)
}

fn entity<T>(out: &mut Vec<u8>, name: &str, columns: &[Column<T>], of: &T) {
    list(out, name.as_bytes(), |out, byte| out.push(*byte));
    for some in columns.chunks(8) {
        let bits = some.iter().enumerate().map(|(bit, column)| {
            let is_there = match (column.get)(of) {
                Cell::Count(n) => n != 0,
                Cell::Real(x) => x.to_bits() != 0,
                Cell::Maybe(x) => x.is_some(),
                Cell::Later => false,
            };
            u8::from(is_there) << bit
        });
        out.push(bits.sum());
    }
    for column in columns {
        match (column.get)(of) {
            Cell::Count(0) | Cell::Maybe(None) | Cell::Later => {}
            Cell::Count(n) => count(out, n),
            Cell::Real(x) if x.to_bits() == 0 => {}
            Cell::Real(x) | Cell::Maybe(Some(x)) => real(out, x),
        }
    }
}

fn take_entity<T: Default>(
    from: &mut &[u8],
    columns: &[Column<T>],
    set_name: fn(&mut T, String),
) -> Option<T> {
    let mut of = T::default();
    let name = take_list(from, |from| {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        Some(*byte)
    })?;
    let (bits, rest) = from.split_at_checked(columns.len().div_ceil(8))?;
    *from = rest;
    for (at, column) in columns.iter().enumerate() {
        if bits[at / 8] >> (at % 8) & 1 == 0 {
            continue;
        }
        // The field of an outcome without data says what kind it is.
        match (column.get)(&of) {
            Cell::Count(_) => (column.set)(&mut of, None, Some(take_count(from)?))?,
            Cell::Real(_) | Cell::Maybe(_) | Cell::Later => {
                (column.set)(&mut of, Some(take_real(from)?), None)?;
            }
        }
    }
    set_name(&mut of, String::from_utf8(name).ok()?);
    Some(of)
}

#[cfg(test)]
mod tests {
    use skywave_sim::losses::{Found, LossCause};
    use skywave_sim::outcome::{Activity, FlowOutcome, LinkOutcome, ProxyOutcome};

    use super::*;

    fn packed(outcome: &Outcome) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, outcome);
        bytes
    }

    #[test]
    fn an_outcome_comes_back_bit_for_bit() {
        let mut flow = FlowOutcome {
            name: "bulk→ü".into(),
            goodput_bps: 0.1 + 0.2,
            delivered_bytes: u64::MAX,
            rtt_mean_s: Some(0.0),
            ack_gaps_s: -0.0,
            ..FlowOutcome::default()
        };
        flow.losses.add(LossCause::Channel, Found::Timeout, 300);
        let outcome = Outcome {
            flows: vec![flow, FlowOutcome::default()],
            links: vec![LinkOutcome {
                name: "radio".into(),
                utilisation: f64::MIN_POSITIVE,
                fec_repairs: 127,
                ..LinkOutcome::default()
            }],
            proxies: vec![ProxyOutcome {
                name: "bulk".into(),
                goodput_bps: 2.5e6,
                ..ProxyOutcome::default()
            }],
            stations: vec![StationOutcome {
                name: "A".into(),
                attempts: 128,
                timeline: vec![Span {
                    from_s: 0.5,
                    to_s: 1.5,
                    activity: Activity::BacksOff,
                }],
                ..StationOutcome::default()
            }],
            series: Vec::new(),
            bins: Some(Bins {
                width_s: 0.1,
                delivered: vec![vec![], vec![0, u64::MAX]],
            }),
            requests: Some(vec![
                vec![],
                vec![
                    Request {
                        start_s: 0.1,
                        bytes: 1000,
                        took_s: Some(0.2),
                    },
                    Request {
                        start_s: 0.3,
                        bytes: 1,
                        took_s: None,
                    },
                ],
            ]),
            events: 1 << 63,
        };
        let bytes = packed(&outcome);
        let again = read(&bytes).unwrap();
        assert_eq!(again, outcome);
        assert!(again.flows[0].ack_gaps_s.is_sign_negative());
        // Any byte may be wrong: other numbers or none, never a panic nor much memory.
        for at in 0..bytes.len() {
            assert!(read(&bytes[..at]).is_none());
            let mut wrong = bytes.clone();
            wrong[at] ^= 0xff;
            let _ = read(&wrong);
        }
    }

    #[test]
    fn a_plain_flow_takes_little() {
        let outcome = Outcome {
            flows: vec![FlowOutcome {
                name: "bulk".into(),
                goodput_bps: 1.5e6,
                sent_packets: 1000,
                ..FlowOutcome::default()
            }],
            ..Outcome::default()
        };
        assert!(packed(&outcome).len() < 40, "{}", packed(&outcome).len());
    }
}
