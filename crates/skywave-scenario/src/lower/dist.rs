//! Lowering of distributions: their checks, and the times that are drawn before a run.

use skywave_core::rng::Stream;
use skywave_core::{Duration, Time};
use skywave_sim::spec;

use crate::lower::wrong_order;
use crate::model::Dist;
use crate::model::number::Probability;
use crate::model::units;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;

/// Checks a distribution; `number` makes its parameters comparable.
pub(crate) fn check_dist<Q: Copy>(
    dist: &Spanned<Dist<Q>>,
    number: impl Fn(Q) -> f64,
) -> Result<(), Fault> {
    let fault = |message: &str, label: &str| Err(dist.fault(message).label(label));
    match dist.value {
        Dist::Empirical(ref points) => check_points(dist, points, number),
        Dist::Uniform(low, high) if number(low) > number(high) => Err(wrong_order(dist)),
        Dist::Pareto(p) if !(p.shape > 1.0 && p.shape.is_finite()) => fault(
            "the shape of a Pareto distribution must be above 1",
            "it has no mean otherwise",
        ),
        Dist::Lognormal(p) if !(0.0..=10.0).contains(&p.sigma) => fault(
            "`sigma` of a lognormal distribution must be from 0 to 10",
            "the standard deviation of the logarithm",
        ),
        _ => Ok(()),
    }
}

/// Checks the points of a measured distribution.
fn check_points<Q: Copy>(
    dist: &Spanned<Dist<Q>>,
    points: &[Spanned<(Q, Probability)>],
    number: impl Fn(Q) -> f64,
) -> Result<(), Fault> {
    let Some(last) = points.last() else {
        return Err(dist
            .fault("this distribution has no value")
            .label("at least one pair of a value and a share is needed"));
    };
    for pair in points.windows(2) {
        let ((low, below), (high, share)) = (pair[0].value, pair[1].value);
        if number(high) < number(low) {
            return Err(pair[1]
                .fault("the values of a distribution cannot fall")
                .label("smaller than the value before"));
        }
        if share.0 < below.0 {
            return Err(pair[1]
                .fault("the shares of a distribution cannot fall")
                .label("each is the share of all that are at most so large: not smaller than the one before"));
        }
    }
    if last.value.1.0 < 1.0 {
        return Err(last
            .fault("the last share of a distribution must be 1")
            .label("no value is larger than the last one"));
    }
    Ok(())
}

/// A distribution that the simulation draws from.
pub(crate) fn dist<Q: Copy>(
    model: &Spanned<Dist<Q>>,
    number: impl Fn(Q) -> f64,
) -> Result<spec::Dist, Fault> {
    check_dist(model, &number)?;
    Ok(match model.value {
        Dist::Empirical(ref points) => {
            let point =
                |Spanned { value, .. }: &Spanned<(Q, Probability)>| (number(value.0), value.1.0);
            spec::Dist::Empirical(points.iter().map(point).collect())
        }
        Dist::Constant(x) => spec::Dist::Constant(number(x)),
        Dist::Uniform(low, high) => spec::Dist::Uniform(number(low), number(high)),
        Dist::Exponential(mean) => spec::Dist::Exponential(number(mean)),
        Dist::Pareto(p) => spec::Dist::Pareto {
            mean: number(p.mean),
            shape: p.shape,
        },
        Dist::Lognormal(p) => spec::Dist::Lognormal {
            mean: number(p.mean),
            sigma: p.sigma,
        },
    })
}

/// The earliest time that can be drawn.
pub(crate) fn earliest(dist: &Dist<units::Duration>) -> Time {
    match dist {
        Dist::Constant(d) | Dist::Uniform(d, _) => Time::ZERO + d.0,
        Dist::Exponential(_) | Dist::Pareto(_) | Dist::Lognormal(_) => Time::ZERO,
        Dist::Empirical(points) => {
            (points.first()).map_or(Time::ZERO, |point| Time::ZERO + point.value.0.0)
        }
    }
}

/// The latest time that can be drawn.
pub(crate) fn latest(dist: &Dist<units::Duration>) -> Time {
    match dist {
        Dist::Constant(d) | Dist::Uniform(_, d) => Time::ZERO + d.0,
        Dist::Exponential(_) | Dist::Pareto(_) | Dist::Lognormal(_) => Time::MAX,
        Dist::Empirical(points) => {
            (points.last()).map_or(Time::MAX, |point| Time::ZERO + point.value.0.0)
        }
    }
}

/// A time drawn once a seed.
pub(crate) fn draw_time(dist: &Dist<units::Duration>, stream: &mut Stream) -> Duration {
    let seconds = |d: units::Duration| d.0.as_secs_f64();
    match *dist {
        Dist::Empirical(ref points) => {
            let points = points.iter().map(|point| point.value);
            let points: Vec<_> = points.map(|(d, share)| (seconds(d), share.0)).collect();
            Duration::from_secs_f64(stream.empirical(&points))
        }
        Dist::Constant(d) => d.0,
        Dist::Uniform(low, high) => stream.uniform_duration(low.0, high.0),
        Dist::Exponential(mean) => Duration::from_secs_f64(stream.exponential(seconds(mean))),
        Dist::Pareto(p) => Duration::from_secs_f64(stream.pareto(seconds(p.mean), p.shape)),
        Dist::Lognormal(p) => Duration::from_secs_f64(stream.lognormal(seconds(p.mean), p.sigma)),
    }
}
