//! The table of hashes as text: a block for each group of columns, in it a line for each case and a hash for each
//! scenario; `-` where a scenario has nothing in these columns.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// A group of columns of cases that ran the same scenarios.
struct Block {
    /// Names of the scenarios.
    scenarios: Vec<String>,
    /// Group, profile and preset, then a hash for each scenario.
    lines: Vec<(String, Vec<String>)>,
}

/// Hashes by case and scenario.
#[derive(Default)]
pub(crate) struct Table {
    blocks: Vec<Block>,
}

impl Table {
    /// Adds cases, each with a hash for every one of `scenarios`.
    pub(crate) fn push(&mut self, scenarios: &[&str], lines: Vec<(String, Vec<String>)>) {
        self.blocks.push(Block {
            scenarios: scenarios.iter().map(ToString::to_string).collect(),
            lines,
        });
    }

    /// Number of lines.
    pub(crate) fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.lines.len()).sum()
    }

    /// Reads what [`fmt::Display`] wrote; an error names the line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut table = Self::default();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            match (words.as_slice(), table.blocks.last_mut()) {
                (["#", "columns", "profile", "preset", scenarios @ ..], _) => {
                    table.push(scenarios, Vec::new());
                }
                ([group, profile, preset, hashes @ ..], Some(block))
                    if hashes.len() == block.scenarios.len() =>
                {
                    let hashes = hashes.iter().map(ToString::to_string).collect();
                    block
                        .lines
                        .push((format!("{group} {profile} {preset}"), hashes));
                }
                _ => return Err(format!("not a line of the table: {line}")),
            }
        }
        Ok(table)
    }

    /// For each case that differs in `now`, the recorded and the new hashes.
    pub(crate) fn differences(&self, now: &Self) -> Vec<String> {
        let (recorded, now) = (self.by_case(), now.by_case());
        let mut cases: Vec<&str> = recorded.keys().chain(now.keys()).copied().collect();
        cases.sort_unstable();
        cases.dedup();
        cases
            .into_iter()
            .filter_map(|case| difference(case, recorded.get(case), now.get(case)))
            .collect()
    }

    fn by_case(&self) -> BTreeMap<&str, Hashes<'_>> {
        let lines = self.blocks.iter().flat_map(|block| {
            block.lines.iter().map(|(case, hashes)| {
                let scenarios = block.scenarios.iter().map(String::as_str);
                let hashes = scenarios.zip(hashes.iter().map(String::as_str));
                (case.as_str(), hashes.collect())
            })
        });
        lines.collect()
    }
}

/// The hash of each scenario.
type Hashes<'a> = BTreeMap<&'a str, &'a str>;

fn difference(
    case: &str,
    recorded: Option<&Hashes<'_>>,
    now: Option<&Hashes<'_>>,
) -> Option<String> {
    let (recorded, now) = match (recorded, now) {
        (Some(recorded), Some(now)) => (recorded, now),
        (Some(_), None) => {
            return Some(format!("{case}: recorded, but there is no such case now\n"));
        }
        (None, _) => return Some(format!("{case}: not recorded\n")),
    };
    let mut text = String::new();
    for scenario in recorded
        .keys()
        .chain(now.keys().filter(|&s| !recorded.contains_key(s)))
    {
        let hash = |of: &Hashes<'_>| of.get(scenario).copied().unwrap_or("none").to_owned();
        let (recorded, now) = (hash(recorded), hash(now));
        if recorded != now {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{case}, {scenario}: recorded {recorded}, now {now}");
        }
    }
    (!text.is_empty()).then_some(text)
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, block) in self.blocks.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            writeln!(f, "# columns profile preset {}", block.scenarios.join(" "))?;
            for (case, hashes) in &block.lines {
                writeln!(f, "{case} {}", hashes.join(" "))?;
            }
        }
        Ok(())
    }
}

#[test]
fn a_table_can_be_read_again() {
    let text = "# columns profile preset clean lossy\ntimes ns2 reno 01 02\ntimes rfc reno 03 04\n\n\
                # columns profile preset outage\ntimes wtcp default 05\n";
    let table = Table::parse(text).unwrap();
    assert_eq!(table.to_string(), text);
    assert_eq!(table.len(), 3);
    assert!(table.differences(&table).is_empty());
    for wrong in [
        "times ns2 reno 01\n",
        "# columns profile preset clean\ntimes ns2 reno\n",
    ] {
        assert!(Table::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn each_difference_is_named() {
    let table = |text| Table::parse(text).unwrap();
    let recorded = table(
        "# columns profile preset clean lossy\ntimes ns2 reno 01 02\ntimes ns2 sack 03 04\ntimes ns2 old 05 06\n",
    );
    let now = table(
        "# columns profile preset clean lossy\ntimes ns2 reno 01 02\ntimes ns2 sack 03 99\ntimes ns2 new 05 06\n",
    );
    assert_eq!(
        recorded.differences(&now),
        [
            "times ns2 new: not recorded\n",
            "times ns2 old: recorded, but there is no such case now\n",
            "times ns2 sack, lossy: recorded 04, now 99\n",
        ]
    );
    let fewer = table(
        "# columns profile preset clean\ntimes ns2 reno 01\ntimes ns2 sack 03\ntimes ns2 old 05\n",
    );
    assert_eq!(fewer.differences(&recorded).len(), 3);
    assert_eq!(
        recorded.differences(&fewer)[1],
        "times ns2 reno, lossy: recorded 02, now none\n"
    );
}
