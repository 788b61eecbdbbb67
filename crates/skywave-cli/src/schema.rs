//! `skywave schema`: the JSON schema of scenario files.

use std::io::{self, Write};

use skywave_lab::scenario::json_schema;

use crate::failure::Failure;

/// Print the JSON schema of scenario files, for completion in editors.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  skywave schema > scenario.schema.json\n\n\
    Then put this line at the top of a scenario file (Taplo, Even Better TOML), in place of the one\n\
    that `skywave new` writes, which names the schema's address:\n  \
    #:schema ./scenario.schema.json")]
pub(crate) struct Args {}

pub(crate) fn main(_args: &Args) -> Result<(), Failure> {
    writeln!(io::stdout(), "{:#}", json_schema())?;
    Ok(())
}
