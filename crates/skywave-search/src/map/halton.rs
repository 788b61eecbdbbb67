//! Points that fill a cube evenly.

/// Bases of the sequence: a map has no more dimensions.
const BASES: [u64; 8] = [2, 3, 5, 7, 11, 13, 17, 19];

/// Dimensions that a sequence can have.
pub(super) const MOST: usize = BASES.len();

/// Point `n` of Halton's sequence in the unit cube, of [`MOST`] dimensions at most.
pub(super) fn halton(n: u64, dimensions: usize) -> Vec<f64> {
    let bases = BASES.iter().take(dimensions);
    bases.map(|&base| inverse(n, base)).collect()
}

/// The digits of `n` in a base, mirrored behind the point.
fn inverse(mut n: u64, base: u64) -> f64 {
    let (mut sum, mut place) = (0.0, 1.0);
    while n > 0 {
        place /= base as f64;
        sum += place * (n % base) as f64;
        n /= base;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_mirrored() {
        assert_eq!(halton(6, 2), [0.375, 2.0 / 9.0]);
    }
}
