//! Messages about wrong files, as printed without colours.

use skywave_lab::scenario::Scenario;

/// What is said of `text`, at a place in it.
#[track_caller]
pub(crate) fn message(text: &str) -> String {
    match Scenario::parse("case.toml", text, None) {
        Ok(_) => panic!("this is accepted:\n{text}"),
        Err(error) => {
            let (line, column) = error.position().expect("a place");
            let drawn = error.render(false);
            assert!(
                drawn.contains(&format!("case.toml:{line}:{column}")),
                "{drawn}"
            );
            drawn
        }
    }
}

/// What is said of `good` with `from` replaced by `to`.
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
