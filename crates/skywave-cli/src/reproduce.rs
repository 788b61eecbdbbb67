//! `skywave reproduce`: measure a paper's claims again.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use skywave_lab::claims::{self, Paper, RunOptions, Scorecard};
use skywave_lab::experiment::{self, Results};
use skywave_lab::report::{self, HtmlOptions, Study};

use crate::failure::Failure;
use crate::keep::Keep;
use crate::progress::Bar;
use crate::{interrupt, output};

/// Measure the claims of a paper again: theirs, ours, and a verdict by one rule.
///
/// Runs every experiment of the paper and prints the scorecard; leaves it as scorecard.html and
/// scorecard.md in runs/PAPER/, and each experiment's report and data below that. What a paper
/// claims and we cannot reproduce is reported as such: it does not make the command fail.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave reproduce cerl\n  \
    skywave reproduce cerl --only fig7a        # one figure and its claims\n  \
    skywave reproduce cerl --json | jq .verdict\n\n\
    Each line of --json has: claim, kind, where, statement, core, paper, ours, ci95, verdict, parts\n\
    (paper, ours and ci95 are objects by name where a claim has several numbers).")]
pub(crate) struct Args {
    /// The paper: cerl.
    paper: String,

    /// Only these experiments, and the claims that they can judge.
    #[arg(long, value_name = "FIGURE", value_delimiter = ',')]
    only: Vec<String>,

    /// Print one JSON object a claim instead of the table.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    keep: Keep,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let mut paper = claims::load(&args.paper)?;
    if !args.only.is_empty() {
        paper.keep(&args.only)?;
    }
    let dir = args.keep.out.join(paper.name());
    let results = simulate_all(args, &paper, &dir)?;
    let mut scorecard = claims::evaluate(&paper, &results);
    if !args.only.is_empty() {
        scorecard = scorecard.judged();
    }
    write_all(&dir, &paper, &results, &scorecard)?;

    let mut out = io::stdout().lock();
    if args.json {
        write!(out, "{}", scorecard.to_json_lines())?;
        return Ok(());
    }
    if !args.only.is_empty() {
        for (study, results) in studies(&paper, &results) {
            writeln!(out, "{}", report::table(&study, results, output::width()))?;
        }
    }
    writeln!(out, "{}", scorecard.table())?;
    let page = dir.join("scorecard.html");
    writeln!(out, "Scorecard: {}", page.display())?;
    for name in &args.only {
        let report = dir.join(name).join("report.html");
        writeln!(out, "Report:    {}", report.display())?;
    }
    Ok(())
}

fn simulate_all(
    args: &Args,
    paper: &Paper,
    dir: &Path,
) -> Result<BTreeMap<String, Results>, Failure> {
    let bar = Bar::new(paper.name());
    let options = RunOptions {
        dir: Some(dir),
        fresh: args.keep.fresh,
        threads: args.keep.threads(),
        cancel: interrupt::flag(),
        progress: &|progress| bar.show(progress.all),
        ..RunOptions::default()
    };
    let results = claims::run(paper, &options, experiment::simulate)?;
    let done = results.values().map(Results::finished).sum();
    if done < paper.runs() {
        return Err(Failure::Interrupted {
            done,
            total: paper.runs(),
            dir: dir.to_owned(),
        });
    }
    Ok(results)
}

/// Each experiment with its results.
fn studies<'a>(
    paper: &'a Paper,
    results: &'a BTreeMap<String, Results>,
) -> impl Iterator<Item = (Study, &'a Results)> {
    let with_results = |scenario| {
        let study = Study::from(scenario);
        let results = results.get(&study.name)?;
        Some((study, results))
    };
    paper.experiments().iter().filter_map(with_results)
}

fn write_all(
    dir: &Path,
    paper: &Paper,
    results: &BTreeMap<String, Results>,
    scorecard: &Scorecard,
) -> Result<(), Failure> {
    for (study, results) in studies(paper, results) {
        let options = HtmlOptions {
            command: Some(format!(
                "skywave reproduce {} --only {}",
                paper.name(),
                study.name
            )),
            ..HtmlOptions::default()
        };
        report::write_all(&dir.join(&study.name), &study, results, &options)?;
    }
    let page = scorecard.html(paper, results)?;
    output::write(&dir.join("scorecard.html"), &page)?;
    output::write(&dir.join("scorecard.md"), &scorecard.markdown())?;
    Ok(())
}
