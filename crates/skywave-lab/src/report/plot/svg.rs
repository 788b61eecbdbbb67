//! Drawing a plot.

use std::fmt::Write;

use super::layout::{Frame, Height, Size, TILT};
use super::legend::{colour, draw_bars, draw_boxes, draw_glyphs, draw_marker, legend, thin};
use super::names::Names;
use super::text::{LINE, Title, put, px, width_of};
use super::theme::{self, Target};
use super::{Glyph, Look, Plot, SeriesData, escape};

/// Most distance between the points of several series in one category, and between their boxes.
const DODGE: f64 = 9.0;
const BOX: f64 = 30.0;
/// Points of a series that have their names beside them; more would hide each other.
const MAX_NAMES: usize = 20;
/// Distances from a point down to the baseline of its name, in the order in which a free one is looked for.
const OFFSETS: [f64; 3] = [4.0, -8.0, 18.0];

/// The SVG of a plot.
pub(super) fn draw(plot: &Plot, target: Target<'_>) -> String {
    let size = size(plot, target);
    // Figures on paper have a caption there.
    let title = match target {
        Target::Page | Target::File => plot.title.as_str(),
        Target::Print(_) => "",
    };
    let title = Title::new(title, size.width);
    let mut top = 8.0 + title.height();
    if title.height() > 0.0 {
        top += 8.0;
    }
    // The legend's height and the margin for labels depend on each other, but for the margin any
    // height will do.
    let left = Frame::new(plot, size, 0.0).left;
    let (legend, legend_height) = legend(plot, left, size.width);
    let frame = Frame::new(plot, size, top + legend_height + 6.0);
    let label = if plot.title.is_empty() {
        format!("{} against {}", plot.y.label, plot.x.label)
    } else {
        plot.title.clone()
    };
    let mut out = theme::open(&label, (size.width, frame.total), target);
    title.draw(&mut out);
    // Writing to a string cannot fail, here and below.
    let _ = write!(out, r#"<g transform="translate(0 {top})">{legend}</g>"#);
    axes(&mut out, &frame);
    let boxes = plot.series.iter().any(|s| s.look == Look::Boxes);
    let dodge = frame.room(plot, if boxes { BOX } else { DODGE });
    let mut names = Names::default();
    for (index, series) in plot.series.iter().enumerate() {
        let offset = if frame.x.is_continuous() {
            0.0
        } else {
            dodge * (index as f64 - (plot.series.len() as f64 - 1.0) / 2.0)
        };
        let at = (offset, dodge);
        draw_series(&mut out, plot, &frame, (series, index), at, &mut names);
    }
    out.push_str("</svg>");
    out
}

/// The size of the picture in pixels of the plot.
fn size(plot: &Plot, target: Target<'_>) -> Size {
    let (width, height) = plot.size;
    match target {
        Target::Page | Target::File => Size {
            width,
            height: Height::AtLeast(height),
        },
        Target::Print(print) => Size {
            width: print.width_or(width),
            height: match (print.height, print.width) {
                (Some(points), _) => Height::Exact(print.pixels(points)),
                // Bars have heights of their own.
                (None, Some(_)) if !plot.series.iter().any(|s| matches!(s.look, Look::Bars(_))) => {
                    Height::Free
                }
                (None, _) => Height::AtLeast(height),
            },
        },
    }
}

fn axes(out: &mut String, frame: &Frame) {
    let bottom = frame.bottom();
    // Horizontal grid and labels of the vertical axis.
    let mut grid = String::new();
    for tick in &frame.y.ticks {
        let y = bottom - tick.at;
        if let Some(label) = &tick.label {
            let _ = write!(grid, "M{} {}h{}", px(frame.left), px(y), px(frame.width));
            let at = (frame.left - 7.0, y + 4.0);
            put(out, r#"class="t" text-anchor="end""#, at, label);
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
        if frame.tilted {
            let _ = write!(
                out,
                r#"<text class="t" text-anchor="end" transform="translate({} {}) rotate(-{TILT})">{}</text>"#,
                px(x + 4.0),
                px(bottom + 13.0),
                escape(label)
            );
            continue;
        }
        // A number that would touch the one before is left out; its tick stays.
        let half = width_of(label) / 2.0;
        if frame.x.is_continuous() && x - half < free_from {
            continue;
        }
        free_from = x + half + 6.0;
        let at = (x, bottom + 19.0);
        put(out, r#"class="t" text-anchor="middle""#, at, label);
    }
    if let Some(at) = frame.y.break_at() {
        let y = bottom - at;
        let _ = write!(line, "M{} {}l10-5m0 6l-10 5", px(frame.left - 5.0), px(y));
    }
    let _ = write!(out, r#"<path class="a" d="{line}"/>"#);
    axis_labels(out, frame);
}

/// The names of the axes, each in one line or more.
fn axis_labels(out: &mut String, frame: &Frame) {
    for (row, line) in frame.x_label.iter().enumerate() {
        let y = frame.bottom() + frame.ticks_height + LINE * (row as f64 + 1.0);
        let at = (frame.left + frame.width / 2.0, y);
        put(out, r#"text-anchor="middle""#, at, line);
    }
    // A long label is centred on the picture instead of the axis, which it may exceed.
    let middle = frame.top + frame.height / 2.0;
    let longest = frame.y_label.iter().map(|line| width_of(line));
    let half = longest.fold(0.0, f64::max) / 2.0;
    let middle = middle.min(frame.total - half).max(half);
    for (row, line) in frame.y_label.iter().enumerate() {
        let _ = write!(
            out,
            r#"<text text-anchor="middle" transform="translate({} {}) rotate(-90)">{}</text>"#,
            14.0 + LINE * row as f64,
            px(middle),
            escape(line)
        );
    }
}

fn draw_series(
    out: &mut String,
    plot: &Plot,
    frame: &Frame,
    (series, index): (&SeriesData, usize),
    (offset, room): (f64, f64),
    names: &mut Names,
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
    let places = || -> Vec<_> { placed.iter().map(|(at, ..)| *at).collect() };
    match series.look {
        Look::Glyphs(glyph) if series.names.is_empty() => draw_glyphs(out, glyph, &places()),
        Look::Glyphs(glyph) => draw_named(out, (plot, frame, series), glyph, names),
        Look::Bars(height) => draw_bars(out, height, &places()),
        Look::Boxes => draw_boxes(out, 0.7 * room, &places()),
        Look::Marked | Look::Line | Look::Steps if frame.x.is_continuous() => {
            let steps = series.look == Look::Steps;
            let is_zero = |x: f64, y: f64| x == 0.0 || y == 0.0;
            let line = placed.iter().map(|(at, x, y, _)| (*at, is_zero(*x, *y)));
            let broken = frame.x.break_at().is_some() || frame.y.break_at().is_some();
            let look = format!("{}\"{dash}", thin(series.look));
            polyline(out, line, broken && !steps, steps, &look);
            if series.look != Look::Marked {
                draw_named(out, (plot, frame, series), Glyph::Dot, names);
            }
        }
        Look::Marked | Look::Line | Look::Steps => {}
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
            let title = tooltip(plot, &series.label, *x, *y, *err);
            draw_marker(out, index, *px, *py, Some(&title));
        }
    }
    out.push_str("</g>");
}

/// Marks of the points that have names: where they are not too many, beside them.
fn draw_named(
    out: &mut String,
    (plot, frame, series): (&Plot, &Frame, &SeriesData),
    glyph: Glyph,
    names: &mut Names,
) {
    let mut placed = Vec::new();
    let named = series.points.iter().zip(&series.names);
    for (&(x, y, _), name) in named.filter(|(_, name)| !name.is_empty()) {
        let (Some(across), Some(down)) = (frame.px(x), frame.py(y)) else {
            continue;
        };
        let title = tooltip(plot, name, x, y, None);
        let _ = write!(out, "<g><title>{}</title>", escape(&title));
        draw_glyphs(out, glyph, &[(across, down)]);
        out.push_str("</g>");
        names.mark((across, down));
        placed.push(((across, down), name));
    }
    if placed.len() > MAX_NAMES {
        return;
    }
    let edges = (frame.left, frame.left + frame.width);
    for (at, name) in placed {
        let Some(spot) = names.take(name, at, edges, &OFFSETS) else {
            continue;
        };
        let how = format!(r#"class="t" text-anchor="{}""#, spot.anchor);
        put(out, &how, (spot.x, spot.y), name);
    }
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

/// The text that is shown when a point is pointed at.
fn tooltip(plot: &Plot, name: &str, x: f64, y: f64, err: Option<f64>) -> String {
    let x = match &plot.x.scale {
        super::Scale::Categories(names) => names.get(x as usize).cloned().unwrap_or_default(),
        _ => short(x),
    };
    let label = if name.is_empty() {
        String::new()
    } else {
        format!("{name}: ")
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
