//! Saturated stations in one cell, compared with Bianchi's model of DCF.

#[expect(
    clippy::disallowed_methods,
    reason = "what the model gives is compared within a tolerance"
)]
mod model;
mod slots;
mod stations;
