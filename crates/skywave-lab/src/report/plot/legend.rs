//! Means to tell series apart: colours, dashes, markers, and the legend that explains them.

use std::fmt::Write;

use super::text::{LINE, px, width_of};
use super::theme::COLOURS;
use super::{Glyph, Look, Plot, escape};

/// Outlines around the origin, about eight pixels wide, and whether they are filled.
const SHAPES: [(&str, bool); 8] = [
    ("M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", true),
    ("M-3.5-3.5h7v7h-7z", true),
    ("M0-4.6L4.4 3.4H-4.4z", true),
    ("M0-5L5 0L0 5L-5 0z", true),
    ("M0 4.6L4.4-3.4H-4.4z", true),
    ("M-3.8-3.8L3.8 3.8M-3.8 3.8L3.8-3.8", false),
    ("M-2.2-4.2h4.4l3 4.2l-3 4.2h-4.4l-3-4.2z", true),
    ("M-4.6 0H4.6M0-4.6V4.6", false),
];

/// The path of the marker of series `index`, and whether it is filled.
fn marker(index: usize) -> (&'static str, bool) {
    SHAPES[index % SHAPES.len()]
}

/// Legend entries in rows from the left; nothing for a single series without a name.
pub(super) fn legend(plot: &Plot, left: f64, width: f64) -> (String, f64) {
    let mut out = String::new();
    if plot.series.iter().all(|s| s.label.is_empty()) {
        return (out, 0.0);
    }
    let (mut x, mut y) = (left, 0.0);
    for (index, series) in plot.series.iter().enumerate() {
        let entry = 32.0 + width_of(&series.label) + 12.0;
        if x > left && x + entry > width {
            (x, y) = (left, y + LINE + 2.0);
        }
        let (colour, dash) = colour(index);
        let middle = y + 8.0;
        let thin = thin(series.look);
        let _ = write!(out, r#"<g class="{colour}">"#);
        if let Look::Glyphs(glyph) = series.look {
            draw_glyphs(&mut out, glyph, &[(x + 13.0, middle)]);
        } else if let Look::Bars(height) = series.look {
            draw_bars(&mut out, height, &[(x, middle), (x + 26.0, middle)]);
        } else if series.look == Look::Boxes {
            let _ = write!(
                out,
                r#"<path class="b" d="M{} {}h18v10h-18zm9 0v10"/>"#,
                px(x + 4.0),
                middle - 5.0
            );
        } else {
            let _ = write!(
                out,
                r#"<path class="l{thin}"{dash} d="M{} {middle}h26"/>"#,
                px(x)
            );
        }
        if series.look == Look::Marked {
            draw_marker(&mut out, index, x + 13.0, middle, None);
        }
        let _ = write!(
            out,
            r#"</g><text x="{}" y="{}">{}</text>"#,
            px(x + 32.0),
            px(middle + 4.0),
            escape(&series.label)
        );
        x += entry;
    }
    (out, y + LINE + 2.0)
}

/// Class of the colour and attribute of the dash of a series.
pub(super) fn colour(index: usize) -> (String, &'static str) {
    let dash = match index / COLOURS {
        0 => "",
        1 => r#" stroke-dasharray="6 3""#,
        _ => r#" stroke-dasharray="2 3""#,
    };
    (format!("c{}", index % COLOURS), dash)
}

/// Second class of a series' line: markers are on a thicker one.
pub(super) fn thin(look: Look) -> &'static str {
    if look == Look::Marked { "" } else { " n" }
}

pub(super) fn draw_marker(out: &mut String, index: usize, x: f64, y: f64, title: Option<&str>) {
    let (path, filled) = marker(index);
    let class = if filled { "m" } else { "x" };
    let _ = write!(
        out,
        r#"<path class="{class}" transform="translate({} {})" d="{path}""#,
        px(x),
        px(y)
    );
    match title {
        Some(title) => {
            let _ = write!(out, "><title>{}</title></path>", escape(title));
        }
        None => out.push_str("/>"),
    }
}

/// All the marks of a series in one element: there may be many.
pub(super) fn draw_glyphs(out: &mut String, glyph: Glyph, places: &[(f64, f64)]) {
    // From the middle of the mark on.
    let (class, outline) = match glyph {
        Glyph::Dot => ("d", "m-1.5-1.5h3v3h-3z"),
        Glyph::Ring => ("x", "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0"),
        Glyph::Cross => ("x", "m-4-4l8 8m0-8l-8 8"),
    };
    let _ = write!(out, r#"<path class="{class}" d=""#);
    for (x, y) in places {
        let _ = write!(out, "M{} {}{outline}", px(*x), px(*y));
    }
    out.push_str(r#""/>"#);
}

/// All bars of a series in one element: every two places are the ends of one.
pub(super) fn draw_bars(out: &mut String, height: u8, places: &[(f64, f64)]) {
    let height = f64::from(height);
    let _ = write!(out, r#"<path class="d" d=""#);
    for pair in places.chunks_exact(2) {
        let ((from, y), (to, _)) = (pair[0], pair[1]);
        let (left, width) = (px(from), px(px(to) - px(from)));
        // A bar that is too short to be seen at this scale would only make the file larger.
        if width > 0.0 {
            let top = px(y - height / 2.0);
            let _ = write!(out, "M{left} {top}h{width}v{height}h-{width}z");
        }
    }
    out.push_str(r#""/>"#);
}

/// Every five places are one box: least value, first quartile, median, third quartile, largest value.
pub(super) fn draw_boxes(out: &mut String, width: f64, places: &[(f64, f64)]) {
    for five in places.chunks_exact(5) {
        let x = five[0].0;
        let [low, first, median, third, high] = [0, 1, 2, 3, 4].map(|i| px(five[i].1));
        let (left, right, cap) = (px(x - width / 2.0), px(x + width / 2.0), px(width / 4.0));
        let (x, from, to) = (px(x), px(x - cap), px(x + cap));
        let _ = write!(
            out,
            r#"<path class="b" d="M{left} {first}H{right}V{third}H{left}z"/><path class="e" d="M{from} {low}H{to}M{x} {low}V{first}M{x} {third}V{high}M{from} {high}H{to}"/><path class="x" d="M{left} {median}H{right}"/>"#,
        );
    }
}
