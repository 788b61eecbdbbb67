use super::*;

fn chain(stations: usize) -> Map {
    Map {
        title: "A <chain>".into(),
        places: (0..stations)
            .map(|n| Place {
                name: format!("N{n}"),
                x: 200.0 * n as f64,
                y: 0.0,
                moves: n == 1,
            })
            .collect(),
        pairs: (1..stations).map(|n| (n - 1, n)).collect(),
        pairs_label: "receive each other".into(),
        circles: vec![(250.0, "Reception".into()), (550.0, "Sensing".into())],
    }
}

/// The numbers of an attribute.
fn numbers(svg: &str, attribute: &str) -> Vec<f64> {
    let start = format!(" {attribute}=\"");
    let parts = svg.split(&start).skip(1);
    parts
        .filter_map(|part| part.split('"').next()?.parse().ok())
        .collect()
}

#[test]
fn circles_are_round_and_as_large_as_their_ranges() {
    let svg = chain(3).to_svg();
    let (places, radii) = (numbers(&svg, "cx"), numbers(&svg, "r"));
    // One circle in the legend, two ranges of three stations, the stations.
    assert_eq!(radii.len(), 1 + 6 + 3);
    let stations = &places[7..];
    let scale = (stations[1] - stations[0]) / 200.0;
    assert!((radii[1] - 250.0 * scale).abs() < 0.2, "{svg}");
    assert!((radii[4] - 550.0 * scale).abs() < 0.2, "{svg}");
    let edges = numbers(&svg, "cx").into_iter().zip(radii);
    for (x, radius) in edges.skip(1) {
        assert!(x - radius >= 0.0 && x + radius <= WIDTH, "{x} {radius}");
    }
    for part in [
        "A &lt;chain&gt;",
        "Reception: 250 m",
        "Sensing: 550 m",
        "receive each other",
        "moves;",
    ] {
        assert!(svg.contains(part), "{part} in {svg}");
    }
}

#[test]
fn many_stations_have_the_circles_of_the_first_one() {
    let svg = chain(MAX_CIRCLES + 1).to_inline_svg();
    let stations = MAX_CIRCLES + 1;
    assert_eq!(numbers(&svg, "r").len(), 1 + 2 + stations);
    assert!(svg.contains("Sensing: 550 m, around N0"));
    assert!(!svg.contains("<style>"));
}

#[test]
fn odd_networks_make_no_odd_picture() {
    let mut alone = chain(1);
    alone.circles.clear();
    let mut odd = chain(2);
    odd.circles = vec![(f64::INFINITY, "Reception".into()), (0.0, "Sensing".into())];
    odd.pairs = vec![(0, 7)];
    let mut same = chain(2);
    same.places[1].x = 0.0;
    for map in [Map::default(), alone, odd, same] {
        let svg = map.to_svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}

#[test]
fn names_of_near_places_stand_apart() {
    let mut near = chain(3);
    near.places[1].x = 395.0;
    let svg = near.to_svg();
    let side = |name: &str| {
        let end = svg.find(&format!(">{name}</text>")).expect("a name");
        let text = &svg[svg[..end].rfind("<text").expect("its beginning")..end];
        (text.contains(r#"anchor="end""#), numbers(text, "y")[0])
    };
    assert_ne!(side("N1"), side("N2"));
}
