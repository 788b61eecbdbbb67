//! Maps: places on the plane with their names, what joins them, and circles around them.

use std::fmt::Write;

use super::escape;
use super::names::{Names, Spot};
use super::print::Print;
use super::text::{LINE, Title, put, px};
use super::theme::{self, Target};

/// Map of places on a plane, to the same scale in both directions.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Map {
    /// Title above the map; may be empty.
    pub title: String,
    /// Places on the map.
    pub places: Vec<Place>,
    /// Pairs of places that are joined by a line, as indices into `places`.
    pub pairs: Vec<(usize, usize)>,
    /// Meaning of the joining lines, for the legend.
    pub pairs_label: String,
    /// Circles around every place (of more than 12, the first alone), as pairs of a radius in metres and its meaning
    /// for the legend. Only the first two are drawn.
    pub circles: Vec<(f64, String)>,
}

/// A place of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Name of the place.
    pub name: String,
    /// Position to the east, metres.
    pub x: f64,
    /// Position to the north, metres.
    pub y: f64,
    /// Whether the place moves, as a mobile radio station does.
    pub moves: bool,
}

const WIDTH: f64 = 720.0;
/// Most height of what is mapped; wider networks are lower.
const HEIGHT: f64 = 460.0;
const MARGIN: f64 = 28.0;
/// Places that each have their circles, and names; of more, only the first one has circles.
const MAX_CIRCLES: usize = 12;
const MAX_NAMES: usize = 120;
/// Distances from a place down to the baseline of its name, in the order in which a free one is looked for.
const OFFSETS: [f64; 3] = [-6.0, 16.0, 30.0];
/// Classes and dashes of the circles.
const CIRCLES: [(&str, &str); 2] = [("c0", ""), ("c1", r#" stroke-dasharray="5 4""#)];

/// Projection from metres to pixels.
struct View {
    left: f64,
    top: f64,
    west: f64,
    north: f64,
    /// Pixels a metre.
    scale: f64,
    /// Width of the picture.
    width: f64,
}

impl View {
    fn at(&self, place: &Place) -> (f64, f64) {
        let x = self.left + (place.x - self.west) * self.scale;
        let y = self.top + (self.north - place.y) * self.scale;
        (x, y)
    }
}

impl Map {
    /// Map as an SVG file of its own, with its style inside.
    pub fn to_svg(&self) -> String {
        self.draw(Target::File)
    }

    /// Map as an SVG figure for print, without a title, in the width and font that `print` asks for.
    pub fn to_print_svg(&self, print: &Print) -> String {
        self.draw(Target::Print(print))
    }

    /// Map as an SVG element for an HTML page, which must include the style sheet [`style`](super::style) once.
    pub fn to_inline_svg(&self) -> String {
        self.draw(Target::Page)
    }

    /// The circles to draw: those with a radius, as many as there are looks for.
    fn circles(&self) -> impl Iterator<Item = (f64, &str, (&str, &str))> {
        let real = self.circles.iter().zip(CIRCLES);
        real.filter(|((radius, _), _)| radius.is_finite() && *radius > 0.0)
            .map(|((radius, label), look)| (*radius, label.as_str(), look))
    }

    /// Places that have circles.
    fn circled(&self) -> &[Place] {
        match self.places.len() {
            n if n > MAX_CIRCLES => &self.places[..1],
            _ => &self.places,
        }
    }

    fn draw(&self, target: Target<'_>) -> String {
        let (width, title) = match target {
            Target::Page | Target::File => (WIDTH, self.title.as_str()),
            Target::Print(print) => (print.width_or(WIDTH), ""),
        };
        let title = Title::new(title, width);
        let legend = self.legend();
        let top = 8.0 + title.height();
        let (view, bottom) = self.view(top + (LINE + 2.0) * legend.len() as f64 + 6.0, width);
        let height = px(bottom + LINE + 12.0);
        let label = match self.title.as_str() {
            "" => "Map of stations",
            title => title,
        };
        let mut out = theme::open(label, (width, height), target);
        title.draw(&mut out);
        for (row, entry) in legend.iter().enumerate() {
            // Writing to a string cannot fail, here and below.
            let y = top + (LINE + 2.0) * row as f64 + 8.0;
            let _ = write!(out, r#"<g transform="translate(8 {})">{entry}</g>"#, px(y));
        }
        self.draw_network(&mut out, &view);
        draw_ruler(&mut out, &view, bottom);
        out.push_str("</svg>");
        out
    }

    /// One line an entry: a piece of what is drawn, and what it means.
    fn legend(&self) -> Vec<String> {
        let mut legend = Vec::new();
        let of = match self.circled() {
            [only] if self.places.len() > 1 => format!(", around {}", only.name),
            _ => String::new(),
        };
        for (radius, label, (class, dash)) in self.circles() {
            legend.push(format!(
                r#"<g class="{class}"><path class="e"{dash} d="M0 0h26"/></g><text x="32" y="4">{}</text>"#,
                escape(&format!("{label}: {}{of}", metres(radius)))
            ));
        }
        if !self.pairs.is_empty() {
            legend.push(format!(
                r#"<path class="a" d="M0 0h26"/><text x="32" y="4">{}</text>"#,
                escape(&self.pairs_label)
            ));
        }
        if self.places.iter().any(|place| place.moves) {
            legend.push(
                r#"<g class="c5"><circle class="x" cx="13" cy="0" r="4"/></g><text x="32" y="4">moves; where it is at the start</text>"#
                    .to_owned(),
            );
        }
        legend
    }

    /// The part of the plane that is shown, and where it ends.
    fn view(&self, top: f64, picture: f64) -> (View, f64) {
        let widest = self
            .circles()
            .map(|(radius, ..)| radius)
            .fold(0.0, f64::max);
        let mut low = (f64::INFINITY, f64::INFINITY);
        let mut high = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        let circled = self.circled().len();
        for (index, place) in self.places.iter().enumerate() {
            let around = if index < circled { widest } else { 0.0 };
            low = (low.0.min(place.x - around), low.1.min(place.y - around));
            high = (high.0.max(place.x + around), high.1.max(place.y + around));
        }
        if low.0 > high.0 {
            (low, high) = ((0.0, 0.0), (1.0, 1.0));
        }
        let (width, height) = ((high.0 - low.0).max(1.0), (high.1 - low.1).max(1.0));
        let inner = picture - 2.0 * MARGIN;
        let scale = (inner / width).min((HEIGHT - 2.0 * MARGIN) / height);
        let view = View {
            left: MARGIN + (inner - (high.0 - low.0) * scale) / 2.0,
            top: top + MARGIN,
            west: low.0,
            north: high.1,
            scale,
            width: picture,
        };
        let bottom = view.top + (high.1 - low.1) * scale + MARGIN;
        (view, bottom)
    }

    fn draw_network(&self, out: &mut String, view: &View) {
        for (radius, _, (class, dash)) in self.circles() {
            let _ = write!(out, r#"<g class="{class}">"#);
            for place in self.circled() {
                let (x, y) = view.at(place);
                let _ = write!(
                    out,
                    r#"<circle class="e" opacity=".55"{dash} cx="{}" cy="{}" r="{}"/>"#,
                    px(x),
                    px(y),
                    px(radius * view.scale)
                );
            }
            out.push_str("</g>");
        }
        let mut joined = String::new();
        for &(a, b) in &self.pairs {
            if let (Some(a), Some(b)) = (self.places.get(a), self.places.get(b)) {
                let ((ax, ay), (bx, by)) = (view.at(a), view.at(b));
                let _ = write!(joined, "M{} {}L{} {}", px(ax), px(ay), px(bx), px(by));
            }
        }
        let _ = write!(out, r#"<path class="a" d="{joined}"/><g class="c5">"#);
        for place in &self.places {
            let (x, y) = view.at(place);
            let (class, radius) = if place.moves { ("x", 4.0) } else { ("d", 3.5) };
            let _ = write!(
                out,
                r#"<circle class="{class}" cx="{}" cy="{}" r="{radius}"><title>{}</title></circle>"#,
                px(x),
                px(y),
                escape(&format!(
                    "{} at {}, {}",
                    place.name,
                    metres(place.x),
                    metres(place.y)
                ))
            );
        }
        out.push_str("</g>");
        let mut names = Names::default();
        for place in self.places.iter().take(MAX_NAMES) {
            let (x, y) = view.at(place);
            let spot = names.take(&place.name, (x, y), (0.0, view.width), &OFFSETS);
            // Among too many, one over another is better than a place without a name.
            let Spot { anchor, x, y } = spot.unwrap_or(Spot {
                anchor: "start",
                x: x + 6.0,
                y: y + OFFSETS[0],
            });
            let how = format!(r#"text-anchor="{anchor}""#);
            put(out, &how, (x, y), &place.name);
        }
    }
}

/// A stretch of round length, about a fifth of the width.
fn draw_ruler(out: &mut String, view: &View, bottom: f64) {
    let wanted = view.width / 5.0 / view.scale;
    let decade = libm::pow(10.0, libm::floor(libm::log10(wanted)));
    let steps = [5.0, 2.0, 1.0].map(|step| step * decade);
    let length = steps.into_iter().find(|step| *step <= wanted);
    let length = length.unwrap_or(decade);
    let _ = write!(
        out,
        r#"<path class="a" d="M8 {y}v4h{}v-4"/><text class="t" x="{}" y="{}">{}</text>"#,
        px(length * view.scale),
        px(14.0 + length * view.scale),
        px(bottom + 6.0),
        metres(length),
        y = px(bottom),
    );
}

/// A length, to the tenth of a metre.
fn metres(length: f64) -> String {
    format!("{} m", crate::report::number::plain(px(length)))
}

#[cfg(test)]
mod tests;
