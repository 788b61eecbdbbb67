//! Damaged files: an error or a scenario, never a panic.

use skywave_core::rng::Stream;
use skywave_scenario::Scenario;

use crate::wrong::FILES;

const SEEDS: [&str; 2] = [
    include_str!("files/cerl-fig7a.toml"),
    include_str!("files/everything.toml"),
];

/// Fragments that do more damage than random bytes.
const PIECES: [&str; 26] = [
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    ".",
    "=",
    "\n",
    ",",
    "#",
    "&",
    "*",
    " & ",
    "µ",
    "\u{0}",
    "-",
    "0",
    "99999999999999999999",
    "1e308",
    "nan",
    "inf",
    "true",
    "[[link]]\n",
    "[sweep]\n",
    "\"\"\"",
];

fn try_it(text: &str) -> bool {
    match Scenario::parse("damaged", text, &FILES) {
        Ok(scenario) => {
            for point in scenario.points().iter().take(2) {
                let spec = point.spec(u64::MAX);
                assert!(spec.links.iter().all(|l| l.from < spec.nodes.len()));
            }
            true
        }
        Err(error) => {
            assert!(!error.render(false).is_empty());
            false
        }
    }
}

/// Parses a thousand damaged files, others for each number.
fn damage(number: u64) {
    let mut random = Stream::named(number, "mutations", "bytes");
    let mut pick = |n: usize| random.uniform_int(0, n as u64 - 1) as usize;
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..1000 {
        let seed = SEEDS[pick(SEEDS.len())];
        let mut bytes = seed.as_bytes().to_vec();
        // One gentle change, which often leaves legal TOML, or several rough ones.
        if round % 2 == 0 {
            let digits: Vec<usize> = (0..bytes.len())
                .filter(|&i| bytes[i].is_ascii_digit())
                .collect();
            bytes[digits[pick(digits.len())]] = b'0' + pick(10) as u8;
        }
        for _ in 0..(round % 2) * (1 + pick(3)) {
            let at = pick(bytes.len());
            let end = (at + pick(12)).min(bytes.len());
            let other = pick(bytes.len());
            let other_end = (other + pick(40)).min(bytes.len());
            match pick(6) {
                0 => bytes[at] = pick(256) as u8,
                1 => drop(bytes.drain(at..end)),
                2 => bytes.truncate(at.max(1)),
                3 => drop(bytes.splice(at..end, bytes[other..other_end].to_vec())),
                4 => bytes[at] ^= 1 << pick(8),
                _ => drop(bytes.splice(at..at, PIECES[pick(PIECES.len())].bytes())),
            }
            if bytes.is_empty() {
                bytes.push(b'a');
            }
        }
        if try_it(&String::from_utf8_lossy(&bytes)) {
            accepted += 1;
        } else {
            refused += 1;
        }
    }
    // Both results, acceptance and refusal, must occur often.
    assert!(
        accepted > 125 && refused > 125,
        "{accepted} accepted, {refused} refused"
    );
}

/// Several tests, as each of them has a thread.
#[test]
fn damaged_files_never_panic_1() {
    damage(1);
}

#[test]
fn damaged_files_never_panic_2() {
    damage(2);
}

#[test]
fn damaged_files_never_panic_3() {
    damage(3);
}

#[test]
fn damaged_files_never_panic_4() {
    damage(4);
}

#[test]
fn every_prefix_of_a_file_is_read() {
    for seed in SEEDS {
        for (end, _) in seed.char_indices().step_by(3) {
            try_it(&seed[..end]);
        }
    }
}

#[test]
fn depth_does_not_exhaust_the_stack() {
    let dots = vec!["a"; 79].join(".");
    let deep = format!("{{ {dots} = ").repeat(79);
    let cases = [
        format!("x = {deep}1{}", "}".repeat(79)),
        format!("{} = 1", vec!["a"; 100_000].join(".")),
        format!("x = {}", "[".repeat(500_000)),
        format!("x = {}", "{a=".repeat(300_000)),
        format!("[{}]\nb = 1", vec!["a"; 100_000].join(".")),
        format!(
            "[sweep]\n\"link.S1-G0.{}\" = [1]",
            vec!["a"; 100_000].join(".")
        ),
        SEEDS[0].replace(
            "[sweep]\n",
            &format!(
                "[sweep]\n\"link.S1-G0.{}\" = [1]\n",
                vec!["a"; 100_000].join(".")
            ),
        ),
    ];
    for text in cases {
        assert!(!try_it(&text));
    }
}
