//! The command as tests call it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the command in a folder to its end.
pub(crate) fn skywave(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_skywave"))
        .args(args)
        .current_dir(dir)
        .output()
        .expect("the command starts")
}

/// Runs a command to its end with these bytes as its standard input.
pub(crate) fn fed(command: &mut Command, bytes: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(bytes).expect("written");
    drop(input);
    child.wait_with_output().expect("the command ends")
}

/// The text that it printed.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}
