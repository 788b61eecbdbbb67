//! Identity of this host, and the hosts that it talks to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use skywave_quic::{FixedRate, Law, LawError};
use skywave_transfer::key::SecretKey;
use skywave_transfer::{Allowed, Code, Control, Dial, Listen, Logs, NoCode, Proof, Sending};
use zeroize::Zeroizing;

use super::run::no_folder;
use crate::failure::Failure;
use crate::keys::{self, KeyFailure};
use crate::print::{Stream, line};
use crate::quantity::{rate, time};

/// Options of a side that connects.
#[derive(Debug, clap::Args)]
pub(crate) struct Patience {
    /// How long to try until the other side answers for the first time.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = time)]
    pub(crate) wait: Duration,
    /// How long there may be no progress once it has answered. Until then, a connection that breaks is
    /// made again.
    #[arg(long, value_name = "TIME", default_value = "30min", value_parser = time)]
    pub(crate) patience: Duration,
}

/// Options of every side.
#[derive(Debug, clap::Args)]
pub(crate) struct Log {
    /// Write a log of each connection's events into this folder, in the format qlog, to see where time went.
    #[arg(long, value_name = "DIR")]
    qlog: Option<PathBuf>,
}

impl Log {
    /// How a side sends that has nothing else to say about it.
    pub(crate) fn sending(&self) -> Result<Sending, Failure> {
        let logs = self.qlog.as_deref().map(|dir| {
            let made = Logs::into(dir.to_owned());
            made.map_err(|error| no_folder(dir, &error))
        });
        Ok(Sending {
            logs: logs.transpose()?,
            ..Sending::default()
        })
    }
}

/// Options of a side that sends.
#[derive(Debug, clap::Args)]
pub(crate) struct Pace {
    /// Never send faster than this, all headers included [default: as the path allows].
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub(crate) limit: Option<f64>,
    /// Congestion control, by the name of a transport: `skywave` holds the rate of a link that loses packets
    /// and leaves others their share; `bbr`, `cubic` and others of `skywave variants` for comparison.
    #[arg(long, value_name = "NAME", default_value = DEFAULT_LAW, value_parser = law)]
    control: Law,
    /// Send at this rate whatever is lost, without congestion control: who shares the link has what is left.
    #[arg(long, value_name = "RATE", value_parser = rate, conflicts_with_all = ["limit", "control"])]
    rate: Option<f64>,
}

/// Congestion control of transfers unless `--control` names one.
const DEFAULT_LAW: &str = "skywave";

fn law(name: &str) -> Result<Law, LawError> {
    Law::named(name)
}

impl Pace {
    pub(crate) fn sending(&self, log: &Log) -> Result<Sending, Failure> {
        // In bytes; at least one a second.
        let limit = self.limit.map(|bps| (bps / 8.0).max(1.0) as u64);
        let control = match self.rate {
            Some(bps) => Control::Other(Arc::new(FixedRate::from_bps(bps as u64))),
            None => Control::Law(Box::new(self.control.clone())),
        };
        Ok(Sending {
            control: Some(control),
            limit,
            ..log.sending()?
        })
    }
}

/// Secret key of this host. With a code, one is made if there is none: an interrupted transfer is known
/// by it.
pub(crate) fn secret(path: Option<&Path>, by_code: bool) -> Result<SecretKey, Failure> {
    match keys::read_secret(path) {
        Err(KeyFailure::None(path)) if by_code => keys::make_secret(&path),
        Err(KeyFailure::NoPlace) if by_code => {
            let note = "skywave: no place to keep a key (XDG_CONFIG_HOME, HOME): this one is good until the command ends, \
                which nothing goes on from then";
            line(Stream::Err, note);
            SecretKey::generate().map_err(keys::no_random)
        }
        other => Ok(other?),
    }
}

/// The other side, which listens.
pub(crate) fn dial(
    to: &str,
    peer: Option<&str>,
    code: Option<&str>,
    patience: &Patience,
) -> Result<Dial, Failure> {
    let proof = match (peer, code) {
        (Some(text), None) => {
            let peers = keys::read_public(text)?;
            let [peer] = peers[..] else {
                let wanted = "several keys: expected the receiver's alone";
                return Err(Failure::usage(format!("{text}: {wanted}")));
            };
            Proof::Key(peer)
        }
        (None, Some(code)) if !code.is_empty() => Proof::Code(read_code(code)?),
        _ => {
            let wanted = "who is the other side? --peer KEY, or --code CODE as it prints it";
            return Err(Failure::usage(wanted));
        }
    };
    match to.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
            if host.contains(':') && !host.starts_with('[') {
                return Err(nowhere(
                    to,
                    "an address of IPv6 is written in brackets, as [2001:db8::7]:4747 or [fe80::1%eth0]:4747",
                ));
            }
        }
        _ => return Err(nowhere(to, "this is no host with a port")),
    }
    Ok(Dial {
        to: to.to_owned(),
        proof,
        wait: patience.wait,
        patience: patience.patience,
    })
}

/// The failure of an address that is none.
pub(crate) fn nowhere(text: &str, why: &str) -> Failure {
    Failure::usage(format!(
        "{text}: {why}; expected HOST:PORT, such as 203.0.113.7:4747"
    ))
}

/// The code as it is given: as an argument, in a file, or, where it `is_known` to the other side and nothing follows the
/// option, at the terminal. An empty one stands for a new one.
pub(crate) fn code_of(
    code: Option<&str>,
    file: Option<&Path>,
    is_known: bool,
) -> Result<Option<Zeroizing<String>>, Failure> {
    check_code(code)?;
    let text = match (code, file) {
        (None, None) => return Ok(None),
        (_, Some(file)) => keys::read_line(Some(file))?,
        (Some(""), None) if is_known => keys::read_line(None)?,
        (Some(text), None) => return Ok(Some(Zeroizing::new(text.to_owned()))),
    };
    match (read_code(&text), file) {
        (Ok(_), _) => Ok(Some(text)),
        (Err(_), Some(file)) => Err(Failure::file(file, NoCode)),
        (Err(why), None) => Err(why),
    }
}

/// Checks the code that an argument names: a path may stand there, which the option has taken.
pub(crate) fn check_code(code: Option<&str>) -> Result<(), Failure> {
    match code.filter(|code| !code.is_empty()).map(str::parse::<Code>) {
        Some(Err(error)) => Err(Failure::usage(format!(
            "--code {}: {error}; what follows --code is taken as the code",
            code.unwrap_or_default()
        ))),
        _ => Ok(()),
    }
}

fn read_code(text: &str) -> Result<Code, Failure> {
    text.parse()
        .map_err(|error| Failure::usage(format!("{text}: {error}")))
}

/// Options of a side that listens: who may connect.
#[derive(Debug, clap::Args)]
pub(crate) struct Guests {
    /// The other side's public key (`sky1…`, or OpenSSH's `ssh-ed25519 AAAA…`), or a file with one on each
    /// line, such as ~/.ssh/id_ed25519.pub or ~/.ssh/authorized_keys; may be given several times.
    #[arg(long, value_name = "KEY")]
    pub(crate) allow: Vec<String>,
    /// Allow everybody who knows this host's public key.
    #[arg(long, conflicts_with = "allow")]
    pub(crate) allow_everyone: bool,
    /// Stop after this many files. With send --listen: once they are fetched and the host that fetches has all it asked for
    /// [default: Ctrl-C stops].
    #[arg(long, value_name = "FILES", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) count: Option<u32>,
}

impl Guests {
    pub(crate) fn is_nobody(&self) -> bool {
        self.allow.is_empty() && !self.allow_everyone
    }

    /// Somebody has to be let in.
    pub(crate) fn check(&self, code: Option<&str>) -> Result<(), Failure> {
        if self.is_nobody() && code.is_none() {
            return Err(Failure::usage(
                "who may connect? --allow KEY, or --code to make a code for the other side",
            ));
        }
        Ok(())
    }

    /// How connections are taken. An empty code stands for a new one.
    pub(crate) fn listen(
        &self,
        at: std::net::SocketAddr,
        code: Option<&str>,
    ) -> Result<Listen, Failure> {
        self.check(code)?;
        let code = match code {
            None => None,
            Some("") => Some(Code::generate().map_err(keys::no_random)?),
            Some(text) => Some(read_code(text)?),
        };
        let allowed = if self.allow_everyone {
            Allowed::Everybody
        } else {
            let mut keys = BTreeSet::new();
            for text in &self.allow {
                keys.extend(keys::read_public(text)?);
            }
            Allowed::Keys(keys)
        };
        Ok(Listen {
            at,
            allowed,
            code,
            count: self.count.map(|n| n as usize),
        })
    }
}

/// Options of a side that receives.
#[derive(Debug, clap::Args)]
pub(crate) struct Into {
    /// Folder for the files; it is made if it is not there. `-`: one file, to standard output.
    #[arg(long = "into", value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Let files take the place of others of their names.
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Take hidden files, too, whose names begin with a dot.
    #[arg(long)]
    pub(crate) dotfiles: bool,
    /// Most bytes that may be in the folder, such as 20GB [default: what the disk has].
    #[arg(long, value_name = "SIZE", value_parser = crate::quantity::bytes)]
    pub(crate) quota: Option<u64>,
}

impl Into {
    pub(crate) fn is_output(&self) -> bool {
        self.dir == Path::new("-")
    }

    /// Checks that no option asks for what only a folder has.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let given = [
            ("--overwrite", self.overwrite),
            ("--quota", self.quota.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) if self.is_output() => Err(Failure::usage(format!(
                "{option} is for a folder; --into - is standard output"
            ))),
            _ => Ok(()),
        }
    }

    pub(crate) fn target(&self) -> skywave_transfer::Target {
        if self.is_output() {
            return skywave_transfer::Target::Output(Box::new(std::io::stdout()));
        }
        let taking = skywave_transfer::Taking {
            overwrite: self.overwrite,
            hidden: self.dotfiles,
            quota: self.quota,
        };
        skywave_transfer::Target::Folder(self.dir.clone(), taking)
    }
}
