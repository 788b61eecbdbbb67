//! Hashes of whole outcomes, compared with those that `recorded.txt` holds.
//!
//! A refactoring must leave every result as it is, to the last bit. Other tests look at single numbers or
//! allow a tolerance; here every column of every flow, link, proxy and station counts, for all presets and profiles
//! on paths that lose, delay, duplicate and reorder packets. A hash does not say what went wrong, only which variant
//! on which path differs, and in which group of columns: the case can then be run by itself with the old and the
//! new code. A new column is in the hashes of its group by itself, and changes those alone.

mod cases;
mod hash;
mod networks;
mod quic;
mod scenarios;
mod table;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use skywave_lab::experiment::file::write_atomically;

use table::Table;

/// The recorded table, in the source tree.
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/outcomes/recorded.txt");
/// If this environment variable is 1, the test writes the table instead of comparing it.
const RECORD: &str = "SKYWAVE_RECORD_OUTCOMES";

#[test]
fn outcomes_are_the_recorded_ones() {
    let now = cases::table();
    let path = Path::new(RECORDED);
    if std::env::var_os(RECORD).is_some_and(|value| value == "1") {
        write_atomically(path, |out| out.write_all(now.to_string().as_bytes()))
            .expect("the table can be written");
        return;
    }
    let text = std::fs::read_to_string(path).expect("the table is there");
    let recorded = Table::parse(&text).expect("the table can be read");
    let differences = recorded.differences(&now);
    let groups: BTreeSet<&str> = differences
        .iter()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(
        differences.is_empty(),
        "{} of {} lines differ from {RECORDED}, in {groups:?}:\n\n{}\n\
         Results must not change by accident. If they are meant to, write the table anew with\n\
         {RECORD}=1 cargo test -p skywave-lab --test outcomes\n\
         and add the change, its reason and its size to docs/measurements/corrections.md.",
        differences.len(),
        now.len(),
        differences.concat(),
    );
}
