//! Numbers of few digits, written the same on every machine.

/// A decimal number: `mantissa` × 10^`exponent`, the mantissa without zeros at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal {
    mantissa: i64,
    exponent: i32,
}

impl Decimal {
    /// Zero.
    pub(crate) const ZERO: Self = Self {
        mantissa: 0,
        exponent: 0,
    };

    /// The nearest number of `digits` significant digits; zero for what is no number.
    pub(crate) fn nearest(value: f64, digits: usize) -> Self {
        let written = format!("{value:.*e}", digits.max(1) - 1);
        let Some((mantissa, exponent)) = written.split_once('e') else {
            return Self::ZERO;
        };
        let decimals = mantissa.split_once('.').map_or(0, |(_, after)| after.len());
        let mantissa: i64 = mantissa.replace('.', "").parse().unwrap_or_default();
        let exponent: i32 = exponent.parse().unwrap_or_default();
        Self::new(mantissa, exponent - decimals as i32)
    }

    fn new(mut mantissa: i64, mut exponent: i32) -> Self {
        if mantissa == 0 {
            return Self::ZERO;
        }
        while mantissa % 10 == 0 {
            mantissa /= 10;
            exponent += 1;
        }
        Self { mantissa, exponent }
    }

    /// Value of the number as the nearest `f64`.
    pub fn value(self) -> f64 {
        let written = format!("{}e{}", self.mantissa, self.exponent);
        written.parse().unwrap_or_default()
    }

    /// Number of significant digits; 1 for zero.
    pub fn digits(self) -> usize {
        self.mantissa.unsigned_abs().to_string().len()
    }

    /// Power of ten of the first digit; 0 of zero.
    pub(crate) fn magnitude(self) -> i32 {
        self.exponent + self.digits() as i32 - 1
    }

    /// The number divided by 10^`power`.
    pub(crate) fn over(self, power: i32) -> Self {
        Self::new(self.mantissa, self.exponent - power)
    }

    /// Neighbours of at most `digits` significant digits, the nearer one first: one if this is such a number.
    pub(crate) fn rounded(self, digits: usize) -> Vec<Self> {
        let cut = self.digits().saturating_sub(digits);
        if cut == 0 {
            return vec![self];
        }
        let step = 10_i64.pow(cut as u32);
        let low = self.mantissa.div_euclid(step);
        let neighbour = |mantissa| Self::new(mantissa, self.exponent + cut as i32);
        let mut both = vec![neighbour(low), neighbour(low + 1)];
        if self.mantissa.rem_euclid(step) * 2 >= step {
            both.reverse();
        }
        both
    }
}

/// The digits without an exponent: `0.05`, `20`.
impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = self.mantissa.unsigned_abs().to_string();
        if self.mantissa < 0 {
            f.write_str("-")?;
        }
        let after = usize::try_from(-self.exponent).unwrap_or_default();
        if after == 0 {
            let zeros = usize::try_from(self.exponent).unwrap_or_default();
            return write!(f, "{digits}{}", "0".repeat(zeros));
        }
        let digits = format!("{digits:0>width$}", width = after + 1);
        let (whole, part) = digits.split_at(digits.len() - after);
        write!(f, "{whole}.{part}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_with_few_digits() {
        for (value, digits, text) in [
            (0.0, 3, "0"),
            (123_456.0, 3, "123000"),
            (0.000_123_456, 3, "0.000123"),
            (0.05, 3, "0.05"),
            (-1.5, 3, "-1.5"),
            (9.996, 3, "10"),
            (37.0, 1, "40"),
            (f64::NAN, 3, "0"),
        ] {
            let decimal = Decimal::nearest(value, digits);
            assert_eq!(decimal.to_string(), text);
            assert_eq!(decimal.value(), text.parse::<f64>().unwrap());
        }
    }

    #[test]
    fn the_nearer_neighbour_comes_first() {
        let texts = |value, digits| {
            let rounded = Decimal::nearest(value, 3).rounded(digits);
            rounded.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(texts(37.0, 1), ["40", "30"]);
        assert_eq!(texts(-37.0, 1), ["-40", "-30"]);
        assert_eq!(texts(0.0123, 2), ["0.012", "0.013"]);
        assert_eq!(texts(99.5, 1), ["100", "90"]);
        assert_eq!(texts(20.0, 1), ["20"]);
        assert_eq!(texts(0.0, 1), ["0"]);
    }
}
