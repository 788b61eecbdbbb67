//! Segment-by-segment tests.
