//! A small drawing of a claim's numbers: the paper's beside ours, each on its own line.

use std::fmt::Write;

use super::measure::{Part, Stated};
use super::text::{number, ours as ours_of, stated};

/// Lines that a picture has room for.
const ROOM: usize = 8;
/// Height of a line, and where the names end and the numbers begin, in pixels.
const LINE: f64 = 22.0;
const NAMES: f64 = 170.0;
const WIDTH: f64 = 640.0;
/// Where the scale ends and both numbers stand, in pixels.
const ENDS: f64 = 460.0;
/// Width left free on both sides, in pixels.
const MARGIN: f64 = 12.0;

/// The drawing as inline SVG; `None` when the paper gives no number for any part, or nothing was run.
pub(super) fn picture(parts: &[Part]) -> Option<String> {
    let lines: Vec<Line<'_>> = parts.iter().filter_map(Line::of).take(ROOM).collect();
    if lines.is_empty() {
        return None;
    }
    let mut out = format!(
        "<svg class=\"picture\" role=\"img\" viewBox=\"0 0 {WIDTH} {}\" width=\"{WIDTH}\"><title>The paper's numbers \
         and ours</title>",
        LINE * (lines.len() as f64 + 1.0)
    );
    for (index, line) in lines.iter().enumerate() {
        line.draw(&mut out, LINE * (index as f64 + 0.5));
    }
    let y = LINE * (lines.len() as f64 + 0.65);
    let _ = write!(
        out,
        "<text class=\"key\" x=\"{NAMES}\" y=\"{y}\">◆ the paper   ● ours, with its 95% interval; each line has a scale of its own</text></svg>"
    );
    Some(out)
}

/// A number of the paper, ours with its interval, and a scale that holds both and zero.
struct Line<'a> {
    part: &'a Part,
    paper: f64,
    ours: f64,
    ends: [f64; 2],
    scale: [f64; 2],
}

impl<'a> Line<'a> {
    fn of(part: &'a Part) -> Option<Self> {
        let Stated::Number(paper) = part.paper else {
            return None;
        };
        let ours = part.ours.filter(|x| x.is_finite())?;
        let ends = part.ci95.unwrap_or([ours, ours]);
        let all = [0.0, paper, ours, ends[0], ends[1]];
        let low = all.into_iter().reduce(f64::min)?;
        let high = all.into_iter().reduce(f64::max)?;
        Some(Self {
            part,
            paper,
            ours,
            ends,
            scale: [low, if high > low { high } else { low + 1.0 }],
        })
    }

    fn x(&self, value: f64) -> f64 {
        let [low, high] = self.scale;
        let share = (value - low) / (high - low);
        NAMES + MARGIN + share * (ENDS - NAMES - 2.0 * MARGIN)
    }

    fn draw(&self, out: &mut String, y: f64) {
        let [zero, paper, ours, low, high] =
            [0.0, self.paper, self.ours, self.ends[0], self.ends[1]].map(|value| self.x(value));
        let _ = write!(
            out,
            "<g><title>paper {}, ours {}</title>\
             <text x=\"0\" y=\"{:.1}\">{}</text>\
             <line class=\"axis\" x1=\"{}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <line class=\"zero\" x1=\"{zero:.1}\" x2=\"{zero:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
             <line class=\"ci\" x1=\"{low:.1}\" x2=\"{high:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <circle cx=\"{ours:.1}\" cy=\"{y:.1}\" r=\"4\"/>\
             <path d=\"M{paper:.1} {:.1}l5 6l-5 6l-5 -6z\"/>\
             <text x=\"{ENDS}\" y=\"{:.1}\">◆ {} ● {}</text></g>",
            escaped(&stated(self.part)),
            escaped(&ours_of(self.part)),
            y + 4.0,
            escaped(&self.part.name),
            NAMES + MARGIN,
            ENDS - MARGIN,
            y - 6.0,
            y + 6.0,
            y - 6.0,
            y + 4.0,
            escaped(&stated(self.part)),
            escaped(&number(self.part)),
        );
    }
}

/// Text as it may stand in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Verdict;

    fn part(paper: Stated, ours: Option<f64>) -> Part {
        Part {
            name: "over <reno>".into(),
            paper,
            ours,
            ci95: ours.map(|x| [x - 5.0, x + 5.0]),
            unit: "%".into(),
            verdict: Verdict::Reproduced,
            remark: None,
            deciding: None,
        }
    }

    #[test]
    fn numbers_of_both_are_drawn_and_nothing_else() {
        let number = || Stated::Number(40.0);
        let words = || Stated::Condition("ahead".into());
        let drawn = picture(&[part(number(), Some(50.0)), part(words(), Some(1.0))]);
        let drawn = drawn.expect("one part has numbers");
        assert_eq!(drawn.matches("<circle").count(), 1);
        assert!(drawn.contains("over &lt;reno&gt;"), "{drawn}");
        // From 0 to 55: the paper's 40 and our 50.
        assert!(drawn.contains("cx=\"423.8\""), "{drawn}");
        assert!(drawn.contains("M375.5 5.0"), "{drawn}");
        assert_eq!(
            picture(&[part(number(), None), part(words(), Some(1.0))]),
            None
        );
    }
}
