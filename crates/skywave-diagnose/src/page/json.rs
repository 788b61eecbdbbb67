//! The page as JSON.

use serde_json::{Map, Value, json as object};

use super::models::models;
use super::{goodness, rows};
use crate::diagnosis::{Diagnosis, Observed};
use crate::transfer::Cause;
use crate::why::{Event, State};

/// Page of a diagnosis as a JSON object: `link` (a row a property), `base_s` (base round trip), `models` (the
/// candidates with their information criteria), `transfers` (what each waited for), `goodness` (the end of each record
/// beside its model), `notes`.
pub fn json(diagnosis: &Diagnosis) -> Value {
    let link = &diagnosis.link;
    let rows: Vec<Value> = rows(link)
        .into_iter()
        .map(|row| {
            let from = row.is_known.then_some(row.from);
            object!({ "name": row.name, "value": row.value, "from": from, "known": row.is_known })
        })
        .collect();
    object!({
        "link": rows,
        "base_s": link.base_s.known.told(),
        "models": models(link),
        "goodness": diagnosis.goodness.iter().map(goodness::json).collect::<Vec<_>>(),
        "transfers": diagnosis.transfers.iter().map(transfer).collect::<Vec<_>>(),
        "notes": diagnosis.notes,
    })
}

fn transfer(observed: &Observed) -> Value {
    let Observed {
        file,
        transfer,
        why,
        ..
    } = observed;
    let shares = State::ALL
        .iter()
        .map(|&(state, name)| (name.to_owned(), why.shares.of(state).into()));
    let again = Cause::ALL.iter().map(|&(cause, name)| {
        let count = why.again.iter().find(|(known, _)| *known == cause);
        (name.to_owned(), count.map_or(0, |(_, count)| *count).into())
    });
    let losses = &why.losses;
    let of_known = |count: usize| (losses.all == 0 || losses.are_told()).then_some(count);
    object!({
        "file": file,
        "from": transfer.from.to_string(),
        "to": transfer.to.to_string(),
        "begins_s": transfer.begins_s,
        "duration_s": transfer.duration_s,
        "goodput_bps": why.numbers.goodput_bps,
        "verdict": why.verdict.name(),
        "why": why.sentence,
        "time": shares.collect::<Map<String, Value>>(),
        "sent": why.numbers.sent,
        "sent_again": again.collect::<Map<String, Value>>(),
        "lost": {
            "all": losses.all,
            "queue": of_known(losses.congestive),
            "channel": of_known(losses.random),
        },
        "rtt_s": why.numbers.rtt_s,
        "events": why.events.iter().map(event).collect::<Vec<_>>(),
    })
}

fn event(event: &Event) -> Value {
    object!({
        "name": event.kind.name(),
        "count": event.count,
        "total_s": event.total_s,
        "longest_at_s": event.at_s,
        "longest_s": event.longest_s,
    })
}
