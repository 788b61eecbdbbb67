//! The scorecards of one paper or several as one HTML page: offline, light, each claim beside its
//! numbers and its plot.

use std::collections::BTreeMap;

use serde::Serialize;

use super::baseline::{Baseline, Evidence};
use super::measure::Part;
use super::picture::picture;
use super::register::{Decision, Given};
use super::score::{Score, Scorecard};
use super::text::{NO_FIGURE, ours, stated};
use super::verdict::Verdict;
use super::{Paper, Reproduction};
use crate::maps::Taken;
use skywave_lab::experiment::Results;
use skywave_lab::report::number::fixed;
use skywave_lab::report::plot::Plot;
use skywave_lab::report::{Panel, Study, capitalised, panel_plot, panels, render_page};

const TEMPLATE: &str = include_str!("scorecard.html");
/// Style of pages with verdicts.
pub(crate) const CSS: &str = include_str!("scorecard.css");

/// Decimals of a ratio.
const RATIO: usize = 2;

/// Plots for one figure; more facets than this are in the experiment's own report.
const MAX_PLOTS: usize = 2;

#[derive(Debug, Serialize)]
struct Page<'a> {
    title: String,
    several: bool,
    complete: bool,
    /// Whether a claim is not of the core set, so that the words need to be explained.
    has_core: bool,
    parts: Vec<Count>,
    all: Vec<Count>,
    core: Vec<Count>,
    papers: Vec<Section<'a>>,
}

/// A paper's part of the page.
#[derive(Debug, Serialize)]
struct Section<'a> {
    name: &'a str,
    title: &'a str,
    source: &'a str,
    headline: String,
    left_out: Option<String>,
    parts: Vec<Count>,
    all: Vec<Count>,
    core: Vec<Count>,
    main: Vec<Main<'a>>,
    decisions: &'a [Decision],
    given: &'a [Given],
    readings: &'a [(String, String)],
    baselines: Vec<Other<'a>>,
    maps: &'a [Taken],
    figures: Vec<Figure<'a>>,
}

/// A main statement of the paper.
#[derive(Debug, Serialize)]
struct Main<'a> {
    #[serde(flatten)]
    claim: Claim<'a>,
    why: &'a str,
    /// The paper's numbers beside ours, as far as it has numbers.
    picture: Option<String>,
    /// Plot of our measurements.
    plot: Option<Drawn>,
}

/// A claim's verdict under another reading.
#[derive(Debug, Serialize)]
struct Under<'a> {
    reading: &'a str,
    verdict: Verdict,
    class: &'static str,
    /// The numbers of the parts whose verdict differs.
    parts: String,
}

/// A baseline that differs from the paper's, and the evidence.
#[derive(Debug, Serialize)]
struct Other<'a> {
    sender: &'a str,
    why: String,
    evidence: Vec<Shown<'a>>,
}

/// A piece of evidence.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    point: String,
    over: &'a str,
    program: &'a str,
    source: &'a str,
    paper: String,
    theirs: String,
    ours: String,
    standing: &'static str,
}

#[derive(Debug, Serialize)]
struct Count {
    verdict: Verdict,
    class: &'static str,
    number: usize,
}

#[derive(Debug, Serialize)]
struct Figure<'a> {
    name: Option<&'a str>,
    title: &'a str,
    description: Option<&'a str>,
    plots: Vec<Drawn>,
    claims: Vec<Claim<'a>>,
}

#[derive(Debug, Serialize)]
struct Drawn {
    caption: String,
    svg: String,
}

#[derive(Debug, Serialize)]
struct Claim<'a> {
    score: &'a Score,
    class: &'static str,
    parts_counted: usize,
    rows: Vec<Row<'a>>,
    under: Vec<Under<'a>>,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    name: &'a str,
    paper: String,
    ours: String,
    verdict: Verdict,
    class: &'static str,
}

/// Scorecards of one paper or several as an HTML page; plots are drawn from the results.
///
/// # Errors
///
/// When the page cannot be rendered, which would be a mistake in its template.
pub fn page(papers: &[Reproduction<'_>]) -> std::io::Result<String> {
    let cards: Vec<&Scorecard> = papers.iter().map(|p| p.scorecard).collect();
    let page = Page {
        title: match cards.as_slice() {
            [one] => format!("Scorecard: {}", one.title),
            several => format!("Scorecard of {} papers", several.len()),
        },
        several: papers.len() > 1,
        complete: cards.iter().all(|card| card.complete),
        has_core: cards.iter().flat_map(|card| &card.scores).any(|s| !s.core),
        parts: counts(Scorecard::total_parts(&cards, None).1),
        all: counts(Scorecard::total(&cards, None)),
        core: counts(Scorecard::total(&cards, Some(true))),
        papers: papers.iter().map(section).collect(),
    };
    render_page(TEMPLATE, CSS, &page, None)
}

fn section<'a>(one: &Reproduction<'a>) -> Section<'a> {
    let Reproduction {
        paper,
        results,
        scorecard,
        maps,
    } = *one;
    let figures = scorecard.by_figure().into_iter();
    Section {
        name: &scorecard.paper,
        title: &scorecard.title,
        source: &scorecard.source,
        headline: scorecard.headline(),
        left_out: scorecard.left_out_note(),
        parts: counts(scorecard.parts(None).1),
        all: counts(scorecard.counts(None)),
        core: counts(scorecard.counts(Some(true))),
        main: scorecard
            .main()
            .map(|(score, why)| main(paper, results, score, why))
            .collect(),
        decisions: &scorecard.decisions,
        given: &scorecard.given,
        readings: &scorecard.readings,
        baselines: scorecard.baselines.iter().map(other).collect(),
        maps,
        figures: figures
            .map(|(name, scores)| figure(paper, results, name, &scores))
            .collect(),
    }
}

fn main<'a>(
    paper: &Paper,
    results: &BTreeMap<String, Results>,
    score: &'a Score,
    why: &'a str,
) -> Main<'a> {
    let picture = picture(&score.parts);
    let plot = || plots(paper, results, score.figure.as_deref(), 1).pop();
    Main {
        claim: claim(score),
        why,
        plot: picture.is_none().then(plot).flatten(),
        picture,
    }
}

/// The readings under which some part has another verdict.
fn under(score: &Score) -> Vec<Under<'_>> {
    let others = score.rereads.iter().filter(|other| other.differs(score));
    others
        .map(|other| Under {
            reading: &other.reading,
            verdict: other.verdict,
            class: class(other.verdict),
            parts: other.numbers(score),
        })
        .collect()
}

/// The first plots of an experiment.
fn plots(
    paper: &Paper,
    results: &BTreeMap<String, Results>,
    name: Option<&str>,
    most: usize,
) -> Vec<Drawn> {
    let scenario = name.and_then(|n| paper.experiments().iter().find(|s| s.name() == n));
    let both = scenario.zip(name.and_then(|n| results.get(n)));
    both.map_or_else(Vec::new, |(scenario, results)| {
        let panels = panels(&Study::from(scenario), results);
        panels.iter().take(most).map(draw).collect()
    })
}

fn other<'a>(baseline: &'a Baseline) -> Other<'a> {
    let shown = |one: &'a Evidence| {
        let [mean, half] = one.theirs;
        Shown {
            point: format!("{}, {}", one.experiment, one.place),
            over: &one.over,
            program: &one.program,
            source: &one.source,
            paper: fixed(one.paper, RATIO),
            theirs: format!("{} ± {}", fixed(mean, RATIO), fixed(half, RATIO)),
            ours: one.ours.map_or_else(String::new, |x| fixed(x, RATIO)),
            standing: one.standing.as_str(),
        }
    };
    Other {
        sender: &baseline.sender,
        why: capitalised(&baseline.why),
        evidence: baseline.evidence.iter().map(shown).collect(),
    }
}

fn counts(counts: [(Verdict, usize); Verdict::ALL.len()]) -> Vec<Count> {
    counts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, number)| Count {
            verdict,
            class: class(verdict),
            number,
        })
        .collect()
}

/// The style class of a verdict; the word is always beside the colour.
const fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "yes",
        Verdict::DirectionOnly | Verdict::BaselineDiffers => "half",
        Verdict::NotReproduced => "no",
        Verdict::TooFewSeeds | Verdict::Circular | Verdict::NotTestable | Verdict::NotRun => "none",
    }
}

fn figure<'a>(
    paper: &'a Paper,
    results: &BTreeMap<String, Results>,
    name: Option<&'a str>,
    scores: &[&'a Score],
) -> Figure<'a> {
    let scenario = name.and_then(|n| paper.experiments().iter().find(|s| s.name() == n));
    Figure {
        name,
        title: scenario.map_or(name.unwrap_or(NO_FIGURE), |s| s.title()),
        description: scenario.and_then(|s| s.description()),
        plots: plots(paper, results, name, MAX_PLOTS),
        claims: scores.iter().map(|s| claim(s)).collect(),
    }
}

fn claim(score: &Score) -> Claim<'_> {
    Claim {
        score,
        class: class(score.verdict),
        parts_counted: score.parts_counted(),
        rows: rows(&score.parts),
        under: under(score),
    }
}

fn rows(parts: &[Part]) -> Vec<Row<'_>> {
    let parts = parts.iter();
    let rows = parts.map(|part| Row {
        name: &part.name,
        paper: stated(part),
        ours: ours(part),
        verdict: part.verdict,
        class: class(part.verdict),
    });
    rows.collect()
}

/// A small plot of a panel.
fn draw(panel: &Panel) -> Drawn {
    let plot = Plot {
        size: (640.0, 320.0),
        ..panel_plot(panel)
    };
    Drawn {
        caption: panel.facet_label(),
        svg: plot.to_inline_svg(),
    }
}
