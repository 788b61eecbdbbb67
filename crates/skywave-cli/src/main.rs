//! The `skywave` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(skywave_cli::main(std::env::args_os()))
}
