//! `skywave attach`: a law of ours in the kernel's TCP.

#[cfg(all(target_os = "linux", feature = "kernel"))]
mod serve;

use std::ffi::OsString;
use std::path::PathBuf;

use skywave_kernel::{AttachError, Law};
use skywave_wire::exit;

use crate::failure::Failure;

/// Give the kernel's TCP one of our laws: for one program, or by name for all.
///
/// A small program in the kernel (eBPF) reports what each ACK told, and the law answers with window and pace, as it does
/// in the simulator. COMMAND's connections have the law, and those of all that it starts. Without COMMAND any program
/// may choose it by its name, until Ctrl-C. When this process ends, or answers late, connections go on by Reno's rule;
/// nothing stays when they are closed. `skywave doctor` says what the machine lacks for it; docs/attach.md has examples.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sudo skywave attach cerl -- curl -T film.bin https://example.org/upload\n  \
    sudo skywave attach skywave -- skywave impair --rate 20Mbps --delay 20ms --loss 1% \\\n    \
        --far 'iperf3 -s' -- iperf3 -c far\n  \
    sudo skywave attach bbr     # programs choose it: iperf3 -C sky_bbr -c HOST\n\n\
    Exit code: COMMAND's own, 128 + n if signal n ended it; 127 if there is no such command, 126 if it\n\
    cannot be executed, 125 if the kernel did not take the law.")]
pub(crate) struct Args {
    /// The law: that of a preset of `skywave variants`.
    law: String,

    /// Write what the kernel told, and the answers, into a file: 160 bytes an event.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Run this program under the law.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let law = Law::named(&args.law).map_err(Failure::usage)?;
    #[cfg(all(target_os = "linux", feature = "kernel"))]
    return serve::main(args, law);
    #[cfg(not(all(target_os = "linux", feature = "kernel")))]
    {
        drop(law);
        Err(AttachError::NotBuilt.into())
    }
}

impl From<AttachError> for Failure {
    fn from(error: AttachError) -> Self {
        Self::new(exit::FAILED, error)
    }
}
