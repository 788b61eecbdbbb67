//! Names beside points, none over another.

use super::text::width_of;

/// Pixels between a point and its name.
const GAP: f64 = 6.0;
/// Two baselines that are nearer to each other than this touch.
const HEIGHT: f64 = 12.0;

/// Where a name stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    /// The end of the name that is at `x`.
    pub(super) anchor: &'static str,
    pub(super) x: f64,
    /// Vertical position of the name's baseline.
    pub(super) y: f64,
}

/// Places of a picture that names or marks of points have taken.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Left end, right end and baseline of each taken place.
    taken: Vec<(f64, f64, f64)>,
}

impl Names {
    /// Takes a free spot beside the point `at`: with its baseline at one of `offsets` from the point, rather
    /// to the right than to the left, and no further than from `left` to `right`.
    pub(super) fn take(
        &mut self,
        name: &str,
        at: (f64, f64),
        (left, right): (f64, f64),
        offsets: &[f64],
    ) -> Option<Spot> {
        let width = width_of(name);
        for offset in offsets {
            let y = at.1 + offset;
            let sides = [
                ("start", at.0 + GAP, at.0 + GAP + width),
                ("end", at.0 - GAP - width, at.0 - GAP),
            ];
            for (anchor, from, to) in sides {
                if from < left || to > right || !self.is_free(from, to, y) {
                    continue;
                }
                self.taken.push((from, to, y));
                let x = if anchor == "start" { from } else { to };
                return Some(Spot { anchor, x, y });
            }
        }
        None
    }

    /// Keeps names off the mark of a point.
    pub(super) fn mark(&mut self, at: (f64, f64)) {
        let half = GAP - 1.0;
        self.taken.push((at.0 - half, at.0 + half, at.1 + half));
    }

    fn is_free(&self, from: f64, to: f64, y: f64) -> bool {
        let touches =
            |&(f, t, other): &(f64, f64, f64)| from < t && f < to && (y - other).abs() < HEIGHT;
        !self.taken.iter().any(touches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_where_no_other_is() {
        let mut names = Names::default();
        let mut take = |x| {
            let spot = names.take("reno", (x, 50.0), (0.0, 200.0), &[-6.0, 16.0]);
            spot.map(|s| (s.anchor, s.x, s.y))
        };
        assert_eq!(take(100.0), Some(("start", 106.0, 44.0)));
        assert_eq!(take(101.0), Some(("end", 95.0, 44.0)), "to the left");
        assert_eq!(take(102.0), Some(("start", 108.0, 66.0)), "below");
        assert_eq!(take(103.0), Some(("end", 97.0, 66.0)));
        assert_eq!(take(104.0), None, "nothing is free");
        assert_eq!(take(190.0), Some(("end", 184.0, 44.0)), "at the edge");
        let mut names = Names::default();
        names.mark((115.0, 40.0));
        let spot = names.take("reno", (100.0, 50.0), (0.0, 200.0), &[-6.0]);
        assert_eq!(spot.map(|s| s.anchor), Some("end"), "off a mark");
    }
}
