//! A sender of our own over the link, under any program's connections.

use std::hash::{BuildHasher, RandomState};

use serde_json::{Value, json};
use skywave_core::parameter::Named as _;
use skywave_core::tcp::Profile;
use skywave_lab::report::number::counted;
use skywave_wire::relay::Ends;
use skywave_wire::splice::{Place, Splice, Spliced};
use skywave_wire::tcp::{EndpointConfig, Role, Totals};

use super::Run;
use super::show::ARROWS;
use crate::failure::Failure;
use crate::names::Named;
use crate::variants;

/// Stack whose defaults a sender has unless said.
const PROFILE: &str = "linux";

/// The sender of TCP's data over the link.
#[derive(Debug, clap::Args)]
pub(super) struct TcpArgs {
    /// Send TCP's data over the link, both ways, by this preset of `skywave variants` instead of the systems' own TCP;
    /// with COMMAND and --tun. Connections end in front of the link, and go on behind it to where they were meant for.
    #[arg(long = "tcp", value_name = "PRESET", conflicts_with = "to",
        value_parser = Named(variants::presets), hide_possible_values = true)]
    sender: Option<String>,

    /// The stack whose clocks, first windows and other defaults the sender of --tcp has.
    #[arg(long = "tcp-profile", value_name = "PROFILE", default_value = PROFILE, requires = "sender",
        value_parser = clap::builder::PossibleValuesParser::new(Profile::NAMES))]
    profile: String,

    /// Where the sender of --tcp is: at an end without it the system's TCP is at the link itself, as at the other end of
    /// a server's connections.
    #[arg(
        long = "tcp-at",
        value_name = "END",
        default_value = "both",
        requires = "sender"
    )]
    at: At,
}

/// End of the link.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum At {
    Both,
    Near,
    Far,
}

/// The splice, and who sends.
#[derive(Debug)]
pub(super) struct Sender {
    splice: Splice,
    name: String,
    profile: String,
}

impl TcpArgs {
    /// The splice, if there is to be one.
    pub(super) fn splice(&self) -> Result<Option<Sender>, Failure> {
        let Some(name) = &self.sender else {
            return Ok(None);
        };
        let composition = variants::composition(name, "the system's own TCP")?;
        let profile = Profile::NAMES.iter().position(|p| *p == self.profile);
        let profile = profile.map_or(Profile::Linux, |at| Profile::ALL[at]);
        let place = match self.at {
            At::Both => Place::Both,
            At::Near => Place::Near,
            At::Far => Place::Far,
        };
        let links = EndpointConfig::new(Role::Host, profile, composition);
        let drawn = || u128::from(RandomState::new().hash_one(()));
        let secret = drawn() << 64 | drawn();
        Ok(Some(Sender {
            splice: Splice::new(place, &links, secret),
            name: name.clone(),
            profile: self.profile.clone(),
        }))
    }
}

/// Runs with a splice before the ends, if there is one.
pub(super) fn around(
    mut ends: impl Ends<Address = ()>,
    sender: Option<Sender>,
    run: impl FnOnce(&mut dyn Ends<Address = ()>) -> Run,
) -> Run {
    let Some(Sender {
        splice,
        name,
        profile,
    }) = sender
    else {
        return run(&mut ends);
    };
    let mut ends = Spliced::new(ends, splice);
    let run = run(&mut ends);
    Run {
        carried: Some(Carried {
            sender: name,
            profile,
            totals: ends.totals(),
        }),
        ..run
    }
}

/// Totals of what was carried over the link.
#[derive(Debug)]
pub(super) struct Carried {
    sender: String,
    profile: String,
    /// By the direction of data; none of the system's own.
    totals: [Option<Totals>; 2],
}

impl Carried {
    /// Lines below the table.
    pub(super) fn lines(&self) -> String {
        let counted = |n: u64, thing| counted(n as usize, thing);
        let ways = ARROWS.iter().zip(&self.totals).map(|(arrow, totals)| {
            let Some(totals) = totals else {
                return format!("{arrow} by the system\n");
            };
            format!(
                "{arrow} {}, {} acknowledged; {}, {} of them sent again; {}\n",
                counted(totals.connections, "connection"),
                counted(totals.bytes, "byte"),
                counted(totals.segments, "segment"),
                totals.retransmissions,
                counted(totals.timeouts, "timeout"),
            )
        });
        let first = format!("TCP by {} (profile {}):\n", self.sender, self.profile);
        std::iter::once(first).chain(ways).collect()
    }

    /// Object for `--json`.
    pub(super) fn object(&self) -> Value {
        let way = |totals: &Totals| {
            json!({
                "connections": totals.connections,
                "bytes": totals.bytes,
                "segments": totals.segments,
                "retransmissions": totals.retransmissions,
                "timeouts": totals.timeouts,
            })
        };
        json!({
            "sender": self.sender,
            "profile": self.profile,
            "forward": self.totals[0].as_ref().map(way),
            "back": self.totals[1].as_ref().map(way),
        })
    }
}
