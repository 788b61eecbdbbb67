//! `skywave get`: files that another host offers.

use std::path::PathBuf;
use std::sync::Arc;

use skywave_transfer::{Error, Host, get};

use crate::failure::Failure;
use crate::print::Stream;
use crate::quic::run::{ended, run, unread};
use crate::quic::show::{How, Show};
use crate::quic::who::{Into, Log, Patience, code_of, dial, secret};

/// Fetch files that another host offers, over QUIC.
///
/// The other host runs `skywave send … --listen`. As with `skywave recv`, files appear whole or not at
/// all, and a transfer that was interrupted goes on where it was.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave get box.example.org:4747 --peer box.pub --into inbox\n  \
    skywave get box.example.org:4747 --code 3k7d-x9qm --into inbox photos/2026\n  \
    skywave get box.example.org:4747 --peer box.pub --into - backup.tar | tar x")]
pub(crate) struct Args {
    /// Where the other host is: HOST:PORT.
    #[arg(value_name = "HOST:PORT")]
    from: String,
    /// Files and folders to fetch, by the names that they have there [default: all].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The other host's public key, or a file with it.
    #[arg(long, value_name = "KEY", conflicts_with = "code")]
    peer: Option<String>,
    /// The code that the other host prints. Without a value the command asks for it at the terminal.
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "")]
    code: Option<String>,
    /// A file with the code, instead of the code itself, which others on this host would see in the list
    /// of processes.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["peer", "code"])]
    code_file: Option<PathBuf>,
    #[command(flatten)]
    into: Into,
    /// Secret key of this host, or OpenSSH's (~/.ssh/id_ed25519) without a passphrase [default: see `skywave key
    /// --help`].
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    #[command(flatten)]
    patience: Patience,
    #[command(flatten)]
    log: Log,
    #[command(flatten)]
    how: How,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    args.into.check()?;
    let code = code_of(args.code.as_deref(), args.code_file.as_deref(), true)?;
    let code = code.as_ref().map(|code| code.as_str());
    let secret = secret(args.key.as_deref(), code.is_some())?;
    let dial = dial(&args.from, args.peer.as_deref(), code, &args.patience)?;
    let out = if args.into.is_output() {
        Stream::Err
    } else {
        Stream::Out
    };
    let this = secret.public();
    let show = Arc::new(Show::new(args.how, out, this, None).of_others());
    let host = Host {
        secret,
        sending: args.log.sending()?,
        teller: show.teller(),
    };
    let (target, is_output) = (args.into.target(), args.into.is_output());
    let work = async {
        tokio::select! {
            done = get(&host, &dial, args.names.clone(), target) => done,
            error = unread(), if is_output => Err(Error::Output(error)),
        }
    };
    let done = run(work)?;
    show.finish();
    ended(done, this, Some(&args.into.dir), "received").map(drop)
}
