//! Parameters that a routing protocol cannot work with.

use std::fmt;

/// A parameter with a value that its protocol cannot work with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The protocol.
    pub protocol: &'static str,
    /// The parameter's name in the protocol's `Config`.
    pub parameter: &'static str,
    /// The values that it may have.
    pub expected: &'static str,
}

impl ConfigError {
    /// An error for the first rule that does not hold. Each rule is a parameter, what it must be,
    /// and whether it is.
    pub(super) fn find<const N: usize>(
        protocol: &'static str,
        rules: [(&'static str, &'static str, bool); N],
    ) -> Result<(), Self> {
        match rules.into_iter().find(|&(_, _, holds)| !holds) {
            None => Ok(()),
            Some((parameter, expected, _)) => Err(Self {
                protocol,
                parameter,
                expected,
            }),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            protocol,
            parameter,
            expected,
        } = self;
        write!(f, "{protocol}: `{parameter}` must be {expected}")
    }
}

impl std::error::Error for ConfigError {}
