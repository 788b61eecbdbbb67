//! Captures: their contents, their contents as read by other programs, and damaged ones.

mod bench;
mod contents;
mod damage;
mod dissectors;
