//! `skywave doctor`: what this machine has and lacks.

use std::io::{self, Write};

use serde_json::json;
use skywave_kernel::machine::{self, Finding, Verdict};

use crate::failure::Failure;

/// Say what this machine lacks for `skywave attach`, and with which rights it would work.
///
/// Each line is a need: `good`; `weak` if something works worse without it, or must be done otherwise; `bad` if nothing
/// works.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave doctor\n  \
    sudo skywave doctor --json\n\n\
    Exit codes: 0 nothing is bad, 1 something is.")]
pub(crate) struct Args {
    /// Print one JSON object a need: subject, verdict, what.
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let mut findings = machine::findings();
    findings.push(machine::trial());
    let mut out = io::stdout().lock();
    for Finding {
        subject,
        verdict,
        what,
    } in &findings
    {
        let verdict = match verdict {
            Verdict::Good => "good",
            Verdict::Weak => "weak",
            Verdict::Bad => "bad",
        };
        if args.json {
            let object = json!({ "subject": subject, "verdict": verdict, "what": what });
            writeln!(out, "{object}")?;
        } else {
            writeln!(out, "{verdict}  {subject:<9}{what}")?;
        }
    }
    // The lines have told it.
    let is_bad = |found: &Finding| found.verdict == Verdict::Bad;
    if findings.iter().any(is_bad) {
        return Err(Failure::silent(1));
    }
    Ok(())
}
