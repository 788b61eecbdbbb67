//! Figures as PDF: the SVG of a plot, with its text as text and its font embedded.

use std::io;
use std::sync::Arc;

use krilla::Document;
use krilla::geom::Size;
use krilla::page::PageSettings;
use krilla_svg::{SurfaceExt, SvgSettings};
use usvg::fontdb::{Database, FaceInfo, Source};

use super::plot::POINTS_PER_PIXEL;

/// The font of figures that ask for none, so that they are the same on every machine.
const BUILT_IN: &[u8] = include_bytes!("../../fonts/LiberationSans-Regular.ttf");
const BUILT_IN_NAME: &str = "Liberation Sans";
/// Names that a message about a missing font can hold.
const MAX_NAMES: usize = 12;

/// Set of fonts in which the text of a PDF figure may be set.
#[derive(Clone, Debug)]
pub struct Fonts(Arc<Database>);

/// Error of a font that this machine does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the font \"{name}\" is not installed here; a PDF contains its font\n{help}")]
pub struct NoSuchFont {
    /// Name of the font, as the caller wrote it.
    pub name: String,
    /// Advice on fonts that are there.
    help: String,
}

impl Fonts {
    /// Built-in font alone: Liberation Sans, which is as wide as Helvetica and Arial.
    pub fn built_in() -> Self {
        Self(Arc::new(with_built_in()))
    }

    /// Font called `name` that is installed on this machine, and the built-in font for letters that it lacks.
    ///
    /// # Errors
    /// When there is no font of that name.
    pub fn named(name: &str) -> Result<Self, NoSuchFont> {
        let mut fonts = with_built_in();
        if fonts.faces().any(|face| is_called(face, name)) {
            return Ok(Self(Arc::new(fonts)));
        }
        let mut installed = Database::new();
        installed.load_system_fonts();
        // Only this one: what else is installed must not make a difference.
        let files: Vec<Source> = installed
            .faces()
            .filter(|face| is_called(face, name))
            .map(|face| face.source.clone())
            .collect();
        if files.is_empty() {
            return Err(NoSuchFont {
                name: name.to_owned(),
                help: help(&installed),
            });
        }
        for file in files {
            fonts.load_font_source(file);
        }
        Ok(Self(Arc::new(fonts)))
    }
}

fn with_built_in() -> Database {
    let mut fonts = Database::new();
    fonts.load_font_data(BUILT_IN.to_vec());
    fonts.set_sans_serif_family(BUILT_IN_NAME);
    fonts.set_serif_family(BUILT_IN_NAME);
    fonts
}

fn is_called(face: &FaceInfo, name: &str) -> bool {
    let mut names = face.families.iter();
    names.any(|(n, _)| n.eq_ignore_ascii_case(name))
}

fn help(installed: &Database) -> String {
    let mut names: Vec<&str> = installed
        .faces()
        .filter_map(|face| Some(face.families.first()?.0.as_str()))
        .collect();
    names.sort_unstable();
    names.dedup();
    let more = names.len().saturating_sub(MAX_NAMES);
    names.truncate(MAX_NAMES);
    let listed = match (names.is_empty(), more) {
        (true, _) => "no fonts are".to_owned(),
        (false, 0) => format!("{} are", names.join(", ")),
        (false, more) => format!("{} and {more} more are", names.join(", ")),
    };
    format!("help: {listed} installed; without a font it is {BUILT_IN_NAME}, which is built in")
}

/// Converts an SVG picture to a PDF with one page of the picture's size. The same picture and fonts give the same
/// bytes.
///
/// # Errors
///
/// When the picture cannot be read or written, which would be a mistake in how it was drawn.
pub fn pdf(svg: &str, fonts: &Fonts) -> io::Result<Vec<u8>> {
    let options = usvg::Options {
        fontdb: Arc::clone(&fonts.0),
        font_family: BUILT_IN_NAME.to_owned(),
        ..usvg::Options::default()
    };
    let picture = usvg::Tree::from_str(svg, &options).map_err(io::Error::other)?;
    let (width, height) = (picture.size().width(), picture.size().height());
    let points = |pixels: f32| pixels * POINTS_PER_PIXEL as f32;
    let size = Size::from_wh(points(width), points(height));
    let size = size.ok_or_else(|| io::Error::other("a picture without a size"))?;
    let mut document = Document::new();
    let mut page = document.start_page_with(PageSettings::new(size));
    let mut surface = page.surface();
    let drawn = surface.draw_svg(&picture, size, SvgSettings::default());
    surface.finish();
    page.finish();
    drawn.ok_or_else(|| io::Error::other("a picture that cannot be drawn"))?;
    let written = document.finish();
    written.map_err(|why| io::Error::other(format!("{why:?}")))
}

#[cfg(test)]
mod tests {
    use super::super::plot::{Axis, Plot, Print, Scale, SeriesData};
    use super::*;

    fn figure(print: &Print) -> String {
        let plot = Plot {
            x: Axis::new("Loss rate, µ − ±", Scale::Log),
            y: Axis::new("Goodput (Mb/s)", Scale::Linear),
            series: vec![SeriesData::marked("CERL", vec![(1e-7, 1.0, Some(0.1))])],
            ..Plot::default()
        };
        plot.to_print_svg(print)
    }

    #[test]
    fn a_figure_has_its_size_its_font_and_the_same_bytes_each_time() {
        let print = Print {
            width: Some(84.0 * 72.0 / 25.4),
            height: Some(144.0),
            ..Print::default()
        };
        let svg = figure(&print);
        let one = pdf(&svg, &Fonts::built_in()).expect("a PDF");
        assert_eq!(one, pdf(&svg, &Fonts::built_in()).expect("a PDF"));
        assert!(one.starts_with(b"%PDF-"));
        let text = String::from_utf8_lossy(&one);
        assert!(text.contains("LiberationSans"), "the font is named");
        assert!(text.contains("FontFile"), "the font is embedded");
        assert!(text.contains("[0 0 238.1"), "84 mm are 238.1 points");
    }

    #[test]
    fn a_font_that_is_missing_is_said_to_be_missing() {
        let wrong = Fonts::named("No Such Font").expect_err("no such font");
        let message = wrong.to_string();
        assert!(
            message.contains("\"No Such Font\" is not installed"),
            "{message}"
        );
        assert!(
            message.contains("Liberation Sans, which is built in"),
            "{message}"
        );
        assert!(Fonts::named("liberation sans").is_ok());
    }
}
