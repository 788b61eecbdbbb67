//! Where the parts of a plot stand: the axes fitted to the data, and the margins around them.

use super::axis::Fitted;
use super::text::{LETTER, LINE, lines, width_of};
use super::{Plot, Scale};

/// Share of the width that the data is high where the height is free.
const ASPECT: f64 = 0.62;
/// Tilt of names that do not fit beside each other, in degrees.
pub(super) const TILT: f64 = 40.0;

/// The size of a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) width: f64,
    /// Height of the whole picture.
    pub(super) height: Height,
}

/// How high a picture is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Height {
    /// Exactly the given height.
    Exact(f64),
    /// At least the given height, and more where tilted names need it.
    AtLeast(f64),
    /// The height that the data needs to look well.
    Free,
}

/// The place of the data within the picture.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) x: Fitted,
    pub(super) y: Fitted,
    /// Names on the horizontal axis stand askew.
    pub(super) tilted: bool,
    /// Labels of the axes in lines.
    pub(super) x_label: Vec<String>,
    pub(super) y_label: Vec<String>,
    /// Height below the horizontal axis of the names or numbers on it.
    pub(super) ticks_height: f64,
    /// Height of the whole picture.
    pub(super) total: f64,
}

impl Frame {
    /// Fits both axes into a picture whose first `top` pixels are taken: labels of the vertical axis
    /// decide the left margin.
    pub(super) fn new(plot: &Plot, size: Size, top: f64) -> Self {
        let x_label = lines(&plot.x.label, size.width - 16.0, LETTER);
        let names = names(plot);
        let longest = names.iter().map(|name| width_of(name)).fold(0.0, f64::max);
        // The left margin is a guess until the vertical axis is fitted; names fit or do not by far.
        let slot = (size.width - 76.0) / names.len().max(1) as f64;
        let tilted = longest > slot - 6.0;
        let (sine, cosine) = (TILT.to_radians().sin(), TILT.to_radians().cos());
        let ticks_height = if tilted {
            14.0 + longest * sine + LINE * cosine * 0.5
        } else {
            23.0
        };
        let labels_height = LINE * x_label.len() as f64 + 7.0;
        let below = ticks_height + labels_height;
        let free = (size.width - 76.0) * ASPECT;
        let height = match size.height {
            Height::Exact(height) => height - top - below,
            Height::AtLeast(height) => height - top - 23.0 - labels_height,
            Height::Free => free,
        };
        let height = height.max(40.0);
        let total = match size.height {
            Height::Exact(height) => height,
            Height::AtLeast(_) | Height::Free => top + height + below,
        };
        let y = Fitted::new(
            &plot.y,
            ends(plot),
            height,
            40.0_f64.max(height / 6.0),
            true,
        );
        let y_label = lines(&plot.y.label, total - 8.0, LETTER);
        let ticks = y.ticks.iter().filter_map(|t| t.label.as_ref());
        let widest = ticks.map(|l| l.chars().count()).max();
        let mut left =
            14.0 + LINE * y_label.len() as f64 + 2.0 + LETTER * widest.unwrap_or(1) as f64;
        if tilted {
            // The first names reach to the left.
            let reach = names
                .iter()
                .enumerate()
                .map(|(i, name)| width_of(name) * cosine + 8.0 - (i as f64 + 0.5) * slot);
            left = left.max(reach.fold(0.0, f64::max));
        }
        let width = (size.width - left - 12.0).max(40.0);
        let xs = plot.series.iter().flat_map(|s| &s.points).map(|p| p.0);
        // In a narrow figure as many numbers as fit.
        let x = Fitted::new(
            &plot.x,
            xs,
            width,
            if width < 420.0 { 60.0 } else { 84.0 },
            false,
        );
        Self {
            left,
            top,
            width,
            height,
            x,
            y,
            tilted,
            x_label,
            y_label,
            ticks_height,
            total,
        }
    }

    pub(super) fn px(&self, x: f64) -> Option<f64> {
        self.x.at(x).map(|at| self.left + at)
    }

    pub(super) fn py(&self, y: f64) -> Option<f64> {
        self.y.at(y).map(|at| self.top + self.height - at)
    }

    /// Position on the vertical axis as by `py`, for the end of an error bar that leaves the axis.
    pub(super) fn py_clamped(&self, y: f64) -> f64 {
        self.top + self.height - self.y.clamped(y)
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// The room that each of `series` has in one category, at most `most`.
    pub(super) fn room(&self, plot: &Plot, most: f64) -> f64 {
        let slot = self.width / names(plot).len().max(1) as f64;
        (0.8 * slot / plot.series.len().max(1) as f64).min(most)
    }
}

/// The names on the horizontal axis; none where it has numbers.
fn names(plot: &Plot) -> &[String] {
    match &plot.x.scale {
        Scale::Categories(names) => names,
        Scale::Linear | Scale::Log => &[],
    }
}

/// The values that the vertical axis must reach.
fn ends(plot: &Plot) -> impl Iterator<Item = f64> {
    let points = plot.series.iter().flat_map(|s| &s.points);
    points.flat_map(|&(_, y, err)| {
        let err = err.filter(|e| e.is_finite()).unwrap_or(0.0);
        // On a logarithmic axis, an error bar down to zero must not make room for zero.
        let low = if y - err > 0.0 || y < 0.0 { y - err } else { y };
        [y, y + err, low]
    })
}
