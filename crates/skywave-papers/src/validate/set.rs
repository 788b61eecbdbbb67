//! Sets of rows (comparisons with another simulator): built-in ones, and those in folders of the user's.

use std::path::Path;

use skywave_lab::experiment::Design;
use skywave_scenario::ScenarioError;
use skywave_sim::Spec;

use super::model::Terms;
use super::place::Place;
use super::row::{Maker, Row};
use super::table::{self, Cells};
use crate::file::{FileError, choice, from_toml};

/// Reason why a set (comparison with another simulator) cannot be used: no set has the name, or its files have a
/// mistake.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// Name that is neither a built-in set nor a folder.
    #[error("there is no set `{name}`; there are {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// Names of the built-in sets, and the one that may have been meant.
        known: String,
    },
    /// A file of the set cannot be read, or is not what it should be.
    #[error(transparent)]
    File(#[from] FileError),
    /// Row of the set's table that cannot be understood, or from which no scenario can be made.
    #[error("{place}: {what}")]
    Row {
        /// Place of the mistake: the table and its line, the template, or the option that gave the row.
        place: String,
        /// Mistake at `place`, in words.
        what: String,
    },
    /// Row whose scenario is not valid.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
}

/// A set: a comparison with another simulator, of rows that each have a scenario to run and that simulator's numbers.
#[derive(Clone, Debug)]
pub struct Set {
    /// Name of the set: a built-in one's, by which the command line picks it; else the last part of its folder's path,
    /// or `live` for one point that is run with ns-2.
    pub name: String,
    /// Terms of the comparison: what is compared, and how many rows must agree.
    pub terms: Terms,
    pub(super) place: Place,
    pub(super) rows: Vec<Row>,
    pub(super) seeds: Vec<u64>,
}

/// Names of the built-in sets (comparisons with other simulators), in the order in which tables list them.
pub fn names() -> Vec<&'static str> {
    let order = |name: &&'static str| {
        let terms = terms(&Place::BuiltIn((*name).to_owned()));
        (
            terms.ok().and_then(|terms| terms.order).unwrap_or(u32::MAX),
            *name,
        )
    };
    let mut names: Vec<&str> = Place::names().collect();
    names.sort_by_cached_key(order);
    names
}

fn terms(place: &Place) -> Result<Terms, FileError> {
    let (file, text) = place.set()?;
    Ok(from_toml(&file, &text)?.1)
}

impl Set {
    /// Reads the built-in set (comparison with another simulator) of this name, or else the one in the folder `name`.
    /// Its runs have the seeds 1 to `seeds`, or fewer if the set has a limit.
    ///
    /// # Errors
    /// When there is neither, or a file or row of it has a mistake.
    pub fn load(name: &str, seeds: u64) -> Result<Self, SetError> {
        let folder = Path::new(name);
        let place = if Place::names().any(|known| known == name) {
            Place::BuiltIn(name.to_owned())
        } else if folder.is_dir() {
            Place::Folder(folder.to_owned())
        } else {
            return Err(SetError::Unknown {
                name: name.to_owned(),
                known: choice(name, names().into_iter()),
            });
        };
        // "." and ".." have no name of their own.
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let last = whole.file_name().unwrap_or(folder.as_os_str());
        let terms = terms(&place)?;
        let most = terms.most_seeds.unwrap_or(seeds);
        let mut set = Self {
            name: match &place {
                Place::BuiltIn(name) => name.clone(),
                Place::Folder(_) => last.to_string_lossy().into_owned(),
            },
            terms,
            place,
            rows: Vec::new(),
            seeds: (1..=seeds.min(most)).collect(),
        };
        set.rows = set.read()?;
        Ok(set)
    }

    /// Rows of the set, each one scenario to compare.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Keeps the rows for which `keep` is true.
    pub fn retain(&mut self, keep: impl FnMut(&Row) -> bool) {
        self.rows.retain(keep);
    }

    /// A copy of the set with `text` in the column `column`, or as the value of the variable of this name, of every
    /// row. The reference numbers and other variables stay.
    ///
    /// # Errors
    /// When a row then makes no valid scenario.
    pub fn with(&self, column: &str, text: &str) -> Result<Self, SetError> {
        let mut set = self.clone();
        self.making(|maker| {
            for row in &mut set.rows {
                let mut cells = row.cells.clone();
                cells.set(column, text.to_owned());
                let reference = std::mem::take(&mut row.reference);
                *row = maker.row(cells)?;
                row.reference = reference;
            }
            Ok(())
        })?;
        Ok(set)
    }

    /// The rows of its tables that it compares.
    fn read(&self) -> Result<Vec<Row>, SetError> {
        self.making(|maker| {
            let mut rows: Vec<Row> = Vec::new();
            for path in &self.terms.tables {
                for cells in table::rows(&self.place.shown(path), &self.place.text(path)?)? {
                    let cells = maker.complete(cells)?;
                    if !maker.takes(&cells)? {
                        continue;
                    }
                    let mut row = maker.row(cells)?;
                    for measured in &self.terms.quantity {
                        row.reference.extend(measured.of(&row, &self.terms.runs)?);
                    }
                    let is_known = rows.iter().any(|other| other.labels == row.labels);
                    if !(self.terms.once && is_known) {
                        rows.push(row);
                    }
                }
            }
            Ok(rows)
        })
    }

    /// Result of `make` with the set's templates.
    pub(super) fn making<T>(
        &self,
        make: impl FnOnce(&Maker<'_>) -> Result<T, SetError>,
    ) -> Result<T, SetError> {
        let scenario = self.place.text(&self.terms.scenario)?;
        let maker = Maker::new(&self.name, &self.terms, &scenario);
        let file = self.place.shown(&self.terms.scenario);
        make(&maker.map_err(|error| Cells::empty(&file).wrong(&error))?)
    }
}

impl Design for Set {
    fn points(&self) -> usize {
        self.rows.len()
    }

    fn seeds(&self) -> &[u64] {
        &self.seeds
    }

    fn spec(&self, point: usize, seed: u64) -> Spec {
        self.rows[point].scenario.points()[0].spec(seed)
    }
}
