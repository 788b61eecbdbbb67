//! Texts that people type, and those that come from other hosts: codes, paths, names, keys.

use std::path::{Component, Path};

use skywave_transfer::key::{PublicKey, SecretKey};
use skywave_transfer::name;
use skywave_transfer::{Code, RelativePath};

/// Reads `data` as each kind of text of a file transfer: a code that people tell each other in place of keys, a path, a
/// file name, and a key. The text is refused, or the same when it is printed and read again (a file name is only judged
/// and shown). Panics if not.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    code(&text);
    path(&text);
    plain(&text);
    keys(&text);
}

fn code(text: &str) {
    match text.parse::<Code>() {
        Ok(code) => {
            let printed = code.to_string();
            assert_eq!(printed.len(), 9, "eight letters and a hyphen");
            assert_eq!(printed.parse(), Ok(code.clone()));
            assert_eq!(printed.to_uppercase().parse(), Ok(code));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn path(text: &str) {
    let Ok(path) = RelativePath::parse(text) else {
        return;
    };
    assert_eq!(path.as_bytes(), text.as_bytes());
    let inside = |component| matches!(component, Component::Normal(_));
    assert!(Path::new(text).components().all(inside), "leads elsewhere");
    assert_eq!(
        Path::new(text).components().count(),
        text.split('/').count()
    );
    assert!(text.split('/').all(name::is_plain));
    assert_eq!(
        path.is_hidden(),
        text.split('/').any(|name| name.starts_with('.'))
    );
    assert_eq!(name::shown(text), text, "it is what it looks like");
}

fn plain(text: &str) {
    let shown = name::shown(text);
    assert!(!shown.chars().any(char::is_control), "{shown:?}");
    assert!(shown.len() >= text.len());
    assert_eq!(name::shown(&shown), shown, "nothing is left to escape");
    if name::is_plain(text) {
        assert!(!text.contains(['/', '\0', '\n']) && !text.starts_with(name::PREFIX));
        assert_eq!(Path::new(text).file_name(), Some(text.as_ref()));
    }
}

fn keys(text: &str) {
    match text.parse::<PublicKey>() {
        Ok(key) => {
            assert_eq!(key.to_string(), text.trim(), "a key has one text");
            assert_eq!(PublicKey::from_bytes(*key.as_bytes()), Ok(key));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(secret) = text.parse::<SecretKey>() {
        assert_eq!(secret.reveal().as_str(), text.trim());
        assert!(!format!("{secret:?}").contains(text.trim()));
        let public = secret.public();
        assert_eq!(public.to_string().parse(), Ok(public));
    }
}
