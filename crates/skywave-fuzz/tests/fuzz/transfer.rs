//! Whatever another host or a user says, it is refused or means what it says.

use proptest::prelude::*;
use skywave_fuzz::{messages, texts};

use crate::bytes::check;

/// Bytes, most of them such as messages begin with.
fn message() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![3 => 0_u8..12, 1 => any::<u8>()];
    prop::collection::vec(byte, 0..300)
}

/// Texts made of what the parsers look for.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        3 => "[0-9a-hj-np-tv-zA-Z]{1,8}",
        2 => prop::sample::select(vec![
            "/", "..", ".", "-", " ", "sky1", "skysecret1", ".skywave-", "\\", "\u{202e}", "\0", "\n",
            "\u{1b}[31m", "=", "O", "i", "ä",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => "[A-Za-z0-9_-]{43}",
    ];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

#[test]
fn any_bytes_are_read_as_messages_without_harm() {
    check("messages", 5000, message(), |bytes| messages::run(&bytes));
}

#[test]
fn any_text_is_refused_or_means_what_it_says() {
    check("texts", 5000, text(), |text| texts::run(text.as_bytes()));
}

/// Keys that there are, changed at a place.
#[test]
fn keys_with_a_wrong_letter_are_read_without_harm() {
    let changes = (any::<[u8; 32]>(), 0_usize..60, any::<u8>(), any::<bool>());
    check("keys", 2000, changes, |(bytes, place, byte, secret)| {
        let key = skywave_transfer::key::SecretKey::from_bytes(bytes);
        let text = if secret {
            key.reveal().to_string()
        } else {
            key.public().to_string()
        };
        texts::run(text.as_bytes());
        let mut text = text.into_bytes();
        let len = text.len();
        text[place % len] = byte;
        texts::run(&text);
    });
}
