//! A card as one HTML page: offline, each failed case with its plots.

use serde::Serialize;
use skywave_lab::report::render_page;

use super::card::{Card, Case, Number, Standing};
use super::text::{in_words, seconds};
use crate::claims::CSS;

const TEMPLATE: &str = include_str!("card.html");

#[derive(Serialize)]
struct Page<'a> {
    title: String,
    counts: String,
    sets: Vec<Section<'a>>,
    engine: &'a str,
}

#[derive(Serialize)]
struct Section<'a> {
    set: &'a str,
    title: &'a str,
    source: &'a str,
    counts: String,
    cases: Vec<Shown<'a>>,
}

#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    case: &'a Case,
    class: &'static str,
    moment: Option<String>,
    plots: &'a [String],
    rows: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    number: &'a Number,
    shown: &'a str,
    class: &'static str,
}

/// Results of a congestion control in sets of test cases as an HTML page, with plots of the failed cases.
///
/// # Errors
/// When the page cannot be rendered, which would be a mistake in its template.
pub fn page(card: &Card) -> std::io::Result<String> {
    let sets = card.sets.iter().map(|set| Section {
        set: &set.set,
        title: &set.title,
        source: &set.source,
        counts: in_words(&set.counts()),
        cases: set.cases.iter().map(shown).collect(),
    });
    let page = Page {
        title: format!("Card of {}", card.law),
        counts: in_words(&card.counts()),
        sets: sets.collect(),
        engine: &card.engine,
    };
    render_page(TEMPLATE, CSS, &page, None)
}

fn shown(case: &Case) -> Shown<'_> {
    let wrong = case.wrong.as_ref();
    let rows = case.numbers.iter().map(|number| Row {
        number,
        shown: &number.shown,
        class: class(number.standing),
    });
    Shown {
        case,
        class: class(case.standing),
        moment: wrong.and_then(|wrong| wrong.moment_s).map(seconds),
        plots: wrong.map_or(&[], |wrong| &wrong.plots),
        rows: rows.collect(),
    }
}

/// The style class of a standing; the word is always beside the colour.
const fn class(standing: Standing) -> &'static str {
    match standing {
        Standing::Pass => "yes",
        Standing::Fail => "no",
        Standing::Unsure => "half",
        Standing::NotPossible | Standing::NotAsked => "none",
    }
}
