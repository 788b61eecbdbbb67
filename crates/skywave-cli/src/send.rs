//! `skywave send`: files to another host.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skywave_transfer::name::shown_bytes;
use skywave_transfer::{
    Event, Exclude, Host, Item, Outcome, Pipe, RelativePath, Teller, Why, list, offer, send,
};

use crate::failure::Failure;
use crate::print::{Stream, line};
use crate::quic::run::{ended, run};
use crate::quic::show::{How, Show};
use crate::quic::who::{Guests, Log, Pace, Patience, check_code, code_of, dial, nowhere, secret};
use crate::recv::address;

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
    skywave send film.mkv box.example.org:4747 --peer box.pub --key ~/.ssh/id_ed25519")]
pub(crate) struct Args {
    /// Files and folders (`-`: standard input), and, without --listen, where the receiver is: HOST:PORT.
    #[arg(required = true, value_name = "PATH... HOST:PORT")]
    paths: Vec<OsString>,
    /// The receiver's public key, or a file with it.
    #[arg(long, value_name = "KEY", conflicts_with_all = ["listen", "code"])]
    peer: Option<String>,
    /// The code that the receiver prints. Without a value the command asks for it at the terminal; with --listen
    /// it makes one and prints it.
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
    name: Option<OsString>,
    /// Leave out of folders what has this name, such as .DS_Store or '*.tmp', or with a / a path that ends so,
    /// such as 'photos/raw/*' (from the top only: '/photos/raw/*' where `photos` is sent); may be given several times.
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Secret key of this host, or OpenSSH's (~/.ssh/id_ed25519) without a passphrase [default: see `skywave key
    /// --help`].
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    #[command(flatten)]
    patience: Patience,
    #[command(flatten)]
    pace: Pace,
    #[command(flatten)]
    log: Log,
    #[command(flatten)]
    how: How,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    if args.listen.is_none() && !args.guests.is_nobody() {
        return Err(Failure::usage(
            "--allow is for --listen; the receiver is named by --peer",
        ));
    }
    if args.listen.is_none() && args.guests.count.is_some() {
        return Err(Failure::usage(
            "--count is for --listen; without it all files are sent once",
        ));
    }
    check_code(args.code.as_deref())?;
    let (to, paths) = match (&args.listen, &args.paths[..]) {
        (Some(_), paths) => (None, paths),
        (None, [paths @ .., to]) if !paths.is_empty() => {
            let text = to.to_str();
            let to = text.ok_or_else(|| nowhere(&shown_bytes(to.as_bytes()), "this is no text"))?;
            (Some(to), paths)
        }
        _ => {
            return Err(Failure::usage(
                "expected files and where the receiver is, as: film.mkv HOST:PORT",
            ));
        }
    };
    if args.name.is_some() && paths.len() > 1 {
        return Err(Failure::usage("--name is for one file"));
    }
    let (given, file) = (args.code.as_deref(), args.code_file.as_deref());
    let given = code_of(given, file, args.listen.is_none())?;
    let code = given.as_ref().map(|code| code.as_str());
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
    let show = Show::new(args.how, Stream::Out, this, made);
    // Whoever fetches files may do so again and again.
    let show = Arc::new(if listen.is_some() {
        show.of_others()
    } else {
        show
    });
    let tell = show.teller();
    let exclude = Exclude::new(&args.exclude).map_err(Failure::usage)?;
    let named = named(paths, args.name.as_deref(), &exclude, &tell)?;
    let (items, skipped) = (named.items, named.skipped);
    for pattern in exclude.unused() {
        let top = match pattern.strip_prefix('/') {
            Some(_) => ": a path from the top begins with the name of the folder that is sent",
            None => "",
        };
        let words = format!("skywave: --exclude '{pattern}' leaves nothing out{top}");
        line(Stream::Err, &words);
    }
    let host = Host {
        secret,
        sending: args.pace.sending(&args.log)?,
        teller: show.teller(),
    };
    let work = async {
        match (&dial, &listen) {
            (Some(dial), _) => send(&host, dial, items).await,
            (None, Some(listen)) => offer(&host, listen, items).await,
            (None, None) => Ok(Outcome::default()),
        }
    };
    let done = run(work)?;
    show.finish();
    if done.is_none() && paths.iter().any(|path| path == "-") {
        return Err(Failure::interrupted(
            "interrupted; the same command goes on from there, but standard input is sent from its start",
        ));
    }
    let done = done.map(|done| {
        done.map(|outcome| Outcome {
            failed: outcome.failed + skipped,
            ..outcome
        })
    });
    ended(done, this, None, "sent").map(drop)
}

/// Files that the arguments name, and the number of those that cannot be sent.
struct Named {
    items: Vec<Item>,
    /// Files and folders that cannot be read, or have no name that can be sent.
    skipped: usize,
}

/// The files, folders and standard input that the arguments name, each file under a name of its own.
fn named(
    paths: &[OsString],
    name: Option<&OsStr>,
    exclude: &Exclude,
    tell: &Teller,
) -> Result<Named, Failure> {
    let mut named = Named {
        items: Vec::new(),
        skipped: 0,
    };
    // Files are under the name of what was named: only the same name may have the same files.
    let mut tops: HashMap<RelativePath, Vec<(&OsString, Range<usize>)>> = HashMap::new();
    for path in paths {
        let wrong = |why: &dyn Display| Failure::failed(format!("{}: {why}", path.display()));
        if path == "-" {
            let name = name.ok_or_else(|| wrong(&"standard input needs a name: --name NAME"))?;
            let name = RelativePath::parse(name.as_bytes()).map_err(|error| wrong(&error))?;
            named.items.push(Item::pipe(name, Pipe::open(io::stdin())));
            continue;
        }
        let mut skipped = |path, why: Why| {
            // It is said that links and the like are not sent.
            named.skipped += usize::from(why != Why::Special);
            tell(Event::Skipped(path, why));
        };
        let found = list(Path::new(path), name, exclude, &mut skipped);
        let found = found.map_err(|why| wrong(&why))?;
        let (top, begin) = (found[0].path(), named.items.len());
        if begin == 0 {
            // There may be many.
            named.items = found;
        } else {
            named.items.extend(found);
        }
        let range = begin..named.items.len();
        let others = tops.entry(top).or_default();
        for (other, before) in &*others {
            let before = named.items[before.clone()].iter();
            let before: HashSet<RelativePath> = files(before).collect();
            if let Some(twice) =
                files(named.items[range.clone()].iter()).find(|f| before.contains(f))
            {
                return Err(wrong(&format!(
                    "`{twice}` would come from here and from {}: the receiver keeps one file of a name",
                    other.display()
                )));
            }
        }
        others.push((path, range));
    }
    Ok(named)
}

fn files<'a>(items: impl Iterator<Item = &'a Item>) -> impl Iterator<Item = RelativePath> {
    items.filter(|item| !item.is_folder()).map(Item::path)
}
