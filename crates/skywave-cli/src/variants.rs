//! `skywave variants`: what can be simulated and composed.

use std::io::{self, Write};

use serde_json::json;
use skywave_core::tcp::{MEMBERS, PRESETS};

use crate::failure::Failure;

/// Transports that are no TCP: name, summary, source.
const OTHERS: [(&str, &str, &str); 1] = [(
    "wtcp",
    "rate control at the receiver, no timers, survives blackouts",
    "Sinha, Nandagopal, Venkitaraman, Sivakumar, Bharghavan 2002",
)];

/// List the TCP variants, the members of which any other can be composed, and WTCP.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave variants\n  \
    skywave variants --json\n\n\
    In a scenario file:\n  \
    transport = \"cerl\"\n  \
    transport = { preset = \"cerl\", recovery = \"sack\" }\n  \
    transport = { congestion = { cerl = { a = 0.3 } }, recovery = \"newreno\" }")]
pub(crate) struct Args {
    /// Print one JSON object a variant, member or transport.
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if args.json {
        for preset in PRESETS {
            let line = json!({
                "preset": preset.name,
                "summary": preset.summary,
                "source": preset.source,
            });
            writeln!(out, "{line}")?;
        }
        for member in MEMBERS {
            let line = json!({
                "slot": member.slot,
                "member": member.name,
                "summary": member.summary,
                "source": member.source,
            });
            writeln!(out, "{line}")?;
        }
        for (name, summary, source) in OTHERS {
            let line = json!({ "transport": name, "summary": summary, "source": source });
            writeln!(out, "{line}")?;
        }
        return Ok(());
    }
    writeln!(out, "Presets (transport = \"NAME\"):")?;
    for preset in PRESETS {
        writeln!(out, "  {:<16} {}", preset.name, preset.summary)?;
        writeln!(out, "  {:<16} {}", "", preset.source)?;
    }
    let mut slot = "";
    for member in MEMBERS {
        if member.slot != slot {
            slot = member.slot;
            writeln!(out, "\nMembers of the slot {slot}:")?;
        }
        writeln!(out, "  {:<16} {}", member.name, member.summary)?;
        writeln!(out, "  {:<16} {}", "", member.source)?;
    }
    writeln!(out, "\nOther transports (transport = \"NAME\"):")?;
    for (name, summary, source) in OTHERS {
        writeln!(out, "  {name:<16} {summary}")?;
        writeln!(out, "  {:<16} {source}", "")?;
    }
    Ok(())
}
