//! Colours and type of plots, light and dark, and on paper.

use std::fmt::Write;

use super::escape;
use super::print::Print;
use super::text::px;

/// Number of colours; further series repeat them with another dash.
pub(super) const COLOURS: usize = 8;

// Palettes. The colours of series are Okabe and Ito's, which people with the common colour
// blindnesses tell apart, darkened or lightened where they would be faint on white or black.
const ON_WHITE: &str = "--s0:#0072b2;--s1:#d55e00;--s2:#00936b;--s3:#b5508a;\
    --s4:#b98500;--s5:#222;--s6:#3a9ad9;--s7:#8c564b;";
const GREYS: &str =
    "--s0:#000;--s1:#000;--s2:#000;--s3:#000;--s4:#888;--s5:#888;--s6:#888;--s7:#888;";
/// Dash patterns, which tell lines apart where colours do not.
const DASHES: &str = "\
.sw-plot .c1 .l,.sw-plot .c5 .l{stroke-dasharray:6 3}\
.sw-plot .c2 .l,.sw-plot .c6 .l{stroke-dasharray:2 2.5}\
.sw-plot .c3 .l,.sw-plot .c7 .l{stroke-dasharray:8 3 2 3}";
const LIGHT: &str = "--ink:#222;--soft:#5c5c5c;--grid:#e4e4e4;--paper:#fff;";
const PRINT: &str = "--ink:#000;--soft:#444;--grid:#ddd;--paper:#fff;";
const DARK: &str = "--ink:#e6e6e6;--soft:#a8a8a8;--grid:#383838;--paper:#16181b;\
    --s0:#4fb0e8;--s1:#ff8c42;--s2:#35c99d;--s3:#e69bc6;\
    --s4:#ecc04a;--s5:#eee;--s6:#9bd5ff;--s7:#cfa194;";

const FONT: &str =
    "font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',Arial,sans-serif";
/// The font on paper unless another one is wanted: the same on every machine.
const PRINT_FONT: &str = "'Liberation Sans',Arial,Helvetica,sans-serif";

/// Where a picture goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'a> {
    /// An HTML page, which has the style.
    Page,
    /// A file of its own, for a screen.
    File,
    /// A file of its own, for paper.
    Print(&'a Print),
}

/// The beginning of a picture of this size in pixels, with the style that it needs; `label` is for
/// those who do not see it.
pub(super) fn open(label: &str, (width, height): (f64, f64), target: Target<'_>) -> String {
    let (width, height) = (px(width), px(height));
    let (style, size) = match target {
        Target::Page => (String::new(), (width.to_string(), height.to_string())),
        Target::File => (standalone(), (width.to_string(), height.to_string())),
        Target::Print(print) => {
            let points = |pixels: f64| {
                let points = pixels * print.points_per_pixel();
                format!("{}pt", (points * 1000.0).round() / 1000.0)
            };
            (on_paper(print), (points(width), points(height)))
        }
    };
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="sw-plot" viewBox="0 0 {width} {height}" width="{}" height="{}" role="img" aria-label="{}">"#,
        size.0,
        size.1,
        escape(label)
    );
    if !style.is_empty() {
        let _ = write!(out, "<style>{style}</style>");
    }
    out
}

/// Styles with colours of the palette.
const COLOURED: &str = "\
.sw-plot text{fill:var(--ink)}.sw-plot .t{fill:var(--soft)}\
.sw-plot .g{stroke:var(--grid);fill:none}.sw-plot .a{stroke:var(--soft);fill:none}\
.sw-plot .m{stroke:var(--paper)}\
.sw-plot .c0{color:var(--s0)}.sw-plot .c1{color:var(--s1)}.sw-plot .c2{color:var(--s2)}\
.sw-plot .c3{color:var(--s3)}.sw-plot .c4{color:var(--s4)}.sw-plot .c5{color:var(--s5)}\
.sw-plot .c6{color:var(--s6)}.sw-plot .c7{color:var(--s7)}";

/// Styles that are the same with light and dark colours.
const SHAPES: &str = "\
.sw-plot text{font-variant-numeric:tabular-nums}.sw-plot .h{font-weight:600;font-size:14px}\
.sw-plot .l{stroke:currentColor;fill:none;stroke-width:1.6;stroke-linejoin:round}\
.sw-plot .n{stroke-width:1}\
.sw-plot .e{stroke:currentColor;fill:none;stroke-width:1.1}\
.sw-plot .m{fill:currentColor;stroke-width:.8}\
.sw-plot .d{fill:currentColor}\
.sw-plot .b{stroke:currentColor;stroke-width:1.1;fill:currentColor;fill-opacity:.18}\
.sw-plot .x{stroke:currentColor;fill:none;stroke-width:1.8}";

/// Style sheet (CSS) of plots in an HTML page, which needs it once for all plots.
pub fn style() -> String {
    format!(
        ".sw-plot{{{LIGHT}{ON_WHITE}{FONT}}}\
         @media(prefers-color-scheme:dark){{.sw-plot{{{DARK}}}}}\
         @media print{{.sw-plot{{{PRINT}{ON_WHITE}}}}}{COLOURED}{SHAPES}"
    )
}

/// The style sheet of a plot on its own: light, and dark where a screen asks for it. Every colour
/// stands in its place, because few programs that turn SVG into PDF know custom properties.
fn standalone() -> String {
    let light = coloured(&[LIGHT, ON_WHITE].concat());
    let dark = coloured(DARK);
    format!(
        ".sw-plot{{{FONT}}}{SHAPES}{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"
    )
}

/// The style sheet of a figure on paper: dark on white whatever the screen asks for.
fn on_paper(print: &Print) -> String {
    let font = match &print.font {
        // Quotes and backslashes would end the name.
        Some(font) => format!("'{}',serif", font.replace(['\'', '\\', '"', '<', '&'], "")),
        None => PRINT_FONT.to_owned(),
    };
    let (series, dashes) = if print.grey {
        (GREYS, DASHES)
    } else {
        (ON_WHITE, "")
    };
    let colours = coloured(&[PRINT, series].concat());
    format!(".sw-plot{{font:12px {font}}}{SHAPES}{colours}{dashes}")
}

fn coloured(palette: &str) -> String {
    let rules = format!("{COLOURED}svg.sw-plot{{background:var(--paper)}}");
    let pairs = palette.split(';').filter_map(|pair| pair.split_once(':'));
    pairs.fold(rules, |rules, (name, colour)| {
        rules.replace(&format!("var({name})"), colour)
    })
}
