//! The lower triangular factor of a positive definite matrix.

/// A matrix as the product of a lower triangular one and its transpose.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    /// Rows of the lower triangle, one after the other.
    rows: Vec<Vec<f64>>,
}

/// Least pivot: two points at one place, with no noise, would have none.
const LEAST: f64 = 1e-12;

impl Factor {
    /// The factor of the matrix with these entries, of which the lower triangle is asked.
    pub(super) fn of(size: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(size);
        for row in 0..size {
            let mut own = Vec::with_capacity(row + 1);
            for column in 0..=row {
                let other: &[f64] = rows.get(column).map_or(&own, Vec::as_slice);
                let product: f64 = own.iter().zip(other).map(|(a, b)| a * b).sum();
                let left = entry(row, column) - product;
                own.push(if column == row {
                    libm::sqrt(left.max(LEAST))
                } else {
                    left / other[column]
                });
            }
            rows.push(own);
        }
        Self { rows }
    }

    /// The solution of the lower triangular system.
    pub(super) fn forward(&self, right: &[f64]) -> Vec<f64> {
        let mut solved: Vec<f64> = Vec::with_capacity(right.len());
        for (row, value) in self.rows.iter().zip(right) {
            let known: f64 = row.iter().zip(&solved).map(|(a, b)| a * b).sum();
            solved.push((value - known) / row[solved.len()]);
        }
        solved
    }

    /// The solution of the system with the whole matrix.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solved = self.forward(right);
        for place in (0..solved.len()).rev() {
            solved[place] /= self.rows[place][place];
            let value = solved[place];
            for (before, entry) in solved[..place].iter_mut().zip(&self.rows[place]) {
                *before -= entry * value;
            }
        }
        solved
    }

    /// The logarithm of the whole matrix' determinant.
    pub(super) fn log_determinant(&self) -> f64 {
        let diagonal = self.rows.iter().filter_map(|row| row.last());
        2.0 * diagonal.map(|entry| libm::log(*entry)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_of_two_is_solved() {
        let matrix = [[4.0, 2.0], [2.0, 3.0]];
        let factor = Factor::of(2, |row, column| matrix[row][column]);
        let solved = factor.solve(&[10.0, 9.0]);
        assert!((solved[0] - 1.5).abs() < 1e-12 && (solved[1] - 2.0).abs() < 1e-12);
        assert!((factor.log_determinant() - libm::log(8.0)).abs() < 1e-12);
    }
}
