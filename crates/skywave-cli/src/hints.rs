//! Tips for wrong arguments, where those of clap are none or lead astray.

use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use skywave_papers::claims;

/// The error with a tip of ours, if there is one for it.
pub(crate) fn add(mut error: Error, args: &[OsString]) -> Error {
    let verb = args.get(1).and_then(|verb| verb.to_str());
    let named = |kind| match error.get(kind) {
        Some(ContextValue::String(name)) => name.clone(),
        Some(ContextValue::Strings(names)) => names.join(" "),
        _ => String::new(),
    };
    let wrong = match error.kind() {
        // Either one may stand in either place.
        ErrorKind::ArgumentConflict => {
            named(ContextKind::InvalidArg) + " " + &named(ContextKind::PriorArg)
        }
        _ => named(ContextKind::InvalidArg),
    };
    let has_file = || {
        args.iter()
            .any(|arg| arg.to_string_lossy().ends_with(".toml"))
    };
    let papers = claims::papers().collect::<Vec<_>>().join(", ");
    let papers = format!("the papers are {papers}, or all: skywave reproduce cerl --only fig7a");
    let reason = std::error::Error::source(&error);
    let reason = reason.and_then(|source| source.downcast_ref::<ParseIntError>());
    let tip = match (verb.unwrap_or_default(), error.kind(), wrong.as_str()) {
        ("run" | "reproduce" | "rank", ErrorKind::UnknownArgument, "--seeds" | "--seed") => {
            "the seeds are in the scenario: `seeds` in [run], a number of runs or a list"
        }
        ("reproduce", ErrorKind::MissingRequiredArgument, _) => &papers,
        ("send" | "recv", ErrorKind::UnknownArgument, "--transport" | "--packet") => {
            "files move over QUIC only; WTCP on real packets is what `skywave gap` measures"
        }
        ("impair", ErrorKind::UnknownArgument, "--rtt") => {
            "`--delay` is one way: half of the round trip"
        }
        ("impair", ErrorKind::MissingRequiredArgument, wrong) if wrong.contains("<SCENARIO>") => {
            "or say what the link is: --rate 20Mbps --delay 40ms --loss 1%"
        }
        ("impair", ErrorKind::ArgumentConflict, wrong)
            if wrong.contains("[SCENARIO]") && !has_file() =>
        {
            "a command stands after `--`, as in: skywave impair --rate 20Mbps -- ping far"
        }
        (_, ErrorKind::ValueValidation, _) => match reason.map(ParseIntError::kind) {
            Some(IntErrorKind::Zero) => "1 is the smallest number here",
            Some(IntErrorKind::InvalidDigit | IntErrorKind::Empty) => {
                "a whole number stands here, without a sign, a point or a unit"
            }
            _ => return error,
        },
        (_, ErrorKind::UnknownArgument, wrong) if is_negative(wrong) => {
            "values with a unit cannot be negative here"
        }
        _ => return error,
    };
    // clap's own looks at letters only, and so does the usage that it shows with it.
    if error.remove(ContextKind::SuggestedArg).is_some() {
        error.remove(ContextKind::Usage);
    }
    let tip = vec![StyledStr::from(tip.to_owned())];
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tip));
    error
}

/// Whether an argument begins as a negative number does.
fn is_negative(argument: &str) -> bool {
    let number = argument.strip_prefix('-');
    number.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}
