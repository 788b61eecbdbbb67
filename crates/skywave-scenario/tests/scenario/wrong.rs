//! Messages about wrong files, as printed without colours.

use skywave_core::tcp::{MEMBERS, PRESETS};
use skywave_scenario::{Bundle, NoFiles, OTHER_TRANSPORTS, Scenario};

/// The files that the scenarios of these tests name.
pub(crate) const FILES: Bundle = Bundle(&[
    ("lte.trace", include_str!("files/lte.trace")),
    ("walk.setdest", include_str!("files/walk.setdest")),
]);

/// The message about `text`, which must be at a place in it.
#[track_caller]
pub(crate) fn message(text: &str) -> String {
    match Scenario::parse("case.toml", text, &NoFiles) {
        Ok(_) => panic!("this is accepted:\n{text}"),
        Err(error) => {
            let (line, column) = error.position().expect("a place");
            let drawn = error.render(false);
            assert!(
                drawn.contains(&format!("case.toml:{line}:{column}")),
                "{drawn}"
            );
            without_lists(&drawn)
        }
    }
}

/// A message without the list of allowed names, so that a new transport or member does not change the
/// message. Only whole lists are removed, in their order.
pub(crate) fn without_lists(drawn: &str) -> String {
    let presets = PRESETS.iter().map(|preset| preset.name);
    let others = OTHER_TRANSPORTS.iter().map(|other| other.name);
    let mut lists = vec![presets.chain(others).collect::<Vec<_>>()];
    for slot in MEMBERS.chunk_by(|a, b| a.slot == b.slot) {
        lists.push(slot.iter().map(|member| member.name).collect());
    }
    let found = lists.iter().find_map(|names| without_list(drawn, names));
    found.unwrap_or_else(|| drawn.to_owned())
}

/// `drawn` with `…` in the place of these names, wherever its lines end.
fn without_list(drawn: &str, names: &[&str]) -> Option<String> {
    let (before, mut rest) = drawn.split_once("expected one of ")?;
    for letter in names.join(",").chars() {
        rest = rest.trim_start().strip_prefix(letter)?;
    }
    let after = rest
        .strip_prefix(',')
        .map(|more| format!(", {}", more.trim_start()));
    let after = after.unwrap_or_else(|| rest.to_owned());
    Some(format!("{before}expected one of …{after}"))
}

/// The message about `good` with `from` replaced by `to`.
#[track_caller]
pub(crate) fn changed(good: &str, from: &str, to: &str) -> String {
    assert!(good.contains(from), "{from}");
    message(&good.replacen(from, to, 1))
}

/// Snapshots of one change each of a legal file: name, what is replaced, by what.
macro_rules! cases {
    ($good:ident; $($name:ident: $from:expr => $to:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(changed($good, $from, $to));
        }
    )*};
}
pub(crate) use cases;
