//! The command as tests call it.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the command in a folder to its end.
pub(crate) fn skywave(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_skywave"))
        .args(args)
        .current_dir(dir)
        .output()
        .expect("the command starts")
}

/// The text that it printed.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}
