//! The program as a user runs it: the same table on any machine.

use std::process::Command;

#[test]
fn the_table_is_the_recorded_one() {
    let run = Command::new(env!("CARGO_BIN_EXE_custom-cc"))
        .output()
        .expect("the program can be started");
    let printed = String::from_utf8(run.stdout).expect("the table is UTF-8");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    assert_eq!(printed, include_str!("table.txt"));
}
