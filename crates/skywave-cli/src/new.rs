//! `skywave new`: a scenario to start from.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use skywave_lab::report::WriteError;
use skywave_lab::scenario::SCHEMA_ADDRESS;

use crate::failure::Failure;
use crate::output;

/// How the template of a link with a trace names its trace.
const TRACE: &str = "trace.down";

/// Write a scenario with comments, to start from.
///
/// The file loads and runs as it is, within seconds; change what differs on your path. A file that
/// is there already stays as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave new my-link                        # my-link.toml: one link with random losses\n  \
    skywave new office --kind bottleneck       # four flows, one queue: drop tail and RED\n  \
    skywave new lte --kind trace               # and lte.down, a small mahimahi trace\n  \
    skywave new mesh --kind wifi               # a chain of 802.11 stations\n  \
    skywave new satellite --kind asymmetric    # ACKs come back by a slow, lossy way")]
pub(crate) struct Args {
    /// Name or path of the new file; .toml is added where it is missing.
    #[arg(value_name = "NAME")]
    name: String,

    /// Kind of path that the scenario describes.
    #[arg(long, value_enum, default_value_t = Kind::PointToPoint)]
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// One link that loses packets at random, one download.
    PointToPoint,
    /// Several flows share a bottleneck, with drop tail or RED.
    Bottleneck,
    /// A link whose rate follows a trace, which is written too.
    Trace,
    /// A chain of 802.11 stations.
    Wifi,
    /// A link whose way back for ACKs is slow and loses them.
    Asymmetric,
}

impl Kind {
    /// The scenario's text.
    const fn template(self) -> &'static str {
        match self {
            Self::PointToPoint => include_str!("new/point-to-point.toml"),
            Self::Bottleneck => include_str!("new/bottleneck.toml"),
            Self::Trace => include_str!("new/trace.toml"),
            Self::Wifi => include_str!("new/wifi.toml"),
            Self::Asymmetric => include_str!("new/asymmetric.toml"),
        }
    }
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let scenario = path(&args.name);
    let stem = scenario.file_stem().unwrap_or_default();
    if stem
        .as_encoded_bytes()
        .first()
        .is_none_or(|&first| first == b'.')
    {
        let why = format!(
            "{:?} cannot be the name of a scenario: expected one such as my-link",
            args.name
        );
        return Err(Failure::usage(why));
    }
    // Editors with Taplo (Even Better TOML) complete keys and find mistakes by the schema at this address.
    let text = format!("#:schema {SCHEMA_ADDRESS}\n\n{}", args.kind.template());
    let mut files = vec![(scenario.clone(), text)];
    if args.kind == Kind::Trace {
        let trace = scenario.with_extension("down");
        let name = trace.file_name().unwrap_or_default().to_string_lossy();
        // A string of JSON is one of TOML.
        let quoted = serde_json::Value::from(name).to_string();
        let text = &mut files[0].1;
        *text = text.replace(&format!("\"{TRACE}\""), &quoted);
        // The trace comes first: a scenario never refers to a file that is not there.
        files.insert(0, (trace, include_str!("new/trace.down").to_owned()));
    }
    if let Some((there, _)) = files.iter().find(|(path, _)| path.exists()) {
        return Err(exists(there));
    }
    for (path, text) in &files {
        create(path, text)?;
    }
    let mut out = io::stdout().lock();
    for (path, _) in &files {
        writeln!(out, "Wrote {}", path.display())?;
    }
    writeln!(
        out,
        "\nNext:\n  skywave run {}",
        output::for_shell(&scenario)
    )?;
    Ok(())
}

/// The file of that name.
fn path(name: &str) -> PathBuf {
    let path = PathBuf::from(name);
    if path.extension().is_some_and(|e| e == "toml") {
        return path;
    }
    PathBuf::from(format!("{name}.toml"))
}

/// Writes a new file, whole or not at all. It never takes the place of another one, even of one
/// that has appeared since the caller looked.
fn create(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = WriteError::at(path);
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    if let Some(dir) = dir.filter(|dir| !dir.is_dir()) {
        let (path, dir) = (path.display(), dir.display());
        let why = format!("cannot write {path}: there is no folder {dir}");
        return Err(Failure::failed(why));
    }
    // As any new file: the user's mask takes away what others may not do.
    let mut file = tempfile::Builder::new()
        .prefix(".skywave-new-")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(dir.unwrap_or(Path::new(".")))
        .map_err(&failed)?;
    file.write_all(text.as_bytes()).map_err(&failed)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(path)),
        Err(error) => Err(failed(error.error).into()),
    }
}

/// The failure of a new file that would take the place of another one.
fn exists(path: &Path) -> Failure {
    let why = "it is there already, and stays as it is; choose another name";
    Failure::file(path, why)
}
