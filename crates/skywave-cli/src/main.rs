//! The `skywave` command: one module a verb.

mod check;
mod failure;
mod interrupt;
mod keep;
mod output;
mod progress;
mod reproduce;
mod run;
mod schema;
mod validate;
mod variants;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Compare transport protocols over lossy wireless links.
#[derive(Debug, Parser)]
#[command(
    name = "skywave",
    version,
    max_term_width = 100,
    after_help = "Examples:\n  \
        skywave run experiments/cerl/fig7a.toml\n  \
        skywave reproduce cerl\n  \
        skywave validate\n  \
        skywave check my-link.toml\n  \
        skywave variants\n\n\
        Exit codes: 0 done, 1 failed, 2 wrong arguments or scenario, 130 interrupted."
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Run(run::Args),
    Reproduce(reproduce::Args),
    Validate(validate::Args),
    Check(check::Args),
    Variants(variants::Args),
    Schema(schema::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().verb {
        Verb::Run(args) => run::main(&args),
        Verb::Reproduce(args) => reproduce::main(&args),
        Verb::Validate(args) => validate::main(&args),
        Verb::Check(args) => check::main(&args),
        Verb::Variants(args) => variants::main(&args),
        Verb::Schema(args) => schema::main(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
