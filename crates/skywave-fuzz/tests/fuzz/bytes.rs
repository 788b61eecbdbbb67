//! The fuzzers' inputs, drawn by proptest.

use std::fmt::Debug;

use arbitrary::{Arbitrary, Unstructured};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// A value read from fewer bytes than `longest`.
pub(crate) fn from_bytes<T: for<'a> Arbitrary<'a> + Debug>(
    longest: usize,
) -> impl Strategy<Value = T> {
    prop::collection::vec(any::<u8>(), 0..longest).prop_map(|bytes| {
        T::arbitrary(&mut Unstructured::new(&bytes)).expect("bytes that run out read as zeros")
    })
}

/// Draws `cases` inputs; `rule` panics when it is broken.
pub(crate) fn check<S: Strategy>(name: &str, cases: u32, input: S, rule: impl Fn(S::Value)) {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let result = TestRunner::new(config).run(&input, |value| {
        rule(value);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{name}: {error}");
    }
}
