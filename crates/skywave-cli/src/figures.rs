//! Figures for papers: `--svg`, `--pdf`, and how they are to look.

use std::path::PathBuf;

use skywave_lab::experiment::Results;
use skywave_lab::report::plot::Print;
use skywave_lab::report::{self, Drawing, Format, Study};

use crate::failure::Failure;
use crate::quantity::length;

/// The plots of a report as files of their own.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Figures", group = clap::ArgGroup::new("drawn").multiple(true))]
pub(crate) struct Figures {
    /// Write each plot of the report as an SVG file, named by what it shows.
    #[arg(long, value_name = "DIR", group = "drawn")]
    svg: Option<PathBuf>,

    /// Write each plot of the report as a PDF file with its font inside.
    #[cfg(feature = "pdf")]
    #[arg(long, value_name = "DIR", group = "drawn")]
    pdf: Option<PathBuf>,

    /// Width of the figures on paper, such as 84mm or 3.3in: for print, without titles.
    #[arg(long, value_name = "LENGTH", requires = "drawn", value_parser = length)]
    figure_width: Option<f64>,

    /// Height of the figures on paper; follows from the width unless given.
    #[arg(long, value_name = "LENGTH", requires = "drawn", value_parser = length)]
    figure_height: Option<f64>,

    /// Font of the figures, such as "Times New Roman". A PDF needs it on this machine; unless given it
    /// has Liberation Sans, which is built in.
    #[arg(long, value_name = "NAME", requires = "drawn")]
    font: Option<String>,

    /// Size of the text in the figures, such as 8pt; lines and marks follow it.
    #[arg(long, value_name = "LENGTH", requires = "drawn", value_parser = length)]
    font_size: Option<f64>,

    /// Draw the figures in greys, with lines that their dashes tell apart.
    #[arg(long, requires = "drawn")]
    grey: bool,
}

/// Figures that can be written: their fonts are there.
pub(crate) struct Wanted<'a> {
    figures: &'a Figures,
    #[cfg(feature = "pdf")]
    fonts: Option<report::Fonts>,
}

impl Figures {
    /// Looks for what the figures need: a missing font should not cost a night of simulations.
    pub(crate) fn prepare(&self) -> Result<Wanted<'_>, Failure> {
        Ok(Wanted {
            figures: self,
            #[cfg(feature = "pdf")]
            fonts: match (&self.pdf, &self.font) {
                (None, _) => None,
                (Some(_), None) => Some(report::Fonts::built_in()),
                (Some(_), Some(name)) => Some(report::Fonts::named(name).map_err(Failure::usage)?),
            },
        })
    }

    /// How the figures look on paper.
    fn print(&self) -> Print {
        Print {
            width: self.figure_width,
            height: self.figure_height,
            font_size: self.font_size,
            font: self.font.clone(),
            grey: self.grey,
        }
    }
}

impl Wanted<'_> {
    /// Writes them, and gives the paths.
    pub(crate) fn write(&self, study: &Study, results: &Results) -> Result<Vec<PathBuf>, Failure> {
        let print = self.figures.print();
        let mut paths = Vec::new();
        if let Some(dir) = &self.figures.svg {
            // Without a wish for paper, as on the page: for a screen, light or dark.
            let print = (print != Print::default()).then_some(&print);
            let drawings: Vec<Drawing> = report::drawings(study, results, print)?;
            paths.extend(report::write_drawings(dir, study, &drawings, &Format::Svg)?);
        }
        #[cfg(feature = "pdf")]
        if let (Some(dir), Some(fonts)) = (&self.figures.pdf, &self.fonts) {
            let drawings: Vec<Drawing> = report::drawings(study, results, Some(&print))?;
            let format = Format::Pdf(fonts.clone());
            paths.extend(report::write_drawings(dir, study, &drawings, &format)?);
        }
        Ok(paths)
    }
}
