//! `skywave diagnose`: from records of a link to what it is, why it was slow, and what would help.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skywave_diagnose::diagnosis::Diagnosis;
use skywave_diagnose::fit::Estimate;
use skywave_diagnose::link::{Values, scenario};
use skywave_diagnose::page;

use crate::failure::Failure;
use crate::output;

/// Tell from records of a link what it is, and write it as a scenario.
///
/// Takes what you have: a ping log (Linux, BusyBox, macOS, Windows), irtt or iperf3 JSON, a packet capture (pcap, pcapng, best
/// taken at the sender), traces of rates, tables of times with delays or rates. Kinds are told apart by content, and several
/// records of one link are read together: pings of the idle link tell delays, a capture of a transfer tells rate, queue and
/// losses. What they cannot tell is said.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    ping -D -i 0.2 host > ping.log               # a record of the idle link, five minutes\n  \
    tcpdump -s 96 -w upload.pcap host server     # a capture at the sender during an upload\n  \
    skywave diagnose upload.pcap ping.log\n  \
    skywave diagnose upload.pcap ping.log --scenario link.toml\n  \
    skywave impair link.toml -- COMMAND          # the same link at your desk\n  \
    skywave diagnose iperf.json --json")]
pub(crate) struct Args {
    /// Records of one link.
    #[arg(required = true, value_name = "RECORD")]
    records: Vec<PathBuf>,

    /// Write the link as a scenario to this file (a trace that it needs beside it).
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,

    /// Write the page as HTML to this file, with plots of round trips, losses and goodput.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Print one JSON object instead of the page.
    #[arg(long)]
    json: bool,
}

/// The likeliest value of each estimate.
struct Likeliest;

impl Values for Likeliest {
    fn of(&mut self, estimate: Estimate) -> f64 {
        estimate.value
    }
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let diagnosis = Diagnosis::of(&args.records)?;
    if let Some(path) = &args.scenario {
        write_scenario(&diagnosis, path)?;
    }
    if let Some(path) = &args.html {
        output::write(path, &page::html(&diagnosis, &[])?)?;
    }
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", page::json(&diagnosis))?;
    } else {
        write!(out, "{}", page::text(&diagnosis))?;
        for (what, path) in [("Scenario", &args.scenario), ("Page", &args.html)] {
            if let Some(path) = path {
                writeln!(out, "\n{what}: {}", path.display())?;
            }
        }
    }
    Ok(())
}

fn write_scenario(diagnosis: &Diagnosis, path: &Path) -> Result<(), Failure> {
    let name = path
        .file_stem()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    let written = scenario(&diagnosis.link, &name, &mut Likeliest);
    if let Some((file, text)) = &written.trace {
        output::write(&path.with_file_name(file), text)?;
    }
    output::write(path, &written.toml)?;
    Ok(())
}
