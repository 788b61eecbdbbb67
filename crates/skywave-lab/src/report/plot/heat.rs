//! Heat maps: a table of shaded cells.

use std::fmt::Write;

use super::escape;
use super::text::{LETTER, LINE, Title, lines, put, px, width_of};
use super::theme::{self, Target};

/// Shades from none to all, and the colour of the text on each. They are viridis', which is as good in grey.
const SHADES: [(&str, &str); 11] = [
    ("#440154", "#fff"),
    ("#440154", "#fff"),
    ("#440154", "#fff"),
    ("#482878", "#fff"),
    ("#3e4a89", "#fff"),
    ("#31688e", "#fff"),
    ("#26828e", "#fff"),
    ("#1f9e89", "#000"),
    ("#35b779", "#000"),
    ("#b5de2b", "#000"),
    ("#fde725", "#000"),
];

/// Heat map: a table whose cells are shaded by a share from 0 to 1.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Heat {
    /// Title above the heat map; may be empty.
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows of the heat map: the name of each, and a cell for each column.
    pub rows: Vec<(String, Vec<HeatCell>)>,
    /// Lines of text below the heat map.
    pub notes: Vec<String>,
}

/// A cell of a heat map.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct HeatCell {
    /// Text in the cell.
    pub text: String,
    /// Text that is shown when the cell is pointed at.
    pub hint: String,
    /// Share from 0 to 1 that the cell is shaded by; `None` for no shade.
    pub share: Option<f64>,
    /// Whether the cell has a frame around it, which marks it, for example as the best of its column.
    pub framed: bool,
}

const WIDTH: f64 = 720.0;
const ROW: f64 = 20.0;
/// Largest width of a column, and the angle by which its name rises.
const WIDEST: f64 = 84.0;
const ANGLE: f64 = 35.0;
/// Where in its column a name begins.
const INTO: f64 = 0.4;

/// Number of the shade (0 dark, 10 bright) for a share from 0 to 1.
pub fn shade(share: f64) -> usize {
    // As it is written, so that cells of one number have one colour.
    (100.0 * share).round().clamp(0.0, 100.0) as usize * (SHADES.len() - 1) / 100
}

/// Style rules (CSS) for cells of HTML tables: the classes `.h0` to `.h10` are the shades of heat maps.
pub fn shades_css() -> String {
    let shades = SHADES.iter().enumerate();
    shades.fold(String::new(), |mut css, (index, (back, ink))| {
        // Writing to a string cannot fail, here and below.
        let _ = write!(css, ".h{index}{{background:{back};color:{ink}}}");
        css
    })
}

impl Heat {
    /// Heat map as an SVG file of its own, with its style inside.
    pub fn to_svg(&self) -> String {
        let names = self.rows.iter().map(|(name, _)| width_of(name));
        let left = 16.0 + names.fold(0.0, f64::max);
        let number = self.columns.len().max(1) as f64;
        // The last name leans beyond its column.
        let leans = self.columns.last().map_or(0.0, |name| width_of(name));
        let leans = leans * libm::cos(ANGLE.to_radians());
        let column = ((WIDTH - left - 8.0) / number)
            .min((WIDTH - left - 4.0 - leans) / (number - INTO))
            .min(WIDEST);
        let title = Title::new(&self.title, WIDTH);
        let longest = self.columns.iter().map(|name| width_of(name));
        let rise = longest.fold(0.0, f64::max) * libm::sin(ANGLE.to_radians());
        let top = 16.0 + title.height() + rise;
        let bottom = top + ROW * self.rows.len() as f64;
        let notes: Vec<String> = self
            .notes
            .iter()
            .flat_map(|note| lines(note, WIDTH - 16.0, LETTER))
            .collect();
        let height = px(bottom + 16.0 + LINE * notes.len() as f64);
        let mut out = theme::open(&self.title, (WIDTH, height), Target::File);
        title.draw(&mut out);
        for (index, name) in self.columns.iter().enumerate() {
            let x = px(left + column * (index as f64 + INTO));
            let y = px(top - 6.0);
            let _ = write!(
                out,
                r#"<text class="t" transform="translate({x} {y}) rotate(-{ANGLE})">{}</text>"#,
                escape(name)
            );
        }
        for (index, (name, cells)) in self.rows.iter().enumerate() {
            let y = top + ROW * index as f64;
            let at = (left - 8.0, y + 14.0);
            put(&mut out, r#"text-anchor="end""#, at, name);
            for (place, cell) in cells.iter().enumerate() {
                let x = left + column * place as f64;
                draw(&mut out, cell, (x, y), column);
            }
        }
        for (index, note) in notes.iter().enumerate() {
            let y = bottom + 20.0 + LINE * index as f64;
            put(&mut out, r#"class="t""#, (8.0, y), note);
        }
        out.push_str("</svg>");
        out
    }
}

fn draw(out: &mut String, cell: &HeatCell, (x, y): (f64, f64), width: f64) {
    let (left, top) = (px(x + 1.0), px(y + 1.0));
    let (inner, height) = (px(width - 2.0), px(ROW - 2.0));
    let _ = write!(out, "<g><title>{}</title>", escape(&cell.hint));
    let ink = match cell.share.map(|share| SHADES[shade(share)]) {
        Some((back, ink)) => {
            let _ = write!(
                out,
                r#"<rect x="{left}" y="{top}" width="{inner}" height="{height}" fill="{back}"/>"#
            );
            format!(r#" style="fill:{ink}""#)
        }
        None => r#" class="t""#.to_owned(),
    };
    if cell.framed {
        let _ = write!(
            out,
            r##"<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#d5191c" stroke-width="2.5"/>"##,
            px(x + 1.5),
            px(y + 1.5),
            px(width - 3.0),
            px(ROW - 3.0)
        );
    }
    let _ = write!(
        out,
        r#"<text text-anchor="middle" x="{}" y="{}"{ink}>{}</text></g>"#,
        px(x + width / 2.0),
        px(y + 14.0),
        escape(&cell.text)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_shade_of_their_share_and_empty_ones_none() {
        let cell = |share| HeatCell {
            text: "<1>".into(),
            hint: "a hint".into(),
            share,
            framed: share == Some(1.0),
        };
        let heat = Heat {
            title: "A map".into(),
            columns: vec!["first".into(), "second".into(), "third".into()],
            rows: vec![(
                "row".into(),
                vec![cell(Some(0.0)), cell(Some(1.0)), cell(None)],
            )],
            notes: vec!["a: nowhere".into()],
        };
        let svg = heat.to_svg();
        assert_eq!(svg.matches("fill=\"#440154\"").count(), 1);
        assert_eq!(svg.matches("fill=\"#fde725\"").count(), 1);
        // Two shades and a frame.
        assert_eq!(svg.matches("<rect").count(), 3);
        assert_eq!(svg.matches("&lt;1&gt;").count(), 3);
        assert!(svg.contains(">a: nowhere</text>"));
    }

    #[test]
    fn shades_are_by_tenths_and_never_outside() {
        assert_eq!(
            [0.0, 0.099, 0.1, 0.996, 1.7, -1.0].map(shade),
            [0, 1, 1, 10, 10, 0]
        );
        assert_eq!(shades_css().matches(".h").count(), SHADES.len());
    }
}
