//! `skywave diagnose`: from records of a link to what it is, why it was slow, and what would help.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skywave_diagnose::advice::{Advice, AdviceError, Host, Question, advise};
use skywave_diagnose::answer::Answer;
use skywave_diagnose::diagnosis::{Diagnosis, is_scenario};
use skywave_diagnose::link::{Likeliest, has_trace, scenario, trace_name};
use skywave_diagnose::page;
use skywave_lab::experiment::Progress;
use skywave_lab::folder::{self, Folder};
use skywave_sim::Spec;
use skywave_sim::spec::FlowSpec;

use crate::failure::Failure;
use crate::impair::path::{PathError, pick};
use crate::progress::Bar;
use crate::{interrupt, output};

/// Tell from records of a link what it is, and write it as a scenario.
///
/// Takes what you have: a ping log (Linux, BusyBox, macOS, Windows), irtt or iperf3 JSON, a packet capture (pcap, pcapng, best
/// taken at the sender), traces of rates, tables of times with delays or rates. Kinds are told apart by content, and several
/// records of one link are read together: pings of the idle link tell delays, a capture of a transfer tells rate, queue and
/// losses. What they cannot tell is said. Then senders are simulated over the link, drawn anew within the intervals, and the page
/// says which one to use for bulk, short transfers and calls, and what to type. A scenario alone gets this advice too.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    ping -D -i 0.2 host > ping.log               # a record of the idle link, five minutes\n  \
    tcpdump -s 128 -w upload.pcap host server    # a capture at the sender during an upload\n  \
    skywave diagnose upload.pcap ping.log\n  \
    ssh host timeout 60 tcpdump -s 128 -w - | skywave diagnose - ping.log\n  \
    skywave diagnose upload.pcap ping.log --scenario link.toml\n  \
    skywave impair link.toml -- COMMAND          # the same link at your desk\n  \
    skywave diagnose link.toml --on linux        # which of the senders that this host has\n  \
    skywave diagnose iperf.json --json")]
pub(crate) struct Args {
    /// Records of one link (`-`: standard input), or a scenario with a link.
    #[arg(required = true, value_name = "RECORD")]
    records: Vec<PathBuf>,

    /// Write the link as a scenario to this file (a trace that it needs beside it).
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,

    /// Write the page as HTML to this file, with plots of round trips, losses and goodput.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// The flow of the scenario whose path is taken; needed if there are several between different nodes.
    #[arg(long, value_name = "NAME")]
    flow: Option<String>,

    /// Laws that the sending host has: `any`, `linux` (this host: /proc is read), `linux:cubic,bbr` or `quic:noq`.
    #[arg(long, value_name = "HOST", default_value = "any")]
    on: String,

    /// The sender that you have today, such as cubic, reno or bbr. Without this it is what this host has (`--on linux`), what
    /// iperf3's JSON names, or CUBIC.
    #[arg(long, value_name = "NAME")]
    today: Option<String>,

    /// Leave out the advice, for which senders are simulated.
    #[arg(long)]
    no_advice: bool,

    /// Print the packets and connections of captures too, counted, and losses by cause where a capture has our comments. Without this
    /// only of captures that tell nothing of the link.
    #[arg(long)]
    packets: bool,

    /// Print one JSON object instead of the page.
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let host = Host::named(&args.on, args.today.as_deref()).map_err(Failure::usage)?;
    let trace = args.scenario.as_deref().map(trace_of);
    let written = [&args.scenario, &trace, &args.html];
    let written: Vec<&Path> = written
        .into_iter()
        .flatten()
        .map(PathBuf::as_path)
        .collect();
    let read: Vec<&Path> = args.records.iter().map(|path| file_of(path)).collect();
    output::check_apart(&read, &written)?;
    for path in written {
        output::check_writable(path)?;
    }
    if let [only] = &args.records[..]
        && is_scenario(only).map_err(Failure::failed)?
    {
        return of_scenario(args, only, &host);
    }
    if args.flow.is_some() {
        let why = "--flow is for a scenario: of records the largest transfers are told of";
        return Err(Failure::usage(why));
    }
    let diagnosis = Diagnosis::of(&args.records).map_err(Failure::failed)?;
    if let Some(path) = &args.scenario {
        write_scenario(&diagnosis, path)?;
    }
    let answer = if args.no_advice {
        Answer::Nothing
    } else {
        Answer::of(&diagnosis, &host, watched).map_err(Failure::failed)?
    };
    let sections: Vec<_> = answer.section().into_iter().collect();
    if let Some(path) = &args.html {
        output::write(path, &page::html(&diagnosis, &sections)?)?;
    }
    let mut out = io::stdout().lock();
    if args.json {
        let mut page = page::json(&diagnosis);
        page["advice"] = answer.advice().map(Advice::json).into();
        writeln!(out, "{page}")?;
        return Ok(());
    }
    write!(out, "{}", page::text(&diagnosis))?;
    for (heading, text) in &sections {
        write!(out, "\n{heading}\n{text}")?;
    }
    if args.packets || diagnosis.is_empty() {
        write!(out, "{}", page::packets(&diagnosis))?;
    }
    for (what, path) in [("Scenario", &args.scenario), ("Page", &args.html)] {
        if let Some(path) = path {
            writeln!(out, "\n{what}: {}", path.display())?;
        }
    }
    Ok(())
}

/// Advice for a scenario that somebody has written, or has had written.
fn of_scenario(args: &Args, path: &Path, host: &Host) -> Result<(), Failure> {
    if args.html.is_some() || args.scenario.is_some() || args.packets || args.no_advice {
        return Err(Failure::usage(
            "a scenario gets advice alone: --html, --scenario, --packets and --no-advice are for records",
        ));
    }
    let known = folder::load(path)?;
    let text = known.text();
    let folder = Folder::of(path);
    let spec = known.points().first().map(|point| point.spec(1));
    let question = Question {
        files: &folder,
        ends: match &spec {
            Some(spec) => {
                ends(spec, args.flow.as_deref()).map_err(|why| Failure::file(path, why))?
            }
            None => None,
        },
        ..Question::new(text, host)
    };
    let advice = watched(&question).map_err(Failure::failed)?;
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", advice.json())?;
    } else {
        write!(out, "{advice}")?;
    }
    Ok(())
}

/// The nodes between which the path is: those of the flow of that name, or of all flows if they have the same ones; `None`
/// for those of the first flow, where proxies split flows in two.
fn ends<'a>(spec: &'a Spec, flow: Option<&str>) -> Result<Option<[&'a str; 2]>, PathError> {
    let ends = |flow: &FlowSpec| [flow.from, flow.to];
    let split = spec.proxies.iter().find(|proxy| Some(&*proxy.name) == flow);
    if let Some(proxy) = split {
        let ends = [spec.flows[proxy.near].from, spec.flows[proxy.far].to];
        return Ok(Some(ends.map(|node| spec.nodes[node].as_ref())));
    }
    let taken = match (flow, &spec.flows[..]) {
        (None, []) => return Ok(None),
        (None, _) if !spec.proxies.is_empty() => return Ok(None),
        (None, [first, others @ ..]) if others.iter().all(|flow| ends(flow) == ends(first)) => {
            first
        }
        (flow, _) => pick(spec, flow)?,
    };
    Ok(Some(ends(taken).map(|node| spec.nodes[node].as_ref())))
}

/// Advice with a bar that shows its progress, which Ctrl-C stops.
fn watched(question: &Question<'_>) -> Result<Advice, AdviceError> {
    let bar = Bar::new("Comparing senders");
    let progress = |done, total| {
        bar.show(Progress {
            done,
            total,
            reused: 0,
        });
    };
    let question = Question {
        cancel: interrupt::flag(),
        ..*question
    };
    advise(&question, &progress)
}

/// The file of a record, standard input's too.
fn file_of(record: &Path) -> &Path {
    if record.as_os_str() == "-" {
        Path::new("/dev/stdin")
    } else {
        record
    }
}

/// The trace that the scenario at `path` may need beside it.
fn trace_of(path: &Path) -> PathBuf {
    path.with_file_name(trace_name(&name_of(path)))
}

/// Name of the scenario at `path`.
fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_stem()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
}

fn write_scenario(diagnosis: &Diagnosis, path: &Path) -> Result<(), Failure> {
    let written = scenario(&diagnosis.link, &name_of(path), &mut Likeliest);
    if let Some((file, text)) = &written.trace {
        let trace = path.with_file_name(file);
        let is_ours = || fs::read_to_string(path).is_ok_and(|old| has_trace(&old, file));
        if trace.exists() && !is_ours() {
            let why = "it is there already, and stays as it is; the scenario needs a trace of that name: choose \
                       another one for --scenario";
            return Err(Failure::file(&trace, why));
        }
        output::write(&trace, text)?;
    }
    output::write(path, &written.toml)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use skywave_lab::scenario::{NoFiles, Scenario};

    #[test]
    fn a_flow_that_a_proxy_splits_goes_from_end_to_end() {
        let link = |name: &str, from: &str, to: &str| {
            format!(
                "[[link]]\nname = \"{name}\"\nbetween = [\"{from}\", \"{to}\"]\nrate = \"5Mbps\"\ndelay = \"20ms\"\n"
            )
        };
        let text = link("l", "a", "b")
            + &link("k", "b", "c")
            + "[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"c\"\ntransport = \"reno\"\n\
               proxy = { at = \"b\", buffer = \"64kB\" }\n[run]\nduration = \"1s\"\n";
        let scenario = Scenario::parse("split.toml", &text, &NoFiles).expect("a scenario");
        let spec = scenario.points()[0].spec(1);
        let taken = |flow| ends(&spec, flow).expect("a path");
        assert_eq!(taken(None), None, "those of the first flow in the file");
        assert_eq!(taken(Some("f")), Some(["a", "c"]));
    }
}
