//! `skywave recv --transport wtcp`: files from other hosts.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

use serde_json::json;
use skywave_wire::endpoint::{Allowed, Config};
use skywave_wire::node::Node;
use skywave_wire::transfer::{self, Received, ServeEvent, ServeOptions};

use crate::failure::Failure;
use crate::interrupt;
use crate::keys;
use crate::listening;
use crate::print::{Stream, now};

use super::bars::Bars;

/// Arguments of `skywave recv --transport wtcp`.
pub(crate) struct Options<'a> {
    pub(crate) listen: SocketAddr,
    pub(crate) into: &'a Path,
    pub(crate) allow: &'a [String],
    pub(crate) allow_everyone: bool,
    pub(crate) overwrite: bool,
    pub(crate) hidden: bool,
    pub(crate) quota: Option<u64>,
    pub(crate) count: Option<u32>,
    pub(crate) key: Option<&'a Path>,
    pub(crate) json: bool,
}

pub(crate) fn main(args: &Options<'_>) -> Result<(), Failure> {
    let secret = keys::read_secret(args.key)?;
    let public = keys::for_wtcp("--key", secret.public())?;
    let mut allowed = BTreeSet::new();
    for text in args.allow {
        for key in keys::read_public(text)? {
            allowed.insert(keys::for_wtcp(text, key)?);
        }
    }
    let allowed = if args.allow_everyone {
        Allowed::Everyone
    } else {
        Allowed::Keys(allowed)
    };
    let no_folder = |source| Failure::Folder {
        path: args.into.to_owned(),
        source,
    };
    make_folder(args.into).map_err(no_folder)?;
    let node = Node::bind(args.listen, secret, allowed, Config::default());
    let node = node.map_err(|source| Failure::Bind {
        address: args.listen,
        source,
    })?;
    now(Stream::Err, &listening::words(node.address(), public, None));
    let options = ServeOptions::new(args.into.to_owned(), args.quota);
    let options = ServeOptions {
        overwrite: args.overwrite,
        hidden: args.hidden,
        count: args.count.map(|n| n as usize),
        ..options.map_err(no_folder)?
    };
    let bars = Bars::new();
    let told = |event| match event {
        ServeEvent::Offered(id, _, name, size) => bars.begin(id, &name, size),
        ServeEvent::Progress(id, bytes, status) => bars.show(id, bytes, &status),
        ServeEvent::Ended(id, result) => {
            let name = bars.end(id);
            match result {
                Ok(received) => bars.print(|| print(&received, args.json)),
                Err(error) => {
                    let words = format!("skywave: {name}: {error}");
                    bars.print(|| now(Stream::Err, &words));
                }
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
        let row = json!({
            "file": received.path,
            "from": received.from.to_string(),
            "bytes": received.size,
            "resumed_from": received.resumed_from,
            "blake3": received.hash.to_string(),
        });
        now(Stream::Out, &row.to_string());
    } else {
        let words = format!(
            "{}: {} from {}, BLAKE3 {}",
            received.path.display(),
            indicatif::DecimalBytes(received.size),
            received.from,
            received.hash
        );
        now(Stream::Out, &words);
    }
}
