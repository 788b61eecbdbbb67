//! A whole script: options, shell text before and after, events.

use skywave_core::time::Duration;

use super::cursor::Cursor;
use super::{Event, Script, Setting, What, When, event};
use crate::place::Mistake;

/// The name for which `#ifdef` is taken, where a script tells what a standard says from what a system does.
const DEFINED: &str = "STANDARD";

/// Parses the text of a packetdrill script.
///
/// # Errors
/// The text is not understood, or has no event: the first place where that shows.
pub fn parse(text: &str) -> Result<Script, Mistake> {
    let text = chosen(text);
    let mut cursor = Cursor::new(&text);
    let mut script = Script::default();
    loop {
        cursor.skip_space()?;
        if !cursor.rest().starts_with("--") {
            break;
        }
        script.settings.push(setting(&mut cursor)?);
    }
    let mut latest = Duration::ZERO;
    while !cursor.is_at_end() {
        if cursor.peek() == Some('`') {
            script.events.push(Event {
                place: cursor.place(),
                when: When::Relative(Duration::ZERO),
                until: None,
                what: What::Shell(event::shell(&mut cursor)?),
            });
        } else {
            let event = event::read(&mut cursor)?;
            if let When::Absolute(t) | When::AbsoluteRange(t, _) = event.when {
                if t < latest {
                    let (now, before) = (t.as_secs_f64(), latest.as_secs_f64());
                    return Err(Mistake {
                        place: event.place,
                        what: format!("the time goes back: {now} s, after an event at {before} s"),
                    });
                }
                latest = t;
            }
            script.events.push(event);
        }
        cursor.skip_space()?;
    }
    if script.events.is_empty() {
        return Err(cursor.expected("an event, as `0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3`"));
    }
    Ok(script)
}

/// The text without the lines of `#ifdef`s that are not taken: blank lines stay in their place.
fn chosen(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut taken = true;
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        if let Some(name) = words.strip_prefix("#ifdef") {
            taken = name.trim() == DEFINED;
        } else if words.starts_with("#else") {
            taken = !taken;
        } else if words.starts_with("#endif") {
            taken = true;
        }
        // A `#` also begins a comment in the code between `%{` and `}%`, which stays as it is.
        let ours = ["#ifdef", "#else", "#endif"];
        let is_ours = ours.iter().any(|ours| words.starts_with(ours));
        if taken && !is_ours {
            out.push_str(line);
        } else if line.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

fn setting(cursor: &mut Cursor<'_>) -> Result<Setting, Mistake> {
    let place = cursor.place();
    cursor.step(2);
    let name = cursor.word()?.to_owned();
    if name.is_empty() {
        return Err(cursor.expected("the name of an option after `--`"));
    }
    let line = cursor.rest().lines().next().unwrap_or_default();
    let value = line.strip_prefix('=').unwrap_or_default();
    let value = value.split("//").next().unwrap_or_default();
    let value = value.trim().to_owned();
    cursor.skip_line();
    Ok(Setting { place, name, value })
}
