//! A text as a script in packetdrill's language, which is run as far as it goes.

use skywave_core::tcp::preset;
use skywave_script::{Options, Place, parse, run};

/// Reads `data` as a packetdrill script and runs it twice: both verdicts must be the same, and any places in them lie
/// within the text. Panics if not.
pub fn run_script(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let lines = text.lines().count().max(1) as u32 + 1;
    let is_inside = |place: Place| (1..=lines).contains(&place.line) && place.column >= 1;
    let script = match parse(text) {
        Ok(script) => script,
        Err(mistake) => {
            assert!(is_inside(mistake.place) && !mistake.what.is_empty());
            return;
        }
    };
    let Some(preset) = preset("linux") else {
        return;
    };
    let options = Options {
        composition: preset.composition.clone(),
        system: None,
    };
    let verdict = run(&script, &options);
    assert!(verdict.place().is_none_or(is_inside));
    assert_eq!(verdict, run(&script, &options));
}
