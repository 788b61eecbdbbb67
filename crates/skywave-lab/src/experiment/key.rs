//! The key of a run: a hash of everything that decides its outcome.

use std::fmt::{self, Write};

use skywave_sim::spec::Spec;

/// Key of a run: a hash of its specification, seed and engine version, which decide its outcome.
///
/// The name, title and text of a scenario do not count, only the simulation that they describe does: a point that two
/// scenarios have in common has the same key in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunKey(u128);

impl RunKey {
    /// Key of the run that `spec` (with its seed) describes and the engine version `engine` makes.
    pub fn new(spec: &Spec, engine: &str) -> Self {
        Meaning::of(spec, engine).with_seed(spec.seed)
    }

    /// The key of no run, which is as long as any other when it is written.
    pub(super) const fn of_none() -> Self {
        Self(0)
    }

    /// Reads a key from its printed form of 32 hexadecimal digits, or from fewer digits (leading zeros left out);
    /// `None` if the text is no hexadecimal number of at most 128 bits.
    pub fn parse(text: &str) -> Option<Self> {
        u128::from_str_radix(text, 16).ok().map(Self)
    }
}

impl fmt::Display for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The hash of a specification without its seed, shared by all runs of a point: a recorded trace
/// is long and should be hashed once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meaning(Fnv);

impl Meaning {
    pub(super) fn of(spec: &Spec, engine: &str) -> Self {
        let mut hash = Fnv::default();
        let seedless = Spec {
            seed: 0,
            ..spec.clone()
        };
        // The derived Debug form names every field and writes floats exactly; a new field changes
        // it, and old results are then not used, as it should be. Writing to a hash cannot fail.
        let _ = write!(hash, "{engine}\n{seedless:?}\n");
        Self(hash)
    }

    pub(super) fn with_seed(mut self, seed: u64) -> RunKey {
        let _ = write!(self.0, "{seed}");
        RunKey(self.0.0)
    }

    pub(super) fn specification(self) -> Specification {
        Specification(self.0.0)
    }
}

/// Hash of a run's specification without its seed, and of the engine version: runs that differ only in their seeds have
/// the same hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Specification(u128);

impl fmt::Display for Specification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Hash (FNV-1a, 128 bits) of some bytes, to find out whether they have changed.
pub fn hash(bytes: &[u8]) -> u128 {
    let mut hash = Fnv::default();
    hash.add(bytes);
    hash.0
}

/// The hash of the keys of all runs of an experiment, in their order: of all that decides its results.
pub(super) fn of_all(keys: impl Iterator<Item = RunKey>) -> u128 {
    let mut hash = Fnv::default();
    for key in keys {
        hash.add(&key.0.to_le_bytes());
    }
    hash.0
}

/// FNV-1a with 128 bits: no dependency, the same everywhere, and wide enough that two of a billion
/// runs do not meet by chance.
#[derive(Clone, Copy, Debug)]
struct Fnv(u128);

impl Default for Fnv {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte))
                .wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
}

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        // Test vectors of the FNV draft: "" and "a".
        let mut hash = Fnv::default();
        assert_eq!(hash.0, 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        hash.write_str("a").unwrap();
        assert_eq!(hash.0, 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
