//! Results of a scenario on the disk and in the terminal, for `run` and `merge`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skywave_lab::experiment::Results;
use skywave_lab::report::{self, HtmlOptions, SeriesBefore, Study};
use skywave_lab::scenario::Scenario;

use crate::failure::Failure;
use crate::figures::Wanted;
use crate::origin::Origin;
use crate::output;
use crate::partition::Csv;

/// Results, and what is to be shown of them.
pub(crate) struct Publication<'a> {
    pub(crate) scenario: &'a Scenario,
    /// The study that the scenario is.
    pub(crate) study: &'a Study,
    pub(crate) results: &'a Results,
    /// The run directory.
    pub(crate) dir: &'a Path,
    /// The scenario's file, as the user named it.
    pub(crate) named: &'a str,
    /// The same from here.
    pub(crate) file: &'a Path,
    pub(crate) figures: Wanted<'a>,
    /// A folder for each value of this swept path is wanted.
    pub(crate) partition: Option<&'a str>,
    pub(crate) csv: Csv,
    pub(crate) shown: Shown,
}

/// Form in which results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// A table, and where the files are.
    Table,
    /// One JSON object a run and flow.
    Json,
    /// Where the files are.
    Quiet,
}

impl Shown {
    pub(crate) fn of(json: bool, quiet: bool) -> Self {
        match (json, quiet) {
            (true, _) => Self::Json,
            (false, true) => Self::Quiet,
            (false, false) => Self::Table,
        }
    }
}

impl Publication<'_> {
    /// Writes the report, the tables and the plots; gives the paths of the plots.
    pub(crate) fn write(&self) -> Result<Vec<PathBuf>, Failure> {
        let options = HtmlOptions {
            command: Some(format!("skywave run {}", self.named)),
            ..HtmlOptions::default()
        };
        let origin = Origin::of(self.file, self.dir, self.scenario.text());
        if let Some(note) = origin.note() {
            output::note(&note);
        }
        let series = report::write_all(
            self.dir,
            self.study,
            self.results,
            &options,
            self.csv.is_wanted,
        )?;
        if let Some(key) = self.partition {
            report::write_partitioned(self.dir, self.study, self.results, key)?;
        }
        origin.write()?;
        if let Some(before) = series {
            tell_series(before, self.dir);
        }
        self.figures.write(self.study, self.results)
    }

    /// Prints what is to be shown, `drawn` plots and `captured` in words included.
    pub(crate) fn show(&self, drawn: &[PathBuf], captured: Option<&str>) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        if self.shown == Shown::Json {
            for row in report::rows(self.study, self.results) {
                writeln!(out, "{}", row.to_json())?;
            }
            if let Some(warning) = report::caution(self.results) {
                writeln!(io::stderr(), "{warning}")?;
            }
            return Ok(());
        }
        if self.shown == Shown::Table {
            let table = report::table(self.study, self.results, output::width());
            writeln!(out, "{table}")?;
            if let Some(warning) = report::caution(self.results) {
                writeln!(out, "{warning}\n")?;
            }
            for trace in self.scenario.traces() {
                writeln!(out, "Trace:  {}", trace.display())?;
            }
        }
        writeln!(out, "Report: {}", self.dir.join("report.html").display())?;
        writeln!(
            out,
            "Data:   {}",
            self.dir.join("results.parquet").display()
        )?;
        if self.csv.is_wanted {
            writeln!(out, "CSV:    {}", self.dir.join("results.csv").display())?;
        }
        if self.partition.is_some() {
            let parts = self.dir.join(report::PARTITIONED);
            writeln!(out, "Parts:  {}/", parts.display())?;
        }
        if self.shown == Shown::Table {
            for plot in drawn {
                writeln!(out, "Plot:   {}", plot.display())?;
            }
            if let Some(captured) = captured {
                writeln!(out, "Packets: {captured}")?;
            }
        }
        Ok(())
    }
}

/// Says what became of time series that a run before had left, and this one did not record.
fn tell_series(before: SeriesBefore, dir: &Path) {
    let path = dir.join("series.parquet");
    let path = path.display();
    output::note(&match before {
        SeriesBefore::Kept => format!(
            "{path} stays, it is of the same runs; the report has no part \"Over time\" without --series"
        ),
        SeriesBefore::Removed => {
            format!("{path} is removed, it was of other runs; --series records these")
        }
    });
}
