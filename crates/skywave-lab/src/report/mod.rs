//! Reports: result rows, tables, Parquet files, plots and the HTML page.
//!
//! Everything here is a function of a [`Study`] (what was asked) and of
//! [`crate::experiment::Results`] (what was measured), and gives the same bytes for the same input.

mod directory;
pub mod frame;
mod grid;
mod html;
pub mod number;
mod panel;
mod parquet;
pub mod plot;
mod points;
mod row;
mod study;
mod summary;
mod table;
mod topology;
mod why;

pub use directory::{WriteError, write_all, write_drawings, write_file};
pub use html::{Drawing, HtmlOptions, drawings, html};
pub use panel::{Facet, Panel, PanelSeries, XAxis, XValue, panels};
pub use parquet::{write_bins, write_links, write_results, write_series};
pub use row::{Row, rows};
pub use study::{FlowLabel, Study, StudyPoint};
pub use table::table;
pub use topology::Topology;

pub(crate) use grid::{Grid, NONE};
pub(crate) use html::{CSS, render_page};
pub(crate) use parquet::write_frame;
pub(crate) use table::render;

#[cfg(test)]
mod tests;
