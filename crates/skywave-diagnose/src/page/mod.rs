//! The page: what the link is, in rows that a person reads in a minute.

mod json;
mod rows;
mod text;

pub use json::json;
pub use rows::{Row, rows};
pub use text::text;
