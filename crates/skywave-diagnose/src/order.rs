//! Order statistics.

/// The lower middle value, of values in any order, which it sorts; `None` of none.
pub(crate) fn middle(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    quantile(values, 0.5)
}

/// The value that a share of sorted values does not exceed: one of them, the lower of two neighbours; `None` of none.
pub(crate) fn quantile<T: Copy>(sorted: &[T], share: f64) -> Option<T> {
    let last = sorted.len().checked_sub(1)?;
    let at = (share * last as f64) as usize;
    sorted.get(at.min(last)).copied()
}
