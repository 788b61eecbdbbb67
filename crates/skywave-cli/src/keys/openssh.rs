//! Ed25519 keys in OpenSSH's formats: they are the same keys as ours, written otherwise.

use skywave_transfer::key::{KeyError, PublicKey, SecretKey};
use ssh_key::PrivateKey;
use thiserror::Error;
use zeroize::Zeroizing;

/// The beginning of the text of a private key (RFC 7468).
const PRIVATE: &str = "-----BEGIN ";
/// The kind of keys that are like ours.
const ED25519: &str = "ssh-ed25519";

/// Why a key of OpenSSH cannot be used.
#[derive(Debug, Error)]
pub(crate) enum Unusable {
    #[error("a key of the kind {0}: expected an Ed25519 key; ssh-keygen -t ed25519 makes one")]
    Kind(String),
    #[error("no key of OpenSSH: {0}")]
    Damaged(#[from] ssh_key::Error),
    #[error(
        "this private key has a passphrase, for which skywave does not ask: expected one without (ssh-keygen -p \
         takes it away), or one that `skywave key` makes"
    )]
    Encrypted,
    #[error(
        "the options {0:?} before the key would not be obeyed: expected a line without options"
    )]
    Options(String),
    #[error("a private key: expected the public one, of the file that ends with .pub")]
    Private,
    #[error(transparent)]
    Nobody(#[from] KeyError),
}

/// The public key on a line of an `id_ed25519.pub` or of `authorized_keys`; `None` if the line is none of OpenSSH's.
pub(crate) fn public(line: &str) -> Option<Result<PublicKey, Unusable>> {
    let line = line.trim();
    if line.starts_with(PRIVATE) {
        return Some(Err(Unusable::Private));
    }
    let (options, kind, data) = parts(line)?;
    let read = || {
        if !options.is_empty() {
            return Err(Unusable::Options(options));
        }
        if kind != ED25519 {
            return Err(Unusable::Kind(kind.to_owned()));
        }
        let key = ssh_key::PublicKey::from_openssh(&format!("{kind} {data}"))?;
        let ed25519 = key.key_data().ed25519();
        let ed25519 = ed25519.ok_or_else(|| Unusable::Kind(key.algorithm().to_string()))?;
        Ok(PublicKey::from_bytes(ed25519.0)?)
    };
    Some(read())
}

/// The options of a line, the name of the key's kind, and its data; `None` if the line has no key of OpenSSH's.
fn parts(line: &str) -> Option<(String, &str, &str)> {
    let is_kind = |word: &str| {
        let mut kinds = ["ssh-", "ecdsa-", "sk-"].iter();
        kinds.any(|kind| word.starts_with(kind))
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    // The data of all keys begins with zeros. Options may have blanks in quotes.
    let is_key = |pair: &[&str]| is_kind(pair[0]) && pair[1].starts_with("AAAA");
    let kind = words.windows(2).position(is_key)?;
    Some((words[..kind].join(" "), words[kind], words[kind + 1]))
}

/// The secret key in the text of an `id_ed25519`; `None` if the text is none of OpenSSH's.
pub(crate) fn secret(text: &str) -> Option<Result<SecretKey, Unusable>> {
    if !text.starts_with(PRIVATE) {
        return None;
    }
    let read = || {
        let key = PrivateKey::from_openssh(text)?;
        if key.is_encrypted() {
            return Err(Unusable::Encrypted);
        }
        let Some(pair) = key.key_data().ed25519() else {
            return Err(Unusable::Kind(key.algorithm().to_string()));
        };
        let seed = Zeroizing::new(pair.private.to_bytes());
        let secret = SecretKey::from_bytes(*seed);
        // A file may say of its key what it likes.
        if secret.public().as_bytes() != &pair.public.0 {
            return Err(Unusable::Nobody(KeyError::Nobody));
        }
        Ok(secret)
    };
    Some(read())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two keys that `ssh-keygen` has made: the sign of x is 0 in one and 1 in the other.
    const KEYS: [(&str, &str); 2] = [
        (
            include_str!("../../tests/cli/keys/even"),
            include_str!("../../tests/cli/keys/even.pub"),
        ),
        (
            include_str!("../../tests/cli/keys/odd"),
            include_str!("../../tests/cli/keys/odd.pub"),
        ),
    ];

    #[test]
    fn both_halves_of_a_pair_are_the_same_host() {
        for (private, line) in KEYS {
            let secret = secret(private).unwrap().unwrap();
            assert_eq!(public(line).unwrap().unwrap(), secret.public());
            assert!(matches!(public(private), Some(Err(Unusable::Private))));
        }
    }

    #[test]
    fn other_keys_say_what_they_are() {
        let said = |line: &str| match public(line) {
            Some(Err(error)) => error.to_string(),
            other => format!("{other:?}"),
        };
        let rsa = said(include_str!("../../tests/cli/keys/rsa.pub"));
        assert!(rsa.starts_with("a key of the kind ssh-rsa:"), "{rsa}");
        let line = KEYS[0].1;
        let options = said(&format!("from=\"10.0.0.1\",no-pty {line}"));
        assert!(options.starts_with("the options"), "{options}");
        let options = said(&format!(
            "command=\"rsync --server\" no-pty {}",
            &line[..80]
        ));
        assert!(options.starts_with("the options \"command="), "{options}");
        let options = said(&format!("ssh-ed25519,no-pty {line}"));
        assert!(
            options.starts_with("the options \"ssh-ed25519,"),
            "{options}"
        );
        let other = said("ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY= laptop");
        assert!(
            other.starts_with("a key of the kind ecdsa-sha2-nistp256:"),
            "{other}"
        );
        assert!(public(&line.replace(' ', "\t")).unwrap().is_ok());
        assert!(public("sky1abc AAAA-laptop").is_none());
        let cut = said(&line[..60]);
        assert!(cut.starts_with("no key of OpenSSH"), "{cut}");
        assert!(public("sky1abc").is_none() && public("ssh-keys.pub").is_none());
        let said = |text| secret(text).unwrap().unwrap_err().to_string();
        let rsa = said(include_str!("../../tests/cli/keys/rsa"));
        assert!(rsa.starts_with("a key of the kind ssh-rsa:"), "{rsa}");
        let encrypted = said(include_str!("../../tests/cli/keys/encrypted"));
        assert!(encrypted.contains("has a passphrase"), "{encrypted}");
        assert!(said("-----BEGIN RSA PRIVATE KEY-----\n").starts_with("no key of OpenSSH"));
    }
}
