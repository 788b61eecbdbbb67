//! Hosts with keys of OpenSSH.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use super::{Listening, folder};
use crate::common::{skywave, text};

/// Keys that ssh-keygen has made.
fn with_keys_of_openssh() -> tempfile::TempDir {
    let dir = folder();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/keys");
    for name in ["even", "odd", "encrypted", "rsa"] {
        let to = dir.path().join(name);
        fs::copy(from.join(name), &to).expect("copied");
        fs::set_permissions(&to, fs::Permissions::from_mode(0o600)).expect("it is ours");
        let public = format!("{name}.pub");
        let _ = fs::copy(from.join(&public), dir.path().join(public));
    }
    dir
}

#[test]
fn hosts_may_have_keys_of_openssh() {
    let dir = with_keys_of_openssh();
    let public = |name| fs::read_to_string(dir.path().join(name)).expect("a key");
    let keys = ["# of two hosts\n", &public("odd.pub"), &public("near.pub")].concat();
    fs::write(dir.path().join("authorized_keys"), keys).expect("written");
    let peer = public("even.pub");
    for (ours, to) in [("odd", "even.pub"), ("near", peer.trim())] {
        let args = [
            "recv",
            "--into",
            "in",
            "--overwrite",
            "--key",
            "even",
            "--count",
            "1",
        ];
        let args = [&args[..], &["--allow", "authorized_keys"]].concat();
        let mut receiver = Listening::new(dir.path(), &args, Stdio::null());
        let args = [
            "send",
            "film",
            &receiver.address,
            "--key",
            ours,
            "--peer",
            to,
        ];
        let sent = skywave(dir.path(), &args);
        assert!(sent.status.success(), "{}", text(&sent.stderr));
        assert_eq!(receiver.end(), Some(0));
    }
}

#[test]
fn keys_of_openssh_that_cannot_be_used_say_why() {
    let dir = with_keys_of_openssh();
    fs::copy(dir.path().join("odd"), dir.path().join("open")).expect("copied");
    let open = fs::Permissions::from_mode(0o644);
    fs::set_permissions(dir.path().join("open"), open).expect("it is ours");
    for (args, expected) in [
        (
            ["--key", "even", "--peer", "rsa.pub"],
            "rsa.pub, line 1: a key of the kind ssh-rsa",
        ),
        (
            ["--key", "rsa", "--peer", "near.pub"],
            "rsa: a key of the kind ssh-rsa",
        ),
        (
            ["--key", "encrypted", "--peer", "near.pub"],
            "has a passphrase",
        ),
        (
            ["--key", "open", "--peer", "near.pub"],
            "others can read this secret key",
        ),
        (
            ["--key", "near", "--peer", "odd"],
            "odd, line 1: a private key",
        ),
    ] {
        let sent = skywave(
            dir.path(),
            &[&["send", "film", "127.0.0.1:9"], &args[..]].concat(),
        );
        let said = text(&sent.stderr);
        assert!(
            !sent.status.success() && said.contains(expected),
            "{args:?}: {said}"
        );
    }
}
