//! The plots of a report, each on its own.

use std::collections::BTreeMap;
use std::io;

use super::draw::panel_plot;
use super::html::{MAX_PLOTS, radio, traces};
use super::panel::sketches;
use super::plot::{Plot, Print};
use super::study::Study;
use crate::experiment::Results;

/// Longest name of a file, without its ending.
const MAX_NAME: usize = 120;

/// A plot of a report as an SVG file of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Name of the drawing's file without the ending, such as `goodput-against-loss-rate`; unique within a report.
    pub name: String,
    /// Heading of the plot, for people.
    pub title: String,
    /// Contents of the SVG file.
    pub svg: String,
}

/// Draws the plots of a report, each as an SVG file of its own: as on the report's HTML page with `None`, or for paper
/// as `print` asks. Of the plots that [`panels`](super::panels) makes, the first 30 are drawn.
///
/// # Errors
///
/// When a recorded time series cannot be read back.
pub fn drawings(
    study: &Study,
    results: &Results,
    print: Option<&Print>,
) -> io::Result<Vec<Drawing>> {
    let drawing = |name: String, title: String, plot: Plot| Drawing {
        svg: match print {
            None => plot.to_svg(),
            Some(print) => plot.to_print_svg(print),
        },
        name,
        title,
    };
    let sketches = sketches(study);
    let panels = sketches.iter().take(MAX_PLOTS).map(|sketch| {
        let panel = sketch.panel(study, results);
        let title = panel.full_title();
        let plot = Plot {
            title: if panel.untitled {
                String::new()
            } else {
                title.clone()
            },
            ..panel_plot(&panel)
        };
        drawing(
            format!("{} {}", panel.name, panel.facet_label()),
            title,
            plot,
        )
    });
    let (traces, _) = traces::traces(study, results)?;
    let traces = traces.into_iter().flat_map(|trace| {
        let title = trace.title;
        let plots = trace.plots.into_iter();
        plots.map(move |plot| {
            let shown = plot.y.label.split(" (").next().unwrap_or_default();
            let name = format!("{shown} {title}");
            let plot = Plot {
                title: title.clone(),
                ..plot
            };
            drawing(name, title.clone(), plot)
        })
    });
    let pictures = radio::pictures(study, results);
    let pictures = pictures.iter().map(|picture| picture.drawing(print));
    let mut all: Vec<Drawing> = panels.chain(traces).chain(pictures).collect();
    name_files(&mut all);
    Ok(all)
}

/// Makes names of files of what drawings show: the second of a name has a number, and so on, the first that is free.
fn name_files(drawings: &mut [Drawing]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for drawing in drawings {
        let name = file_name(&drawing.name);
        let mut times = seen.get(&name).copied().unwrap_or(0);
        drawing.name = loop {
            times += 1;
            let numbered = match times {
                1 => name.clone(),
                n => format!("{name}-{n}"),
            };
            if !seen.contains_key(&numbered) {
                break numbered;
            }
        };
        seen.insert(drawing.name.clone(), 1);
        seen.insert(name, times);
    }
}

/// Words in small letters with hyphens between them.
fn file_name(words: &str) -> String {
    let mut name = String::new();
    for c in words.chars() {
        if c.is_alphanumeric() || (c == '.' && name.ends_with(|c: char| c.is_ascii_digit())) {
            name.extend(c.to_lowercase());
        } else if !name.ends_with('-') && !name.is_empty() {
            name.push('-');
        }
    }
    let short: String = name.chars().take(MAX_NAME).collect();
    short.trim_end_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_what_they_show() {
        let drawing = |name: &str| Drawing {
            name: name.into(),
            title: String::new(),
            svg: String::new(),
        };
        let mut all = [
            drawing("goodput against loss rate "),
            drawing("goodput against loss rate one-way delay of radio = 0.5ms"),
            drawing("Goodput against loss/rate"),
            drawing(&"x".repeat(500)),
            drawing("queue"),
            drawing("queue"),
            drawing("queue 2"),
            drawing("queue"),
        ];
        name_files(&mut all);
        let names: Vec<&str> = all.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names[0], "goodput-against-loss-rate");
        assert_eq!(
            names[1],
            "goodput-against-loss-rate-one-way-delay-of-radio-0.5ms"
        );
        assert_eq!(names[2], "goodput-against-loss-rate-2");
        assert_eq!(names[3].len(), MAX_NAME);
        assert_eq!(names[4..], ["queue", "queue-2", "queue-2-2", "queue-3"]);
    }
}
