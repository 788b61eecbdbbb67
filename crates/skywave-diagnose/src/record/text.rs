//! From the bytes of a file to text: compression, encodings, and what tells a capture or a scenario.

use std::borrow::Cow;
use std::io::Read;

use super::Mistake;

/// Most bytes that a compressed record may have once it is not.
const MAX_UNPACKED: u64 = 1 << 30;

/// Magic number: the first two bytes of a file compressed by gzip.
pub const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The bytes, decompressed if they are gzip's.
pub(super) fn gunzipped(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Mistake> {
    if !bytes.starts_with(&GZIP) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut unpacked = Vec::new();
    let reader = flate2::read::MultiGzDecoder::new(bytes);
    let read = reader.take(MAX_UNPACKED + 1).read_to_end(&mut unpacked);
    let place = || format!("byte {} of what it unpacks to", unpacked.len());
    if let Err(error) = read {
        return Err(Mistake::at(
            "gzip",
            place(),
            "a whole compressed file",
            error,
        ));
    }
    if unpacked.len() as u64 > MAX_UNPACKED {
        let most = "at most 1 GiB of decompressed data";
        return Err(Mistake::at("gzip", place(), most, "more"));
    }
    Ok(Cow::Owned(unpacked))
}

/// Whether the bytes begin as a packet capture does: pcap in either byte order and resolution, or pcapng.
pub fn is_capture(bytes: &[u8]) -> bool {
    const MAGICS: [[u8; 4]; 5] = [
        [0xa1, 0xb2, 0xc3, 0xd4],
        [0xd4, 0xc3, 0xb2, 0xa1],
        [0xa1, 0xb2, 0x3c, 0x4d],
        [0x4d, 0x3c, 0xb2, 0xa1],
        [0x0a, 0x0d, 0x0d, 0x0a],
    ];
    MAGICS.iter().any(|magic| bytes.starts_with(magic))
}

/// The bytes as text: by a byte order mark, else UTF-8, else each byte as a character of Latin-1, which keeps all
/// that is ASCII in the code pages of Windows.
pub(super) fn decoded(bytes: &[u8]) -> Result<Cow<'_, str>, Mistake> {
    let text = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)),
        _ => match str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(bytes.iter().copied().map(char::from).collect()),
        },
    };
    if text.bytes().take(4096).any(|byte| byte == 0) {
        return Err(Mistake::Unknown);
    }
    Ok(text)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units)
        .map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// The first line that is neither blank nor a comment.
pub(super) fn first_line(text: &str) -> Option<&str> {
    lines(text).next().map(|(_, line)| line)
}

/// The lines that are neither blank nor comments, trimmed, with their numbers from 1.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#') && !line.starts_with("//"))
}

/// Whether the text is a scenario: TOML with a link.
pub(super) fn is_scenario(text: &str) -> bool {
    let is_key = |line: &str| {
        line.split_once('=')
            .is_some_and(|(key, _)| !key.trim().contains(char::is_whitespace))
    };
    first_line(text).is_some_and(|line| line.starts_with('[') || is_key(line))
        && lines(text).any(|(_, line)| line.starts_with("[[link]]"))
}

/// A finite number, written as in programs.
pub(super) fn number(text: &str) -> Option<f64> {
    text.trim()
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
}
