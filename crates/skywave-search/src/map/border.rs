//! The lines along which a quantity over a rectangle is 0.

/// A place in the unit square.
type Point = (f64, f64);

/// The lines between places where `value` is positive and where it is not, looked at on a grid of this many cells
/// each way: marching squares, with the quantity taken for linear along the sides of a cell.
pub(super) fn border(cells: usize, value: impl Fn(f64, f64) -> f64) -> Vec<Vec<Point>> {
    let step = 1.0 / cells as f64;
    let place = |n: usize| n as f64 * step;
    let grid: Vec<Vec<f64>> = (0..=cells)
        .map(|i| (0..=cells).map(|j| value(place(i), place(j))).collect())
        .collect();
    let mut pieces = Vec::new();
    for i in 0..cells {
        for j in 0..cells {
            // Around the cell, so that each side leads from one corner to the next.
            let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
            let mut crossed = Vec::with_capacity(4);
            for side in 0..4 {
                let (from, to) = (corners[side], corners[(side + 1) % 4]);
                let (a, b) = (grid[from.0][from.1], grid[to.0][to.1]);
                if (a > 0.0) != (b > 0.0) {
                    // Neighbours share sides: from the smaller corner, both find the same place.
                    let ((from, a), (to, b)) = if from < to {
                        ((from, a), (to, b))
                    } else {
                        ((to, b), (from, a))
                    };
                    let part = a / (a - b);
                    let along = |x: usize, y: usize| place(x) + (place(y) - place(x)) * part;
                    crossed.push((along(from.0, to.0), along(from.1, to.1)));
                }
            }
            // Four crossings are a saddle: which two belong together cannot be told.
            pieces.extend(crossed.chunks_exact(2).map(|pair| (pair[0], pair[1])));
        }
    }
    joined(pieces)
}

/// Pieces with common ends as lines.
fn joined(mut pieces: Vec<(Point, Point)>) -> Vec<Vec<Point>> {
    let mut lines = Vec::new();
    while let Some((start, end)) = pieces.pop() {
        let mut line = vec![start, end];
        for _ in 0..2 {
            while let Some(last) = line.last().copied()
                && let Some(at) = pieces.iter().position(|(a, b)| *a == last || *b == last)
            {
                let (a, b) = pieces.swap_remove(at);
                line.push(if a == last { b } else { a });
            }
            line.reverse();
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_one_closed_line() {
        let lines = border(40, |x, y| 0.3 - libm::hypot(x - 0.5, y - 0.5));
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        for (x, y) in &lines[0] {
            assert!((libm::hypot(x - 0.5, y - 0.5) - 0.3).abs() < 1e-3);
        }
    }

    #[test]
    fn a_line_across_has_two_ends() {
        let lines = border(10, |x, _| x - 0.55);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].len(), 11);
        assert!(border(10, |_, _| 1.0).is_empty());
    }
}
