//! Numbers of a script and those on the wire.
//!
//! A script counts both directions from its own initial sequence numbers: on a SYN its numbers are absolute, on
//! other segments relative to the initial one.

/// How one direction's numbers correspond.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Direction {
    /// The script's initial sequence number; zero until a SYN tells it.
    script: u32,
    /// The one on the wire.
    wire: u32,
}

impl Direction {
    pub(crate) fn new(script: u32, wire: u32) -> Self {
        Self { script, wire }
    }

    /// A number of the script's, of a segment with a SYN or another.
    pub(crate) fn to_wire(self, number: u32, on_syn: bool) -> u32 {
        let zero = if on_syn { self.script } else { 0 };
        number.wrapping_sub(zero).wrapping_add(self.wire)
    }

    pub(crate) fn to_script(self, number: u32, on_syn: bool) -> u32 {
        let zero = if on_syn { self.script } else { 0 };
        number.wrapping_sub(self.wire).wrapping_add(zero)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_syn_counts_from_the_scripts_own_number() {
        let direction = Direction::new(100, 7000);
        assert_eq!(direction.to_wire(100, true), 7000);
        assert_eq!(direction.to_wire(1, false), 7001);
        assert_eq!(direction.to_script(7001, true), 101);
        assert_eq!(direction.to_script(7001, false), 1);
    }
}
