//! Places at which the mean of a series changes.

/// Indices at which the mean of the series changes (of the first value with the new mean), by PELT (Killick, Fearnhead
/// and Eckley 2012): for normal noise of the standard deviation `noise`, with a penalty of 3 log n for each change, and
/// at least `shortest` values with each mean. Empty if the series is too short for a change, or `noise` is not above 0.
pub fn changes(values: &[f64], noise: f64, shortest: usize) -> Vec<usize> {
    let (n, shortest) = (values.len(), shortest.max(1));
    if n < 2 * shortest || noise <= 0.0 {
        return Vec::new();
    }
    // Sums of deviations from the first value, so that little is lost to rounding.
    let mut sums = vec![(0.0, 0.0)];
    for value in values {
        let (sum, squares) = sums[sums.len() - 1];
        let x = (value - values[0]) / noise;
        sums.push((sum + x, squares + x * x));
    }
    let cost = |from: usize, to: usize| {
        let (sum, squares) = (sums[to].0 - sums[from].0, sums[to].1 - sums[from].1);
        squares - sum * sum / (to - from) as f64
    };
    let penalty = 3.0 * libm::log(n as f64);

    let mut least = vec![f64::INFINITY; n + 1];
    let mut last = vec![0; n + 1];
    least[0] = -penalty;
    // Beginnings of the last segment that may still be the best, and from where on they no longer are.
    let mut beginnings: Vec<(usize, usize)> = Vec::new();
    for to in shortest..=n {
        if least[to - shortest].is_finite() {
            beginnings.push((to - shortest, usize::MAX));
        }
        for &(from, _) in &beginnings {
            let total = least[from] + cost(from, to) + penalty;
            if total < least[to] {
                (least[to], last[to]) = (total, from);
            }
        }
        // A beginning whose cost is already higher than the least, without a further change, stays so once a
        // shortest segment fits in behind it: it is dropped from then on.
        for (from, until) in &mut beginnings {
            if least[*from] + cost(*from, to) > least[to] {
                *until = (*until).min(to + shortest);
            }
        }
        beginnings.retain(|&(_, until)| until > to);
    }
    let mut places = Vec::new();
    let mut at = last[n];
    while at > 0 {
        places.push(at);
        at = last[at];
    }
    places.reverse();
    places
}

#[cfg(test)]
mod tests;
