//! Captures: what is in them, what other programs read out of them, and reading damaged ones.

mod bench;
mod contents;
mod damage;
mod dissectors;
