//! The journal of a search: a line a run with the few numbers that it is judged by.
//!
//! A search makes tens of thousands of runs, of which a journal with all measures of all flows would be some hundred
//! megabytes. Here a line has the key of its run, its numbers by name and a check of itself. The search that made them
//! goes on from there, and so does one of another objective that needs no other numbers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Map, Value, json};

use super::file::remove_drafts;
use super::guard::Lock;
use super::journal::{Doubts, Journal, Lines, Place};
use super::key::RunKey;
use super::record::{checked, has_check};
use super::{ENGINE, Error};
use crate::threads::lock;

/// Measured numbers of one run that a search (such as for worst cases) compares runs by; the key is the name of what is
/// measured, which ends in the unit if there is one (`goodput_bps`, `stall_s`).
pub type Numbers = BTreeMap<String, f64>;

/// Journal of the runs of a search (such as for worst cases): for each run only the few numbers that the search
/// compares runs by. The journal's folder stays locked until this value is dropped.
pub struct Ledger {
    path: PathBuf,
    kept: Mutex<Kept>,
    _lock: Lock,
}

struct Kept {
    journal: Journal,
    runs: BTreeMap<RunKey, (Place, Numbers)>,
}

impl Ledger {
    /// Name of the journal's file in its folder.
    pub const FILE: &'static str = "measures.jsonl";

    /// Opens the journal in the folder `dir`, or begins one. Damaged lines, which are reported to `doubts`, and lines
    /// of another engine version are removed; with `fresh`, all lines are removed.
    ///
    /// # Errors
    /// The folder cannot be read or written, or another process or thread has locked it.
    pub fn open(dir: &Path, fresh: bool, doubts: &dyn Fn(&Doubts)) -> Result<Self, Error> {
        let path = dir.join(Self::FILE);
        std::fs::create_dir_all(dir).map_err(Error::at(dir))?;
        let lock = Lock::acquire(dir)?;
        remove_drafts(dir, |name| name == Self::FILE);
        let journal = Journal::open(&path).map_err(Error::at(&path))?;
        let mut kept = Kept {
            journal,
            runs: BTreeMap::new(),
        };
        let (mut found, mut left_out) = (Doubts::default(), fresh);
        if !fresh {
            left_out = each_line(&path, &mut found, |key, place, numbers, _| {
                kept.runs.insert(key, (place, numbers));
                Ok(())
            })?;
        }
        if found.any() {
            doubts(&found);
        }
        let ledger = Self {
            path,
            kept: Mutex::new(kept),
            _lock: lock,
        };
        if left_out {
            ledger.arrange()?;
        }
        Ok(ledger)
    }

    /// Numbers of the run with this key; `None` if the journal does not have the run.
    pub fn get(&self, key: RunKey) -> Option<Numbers> {
        let kept = lock(&self.kept);
        kept.runs.get(&key).map(|(_, numbers)| numbers.clone())
    }

    /// Number of runs in the journal.
    pub fn len(&self) -> usize {
        lock(&self.kept).runs.len()
    }

    /// Whether the journal has no run.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the numbers of the run with this key into the journal. JSON has no infinity and no NaN: they are written as
    /// text.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn add(&self, key: RunKey, numbers: Numbers) -> Result<(), Error> {
        let map: Map<String, Value> = numbers
            .iter()
            .map(|(name, number)| (name.clone(), written(*number)))
            .collect();
        let line = json!({ "key": key.to_string(), "engine": ENGINE, "measures": map });
        self.append(key, numbers, checked(line.to_string()).as_bytes())
    }

    /// Copies the runs that this journal lacks from the journal in the folder `dir` (such as of a shard), and returns
    /// how many it copied; damaged lines of that journal are reported to `doubts`.
    ///
    /// # Errors
    /// One of the journals cannot be read or written.
    pub fn take(&self, dir: &Path, doubts: &dyn Fn(&Doubts)) -> Result<usize, Error> {
        let (mut found, mut new) = (Doubts::default(), 0);
        each_line(
            &dir.join(Self::FILE),
            &mut found,
            |key, _, numbers, line| {
                if self.get(key).is_some() {
                    return Ok(());
                }
                new += 1;
                self.append(key, numbers, line)
            },
        )?;
        if found.any() {
            doubts(&found);
        }
        Ok(new)
    }

    /// Sorts the journal's lines by the keys of the runs, so that the file is the same however many threads made them.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn arrange(&self) -> Result<(), Error> {
        let mut kept = lock(&self.kept);
        let places: Vec<Place> = kept.runs.values().map(|(place, _)| *place).collect();
        if kept.journal.is(places.iter()) {
            return Ok(());
        }
        let moved = kept.journal.rewrite(places.iter());
        let moved = moved.map_err(Error::at(&self.path))?;
        for (run, to) in kept.runs.values_mut().zip(moved) {
            run.0 = to;
        }
        Ok(())
    }

    fn append(&self, key: RunKey, numbers: Numbers, line: &[u8]) -> Result<(), Error> {
        let mut kept = lock(&self.kept);
        let place = kept.journal.append(line);
        let place = place.map_err(Error::at(&self.path))?;
        kept.runs.insert(key, (place, numbers));
        Ok(())
    }
}

/// Calls `one` with the runs of a journal that can be used; whether others are in it.
fn each_line(
    path: &Path,
    doubts: &mut Doubts,
    mut one: impl FnMut(RunKey, Place, Numbers, &[u8]) -> Result<(), Error>,
) -> Result<bool, Error> {
    path.clone_into(&mut doubts.path);
    let mut left_out = false;
    let Some(mut lines) = Lines::of(path).map_err(Error::at(path))? else {
        return Ok(false);
    };
    while let Some(line) = lines.next().map_err(Error::at(path))? {
        let read = line.content().map(read);
        match read {
            Some(Some((key, Some(numbers)))) => one(key, line.place, numbers, line.bytes)?,
            Some(None) => {
                doubts.damage(line.number);
                left_out = true;
            }
            // Another engine made it, or a crash left it: no reason for doubts.
            Some(Some((_, None))) | None => left_out = true,
        }
    }
    Ok(left_out)
}

/// A number as it stands in the journal.
fn written(number: f64) -> Value {
    if number.is_finite() {
        number.into()
    } else {
        number.to_string().into()
    }
}

/// The run of a line without its end, its numbers if this engine made it; `None` if it is not what was written.
fn read(line: &[u8]) -> Option<(RunKey, Option<Numbers>)> {
    if has_check(line) != Some(true) {
        return None;
    }
    let value: Value = serde_json::from_slice(line).ok()?;
    let key = RunKey::parse(value.get("key")?.as_str()?)?;
    if value.get("engine")?.as_str()? != ENGINE {
        return Some((key, None));
    }
    let measures = value.get("measures")?.as_object()?.iter();
    let number = |value: &Value| match value {
        Value::String(text) => text.parse().ok(),
        number => number.as_f64(),
    };
    let numbers = measures.map(|(name, value)| Some((name.clone(), number(value)?)));
    Some((key, Some(numbers.collect::<Option<_>>()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u32) -> RunKey {
        RunKey::parse(&format!("{number:032x}")).unwrap()
    }

    fn numbers(number: u32) -> Numbers {
        [("goodput".to_owned(), f64::from(number) / 3.0)].into()
    }

    fn open(dir: &Path) -> Ledger {
        Ledger::open(dir, false, &|doubts| panic!("{doubts}")).unwrap()
    }

    #[test]
    fn runs_come_back_and_half_a_line_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(Ledger::FILE);
        let ledger = open(dir.path());
        for number in [3, 1, 2] {
            ledger.add(key(number), numbers(number)).unwrap();
        }
        ledger.arrange().unwrap();
        drop(ledger);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
        let ledger = open(dir.path());
        assert_eq!((ledger.len(), ledger.get(key(3))), (2, None));
        assert_eq!(ledger.get(key(2)), Some(numbers(2)));
        ledger.add(key(3), numbers(3)).unwrap();
        drop(ledger);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        assert!(matches!(
            (open(dir.path()), Ledger::open(dir.path(), false, &|_| ())),
            (_, Err(Error::Busy(_)))
        ));
        assert!(Ledger::open(dir.path(), true, &|_| ()).unwrap().is_empty());
    }

    #[test]
    fn what_json_has_no_number_for_comes_back_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.1];
        let odd: Numbers = odd.map(|number| (number.to_string(), number)).into();
        open(dir.path()).add(key(1), odd.clone()).unwrap();
        let found = open(dir.path()).get(key(1)).unwrap();
        assert_eq!(format!("{found:?}"), format!("{odd:?}"));
    }

    #[test]
    fn a_changed_digit_is_told_of() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(Ledger::FILE);
        open(dir.path()).add(key(1), numbers(4)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("1.33", "1.44")).unwrap();
        let told = std::cell::Cell::new(0);
        let ledger = Ledger::open(dir.path(), false, &|_| told.set(told.get() + 1)).unwrap();
        assert_eq!((ledger.len(), told.get()), (0, 1));
    }

    #[test]
    fn two_folders_become_one() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let ledger = open(one.path());
        ledger.add(key(1), numbers(1)).unwrap();
        let theirs = open(other.path());
        theirs.add(key(1), numbers(1)).unwrap();
        theirs.add(key(2), numbers(2)).unwrap();
        assert_eq!(ledger.take(other.path(), &|_| ()).unwrap(), 1);
        assert_eq!(ledger.get(key(2)), Some(numbers(2)));
    }
}
