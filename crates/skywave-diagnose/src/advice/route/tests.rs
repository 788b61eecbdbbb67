use super::*;

fn both() -> Attributes {
    Attributes {
        congctl: Some("bbr".into()),
        initial: Some((20, 40)),
        rto_min_ms: None,
    }
}

#[test]
fn one_command_has_all_attributes_and_places_to_fill_in() {
    let (run, undo) = both().commands();
    assert_eq!(
        run,
        "ip route replace DST via GW dev DEV congctl bbr initcwnd 20 initrwnd 40"
    );
    assert_eq!(
        undo, "ip route replace DST via GW dev DEV",
        "no route is ever missing"
    );
}
