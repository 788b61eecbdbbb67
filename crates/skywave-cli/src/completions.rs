//! `skywave completions`: what shells need to complete the command.

use std::io::{self, Write};

use clap_complete::Shell;

use crate::failure::Failure;

/// Print the completions of a shell: verbs, options, and values where the shell can.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave completions bash > ~/.local/share/bash-completion/completions/skywave\n  \
    skywave completions fish > ~/.config/fish/completions/skywave.fish\n  \
    skywave completions zsh > ~/.zfunc/_skywave     # with fpath+=~/.zfunc before compinit")]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::command(), "skywave", &mut script);
    io::stdout().write_all(&script)?;
    Ok(())
}
