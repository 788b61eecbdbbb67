//! The page: what the link is, in rows that a person reads in a minute.

mod connections;
mod goodness;
mod html;
mod json;
mod models;
mod rows;
mod sequence;
mod text;
mod transfers;

pub use connections::packets;
pub use html::html;
pub use json::json;
pub use rows::{Row, rows};
pub use text::text;
