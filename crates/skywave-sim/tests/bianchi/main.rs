//! Saturated stations in one cell, against Bianchi's model of DCF.

mod model;
