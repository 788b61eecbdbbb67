//! Further forms of the tables: in a folder for each value of a swept parameter, and as CSV.

use std::path::Path;

use skywave_lab::report;
use skywave_lab::scenario::Scenario;

use crate::failure::Failure;

/// The wish for such folders.
#[derive(Debug, clap::Args)]
pub(crate) struct Partition {
    /// Leave the rows of results.parquet also in a folder for each value of this swept path, as in
    /// OUT/NAME/results/KEY=VALUE/part-0.parquet (Hive's layout).
    #[arg(id = "partition", long = "partition", value_name = "KEY")]
    key: Option<String>,
}

/// The wish for CSV.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Csv {
    /// Write each table as CSV, too, beside its Parquet file.
    #[arg(id = "csv", long = "csv")]
    pub(crate) is_wanted: bool,
}

impl Partition {
    /// The swept path, which may be named by its last words. What stands in the way in the run directory `dir` is refused
    /// here: it should not cost a night of simulations.
    pub(crate) fn path(&self, scenario: &Scenario, dir: &Path) -> Result<Option<String>, Failure> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        report::check_partitioned(dir)?;
        let paths = scenario.params();
        if paths.contains(key) {
            return Ok(Some(key.clone()));
        }
        let end = format!(".{key}");
        let mut named = paths.iter().filter(|path| path.ends_with(&end));
        match (named.next(), named.next()) {
            (Some(path), None) => Ok(Some(path.clone())),
            _ => Err(Failure::usage(format!(
                "--partition {key}: expected one of the paths in [sweep]: {}",
                paths.join(", ")
            ))),
        }
    }
}
