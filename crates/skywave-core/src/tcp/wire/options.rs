//! The option list of a TCP header (RFC 9293 section 3.2).

use crate::packet::{Flags, Options, SackBlock, Segment, SynOptions};
use crate::seq::SeqNr;

use super::clock::TimestampClock;
use super::error::{WireError, WriteError};
use super::{MAX_SHIFT, Ticks};

/// Bytes of options that a TCP header can have: its length is at most 15 words of 32 bits.
pub const MAX_LEN: usize = 40;

/// Kinds (the registry of IANA).
const END: u8 = 0;
const NOP: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
/// For experiments (RFC 4727), told apart by an identifier of two bytes (RFC 6994).
const EXPERIMENT: u8 = 253;

/// The experiment of a sender that tells its window, in segments. Not registered.
const TELLS_WINDOW: [u8; 2] = *b"sw";

/// The experiment of a receiver that names a segment which has not come. Not registered.
const NAMES_MISSING: [u8; 2] = *b"sm";

/// Bytes of kind and length.
const PREFIX: usize = 2;
/// Bytes of a SACK block.
const BLOCK: usize = 8;

/// Bytes of the options of `segment` in its header, padding included: MSS, window scale and SACK-permitted take four
/// each, timestamps 12, SACK blocks eight each and four together, the option that tells the sender's window eight, the
/// one that names a missing segment 12.
///
/// A sender subtracts these from the MSS (RFC 9293 section 3.7.1). The count may exceed the 40 bytes that there are,
/// and then the segment cannot be written.
pub fn options_len(segment: &Segment) -> usize {
    let offer = segment.options.syn().map_or(0, |offer| {
        4 * (usize::from(offer.mss.is_some())
            + usize::from(offer.window_scale.is_some())
            + usize::from(offer.sack_permitted))
    });
    let timestamps = if segment.timestamps.is_some() { 12 } else { 0 };
    offer + segment.options.wire_len() as usize + timestamps
}

/// Bytes of the options of `segment`, as [`options_len`] counts them, if the options can be
/// written: they fit, and only a SYN has those of a SYN.
pub(super) fn checked_len(segment: &Segment) -> Result<usize, WriteError> {
    let misplaced = if segment.is_syn() {
        !segment.sack().is_empty()
            || segment.options.window().is_some()
            || segment.options.missing().is_some()
    } else {
        segment.options.syn().is_some()
    };
    if misplaced {
        return Err(WriteError::MisplacedOptions);
    }
    let needed = options_len(segment);
    if needed > MAX_LEN {
        return Err(WriteError::OptionSpace { needed });
    }
    Ok(needed)
}

/// Appends the options of `segment`, each padded to words so that its fields are aligned.
pub(super) fn write(segment: &Segment, clock: TimestampClock, out: &mut Vec<u8>) {
    if let Some(offer) = segment.options.syn() {
        if let Some(mss) = offer.mss {
            out.extend([MSS, 4]);
            out.extend(mss.to_be_bytes());
        }
        if let Some(shift) = offer.window_scale {
            out.extend([NOP, WINDOW_SCALE, 3, shift.min(MAX_SHIFT)]);
        }
        if offer.sack_permitted {
            out.extend([NOP, NOP, SACK_PERMITTED, 2]);
        }
    }
    if let Some(timestamps) = segment.timestamps {
        let ticks = Ticks {
            value: clock.to_wire(timestamps.value),
            echo: clock.to_wire(timestamps.echo),
        };
        let ticks = ticks.valid(segment.is_ack());
        out.extend([NOP, NOP, TIMESTAMPS, 10]);
        out.extend(ticks.value.to_be_bytes());
        out.extend(ticks.echo.to_be_bytes());
    }
    if let Some(window) = segment.options.window() {
        out.extend([NOP, NOP, EXPERIMENT, 6]);
        out.extend(TELLS_WINDOW);
        out.extend(window.to_be_bytes());
    }
    if let Some(missing) = segment.options.missing() {
        out.extend([EXPERIMENT, 12]);
        out.extend(NAMES_MISSING);
        out.extend(missing.start.0.to_be_bytes());
        out.extend(missing.end.0.to_be_bytes());
    }
    let blocks = segment.sack();
    if !blocks.is_empty() {
        out.extend([NOP, NOP, SACK, (PREFIX + BLOCK * blocks.len()) as u8]);
        for block in blocks {
            out.extend(block.start.0.to_be_bytes());
            out.extend(block.end.0.to_be_bytes());
        }
    }
}

/// The options that have a meaning here, of any segment. Of one that comes twice, the last; of SACK
/// blocks all.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(super) struct List {
    pub(super) offer: SynOptions,
    pub(super) sack: Options,
    pub(super) window: Option<u16>,
    pub(super) missing: Option<SackBlock>,
    pub(super) timestamps: Option<Ticks>,
}

/// Reads a list of options that begins at byte `base` of the packet.
pub(super) fn parse(list: &[u8], base: usize) -> Result<List, WireError> {
    let mut read = List::default();
    let mut rest = list;
    loop {
        let (kind, length) = match *rest {
            [] | [END, ..] => return Ok(read),
            [NOP, ref after @ ..] => {
                rest = after;
                continue;
            }
            [kind, ref after @ ..] => (kind, after.first().copied()),
        };
        let wrong = WireError::Option {
            kind,
            offset: base + list.len() - rest.len(),
            length,
        };
        let length = usize::from(length.ok_or(wrong)?);
        let (option, after) = rest.split_at_checked(length).ok_or(wrong)?;
        let value = option.get(PREFIX..).ok_or(wrong)?;
        read.take(kind, value).ok_or(wrong)?;
        rest = after;
    }
}

impl List {
    /// Options that belong on a segment with `flags`: offers on a SYN, blocks or a window on others
    /// (RFC 7323 section 2.2 has a scale ignored elsewhere, RFC 9293 section 3.2 allows an MSS on
    /// SYNs alone).
    pub(super) fn of(&self, flags: Flags) -> Options {
        if !flags.contains(Flags::SYN) {
            match (self.sack, self.window, self.missing) {
                (Options::None, _, Some(missing)) => Options::Missing(missing),
                (Options::None, Some(window), None) => Options::Window(window),
                (sack, ..) => sack,
            }
        } else if self.offer == SynOptions::default() {
            Options::None
        } else {
            Options::Syn(self.offer)
        }
    }

    /// Keeps an option; `None` if its value has a wrong length.
    fn take(&mut self, kind: u8, value: &[u8]) -> Option<()> {
        match (kind, value) {
            (MSS, &[high, low]) => self.offer.mss = Some(u16::from_be_bytes([high, low])),
            // RFC 7323 section 2.3: a larger shift is taken for 14.
            (WINDOW_SCALE, &[shift]) => self.offer.window_scale = Some(shift.min(MAX_SHIFT)),
            (SACK_PERMITTED, []) => self.offer.sack_permitted = true,
            (TIMESTAMPS, value) => {
                let (value, echo) = two_words(value)?;
                self.timestamps = Some(Ticks { value, echo });
            }
            (SACK, blocks) => {
                for bytes in blocks.chunks(BLOCK) {
                    self.sack.push_sack(block(bytes)?);
                }
            }
            (EXPERIMENT, &[a, b, high, low]) if [a, b] == TELLS_WINDOW => {
                self.window = Some(u16::from_be_bytes([high, low]));
            }
            (EXPERIMENT, &[a, b, ref missing @ ..]) if [a, b] == NAMES_MISSING => {
                self.missing = block(missing).or(self.missing);
            }
            (MSS | WINDOW_SCALE | SACK_PERMITTED, _) => return None,
            // An option that nothing here knows is skipped (RFC 9293 section 3.1, MUST-6).
            _ => {}
        }
        Some(())
    }
}

/// A block of sequence numbers and nothing else.
fn block(bytes: &[u8]) -> Option<SackBlock> {
    let (start, end) = two_words(bytes)?;
    Some(SackBlock {
        start: SeqNr(start),
        end: SeqNr(end),
    })
}

/// Two 32-bit numbers and nothing else.
fn two_words(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.as_chunks::<4>() {
        ([first, second], []) => Some((u32::from_be_bytes(*first), u32::from_be_bytes(*second))),
        _ => None,
    }
}
