//! The spaces in `experiments/worst`.

use skywave_scenario::{CustomMembers, Scenario};
use skywave_search::evolution::{Plan, search};
use skywave_search::{Candidate, SPACE};

use crate::common::space;

const LOW_RATE: &str = include_str!("../../../../experiments/worst/low-rate.toml");

/// Share of candidates of a first generation that can be.
fn legal(text: &str) -> f64 {
    let space = space(text, &CustomMembers::default());
    let (mut all, mut legal) = (0_u32, 0_u32);
    let plan = Plan {
        keys: space.keys(),
        seed: 3,
        islands: &[0, 1, 2, 3],
        each: 150,
        go_on: &|| true,
    };
    let found = search(&plan, |candidates: &[Candidate]| {
        let values = candidates.iter().map(|candidate| {
            all += 1;
            let scenario = space.at(candidate).ok()?;
            let spec = scenario.points()[0].spec(1);
            let text = space.text(candidate, "worst", &[1], ("test", &[]));
            let read = Scenario::parse("worst", &text, &skywave_scenario::NoFiles);
            let read = read.unwrap_or_else(|error| panic!("{}", error.render(false)));
            assert_eq!(read.points()[0].spec(1), spec, "{text}");
            legal += 1;
            Some(f64::from(all))
        });
        Ok::<_, std::convert::Infallible>(values.collect())
    });
    assert!(found.is_ok());
    f64::from(legal) / f64::from(all)
}

#[test]
fn most_candidates_of_the_shipped_spaces_can_be() {
    assert!(legal(SPACE) > 0.7, "{}", legal(SPACE));
    assert!(legal(LOW_RATE) > 0.99);
}

/// The bursts of the low-rate attack are below a fifth of the link's rate at the worst corner of their ranges.
#[test]
fn bursts_stay_below_a_fifth_of_the_rate() {
    let space = space(LOW_RATE, &CustomMembers::default());
    let most = |index: usize, at: f64| space.keys()[index].setting(&[0.0, at]).numbers()[0].value();
    let (rate, on, off) = (most(0, 1.0), most(1, 1.0), most(2, 0.0));
    // Payload of 1000 bytes travels with 28 of headers.
    let mean = rate * 1.028 * on / (on + off);
    assert!(mean < 20e6 / 5.0, "{mean}");
}
