//! Codes that people tell each other, in place of keys.

use std::fmt;
use std::str::FromStr;

use zeroize::Zeroize;

/// Characters of a code, without the hyphen in its middle.
///
/// 8 of 32 letters are 40 bits. Nobody can try codes without asking the host that listens (this is what
/// SPAKE2 is for), and that ends with the third wrong one: an attacker is right once in 4·10^11 times.
/// Three words of a list of 2048 would have 33 bits, and no language in which everybody can spell them.
const LEN: usize = 8;
/// Crockford's Base32: digits and letters that are not mistaken for one another.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Code of eight letters and digits that people tell each other in place of keys: good for one host, until that host's
/// transfers are done.
#[derive(Clone, PartialEq, Eq)]
pub struct Code([u8; LEN]);

/// Error for a text that is no [`Code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a code of eight letters and digits, such as 3k7d-x9qm, as the other side prints it"
)]
pub struct NoCode;

impl Code {
    /// New random code from the system's random numbers.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; LEN];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.map(|byte| LETTERS[usize::from(byte % 32)])))
    }

    /// Bytes of the code, which both sides prove to know.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Code {
    /// Nothing of it stays in memory.
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl FromStr for Code {
    type Err = NoCode;

    /// Takes it as people write it: in capitals, with or without the hyphen, O for zero, I and L for one.
    fn from_str(text: &str) -> Result<Self, NoCode> {
        let letters = text.trim().bytes().filter(|byte| !b"- ".contains(byte));
        let letters = letters.map(|letter| match letter.to_ascii_lowercase() {
            b'o' => b'0',
            b'i' | b'l' => b'1',
            other => other,
        });
        let letters: Vec<u8> = letters.collect();
        let code = letters.try_into().map_err(|_| NoCode)?;
        let code = Self(code);
        let is_one = code.0.iter().all(|letter| LETTERS.contains(letter));
        if is_one { Ok(code) } else { Err(NoCode) }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, letter) in self.0.iter().enumerate() {
            let hyphen = if n == LEN / 2 { "-" } else { "" };
            write!(f, "{hyphen}{}", char::from(*letter))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_people_write_it() {
        let code: Code = "3k7d-x01m".parse().unwrap();
        assert_eq!(code.to_string(), "3k7d-x01m");
        for text in ["3K7D-XOIM", " 3k7dxolm\n", "3k7d x01m"] {
            assert_eq!(text.parse(), Ok(code.clone()), "{text}");
        }
        for text in ["", "3k7d-x9q", "3k7d-x9qmm", "3k7d-x9qu", "3k7d-x9qä"] {
            assert_eq!(text.parse::<Code>(), Err(NoCode), "{text}");
        }
    }

    #[test]
    fn new_codes_are_codes_and_not_the_same() {
        let code = Code::generate().unwrap();
        assert_eq!(code.to_string().parse(), Ok(code.clone()));
        assert_ne!(code, Code::generate().unwrap());
    }
}
