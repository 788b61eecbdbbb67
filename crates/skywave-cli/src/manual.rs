//! `skywave manual`: man pages.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use skywave_lab::experiment::ENGINE;
use skywave_lab::report::{WriteError, write_file};
use skywave_lab::scenario::nearest;

use crate::failure::Failure;

/// Print the manual page of the command or of a verb, or write all of them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave manual | man -l -\n  \
    skywave manual run | man -l -\n  \
    skywave manual --into ~/.local/share/man/man1     # then: man skywave-run")]
pub(crate) struct Args {
    /// The verb whose page to print, such as run [default: the page of the whole command].
    #[arg(value_name = "VERB", conflicts_with = "into")]
    verb: Option<String>,

    /// Write skywave.1 and a page for each verb, such as skywave-run.1, into this folder.
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let mut command = crate::command().disable_help_subcommand(true);
    // Names the verbs as they are called, skywave-run.
    command.build();
    let Some(dir) = &args.into else {
        let wanted = match &args.verb {
            Some(verb) => of_verb(&command, verb)?,
            None => command,
        };
        io::stdout().write_all(&page(wanted)?)?;
        return Ok(());
    };
    fs::create_dir_all(dir).map_err(WriteError::at(dir))?;
    let verbs: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let mut out = io::stdout().lock();
    for one in std::iter::once(command).chain(verbs) {
        let name = one.get_display_name().unwrap_or("skywave");
        let path = dir.join(format!("{name}.1"));
        let text = page(one)?;
        write_file(&path, |out| out.write_all(&text))?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

/// The verb of this name.
fn of_verb(command: &clap::Command, name: &str) -> Result<clap::Command, Failure> {
    let verb = command
        .get_subcommands()
        .find(|verb| verb.get_name() == name);
    verb.cloned().ok_or_else(|| {
        let verbs: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        let near = nearest(name, &verbs).map(|near| format!(" Did you mean `{near}`?"));
        Failure::usage(format!(
            "there is no verb `{name}` to print the page of.{} Expected one of {}, or none for the page of the whole \
             command",
            near.unwrap_or_default(),
            verbs.join(", ")
        ))
    })
}

/// A page in roff. The examples keep their lines, which a paragraph would fill.
fn page(command: clap::Command) -> Result<Vec<u8>, Failure> {
    let examples = command.get_after_help().map(ToString::to_string);
    let mut text = Vec::new();
    Man::new(command.after_help(None::<&'static str>))
        .date(" ") // none: an empty one would be left out, and the version stand in its place
        .source(ENGINE)
        .render(&mut text)?;
    if let Some(examples) = examples {
        let mut roff = Roff::new();
        roff.control("SH", ["EXAMPLES"]).control("nf", []);
        let heading = |line: &&str| matches!(*line, "Example:" | "Examples:");
        for line in examples.lines().skip_while(heading) {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
        roff.to_writer(&mut text)?;
    }
    Ok(text)
}
