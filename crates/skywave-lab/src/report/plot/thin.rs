//! Long series in few points.

/// Thins out points `(x, y)` to at most four for each of `buckets` equal stretches of x: the first point, those with
/// the smallest and largest y, and the last, in order. A line through them looks like the line through all. Points that
/// are not finite are dropped.
pub fn thin(points: &[(f64, f64)], buckets: usize) -> Vec<(f64, f64)> {
    let finite = |p: &&(f64, f64)| p.0.is_finite() && p.1.is_finite();
    let points: Vec<(f64, f64)> = points.iter().filter(finite).copied().collect();
    if points.len() <= 4 * buckets.max(1) {
        return points;
    }
    let (start, end) = (points[0].0, points[points.len() - 1].0);
    let width = (end - start) / buckets.max(1) as f64;
    if width.is_nan() || width <= 0.0 {
        return points[..1].to_vec();
    }
    let bucket = |x: f64| ((x - start) / width) as usize;
    let mut out = Vec::with_capacity(4 * buckets);
    for stretch in points.chunk_by(|a, b| bucket(a.0) == bucket(b.0)) {
        let by_value = |&i: &usize, &j: &usize| stretch[i].1.total_cmp(&stretch[j].1);
        let indices = 0..stretch.len();
        let mut keep = [
            0,
            indices.clone().min_by(by_value).unwrap_or(0),
            indices.clone().max_by(by_value).unwrap_or(0),
            stretch.len() - 1,
        ];
        keep.sort_unstable();
        for (n, &i) in keep.iter().enumerate() {
            if n == 0 || keep[n - 1] != i {
                out.push(stretch[i]);
            }
        }
    }
    out
}
