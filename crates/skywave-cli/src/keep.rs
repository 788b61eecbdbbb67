//! The arguments of every verb that simulates: where results go, and how runs are made.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use skywave_lab::threads;

/// Where the results go, and how they are made.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Keep {
    /// Where the results go.
    #[arg(long, value_name = "DIR", default_value = "runs")]
    pub(crate) out: PathBuf,

    /// Forget what was run before.
    #[arg(long)]
    pub(crate) fresh: bool,

    /// Threads; one a core unless given.
    #[arg(long, value_name = "N", value_parser = number_of_threads)]
    threads: Option<NonZeroUsize>,
}

impl Keep {
    /// Number of threads; `None` for one a core.
    pub(crate) fn threads(&self) -> Option<usize> {
        self.threads.map(NonZeroUsize::get)
    }
}

fn number_of_threads(text: &str) -> Result<NonZeroUsize, String> {
    let most = threads::most();
    let number: Option<NonZeroUsize> = text.parse().ok();
    let number = number.filter(|number| number.get() <= most);
    number.ok_or_else(|| {
        format!("expected a whole number from 1 to {most}, which is plenty for this machine")
    })
}
