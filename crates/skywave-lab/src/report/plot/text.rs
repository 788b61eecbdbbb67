//! Text in a picture: how wide it is, more or less, and where it is broken.

use std::fmt::Write;

use super::escape;

/// Height of a line of text, and a guess of the width of a letter that is seldom too small.
pub(super) const LINE: f64 = 16.0;
pub(super) const LETTER: f64 = 6.6;
/// Size of the text.
const SIZE: f64 = 12.0;

/// A guess of a text's width: that in Arial, and a tenth for fonts that are wider.
pub(super) fn width_of(text: &str) -> f64 {
    let ems = |letter: char| match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '\'' | '!' | ' ' | 'I' => 0.28,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | '-' => 0.33,
        'm' | 'M' | '%' | '@' => 0.89,
        'W' => 0.94,
        'w' | 'A'..='Z' => 0.72,
        _ => 0.58,
    };
    1.1 * SIZE * text.chars().map(ems).sum::<f64>()
}

/// A text in lines of at most this width, broken between words; `letter` is the width of a letter.
/// Nothing for an empty text.
pub(super) fn lines(text: &str, width: f64, letter: f64) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let most = (width / letter) as usize;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The lines of a title, which are larger and bold, from the top of a picture on.
pub(super) struct Title(Vec<String>);

impl Title {
    /// The title of a picture of this width.
    pub(super) fn new(title: &str, width: f64) -> Self {
        Self(lines(title, width - 16.0, LETTER * 1.2))
    }

    /// Height of the lines; nothing for an empty title.
    pub(super) fn height(&self) -> f64 {
        (LINE + 2.0) * self.0.len() as f64
    }

    pub(super) fn draw(&self, out: &mut String) {
        for (row, line) in self.0.iter().enumerate() {
            let y = 22.0 + (LINE + 2.0) * row as f64;
            put(out, r#"class="h""#, (8.0, y), line);
        }
    }
}

/// Writes words at a place; `how` has their class, their anchor or both.
pub(super) fn put(out: &mut String, how: &str, (x, y): (f64, f64), words: &str) {
    let (x, y, words) = (px(x), px(y), escape(words));
    // Writing to a string cannot fail.
    let _ = write!(out, r#"<text {how} x="{x}" y="{y}">{words}</text>"#);
}

/// A coordinate: tenths of a pixel are enough.
pub(super) fn px(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}
