//! Parameters of the controllers that move a drop probability (PIE, DualPI2).

use crate::parameter::{Field, Kind, Stored};
use crate::time::Duration;

/// Shortest time between two updates that a file may ask for: a probability need not be computed more often.
const SHORTEST_UPDATE: Duration = Duration::from_micros(100);

/// Place of a parameter in the configuration `C`.
type At<C> = fn(&mut C) -> &mut dyn Stored;

/// Time between two updates, and the weights of the distance from the target and of the trend.
pub(super) const fn fields<C>(update: At<C>, alpha: At<C>, beta: At<C>) -> [Field<C>; 3] {
    [
        Field::new(
            Kind::Time,
            "update",
            "Time between two updates of the probability",
            update,
        )
        .no_shorter_than(SHORTEST_UPDATE),
        Field::positive(
            "alpha",
            "Weight of the distance from the target: an update adds this for each second above it",
            alpha,
        ),
        Field::positive(
            "beta",
            "Weight of the trend: an update adds this for each second more than at the last update",
            beta,
        ),
    ]
}
