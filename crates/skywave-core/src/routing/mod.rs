//! Routing between the stations of a radio network.
