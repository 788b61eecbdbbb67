//! Goodness of fit in words and numbers.

use std::fmt::Write;

use serde_json::{Value, json as object};

use crate::fit::Known;
use crate::goodness::{Compared, Goodness};
use crate::link::short;

/// Heading of the part of a page.
pub(super) const HEADING: &str = "The end of the records, which the link was not fitted to";

/// Lines about the goodness of fit on one record.
pub(super) fn goodness(goodness: &Goodness) -> String {
    let from = &goodness.from;
    let compared = match &goodness.compared {
        Known::Told(compared) => compared,
        Known::Unknown(why) => return format!("  {from}: not compared, {why}\n"),
    };
    let verdict = if goodness.fits() == Some(true) {
        "fits".to_owned()
    } else {
        let wrong: Vec<&str> = goodness
            .wrong()
            .map(|number| number.name.as_str())
            .collect();
        format!("does not fit: {}", wrong.join(", "))
    };
    // Writing to a string does not fail.
    let mut out = String::new();
    let _ = writeln!(
        out,
        "  {from}, its last {} s, beside a link fitted to the {} s before: {verdict}",
        short(goodness.held_s),
        short(goodness.fitted_s),
    );
    let shown = || {
        compared
            .iter()
            .filter(|number| number.is_main || !number.fits)
    };
    let width = shown().map(|number| number.name.chars().count());
    let width = width.max().unwrap_or(0);
    for number in shown() {
        let mark = if number.fits { "" } else { "  does not fit" };
        let [name, record, model] = cells(number);
        let _ = writeln!(out, "    {name:width$}  {record}; model {model}{mark}");
    }
    if goodness.fits() == Some(false) {
        for hint in &goodness.hints {
            let _ = writeln!(out, "    perhaps because {hint}");
        }
    }
    out
}

/// Name, number of the record and numbers of the model.
fn cells(number: &Compared) -> [String; 3] {
    // What stands in parentheses is what replays gave, not an interval of the mean.
    let unit = if number.unit.is_empty() {
        String::new()
    } else {
        format!(" {}", number.unit)
    };
    let model = number.model;
    [
        number.name.clone(),
        format!("{}{unit}", short(number.record)),
        format!(
            "{} ({} to {}){unit}",
            short(model.value),
            short(model.low),
            short(model.high)
        ),
    ]
}

/// The goodness of fit on one record as JSON.
pub(super) fn json(goodness: &Goodness) -> Value {
    let number = |number: &Compared| {
        object!({
            "name": number.name,
            "unit": number.unit,
            "record": number.record,
            "model": number.model,
            "fits": number.fits,
        })
    };
    let (compared, why) = match &goodness.compared {
        Known::Told(compared) => (Some(compared.iter().map(number).collect::<Vec<_>>()), None),
        Known::Unknown(why) => (None, Some(why)),
    };
    object!({
        "from": goodness.from,
        "fitted_s": goodness.fitted_s,
        "held_s": goodness.held_s,
        "fits": goodness.fits(),
        "numbers": compared,
        "not_compared": why,
    })
}
