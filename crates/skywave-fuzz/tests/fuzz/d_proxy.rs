//! The agents of D-Proxy keep their limits and come to rest, whatever comes to them.

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn whatever_comes_the_agents_keep_their_limits_and_come_to_rest(
        data in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        skywave_fuzz::d_proxy::run(&data);
    }
}
