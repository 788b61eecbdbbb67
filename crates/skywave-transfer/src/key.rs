//! Keys of hosts. A host has one secret of 32 bytes, and is known by one public key: they are the seed and the public half
//! of an Ed25519 key pair (RFC 8032), with which it signs QUIC's handshakes.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ed25519_dalek::{SigningKey, VerifyingKey};
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a key.
const LEN: usize = 32;
/// The text of a public key begins with it. What follows has no characters that shells take apart.
const PUBLIC: &str = "sky1";
/// The text of a secret key begins with it.
const SECRET: &str = "skysecret1";

/// A host's public key, by which others know it. Its text is `sky1` and 43 characters of Base64 for
/// URLs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; LEN]);

/// A host's secret key, which only the host itself knows. Its text must not be shown.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey([u8; LEN]);

/// Reason why a text or bytes are no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Text that is no key at all, where a public key is expected.
    #[error("no key: expected `sky1` and 43 characters, as `skywave key` prints")]
    NoKey,
    /// Text that is no key at all, where a secret key is expected.
    #[error("no secret key: expected `skysecret1` and 43 characters, as `skywave key` keeps")]
    NoSecret,
    /// Text of a key from an old version of Skywave, which had X25519 keys only.
    #[error("a key made by an older skywave: make a new one with `skywave key`")]
    Old,
    /// Secret key where a public one is expected.
    #[error("a secret key: expected a public one, as `skywave key` prints")]
    Secret,
    /// Text in the form of a key that no host has: it is mistyped, or a key that everybody could pretend to have.
    #[error("no key of a host: is a character wrong or missing?")]
    Nobody,
}

impl PublicKey {
    /// Public key of these bytes, in the form of Ed25519.
    ///
    /// # Errors
    /// [`KeyError::Nobody`] if the bytes are no canonical encoding of a point of the curve, or the point has a low
    /// order: a weak key, for which everybody can make signatures.
    pub fn from_bytes(bytes: [u8; LEN]) -> Result<Self, KeyError> {
        let key = VerifyingKey::from_bytes(&bytes).map_err(|_| KeyError::Nobody)?;
        // One point has one encoding: otherwise the same host had two keys.
        let canonical = key.to_edwards().compress().to_bytes() == bytes;
        if key.is_weak() || !canonical {
            return Err(KeyError::Nobody);
        }
        Ok(Self(bytes))
    }

    /// Bytes of the key, as Ed25519 writes them.
    pub const fn as_bytes(&self) -> &[u8; LEN] {
        &self.0
    }
}

impl Drop for SecretKey {
    /// Nothing of it stays in memory.
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl SecretKey {
    /// New secret key from the system's random numbers.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut key = Self([0; LEN]);
        getrandom::fill(&mut key.0)?;
        Ok(key)
    }

    /// Secret key of these bytes, the seed of an Ed25519 key pair.
    pub const fn from_bytes(bytes: [u8; LEN]) -> Self {
        Self(bytes)
    }

    /// Bytes of the key, the seed of an Ed25519 key pair.
    pub const fn as_bytes(&self) -> &[u8; LEN] {
        &self.0
    }

    /// Public key that belongs to this secret key.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.pair().verifying_key().to_bytes())
    }

    /// Text of the secret key, for the file that keeps it; it must not be shown.
    pub fn reveal(&self) -> Zeroizing<String> {
        let text = Zeroizing::new(URL_SAFE_NO_PAD.encode(self.0));
        Zeroizing::new([SECRET, &text].concat())
    }

    fn pair(&self) -> SigningKey {
        SigningKey::from_bytes(&self.0)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC}{}", URL_SAFE_NO_PAD.encode(self.0))
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
        if text.trim().starts_with(SECRET) {
            return Err(KeyError::Secret);
        }
        Self::from_bytes(bytes(text, PUBLIC)?)
    }
}

impl FromStr for SecretKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let key = bytes(text, SECRET).map_err(|error| match error {
            KeyError::NoKey => KeyError::NoSecret,
            other => other,
        })?;
        Ok(Self(key))
    }
}

fn bytes(text: &str, prefix: &str) -> Result<[u8; LEN], KeyError> {
    let text = text.trim();
    let decoded = text
        .strip_prefix(prefix)
        .map(|rest| URL_SAFE_NO_PAD.decode(rest).map(Zeroizing::new));
    let Some(Ok(decoded)) = decoded else {
        let is_old = STANDARD.decode(text).is_ok_and(|bytes| bytes.len() == LEN);
        return Err(if is_old {
            KeyError::Old
        } else {
            KeyError::NoKey
        });
    };
    decoded.as_slice().try_into().map_err(|_| KeyError::NoKey)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> [u8; LEN] {
        std::array::from_fn(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap())
    }

    /// RFC 8032 section 7.1, test 3.
    #[test]
    fn the_public_key_is_that_of_the_rfc() {
        let seed = "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7";
        let public = "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025";
        let secret = SecretKey::from_bytes(bytes(seed));
        assert_eq!(secret.public().as_bytes(), &bytes(public));
        let again: SecretKey = secret.reveal().parse().unwrap();
        assert_eq!(again, secret);
        let public = secret.public();
        assert_eq!(public.to_string().parse(), Ok(public));
    }

    /// Points of order 1, 2, 4 and 8, and encodings of them that are not canonical.
    #[test]
    fn keys_that_everybody_could_have_are_refused() {
        let low = [
            "0100000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ];
        for hex in low {
            assert_eq!(
                PublicKey::from_bytes(bytes(hex)),
                Err(KeyError::Nobody),
                "{hex}"
            );
            let text = PublicKey(bytes(hex)).to_string();
            assert_eq!(text.parse::<PublicKey>(), Err(KeyError::Nobody), "{hex}");
        }
    }

    #[test]
    fn a_secret_is_not_shown_by_accident() {
        let key = SecretKey::from_bytes([7; LEN]);
        assert_eq!(format!("{key:?}"), "SecretKey(…)");
        assert_eq!(key.reveal().parse::<PublicKey>(), Err(KeyError::Secret));
    }

    #[test]
    fn other_texts_are_no_keys() {
        let key = SecretKey::generate().unwrap().public().to_string();
        for text in [
            "",
            "abc",
            "ä",
            &key[1..],
            &key[..46],
            &format!("{key}A"),
            &format!("{key}="),
        ] {
            assert_eq!(text.parse::<PublicKey>(), Err(KeyError::NoKey), "{text}");
        }
        assert!(format!(" {key}\n").parse::<PublicKey>().is_ok());
        let old = format!("{}=", "A".repeat(43));
        assert_eq!(old.parse::<PublicKey>(), Err(KeyError::Old));
        assert_eq!(old.parse::<SecretKey>(), Err(KeyError::Old));
    }
}
