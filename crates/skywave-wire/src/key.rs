//! Keys of hosts: Curve25519, as Noise uses it. A host is known by its public key.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use snow::params::DHChoice;
use snow::resolvers::{CryptoResolver, DefaultResolver};

/// Bytes of a key.
const LEN: usize = 32;

/// A host's public key, by which others know it. Its text is 44 characters of Base64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; LEN]);

/// A host's secret key, which only the host itself knows. Its text looks like that of a public key,
/// and must not be shown.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey([u8; LEN]);

/// A text that is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no key: expected 44 characters of Base64, as `skywave key` prints")]
pub struct KeyError;

impl PublicKey {
    /// The key of these bytes.
    pub const fn from_bytes(bytes: [u8; LEN]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; LEN] {
        &self.0
    }
}

impl SecretKey {
    /// A new one from the system's random numbers.
    ///
    /// # Errors
    /// When the system has none.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; LEN];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// The key of these bytes.
    pub const fn from_bytes(bytes: [u8; LEN]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; LEN] {
        &self.0
    }

    /// The public key that belongs to it.
    pub fn public(&self) -> PublicKey {
        let dh = DefaultResolver.resolve_dh(&DHChoice::Curve25519);
        let mut dh = dh.expect("snow is built with Curve25519");
        dh.set(&self.0);
        let mut bytes = [0; LEN];
        bytes.copy_from_slice(&dh.pubkey()[..LEN]);
        PublicKey(bytes)
    }

    /// Its text, for the file that keeps it.
    pub fn reveal(&self) -> String {
        STANDARD.encode(self.0)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        bytes(text).map(Self)
    }
}

impl FromStr for SecretKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        bytes(text).map(Self)
    }
}

fn bytes(text: &str) -> Result<[u8; LEN], KeyError> {
    let bytes = STANDARD.decode(text.trim()).map_err(|_| KeyError)?;
    bytes.try_into().map_err(|_| KeyError)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7748 section 6.1, Alice.
    #[test]
    fn the_public_key_is_that_of_the_rfc() {
        let alice = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a";
        let public = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a";
        let bytes = |hex: &str| {
            let byte = |n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap();
            std::array::from_fn(byte)
        };
        let secret = SecretKey::from_bytes(bytes(alice));
        assert_eq!(secret.public(), PublicKey::from_bytes(bytes(public)));
        let again: SecretKey = secret.reveal().parse().unwrap();
        assert_eq!(again, secret);
        let public = secret.public();
        assert_eq!(public.to_string().parse(), Ok(public));
    }

    #[test]
    fn a_secret_is_not_shown_by_accident() {
        let key = SecretKey::from_bytes([7; LEN]);
        assert_eq!(format!("{key:?}"), "SecretKey(…)");
    }

    #[test]
    fn other_texts_are_no_keys() {
        for text in ["", "abc", &"A".repeat(43), &"A".repeat(45), "ä"] {
            assert_eq!(text.parse::<PublicKey>(), Err(KeyError), "{text}");
        }
        let padded = format!("{}=", "A".repeat(43));
        assert!(format!(" {padded}\n").parse::<PublicKey>().is_ok());
    }
}
