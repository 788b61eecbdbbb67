//! `skywave recv`: files from other hosts.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde_json::json;
use skywave_wire::endpoint::{Allowed, Config};
use skywave_wire::node::Node;
use skywave_wire::transfer::{self, Received, ServeEvent, ServeOptions};

use crate::failure::Failure;
use crate::interrupt;
use crate::keys;
use crate::transfers::Bars;

/// Receive files that `skywave send` sends, many at once.
///
/// Only senders whose public keys are allowed are answered. A file appears under its name whole and
/// checked by its hash, or not at all; what has come of one that was interrupted is kept beside it
/// (.skywave-….part) and used when the sender comes again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave recv --into inbox --allow laptop.pub\n  \
    skywave recv --listen 0.0.0.0:4747 --into inbox --allow laptop.pub --allow phone.pub\n  \
    skywave recv --into inbox --allow laptop.pub --count 1 --json")]
pub(crate) struct Args {
    /// Address to listen at: this host only, unless told otherwise (0.0.0.0:4747 is everywhere).
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4747", value_parser = address)]
    listen: SocketAddr,
    /// Folder for the files; it is made if it is not there.
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
    /// A sender's public key, or a file with one on each line; may be given several times.
    #[arg(long, value_name = "KEY", required_unless_present = "allow_everyone")]
    allow: Vec<String>,
    /// Allow every sender that knows this host's public key.
    #[arg(long, conflicts_with = "allow")]
    allow_everyone: bool,
    /// Let files take the place of others of their names.
    #[arg(long)]
    overwrite: bool,
    /// Stop after this many files [default: Ctrl-C stops].
    #[arg(long, value_name = "FILES", value_parser = clap::value_parser!(u32).range(1..))]
    count: Option<u32>,
    /// This host's secret key [default: see `skywave key --help`].
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Print each file that has arrived as a line of JSON.
    #[arg(long)]
    json: bool,
}

/// An address with a port.
fn address(text: &str) -> Result<SocketAddr, String> {
    let address = text.parse();
    address.map_err(|_| "expected an address and a port, such as 0.0.0.0:4747".to_owned())
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let secret = keys::read_secret(args.key.as_deref())?;
    let public = secret.public();
    let mut allowed = BTreeSet::new();
    for text in &args.allow {
        allowed.extend(keys::read_public(text)?);
    }
    let allowed = if args.allow_everyone {
        Allowed::Everyone
    } else {
        Allowed::Keys(allowed)
    };
    make_folder(&args.into).map_err(|source| Failure::Folder {
        path: args.into.clone(),
        source,
    })?;
    let node = Node::bind(args.listen, secret, allowed, Config::default());
    let node = node.map_err(|source| Failure::Bind {
        address: args.listen,
        source,
    })?;
    eprintln!(
        "skywave: listening at {}; this host's key is {public}",
        node.address()
    );
    let options = ServeOptions {
        dir: args.into.clone(),
        overwrite: args.overwrite,
        count: args.count.map(|n| n as usize),
    };
    let bars = Bars::new();
    let told = |event| match event {
        ServeEvent::Offered(id, _, name, size) => bars.begin(id, &name, size),
        ServeEvent::Progress(id, bytes, status) => bars.show(id, bytes, &status),
        ServeEvent::Ended(id, result) => {
            let name = bars.end(id);
            match result {
                Ok(received) => bars.print(|| print(&received, args.json)),
                Err(error) => bars.print(|| eprintln!("skywave: {name}: {error}")),
            }
        }
    };
    let stop = interrupt::flag();
    let arrived = transfer::serve(&node, &options, stop, &told).map_err(Failure::Node)?;
    if args.count.is_none_or(|count| arrived < count as usize) {
        return Err(Failure::RecvInterrupted { arrived });
    }
    Ok(())
}

/// Makes sure that files can be put into a folder; makes the folder first if there is none.
fn make_folder(path: &Path) -> io::Result<()> {
    if !path.exists() {
        fs::create_dir_all(path)?;
    }
    transfer::check_folder(path)
}

fn print(received: &Received, json: bool) {
    if json {
        let line = json!({
            "file": received.path,
            "from": received.from.to_string(),
            "bytes": received.size,
            "resumed_from": received.resumed_from,
            "blake3": received.hash.to_string(),
        });
        println!("{line}");
    } else {
        println!(
            "{}: {} from {}, BLAKE3 {}",
            received.path.display(),
            indicatif::DecimalBytes(received.size),
            received.from,
            received.hash
        );
    }
}
