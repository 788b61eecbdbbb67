//! The list of verbs in the help, by what people come for.

use std::fmt::Write;

use clap::Command;

/// Headings with the verbs below them.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Simulate", &["new", "run", "check", "merge", "variants"]),
    ("Papers", &["reproduce", "rank", "validate"]),
    ("Laws", &["judge", "worst"]),
    ("Your link", &["diagnose"]),
    ("Real packets", &["impair", "attach", "gap", "script"]),
    ("Move data", &["send", "recv", "get", "key"]),
    (
        "The command itself",
        &["doctor", "schema", "completions", "manual"],
    ),
];

/// The command with its verbs listed by group.
pub(crate) fn grouped(command: Command) -> Command {
    let mut list = String::new();
    for (heading, verbs) in GROUPS {
        // Writing to a string does not fail.
        let _ = writeln!(list, "\n{heading}:");
        for verb in verbs {
            let found = command.find_subcommand(verb);
            let about = found.and_then(Command::get_about).map(ToString::to_string);
            let _ = writeln!(list, "  {verb:<12}{}", about.unwrap_or_default());
        }
    }
    // Clap's own verb, which the command gets when it is built.
    let _ = writeln!(list, "  {:<12}Print the help of a verb", "help");
    command.help_template(format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{list}\nOptions:\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_is_listed_once() {
        let command = crate::command();
        let mut known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let mut listed: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, verbs)| *verbs)
            .copied()
            .collect();
        known.sort_unstable();
        listed.sort_unstable();
        assert_eq!(known, listed);
    }
}
