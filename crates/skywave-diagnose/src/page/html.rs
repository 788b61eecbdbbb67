//! The page for a browser: one file, offline, whose script enlarges parts of the time-sequence plots.

use serde::Serialize;
use skywave_lab::experiment::ENGINE;
use skywave_lab::report::plot::{Axis, Glyph, Look, Plot, Scale, SeriesData};
use skywave_lab::report::{CSS, Script, render_page};

use super::goodness::{HEADING, goodness as words};
use super::rows::{Row, rows};
use super::sequence::Sequence;
use super::transfers::transfer;
use crate::diagnosis::{Diagnosis, Observed};
use crate::fit::path::Loss;
use crate::goodness::{Goodness, Overlay};
use crate::transfer::{Sent, WIDTH_NS};

const TEMPLATE: &str = include_str!("page.html");
/// Script for the time-sequence plots; without it they stay as they are.
const SCRIPT: Script = Script {
    text: include_str!("zoom.js"),
    hash: include_str!("zoom.js.sha256").trim_ascii(),
};
/// Hundredths of a second over which goodput is averaged.
const AVERAGED: u32 = 25;
/// Most marks of one kind in a plot.
const MARKS: usize = 1500;

#[derive(Debug, Serialize)]
struct Page<'a> {
    title: &'a str,
    records: Vec<&'a str>,
    known: Vec<Row>,
    unknown: Vec<Row>,
    goodness_heading: &'static str,
    /// Goodness of fit on the ends of the records: words and plots.
    goodness: Vec<(String, Vec<String>)>,
    sections: &'a [(String, String)],
    transfers: Vec<Drawn>,
    notes: &'a [String],
    engine: &'a str,
}

#[derive(Debug, Serialize)]
struct Drawn {
    name: String,
    why: String,
    plots: Vec<String>,
    /// Time-sequence plot, and the same as data for the script.
    sequence: String,
    data: String,
}

/// Page of a diagnosis as HTML; `sections` are further parts of the page, each a heading and its plain text (no HTML).
///
/// # Errors
///
/// When the page cannot be rendered, which would be a mistake in its template.
pub fn html(diagnosis: &Diagnosis, sections: &[(String, String)]) -> std::io::Result<String> {
    let rows = rows(&diagnosis.link).into_iter();
    let (known, unknown) = rows.partition(|row| row.is_known);
    let mut records: Vec<&str> = Vec::new();
    for name in diagnosis.names() {
        if !records.contains(&name) {
            records.push(name);
        }
    }
    let page = Page {
        title: "Diagnosis of a link",
        records,
        known,
        unknown,
        goodness_heading: HEADING,
        goodness: diagnosis.goodness.iter().map(compared).collect(),
        sections,
        transfers: diagnosis.largest().map(drawn).collect(),
        notes: &diagnosis.notes,
        engine: ENGINE,
    };
    let script = page.transfers.first().map(|_| SCRIPT);
    render_page(TEMPLATE, CSS, &page, script)
}

/// Goodness of fit on a record: words, and its curves beside the model's.
fn compared(goodness: &Goodness) -> (String, Vec<String>) {
    let plot = |overlay: &Overlay| {
        let plot = Plot {
            title: overlay.title.to_owned(),
            x: Axis::new(overlay.axes[0], Scale::Linear),
            y: Axis::new(overlay.axes[1], Scale::Linear),
            series: vec![
                SeriesData::line("record", &overlay.record),
                SeriesData::line("model", &overlay.model),
            ],
            size: (560.0, 280.0),
        };
        plot.to_inline_svg()
    };
    let plots = goodness.overlays.iter().map(plot).collect();
    (words(goodness), plots)
}

fn drawn(observed: &Observed) -> Drawn {
    let ends = &observed.transfer;
    let sequence = Sequence::of(observed);
    Drawn {
        sequence: sequence.plot().to_inline_svg(),
        data: sequence.data(),
        name: format!("{}: {} to {}", observed.file, ends.from, ends.to),
        why: transfer(observed),
        plots: vec![
            round_trips(observed).to_inline_svg(),
            goodput(observed).to_inline_svg(),
        ],
    }
}

/// Round trips over time, and at the bottom what was lost when.
fn round_trips(observed: &Observed) -> Plot {
    let sent = &observed.transfer.sent;
    let points: Vec<(f64, f64)> = sent
        .iter()
        .filter_map(|sent| Some((sent.at_s(), sent.rtt_s()? * 1e3)))
        .collect();
    let mut series = vec![SeriesData::line("round trip", &points)];
    let kinds = observed.path.iter().flat_map(|path| &path.kinds);
    for (label, kind, glyph) in [
        ("lost by a queue", Loss::Congestive, Glyph::Ring),
        ("lost by the channel", Loss::Random, Glyph::Cross),
    ] {
        let times: Vec<f64> = sent
            .iter()
            .zip(kinds.clone())
            .filter(|(_, found)| **found == Some(kind))
            .map(|(sent, _)| Sent::at_s(sent))
            .collect();
        let step = times.len().div_ceil(MARKS).max(1);
        if !times.is_empty() {
            series.push(SeriesData {
                label: label.to_owned(),
                points: times
                    .into_iter()
                    .step_by(step)
                    .map(|at| (at, 0.0, None))
                    .collect(),
                look: Look::Glyphs(glyph),
                names: Vec::new(),
            });
        }
    }
    Plot {
        title: "Round trips and losses".to_owned(),
        x: Axis::new("Time (s)", Scale::Linear),
        y: Axis::new("Round trip (ms)", Scale::Linear).from(0.0),
        series,
        ..Plot::default()
    }
}

/// Goodput over time.
fn goodput(observed: &Observed) -> Plot {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let width_s = f64::from(AVERAGED) * WIDTH_NS as f64 / 1e9;
    for bin in observed.transfer.bins.iter() {
        let at_s = f64::from(bin.index / AVERAGED) * width_s;
        let mbps = f64::from(bin.delivered) * 8.0 / width_s / 1e6;
        match points.last_mut() {
            Some(last) if last.0 == at_s => last.1 += mbps,
            _ => points.push((at_s, mbps)),
        }
    }
    Plot {
        title: "Goodput".to_owned(),
        x: Axis::new("Time (s)", Scale::Linear),
        y: Axis::new("Goodput (Mb/s)", Scale::Linear).from(0.0),
        series: vec![SeriesData::line("goodput", &points)],
        ..Plot::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SHA-256 in base64, as a page's policy has it.
    #[test]
    fn the_policy_permits_the_script() {
        use base64::Engine as _;
        use sha2::Digest as _;
        let digest = sha2::Sha256::digest(SCRIPT.text);
        let text = base64::engine::general_purpose::STANDARD.encode(digest);
        let wanted = format!("sha256-{text}");
        assert_eq!(SCRIPT.hash, wanted, "write it into zoom.js.sha256");
    }
}
