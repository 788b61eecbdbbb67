//! The arguments of every verb that simulates: where results go, and how runs are made.

use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Where the results go, and how they are made.
#[derive(Debug, clap::Args)]
pub(crate) struct Keep {
    /// Where the results go.
    #[arg(long, value_name = "DIR", default_value = "runs")]
    pub(crate) out: PathBuf,

    /// Forget what was run before.
    #[arg(long)]
    pub(crate) fresh: bool,

    /// Threads; one a core unless given.
    #[arg(long, value_name = "N", value_parser = above_zero)]
    threads: Option<NonZeroUsize>,
}

impl Keep {
    /// Number of threads; `None` for one a core.
    pub(crate) fn threads(&self) -> Option<usize> {
        self.threads.map(NonZeroUsize::get)
    }
}

fn above_zero(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "expected a whole number from 1".to_owned())
}
