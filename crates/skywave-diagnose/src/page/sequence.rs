//! Time-sequence plots: what was sent when, first and again by cause, what was lost, and what had arrived.

use std::fmt::Write;

use skywave_lab::report::plot::{Axis, Glyph, Look, Plot, Scale, SeriesData, escape};

use crate::diagnosis::Observed;
use crate::fit::path::Loss;
use crate::transfer::{Cause, Fate, Sent, WIDTH_NS};

/// Most marks of one kind for the script, and in the picture that a page has without it.
const MARKS: usize = 20_000;
const IN_PICTURE: usize = 1500;
/// Parts of a second and of a kilobyte in which the script's data count.
const TIME_PARTS: f64 = 1e4;
const BYTE_PARTS: f64 = 10.0;

/// Marks of one kind.
struct Marks {
    label: String,
    glyph: Glyph,
    /// Seconds and kilobytes, in the order of time.
    points: Vec<(f64, f64)>,
    /// Number of marks for which each stands.
    of: usize,
    is_line: bool,
}

/// Marks of a transfer by kind.
pub(super) struct Sequence(Vec<Marks>);

impl Sequence {
    /// The time-sequence plot of a transfer.
    pub(super) fn of(observed: &Observed) -> Self {
        let transfer = &observed.transfer;
        let at = positions(observed);
        let kinds = observed.path.as_ref().map_or(&[][..], |path| &path.kinds);
        let marks = |label: &str, glyph, is: &dyn Fn(usize, &Sent) -> bool| {
            let sent = transfer.sent.iter().enumerate();
            let points = sent
                .filter(|(index, sent)| is(*index, sent))
                .filter_map(|(index, sent)| Some((sent.at_s(), at[index]?)));
            Marks::new(label, glyph, points.collect())
        };
        let mut all = vec![marks("sent", Glyph::Dot, &|_, sent| sent.again.is_none())];
        for (cause, name) in Cause::ALL {
            let label = format!("sent again: {name}");
            let is = |_, sent: &Sent| sent.again == Some(cause);
            all.push(marks(&label, Glyph::Ring, &is));
        }
        let kind = |index: usize| kinds.get(index).copied().flatten();
        for (label, wanted) in [
            ("lost by a queue", Some(Loss::Congestive)),
            ("lost by the channel", Some(Loss::Random)),
            ("lost", None),
        ] {
            let is = |index, sent: &Sent| sent.fate == Fate::Lost && kind(index) == wanted;
            all.push(marks(label, Glyph::Cross, &is));
        }
        let mut sum = 0.0;
        let arrived = transfer.bins.iter().filter(|bin| bin.delivered > 0);
        let arrived = arrived.map(|bin| {
            sum += f64::from(bin.delivered) / 1e3;
            ((f64::from(bin.index) + 1.0) * WIDTH_NS as f64 / 1e9, sum)
        });
        let mut arrived = Marks::new("arrived, as answers told", Glyph::Dot, arrived.collect());
        arrived.is_line = true;
        all.push(arrived);
        all.retain(|marks| !marks.points.is_empty());
        Self(all)
    }

    /// The picture.
    pub(super) fn plot(&self) -> Plot {
        let series = self.0.iter().map(|marks| {
            if marks.is_line {
                return SeriesData::steps(marks.label.as_str(), &marks.points);
            }
            let step = marks.points.len().div_ceil(IN_PICTURE).max(1);
            let points = marks.points.iter().step_by(step);
            SeriesData {
                label: marks.label.clone(),
                points: points.map(|&(x, y)| (x, y, None)).collect(),
                look: Look::Glyphs(marks.glyph),
                names: Vec::new(),
            }
        });
        Plot {
            title: "Segments".to_owned(),
            x: Axis::new("Time (s)", Scale::Linear),
            y: Axis::new("Sequence number (kB)", Scale::Linear),
            series: series.collect(),
            ..Plot::default()
        }
    }

    /// The marks as JSON for the script: of each kind a name, a glyph, how many it stands for, and numbers that are differences: times in
    /// tenths of a millisecond, then positions in hundreds of bytes.
    pub(super) fn data(&self) -> String {
        let mut out = String::from("[");
        for (index, marks) in self.0.iter().enumerate() {
            let glyph = match (marks.is_line, marks.glyph) {
                (true, _) => "line",
                (_, Glyph::Dot) => "dot",
                (_, Glyph::Ring) => "ring",
                (_, Glyph::Cross) => "cross",
            };
            let comma = if index == 0 { "" } else { "," };
            // Writing to a string does not fail, here and below.
            let _ = write!(
                out,
                r#"{comma}{{"name":"{}","glyph":"{glyph}","of":{},"x":"#,
                escape(&marks.label),
                marks.of
            );
            differences(
                &mut out,
                marks.points.iter().map(|point| point.0 * TIME_PARTS),
            );
            out.push_str(r#","y":"#);
            differences(
                &mut out,
                marks.points.iter().map(|point| point.1 * BYTE_PARTS),
            );
            out.push('}');
        }
        out.push(']');
        out
    }
}

impl Marks {
    /// Marks, thinned out.
    fn new(label: &str, glyph: Glyph, points: Vec<(f64, f64)>) -> Self {
        let of = points.len().div_ceil(MARKS).max(1);
        Self {
            label: label.to_owned(),
            glyph,
            points: points.into_iter().step_by(of).collect(),
            of,
            is_line: false,
        }
    }
}

/// Whole numbers as an array of each one's difference from the one before.
fn differences(out: &mut String, values: impl Iterator<Item = f64>) {
    out.push('[');
    let mut before = 0;
    for (index, value) in values.enumerate() {
        let value = libm::round(value) as i64;
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(out, "{comma}{}", value - before);
        before = value;
    }
    out.push(']');
}

/// Positions of the ends of the segments sent, kilobytes; `None` of those sent again after all knew that they had arrived.
fn positions(observed: &Observed) -> Vec<Option<f64>> {
    let transfer = &observed.transfer;
    let mut sum = 0.0;
    let mut origins = transfer.origins.iter().peekable();
    let mut at: Vec<Option<f64>> = Vec::with_capacity(transfer.sent.len());
    for (index, sent) in transfer.sent.iter().enumerate() {
        let origin = origins.next_if(|(again, _)| *again as usize == index);
        at.push(match (origin, sent.again) {
            (Some((_, first)), _) => at.get(*first as usize).copied().flatten(),
            (None, None) => {
                sum += f64::from(u32::from(sent.bytes).saturating_sub(transfer.headers)) / 1e3;
                Some(sum)
            }
            (None, Some(_)) => None,
        });
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::script::{MSS, Script};
    use crate::why::why;

    #[test]
    fn what_is_sent_again_stands_where_it_was_sent_first() {
        let mut script = Script::begun(1);
        for segment in 0..5 {
            script.data(100 + u64::from(segment), segment * MSS, MSS);
        }
        // The second is lost, which answers to the others tell.
        script.ack(150, MSS, &[(2 * MSS, 5 * MSS)]);
        script.data(151, MSS, MSS);
        script.ack(200, 5 * MSS, &[]);
        let transfer = script.transfer();
        let observed = Observed {
            file: "made.pcap".to_owned(),
            why: why(&transfer, None),
            transfer,
            path: None,
        };
        let sequence = Sequence::of(&observed);
        let of = |label: &str| {
            sequence
                .0
                .iter()
                .find(|marks| marks.label == label)
                .unwrap()
        };
        let sent = &of("sent").points;
        assert_eq!(sent.len(), 5);
        let again = &of("sent again: duplicate ACKs").points;
        assert_eq!(again.len(), 1);
        assert!((again[0].1 - sent[1].1).abs() < 1e-9);
        assert_eq!(of("lost").points, [sent[1]]);
        let arrived = &of("arrived, as answers told").points;
        assert!((arrived.last().unwrap().1 - f64::from(5 * MSS) / 1e3).abs() < 1e-9);
        let data: serde_json::Value = serde_json::from_str(&sequence.data()).unwrap();
        assert_eq!(data[0]["x"].as_array().unwrap().len(), 5);
    }
}
