//! The `skywave` command: one module a verb. The program and the Python package both call [`main`].

mod attach;
mod check;
mod completions;
mod diagnose;
mod doctor;
mod elsewhere;
mod failure;
mod figures;
mod forecast;
mod foreign;
mod gap;
mod get;
mod hints;
mod impair;
mod interrupt;
mod judge;
mod keep;
mod key;
mod keys;
mod listening;
mod manual;
mod memory;
mod merge;
mod names;
mod new;
mod origin;
mod output;
mod partition;
mod print;
mod progress;
mod publish;
mod quantity;
mod quic;
mod rank;
mod recv;
mod reproduce;
mod run;
mod schema;
mod script;
mod send;
mod several;
mod validate;
mod variants;
mod verbs;
mod worst;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use skywave_lab::experiment::ENGINE;

use failure::Failure;

/// Compare transport protocols over lossy wireless links, and send files over them.
#[derive(Debug, Parser)]
#[command(
    name = "skywave",
    version = version(),
    max_term_width = 100,
    after_help = "Examples:\n  \
        skywave new my-link\n  \
        skywave run experiments/cerl/fig7a.toml\n  \
        skywave reproduce cerl\n  \
        skywave validate\n  \
        skywave rank\n  \
        skywave judge bbr3\n  \
        skywave worst copa --against bbr\n  \
        skywave check my-link.toml\n  \
        skywave diagnose upload.pcap ping.log\n  \
        skywave impair --rate 20Mbps --delay 40ms --loss 1% --far 'iperf3 -s' -- iperf3 -c far\n  \
        skywave variants\n  \
        skywave recv --listen 0.0.0.0:4747 --into inbox --code\n  \
        skywave send film.mkv box.example.org:4747 --code 3k7d-x9qm\n\n\
        Exit codes: 0 done, 1 failed, 2 wrong arguments or scenario, 130 interrupted."
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    New(new::Args),
    Run(run::Args),
    Merge(merge::Args),
    Reproduce(reproduce::Args),
    Rank(rank::Args),
    Validate(validate::Args),
    Judge(judge::Args),
    Worst(worst::Args),
    Check(check::Args),
    Diagnose(diagnose::Args),
    Impair(impair::Args),
    Gap(gap::Args),
    Attach(attach::Args),
    Variants(variants::Args),
    Script(script::Args),
    Schema(schema::Args),
    Key(key::Args),
    Send(send::Args),
    Recv(recv::Args),
    Get(get::Args),
    Doctor(doctor::Args),
    Completions(completions::Args),
    Manual(manual::Args),
}

/// Printed when the command is called without arguments: it tells a newcomer how to begin.
const FIRST_STEPS: &str = "\
Skywave compares transport protocols over lossy wireless links, and sends files over them.

First steps:
  skywave reproduce cerl --only fig7a   # an example: one figure of a paper
  skywave new my-link                   # write a scenario of your own, my-link.toml
  skywave run my-link.toml              # simulate it: a table, a report with plots, data
  skywave reproduce cerl                # every claim of a paper: theirs, ours, verdict
  skywave diagnose upload.pcap ping.log # a slow link of yours: what is wrong, what would help
  skywave recv --listen 0.0.0.0:4747 --into inbox --code   # take files: it prints a code
  skywave send FILE HOST:PORT --code CODE

`skywave --help` lists all commands, `skywave COMMAND --help` has examples of each.
";

/// The version with the engine's hash, as reports print it: one engine always gives the same bytes.
fn version() -> &'static str {
    // clap puts the name before it.
    ENGINE.strip_prefix("skywave ").unwrap_or(ENGINE)
}

/// The command as clap knows it.
fn command() -> clap::Command {
    verbs::grouped(with_negative_values(Cli::command()))
}

/// A negative number without a unit, after an option, is its value: what is wrong with it is told, not that there is no
/// option `-1`.
fn with_negative_values(command: clap::Command) -> clap::Command {
    command
        .mut_args(|arg| {
            if arg.get_action().takes_values() && !arg.is_positional() {
                arg.allow_negative_numbers(true)
            } else {
                arg
            }
        })
        .mut_subcommands(with_negative_values)
}

fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = command();
    let mut matches = command.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Runs the `skywave` command with the arguments `args`, of which the first is the program's name; returns the exit
/// code for the process: 0 for success, 2 for wrong arguments or files, 1 for work that failed, 130 after Ctrl-C, or
/// a code of the command's own.
///
/// Commands that can be interrupted set a handler for Ctrl-C, which stays for the rest of the process.
pub fn main(args: impl IntoIterator<Item = OsString>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    #[cfg(target_os = "linux")]
    if let Some(code) = skywave_wire::behind::inside(&args) {
        return code;
    }
    let verb = match parse(&args) {
        Ok(cli) => cli.verb,
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // As clap does with its help where a command is missing: nothing was done, code 2.
            let _ = io::stderr().write_all(FIRST_STEPS.as_bytes());
            return 2;
        }
        Err(error) => {
            let error = hints::add(error, &args);
            // Standard output or standard error is gone: nobody is there to be told.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let result = match verb {
        Verb::New(args) => new::main(&args),
        Verb::Run(args) => run::main(&args),
        Verb::Merge(args) => merge::main(&args),
        Verb::Reproduce(args) => reproduce::main(&args),
        Verb::Rank(args) => rank::main(&args),
        Verb::Validate(args) => validate::main(&args),
        Verb::Judge(args) => judge::main(&args),
        Verb::Worst(args) => worst::main(&args),
        Verb::Check(args) => check::main(&args),
        Verb::Diagnose(args) => diagnose::main(&args),
        Verb::Impair(args) => impair::main(&args),
        Verb::Gap(args) => gap::main(&args),
        Verb::Attach(args) => attach::main(&args),
        Verb::Variants(args) => variants::main(&args),
        Verb::Script(args) => script::main(&args),
        Verb::Schema(args) => schema::main(&args),
        Verb::Key(args) => key::main(&args),
        Verb::Send(args) => send::main(&args),
        Verb::Recv(args) => recv::main(&args),
        Verb::Get(args) => get::main(&args),
        Verb::Doctor(args) => doctor::main(&args),
        Verb::Completions(args) => completions::main(&args),
        Verb::Manual(args) => manual::main(&args),
    };
    print::finish();
    // A process that is not Rust's does not do it at its end.
    let flushed = io::stdout().flush().map_err(Failure::from);
    match result.and(flushed) {
        Ok(()) => 0,
        Err(failure) => failure.report(),
    }
}
