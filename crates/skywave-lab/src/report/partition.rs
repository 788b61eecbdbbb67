//! Results as a data set of Hive's layout: a folder for each value of a swept parameter, with a file in it. Programs
//! that ask for one value then read one file, and find the value in the folder's name.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::file::WriteError;
use super::frame;
use super::parquet::write;
use super::row::rows_at;
use super::study::{Study, StudyPoint};
use crate::experiment::Results;
use crate::experiment::file::DraftDirectory;
use crate::experiment::guard::Lock;
use crate::scenario::{ParamValue, Written};

/// Name of the folder in a run directory that has the results in Hive's layout: a folder for each value of one swept
/// parameter.
pub const PARTITIONED: &str = "results";
/// The name of the file in each of its folders.
const FILE: &str = "part-0.parquet";
/// Hive's name for a missing value.
const MISSING: &str = "__HIVE_DEFAULT_PARTITION__";

/// Writes the rows of `results.parquet` in Hive's layout, all or nothing: a folder for each value of the swept
/// parameter `key` (such as `link.radio.delay`), whose values are then in the folders' names and in no column. Returns
/// the path of the folder around them. Folders that an earlier call left there are replaced.
///
/// # Errors
/// When a file cannot be written, or a run cannot be read back; when the folder has something that no such call wrote.
pub fn write_partitioned(
    dir: &Path,
    study: &Study,
    results: &Results,
    key: &str,
) -> Result<PathBuf, WriteError> {
    let target = dir.join(PARTITIONED);
    let failed = |error| WriteError::at(&target)(error);
    fs::create_dir_all(dir).map_err(failed)?;
    let _alone = Lock::wait(dir).map_err(|(path, source)| WriteError { path, source })?;
    check_partitioned(dir)?;
    let draft = DraftDirectory::create(&target).map_err(failed)?;
    let mut values: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, point) in study.points.iter().enumerate() {
        values.entry(value(point, key)).or_default().push(at);
    }
    for (value, points) in values {
        let folder = draft.location().join(format!("{}={value}", escaped(key)));
        let write = || -> io::Result<()> {
            fs::create_dir(&folder)?;
            let mut out = BufWriter::new(File::create(folder.join(FILE))?);
            let rows = rows_at(study, results, points.into_iter());
            let frame = frame::runs_of(study, rows).without(key);
            write(&mut out, frame, study, results)?;
            out.flush()
        };
        write().map_err(failed)?;
    }
    draft.finish().map_err(failed)?;
    Ok(target)
}

/// Refuses what [`write_partitioned`] would in the run directory `dir`, before there are results.
///
/// # Errors
/// When the folder for the data set has something that no earlier call wrote, or cannot be read.
pub fn check_partitioned(dir: &Path) -> Result<(), WriteError> {
    let target = dir.join(PARTITIONED);
    let failed = |error| WriteError::at(&target)(error);
    let Some(foreign) = Earlier::of(&target).map_err(failed)?.foreign else {
        return Ok(());
    };
    let foreign = foreign.strip_prefix(&target).unwrap_or(&foreign);
    let why = format!(
        "`{}` in it was not written by Skywave, and the whole folder is replaced: move it elsewhere",
        foreign.display()
    );
    Err(failed(io::Error::other(why)))
}

/// Removes the folders that [`write_partitioned`] left in the run directory `dir`, and nothing else.
pub(super) fn remove_partitioned(dir: &Path) -> Result<(), WriteError> {
    let target = dir.join(PARTITIONED);
    let remove = || -> io::Result<()> {
        let folders = Earlier::of(&target)?.folders;
        for folder in &folders {
            unless(io::ErrorKind::NotFound, fs::remove_file(folder.join(FILE)))?;
            unless(io::ErrorKind::DirectoryNotEmpty, fs::remove_dir(folder))?;
        }
        if folders.is_empty() {
            return Ok(());
        }
        unless(io::ErrorKind::DirectoryNotEmpty, fs::remove_dir(&target))
    };
    remove().map_err(WriteError::at(&target))
}

/// Content of the folder of an earlier data set.
#[derive(Default)]
struct Earlier {
    /// Folders whose names are those of values.
    folders: Vec<PathBuf>,
    /// Something that belongs to no data set.
    foreign: Option<PathBuf>,
}

impl Earlier {
    fn of(target: &Path) -> io::Result<Self> {
        let mut found = Self::default();
        // Where a link leads is not ours.
        if !target.symlink_metadata().is_ok_and(|about| about.is_dir()) {
            found.foreign = target.exists().then(|| target.to_owned());
            return Ok(found);
        }
        for entry in fs::read_dir(target)? {
            let entry = entry?;
            let is_value = entry.file_name().to_string_lossy().contains('=');
            if !(is_value && entry.file_type()?.is_dir()) {
                found.foreign = Some(entry.path());
                continue;
            }
            for inner in fs::read_dir(entry.path())? {
                let inner = inner?;
                if inner.file_name() != FILE {
                    found.foreign = Some(inner.path());
                }
            }
            found.folders.push(entry.path());
        }
        Ok(found)
    }
}

/// The result, without an error of this kind.
fn unless(kind: io::ErrorKind, result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| {
        if error.kind() == kind {
            Ok(())
        } else {
            Err(error)
        }
    })
}

/// A value as the name of a folder has it: quantities in SI units, as in the column.
fn value(point: &StudyPoint, key: &str) -> String {
    let Some(value) = point.param(key) else {
        return MISSING.to_owned();
    };
    match (&value.quantity, &value.written) {
        (None, Written::Float(_)) | (Some(_), _) => {
            let number = ParamValue::number(value);
            number.map_or(MISSING.to_owned(), |number| number.to_string())
        }
        (None, _) => escaped(&value.to_string()),
    }
}

/// Text without the signs that mean something in paths, or to Hive.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_control() || "\"#%'*/:=?\\{[]^".contains(c) {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                // Writing to a string cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::fixture::small;
    use super::*;

    #[test]
    fn a_folder_for_each_value_has_its_rows() {
        let dir = tempfile::tempdir().unwrap();
        let (study, results) = small();
        let key = study.paths().next().unwrap().to_owned();
        // A second time replaces the first.
        for _ in 0..2 {
            let folder = write_partitioned(dir.path(), &study, &results, &key).unwrap();
            let mut names: Vec<String> = fs::read_dir(&folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            assert_eq!(names, [format!("{key}=cerl"), format!("{key}=reno")]);
            for name in names {
                let file = File::open(folder.join(name).join(FILE)).unwrap();
                let builder =
                    ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file);
                let builder = builder.unwrap();
                assert!(builder.schema().column_with_name(&key).is_none());
                assert!(builder.schema().column_with_name("goodput_bps").is_some());
                let rows: usize = builder
                    .build()
                    .unwrap()
                    .map(|b| b.unwrap().num_rows())
                    .sum();
                assert_eq!(
                    rows * 2,
                    frame::runs(&study, &results)
                        .map(|b| b.unwrap().num_rows())
                        .sum::<usize>()
                );
            }
        }
    }

    #[test]
    fn what_others_put_beside_the_folders_stays() {
        let dir = tempfile::tempdir().unwrap();
        let (study, results) = small();
        let key = study.paths().next().unwrap().to_owned();
        let write = || write_partitioned(dir.path(), &study, &results, &key);
        let folder = write().unwrap();
        let note = folder.join("mine").join("notes.txt");
        fs::create_dir(folder.join("mine")).unwrap();
        fs::write(&note, "hi").unwrap();
        let refused = write().unwrap_err().to_string();
        assert!(
            refused.contains("`mine` in it was not written"),
            "{refused}"
        );
        let reno = folder.join(format!("{key}=reno"));
        assert!(note.exists() && reno.join(FILE).exists());
        remove_partitioned(dir.path()).unwrap();
        assert!(note.exists() && !reno.exists());
        // A second time, and where nothing is left.
        remove_partitioned(dir.path()).unwrap();
        fs::remove_dir_all(folder.join("mine")).unwrap();
        let own = reno.join("own.parquet");
        write().unwrap();
        fs::write(&own, "hi").unwrap();
        assert!(write().unwrap_err().to_string().contains("own.parquet"));
        remove_partitioned(dir.path()).unwrap();
        assert!(own.exists() && !reno.join(FILE).exists());
        fs::remove_file(&own).unwrap();
        remove_partitioned(dir.path()).unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn names_of_folders_keep_to_one_level() {
        assert_eq!(escaped("a/b=c%\n.."), "a%2Fb%3Dc%25%0A..");
    }
}
