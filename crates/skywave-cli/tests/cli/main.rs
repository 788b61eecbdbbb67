//! The command from the outside, one program for all of these tests.

mod captured;
mod commands;
mod common;
mod crash;
mod figures;
mod hints;
mod judge;
mod kill;
mod newcomer;
mod piped;
mod program;
mod random;
mod rerun;
mod scale;
mod script;
mod spliced;
mod sweep;
mod transfer;
mod validate;
mod worst;
mod written;
