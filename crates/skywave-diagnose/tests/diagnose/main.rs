//! What `skywave_diagnose` says of links that the simulator made.

mod links;
mod made;
