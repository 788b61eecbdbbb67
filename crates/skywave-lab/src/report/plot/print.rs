//! Figures for print: of a size on paper, in a font and a size of text that fit the page around them.

/// Pixels of the text in a plot, at which everything else in it is drawn.
const TEXT: f64 = 12.0;
/// Points of a CSS pixel.
pub(in crate::report) const POINTS_PER_PIXEL: f64 = 0.75;

/// Size and text of a figure on paper.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Print {
    /// Width in points (72 an inch); `None` for the width of the plot on an HTML page, scaled with the size of the
    /// text.
    pub width: Option<f64>,
    /// Height in points (72 an inch) of a plot; `None` for a height that follows from the width, or without a width for
    /// that of the plot on an HTML page. The height of a map always follows from its places.
    pub height: Option<f64>,
    /// Size of the text in points (72 an inch), `None` for 9. Lines and marks are scaled with it.
    pub font_size: Option<f64>,
    /// Name of the font; `None` for Liberation Sans, or Arial or Helvetica where it is missing.
    pub font: Option<String>,
    /// Whether the series are drawn in grey and told apart by their dashes instead of colours.
    pub grey: bool,
}

impl Print {
    /// Points for one pixel of the plot.
    pub(super) fn points_per_pixel(&self) -> f64 {
        self.font_size.map_or(POINTS_PER_PIXEL, |size| size / TEXT)
    }

    /// The width in pixels of the plot, which is `default` unless given.
    pub(super) fn width_or(&self, default: f64) -> f64 {
        self.width.map_or(default, |points| self.pixels(points))
    }

    /// Points in pixels of the plot.
    pub(super) fn pixels(&self, points: f64) -> f64 {
        points / self.points_per_pixel()
    }
}
