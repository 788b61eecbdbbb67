//! `skywave variants`: what can be simulated and composed.

use std::io::{self, Write};

use serde_json::json;
use skywave_core::tcp::{self, Composition, MEMBERS, PRESETS};
use skywave_lab::scenario::{OTHER_TRANSPORTS, nearest};

use crate::failure::Failure;

/// List the TCP variants, the members of which any other can be composed, QUIC and WTCP.
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

/// Names of all presets.
pub(crate) fn presets() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

/// The composition of the preset that an option `--tcp` names; `without` is what is taken without that option.
pub(crate) fn composition(name: &str, without: &str) -> Result<Composition, Failure> {
    let preset = tcp::preset(name).ok_or_else(|| {
        if OTHER_TRANSPORTS.iter().any(|other| other.name == name) {
            return Failure::usage(format!(
                "--tcp {name}: this is a protocol of its own, as transport = \"{name}\" in a scenario, and no preset of \
                 TCP, which is meant here (without --tcp it is {without})"
            ));
        }
        // Papers write TCP-DCR.
        let plain = name.to_lowercase();
        let plain = plain.strip_prefix("tcp-").unwrap_or(&plain);
        let near = nearest(plain, &presets());
        let near = near.map_or_else(String::new, |near| format!(", did you mean {near}?"));
        Failure::usage(format!(
            "--tcp {name}: there is no such preset{near} (`skywave variants` lists them; without --tcp it is {without})"
        ))
    })?;
    Ok(preset.composition.clone())
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if args.json {
        for preset in PRESETS.iter() {
            let line = json!({
                "preset": preset.name,
                "summary": preset.summary,
                "source": preset.source,
            });
            writeln!(out, "{line}")?;
        }
        for member in MEMBERS.iter() {
            let line = json!({
                "slot": member.slot,
                "member": member.name,
                "summary": member.summary,
                "source": member.source,
            });
            writeln!(out, "{line}")?;
        }
        for other in OTHER_TRANSPORTS {
            let line = json!({
                "transport": other.name,
                "summary": other.summary,
                "source": other.source,
            });
            writeln!(out, "{line}")?;
        }
        return Ok(());
    }
    writeln!(out, "Presets (transport = \"NAME\"):")?;
    for preset in PRESETS.iter() {
        writeln!(out, "  {:<16} {}", preset.name, preset.summary)?;
        writeln!(out, "  {:<16} {}", "", preset.source)?;
    }
    let mut slot = "";
    for member in MEMBERS.iter() {
        if member.slot != slot {
            slot = member.slot;
            writeln!(out, "\nMembers of the slot {slot}:")?;
        }
        writeln!(out, "  {:<16} {}", member.name, member.summary)?;
        writeln!(out, "  {:<16} {}", "", member.source)?;
    }
    writeln!(out, "\nOther transports (transport = \"NAME\"):")?;
    for other in OTHER_TRANSPORTS {
        writeln!(out, "  {:<16} {}", other.name, other.summary)?;
        writeln!(out, "  {:<16} {}", "", other.source)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_protocols_are_no_presets_of_tcp() {
        let told = |name| composition(name, "linux").unwrap_err().to_string();
        for name in ["wtcp", "quic"] {
            assert!(told(name).contains("no preset of TCP"), "{}", told(name));
        }
        assert!(told("cubik").contains("did you mean cubic?"));
        assert!(composition("cubic", "linux").is_ok());
    }
}
