//! A position in a text, and the small steps from there.

use skywave_core::time::Duration;

use crate::place::{Mistake, Place};

/// The first bytes that a mistake shows of what it found.
const SHOWN: usize = 20;

/// A position in a text.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Line and column of `at`.
    place: Place,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            place: Place { line: 1, column: 1 },
        }
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// The mistake that here is something else than `expected`.
    pub(crate) fn expected(&self, expected: &str) -> Mistake {
        let line = self.rest().lines().next().unwrap_or_default().trim_end();
        let found: String = line.chars().take(SHOWN).collect();
        let found = match (found.is_empty(), self.rest().is_empty()) {
            (_, true) => "the script ends".to_owned(),
            (true, _) => "the line ends".to_owned(),
            _ => format!("found `{found}`"),
        };
        Mistake {
            place: self.place(),
            what: format!("{found}; expected {expected}"),
        }
    }

    /// A mistake here.
    pub(crate) fn mistake(&self, what: impl Into<String>) -> Mistake {
        Mistake {
            place: self.place(),
            what: what.into(),
        }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Whether a digit is next, after white space.
    pub(crate) fn starts_with_digit(&mut self) -> Result<bool, Mistake> {
        self.skip_space()?;
        Ok(self.peek().is_some_and(|c| c.is_ascii_digit()))
    }

    /// Steps over `bytes` bytes, which end at a character's end.
    pub(crate) fn step(&mut self, bytes: usize) {
        let end = self.at + bytes;
        for c in self.text[self.at..end].chars() {
            if c == '\n' {
                self.place.line += 1;
                self.place.column = 1;
            } else {
                self.place.column += 1;
            }
        }
        self.at = end;
    }

    /// Steps over white space and comments.
    pub(crate) fn skip_space(&mut self) -> Result<(), Mistake> {
        loop {
            let rest = self.rest();
            self.step(rest.len() - rest.trim_start().len());
            if self.rest().starts_with("//") {
                self.skip_line();
            } else if self.rest().starts_with("/*") {
                let end = self.rest().find("*/");
                let end =
                    end.ok_or_else(|| self.mistake("this comment does not end; expected `*/`"))?;
                self.step(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    /// Steps to the line's end.
    pub(crate) fn skip_line(&mut self) {
        self.step(self.rest().find('\n').unwrap_or(self.rest().len()));
    }

    /// Steps over `text` if it is next, after white space.
    pub(crate) fn take(&mut self, text: &str) -> Result<bool, Mistake> {
        self.skip_space()?;
        let found = self.rest().starts_with(text);
        if found {
            self.step(text.len());
        }
        Ok(found)
    }

    pub(crate) fn want(&mut self, text: &str) -> Result<(), Mistake> {
        if self.take(text)? {
            Ok(())
        } else {
            Err(self.expected(&format!("`{text}`")))
        }
    }

    /// Steps over the characters that `belongs` accepts, after white space.
    pub(crate) fn while_in(&mut self, belongs: fn(char) -> bool) -> Result<&'a str, Mistake> {
        self.skip_space()?;
        Ok(self.run_of(belongs))
    }

    /// Steps over the characters from here on that `belongs` accepts.
    fn run_of(&mut self, belongs: fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.step(len);
        &rest[..len]
    }

    /// A word: letters, digits and underscores; empty if there is none.
    pub(crate) fn word(&mut self) -> Result<&'a str, Mistake> {
        self.while_in(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// A word if it is exactly this one.
    pub(crate) fn take_word(&mut self, word: &str) -> Result<bool, Mistake> {
        let mut ahead = self.clone();
        let found = ahead.word()? == word;
        if found {
            *self = ahead;
        }
        Ok(found)
    }

    /// Everything up to `end`, and steps over both.
    pub(crate) fn until(&mut self, end: &str) -> Result<&'a str, Mistake> {
        let rest = self.rest();
        let len = rest
            .find(end)
            .ok_or_else(|| self.mistake(format!("this does not end; expected `{end}`")))?;
        self.step(len + end.len());
        Ok(&rest[..len])
    }

    /// A whole number without sign, decimal or hexadecimal.
    pub(crate) fn unsigned(&mut self) -> Result<u64, Mistake> {
        self.skip_space()?;
        let start = self.clone();
        let word = self.word()?;
        let number = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        number.map_err(|_| start.expected("a whole number"))
    }

    /// A number that fits a field of the kind `T`.
    pub(crate) fn number<T: TryFrom<u64>>(&mut self, what: &str) -> Result<T, Mistake> {
        self.skip_space()?;
        let start = self.clone();
        T::try_from(self.unsigned()?)
            .map_err(|_| start.mistake(format!("this number is too large for {what}")))
    }

    /// Seconds, with up to nine digits after a point.
    pub(crate) fn seconds(&mut self) -> Result<Duration, Mistake> {
        self.skip_space()?;
        let start = self.clone();
        let bad = || start.expected("a time in seconds, as in 0.25");
        let whole = self.digits();
        // `0...0.2` is two times with an ellipsis between them.
        let mut fraction = "";
        if self.rest().starts_with('.')
            && self.rest()[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            self.step(1);
            fraction = self.digits();
        }
        if whole.is_empty() && fraction.is_empty() {
            return Err(bad());
        }
        let whole: u64 = if whole.is_empty() {
            0
        } else {
            whole.parse().map_err(|_| bad())?
        };
        let fraction = &fraction[..fraction.len().min(9)];
        let nanos: u64 = format!("{fraction:0<9}").parse().map_err(|_| bad())?;
        let nanos = whole
            .checked_mul(1_000_000_000)
            .and_then(|n| n.checked_add(nanos));
        // So that sums of many times stay far from the end of time.
        nanos
            .filter(|&n| n < 1 << 50)
            .map(Duration::from_nanos)
            .ok_or_else(|| start.mistake("this time is too large"))
    }

    fn digits(&mut self) -> &'a str {
        self.run_of(|c| c.is_ascii_digit())
    }

    /// Items up to `end`, with commas between them, each of which `item` reads.
    pub(crate) fn list<T>(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Self) -> Result<T, Mistake>,
    ) -> Result<Vec<T>, Mistake> {
        let mut list = Vec::new();
        if self.take(end)? {
            return Ok(list);
        }
        loop {
            list.push(item(self)?);
            if self.take(end)? {
                return Ok(list);
            }
            if !self.take(",")? {
                return Err(self.expected(&format!("`,` or `{end}`")));
            }
        }
    }
}
