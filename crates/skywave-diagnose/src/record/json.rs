//! JSON as tools write it: several objects in one file, other text between them, numbers that are none.

use std::borrow::Cow;

use serde_json::Value;

use super::Mistake;
use super::mistake::excerpt;

/// A tool that writes JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// irtt.
    Irtt,
    /// iperf3.
    Iperf,
    /// Any QUIC stack.
    Qlog,
}

/// Characters at the beginning among which the names stand that tell qlog.
const HEAD: usize = 4096;
/// RFC 7464's separator of records.
const RECORD: char = '\u{1e}';

/// The tool that wrote the text, if it is JSON of one that is known.
pub(super) fn kind(text: &str) -> Option<Kind> {
    let start = text.trim_start();
    // A terminal leaves a typed `^C` or an escape sequence before the object.
    let line = start.lines().next()?;
    let is_typed = line.starts_with(['^', '\u{1b}']) && line.ends_with('{');
    if !(start.starts_with(['{', RECORD]) || is_typed) {
        return None;
    }
    let head: String = start.chars().take(HEAD).collect();
    let has = |text: &str, names: &[&str]| names.iter().any(|name| text.contains(name));
    if has(
        &head,
        &["\"qlog_version\"", "\"qlog_format\"", "\"file_schema\""],
    ) {
        Some(Kind::Qlog)
    } else if has(text, &["\"round_trips\""]) {
        Some(Kind::Irtt)
    } else if has(
        text,
        &["\"intervals\"", "\"event\"", "\"test_start\"", "\"error\""],
    ) {
        Some(Kind::Iperf)
    } else {
        None
    }
}

/// An object and the line on which it begins, from 1.
pub(super) type Object = (usize, Value);

/// The objects of a text, whatever stands between them.
pub(super) fn objects(kind: &'static str, text: &str) -> Result<Vec<Object>, Mistake> {
    let mut objects = Vec::new();
    each(kind, text, |line, object| {
        objects.push((line, object));
        Ok(())
    })?;
    Ok(objects)
}

/// Hands each object of a text to `take`, with its line. One that is cut at the end is left out, unless it is the only
/// one.
pub(super) fn each(
    kind: &'static str,
    text: &str,
    mut take: impl FnMut(usize, Value) -> Result<(), Mistake>,
) -> Result<(), Mistake> {
    let (mut at, mut line, mut is_first) = (0, 1, true);
    while let Some(found) = text[at..].find('{') {
        line += newlines(&text[at..at + found]);
        at += found;
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => take(line, value)?,
            Some(Err(error)) if error.is_eof() && !is_first => break,
            Some(Err(error)) => return Err(mistake(kind, line, text, &error)),
            None => break,
        }
        let length = values.byte_offset();
        line += newlines(&text[at..at + length]);
        (at, is_first) = (at + length, false);
    }
    Ok(())
}

/// The mistake of a text that is not JSON from `line` on.
pub(super) fn mistake(
    kind: &'static str,
    line: usize,
    text: &str,
    error: &serde_json::Error,
) -> Mistake {
    let line = line + error.line().max(1) - 1;
    if error.is_eof() {
        let expected = "a whole JSON object";
        return Mistake::at(
            kind,
            format_args!("line {line}"),
            expected,
            "its end cut off",
        );
    }
    let found = text.lines().nth(line - 1).unwrap_or_default();
    let column = error.column().saturating_sub(20);
    let near: String = found.chars().skip(column).collect();
    let place = format_args!("line {line}");
    let message = error.to_string();
    let message = message.split(" at line").next().unwrap_or_default();
    let found = format!("{} ({message})", excerpt(&near));
    let expected = if error.is_data() {
        "JSON as the tool writes it"
    } else {
        "JSON"
    };
    Mistake::at(kind, place, expected, found)
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

/// The text with `null` for what some tools write where they divide by zero: `nan`, `-nan`, `inf`.
pub(super) fn mended(text: &str) -> Cow<'_, str> {
    let lower = text.to_ascii_lowercase();
    if !lower.contains("nan") && !lower.contains("inf") {
        return Cow::Borrowed(text);
    }
    let mut mended = String::with_capacity(text.len());
    let (mut in_string, mut at) = (false, 0);
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let word = &rest[..if in_string { 0 } else { letters }];
        if ["nan", "inf", "infinity"].contains(&word.to_ascii_lowercase().as_str()) {
            if mended.ends_with(['-', '+']) {
                mended.pop();
            }
            mended.push_str("null");
            at += word.len();
        } else if !word.is_empty() {
            mended.push_str(word);
            at += word.len();
        } else {
            // The character after a backslash cannot end a string.
            let characters = if in_string && next == '\\' { 2 } else { 1 };
            let taken: usize = rest.chars().take(characters).map(char::len_utf8).sum();
            in_string ^= next == '"';
            mended.push_str(&rest[..taken]);
            at += taken;
        }
    }
    Cow::Owned(mended)
}

/// A count: a whole number, or a float that is one nearly enough and not negative.
pub(super) fn count(value: &Value) -> Option<u64> {
    let float = |value: f64| (0.0..=1e18).contains(&value).then_some(value as u64);
    value.as_u64().or_else(|| value.as_f64().and_then(float))
}
