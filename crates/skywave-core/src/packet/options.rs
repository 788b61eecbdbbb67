//! TCP options that need room beyond the fixed header: SACK blocks, and what a SYN offers.

use std::fmt;

use crate::seq::SeqNr;

/// Most SACK blocks in a segment: four fit the option space, three beside timestamps.
pub const MAX_SACK_BLOCKS: usize = 4;

/// Bytes `start..end` that a receiver reports: to have (SACK, RFC 2018), or to miss ([`Options::Missing`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SackBlock {
    /// First sequence number of the block.
    pub start: SeqNr,
    /// First sequence number after the block.
    pub end: SeqNr,
}

/// Options of a SYN: the abilities that its sender offers. Never on the same segment as SACK blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SynOptions {
    /// Largest payload in bytes that the sender of the SYN accepts (RFC 9293 section 3.7.1); `None` if not offered.
    pub mss: Option<u16>,
    /// Shift count for windows advertised later (RFC 7323 section 2.2); `None` if scaling is not offered.
    pub window_scale: Option<u8>,
    /// Whether the sender of the SYN understands SACK blocks (RFC 2018 section 2).
    pub sack_permitted: bool,
}

/// The options of a segment other than timestamps.
///
/// One variant for each number of SACK blocks, so that a segment without any costs one byte to write.
#[derive(Clone, Copy, Default)]
#[repr(u8)]
pub enum Options {
    /// No options.
    #[default]
    None,
    /// One SACK block.
    Sack1([SackBlock; 1]),
    /// Two SACK blocks.
    Sack2([SackBlock; 2]),
    /// Three SACK blocks.
    Sack3([SackBlock; 3]),
    /// Four SACK blocks.
    Sack4([SackBlock; MAX_SACK_BLOCKS]),
    /// Options of a SYN, which offer the abilities of its sender.
    Syn(SynOptions),
    /// Window by which the data's sender sends (cwnd, or the receiver's or a contention limit if that is smaller), in
    /// whole segments, told to a receiver that acknowledges by it (Chen, Marsic and Miller 2008).
    Window(u16),
    /// A segment that has not come, which a receiver names to ask for it (Long et al., in Francis 2012, section
    /// 3.2.3).
    Missing(SackBlock),
}

impl Options {
    /// The SACK blocks, none to four: first a duplicate if one is reported (RFC 2883), then the block that changed
    /// last (RFC 2018).
    #[inline]
    pub fn sack(&self) -> &[SackBlock] {
        match self {
            Self::None | Self::Syn(_) | Self::Window(_) | Self::Missing(_) => &[],
            Self::Sack1(blocks) => blocks,
            Self::Sack2(blocks) => blocks,
            Self::Sack3(blocks) => blocks,
            Self::Sack4(blocks) => blocks,
        }
    }

    /// Abilities that a SYN offers; `None` if these are not the options of a SYN.
    pub fn syn(&self) -> Option<&SynOptions> {
        match self {
            Self::Syn(options) => Some(options),
            _ => None,
        }
    }

    /// Window by which the data's sender sends, cwnd or a lower limit, in whole segments; `None` if these options are
    /// not [`Self::Window`].
    pub fn window(&self) -> Option<u16> {
        match self {
            Self::Window(segments) => Some(*segments),
            _ => None,
        }
    }

    /// The missing segment that a receiver asks for; `None` if these options name none.
    pub fn missing(&self) -> Option<SackBlock> {
        match self {
            Self::Missing(segment) => Some(*segment),
            _ => None,
        }
    }

    /// Whether there are no options.
    #[inline]
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Bytes of the options on the wire, padded to words of four: 4 plus 8 for each SACK block, 8 for
    /// [`Self::Window`], 12 for [`Self::Missing`]; 0 for those of a SYN, whose simulated size the scenario sets.
    #[inline]
    pub fn wire_len(&self) -> u32 {
        match self {
            Self::None | Self::Syn(_) => 0,
            Self::Window(_) => 8,
            Self::Missing(_) => 12,
            Self::Sack1(_) | Self::Sack2(_) | Self::Sack3(_) | Self::Sack4(_) => {
                8 * self.sack().len() as u32 + 4
            }
        }
    }

    /// Adds a SACK block after the others. Does nothing if there are four, or if these are options of another kind.
    pub fn push_sack(&mut self, block: SackBlock) {
        *self = match *self {
            Self::None => Self::Sack1([block]),
            Self::Sack1([a]) => Self::Sack2([a, block]),
            Self::Sack2([a, b]) => Self::Sack3([a, b, block]),
            Self::Sack3([a, b, c]) => Self::Sack4([a, b, c, block]),
            full @ (Self::Sack4(_) | Self::Syn(_) | Self::Window(_) | Self::Missing(_)) => full,
        };
    }
}

impl FromIterator<SackBlock> for Options {
    /// The first SACK blocks, as many as there is room for.
    fn from_iter<I: IntoIterator<Item = SackBlock>>(blocks: I) -> Self {
        let mut all = Self::default();
        for block in blocks {
            all.push_sack(block);
        }
        all
    }
}

impl PartialEq for Options {
    fn eq(&self, other: &Self) -> bool {
        self.sack() == other.sack()
            && self.syn() == other.syn()
            && self.window() == other.window()
            && self.missing() == other.missing()
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syn(options) => options.fmt(f),
            Self::Window(segments) => write!(f, "window {segments}"),
            Self::Missing(segment) => write!(f, "missing {segment:?}"),
            _ => f.debug_list().entries(self.sack()).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_four_sack_blocks_in_order() {
        let block = |n: u32| SackBlock {
            start: SeqNr(n),
            end: SeqNr(n + 1),
        };
        for n in 0..6 {
            let options: Options = (0..n).map(block).collect();
            let held: Vec<SackBlock> = (0..n.min(4)).map(block).collect();
            assert_eq!(options.sack(), held);
            assert_eq!(options.syn(), None);
        }
    }

    #[test]
    fn a_syn_carries_no_blocks() {
        let offer = SynOptions {
            mss: Some(1460),
            ..SynOptions::default()
        };
        let mut options = Options::Syn(offer);
        options.push_sack(SackBlock::default());
        assert_eq!((options.sack(), options.syn()), (&[][..], Some(&offer)));
        assert_ne!(options, Options::None);
    }

    #[test]
    fn a_window_is_beside_no_blocks() {
        let mut options = Options::Window(4);
        options.push_sack(SackBlock::default());
        assert_eq!((options.sack(), options.window()), (&[][..], Some(4)));
        assert_ne!(options, Options::Window(5));
        assert_ne!(options, Options::None);
    }
}
