use super::axis::{Fitted, nice_step};
use super::*;

fn labels(axis: &Axis, values: &[f64], length: f64) -> Vec<String> {
    let fitted = Fitted::new(axis, values.iter().copied(), length, 60.0, true);
    fitted.ticks.into_iter().filter_map(|t| t.label).collect()
}

#[test]
fn steps_are_one_two_or_five() {
    for (rough, nice) in [
        (1.0, 1.0),
        (1.1, 2.0),
        (0.03, 0.05),
        (700.0, 1000.0),
        (2e-9, 2e-9),
    ] {
        let step = nice_step(rough);
        assert!((step / nice - 1.0).abs() < 1e-9, "{rough}: {step}");
    }
}

#[test]
fn linear_axes_end_on_round_numbers() {
    let axis = Axis::new("y", Scale::Linear).from(0.0);
    assert_eq!(
        labels(&axis, &[0.31, 1.93], 300.0),
        ["0.0", "0.5", "1.0", "1.5", "2.0"]
    );
    let axis = Axis::new("y", Scale::Linear);
    assert_eq!(
        labels(&axis, &[-3.0, 4.0], 300.0),
        ["−4", "−2", "0", "2", "4"]
    );
    // Nothing, one value, all the same: still an axis.
    for values in [
        &[][..],
        &[7.0],
        &[0.0, 0.0],
        &[-2.0, -2.0],
        &[f64::NAN, f64::INFINITY],
    ] {
        assert!(labels(&axis, values, 300.0).len() >= 2, "{values:?}");
    }
    assert_eq!(labels(&axis, &[0.0, 4e9], 200.0), ["0", "2G", "4G"]);
    assert_eq!(
        labels(&axis, &[1.1e6, 1.3e6], 200.0),
        ["1.1M", "1.2M", "1.3M"]
    );
}

#[test]
fn logarithmic_axes_label_decades_and_more_where_there_is_room() {
    let axis = Axis::new("x", Scale::Log);
    assert_eq!(
        labels(&axis, &[0.001, 0.1], 600.0),
        ["0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1"]
    );
    assert_eq!(
        labels(&axis, &[0.001, 0.1], 200.0),
        ["0.001", "0.01", "0.1"]
    );
    assert_eq!(labels(&axis, &[1e-9, 1e9], 300.0).len(), 5);
    assert_eq!(
        labels(&axis, &[1e-7, 1e-5], 100.0),
        ["10⁻⁷", "10⁻⁶", "10⁻⁵"]
    );
    assert!(!labels(&axis, &[], 300.0).is_empty());
}

#[test]
fn zero_has_a_place_on_a_logarithmic_axis() {
    let axis = Axis::new("x", Scale::Log);
    let fitted = Fitted::new(&axis, [0.0, 0.001, 0.1].into_iter(), 600.0, 60.0, false);
    assert_eq!(fitted.ticks[0].label.as_deref(), Some("0"));
    let (zero, first, last) = (fitted.at(0.0), fitted.at(0.001), fitted.at(0.1));
    let at_break = fitted.break_at().unwrap();
    assert!(zero.unwrap() < at_break && at_break < first.unwrap());
    assert!(last.unwrap() < 600.0);
    assert_eq!(fitted.at(-1.0), None);
    // Without zero there is no break.
    let fitted = Fitted::new(&axis, [0.001, 0.1].into_iter(), 600.0, 60.0, false);
    assert_eq!(fitted.break_at(), None);
}

#[test]
fn text_of_users_is_escaped_everywhere() {
    let evil = "</text><script>alert('x')</script>\"&\u{1}";
    let mut plot = Plot {
        title: evil.into(),
        x: Axis::new(evil, Scale::Categories(vec![evil.into()])),
        y: Axis::new(evil, Scale::Linear),
        series: vec![SeriesData::marked(evil, vec![(0.0, 1.0, Some(0.1))])],
        ..Plot::default()
    };
    for scale in [plot.x.scale.clone(), Scale::Linear] {
        plot.x.scale = scale;
        let svg = plot.to_svg();
        assert!(!svg.contains("<script") && !svg.contains("'x'") && !svg.contains('\u{1}'));
        assert!(svg.contains("&lt;script&gt;"));
    }
    assert_eq!(
        escape("<a href=\"x\">'&'</a>"),
        "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;"
    );
}

#[test]
fn odd_data_makes_no_odd_picture() {
    let points = vec![
        (0.0, f64::NAN, None),
        (f64::INFINITY, 1.0, None),
        (1.0, 2.0, Some(f64::NAN)),
        (2.0, 0.0, Some(5.0)),
        (-1.0, -1.0, Some(0.0)),
    ];
    for x in [Scale::Linear, Scale::Log, Scale::Categories(vec![])] {
        for y in [Scale::Linear, Scale::Log] {
            let plot = Plot {
                x: Axis::new("x", x.clone()),
                y: Axis::new("y", y),
                series: vec![
                    SeriesData::marked("a", points.clone()),
                    SeriesData::marked("empty", vec![]),
                ],
                ..Plot::default()
            };
            let svg = plot.to_svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
    assert!(Plot::default().to_svg().ends_with("</svg>"));
}

#[test]
fn thinning_keeps_the_extremes_in_order() {
    let wave = |i: usize| {
        (
            i as f64 * 0.01,
            if i == 5_000 { 9.0 } else { (i % 7) as f64 },
        )
    };
    let all: Vec<_> = (0..10_000).map(wave).collect();
    let few = thin(&all, 100);
    assert!(few.len() <= 404, "{}", few.len());
    assert!(few.contains(&(50.0, 9.0)));
    assert!(few.is_sorted_by(|a, b| a.0 < b.0));
    assert_eq!((few[0], few[few.len() - 1]), (all[0], all[9_999]));
    assert_eq!(thin(&all[..50], 100), &all[..50]);
    assert_eq!(thin(&[(1.0, 1.0); 500], 100).len(), 1);
}

#[test]
fn a_plot_on_its_own_names_every_colour_in_light_and_dark() {
    let svg = Plot::default().to_svg();
    assert!(!svg.contains("var(") && !svg.contains("--"), "{svg}");
    let (light, dark) = svg.split_once("@media screen").expect("a dark theme");
    for (ink, paper, theme) in [("#222", "#fff", light), ("#e6e6e6", "#16181b", dark)] {
        assert!(theme.contains(&format!("text{{fill:{ink}}}")), "{theme}");
        assert!(theme.contains(&format!("background:{paper}")), "{theme}");
    }
    // In a page the same rules use the page's palette.
    assert!(style().contains("text{fill:var(--ink)}"));
}

#[test]
fn a_long_title_is_broken_between_words() {
    let word = "<seventeen-signs>";
    let titled = |title: String| {
        let plot = Plot {
            title,
            ..Plot::default()
        };
        let svg = plot.to_svg();
        let lines = svg.split("class=\"h\"").skip(1);
        let lines: Vec<_> = lines.map(|l| l.matches("&lt;seventeen").count()).collect();
        lines
    };
    assert_eq!(titled(word.into()), [1]);
    // 720 pixels, of which a letter takes about 8.
    assert_eq!(titled([word; 7].join(" ")), [4, 3]);
    assert_eq!(titled("x".repeat(500)).len(), 1);
}

#[test]
fn a_plot_as_it_is_drawn() {
    let plot = Plot {
        title: "Goodput".into(),
        x: Axis::new("Loss", Scale::Log),
        y: Axis::new("Goodput (Mb/s)", Scale::Linear).from(0.0),
        series: vec![
            SeriesData::marked("reno", vec![(0.0, 1.9, None), (0.01, 0.6, Some(0.05))]),
            SeriesData::marked("cerl", vec![(0.0, 1.9, None), (0.01, 1.6, Some(0.1))]),
        ],
        size: (400.0, 300.0),
    };
    insta::assert_snapshot!(plot.to_inline_svg().replace("><", ">\n<"));
}

/// The contents of a picture's text elements.
fn texts(svg: &str) -> Vec<&str> {
    let parts = svg.split("<text").skip(1);
    let parts = parts.filter_map(|part| part.split_once('>')?.1.split_once("</text>"));
    parts.map(|(text, _)| text).collect()
}

#[test]
fn no_name_on_the_axis_is_left_out() {
    let names: Vec<String> = (0..12)
        .map(|i| format!("transport-{i}, recovery sack"))
        .collect();
    let plot = Plot {
        x: Axis::new("Transport", Scale::Categories(names.clone())),
        series: vec![SeriesData::marked(
            "",
            (0..12).map(|i| (f64::from(i), 1.0, None)).collect(),
        )],
        ..Plot::default()
    };
    let svg = plot.to_svg();
    let texts = texts(&svg);
    assert!(names.iter().all(|name| texts.contains(&name.as_str())));
    assert_eq!(svg.matches("rotate(-40)").count(), 12);
    // There is room for them: the picture grows.
    assert!(!svg.contains(r#"height="420""#));
    let few = Plot {
        x: Axis::new(
            "Transport",
            Scale::Categories(vec!["reno".into(), "cerl".into()]),
        ),
        ..plot
    };
    assert!(!few.to_svg().contains("rotate(-40)"));
}

#[test]
fn a_grey_figure_tells_series_apart_by_dashes() {
    let plot = Plot::default();
    let print = |grey| {
        plot.to_print_svg(&Print {
            grey,
            ..Print::default()
        })
    };
    assert!(print(true).contains(".c5 .l{stroke-dasharray"));
    assert!(!print(true).contains("#0072b2"));
    assert!(!print(false).contains(".c5 .l{stroke-dasharray"));
}

/// In Liberation Sans `westwood+` has 69 pixels at this size; system fonts have some more.
#[test]
fn wide_letters_get_room_in_a_legend() {
    assert!(super::text::width_of("westwood+") > 69.0);
    assert!(super::text::width_of("llllll") < super::text::width_of("wwwww"));
}

#[test]
fn a_figure_for_print_is_as_wide_as_asked_and_its_text_as_large() {
    let plot = Plot {
        title: "Goodput against loss".into(),
        x: Axis::new("Loss", Scale::Linear),
        y: Axis::new(
            "Goodput, mean over all flows of the network (Mb/s)",
            Scale::Linear,
        ),
        series: vec![SeriesData::marked("reno", vec![(0.0, 1.9, None)])],
        ..Plot::default()
    };
    let svg = plot.to_print_svg(&Print {
        width: Some(240.0),
        height: Some(150.0),
        font_size: Some(8.0),
        font: Some("Times New Roman".into()),
        grey: false,
    });
    // Text of 12 pixels is 8 points high: a pixel is two thirds of a point.
    assert!(
        svg.contains(r#"viewBox="0 0 360 225" width="240pt" height="150pt""#),
        "{svg}"
    );
    assert!(svg.contains("'Times New Roman'"));
    assert!(
        !texts(&svg).contains(&"Goodput against loss"),
        "a caption says it"
    );
    assert!(!svg.contains("prefers-color-scheme"));
    // A label longer than the picture is broken.
    assert!(
        texts(&svg).contains(&"the network (Mb/s)"),
        "{:?}",
        texts(&svg)
    );
    let evil = Print {
        font: Some("x'}</style><script>".into()),
        ..Print::default()
    };
    assert!(!plot.to_print_svg(&evil).contains("<script"));
}

#[test]
fn points_with_names_say_them() {
    let points = |n: u32| (0..n).map(|i| (f64::from(i), 1.0, None)).collect();
    let named = |n: u32| SeriesData {
        label: "published".into(),
        points: points(n),
        look: Look::Glyphs(Glyph::Ring),
        names: (0..n).map(|i| format!("<{i}>")).collect(),
    };
    let draw = |n| {
        let series = vec![named(n)];
        let plot = Plot {
            series,
            ..Plot::default()
        };
        plot.to_inline_svg()
    };
    let few = draw(3);
    assert!(few.contains("<title>&lt;1&gt;: 1 at 1</title>"), "{few}");
    assert_eq!(few.matches(">&lt;2&gt;</text>").count(), 1, "{few}");
    // Of many each says its name only when it is pointed at.
    let many = draw(21);
    assert!(many.contains("<title>&lt;20&gt;: 1 at 20</title>"));
    assert_eq!(many.matches("&gt;</text>").count(), 0, "{many}");
}

#[test]
fn a_line_marks_the_points_that_have_names() {
    let line = SeriesData {
        names: ["", "low", ""].map(str::to_owned).to_vec(),
        ..SeriesData::line("sender", &[(0.0, 3.0), (1.0, 1.0), (2.0, 2.0)])
    };
    let draw = |line: SeriesData| {
        let series = vec![line];
        Plot {
            series,
            ..Plot::default()
        }
        .to_inline_svg()
    };
    let named = draw(line.clone());
    assert!(named.contains("<title>low: 1 at 1</title>"), "{named}");
    assert_eq!(named.matches(">low</text>").count(), 1);
    assert_eq!(named.matches("<title>").count(), 1, "{named}");
    let names = Vec::new();
    assert_eq!(
        draw(SeriesData { names, ..line })
            .matches("<title>")
            .count(),
        0
    );
}
