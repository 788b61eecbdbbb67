//! A range of numbers or quantities: from where to where, in which scale.

use crate::model::quantity::{Kind, UNITS, split};
use crate::read::fault::Fault;
use crate::read::tree::{Node, Span, Value};
use crate::search::decimal::Decimal;

/// Significant digits of what is drawn from a range, and most of its bounds.
pub(crate) const DIGITS: usize = 3;

/// Numbers from a lowest to a highest one, both included.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    low: Decimal,
    high: Decimal,
    is_log: bool,
    form: Form,
    span: Span,
}

/// How the numbers of a range are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Whole,
    Real,
    Quantity(Kind),
    /// A quantity of whole things.
    Things(Kind),
}

impl Range {
    /// The range that a table is, `{ log = [low, high] }` or `{ linear = [low, high] }`; `None` for any other value.
    pub(crate) fn of(node: &Node) -> Option<Result<Self, Fault>> {
        let [entry] = node.entries() else {
            return None;
        };
        let is_log = match entry.key.as_str() {
            "log" => true,
            "linear" => false,
            _ => return None,
        };
        Some(Self::between(&entry.node, is_log, &node.span))
    }

    fn between(bounds: &Node, is_log: bool, span: &Span) -> Result<Self, Fault> {
        let Some([low, high]) = bounds.as_array() else {
            return Err(bounds
                .fault("a range needs its lowest and its highest value")
                .label(format!("found {}", bounds.describe()))
                .help("for example, { log = [\"1Mbps\", \"50Mbps\"] } or { linear = [0, 0.3] }"));
        };
        let (first, second) = (bound(low)?, bound(high)?);
        let form = match (first.1, second.1) {
            (a, b) if a == b => a,
            (Form::Whole, Form::Real) | (Form::Real, Form::Whole) => Form::Real,
            (Form::Things(a), Form::Quantity(b)) | (Form::Quantity(a), Form::Things(b))
                if a == b =>
            {
                Form::Quantity(a)
            }
            _ => {
                return Err(high
                    .fault("the bounds of a range are of different kinds")
                    .label(format!(
                        "{} here, {} before",
                        high.describe(),
                        low.describe()
                    )));
            }
        };
        if first.0.value() >= second.0.value() {
            return Err(high
                .fault("this range has nothing in it")
                .label("must be above the lowest value"));
        }
        if is_log && first.0.value() <= 0.0 {
            return Err(low
                .fault("a logarithmic range begins above zero")
                .label("zero or below")
                .help("take { linear = […] } for a range with zero in it"));
        }
        Ok(Self {
            low: first.0,
            high: second.0,
            is_log,
            form,
            span: span.clone(),
        })
    }

    /// Whether it is even in the logarithm.
    pub(crate) fn is_log(&self) -> bool {
        self.is_log
    }

    fn is_whole(&self) -> bool {
        matches!(self.form, Form::Whole | Form::Things(_))
    }

    /// The number at `place`, from 0 for the lowest to 1 for the highest.
    pub(crate) fn at(&self, place: f64) -> Decimal {
        let (low, high) = (self.low.value(), self.high.value());
        let place = place.clamp(0.0, 1.0);
        let value = if self.is_log {
            let (from, to) = (libm::log(low), libm::log(high));
            libm::exp(from + (to - from) * place)
        } else if self.is_whole() {
            // Each whole number has as much room as any other.
            libm::floor(low + (high - low + 1.0) * place).min(high)
        } else {
            low + (high - low) * place
        };
        let value = if self.is_whole() {
            libm::round(value)
        } else {
            value
        };
        self.within(Decimal::nearest(value, DIGITS))
    }

    /// The place of a number, as [`Range::at`] has it.
    pub(crate) fn place(&self, number: Decimal) -> f64 {
        let (low, high, value) = (self.low.value(), self.high.value(), number.value());
        let place = if self.is_log {
            let (from, to) = (libm::log(low), libm::log(high));
            (libm::log(value) - from) / (to - from)
        } else if self.is_whole() {
            (value - low + 0.5) / (high - low + 1.0)
        } else {
            (value - low) / (high - low)
        };
        place.clamp(0.0, 1.0)
    }

    /// Both bounds have few digits, so that rounding does not leave the range but for a last digit.
    fn within(&self, number: Decimal) -> Decimal {
        if number.value() < self.low.value() {
            self.low
        } else if number.value() > self.high.value() {
            self.high
        } else {
            number
        }
    }

    /// Numbers of at most `digits` significant digits around `number` that are in the range, the nearer one first.
    pub(crate) fn rounded(&self, number: Decimal, digits: usize) -> Vec<Decimal> {
        let mut all = number.rounded(digits);
        all.retain(|&one| self.within(one) == one);
        all
    }

    /// The number as the file would have it, at the place of the range.
    pub(crate) fn node(&self, number: Decimal) -> Node {
        let value = match self.form {
            Form::Whole => Value::Int(number.to_string().parse().unwrap_or_default()),
            Form::Real => Value::Float(number.value()),
            Form::Quantity(kind) | Form::Things(kind) => Value::Text(written(number, kind)),
        };
        Node {
            span: self.span.clone(),
            value,
        }
    }

    /// Both bounds.
    pub(crate) fn ends(&self) -> [Decimal; 2] {
        [self.low, self.high]
    }
}

/// A bound in its base unit, and how it is written.
fn bound(node: &Node) -> Result<(Decimal, Form), Fault> {
    let (value, form) = match &node.value {
        Value::Int(i) => (*i as f64, Form::Whole),
        Value::Float(x) if x.is_finite() => (*x, Form::Real),
        Value::Text(text) => {
            let (value, kind) = split(text, &[]).map_err(|reason| {
                let mut lines = reason.splitn(2, '\n');
                let label = lines.next().unwrap_or_default().to_owned();
                let help = lines.next().unwrap_or_default();
                node.fault("a bound of a range must be a number or a quantity")
                    .label(label)
                    .help(help)
            })?;
            let things = matches!(kind, Kind::Packets | Kind::Segments) && value.fract() == 0.0;
            let form = if things {
                Form::Things(kind)
            } else {
                Form::Quantity(kind)
            };
            (value, form)
        }
        _ => {
            return Err(node
                .fault("a bound of a range must be a number or a quantity")
                .label(format!("found {}", node.describe())));
        }
    };
    let decimal = Decimal::nearest(value, DIGITS);
    // A quantity in another unit may be off by a last bit.
    if (decimal.value() - value).abs() > value.abs() * 1e-12 {
        return Err(node
            .fault("this bound of a range has too many digits")
            .label(format!("at most {DIGITS} significant ones")));
    }
    Ok((decimal, form))
}

/// A number of base units with the largest unit of its kind in which it is at least 1.
fn written(number: Decimal, kind: Kind) -> String {
    let tens = UNITS.iter().filter(|unit| unit.1 == kind);
    let tens = tens.filter_map(|(name, _, scale)| {
        let power = Decimal::nearest(*scale, 1).magnitude();
        (Decimal::nearest(1.0, 1).over(-power).value() == *scale).then_some((*name, power))
    });
    let mut best: Option<(&str, i32)> = None;
    for (name, power) in tens {
        let is_better = match best {
            None => true,
            Some((_, before)) => power > before && power <= number.magnitude(),
        };
        if is_better {
            best = Some((name, power));
        }
    }
    let (name, power) = best.unwrap_or_default();
    // Names of things stand apart, and "1 packet" is another unit.
    let is_word = matches!(kind, Kind::Packets | Kind::Segments);
    let amount = number.over(power);
    let plural = if is_word && amount.value() != 1.0 {
        "s"
    } else {
        ""
    };
    let space = if is_word { " " } else { "" };
    format!("{amount}{space}{name}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::tree;

    fn range(text: &str) -> Range {
        let tree = tree::parse(&format!("x = {text}")).unwrap();
        Range::of(tree.get("x").unwrap()).unwrap().unwrap()
    }

    fn at(text: &str, place: f64) -> String {
        let range = range(text);
        match range.node(range.at(place)).value {
            Value::Int(i) => i.to_string(),
            Value::Float(x) => format!("{x:?}"),
            Value::Text(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_are_written_with_units_and_few_digits() {
        for (text, places) in [
            (
                r#"{ log = ["0.5Mbps", "50Mbps"] }"#,
                ["500kbps", "5Mbps", "50Mbps"],
            ),
            (r#"{ log = ["2ms", "300ms"] }"#, ["2ms", "24.5ms", "300ms"]),
            (r#"{ linear = ["0ms", "5s"] }"#, ["0ns", "2.5s", "5s"]),
            (
                r#"{ log = ["1 packet", "2000 packets"] }"#,
                ["1 packet", "45 packets", "2000 packets"],
            ),
            ("{ linear = [0, 0.3] }", ["0.0", "0.15", "0.3"]),
            ("{ linear = [1, 4] }", ["1", "3", "4"]),
            ("{ log = [0.001, 0.25] }", ["0.001", "0.0158", "0.25"]),
            (r#"{ linear = ["5kB", "2MB"] }"#, ["5kB", "1MB", "2MB"]),
        ] {
            for (place, wanted) in [0.0, 0.5, 1.0].into_iter().zip(places) {
                assert_eq!(at(text, place), wanted, "{text} at {place}");
            }
        }
    }

    #[test]
    fn a_number_has_its_place() {
        for text in [
            r#"{ log = ["0.5Mbps", "50Mbps"] }"#,
            "{ linear = [1, 4] }",
            "{ linear = [0, 0.3] }",
        ] {
            let range = range(text);
            for step in 0..=20 {
                let number = range.at(f64::from(step) / 20.0);
                assert_eq!(range.at(range.place(number)), number, "{text}");
            }
        }
    }
}
