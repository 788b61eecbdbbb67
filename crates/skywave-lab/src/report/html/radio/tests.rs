use skywave_sim::outcome::Activity;

use super::*;

fn station(name: &str, spans: &[(f64, f64, Activity)]) -> StationOutcome {
    let span = |&(from_s, to_s, activity): &(f64, f64, Activity)| Span {
        from_s,
        to_s,
        activity,
    };
    StationOutcome {
        name: name.into(),
        timeline: spans.iter().map(span).collect(),
        ..StationOutcome::default()
    }
}

#[test]
fn a_timeline_has_a_row_a_station_from_the_top() {
    let stations = [
        station(
            "N1",
            &[(1.0, 1.25, Activity::Sends), (1.25, 1.5, Activity::Idle)],
        ),
        station("N2", &[(1.0, 1.5, Activity::Receives)]),
    ];
    let plot = timeline("What".into(), &stations);
    assert_eq!(
        plot.y.scale,
        Scale::Categories(vec!["N2".into(), "N1".into()])
    );
    let of = |label: &str| {
        let series = plot.series.iter().find(|s| s.label == label).unwrap();
        series
            .points
            .iter()
            .map(|(x, y, _)| (*x, *y))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("sends"), [(0.0, 1.0), (250.0, 1.0)]);
    assert_eq!(of("idle"), [(250.0, 1.0), (500.0, 1.0)]);
    assert_eq!(of("receives"), [(0.0, 0.0), (500.0, 0.0)]);
    assert_eq!(plot.x.bounds, (Some(0.0), Some(500.0)));
    let svg = plot.to_svg();
    assert!(svg.contains("N1") && svg.contains("backs off"), "{svg}");
}

#[test]
fn a_long_timeline_shows_its_beginning() {
    let spans: Vec<_> = (0..2 * MAX_SPANS)
        .map(|n| {
            let activity = [Activity::Sends, Activity::Idle][n % 2];
            (n as f64 * 0.001, (n + 1) as f64 * 0.001, activity)
        })
        .collect();
    let plot = timeline(String::new(), &[station("N1", &spans)]);
    let bars: usize = plot.series.iter().map(|s| s.points.len() / 2).sum();
    assert_eq!(bars, MAX_SPANS);
    assert!(
        timeline(String::new(), &[])
            .series
            .iter()
            .all(|s| s.points.is_empty())
    );
}
