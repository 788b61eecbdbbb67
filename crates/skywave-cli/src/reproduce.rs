//! `skywave reproduce`: measure a paper's claims again.

mod maps;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skywave_lab::experiment::Results;
use skywave_lab::report::{self, HtmlOptions, Study};
use skywave_lab::scenario::Scenario;
use skywave_lab::threads;
use skywave_papers::claims::{self, Paper, Reproduction, Scorecard};
use skywave_papers::maps::Taken;

use crate::elsewhere::Elsewhere;
use crate::failure::Failure;
use crate::keep::Keep;
use crate::names::Named;
use crate::partition::Csv;
use crate::{output, several};

/// The word for every paper.
const ALL: &str = "all";
/// The page, of one paper and of all, and the text beside it; without their endings.
const SCORECARD: &str = "scorecard";

/// Measure the claims of a paper again: theirs, ours, and a verdict by one rule.
///
/// Runs every experiment of the paper and prints the scorecard; leaves it as scorecard.html and
/// scorecard.md in runs/PAPER/, and each experiment's report and data below that. With "all" every
/// paper is reproduced, and runs/scorecard.html has the claims of all. --only writes a scorecard of its
/// own, such as scorecard-fig7a.html, and leaves the whole one as it is. What a paper claims and we
/// cannot reproduce is reported as such: it does not make the command fail.
///
/// A paper of your own is a folder with experiments and claims.toml: docs/own-paper.md has the format.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave reproduce cerl\n  \
    skywave reproduce cerl --only fig7a        # one figure and its claims\n  \
    skywave reproduce all\n  \
    skywave reproduce ./my-paper               # a folder with experiments and claims.toml\n  \
    skywave reproduce cerl --json | jq .verdict\n  \
    skywave reproduce cerl --markdown my-page.md   # tables of a page between hand-written text\n  \
    skywave reproduce sifest --maps            # where its gain is there, some minutes\n  \
    skywave reproduce wtcp --twice             # does a verdict hang on the number of seeds?\n\n\
    Each line of --json has: claim, kind, where, statement, core, figure, note, main, unmeasured, reason, paper,\n\
    ours, ci95, verdict, parts, parts_reproduced, readings\n\
    (paper, ours and ci95 are objects by name where a claim has several numbers).\n\
    With --maps a line each follows: map, paper, share (of the space), points, held_out, right.")]
pub(crate) struct Args {
    /// The paper, such as cerl, or all; or the folder of one of your own.
    #[arg(value_parser = Named(|| claims::papers().chain([ALL]).collect()), hide_possible_values = true)]
    paper: String,

    /// Only these experiments, and the claims that they can judge.
    #[arg(long, value_name = "FIGURE", value_delimiter = ',', hide_possible_values = true,
        value_parser = Named(|| claims::experiments().collect()))]
    only: Vec<String>,

    /// Print one JSON object a claim instead of the table.
    #[arg(long)]
    json: bool,

    #[arg(long, value_name = "PAGE", num_args = 1.., conflicts_with = "only", help = format!(
        "Bring pages up to date: what stands in them between \"<!-- {} PAPER: KIND -->\" and \"<!-- end -->\" \
         is replaced. Kinds: {}", claims::VERB, claims::kinds()))]
    markdown: Vec<PathBuf>,

    /// Run each experiment with twice its seeds (results in runs/PAPER/twice), and tell which verdicts differ from those
    /// by the first half.
    #[arg(long, conflicts_with_all = ["json", "csv", "markdown", "dask", "store"])]
    twice: bool,

    /// Take the paper's maps too: where in a space of paths its main gain is there. With this number of points each.
    #[arg(long, value_name = "POINTS", num_args = 0..=1, default_missing_value = "400",
        value_parser = clap::value_parser!(u32).range(20..=5000), conflicts_with_all = ["twice", "dask", "store"])]
    maps: Option<u32>,

    #[command(flatten)]
    csv: Csv,

    #[command(flatten)]
    keep: Keep,

    #[command(flatten)]
    elsewhere: Elsewhere,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let papers = load(args)?;
    if args.twice {
        return twice(args, papers);
    }
    output::check_pages(&args.markdown, claims::VERB, |text| {
        claims::in_page(text, &[])
    })?;
    maps::check(args, &papers)?;
    let mut measured = Vec::new();
    for paper in &papers {
        let only: Vec<String> = args
            .only
            .iter()
            .map(|name| format!("--only={name}"))
            .collect();
        let only: Vec<&str> = only.iter().map(String::as_str).collect();
        let what = args.given(paper);
        let keep = args
            .elsewhere
            .make("reproduce", what.as_ref(), &only, &args.keep)?;
        let scenarios: Vec<Scenario> = paper.scenarios().cloned().collect();
        measured.push(several::simulate(
            paper.name(),
            &scenarios,
            &keep,
            &args.keep.out.join(paper.name()),
        )?);
    }
    let scorecards: Vec<Scorecard> = papers
        .iter()
        .zip(&measured)
        .map(|(paper, results)| {
            let scorecard = claims::evaluate(paper, results);
            if args.only.is_empty() {
                scorecard
            } else {
                scorecard.judged()
            }
        })
        .collect();
    let maps = papers.iter().map(|paper| maps::of(args, paper));
    let maps: Vec<Vec<Taken>> = maps.collect::<Result<_, Failure>>()?;
    let together: Vec<Reproduction<'_>> = papers
        .iter()
        .zip(&measured)
        .zip(scorecards.iter().zip(&maps))
        .map(|((paper, results), (scorecard, maps))| Reproduction {
            paper,
            results,
            scorecard,
            maps,
        })
        .collect();
    let mut page = PathBuf::new();
    for one in &together {
        let dir = args.keep.out.join(one.paper.name());
        write_all(args, &dir, one)?;
        page = dir.join(args.page());
    }
    if args.paper == ALL {
        page = args.keep.out.join(args.page());
        output::write(&page, &claims::page(&together)?)?;
    }
    let cards: Vec<&Scorecard> = scorecards.iter().collect();
    output::replace(&args.markdown, |text| claims::in_page(text, &cards))?;
    print(args, &together, &page)
}

/// Runs everything with twice the seeds, and tells which verdicts that changes.
fn twice(args: &Args, papers: Vec<Paper>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for mut paper in papers {
        let mut scenarios: Vec<Scenario> = paper.scenarios().cloned().collect();
        scenarios.iter_mut().for_each(Scenario::double_seeds);
        let dir = args.keep.out.join(paper.name()).join("twice");
        let results = several::simulate(paper.name(), &scenarios, &args.keep, &dir)?;
        let by_half = claims::evaluate(&paper, &results);
        paper.double_seeds();
        let by_all = claims::evaluate(&paper, &results);
        let (parts, _) = by_all.parts(None);
        let differing = by_half.differing(&by_all);
        writeln!(
            out,
            "{}: {} of {parts} parts, and what they are under other readings, have another verdict with twice the seeds",
            paper.name(),
            differing.len()
        )?;
        for (part, once, twice) in differing {
            writeln!(out, "  {part}: {once} → {twice}")?;
        }
    }
    Ok(())
}

/// The papers asked for.
fn load(args: &Args) -> Result<Vec<Paper>, Failure> {
    if args.paper == ALL {
        if !args.only.is_empty() {
            return Err(Failure::usage(
                "`--only` chooses among the figures of one paper: name it instead of `all`",
            ));
        }
        return Ok(claims::papers()
            .map(claims::load)
            .collect::<Result<_, _>>()?);
    }
    let mut paper = match claims::folder_of(Path::new(&args.paper)) {
        Some(folder) if !claims::papers().any(|name| name == args.paper) => {
            claims::load_dir(&folder)?
        }
        _ => claims::load(&args.paper)?,
    };
    if !args.only.is_empty() {
        paper.keep(&args.only)?;
    }
    Ok(vec![paper])
}

impl Args {
    /// The scorecard's name without its ending. One of some figures does not take the place of the
    /// whole paper's.
    fn scorecard(&self) -> String {
        let parts = [SCORECARD]
            .into_iter()
            .chain(self.only.iter().map(String::as_str));
        parts.collect::<Vec<_>>().join("-")
    }

    /// The name of the page.
    fn page(&self) -> String {
        format!("{}.html", self.scorecard())
    }

    /// How a paper is given: a built-in one by its name.
    fn given<'a>(&'a self, paper: &'a Paper) -> &'a str {
        if self.paper == ALL {
            return paper.name();
        }
        &self.paper
    }

    /// Paper as an argument of a command that can be copied.
    fn named(&self, paper: &Paper) -> String {
        output::for_shell(Path::new(self.given(paper)))
    }
}

fn print(args: &Args, papers: &[Reproduction<'_>], page: &Path) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for one in papers {
        if args.json {
            write!(out, "{}", one.scorecard.to_json_lines())?;
            for map in one.maps {
                writeln!(out, "{}", map.json(one.paper.name()))?;
            }
            continue;
        }
        if !args.only.is_empty() {
            for (study, results) in studies(one.paper, one.results) {
                writeln!(out, "{}", report::table(&study, results, output::width()))?;
            }
        }
        writeln!(out, "{}", one.scorecard.table())?;
        if !args.only.is_empty() {
            write!(out, "{}", one.scorecard.digest())?;
        }
        for map in one.maps {
            writeln!(out, "Map {}: {}", map.name, map.words)?;
        }
    }
    if args.json {
        return Ok(());
    }
    if papers.len() > 1 {
        let cards: Vec<&Scorecard> = papers.iter().map(|p| p.scorecard).collect();
        writeln!(out, "All papers\n{}\n", claims::summary(&cards))?;
    }
    let of = match args.only.as_slice() {
        [] => String::new(),
        figures => format!(" (of {} only)", figures.join(", ")),
    };
    writeln!(out, "Scorecard: {}{of}", page.display())?;
    for one in papers {
        let kept = one.paper.experiments().iter().map(Scenario::name);
        for name in kept.filter(|_| !args.only.is_empty()) {
            let dir = args.keep.out.join(one.paper.name());
            let report = dir.join(name).join("report.html");
            writeln!(out, "Report:    {}", report.display())?;
        }
    }
    Ok(())
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
    paper.scenarios().filter_map(with_results)
}

fn write_all(args: &Args, dir: &Path, one: &Reproduction<'_>) -> Result<(), Failure> {
    let all: Vec<(Study, &Results)> = studies(one.paper, one.results).collect();
    threads::each(args.keep.threads(), all.len(), |at| {
        let (study, results) = &all[at];
        let options = HtmlOptions {
            command: Some(format!(
                "skywave reproduce {} --only {}",
                args.named(one.paper),
                study.name
            )),
            ..HtmlOptions::default()
        };
        let dir = dir.join(&study.name);
        report::write_all(&dir, study, results, &options, args.csv.is_wanted)?;
        Ok::<_, Failure>(())
    })?;
    output::write(&dir.join(args.page()), &claims::page(&[*one])?)?;
    let text = dir.join(format!("{}.md", args.scorecard()));
    output::write(&text, &one.scorecard.markdown())?;
    Ok(())
}
