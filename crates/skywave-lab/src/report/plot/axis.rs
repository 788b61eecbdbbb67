//! From values to positions: ticks, their labels, and logarithmic axes that still show zero.

use super::Axis;
use crate::report::number::{fixed, plain, power_of_ten};

/// Scale of an axis: how values become positions.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Scale {
    /// Linear scale.
    #[default]
    Linear,
    /// Logarithmic scale, on which zero has a place of its own beyond a break in the axis.
    Log,
    /// Scale of names: a value is the index of a name in this list.
    Categories(Vec<String>),
}

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// Position in pixels along the axis, from its start.
    pub(super) at: f64,
    /// Label; `None` for a minor tick.
    pub(super) label: Option<String>,
}

/// An axis fitted to its data and to a length in pixels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fitted {
    kind: Kind,
    length: f64,
    /// Ticks in order.
    pub(super) ticks: Vec<Tick>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Linear { low: f64, high: f64, pad: f64 },
    Log { low: f64, high: f64, start: f64 },
    Categories { count: usize },
}

/// Space before the first and after the last value of a horizontal axis.
const PAD: f64 = 16.0;
/// Where zero sits on a logarithmic axis, and where the logarithm starts then.
const ZERO_AT: f64 = 16.0;
const LOG_AFTER_ZERO: f64 = 64.0;

impl Fitted {
    /// Fits `axis` to the values, on `length` pixels with about one label every `spacing` pixels.
    /// A vertical axis ends on ticks; a horizontal one has room beside the first and last value.
    pub(super) fn new(
        axis: &Axis,
        values: impl Iterator<Item = f64>,
        length: f64,
        spacing: f64,
        vertical: bool,
    ) -> Self {
        let values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
        let wanted = (length / spacing).max(2.0);
        match &axis.scale {
            Scale::Linear => linear(axis.bounds, &values, length, wanted, vertical),
            Scale::Log => log(&values, length, wanted),
            Scale::Categories(names) => categories(names, length),
        }
    }

    /// Position in pixels from the start of the axis; `None` for what it cannot show.
    pub(super) fn at(&self, value: f64) -> Option<f64> {
        let at = match self.kind {
            Kind::Linear { low, high, pad } => {
                pad + (value - low) / (high - low) * (self.length - 2.0 * pad)
            }
            Kind::Log { low, high, start } if value > 0.0 => {
                let share = (libm::log10(value) - low) / (high - low);
                start + share * (self.length - start - PAD)
            }
            Kind::Log { .. } if value == 0.0 => ZERO_AT,
            Kind::Log { .. } => return None,
            Kind::Categories { count } => (value + 0.5) / count as f64 * self.length,
        };
        at.is_finite().then_some(at)
    }

    /// Position in pixels from the start of the axis, moved to its nearest end when beyond it.
    pub(super) fn clamped(&self, value: f64) -> f64 {
        self.at(value).unwrap_or(0.0).clamp(0.0, self.length)
    }

    /// Where the axis is broken between zero and its logarithmic part.
    pub(super) fn break_at(&self) -> Option<f64> {
        match self.kind {
            Kind::Log { start, .. } if start > PAD => Some(f64::midpoint(ZERO_AT, start)),
            _ => None,
        }
    }

    /// Whether points next to each other may be joined by a line.
    pub(super) fn is_continuous(&self) -> bool {
        !matches!(self.kind, Kind::Categories { .. })
    }
}

fn range(values: &[f64]) -> Option<(f64, f64)> {
    let low = values.iter().copied().reduce(f64::min)?;
    let high = values.iter().copied().reduce(f64::max)?;
    Some((low, high))
}

fn linear(
    bounds: (Option<f64>, Option<f64>),
    values: &[f64],
    length: f64,
    wanted: f64,
    vertical: bool,
) -> Fitted {
    let (low, high) = range(values).unwrap_or((0.0, 1.0));
    let (mut low, mut high) = (bounds.0.unwrap_or(low), bounds.1.unwrap_or(high));
    if !(high - low).is_finite() || high - low <= 1e-12 * high.abs().max(low.abs()) {
        // One value, or none: some room around it.
        let room = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
        high = bounds.1.unwrap_or(low + room).max(low + room);
        low = bounds.0.unwrap_or(low - if low > 0.0 { room } else { 0.0 });
    }
    let step = nice_step((high - low) / wanted);
    let (first, last) = if vertical {
        ((low / step).floor(), (high / step).ceil())
    } else {
        ((low / step).ceil(), (high / step).floor())
    };
    if vertical && bounds.0.is_none() {
        low = first * step;
    }
    if vertical && bounds.1.is_none() {
        high = last * step;
    }
    let kind = Kind::Linear {
        low,
        high,
        pad: if vertical { 0.0 } else { PAD },
    };
    let (unit, prefix) = prefix(low.abs().max(high.abs()));
    let decimals = (-libm::floor(libm::log10(step / unit) + 1e-9)).clamp(0.0, 12.0) as usize;
    let mut fitted = Fitted::of(kind, length);
    let count = (last - first).clamp(0.0, 1000.0) as usize;
    for i in 0..=count {
        let value = (first + i as f64) * step;
        let label = if value == 0.0 {
            fixed(0.0, decimals)
        } else if (1e-6..1e15).contains(&step) {
            format!("{}{prefix}", fixed(value / unit, decimals))
        } else {
            plain(value)
        };
        fitted.push(value, Some(label));
    }
    fitted
}

/// The unit in which values up to `largest` are written: long counts in thousands and so on.
fn prefix(largest: f64) -> (f64, &'static str) {
    match largest {
        x if x < 1e5 => (1.0, ""),
        x if x < 1e6 => (1e3, "k"),
        x if x < 1e9 => (1e6, "M"),
        _ => (1e9, "G"),
    }
}

/// The step of 1, 2 or 5 times a power of ten at or above `rough`.
pub(super) fn nice_step(rough: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let factor = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|f| f * power >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0);
    factor * power
}

fn log(values: &[f64], length: f64, wanted: f64) -> Fitted {
    let positive: Vec<f64> = values.iter().copied().filter(|v| *v > 0.0).collect();
    let (least, most) = range(&positive).unwrap_or((1.0, 10.0));
    let (mut low, mut high) = (libm::log10(least), libm::log10(most));
    if high - low < 0.1 {
        (low, high) = (low - 0.5, high + 0.5);
    }
    let has_zero = values.contains(&0.0);
    let start = if has_zero { LOG_AFTER_ZERO } else { PAD };
    let mut fitted = Fitted::of(Kind::Log { low, high, start }, length);
    if has_zero {
        fitted.push(0.0, Some("0".to_owned()));
    }
    let decades = high - low;
    // Labels at 1, 2 and 5 while there is room, then at 1, then at every second or third decade.
    let labelled: &[u32] = if 3.0 * decades <= wanted + 1.0 {
        &[1, 2, 5]
    } else {
        &[1]
    };
    let every = libm::ceil(decades / wanted).max(1.0) as i32;
    let exponents = libm::floor(low + 1e-9) as i32..=libm::floor(high + 1e-9) as i32;
    for exponent in exponents {
        for digit in 1..10_u32 {
            let value = f64::from(digit) * libm::pow(10.0, f64::from(exponent));
            let position = libm::log10(value);
            if position < low - 1e-9 || position > high + 1e-9 {
                continue;
            }
            let with_label = labelled.contains(&digit) && exponent.rem_euclid(every) == 0;
            let label = with_label.then(|| match exponent {
                -4..=4 => fixed(value, usize::try_from(-exponent).unwrap_or(0)),
                _ if digit == 1 => power_of_ten(exponent),
                _ => format!("{digit}·{}", power_of_ten(exponent)),
            });
            fitted.push(value, label);
        }
    }
    fitted
}

fn categories(names: &[String], length: f64) -> Fitted {
    let count = names.len().max(1);
    let mut fitted = Fitted::of(Kind::Categories { count }, length);
    for (i, name) in names.iter().enumerate() {
        fitted.push(i as f64, Some(name.clone()));
    }
    fitted
}

impl Fitted {
    /// An axis without ticks.
    fn of(kind: Kind, length: f64) -> Self {
        let ticks = Vec::new();
        Self {
            kind,
            length,
            ticks,
        }
    }

    fn push(&mut self, value: f64, label: Option<String>) {
        if let Some(at) = self.at(value)
            && (-0.5..=self.length + 0.5).contains(&at)
        {
            self.ticks.push(Tick { at, label });
        }
    }
}
