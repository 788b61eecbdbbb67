//! `skywave reproduce --maps`: where a paper's main gain is there.

use std::path::Path;

use skywave_lab::experiment::Ledger;
use skywave_papers::claims::{self, Paper};
use skywave_papers::maps::{self, MapError, PaperMap, Taken, Taking};
use skywave_search::SearchError;
use skywave_search::bench::Making;

use super::{ALL, Args};
use crate::failure::Failure;
use crate::progress::Bar;
use crate::{interrupt, output};

/// Reads the maps of all papers, if they are asked for: a mistake in them is told before anything runs.
pub(super) fn check(args: &Args, papers: &[Paper]) -> Result<(), Failure> {
    if args.maps.is_none() {
        return Ok(());
    }
    for paper in papers {
        listed(args, paper)?;
    }
    Ok(())
}

/// A paper's maps; none if all papers are asked for and this one has none.
fn listed(args: &Args, paper: &Paper) -> Result<Vec<PaperMap>, Failure> {
    match load(args, paper) {
        Err(MapError::None(_)) if args.paper == ALL => Ok(Vec::new()),
        other => other.map_err(Failure::usage),
    }
}

/// The maps of a paper, if they are asked for; with all papers those of the papers that have some.
pub(super) fn of(args: &Args, paper: &Paper) -> Result<Vec<Taken>, Failure> {
    let Some(points) = args.maps else {
        return Ok(Vec::new());
    };
    let listed = listed(args, paper)?;
    if listed.is_empty() {
        return Ok(Vec::new());
    }
    let dir = args.keep.out.join(paper.name()).join("maps");
    let ledger = Ledger::open(&dir, args.keep.fresh, &output::doubts)?;
    let taken = listed.iter().map(|map| {
        let points = points as usize;
        let bar = Bar::of_search(&format!("map {}", map.name()), Some(map.runs(points)));
        let making = Making {
            threads: args.keep.threads(),
            cancel: interrupt::flag(),
            told: &|done, _| bar.at(done),
        };
        let taking = Taking {
            points,
            ledger: &ledger,
            making,
        };
        map.take(&taking)
    });
    let taken: Result<Vec<Taken>, MapError> = taken.collect();
    ledger.arrange()?;
    match taken {
        Err(MapError::Search {
            error: SearchError::Interrupted,
            ..
        }) => Err(interrupt::kept(ledger.len(), &dir)),
        other => other.map_err(Failure::usage),
    }
}

fn load(args: &Args, paper: &Paper) -> Result<Vec<PaperMap>, MapError> {
    let built_in = claims::papers().any(|name| name == paper.name());
    match claims::folder_of(Path::new(&args.paper)) {
        Some(folder) if !built_in || args.paper != paper.name() => maps::load_dir(&folder),
        _ => maps::load(paper.name()),
    }
}
