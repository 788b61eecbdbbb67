//! Plots as small, self-contained SVG: made in Rust, no script, no font, no request.
//!
//! ```
//! use skywave_lab::report::plot::{Axis, Plot, Scale, SeriesData};
//!
//! let plot = Plot {
//!     title: "Goodput against loss".into(),
//!     x: Axis::new("Loss rate", Scale::Log),
//!     y: Axis::new("Goodput (Mb/s)", Scale::Linear),
//!     series: vec![SeriesData::marked("reno", vec![
//!         (0.0, 1.95, None),
//!         (0.001, 1.61, Some(0.05)),
//!         (0.01, 0.62, Some(0.02)),
//!     ])],
//!     ..Plot::default()
//! };
//! assert!(plot.to_svg().starts_with("<svg"));
//! ```

mod axis;
mod heat;
mod layout;
mod legend;
mod map;
mod names;
mod print;
mod svg;
mod text;
mod theme;
mod thin;

pub use axis::Scale;
pub use heat::{Heat, HeatCell, shade, shades_css};
pub use map::{Map, Place};
#[cfg(feature = "pdf")]
pub(super) use print::POINTS_PER_PIXEL;
pub use print::Print;
pub use theme::style;
pub use thin::thin;

/// A plot of one or more series over common axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Title above the plot; may be empty.
    pub title: String,
    /// Horizontal axis of the plot.
    pub x: Axis,
    /// Vertical axis of the plot.
    pub y: Axis,
    /// Series that are drawn, in the order of the legend.
    pub series: Vec<SeriesData>,
    /// Width and height in CSS pixels; long names below the horizontal axis make the plot higher.
    pub size: (f64, f64),
}

impl Default for Plot {
    fn default() -> Self {
        Self {
            title: String::new(),
            x: Axis::default(),
            y: Axis::default(),
            series: Vec::new(),
            size: (720.0, 420.0),
        }
    }
}

/// An axis of a plot.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Axis {
    /// Label of the axis, with its unit in parentheses.
    pub label: String,
    /// Scale of the axis: how values become positions.
    pub scale: Scale,
    /// Lower and upper end of a linear axis, in the units of its values; `None` where the end follows from the data.
    /// Other scales ignore both.
    pub bounds: (Option<f64>, Option<f64>),
}

impl Axis {
    /// An axis whose ends follow from the data.
    pub fn new(label: impl Into<String>, scale: Scale) -> Self {
        Self {
            label: label.into(),
            scale,
            bounds: (None, None),
        }
    }

    /// Axis with its lower end fixed at `low`.
    #[must_use]
    pub fn from(mut self, low: f64) -> Self {
        self.bounds.0 = Some(low);
        self
    }

    /// Axis with its upper end fixed at `high`.
    #[must_use]
    pub fn to(mut self, high: f64) -> Self {
        self.bounds.1 = Some(high);
        self
    }
}

/// One series of a plot, and how it is drawn.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SeriesData {
    /// Name of the series in the legend.
    pub label: String,
    /// Points of the series: x, y and half the length of the error bar (`None` for no bar); points that are not finite
    /// are left out.
    pub points: Vec<(f64, f64, Option<f64>)>,
    /// Look of the series: markers, a line, bars, …
    pub look: Look,
    /// Names of the points, one for each; an empty list for no names. A name shows when its point is pointed at, and
    /// stands beside the point where there is space, unless the series has more than 20 names. Only for
    /// [`Look::Glyphs`] and lines; of a series with names, only points whose name is not empty have marks.
    pub names: Vec<String>,
}

/// Look of a series in a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Look {
    /// Points with markers and error bars, joined by a line.
    #[default]
    Marked,
    /// A thin line, for many values.
    Line,
    /// A thin line that keeps each value until the next, for quantities that are recorded when they change.
    Steps,
    /// Small marks that no line joins.
    Glyphs(Glyph),
    /// Bars of this height in pixels: every two points are the ends of one.
    Bars(u8),
    /// Boxes: every five points at one `x` are the least value, the first quartile, the median, the
    /// third quartile and the largest value.
    Boxes,
}

/// Shape of the small marks of a series whose points no line joins ([`Look::Glyphs`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    /// A filled square of few pixels.
    Dot,
    /// An open circle.
    Ring,
    /// A diagonal cross.
    Cross,
}

impl SeriesData {
    /// Series of points `(x, y, half)` drawn as markers joined by a line; `half` is half the length of the error bar,
    /// `None` for no bar.
    pub fn marked(label: impl Into<String>, points: Vec<(f64, f64, Option<f64>)>) -> Self {
        Self {
            label: label.into(),
            points,
            ..Self::default()
        }
    }

    /// Series of points `(x, y)` in this look, all of them and without error bars.
    pub fn of(
        label: impl Into<String>,
        look: Look,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        Self {
            label: label.into(),
            points: points.into_iter().map(|(x, y)| (x, y, None)).collect(),
            look,
            names: Vec::new(),
        }
    }

    /// Series drawn as a thin line through points `(x, y)`, which are thinned out to what the width of a plot can show.
    pub fn line(label: impl Into<String>, points: &[(f64, f64)]) -> Self {
        Self::of(label, Look::Line, thin(points, 250))
    }

    /// Series drawn as a thin line in steps, which keeps each value until the next; its points `(x, y)` are thinned out
    /// to what the width of a plot can show.
    pub fn steps(label: impl Into<String>, points: &[(f64, f64)]) -> Self {
        Self::of(label, Look::Steps, thin(points, 250))
    }
}

impl Plot {
    /// Plot as an SVG file of its own, with its style inside.
    pub fn to_svg(&self) -> String {
        svg::draw(self, theme::Target::File)
    }

    /// Plot as an SVG figure for print, without a title: a caption says what the figure shows.
    pub fn to_print_svg(&self, print: &Print) -> String {
        svg::draw(self, theme::Target::Print(print))
    }

    /// Plot as an SVG element for an HTML page, which must include the style sheet [`style`] once.
    pub fn to_inline_svg(&self) -> String {
        svg::draw(self, theme::Target::Page)
    }
}

/// Escapes text for HTML and SVG, contents and attributes alike; control characters that XML
/// forbids become U+FFFD.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(c),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
