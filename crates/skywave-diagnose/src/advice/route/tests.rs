use super::*;

fn both() -> Attributes {
    Attributes {
        congctl: Some("bbr".into()),
        initial: Some((20, 40)),
        rto_min_ms: None,
    }
}

#[test]
fn one_command_has_all_attributes() {
    let text = r#"[{"dst":"203.0.113.7","gateway":"192.0.2.1","dev":"eth0","prefsrc":"192.0.2.2","flags":[],
        "uid":0,"cache":[],"metrics":[{"mtu":1400,"rto_min":100,"initcwnd":10,"congestion":"cubic"}]}]"#;
    let route = Route::parse(text).unwrap();
    let (run, undo) = both().commands(Some(&route));
    assert_eq!(
        run,
        "ip route replace 203.0.113.7 via 192.0.2.1 dev eth0 src 192.0.2.2 congctl bbr initcwnd 20 initrwnd 40 mtu 1400 rto_min 100ms"
    );
    assert_eq!(undo, "ip route del 203.0.113.7 via 192.0.2.1 dev eth0");
}

#[test]
fn a_route_that_is_not_known_has_places_to_fill_in() {
    let (run, undo) = both().commands(None);
    assert_eq!(
        run,
        "ip route replace DST via GW dev DEV congctl bbr initcwnd 20 initrwnd 40"
    );
    assert_eq!(undo, "ip route del DST via GW dev DEV");
}

#[test]
fn what_is_no_route_is_refused() {
    assert!(matches!(Route::parse("[]"), Err(BadRoute::Empty)));
    assert!(matches!(
        Route::parse("RTNETLINK"),
        Err(BadRoute::Unreadable(_))
    ));
}
