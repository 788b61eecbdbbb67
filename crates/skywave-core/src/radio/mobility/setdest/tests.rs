use super::*;
use proptest::prelude::*;

const FILE: &str = r#"
# nodes: 2, pause: 0.00, max speed: 20.00, max x: 1500.00, max y: 300.00
$node_(0) set X_ 83.36
$node_(0) set Y_ 239.4
$node_(0) set Z_ 0.0
  $node_(1)   set X_ -1e1
$node_(1) set Y_ 0
$god_ set-dist 0 1 2
$ns_ at 50.5 "$node_(1) setdest 378.5 19 17.25"
$ns_ at 51.0 "$god_ set-dist 0 1 1"
$ns_ at 2.0 "$node_(1) setdest 20.0 18.0 1.0"
"#;

fn error(text: &str) -> String {
    parse_setdest(text, 2).unwrap_err().to_string()
}

/// [`FILE`] with one line (counted from 1) replaced.
fn with_line(number: usize, line: &str) -> String {
    let mut lines: Vec<_> = FILE.lines().collect();
    lines[number - 1] = line;
    lines.join("\n")
}

#[test]
fn a_file_has_its_starts_and_commands_in_the_order_of_time() {
    let Movements { tracks, skipped } = parse_setdest(FILE, 2).unwrap();
    assert_eq!(skipped, 2, "what god is told");
    assert_eq!(tracks[0].start, Position { x: 83.36, y: 239.4 });
    assert_eq!(tracks[0].commands, []);
    assert_eq!(tracks[1].start, Position { x: -10.0, y: 0.0 });
    let at = |ms| Time::ZERO + Duration::from_millis(ms);
    let command = |ms, x, y, speed| Command {
        at: at(ms),
        to: Position { x, y },
        speed,
    };
    let expected = [
        command(2000, 20.0, 18.0, 1.0),
        command(50_500, 378.5, 19.0, 17.25),
    ];
    assert_eq!(tracks[1].commands, expected);
    let windows = FILE.replace('\n', "\r\n");
    assert_eq!(parse_setdest(&windows, 2).unwrap().tracks, tracks);
}

/// Lines as ns-2.35's own scenes have them (`tcl/mobility/scene`), `BonnMotion`, SUMO and people's scripts.
#[test]
fn what_says_nothing_of_movements_is_skipped_and_counted() {
    let text = "\
# nodes: 2, pause: 2.00, max speed: 10.00  max x = 670.00, max y: 670.00
set god_ [God instance]
set val(x) 670 ;# metres
set X 670
$node_(0) set X_ 83.4; $node_(0) set Y_ 44.2;
$node(1) set X_ 257.0 ;# where the road ends; and begins
\t$mobile_(1)  set\tY_ 0.9
$node_(0) off
$node_(7) random-motion 0
$ns_ initial_node_pos $node_(0) 20
$god_ set-dist 0 1 1
$ns at 50.0 \"$node_(1) setdest 369.5 170.5 3.4\" ; # later
$ns_ at 2.0 \"$god_ set-dist 0 1 2\"
$ns_ at 3 \"$node_(0) on\"
$ns_ at 4 {$node_(0) setdest 1 2 3; $node_(1) setdest 4 5 6}
$ns_ at 150.0 \"puts \\\"done; bye\\\"\"
$ns_ at 150.1 \"stop\"
";
    let found = parse_setdest(text, 2).unwrap();
    let starts: Vec<_> = found.tracks.iter().map(|track| track.start).collect();
    let at = |x, y| Position { x, y };
    assert_eq!(starts, [at(83.4, 44.2), at(257.0, 0.9)]);
    let moves: Vec<Vec<_>> = found
        .tracks
        .iter()
        .map(|track| {
            track
                .commands
                .iter()
                .map(|c| (c.at.as_secs_f64(), c.to))
                .collect()
        })
        .collect();
    assert_eq!(moves[0], [(4.0, at(1.0, 2.0))]);
    assert_eq!(moves[1], [(4.0, at(4.0, 5.0)), (50.0, at(369.5, 170.5))]);
    assert_eq!(found.skipped, 11);
}

#[test]
fn commands_of_one_time_stay_in_their_order() {
    let text = "$node_(0) set X_ 0\n$node_(0) set Y_ 0\n\
        $ns_ at 1 \"$node_(0) setdest 1 1 1\"\n$ns_ at 1 \"$node_(0) setdest 2 2 2\"";
    let track = &parse_setdest(text, 1).unwrap().tracks[0];
    let speeds: Vec<_> = track.commands.iter().map(|command| command.speed).collect();
    assert_eq!(speeds, [1.0, 2.0]);
}

#[test]
fn errors_name_the_line_and_what_was_expected() {
    assert_eq!(
        error(&with_line(6, "$node_(1) set X 3")),
        "line 6: expected `$node_(number) set X_ metres` (or Y_, Z_) or `$ns_ at seconds \
         \"$node_(number) setdest x y speed\"`, found \"$node_(1) set X 3\""
    );
    assert_eq!(
        error(&with_line(11, "$ns_ at 2.0 \"$node_(2) setdest 1 1 1\"")),
        "line 11: expected a node from 0 to 1, found \"2\""
    );
    assert_eq!(
        error(&with_line(11, "$ns_ at 2.0 \"$node_(1) setdest 1 1 -1\"")),
        "line 11: expected the speed in metres a second, from 0 to 300000000, found \"-1\""
    );
    assert_eq!(
        error(&with_line(3, "$node_(0) set X_ NaN")),
        "line 3: expected X_ in metres, from -1000000000 to 1000000000, found \"NaN\""
    );
    assert_eq!(
        error(&with_line(7, "")),
        "line 11: expected `$node_(1) set Y_ metres` before the end, found none"
    );
    assert_eq!(
        error(&with_line(5, "$node_(0) set X_ 1")),
        "line 5: expected X_ of node 0 once, found it again"
    );
    assert!(error("").starts_with("line 1: expected `$node_(0) set X_ metres`"));
    assert_eq!(parse_setdest("", 0), Ok(Movements::default()));
}

#[test]
fn what_is_nearly_right_is_wrong() {
    for line in [
        "set X_ 1",
        "$node_(0) set X_",
        "$node_(0) set X_ 1 2",
        "$node_(0 set X_ 1",
        "$node_(0) setdest 1 1 1",
        "$ns_ at 1 $node_(0) setdest 1 1 1",
        "$ns_ at 1 \"$node_(0) setdest 1 1 1",
        "$ns_ at 1 \"$node_(0) setdest 1 1\"",
        "$ns_ at 1 \"$node_(0) setdest 1 1 1 1\"",
        "$ns_ at 1 \"$node_(0) set X_ 1\"",
        "$ns_ at 1 \"puts x; $node_(0) setdest 1 1\"",
        "$ns_ at 1 {$node_(0) setdest 1 1 1",
        "for {set i 0} {$i < 2} {incr i} { $node_($i) set X_ 1 }",
        "$ns_ at \"$node_(0) setdest 1 1 1\"",
    ] {
        assert!(error(&with_line(1, line)).starts_with("line 1: "), "{line}");
    }
    for (line, what) in [
        ("$node_(-1) set X_ 1", "a node"),
        ("$node_(0x1) set X_ 1", "a node"),
        ("$node_(99999999999999999999) set X_ 1", "a node"),
        ("$node_(0) set Z_ inf", "Z_"),
        ("$ns_ at -1 \"$node_(0) setdest 1 1 1\"", "the time"),
        ("$ns_ at inf \"$node_(0) setdest 1 1 1\"", "the time"),
        ("$ns_ at 1 \"$node_(0) setdest 1 1e10 1\"", "y"),
        ("$ns_ at 1 \"$node_(0) setdest 1 1 4e8\"", "the speed"),
    ] {
        let expected = format!("line 1: expected {what}");
        assert!(error(&with_line(1, line)).starts_with(&expected), "{line}");
    }
}

/// Lines of the right words, in any order.
fn lines() -> impl Strategy<Value = String> {
    let words =
        "(\\$node_\\([0-9]?\\)|set|setdest|X_|Y_|\\$ns_ at|\\$god_|\"|-?[0-9.e]{1,4}| ){0,8}";
    prop::collection::vec(words, 0..8).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn no_text_panics(text in prop_oneof!["(?s).{0,200}", lines()], stations in 0..4usize) {
        if let Err(error) = parse_setdest(&text, stations) {
            prop_assert!((1..=text.lines().count().max(1)).contains(&error.line));
            prop_assert!(error.to_string().len() < 400);
        }
    }
}
