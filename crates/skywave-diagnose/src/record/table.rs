//! Tables with a header: times with rates, bytes or round trips, the units in the names of the columns.
//!
//! A row's rate, or its bytes, hold from its time to that of the next row; a rate not over a gap in the record.

use std::ops::RangeInclusive;

use super::columns::{MAX_BPS, MAX_S};
use super::ping::MAX_RTT_S;
use super::text::number;
use super::{Fate, Mistake, Probe, ProbeTool, Probes, Rates, Reading, Record, Span, Way};
use crate::order::middle;

mod names;
#[cfg(test)]
mod tests;
mod time;

use names::{What, column};

const KIND: &str = "table";
/// Words for a value that is missing, or a probe that was lost.
const MISSING: [&str; 9] = ["", "-", "nan", "na", "n/a", "null", "none", "*", "timeout"];

/// The header of a text that is a table, and its line: names, one of them that of a time. It may be a comment.
pub(super) fn header(text: &str) -> Option<(usize, &str)> {
    let lines = text.lines().enumerate();
    let mut lines = lines.map(|(index, line)| (index + 1, line.trim()));
    let (line, header) = lines.find(|(_, line)| !line.is_empty())?;
    let header = header.trim_start_matches(['#', ' ']);
    let names = fields(header, separator(header));
    let known: Vec<What> = names
        .iter()
        .filter_map(|name| column(name))
        .map(|(what, _)| what)
        .collect();
    // With blanks between them, any words would do.
    let is_table = known.len() > 1 || known.len() == 1 && separator(header).is_some();
    (names.len() > 1 && is_table && known.contains(&What::Time)).then_some((line, header))
}

/// A row with its line.
struct Row<'a> {
    line: usize,
    text: &'a str,
}

/// A value as it is printed.
#[derive(Clone, Copy)]
struct Value {
    number: f64,
    /// Half of a unit of its last digit.
    half: f64,
}

/// Reads a table below its header: rates, round trips, or both.
pub(super) fn read(text: &str, (line, header): (usize, &str)) -> Result<Vec<Record>, Mistake> {
    let separator = separator(header);
    let table = Table {
        header_line: line,
        separator,
        names: fields(header, separator),
        rows: text
            .lines()
            .enumerate()
            .skip(line)
            .filter(|(_, row)| !row.trim().is_empty() && !row.starts_with('#'))
            .map(|(index, row)| Row {
                line: index + 1,
                text: row,
            })
            .collect(),
    };
    table.records()
}

struct Table<'a> {
    header_line: usize,
    separator: Option<char>,
    names: Vec<String>,
    rows: Vec<Row<'a>>,
}

impl Table<'_> {
    fn records(&self) -> Result<Vec<Record>, Mistake> {
        for row in &self.rows {
            if fields(row.text, self.separator).len() != self.names.len() {
                let expected = format!("{} columns as in the header", self.names.len());
                return Err(Mistake::in_line(KIND, row.line, expected, row.text));
            }
        }
        if self.rows.len() < 2 {
            let found = self.rows.len();
            return Err(Mistake::at(
                KIND,
                "below the header",
                "at least two rows",
                found,
            ));
        }
        let times = self.times()?;
        let mut records = Vec::new();
        if let Some(index) = self.find(What::Rate, "rate_bps, rate_kbps, rate_mbps or bytes")? {
            let bits = self.numbers(index, "a rate from 0 to 1e8 Mbit/s", 0.0..=MAX_BPS)?;
            records.push(self.rates(&times, &bits, false)?);
        } else if let Some(index) = self.find(What::Bytes, "bytes")? {
            let bits = self.numbers(index, "bytes from 0 to 1e14", 0.0..=8e14)?;
            records.push(self.rates(&times, &bits, true)?);
        }
        records.extend(self.probes(&times)?);
        if records.is_empty() {
            let place = format_args!("line {}", self.header_line);
            let expected = "a column such as rate_mbps, bytes or rtt_ms";
            let found = self.names.join(", ");
            return Err(Mistake::at(
                KIND,
                place,
                expected,
                super::mistake::excerpt(&found),
            ));
        }
        Ok(records)
    }

    /// The first column that holds this with its unit; an error if there are only such without.
    fn find(&self, wanted: What, examples: &str) -> Result<Option<(usize, f64)>, Mistake> {
        let mut without = None;
        for (index, name) in self.names.iter().enumerate() {
            match column(name) {
                Some((what, Some(unit))) if what == wanted => return Ok(Some((index, unit))),
                Some((what, None)) if what == wanted => without = without.or(Some(name)),
                _ => {}
            }
        }
        match without {
            Some(name) => Err(self.no_unit(name, examples)),
            None => Ok(None),
        }
    }

    fn no_unit(&self, name: &str, examples: &str) -> Mistake {
        let place = format_args!("line {}", self.header_line);
        let expected = format!("a column with its unit in its name, such as {examples}");
        let found = format!("{}, which has none", super::mistake::excerpt(name));
        Mistake::at(KIND, place, expected, found)
    }

    /// Seconds from the first row.
    fn times(&self) -> Result<Vec<f64>, Mistake> {
        let examples = "time_s or time_ms";
        let (index, unit) = if let Ok(Some((index, unit))) = self.find(What::Time, examples) {
            (index, Some(unit))
        } else {
            // A time may do without a unit if it is a date, or counts from 1970.
            let is_time = |name: &String| column(name).is_some_and(|(what, _)| what == What::Time);
            (
                self.names.iter().position(is_time).unwrap_or_default(),
                None,
            )
        };
        let mut times: Vec<f64> = Vec::with_capacity(self.rows.len());
        let mut start = None;
        let mut unit = unit;
        for row in &self.rows {
            let field = &self.field(row, index);
            let wrong = |expected: &str| Mistake::in_line(KIND, row.line, expected, row.text);
            let at = match (self.value(field), time::date(field)) {
                (Ok(Some(value)), _) => {
                    unit = unit.or_else(|| time::unit_of(value.number));
                    let unit = unit.ok_or_else(|| self.no_unit(&self.names[index], examples))?;
                    value.number * unit
                }
                (_, Some(seconds)) => seconds,
                (_, None) => return Err(wrong("a time as a number or a date")),
            };
            let at = at - *start.get_or_insert(at);
            if at < times.last().copied().unwrap_or_default() {
                return Err(wrong("a time not before that of the row above"));
            }
            if at > MAX_S {
                return Err(wrong("a time within a year of the first"));
            }
            times.push(at);
        }
        Ok(times)
    }

    /// A field of a row, which has as many as there are names. Rows are split each time: tables are long.
    fn field(&self, row: &Row<'_>, index: usize) -> String {
        let fields = fields(row.text, self.separator);
        fields.into_iter().nth(index).unwrap_or_default()
    }

    /// A field's value; `Ok(None)` if it is missing. After `;` as separator, `12,5` is a number.
    fn value(&self, field: &str) -> Result<Option<Value>, ()> {
        let field = field.trim();
        if MISSING.contains(&field.to_ascii_lowercase().as_str()) {
            return Ok(None);
        }
        let field = if self.separator == Some(';') {
            field.replace(',', ".")
        } else {
            field.to_owned()
        };
        let (digits, power) = field.split_once(['e', 'E']).unwrap_or((&field, "0"));
        let decimals = digits
            .split_once('.')
            .map_or(0, |(_, after)| after.len() as i32);
        let power = power
            .parse::<i32>()
            .unwrap_or_default()
            .saturating_sub(decimals);
        let number = number(&field).ok_or(())?;
        Ok(Some(Value {
            number,
            half: 0.5 * libm::pow(10.0, f64::from(power)),
        }))
    }

    /// The values of a column in the unit that `scale` leads to, all of them within `range`.
    fn numbers(
        &self,
        (index, scale): (usize, f64),
        expected: &str,
        range: RangeInclusive<f64>,
    ) -> Result<Vec<Option<Value>>, Mistake> {
        let values = self.rows.iter().map(|row| {
            let field = self.field(row, index);
            let wrong = || Mistake::in_line(KIND, row.line, expected, &field);
            let value = self.value(&field).map_err(|()| wrong())?;
            let value = value.map(|Value { number, half }| Value {
                number: number * scale,
                half: half * scale,
            });
            match value {
                // The last digit of `0e400` could be worth more than any value.
                Some(Value { number, half }) if !range.contains(&number) || half > *range.end() => {
                    Err(wrong())
                }
                _ => Ok(value),
            }
        });
        values.collect()
    }

    /// The probes, if the table has round trips, or both ways from which they follow.
    fn probes(&self, times: &[f64]) -> Result<Option<Record>, Mistake> {
        let examples = "rtt_ms, rtt_us or rtt_s";
        let column = |what, examples, expected, range| {
            let found = self.find(what, examples)?;
            found
                .map(|found| self.numbers(found, expected, range))
                .transpose()
        };
        let rtts = column(
            What::Rtt,
            examples,
            "a delay from 0 to an hour",
            0.0..=MAX_RTT_S,
        )?;
        // Clocks of two ends need not agree, so one way may seem to take less than no time.
        let way = |what, example| column(what, example, "a delay below 1e10 s", -1e10..=1e10);
        let (ups, downs) = (way(What::Up, "owd_up_ms")?, way(What::Down, "owd_down_ms")?);
        if rtts.is_none() && ups.is_none() && downs.is_none() {
            return Ok(None);
        }
        if rtts.is_none() && (ups.is_none() || downs.is_none()) {
            let place = format_args!("line {}", self.header_line);
            let expected =
                "a column of round trips such as rtt_ms, or both owd_up_ms and owd_down_ms";
            return Err(Mistake::at(KIND, place, expected, "delays of one way"));
        }
        let at = |values: &Option<Vec<Option<Value>>>, index: usize| -> Option<Value> {
            values.as_ref().and_then(|values| values[index])
        };
        let probes = times.iter().enumerate().map(|(index, &sent_s)| {
            let (up, down) = (at(&ups, index), at(&downs, index));
            let both = up.zip(down).map(|(up, down)| Value {
                number: up.number + down.number,
                half: up.half + down.half,
            });
            let rtt = if rtts.is_some() {
                at(&rtts, index)
            } else {
                both
            };
            let fate = match rtt {
                None => Fate::Lost(Way::Unknown),
                Some(Value { number, .. }) if !(0.0..=MAX_RTT_S).contains(&number) => {
                    let Row { line, text, .. } = self.rows[index];
                    let expected = "two ways that take from 0 to an hour together";
                    return Err(Mistake::in_line(KIND, line, expected, text));
                }
                Some(Value { number, half }) => Fate::Answered {
                    rtt: Reading {
                        low_s: (number - half).max(0.0),
                        high_s: number + half,
                    },
                    up_s: up.map(|up| up.number),
                    down_s: down.map(|down| down.number),
                },
            };
            Ok(Probe { sent_s, fate })
        });
        Ok(Some(Record::Probes(Probes {
            tool: ProbeTool::Table,
            probes: probes.collect::<Result<_, Mistake>>()?,
            bytes: None,
            is_timed: true,
        })))
    }

    /// Spans of rates from values that hold until the next time, the last one as long as the median of the others.
    fn rates(
        &self,
        times: &[f64],
        bits: &[Option<Value>],
        are_totals: bool,
    ) -> Result<Record, Mistake> {
        let mut gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.retain(|gap| *gap > 0.0);
        let usual = middle(&mut gaps).unwrap_or(1.0);
        let last = times.last().copied().unwrap_or_default() + usual;
        let ends = times.iter().skip(1).copied().chain([last]);
        let mut spans = Vec::with_capacity(times.len());
        for (index, ((&from_s, end_s), bits)) in times.iter().zip(ends).zip(bits).enumerate() {
            let is_gap = !are_totals && end_s - from_s > GAP * usual;
            let to_s = if is_gap { from_s + usual } else { end_s };
            let per = if are_totals { to_s - from_s } else { 1.0 };
            let bps = bits.map(|bits| bits.number / per);
            if to_s > from_s && bps.is_some_and(|bps| bps > MAX_BPS) {
                let Row { line, text, .. } = self.rows[index];
                let expected = "bytes of a rate up to 1e8 Mbit/s until the row below";
                return Err(Mistake::in_line(KIND, line, expected, text));
            }
            spans.push(Span { from_s, to_s, bps });
            if is_gap {
                spans.push(Span {
                    from_s: to_s,
                    to_s: end_s,
                    bps: None,
                });
            }
        }
        // Of rows with the same time the last one counts.
        spans.retain(|span| span.to_s > span.from_s);
        Ok(Record::Rates(Rates {
            spans,
            opportunities_ms: None,
            opportunity_bytes: 0,
        }))
    }
}

/// Rows that are further apart than so many of the usual intervals have a time between them that is not recorded.
const GAP: f64 = 5.0;

/// The character between the columns of a header; `None` for blanks.
fn separator(header: &str) -> Option<char> {
    [';', '\t', ',']
        .into_iter()
        .find(|&separator| header.contains(separator))
}

/// The fields of a line. Quotes keep separators.
fn fields(line: &str, separator: Option<char>) -> Vec<String> {
    let Some(separator) = separator else {
        return line.split_whitespace().map(str::to_owned).collect();
    };
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match fields.last_mut() {
            _ if c == '"' => is_quoted = !is_quoted,
            Some(_) if c == separator && !is_quoted => fields.push(String::new()),
            Some(field) => field.push(c),
            None => {}
        }
    }
    fields
}
