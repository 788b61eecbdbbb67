//! `skywave judge`: run a law through cases, and print what it passed.

#[cfg(target_os = "linux")]
mod kernel;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use skywave_lab::report::number::counted;
use skywave_lab::scenario::Scenario;
use skywave_papers::claims::Paper;
use skywave_papers::referee::{self, Card, Law, Matrix, Retracing, Sender, SetCard, Trial};

use crate::failure::Failure;
use crate::foreign::Foreign;
use crate::interrupt;
use crate::keep::Keep;
use crate::names::Named;
use crate::{output, several};

/// Folder of the table of all laws, and of one of several.
const ALL: &str = "all";
const SEVERAL: &str = "several";

/// Judge a law: run it through cases, and print which it passes and which it fails.
///
/// A case is a scenario with the law as the sender of a flow, and limits of a number that is measured there. Passed
/// is what lies within the limits with its whole 95 % interval, failed what lies outside with all of it; what lies between is
/// unsure. Leaves runs/judge/LAW/card.html, with plots of each failed case and the moment from which on it was wrong, and
/// card.json. A failed case does not make the command fail, unless --strict is given.
///
/// A law is a preset (cubic, bbr3), one of the QUIC senders (quic-bbr), or a composition. Cases of your own are a folder with
/// scenarios and claims.toml: docs/judge.md has the format.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave judge bbr3\n  \
    skywave judge '{ preset = \"cubic\", detection = \"rack\" }' --cases\n  \
    skywave judge cubic --set ./my-cases       # a folder with scenarios and claims.toml\n  \
    skywave judge cubic quic-cubic             # a card each, and both in a table\n  \
    skywave judge noq:bbr3 quinn:bbr           # other QUIC libraries' own, over our paths\n  \
    skywave judge kernel:cubic --set rfc9743   # this kernel's own, in real time\n  \
    skywave judge --all                        # the table of all laws\n  \
    skywave judge --list                       # the cases, a line each\n  \
    skywave judge bbr3 --strict                # exit code 1 when a case fails, for tests of a law\n  \
    skywave judge bbr3 --json | jq 'select(.standing == \"fail\").case'\n\n\
    Each line of --json is a case: law, set, case, standing (pass, fail, unsure, not possible, not\n\
    asked), where, statement, note, why, numbers [{name, asked, measured, ci95, unit, place, standing}],\n\
    wrong {number, scenario, place, seed, moment_s}. With --all it is a law: law, cells [{set, passed,\n\
    counts, failed, unsure}].")]
pub(crate) struct Args {
    /// Laws: presets, QUIC senders, compositions; other libraries' as noq:bbr3 or quinn:bbr, where no other sender is beside them;
    /// this kernel's as kernel:cubic, in real time.
    #[arg(required_unless_present_any = ["all", "list"], conflicts_with_all = ["all", "list"])]
    laws: Vec<String>,

    /// Only this set of cases, or the one in this folder; all built-in sets unless given. May be given several times.
    #[arg(long = "set", value_name = "SET", hide_possible_values = true,
        value_parser = Named(|| referee::sets().collect()))]
    sets: Vec<String>,

    /// Judge all laws that have names, and print a table of them.
    #[arg(long, conflicts_with = "list")]
    all: bool,

    /// List the sets and their cases, a line each, and run nothing.
    #[arg(long)]
    list: bool,

    /// Print every case, and what it asks, instead of the failed and unsure ones alone.
    #[arg(long, conflicts_with_all = ["json", "list"])]
    cases: bool,

    /// Print one JSON object a case instead of the card; with --all, one a law.
    #[arg(long, conflicts_with = "list")]
    json: bool,

    /// Fail, with exit code 1, when a case fails.
    #[arg(long, conflicts_with = "list")]
    strict: bool,

    #[command(flatten)]
    keep: Keep,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let sets = load(args)?;
    if args.list {
        let mut out = io::stdout().lock();
        for set in &sets {
            write!(out, "{}", referee::list(set, output::width()))?;
        }
        return Ok(());
    }
    let laws = if args.all {
        let all = Law::all()?.into_iter();
        all.map(|law| Box::new(law) as Box<dyn Sender>).collect()
    } else {
        let laws = args.laws.iter().map(|text| law(text));
        laws.collect::<Result<Vec<_>, Failure>>()?
    };
    let mut folders = BTreeSet::new();
    let twice = laws
        .iter()
        .find(|law| !folders.insert(referee::folder(law.name())));
    if let Some(law) = twice {
        return Err(Failure::usage(format!(
            "two laws have the name `{}`, and their runs would have one folder",
            law.name()
        )));
    }
    let mut cards = Vec::new();
    for law in &laws {
        let card = judge(args, &**law, &sets)?;
        if !args.all {
            show(args, &card)?;
        }
        cards.push(card);
    }
    if args.all || cards.len() > 1 {
        together(args, &cards)?;
    }
    let failed = cards.iter().flat_map(|card| {
        let cases = card.failed().into_iter();
        cases.map(|case| format!("{}: {case}", card.law))
    });
    let failed: Vec<String> = failed.collect();
    if args.strict && !failed.is_empty() {
        let (cases, all) = (counted(failed.len(), "case"), failed.join("; "));
        return Err(Failure::failed(format!("{cases} failed: {all}")));
    }
    Ok(())
}

/// A law by its name: of this kernel, of another library, or of the simulator.
fn law(text: &str) -> Result<Box<dyn Sender>, Failure> {
    #[cfg(target_os = "linux")]
    if let Some(kernel) = kernel::Kernel::named(text)? {
        return Ok(Box::new(kernel));
    }
    Ok(match Foreign::named(text)? {
        Some(foreign) => Box::new(foreign),
        None => Box::new(Law::parse(text)?),
    })
}

/// The sets asked for.
fn load(args: &Args) -> Result<Vec<Paper>, Failure> {
    if args.sets.is_empty() {
        let sets = referee::sets().map(referee::load);
        return Ok(sets.collect::<Result<_, _>>()?);
    }
    let sets = args.sets.iter().map(|given| referee::named(given));
    let sets: Vec<Paper> = sets.collect::<Result<_, _>>()?;
    let mut names = BTreeSet::new();
    match sets.iter().find(|set| !names.insert(set.name())) {
        None => Ok(sets),
        Some(twice) => Err(Failure::usage(format!(
            "--set: two sets have the name `{}`, and their runs would have one folder",
            twice.name()
        ))),
    }
}

/// Runs a law through the sets, and writes its card, unless `--all` asks for the table of all laws.
fn judge(args: &Args, law: &dyn Sender, sets: &[Paper]) -> Result<Card, Failure> {
    let dir = args.keep.out.join(referee::folder(law.name()));
    // The table of many laws has no plots.
    let retracing = (!args.all).then(|| Retracing {
        threads: args.keep.threads(),
        cancel: interrupt::flag(),
    });
    let mut card = Card::new(law);
    for set in sets {
        card.sets
            .push(trial(args, law, set, &dir, retracing.as_ref())?);
    }
    if !args.all {
        output::write(&dir.join("card.json"), &card.to_json())?;
        output::write(&dir.join("card.html"), &referee::page(&card)?)?;
    }
    Ok(card)
}

fn trial(
    args: &Args,
    law: &dyn Sender,
    set: &Paper,
    dir: &Path,
    retracing: Option<&Retracing<'_>>,
) -> Result<SetCard, Failure> {
    let trial = Trial::new(set, law)?;
    let title = format!("{}: {}", law.name(), set.name());
    let dir = dir.join(set.name());
    let results = several::simulate_by(&title, trial.scenarios(), &args.keep, &dir, law)?;
    let card = trial.judge(&results, retracing);
    if interrupt::flag().load(Ordering::Relaxed) {
        // Failed cases may not have been looked at to the end.
        let runs: usize = trial.scenarios().iter().map(Scenario::runs).sum();
        return Err(interrupt::kept(format_args!("{runs} of {runs}"), &dir));
    }
    Ok(card)
}

/// Prints a card.
fn show(args: &Args, card: &Card) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if args.json {
        write!(out, "{}", card.to_json_lines())?;
        return Ok(());
    }
    let dir = args.keep.out.join(referee::folder(&card.law));
    writeln!(out, "{}", card.table(output::width(), args.cases))?;
    writeln!(out, "Card: {}", dir.join("card.html").display())?;
    Ok(())
}

/// Leaves and prints the table of several laws.
fn together(args: &Args, cards: &[Card]) -> Result<(), Failure> {
    let name = if args.all { ALL } else { SEVERAL };
    let dir = args.keep.out.join(referee::folder(name));
    let matrix = Matrix(cards);
    let page = dir.join("card.html");
    output::write(&dir.join("card.jsonl"), &matrix.to_json_lines())?;
    output::write(&page, &matrix.page()?)?;
    let mut out = io::stdout().lock();
    if args.json {
        if args.all {
            write!(out, "{}", matrix.to_json_lines())?;
        }
        return Ok(());
    }
    write!(out, "\n{}", matrix.table(output::width()))?;
    writeln!(out, "Card: {}", page.display())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compositions_in_the_examples_are_laws() {
        let command = <Args as clap::Args>::augment_args(clap::Command::new("judge"));
        let help = command.get_after_help().unwrap().to_string();
        for text in [help.as_str(), include_str!("../../../docs/judge.md")] {
            let lines = text
                .lines()
                .filter(|line| line.trim_start().starts_with("skywave judge"));
            let compositions =
                lines.filter_map(|line| line.split('\'').find(|part| part.starts_with('{')));
            let read: Vec<_> = compositions.map(|text| law(text).map(drop)).collect();
            assert!(
                !read.is_empty() && read.iter().all(Result::is_ok),
                "{read:?}"
            );
        }
    }
}
