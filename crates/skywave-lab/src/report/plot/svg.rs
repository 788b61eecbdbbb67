//! Drawing a plot.

use std::fmt::Write;

use super::axis::Fitted;
use super::legend::{colour, draw_bars, draw_glyphs, draw_marker, legend};
use super::theme;
use super::{Look, Plot, SeriesData, escape};

/// Height of a line of text, and a guess of the width of a letter that is seldom too small.
pub(super) const LINE: f64 = 16.0;
pub(super) const LETTER: f64 = 6.6;
/// Distance between the points of several series in one category.
const DODGE: f64 = 9.0;

/// The place of the data within the picture.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: Fitted,
    y: Fitted,
}

impl Frame {
    fn px(&self, x: f64) -> Option<f64> {
        self.x.at(x).map(|at| self.left + at)
    }

    fn py(&self, y: f64) -> Option<f64> {
        self.y.at(y).map(|at| self.top + self.height - at)
    }

    /// As `py`, for the end of an error bar that leaves the axis.
    fn py_clamped(&self, y: f64) -> f64 {
        self.top + self.height - self.y.clamped(y)
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// The SVG of a plot, with its own style when it stands alone.
pub(super) fn draw(plot: &Plot, standalone: bool) -> String {
    let (width, height) = plot.size;
    // The legend's height and the margin for labels depend on each other, but for the margin any
    // height will do.
    let left = frame(plot, 0.0).left;
    let (legend, legend_height) = legend(plot, left, width);
    let mut top = 8.0;
    let mut out = String::new();
    let label = if plot.title.is_empty() {
        format!("{} against {}", plot.y.label, plot.x.label)
    } else {
        plot.title.clone()
    };
    // Writing to a string cannot fail, here and below.
    let _ = write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="sw-plot" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{}">"#,
        escape(&label)
    );
    if standalone {
        let _ = write!(out, "<style>{}</style>", theme::standalone());
    }
    if !plot.title.is_empty() {
        for line in lines(&plot.title, width - 16.0) {
            let _ = write!(
                out,
                r#"<text class="h" x="8" y="{}">{}</text>"#,
                top + 14.0,
                escape(&line)
            );
            top += LINE + 2.0;
        }
        top += 8.0;
    }
    let _ = write!(out, r#"<g transform="translate(0 {top})">{legend}</g>"#);
    top += legend_height + 6.0;
    let frame = frame(plot, top);
    axes(&mut out, plot, &frame);
    for (index, series) in plot.series.iter().enumerate() {
        let offset = if frame.x.is_continuous() {
            0.0
        } else {
            DODGE * (index as f64 - (plot.series.len() as f64 - 1.0) / 2.0)
        };
        draw_series(&mut out, plot, &frame, series, index, offset);
    }
    out.push_str("</svg>");
    out
}

/// A title in lines of at most this width, broken between words.
pub(super) fn lines(title: &str, width: f64) -> Vec<String> {
    // Titles are larger and bold.
    let most = (width / (LETTER * 1.2)) as usize;
    let mut lines: Vec<String> = Vec::new();
    for word in title.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Fits both axes: labels of the vertical one decide the left margin.
fn frame(plot: &Plot, top: f64) -> Frame {
    let (width, height) = plot.size;
    let bottom = LINE * 2.0 + 14.0;
    let inner_height = (height - top - bottom).max(40.0);
    let ends = plot
        .series
        .iter()
        .flat_map(|s| &s.points)
        .flat_map(|&(_, y, err)| {
            let err = err.filter(|e| e.is_finite()).unwrap_or(0.0);
            // On a logarithmic axis, an error bar down to zero must not make room for zero.
            [
                y,
                y + err,
                if y - err > 0.0 || y < 0.0 { y - err } else { y },
            ]
        });
    let y = Fitted::new(
        &plot.y,
        ends,
        inner_height,
        40.0_f64.max(inner_height / 6.0),
        true,
    );
    let widest = y
        .ticks
        .iter()
        .filter_map(|t| t.label.as_ref())
        .map(|l| l.chars().count())
        .max();
    let left = 32.0 + LETTER * widest.unwrap_or(1) as f64;
    let inner_width = (width - left - 12.0).max(40.0);
    let xs = plot.series.iter().flat_map(|s| &s.points).map(|p| p.0);
    let x = Fitted::new(&plot.x, xs, inner_width, 84.0, false);
    Frame {
        left,
        top,
        width: inner_width,
        height: inner_height,
        x,
        y,
    }
}

fn axes(out: &mut String, plot: &Plot, frame: &Frame) {
    let bottom = frame.bottom();
    // Horizontal grid and labels of the vertical axis.
    let mut grid = String::new();
    for tick in &frame.y.ticks {
        let y = bottom - tick.at;
        if let Some(label) = &tick.label {
            let _ = write!(grid, "M{} {}h{}", px(frame.left), px(y), px(frame.width));
            let _ = write!(
                out,
                r#"<text class="t" text-anchor="end" x="{}" y="{}">{}</text>"#,
                px(frame.left - 7.0),
                px(y + 4.0),
                escape(label)
            );
        }
    }
    let _ = write!(out, r#"<path class="g" d="{grid}"/>"#);
    // The lower axis with its ticks, and a break before zero.
    let mut line = String::new();
    match frame.x.break_at() {
        Some(at) => {
            let at = frame.left + at;
            let right = frame.left + frame.width;
            let _ = write!(
                line,
                "M{} {b}H{}M{} {b}H{}M{} {low}l5-10M{} {low}l5-10",
                px(frame.left),
                px(at - 3.0),
                px(at + 3.0),
                px(right),
                px(at - 5.5),
                px(at + 0.5),
                b = px(bottom),
                low = px(bottom + 5.0),
            );
        }
        None => {
            let _ = write!(
                line,
                "M{} {}h{}",
                px(frame.left),
                px(bottom),
                px(frame.width)
            );
        }
    }
    let mut free_from = f64::NEG_INFINITY;
    for tick in &frame.x.ticks {
        let x = frame.left + tick.at;
        let size = if tick.label.is_some() { 5 } else { 3 };
        if frame.x.is_continuous() {
            let _ = write!(line, "M{} {}v{size}", px(x), px(bottom));
        }
        let Some(label) = &tick.label else { continue };
        // A label that would touch the one before is left out; its tick stays.
        let half = LETTER * label.chars().count() as f64 / 2.0;
        if x - half < free_from {
            continue;
        }
        free_from = x + half + 6.0;
        let _ = write!(
            out,
            r#"<text class="t" text-anchor="middle" x="{}" y="{}">{}</text>"#,
            px(x),
            px(bottom + 19.0),
            escape(label)
        );
    }
    if let Some(at) = frame.y.break_at() {
        let y = bottom - at;
        let _ = write!(line, "M{} {}l10-5m0 6l-10 5", px(frame.left - 5.0), px(y));
    }
    let _ = write!(out, r#"<path class="a" d="{line}"/>"#);
    let _ = write!(
        out,
        r#"<text text-anchor="middle" x="{}" y="{}">{}</text>"#,
        px(frame.left + frame.width / 2.0),
        px(bottom + 39.0),
        escape(&plot.x.label)
    );
    let middle = frame.top + frame.height / 2.0;
    let _ = write!(
        out,
        r#"<text text-anchor="middle" transform="translate(14 {}) rotate(-90)">{}</text>"#,
        px(middle),
        escape(&plot.y.label)
    );
}

fn draw_series(
    out: &mut String,
    plot: &Plot,
    frame: &Frame,
    series: &SeriesData,
    index: usize,
    offset: f64,
) {
    let (class, dash) = colour(index);
    let _ = write!(out, r#"<g class="{class}">"#);
    let placed: Vec<_> = series
        .points
        .iter()
        .filter_map(|&(x, y, err)| {
            let at = (frame.px(x)? + offset, frame.py(y)?);
            Some((at, x, y, err.filter(|e| e.is_finite() && *e > 0.0)))
        })
        .collect();
    if let Look::Glyphs(glyph) = series.look {
        let places: Vec<_> = placed.iter().map(|(at, ..)| *at).collect();
        draw_glyphs(out, glyph, &places);
    } else if let Look::Bars(height) = series.look {
        let places: Vec<_> = placed.iter().map(|(at, ..)| *at).collect();
        draw_bars(out, height, &places);
    } else if frame.x.is_continuous() {
        let thin = if series.look == Look::Marked {
            ""
        } else {
            " n"
        };
        let steps = series.look == Look::Steps;
        let line = placed
            .iter()
            .map(|(at, x, y, _)| (*at, *x == 0.0 || *y == 0.0));
        let broken = frame.x.break_at().is_some() || frame.y.break_at().is_some();
        polyline(
            out,
            line,
            broken && !steps,
            steps,
            &format!("{thin}\"{dash}"),
        );
    }
    if series.look == Look::Marked {
        let mut bars = String::new();
        for ((x, _), _, y, err) in &placed {
            let Some(err) = err else { continue };
            let (from, to) = (frame.py_clamped(y + err), frame.py_clamped(y - err));
            // Too short to be seen beside its marker.
            if to - from > 2.0 {
                let _ = write!(
                    bars,
                    "M{left} {from}h7M{x} {from}V{to}M{left} {to}h7",
                    left = px(x - 3.5),
                    x = px(*x),
                    from = px(from),
                    to = px(to)
                );
            }
        }
        if !bars.is_empty() {
            let _ = write!(out, r#"<path class="e" d="{bars}"/>"#);
        }
        for ((px, py), x, y, err) in &placed {
            draw_marker(
                out,
                index,
                *px,
                *py,
                Some(&tooltip(plot, series, *x, *y, *err)),
            );
        }
    }
    out.push_str("</g>");
}

/// Joins points by a line, or by steps; over the break to zero, dotted. `look` is the end of the
/// class with what follows it.
fn polyline(
    out: &mut String,
    points: impl Iterator<Item = ((f64, f64), bool)>,
    broken: bool,
    steps: bool,
    look: &str,
) {
    let (mut solid, mut dotted) = (String::new(), String::new());
    let mut last: Option<((f64, f64), bool)> = None;
    let mut pen_down = false;
    for (at, is_zero) in points {
        if let Some((from, was_zero)) = last {
            if broken && is_zero != was_zero {
                let _ = write!(
                    dotted,
                    "M{} {}L{} {}",
                    px(from.0),
                    px(from.1),
                    px(at.0),
                    px(at.1)
                );
                pen_down = false;
            } else {
                if !pen_down {
                    let _ = write!(solid, "M{} {}", px(from.0), px(from.1));
                    pen_down = true;
                }
                let (dx, dy) = (step(from.0, at.0), step(from.1, at.1));
                let _ = match (steps, dy.starts_with('-')) {
                    (true, _) => write!(solid, "h{dx}v{dy}"),
                    (false, true) => write!(solid, "l{dx}{dy}"),
                    (false, false) => write!(solid, "l{dx} {dy}"),
                };
            }
        }
        last = Some((at, is_zero));
    }
    if !solid.is_empty() {
        let _ = write!(out, r#"<path class="l{look} d="{solid}"/>"#);
    }
    if !dotted.is_empty() {
        let _ = write!(
            out,
            r#"<path class="l" stroke-dasharray="1.5 4" d="{dotted}"/>"#
        );
    }
}

/// The way between two coordinates as they are drawn, in as few letters as possible: long series
/// are made of these.
fn step(from: f64, to: f64) -> String {
    let text = px(px(to) - px(from)).to_string();
    match text.strip_prefix("-0.") {
        Some(tenths) => format!("-.{tenths}"),
        None if text == "-0" => "0".to_owned(),
        None => text
            .strip_prefix("0.")
            .map_or(text.clone(), |t| format!(".{t}")),
    }
}

/// What a point says when pointed at.
fn tooltip(plot: &Plot, series: &SeriesData, x: f64, y: f64, err: Option<f64>) -> String {
    let x = match &plot.x.scale {
        super::Scale::Categories(names) => names.get(x as usize).cloned().unwrap_or_default(),
        _ => short(x),
    };
    let label = if series.label.is_empty() {
        String::new()
    } else {
        format!("{}: ", series.label)
    };
    let err = err.map_or(String::new(), |e| format!(" ±{}", short(e)));
    format!("{label}{}{err} at {x}", short(y))
}

/// Four significant digits.
fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return crate::report::number::plain(x);
    }
    let magnitude = libm::floor(libm::log10(x.abs())) as i32;
    let unit = libm::pow(10.0, f64::from(3 - magnitude));
    crate::report::number::plain((x * unit).round() / unit)
}

/// A coordinate: tenths of a pixel are enough.
pub(super) fn px(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}
