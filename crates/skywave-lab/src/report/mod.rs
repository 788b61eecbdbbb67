//! Reports: result rows, tables, Parquet files, plots and the HTML page.
//!
//! Everything here is a function of a [`Study`] (what was asked) and of
//! [`crate::experiment::Results`] (what was measured), and gives the same bytes for the same input.

mod caption;
mod caution;
mod columns;
#[cfg(feature = "parquet")]
mod csv;
#[cfg(feature = "parquet")]
mod directory;
mod draw;
mod drawings;
mod file;
#[cfg(feature = "parquet")]
pub mod frame;
mod grid;
mod html;
pub mod number;
mod observe;
mod panel;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod partition;
#[cfg(feature = "pdf")]
mod pdf;
pub mod plot;
mod points;
mod row;
mod study;
mod summary;
mod table;
mod topology;
mod why;
mod words;

pub use caution::caution;
pub use columns::columns;
#[cfg(feature = "parquet")]
pub use csv::write_csv;
#[cfg(feature = "parquet")]
pub use directory::{SeriesBefore, write_all};
pub use draw::panel_plot;
pub use drawings::{Drawing, drawings};
pub use file::{Format, WriteError, remove_file, write_drawings, write_file};
pub use grid::{Grid, NONE};
pub use html::{CSS, HtmlOptions, Script, html, render_page};
pub use panel::{Facet, Panel, PanelSeries, XAxis, XValue, panels};
#[cfg(feature = "parquet")]
pub use parquet::write_frame;
#[cfg(feature = "parquet")]
pub use partition::{PARTITIONED, check_partitioned, write_partitioned};
#[cfg(feature = "pdf")]
pub use pdf::{Fonts, NoSuchFont, pdf};
pub use row::{Row, rows};
pub use study::{FlowLabel, Study, StudyPoint};
pub use table::{render, table};
pub use topology::Topology;
pub use words::capitalised;

#[cfg(all(test, feature = "parquet"))]
mod tests;
