//! Scenarios on disk, and the traces beside them.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use skywave_core::link::Service;
use skywave_lab::scenario::{Scenario, ScenarioError};

const TEXT: &str = "[[link]]\nbetween = [\"A\", \"B\"]\ntrace = \"down.trace\"\n\
                    reverse_rate = \"1Mbps\"\ndelay = \"1ms\"\n\
                    [[flow]]\nfrom = \"A\"\nto = \"B\"\n[run]\nduration = \"1s\"\n";

/// A folder with the scenario `trace.toml` and its trace.
fn folder(trace: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("trace.toml"), TEXT).expect("written");
    std::fs::write(folder.path().join("down.trace"), trace).expect("written");
    folder
}

fn load(folder: &Path, name: &str) -> Result<Scenario, ScenarioError> {
    skywave_lab::folder::load(&folder.join(name))
}

/// The message without the folder's own name.
fn message(folder: &Path, result: Result<Scenario, ScenarioError>) -> String {
    let error = result.expect_err("is refused");
    error
        .render(false)
        .replace(&format!("{}/", folder.display()), "")
        .replace(&folder.display().to_string(), "FOLDER")
}

#[test]
fn a_scenario_is_named_after_its_file_and_finds_its_trace() {
    let folder = folder(b"0\n4\n9\n");
    let scenario = load(folder.path(), "trace.toml").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scenario.name(), "trace");
    assert_eq!(scenario.traces(), [folder.path().join("down.trace")]);
    let spec = scenario.points()[0].spec(1);
    match &spec.links[0].config.service {
        Service::Trace(trace) => assert_eq!(trace.opportunities(), 3),
        Service::Rate(_) => panic!("a trace is expected"),
    }
    assert!(matches!(spec.links[1].config.service, Service::Rate(_)));
}

#[test]
fn a_wrong_line_of_a_trace_is_shown_in_the_trace() {
    let folder = folder(b"0\n4\nfive\n9\n");
    insta::assert_snapshot!(message(folder.path(), load(folder.path(), "trace.toml")));
}

#[test]
fn escape_sequences_of_a_trace_do_not_reach_the_terminal() {
    let folder = folder(b"0\n4\n\x1b[2Jfive\n9\n");
    let shown = message(folder.path(), load(folder.path(), "trace.toml"));
    assert!(
        shown.contains("five") && !shown.contains('\u{1b}'),
        "{shown:?}"
    );
}

#[test]
fn a_missing_trace_is_shown_where_it_is_named() {
    let folder = folder(b"");
    std::fs::remove_file(folder.path().join("down.trace")).expect("removed");
    insta::assert_snapshot!(message(folder.path(), load(folder.path(), "trace.toml")));
}

#[test]
fn an_empty_trace_is_refused() {
    let folder = folder(b"");
    insta::assert_snapshot!(message(folder.path(), load(folder.path(), "trace.toml")));
}

#[test]
fn a_trace_that_is_no_text_is_refused() {
    let folder = folder(&[0xff, 0xfe, 0x00]);
    insta::assert_snapshot!(message(folder.path(), load(folder.path(), "trace.toml")));
}

#[test]
fn a_missing_scenario_is_named() {
    let folder = folder(b"");
    let error = message(folder.path(), load(folder.path(), "no.toml"));
    assert!(
        error.contains("cannot read no.toml: there is no such file"),
        "{error}"
    );
}

#[test]
fn a_folder_is_no_scenario() {
    let folder = folder(b"");
    let error = message(folder.path(), skywave_lab::folder::load(folder.path()));
    assert!(error.contains("it is not a file"), "{error}");
}

#[test]
fn a_scenario_beyond_a_mebibyte_is_not_read() {
    let folder = folder(b"");
    std::fs::write(folder.path().join("big.toml"), vec![b'#'; 2 << 20]).expect("written");
    let error = message(folder.path(), load(folder.path(), "big.toml"));
    assert!(error.contains("larger than 1 MiB"), "{error}");
}

#[test]
fn a_device_without_end_is_not_read() {
    let (done, finished) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        done.send(skywave_lab::folder::load(Path::new("/dev/zero")).is_err())
    });
    assert_eq!(finished.recv_timeout(Duration::from_secs(20)), Ok(true));
}

#[test]
fn another_trace_takes_the_place_of_one_that_is_not_there() {
    let folder = folder(b"1\n2\n");
    let text = TEXT.replace(
        "trace = \"down.trace\"",
        "trace = \"recorded.trace\"\ntrace_else = \"down.trace\"",
    );
    std::fs::write(folder.path().join("trace.toml"), text).expect("written");
    let traces = |folder: &std::path::Path| {
        let scenario = load(folder, "trace.toml").unwrap_or_else(|e| panic!("{e}"));
        scenario.traces().to_vec()
    };
    assert_eq!(traces(folder.path()), [folder.path().join("down.trace")]);
    std::fs::write(folder.path().join("recorded.trace"), "1\n").expect("written");
    assert_eq!(
        traces(folder.path()),
        [folder.path().join("recorded.trace")]
    );
}

/// Ten minutes of a 4G link as mahimahi records it, 220 Mb/s on average, are 75 MB.
#[test]
fn a_trace_of_a_fast_link_may_be_long() {
    let mut trace = String::new();
    for ms in 0..600_000 {
        for _ in 0..18 {
            writeln!(trace, "{ms}").unwrap();
        }
    }
    assert!(trace.len() > 70_000_000);
    let folder = folder(trace.as_bytes());
    let scenario = load(folder.path(), "trace.toml").unwrap_or_else(|e| panic!("{e}"));
    match &scenario.points()[0].spec(1).links[0].config.service {
        Service::Trace(trace) => assert_eq!(trace.opportunities(), 600_000 * 18),
        Service::Rate(_) => panic!("a trace is expected"),
    }
}

#[test]
fn a_trace_beyond_a_gibibyte_is_not_read() {
    let folder = folder(b"");
    let file = std::fs::File::create(folder.path().join("down.trace")).expect("made");
    file.set_len((1 << 30) + 1).expect("a hole");
    let error = message(folder.path(), load(folder.path(), "trace.toml"));
    assert!(error.contains("larger than 1024 MiB"), "{error}");
}

/// Comments of files of the time of ns-2 may be in Latin-1.
#[test]
fn movements_may_have_comments_in_latin_1() {
    let folder = folder(b"");
    let scene = b"# Universit\xe4t\nset god_ [God instance]\n$node_(0) set X_ 0.0\n$node_(0) set Y_ 0.0\n\
        $node_(1) set X_ 100.0\n$node_(1) set Y_ 100.0\n$ns_ at 10.0 \"$node_(1) setdest 500.0 500.0 10.0\"\n";
    std::fs::write(folder.path().join("god.setdest"), scene).expect("written");
    let text = "[radio]\nstandard = \"802.11b\"\n[[station]]\nnode = \"N#\"\ncount = 2\nmoves = \"god.setdest\"\n\
        [[flow]]\nfrom = \"N1\"\nto = \"N2\"\n[run]\nduration = \"10s\"\n";
    std::fs::write(folder.path().join("scene.toml"), text).expect("written");
    let scenario = load(folder.path(), "scene.toml").unwrap_or_else(|e| panic!("{e}"));
    let [warning] = scenario.warnings() else {
        panic!("one warning");
    };
    let shown = warning.render(false);
    assert!(
        shown.contains("1 command that says nothing of movements was left out"),
        "{shown}"
    );
}
