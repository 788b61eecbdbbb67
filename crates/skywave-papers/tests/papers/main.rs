//! Agreement with other simulators, and the pages that say what was recorded.

mod pages;
mod validate;
