//! `skywave recv`: files from other hosts.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use skywave_transfer::{Host, receive, receive_until};

use crate::failure::Failure;
use crate::print::Stream;
use crate::quic::run::{ended, run, unread};
use crate::quic::show::{How, Show};
use crate::quic::who::{Guests, Into, Log, code_of, secret};

/// Receive files that `skywave send` sends, many at once, over QUIC.
///
/// Only senders whose public keys are allowed may send, or the one that knows the code. A file appears
/// under its name whole and checked by its hash, or not at all; what has come of one that was interrupted
/// is kept beside it (.skywave-….part) and used when the sender comes again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave recv --listen 0.0.0.0:4747 --into inbox --code\n  \
    skywave recv --listen 0.0.0.0:4747 --into inbox --allow laptop.pub --allow phone.pub\n  \
    skywave recv --listen 0.0.0.0:4747 --into inbox --allow ~/.ssh/id_ed25519.pub --key ~/.ssh/id_ed25519\n  \
    skywave recv --into inbox --allow laptop.pub --count 1 --json\n  \
    skywave recv --into - --allow laptop.pub | tar x")]
pub(crate) struct Args {
    /// Address to listen at: this host only, unless told otherwise (0.0.0.0:4747 is everywhere).
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4747", value_parser = address)]
    listen: SocketAddr,
    #[command(flatten)]
    into: Into,
    #[command(flatten)]
    guests: Guests,
    /// Let one sender in that knows this code, the first one, until it is done; a new one is printed if
    /// none is given.
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "")]
    code: Option<String>,
    /// A file with the code, instead of the code itself, which others on this host would see in the list
    /// of processes.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["code"])]
    code_file: Option<PathBuf>,
    /// Secret key of this host, or OpenSSH's (~/.ssh/id_ed25519) without a passphrase [default: see `skywave key
    /// --help`].
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    #[command(flatten)]
    log: Log,
    #[command(flatten)]
    how: How,
}

/// An address with a port.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    let address = skywave_transfer::address(text).map_err(|error| error.to_string())?;
    address.ok_or_else(|| "expected an address and a port, such as 0.0.0.0:4747".to_owned())
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    args.into.check()?;
    let code = code_of(args.code.as_deref(), args.code_file.as_deref(), false)?;
    let code = code.as_ref().map(|code| code.as_str());
    args.guests.check(code)?;
    let secret = secret(args.key.as_deref(), code.is_some())?;
    let mut listen = args.guests.listen(args.listen, code)?;
    let out = if args.into.is_output() {
        // One file is all that a program can read.
        listen.count = Some(1);
        Stream::Err
    } else {
        Stream::Out
    };
    let this = secret.public();
    let show = Arc::new(Show::new(args.how, out, this, listen.code.clone()).of_others());
    let host = Host {
        secret,
        sending: args.log.sending()?,
        teller: show.teller(),
    };
    let target = args.into.target();
    let work = async {
        if args.into.is_output() {
            receive_until(&host, &listen, target, unread()).await
        } else {
            receive(&host, &listen, target).await
        }
    };
    let done = run(work)?;
    show.finish();
    let Some(done) = done else {
        let arrived = show.arrived();
        let stopped = format!("stopped; files that arrived: {arrived}");
        return Err(Failure::interrupted(stopped));
    };
    ended(Some(done), this, Some(&args.into.dir), "received").map(drop)
}
