//! The command as a user meets it: what is typed, what is printed, what is left on disk.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{skywave, text};

const TINY: &str = r#"
title = "Two variants over a lossy link"

[[link]]
name = "radio"
between = ["A", "B"]
rate = "1Mbps"
delay = "20ms"
queue = { droptail = "20 packets" }
loss = { forward = { iid = 0.01 } }

[[flow]]
name = "bulk"
from = "A"
to = "B"
transport = "reno"
traffic = "ftp"
rwnd = "60 segments"

[run]
duration = "5s"
seeds = 3

[sweep]
"flow.bulk.transport" = ["reno", "cerl"]
"link.radio.loss.forward.iid" = [0.0, 0.02]
"#;

#[test]
fn what_the_command_prints() {
    trycmd::TestCases::new().case("tests/cli/cmd/*.trycmd");
}

#[test]
fn a_run_leaves_its_files_and_any_number_of_threads_gives_the_same_bytes() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("tiny.toml"), TINY).expect("written");
    let one = skywave(
        dir.path(),
        &[
            "run",
            "tiny.toml",
            "--json",
            "--threads",
            "1",
            "--out",
            "one",
        ],
    );
    let two = skywave(
        dir.path(),
        &[
            "run",
            "tiny.toml",
            "--json",
            "--threads",
            "2",
            "--out",
            "two",
        ],
    );
    let again = skywave(
        dir.path(),
        &["run", "tiny.toml", "--json", "--fresh", "--out", "two"],
    );
    assert!(one.status.success(), "{}", text(&one.stderr));
    assert_eq!(text(&one.stdout).lines().count(), 2 * 2 * 3);
    assert_eq!(one.stdout, two.stdout);
    assert_eq!(one.stdout, again.stdout);
    for file in [
        "results.parquet",
        "links.parquet",
        "report.html",
        "scenario.toml",
    ] {
        let read = |out: &str| fs::read(dir.path().join(out).join("tiny").join(file)).expect(file);
        assert_eq!(read("one"), read("two"), "{file}");
    }
}

#[test]
fn each_json_line_has_the_documented_fields() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("tiny.toml"), TINY).expect("written");
    let out = skywave(dir.path(), &["run", "tiny.toml", "--json"]);
    let first = text(&out.stdout).lines().next().map(str::to_owned);
    let row: serde_json::Value = serde_json::from_str(&first.expect("a line")).expect("an object");
    for field in [
        "scenario",
        "seed",
        "params",
        "flow",
        "transport",
        "goodput_bps",
        "throughput_bps",
        "delivered_bytes",
        "retransmits",
        "timeouts",
        "fast_retransmits",
        "rtt_mean_s",
        "queue_drops",
        "channel_drops",
        "sent_packets",
        "window_cuts",
        "rtt_min_s",
        "cwnd_mean",
        "delay_p50_s",
        "delay_p95_s",
        "delay_p99_s",
        "completion_s",
        "share_cwnd",
        "lost_queue_dupacks",
    ] {
        assert!(row.get(field).is_some(), "{field}");
    }
    assert_eq!(row["params"]["flow.bulk.transport"], "reno");
    assert_eq!(row["params"]["link.radio.loss.forward.iid"], 0.0);
    assert_eq!(row["transport"], "reno");
}

#[test]
fn a_second_call_runs_nothing_again_and_a_changed_scenario_does() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("tiny.toml");
    fs::write(&file, TINY).expect("written");
    let first = skywave(dir.path(), &["run", "tiny.toml", "--json"]);
    let second = skywave(dir.path(), &["run", "tiny.toml", "--json"]);
    assert_eq!(first.stdout, second.stdout);
    fs::write(&file, TINY.replace("20ms", "40ms")).expect("written");
    let changed = skywave(dir.path(), &["run", "tiny.toml", "--json"]);
    assert_ne!(first.stdout, changed.stdout);
}

const STUDY: &str = r#"
title = "Two paths"
presets = ["reno", "cerl"]

[[cross]]
congestion = ["reno", "cerl"]
recovery = ["sack"]

[[path]]
name = "lossy"
kind = "lossy"
scenario = "path.toml"

[[path]]
name = "clean"
kind = "clean"
scenario = "path.toml"
set = { "link.radio.loss.forward.iid" = 0.0 }
"#;

#[test]
fn a_ranking_leaves_its_files_and_runs_only_what_is_missing() {
    let dir = tempfile::tempdir().expect("a directory");
    let (path, _) = TINY.split_once("[sweep]").expect("a sweep");
    let path = path.replace("\"bulk\"", "\"test\"");
    fs::write(dir.path().join("path.toml"), path).expect("written");
    fs::write(dir.path().join("study.toml"), STUDY).expect("written");
    let rank = |more: &[&str]| {
        let out = skywave(
            dir.path(),
            &[&["rank", "study.toml", "--json"], more].concat(),
        );
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    let first = rank(&["--threads", "1"]);
    assert_eq!(first.lines().count(), 4);
    let best: serde_json::Value =
        serde_json::from_str(first.lines().next().expect("a line")).expect("an object");
    assert_eq!(best["place"], 1);
    assert_eq!(
        best["paths"]["clean"]["rank"].as_f64().map(f64::is_finite),
        Some(true)
    );
    let kept = dir.path().join("runs/study/lossy/runs.jsonl");
    let runs = fs::read_to_string(&kept).expect("runs are kept");
    assert_eq!(runs.lines().count(), 4 * 3);
    let page = dir.path().join("runs/study/ranking.html");
    let before = fs::read(&page).expect("a page");
    assert_eq!(rank(&[]), first);
    assert_eq!(fs::read_to_string(&kept).expect("runs are kept"), runs);
    assert_eq!(rank(&["--fresh", "--threads", "2"]), first);
    assert_eq!(fs::read(&page).expect("a page"), before);
    assert!(dir.path().join("runs/study/ranking.parquet").exists());
    // It has no tables of mechanisms or families.
    let none = skywave(dir.path(), &["rank", "study.toml", "--markdown"]);
    assert_eq!(
        (none.status.code(), text(&none.stdout).as_str()),
        (Some(0), "")
    );
    assert!(text(&none.stderr).contains("neither mechanisms nor families"));
    // Each path's scenario is kept as it was run, in a file of its own.
    let again = skywave(dir.path(), &["check", "runs/study/clean/scenario.toml"]);
    assert!(again.status.success(), "{}", text(&again.stderr));
}

#[test]
fn the_plots_of_the_report_are_svg_files_on_request_with_the_same_bytes_each_time() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("tiny.toml"), TINY).expect("written");
    let plots = |args: &[&str], figures: &str| {
        let out = skywave(dir.path(), &[&["run", "tiny.toml"], args].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        let files = fs::read_dir(dir.path().join(figures)).expect("a directory");
        let mut files: Vec<_> = files.map(|f| f.expect("a file").path()).collect();
        files.sort();
        let printed = text(&out.stdout);
        for file in &files {
            let name = file.strip_prefix(dir.path()).expect("inside").display();
            let line = format!("Plot:   {name}\n");
            assert!(
                args.contains(&"--json") || printed.contains(&line),
                "{printed}"
            );
        }
        let read = files.iter().map(|f| {
            let name = f.file_name().unwrap_or_default().to_owned();
            (name, fs::read_to_string(f).expect("UTF-8"))
        });
        read.collect::<Vec<_>>()
    };
    let one = plots(&["--svg", "figures/new", "--threads", "1"], "figures/new");
    let two = plots(&["--svg", "again", "--fresh", "--json"], "again");
    assert_eq!(one, two);
    let report = fs::read_to_string(dir.path().join("runs/tiny/report.html")).expect("a report");
    assert_eq!(one.len(), report.matches("<svg").count());
    let (name, svg) = &one[0];
    assert_eq!(name, "tiny-goodput-against-loss-rate.svg");
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    assert!(svg.contains("<style>") && svg.contains("cerl") && svg.contains("reno"));
    // The series over time are plots of the report, too.
    let all = plots(&["--svg", "again", "--series"], "again");
    assert!(all.len() > one.len());
}

#[test]
fn captures_are_made_of_runs_that_are_stored_too_and_are_read_back() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("tiny.toml"), TINY).expect("written");
    let plain = skywave(dir.path(), &["run", "tiny.toml", "--json"]);
    let args = [
        "run",
        "tiny.toml",
        "--json",
        "--capture=radio",
        "--snaplen",
        "0",
    ];
    let captured = skywave(dir.path(), &args);
    assert!(captured.status.success(), "{}", text(&captured.stderr));
    assert_eq!(plain.stdout, captured.stdout);
    let file = "runs/tiny/captures/4-cerl-0.02/radio.pcapng";
    let size = |file: &str| fs::metadata(dir.path().join(file)).expect(file).len();
    let whole = size(file);
    // By default all links are captured, and of each packet only the headers.
    let all = skywave(dir.path(), &["run", "tiny.toml", "--capture"]);
    assert!(
        text(&all.stdout).contains("(8 pcapng files)"),
        "{}",
        text(&all.stdout)
    );
    assert!(size(file) < whole / 5);

    let row = text(&captured.stdout);
    let row = row.lines().find(|line| {
        let row: serde_json::Value = serde_json::from_str(line).expect("an object");
        row["seed"] == 1 && row["transport"] == "cerl" && row["channel_drops"] != 0
    });
    let row: serde_json::Value = serde_json::from_str(row.expect("a run")).expect("an object");
    let summary = skywave(dir.path(), &["diagnose", file]);
    let summary = text(&summary.stdout);
    assert!(
        summary.contains("TCP 10.0.0.1:50000 to 10.0.0.2:49152"),
        "{summary}"
    );
    let told = format!("{} retransmissions", row["retransmits"]);
    assert!(summary.contains(&told), "{told}: {summary}");
    assert!(summary.contains(" lost: channel error"), "{summary}");
    let report = fs::read_to_string(dir.path().join("runs/tiny/report.html")).expect("a report");
    assert!(report.contains("Segments of bulk around the first loss"));

    // They stay as long as the results that they belong to.
    let captures = dir.path().join("runs/tiny/captures");
    for (scenario, there) in [(TINY.into(), true), (TINY.replace("20ms", "40ms"), false)] {
        fs::write(dir.path().join("tiny.toml"), scenario).expect("written");
        let out = skywave(dir.path(), &["run", "tiny.toml"]);
        assert!(out.status.success(), "{}", text(&out.stderr));
        assert_eq!(captures.exists(), there);
    }
}

#[test]
fn a_capture_of_no_link_or_of_no_file_is_refused_before_anything_runs() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("tiny.toml"), TINY).expect("written");
    let out = skywave(dir.path(), &["run", "tiny.toml", "--capture=radio,radoi"]);
    assert_eq!(out.status.code(), Some(2));
    let message = text(&out.stderr);
    assert!(message.contains("no link is called `radoi`") && message.contains("`radio`"));
    assert!(!dir.path().join("runs").exists());

    let out = skywave(dir.path(), &["diagnose", "nothing.pcap"]);
    assert_eq!(out.status.code(), Some(1));
    let message = text(&out.stderr);
    assert!(message.contains("cannot read nothing.pcap: "), "{message}");
}

#[test]
fn files_in_the_way_of_a_partition_are_told_before_anything_runs() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("tiny.toml"), TINY).expect("written");
    let results = dir.path().join("runs/tiny/results");
    fs::create_dir_all(&results).expect("a folder");
    fs::write(results.join("notes.txt"), "mine").expect("written");
    let out = skywave(dir.path(), &["run", "tiny.toml", "--partition=transport"]);
    assert_eq!(out.status.code(), Some(1));
    let message = text(&out.stderr);
    assert!(message.contains("`notes.txt` in it"), "{message}");
    assert!(!dir.path().join("runs/tiny/runs.jsonl").exists());
}

#[test]
fn a_wrong_scenario_says_where_and_leaves_nothing_behind() {
    let dir = tempfile::tempdir().expect("a directory");
    let wrong = TINY.replace("\"1Mbps\"", "\"1 parsec\"");
    fs::write(dir.path().join("wrong.toml"), wrong).expect("written");
    let out = skywave(dir.path(), &["run", "wrong.toml"]);
    assert_eq!(out.status.code(), Some(2));
    let message = text(&out.stderr);
    assert!(message.contains("wrong.toml:7:8"), "{message}");
    assert!(message.contains("1 parsec"), "{message}");
    assert!(!dir.path().join("runs").exists());
}

#[test]
fn figures_are_chosen_of_one_paper() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = skywave(dir.path(), &["reproduce", "all", "--only", "fig7a"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("name it instead of `all`"));
    let output = skywave(dir.path(), &["reproduce", "crel"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_dir(dir.path()).expect("it is there").count(), 0);
}

#[test]
fn every_variant_is_listed_and_can_be_written_in_a_scenario() {
    let dir = tempfile::tempdir().expect("a directory");
    let list = text(&skywave(dir.path(), &["variants"]).stdout);
    let out = skywave(dir.path(), &["variants", "--json"]);
    let mut checked = 0;
    for line in text(&out.stdout).lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("an object");
        let name = ["preset", "member", "transport"].map(|kind| row[kind].as_str());
        let name = name.into_iter().flatten().next().expect("a name");
        let told = ["summary", "source"].map(|key| row[key].as_str().expect("words"));
        let entry = format!("\n  {name:<16} {}\n  {:<16} {}\n", told[0], "", told[1]);
        assert!(list.contains(&entry), "{line}");
        let scenario = match (
            row["preset"].as_str().or(row["transport"].as_str()),
            row["slot"].as_str(),
        ) {
            (Some(preset), _) => {
                TINY.replace("transport = \"reno\"", &format!("transport = \"{preset}\""))
            }
            (_, Some("acking")) => TINY.replace(
                "traffic =",
                &format!("acking = {}\ntraffic =", row["member"]),
            ),
            (_, Some(slot)) => TINY.replace(
                "transport = \"reno\"",
                &format!("transport = {{ {slot} = {} }}", row["member"]),
            ),
            _ => panic!("{line}"),
        };
        // Without this, the sweep would replace the transport.
        let scenario = scenario.replace("\"flow.bulk.transport\" = [\"reno\", \"cerl\"]", "");
        fs::write(dir.path().join("variant.toml"), scenario).expect("written");
        let check = skywave(dir.path(), &["check", "variant.toml"]);
        assert!(check.status.success(), "{line}: {}", text(&check.stderr));
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn a_study_is_checked_and_its_mistakes_are_shown_in_place() {
    let dir = tempfile::tempdir().expect("a directory");
    let alone = TINY.replace("name = \"bulk\"", "name = \"test\"");
    let alone = alone.split("[sweep]").next().expect("a scenario");
    fs::write(dir.path().join("alone.toml"), alone).expect("written");
    let study = "title = \"Tiny\"\npresets = [\"reno\", \"cerl\"]\n\n[[path]]\nname = \"lossy\"\n\
                 kind = \"lossy\"\nscenario = \"alone.toml\"\n";
    let write = |text: &str| fs::write(dir.path().join("my.toml"), text).expect("written");
    write(study);
    let check = skywave(dir.path(), &["check", "my.toml"]);
    assert_eq!(
        text(&check.stdout),
        "my.toml: 6 runs (a study: 2 compositions, 1 path)\n",
        "{}",
        text(&check.stderr)
    );
    let scenario = skywave(dir.path(), &["rank", "alone.toml"]);
    assert_eq!(scenario.status.code(), Some(2));
    let message = text(&scenario.stderr);
    assert!(
        message.contains("alone.toml: this is a scenario"),
        "{message}"
    );
    for (from, to, place, said) in [
        (
            "\"Tiny\"",
            "\"Tiny",
            "my.toml:1:14",
            "this is not valid TOML",
        ),
        ("title", "titel", "my.toml:1:1", "did you mean `title`?"),
        (
            "\"lossy\"\ns",
            "\"foggy\"\ns",
            "my.toml:6:8",
            "expected one of lossy",
        ),
    ] {
        write(&study.replacen(from, to, 1));
        for verb in ["rank", "check"] {
            let wrong = skywave(dir.path(), &[verb, "my.toml"]);
            assert_eq!(wrong.status.code(), Some(2));
            let message = text(&wrong.stderr);
            assert!(message.contains(place), "{verb}: {message}");
            assert!(message.contains(said), "{verb}: {message}");
        }
    }
}

#[test]
fn files_go_into_a_folder_under_the_name_that_the_sender_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let run = |args: &[&str]| skywave(dir.path(), args);
    let here = |name: &str| dir.path().join(name);
    for key in ["near", "far"] {
        let made = run(&["key", "--key", key]);
        fs::write(here(&format!("{key}.pub")), made.stdout).expect("written");
    }
    fs::write(here("film"), "pictures").expect("written");
    let recv = |into: &'static str| {
        let args = [
            "recv", "--key", "far", "--allow", "near.pub", "--into", into,
        ];
        [&args[..], &["--listen", "127.0.0.1:0", "--count", "1"]].concat()
    };
    let wrong = run(&recv("film"));
    assert_eq!(wrong.status.code(), Some(2));
    let said = text(&wrong.stderr);
    assert_eq!(
        said,
        "skywave: film: it is a file; expected a folder to put files into\n"
    );

    // The receiver makes the missing folder.
    let mut receiver = Command::new(env!("CARGO_BIN_EXE_skywave"))
        .args(recv("inbox"))
        .current_dir(dir.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // Expected: "skywave: listening at ADDRESS; …"
    let mut said = BufReader::new(receiver.stderr.take().expect("standard error"));
    let mut line = String::new();
    said.read_line(&mut line).expect("a line");
    let to = line.split([' ', ';']).nth(3).expect("an address");
    let send = ["send", "film", to, "--key", "near", "--peer", "far.pub"];
    let sent = run(&[&send[..], &["--name", "holidays", "--json"]].concat());
    assert!(sent.status.success(), "{}", text(&sent.stderr));
    let rows = text(&sent.stdout);
    let mut rows = rows
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an object"));
    let done = rows.find(|row| row["event"] == "done").expect("it is sent");
    assert_eq!(done["path"], "holidays");
    assert!(receiver.wait().expect("it ends").success());
    assert_eq!(
        fs::read(here("inbox/holidays")).expect("there"),
        b"pictures"
    );
}

#[test]
fn losses_of_a_preset_are_replaced_both_ways_only() {
    let options = [
        "--preset",
        "lte",
        "--loss-back",
        "1%",
        "--to",
        "127.0.0.1:9",
    ];
    let out = skywave(Path::new("."), &[&["impair"], &options[..]].concat());
    assert_eq!(out.status.code(), Some(2));
    let told = text(&out.stderr);
    assert!(told.contains("--loss 0%"), "{told}");
}

#[test]
fn real_packets_meet_the_scenarios_losses() {
    let dir = tempfile::tempdir().expect("a directory");
    let lossy = TINY.replace("iid = 0.01", "packets = [2, 5]");
    let lossy = lossy.split("[sweep]").next().unwrap_or_default();
    fs::write(dir.path().join("lossy.toml"), lossy).expect("written");
    let server = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let to = server.local_addr().expect("an address").to_string();
    let mut relay = Command::new(env!("CARGO_BIN_EXE_skywave"))
        .args(["impair", "lossy.toml", "--listen", "127.0.0.1:0", "--json"])
        .args(["--duration", "2s", "--seed", "1", "--to", &to])
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // Expected: "impairing 127.0.0.1:PORT → …"
    let mut said = BufReader::new(relay.stderr.take().expect("standard error"));
    let mut line = String::new();
    said.read_line(&mut line).expect("a line");
    let listens = line.split_whitespace().nth(1).expect("an address");

    let client = UdpSocket::bind("127.0.0.1:0").expect("a port");
    for n in 1..=6_u8 {
        client.send_to(&[n], listens).expect("sent");
    }
    let minute = std::time::Duration::from_secs(60);
    server.set_read_timeout(Some(minute)).expect("a time");
    let mut arrived = [0; 4];
    for byte in &mut arrived {
        let mut packet = [0; 9];
        assert_eq!(server.recv(&mut packet).expect("a packet"), 1);
        *byte = packet[0];
    }
    assert_eq!(arrived, [1, 3, 4, 6]);
    // Whether it kept time depends on who else uses the machine.
    let out = relay.wait_with_output().expect("it ends");
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).expect("an object");
    assert_eq!(report["flow"], "bulk");
    assert_eq!(report["forward"]["packets_in"], 6);
    assert_eq!(report["forward"]["packets_out"], 4);
    assert_eq!(report["forward"]["dropped"], 2);
    assert_eq!(report["links"][0]["link"], "radio");
    assert_eq!(report["links"][0]["channel_drops"], 2);
    assert_eq!(report["back"]["packets_in"], 0);
}

#[test]
fn a_transfer_is_simulated_and_real() {
    let dir = tempfile::tempdir().expect("a directory");
    let wtcp = TINY
        .split("[sweep]")
        .next()
        .unwrap_or_default()
        .replace(
            "transport = \"reno\"",
            "transport = \"wtcp\"\nheader = 60\nmss = 1391",
        )
        .replace(
            "duration = \"5s\"",
            "duration = \"2s\"\nmeasure = [\"1s\", \"2s\"]",
        );
    fs::write(dir.path().join("short.toml"), wtcp).expect("written");
    let out = skywave(dir.path(), &["gap", "short.toml", "--json"]);
    // Whether it kept time depends on who else uses the machine.
    let row: serde_json::Value = serde_json::from_slice(&out.stdout).expect("an object");
    assert_eq!(row["seed"], 1);
    assert!(row["simulated_bps"].as_f64() > Some(0.0), "{row}");
    let packets = row["real"]["data_packets"].as_u64();
    assert!(packets > Some(0), "{row}");
    let relayed = &row["relay"]["forward"];
    assert!(relayed["packets_in"].as_u64() > packets, "{row}");
    assert_eq!(row["relay"]["links"][0]["offered"], relayed["packets_in"]);
}
