//! Distribution functions behind likelihoods and intervals: the incomplete gamma and beta functions and what follows
//! from them.

use super::Estimate;

/// Relative precision of series and continued fractions.
const PRECISE: f64 = 1e-13;
/// A stand-in for zero in continued fractions.
const TINY: f64 = 1e-300;

/// The probability that a gamma variable of this shape and scale 1 is at most `x`. Shapes are positive.
pub fn gamma_cdf(shape: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let front = libm::exp(shape * libm::log(x) - x - libm::lgamma(shape));
    if x < shape + 1.0 {
        // Powers of x over (shape)(shape + 1)…, which fall quickly below the mean.
        let mut term = 1.0 / shape;
        let mut sum = term;
        let mut next = shape;
        while term > sum * PRECISE {
            next += 1.0;
            term *= x / next;
            sum += term;
        }
        (front * sum).min(1.0)
    } else {
        let fraction = fraction(x + 1.0 - shape, |n| {
            (n * (shape - n), x + 2.0 * n + 1.0 - shape)
        });
        1.0 - front / fraction
    }
}

/// The probability that a beta variable with the shapes `a` and `b` (positive) is at most `x`.
pub fn beta_cdf(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges quickly below the mean; above it the other tail is taken.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_cdf(b, a, 1.0 - x);
    }
    let log_front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)
        + a * libm::log(x)
        + b * libm::log1p(-x);
    let fraction = fraction(1.0, |n| {
        let m = libm::floor(n / 2.0);
        let numerator = if n > 2.0 * m {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        } else {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        };
        (numerator, 1.0)
    });
    libm::exp(log_front) / (a * fraction)
}

/// A continued fraction by Lentz's method: `first` + n1/(d1 + n2/(d2 + …)) with the pairs (numerator, denominator) of
/// `term`, counted from 1.
fn fraction(first: f64, term: impl Fn(f64) -> (f64, f64)) -> f64 {
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut value = away_from_zero(first);
    let (mut up, mut down) = (value, 0.0);
    for n in 1..20_000 {
        let (numerator, denominator) = term(f64::from(n));
        down = 1.0 / away_from_zero(denominator + numerator * down);
        up = away_from_zero(denominator + numerator / up);
        value *= up * down;
        if (up * down - 1.0).abs() < PRECISE {
            break;
        }
    }
    value
}

/// The value below which a beta variable with the shapes `a` and `b` (positive) lies with probability `share`.
pub fn beta_quantile(a: f64, b: f64, share: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if beta_cdf(a, b, middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Estimated probability `hits / trials` of a hit, with the exact 95 % interval of Clopper and Pearson (1934). Without
/// trials it is 0, with an interval from 0 to 1.
pub fn proportion(hits: u64, trials: u64) -> Estimate {
    let (k, n) = (hits as f64, trials as f64);
    if trials == 0 {
        return Estimate::new(0.0, 0.0, 1.0);
    }
    let low = if hits == 0 {
        0.0
    } else {
        beta_quantile(k, n - k + 1.0, 0.025)
    };
    let high = if hits >= trials {
        1.0
    } else {
        beta_quantile(k + 1.0, n - k, 0.975)
    };
    Estimate::new(k / n, low, high)
}

/// Natural logarithm of the likelihood of a sequence with `lost` losses and `survived` survivors, independent of each
/// other, at the likeliest probability of a loss.
pub fn binomial(lost: f64, survived: f64) -> f64 {
    let term = |count: f64| {
        if count > 0.0 {
            count * libm::log(count / (lost + survived))
        } else {
            0.0
        }
    };
    term(lost) + term(survived)
}

#[cfg(test)]
mod tests;
