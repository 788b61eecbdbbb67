//! For fuzzers, property tests and attackers of one's own: rules that must hold whatever another host says, and what
//! a host that connects says first.

use std::fmt::Debug;

use crate::key::SecretKey;

use crate::Allowed;
use crate::auth::tls;
use crate::path::MAX_PATH;
use crate::wire::message::{
    Answers, Body, Confirm, End, Hello, Lane, MAX_FILES, MAX_NAMES, Message, Open, Ready, Refusal,
    Reply, Request, Share, Start, Verdicts, decode, encode,
};

/// TLS settings of a host that connects to any peer, whatever its key, for fuzzers and for attackers in tests.
///
/// # Errors
/// When the TLS library rustls refuses the settings.
pub fn client_tls() -> Result<rustls::ClientConfig, rustls::Error> {
    tls::client_tls(&SecretKey::from_bytes([1; 32]), Allowed::Everybody)
}

/// Decodes bytes as each kind of the protocol's messages, and checks what must be true of any; for fuzzers.
///
/// # Panics
/// When a rule is broken.
pub fn messages(bytes: &[u8]) {
    same::<Hello>(bytes);
    same::<Share>(bytes);
    same::<Confirm>(bytes);
    same::<Ready>(bytes);
    same::<Start>(bytes);
    same::<Lane>(bytes);
    same::<End>(bytes);
    if let Some(Request::Pull(names)) = same::<Request>(bytes) {
        assert!(names.len() <= MAX_NAMES);
    }
    same::<Answers>(bytes);
    same::<Body>(bytes);
    same::<Verdicts>(bytes);
    let offers = match same::<Open>(bytes) {
        Some(Open::File(offer)) => vec![offer],
        Some(Open::Batch(offers)) => offers,
        None => Vec::new(),
    };
    assert!(offers.len() <= MAX_FILES);
    for offer in offers {
        assert!(offer.path.len() <= MAX_PATH);
        assert!(offer.modified.nanoseconds < 1_000_000_000);
    }
    if let Some(Reply::No(refusal)) = same::<Reply>(bytes)
        && let Refusal::Io(text) = refusal.clean()
    {
        assert!(!text.chars().any(char::is_control), "{text:?}");
    }
}

/// The message of these bytes, if it is one: then it is the same when it is written and read again.
fn same<M: Message + Clone + PartialEq + Debug>(bytes: &[u8]) -> Option<M> {
    let message = decode::<M>(bytes).ok()?;
    if let Ok(again) = encode(&message) {
        // Numbers may have come in more bytes than they need.
        assert!(again.len() <= bytes.len().max(1) && again.len() <= M::MAX);
        assert_eq!(decode::<M>(&again).as_ref(), Ok(&message));
    }
    Some(message)
}
