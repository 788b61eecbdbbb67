//! `skywave key`: who this host is.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::failure::Failure;
use crate::keys::{self, KeyFailure};

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
    let key = match keys::read_secret(args.key.as_deref()) {
        Err(KeyFailure::None(path)) => keys::make_secret(&path)?,
        other => other?,
    };
    writeln!(io::stdout(), "{}", key.public())?;
    Ok(())
}
