//! `skywave key`: who this host is.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::failure::Failure;
use crate::keys;
use crate::print::{Stream, line};

/// Print this host's public key; make the key first if there is none.
///
/// Peers of `skywave send` and `skywave recv` know each other by their public keys, which begin with
/// `sky1` and may be shown to everybody. The secret key stays in its file.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave key\n  \
    skywave key > this-host.pub\n  \
    skywave key --key box.key\n  \
    skywave key --key ~/.ssh/id_ed25519    # an OpenSSH key as skywave writes it")]
pub(crate) struct Args {
    /// File of the secret key [default: skywave/key in $XDG_CONFIG_HOME or ~/.config].
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let path = match &args.key {
        Some(path) => path.clone(),
        None => keys::default_path()?,
    };
    let key = match keys::read_secret(Some(&path)) {
        Err(keys::KeyFailure::None(_)) => {
            let key = keys::make_secret(&path)?;
            let made = format!("skywave: made a new key, kept in {}", path.display());
            line(Stream::Err, &made);
            key
        }
        other => other?,
    };
    writeln!(io::stdout(), "{}", key.public())?;
    Ok(())
}
