//! Where a station is.

/// A place on the plane, in metres.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Position {
    /// Metres to the east of the origin.
    pub x: f64,
    /// Metres to the north of the origin.
    pub y: f64,
}

impl Position {
    /// Distance to `other` in metres.
    pub fn distance(self, other: Self) -> f64 {
        let (dx, dy) = (other.x - self.x, other.y - self.y);
        libm::sqrt(dx * dx + dy * dy)
    }
}
