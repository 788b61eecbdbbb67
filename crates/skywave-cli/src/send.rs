//! `skywave send`: files to another host.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skywave_transfer::{Event, Host, Item, Pipe, RelativePath, Teller, list, offer, send};
use skywave_wire::endpoint::PACKETS;

use crate::failure::Failure;
use crate::print::Stream;
use crate::quic::run::{ended, run};
use crate::quic::show::Show;
use crate::quic::who::{Guests, Log, Pace, Patience, code_of, dial, secret};
use crate::recv::{Transport, address};
use crate::wtcp;

/// Send files and folders to another host, over QUIC.
///
/// The receiver runs `skywave recv` and both know each other by their public keys (`skywave key`), or by
/// a code that the receiver prints. With --listen this host waits instead, until `skywave get` fetches
/// them. All is encrypted. A file appears there whole, checked by its hash, or not at all. A transfer
/// that was interrupted, on either side and in any way, goes on where it was: give the same command
/// again. While the other side is away it is waited for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave send film.mkv box.example.org:4747 --code 3k7d-x9qm\n  \
    skywave send film.mkv photos box.example.org:4747 --peer box.pub\n  \
    tar c . | skywave send - --name src.tar 203.0.113.7:4747 --peer box.pub --limit 2Mbps\n  \
    skywave send photos --listen 0.0.0.0:4747 --allow laptop.pub   # there: skywave get\n  \
    skywave send film.mkv box.example.org:4747 --peer box.pub --transport wtcp")]
pub(crate) struct Args {
    /// Files and folders (`-`: standard input), and, without --listen, where the receiver is: HOST:PORT.
    #[arg(required = true, value_name = "PATH... HOST:PORT")]
    paths: Vec<String>,
    /// The receiver's public key, or a file with it.
    #[arg(long, value_name = "KEY", conflicts_with_all = ["listen", "code"])]
    peer: Option<String>,
    /// The code that the receiver prints; it is asked for at the terminal if none is given. With --listen: make
    /// one and print it.
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "")]
    code: Option<String>,
    /// A file with the code, instead of the code itself, which others on this host would see in the list
    /// of processes.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["peer", "code"])]
    code_file: Option<PathBuf>,
    /// Wait at this address until somebody fetches the files (0.0.0.0:4747 is everywhere).
    #[arg(long, value_name = "ADDR", value_parser = address)]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    guests: Guests,
    /// The name there of a file or of standard input [default: its name here].
    #[arg(long)]
    name: Option<String>,
    /// This host's secret key [default: see `skywave key --help`].
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    #[command(flatten)]
    patience: Patience,
    #[command(flatten)]
    pace: Pace,
    /// The protocol: QUIC, or WTCP for a single file.
    #[arg(long, value_name = "NAME", default_value = "quic")]
    transport: Transport,
    /// Bytes of a full packet of WTCP, all headers included. 1280 passes everywhere; 1500 is faster where
    /// no tunnel is on the way.
    #[arg(long, value_name = "BYTES", default_value_t = 1280, value_parser = packet())]
    packet: u16,
    #[command(flatten)]
    log: Log,
    /// Print what happens as lines of JSON.
    #[arg(long)]
    json: bool,
}

fn packet() -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(i64::from(*PACKETS.start())..=i64::from(*PACKETS.end()))
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let usage = |what: &str| Failure::Usage(what.to_owned());
    if args.listen.is_none() && !args.guests.is_nobody() {
        return Err(usage(
            "--allow is for --listen; the receiver is named by --peer",
        ));
    }
    let (to, paths) = match (&args.listen, &args.paths[..]) {
        (Some(_), paths) => (None, paths),
        (None, [paths @ .., to]) if !paths.is_empty() => (Some(to), paths),
        _ => {
            return Err(usage(
                "expected files and where the receiver is, as: film.mkv HOST:PORT",
            ));
        }
    };
    if args.name.is_some() && paths.len() > 1 {
        return Err(usage("--name is for one file"));
    }
    let (given, file) = (args.code.as_deref(), args.code_file.as_deref());
    let given = code_of(given, file, args.listen.is_none())?;
    let code = given.as_ref().map(|code| code.as_str());
    if args.transport == Transport::Wtcp {
        let ([file], Some(to), Some(peer), None) = (paths, to, &args.peer, &code) else {
            return Err(usage("WTCP sends one file, to HOST:PORT and --peer KEY"));
        };
        return wtcp::send::main(&wtcp::send::Options {
            file: Path::new(file),
            to,
            peer,
            name: args.name.as_deref(),
            key: args.key.as_deref(),
            wait: args.patience.wait,
            patience: args.patience.patience,
            limit: args.pace.limit,
            packet: args.packet,
            json: args.json,
        });
    }
    if args.listen.is_some() {
        args.guests.check(code)?;
    }
    let secret = secret(args.key.as_deref(), code.is_some())?;
    let listen = args
        .listen
        .map(|at| args.guests.listen(at, code))
        .transpose()?;
    let dial = to.map(|to| dial(to, args.peer.as_deref(), code, &args.patience));
    let dial = dial.transpose()?;
    let made = listen.as_ref().and_then(|listen| listen.code.clone());
    let this = secret.public();
    let show = Show::new(args.json, Stream::Out, this, made);
    // Whoever fetches files may do so again and again.
    let show = Arc::new(if listen.is_some() {
        show.of_others()
    } else {
        show
    });
    let items = items(paths, args.name.as_deref(), &show.teller())?;
    let host = Host {
        secret,
        sending: args.pace.sending(&args.log)?,
        teller: show.teller(),
    };
    let work = async {
        match (&dial, &listen) {
            (Some(dial), _) => send(&host, dial, items).await,
            (None, Some(listen)) => offer(&host, listen, items).await,
            (None, None) => Ok(skywave_transfer::Outcome::default()),
        }
    };
    ended(run(work)?, this, None, "sent").map(drop)
}

/// The files, folders and standard input that the arguments name, each file under a name of its own.
fn items(paths: &[String], name: Option<&str>, tell: &Teller) -> Result<Vec<Item>, Failure> {
    let mut items: Vec<Item> = Vec::new();
    let mut names = HashMap::new();
    for path in paths {
        let wrong = |why: String| Failure::Source {
            path: PathBuf::from(path),
            why,
        };
        if path == "-" {
            let name =
                name.ok_or_else(|| wrong("standard input needs a name: --name NAME".to_owned()))?;
            let name = RelativePath::parse(name).map_err(|error| wrong(error.to_string()))?;
            items.push(Item::pipe(name, Pipe::open(io::stdin())));
            continue;
        }
        let mut skipped = |path, why| tell(Event::Skipped(path, why));
        let found =
            list(Path::new(path), name, &mut skipped).map_err(|why| wrong(why.to_string()))?;
        for file in found.iter().filter(|item| !item.is_folder()) {
            let name = file.path().as_str().to_owned();
            if let Some(other) = names.insert(name, path) {
                return Err(wrong(format!(
                    "`{}` would come from here and from {other}: the receiver keeps one file of a name",
                    file.path().as_str()
                )));
            }
        }
        items.extend(found);
    }
    Ok(items)
}
