//! `skywave script`: packetdrill's scripts in virtual time.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::json;
use skywave_lab::report::number::counted;
use skywave_script::host::System;
use skywave_script::{Options, Verdict};

use crate::failure::Failure;
use crate::variants;

/// The sender unless another one is named.
const TCP: &str = "linux";

/// Run scripts in packetdrill's language against this project's TCP, in virtual time.
///
/// A script says what an application calls, which packets arrive, and which packets and results it expects when. No
/// kernel, device or clock takes part: each script gives the same verdict every time. Folders are searched for files
/// named *.pkt. Scripts that need what is not modelled are skipped, with the reason (docs/scripts.md).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave script handshake.pkt\n  \
    skywave script tcp-testsuite/ --failed\n  \
    skywave script nplab/tests/bsd/tcp/ --system freebsd\n  \
    skywave script gtests/net/tcp/slow_start/*.pkt --tcp newreno\n  \
    skywave script tcp-testsuite/ --json > verdicts.jsonl\n\n\
    Exit codes: 0 every script passed or was skipped, 1 some failed, 2 some could not be read.")]
pub(crate) struct Args {
    /// Scripts, or folders of them.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The sender: a preset of `skywave variants`.
    #[arg(long, value_name = "PRESET", default_value = TCP)]
    tcp: String,
    /// System whose defaults and choices the scripts expect; otherwise told by the variables that a script sets.
    #[arg(long, value_name = "SYSTEM", value_parser = ["linux", "freebsd"])]
    system: Option<String>,
    /// Show only scripts that failed or could not be read, and the counts.
    #[arg(long)]
    failed: bool,
    /// Print one JSON object a script.
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let options = Options {
        composition: variants::composition(&args.tcp, TCP)?,
        system: args.system.as_deref().map(|name| match name {
            "freebsd" => System::FreeBsd,
            _ => System::Linux,
        }),
    };
    let mut files = Vec::new();
    for path in &args.files {
        let before = files.len();
        collect(path, &mut files)?;
        if files.len() == before {
            return Err(Failure::file(
                path,
                "there is no script in it: expected files named *.pkt",
            ));
        }
    }
    let mut out = io::stdout().lock();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for path in &files {
        let verdict = read(path, &options)?;
        *counts.entry(verdict.name()).or_default() += 1;
        if let Verdict::Skipped { reason, .. } = &verdict {
            *classes.entry(reason.class).or_default() += 1;
        }
        if args.json {
            writeln!(out, "{}", as_json(path, &verdict))?;
        } else if !args.failed || matches!(verdict, Verdict::Failed { .. } | Verdict::Unreadable(_))
        {
            let place = verdict
                .place()
                .map_or_else(String::new, |place| format!(":{place}"));
            writeln!(out, "{}{place}: {}", path.display(), line(&verdict))?;
        }
    }
    let count = |name| counts.get(name).copied().unwrap_or(0);
    if !args.json {
        write!(
            out,
            "{}: {} passed, {} failed, {} skipped",
            counted(files.len(), "script"),
            count("passed"),
            count("failed"),
            count("skipped")
        )?;
        if count("unreadable") > 0 {
            write!(out, ", {} not understood", count("unreadable"))?;
        }
        writeln!(out)?;
        for (class, count) in classes {
            writeln!(out, "  skipped {count:4}: {class}")?;
        }
    }
    match (count("unreadable"), count("failed")) {
        (0, 0) => Ok(()),
        (0, failed) => Err(Failure::failed(format!(
            "{} failed",
            counted(failed, "script")
        ))),
        (unreadable, _) => Err(Failure::usage(format!(
            "{} could not be read",
            counted(unreadable, "script")
        ))),
    }
}

/// Adds a script, or those in a folder, by name.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let unreadable = |error: io::Error| Failure::file(path, error);
    let entries = fs::read_dir(path).map_err(unreadable)?;
    let mut inside = Vec::new();
    for entry in entries {
        inside.push(entry.map_err(unreadable)?.path());
    }
    inside.sort();
    for path in inside {
        let is_link = path.is_symlink();
        if path.is_dir() && !is_link || path.extension().is_some_and(|e| e == "pkt") {
            collect(&path, files)?;
        }
    }
    Ok(())
}

fn read(path: &Path, options: &Options) -> Result<Verdict, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::file(path, format_args!("{error}; expected a script")))?;
    Ok(match skywave_script::parse(&text) {
        Ok(script) => skywave_script::run(&script, options),
        Err(mistake) => Verdict::Unreadable(mistake),
    })
}

fn line(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Passed => "passed".to_owned(),
        Verdict::Failed { .. } => format!("failed: {verdict}"),
        Verdict::Skipped { .. } => format!("skipped: {verdict}"),
        Verdict::Unreadable(_) => format!("not understood: {verdict}"),
    }
}

fn as_json(path: &Path, verdict: &Verdict) -> serde_json::Value {
    let mut object = json!({ "script": path.display().to_string(), "verdict": verdict.name() });
    if let Some(place) = verdict.place() {
        object["line"] = place.line.into();
        object["column"] = place.column.into();
    }
    match verdict {
        Verdict::Passed => {}
        Verdict::Failed { expected, got, .. } => {
            object["expected"] = expected.as_str().into();
            object["got"] = got.as_str().into();
        }
        Verdict::Skipped { reason, .. } => {
            object["class"] = reason.class.into();
            object["detail"] = reason.detail.as_str().into();
        }
        Verdict::Unreadable(mistake) => object["mistake"] = mistake.what.as_str().into(),
    }
    object
}
