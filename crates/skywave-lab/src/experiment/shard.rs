//! The directory of a shard: what it says of itself, and which directories belong together.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file::write_atomically;
use super::plan::{Plan, Shard};
use super::{Design, Error, RecordSeries};

/// The file in which the directory of a shard says what it is.
pub(super) const FILE: &str = "shard.json";

/// Contents of the file `shard.json` in the directory of a shard (part of an experiment's runs). They say which part of
/// which experiment the directory has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardFile {
    /// Number of the shard, from 1.
    pub shard: usize,
    /// Number of shards into which the experiment is divided.
    pub of: usize,
    /// Name of the scenario.
    pub scenario: String,
    /// Path of the scenario's file, as the user named it.
    pub file: String,
    /// Engine that makes the runs: its version, and a fingerprint of its source code.
    pub engine: String,
    /// Choice of the runs that record time series.
    pub series: RecordSeries,
    /// Number of runs in all shards together.
    pub runs: usize,
    /// A hash of all that decides the results.
    plan: String,
}

impl ShardFile {
    /// Contents of `shard.json` for a shard of the scenario called `name`, which was read from `file`.
    pub fn new<D: Design + ?Sized>(
        design: &D,
        shard: Shard,
        (name, file): (&str, &str),
        series: RecordSeries,
        engine: &str,
    ) -> Self {
        let plan = Plan::of(design, series, engine);
        Self {
            shard: shard.number(),
            of: shard.count(),
            scenario: name.to_owned(),
            file: file.to_owned(),
            engine: engine.to_owned(),
            series,
            runs: plan.runs().len(),
            plan: text_of(&plan),
        }
    }

    /// Name of the directory of a shard of the scenario called `name`: `my-link.shard-03-of-64`.
    pub fn directory(name: &str, shard: Shard) -> String {
        let (number, count) = (shard.number(), shard.count());
        let digits = count.to_string().len();
        format!("{name}.shard-{number:0digits$}-of-{count}")
    }

    /// Writes `shard.json` into the shard's directory `dir`, and beside it the text of the scenario, which a
    /// merge reads.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, dir: &Path, scenario: &str) -> Result<(), Error> {
        let copy = dir.join(Shards::SCENARIO);
        write_atomically(&copy, |out| out.write_all(scenario.as_bytes()))
            .map_err(Error::at(&copy))?;
        let path = dir.join(FILE);
        let write = |out: &mut io::BufWriter<fs::File>| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            writeln!(out)
        };
        write_atomically(&path, write).map_err(Error::at(&path))
    }

    /// Whether these are shards of the results that `plan` makes.
    pub(super) fn is_of(&self, plan: &Plan) -> bool {
        self.plan == text_of(plan) && self.runs == plan.runs().len()
    }
}

/// The hash of a plan, as `shard.json` has it.
fn text_of(plan: &Plan) -> String {
    format!("{:032x}", plan.hash())
}

/// Reason why directories of shards cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A directory is not one that `skywave run --shard` has made.
    #[error("{}: {why}; expected a directory that `skywave run --shard` has made", dir.display())]
    NoShard {
        /// Path of the directory.
        dir: PathBuf,
        /// Reason why the directory is none of a shard.
        why: String,
    },
    /// Two directories have shards that differ in scenario, engine, number of shards or choice of time series.
    #[error("{} and {} do not belong together: {what}", one.display(), other.display())]
    Different {
        /// Path of the first directory.
        one: PathBuf,
        /// Path of a directory whose shard does not belong to the first one's.
        other: PathBuf,
        /// Difference between the two shards, with both values.
        what: String,
    },
    /// Two directories have the same shard.
    #[error("shard {shard} is there twice: {} and {}", one.display(), other.display())]
    Doubled {
        /// Shard that both directories have.
        shard: Shard,
        /// Path of one of the directories.
        one: PathBuf,
        /// Path of the other directory.
        other: PathBuf,
    },
    /// Shards of the experiment whose directories were not given.
    #[error("missing: {} of {count}", Numbers(numbers))]
    Missing {
        /// Numbers of the missing shards.
        numbers: Vec<usize>,
        /// Number of shards into which the experiment is divided.
        count: usize,
    },
    /// A shard was made by another engine than this one.
    #[error("{}: made by {theirs}; this is {ours}, whose results may differ", dir.display())]
    Engine {
        /// Path of the shard's directory.
        dir: PathBuf,
        /// Version of the engine that made the shard.
        theirs: String,
        /// Version of the engine of this program.
        ours: String,
    },
    /// The scenario, or a file that it names, has changed since the shards were made.
    #[error("{}: shards of other results than {scenario} makes: it or a file that it names has changed since", dir.display())]
    Changed {
        /// Path of the first shard's directory.
        dir: PathBuf,
        /// Path of the scenario's file.
        scenario: String,
    },
    /// A shard of which runs are missing.
    #[error("{}: shard {shard} has {done} of {runs} runs; run it again, it goes on from there", dir.display())]
    Incomplete {
        /// Path of the shard's directory.
        dir: PathBuf,
        /// Shard of which runs are missing.
        shard: Shard,
        /// Number of runs that the shard has made.
        done: usize,
        /// Number of runs that the shard should have.
        runs: usize,
    },
    /// The runs could not be read or kept.
    #[error(transparent)]
    Experiment(#[from] Error),
}

/// Numbers of shards in words, neighbours together: `shards 3, 5–9`.
struct Numbers<'a>(&'a [usize]);

impl fmt::Display for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for &number in self.0 {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == number => *last = number,
                _ => ranges.push((number, number)),
            }
        }
        let word = if self.0.len() == 1 { "shard" } else { "shards" };
        let text = ranges.iter().map(|&(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first}–{last}"),
        });
        write!(f, "{word} {}", text.collect::<Vec<_>>().join(", "))
    }
}

/// Directories of all shards of one experiment, each shard once.
#[derive(Debug)]
pub struct Shards {
    /// Directories of the shards, by the shards' numbers from 1.
    dirs: Vec<PathBuf>,
    file: ShardFile,
}

impl Shards {
    /// Name of the file with the scenario's text in the directory of a shard.
    pub const SCENARIO: &'static str = "scenario.toml";

    /// Reads `shard.json` in each directory, and checks that the directories have all shards of one experiment.
    ///
    /// # Errors
    /// A directory has no shard, or a shard is missing; or two directories have the same shard, or shards that differ
    /// in scenario, engine, number of shards or choice of time series.
    pub fn read(dirs: &[PathBuf]) -> Result<Self, MergeError> {
        let mut found: BTreeMap<usize, &PathBuf> = BTreeMap::new();
        let mut first: Option<(&PathBuf, ShardFile)> = None;
        for dir in dirs {
            let file = read(dir)?;
            let (_, one) = first.get_or_insert_with(|| (dir, file.clone()));
            if let Some(what) = difference(one, &file) {
                let (one, _) = first.unwrap_or((dir, file));
                return Err(MergeError::Different {
                    one: one.clone(),
                    other: dir.clone(),
                    what,
                });
            }
            if let Some(one) = found.insert(file.shard, dir) {
                return Err(MergeError::Doubled {
                    shard: shard(dir, &file)?,
                    one: one.clone(),
                    other: dir.clone(),
                });
            }
        }
        let Some((_, file)) = first else {
            return Err(MergeError::Missing {
                numbers: Vec::new(),
                count: 0,
            });
        };
        let missing = (1..=file.of).filter(|number| !found.contains_key(number));
        let numbers: Vec<usize> = missing.collect();
        if !numbers.is_empty() {
            let count = file.of;
            return Err(MergeError::Missing { numbers, count });
        }
        Ok(Self {
            dirs: found.into_values().cloned().collect(),
            file,
        })
    }

    /// Contents of `shard.json` in the directory that [`Shards::read`] was given first; except for the shard's number
    /// and the scenario's path, they hold for every directory.
    pub fn file(&self) -> &ShardFile {
        &self.file
    }

    /// Iterator over the directories of the shards, each with its shard, in the order of the shards' numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, Shard)> {
        let count = self.file.of;
        let numbered = self.dirs.iter().zip(1..);
        numbered.filter_map(move |(dir, number)| Some((dir.as_path(), Shard::new(number, count)?)))
    }

    /// Path of the directory of shard 1.
    pub fn first(&self) -> &Path {
        self.dirs.first().map_or(Path::new(""), PathBuf::as_path)
    }
}

fn read(dir: &Path) -> Result<ShardFile, MergeError> {
    let no_shard = |why: String| MergeError::NoShard {
        dir: dir.to_owned(),
        why,
    };
    let text = fs::read(dir.join(FILE)).map_err(|error| {
        no_shard(match error.kind() {
            io::ErrorKind::NotFound if dir.is_dir() => format!("it has no {FILE}"),
            io::ErrorKind::NotFound => "there is no such directory".to_owned(),
            io::ErrorKind::NotADirectory => "it is a file".to_owned(),
            _ => format!("{FILE}: {error}"),
        })
    })?;
    let file = serde_json::from_slice(&text);
    let file: ShardFile = file.map_err(|error| no_shard(format!("{FILE}: {error}")))?;
    shard(dir, &file)?;
    Ok(file)
}

/// The shard that a file is of.
fn shard(dir: &Path, file: &ShardFile) -> Result<Shard, MergeError> {
    Shard::new(file.shard, file.of).ok_or_else(|| MergeError::NoShard {
        dir: dir.to_owned(),
        why: format!("{FILE}: there is no shard {}/{}", file.shard, file.of),
    })
}

/// First difference between two shards of different results, with both values.
fn difference(one: &ShardFile, other: &ShardFile) -> Option<String> {
    let differ = |what: &str, a: &dyn fmt::Display, b: &dyn fmt::Display| {
        Some(format!("{what} {a} and {b}"))
    };
    if one.scenario != other.scenario {
        return differ("scenarios", &one.scenario, &other.scenario);
    }
    if one.engine != other.engine {
        return differ("engines", &one.engine, &other.engine);
    }
    if one.of != other.of {
        let shards = |file: &ShardFile| format!("{} of {} shards", file.shard, file.of);
        return differ("shard", &shards(one), &shards(other));
    }
    if one.series != other.series {
        let series = |file: &ShardFile| format!("{:?}", file.series);
        return differ("time series", &series(one), &series(other));
    }
    let text = |file: &ShardFile| format!("{} ({} runs)", file.plan, file.runs);
    (one.plan != other.plan || one.runs != other.runs)
        .then(|| differ("two versions of the scenario,", &text(one), &text(other)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_shards_are_told_in_few_words() {
        for (numbers, text) in [
            (&[4][..], "shard 4"),
            (&[1, 2], "shards 1, 2"),
            (&[1, 3, 4, 5, 9], "shards 1, 3–5, 9"),
        ] {
            assert_eq!(Numbers(numbers).to_string(), text);
        }
    }

    #[test]
    fn the_directories_sort_by_their_numbers() {
        let shard = Shard::new(3, 64).unwrap();
        assert_eq!(ShardFile::directory("x", shard), "x.shard-03-of-64");
    }
}
