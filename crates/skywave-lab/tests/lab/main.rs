//! Scenarios on disk, captures, and the pages of mechanisms.

mod capture;
mod folder;
mod mechanisms;
