//! Names that are not known, and those that may have been meant.

use crate::read::fault::Fault;

/// The message for a name that is none of `known`, with the nearest one.
pub(crate) fn unknown<S: AsRef<str>>(what: &str, name: &str, known: &[S]) -> Fault {
    let listed: Vec<&str> = known
        .iter()
        .map(AsRef::as_ref)
        .filter(|k| !k.starts_with('$'))
        .collect();
    let fault = Fault::inherent(format!("unknown {what} `{name}`")).for_name();
    let fault = match nearest(name, &listed) {
        Some(near) => fault.label(format!("did you mean `{near}`?")),
        None => fault.label("not known here"),
    };
    match listed.len() {
        0 => fault.help(format!("there is no {what}")),
        1 => fault.help(format!("expected {}", listed[0])),
        n if n > 30 => match alike(name, &listed).as_slice() {
            [] => fault.help(format!(
                "there are {n}, such as {}",
                listed[..10].join(", ")
            )),
            alike => fault.help(format!("similar names, of {n}: {}", alike.join(", "))),
        },
        _ => fault.help(format!("expected one of {}", listed.join(", "))),
    }
}

/// Candidate of which `name` may be a misspelling: the one that the fewest edits lead to, whatever the case of letters;
/// `None` if all need more than 1 to 3 edits (a third of the letters of `name`), or `name` has more than 40 letters.
pub fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let length = name.chars().count();
    if length > 40 {
        return None;
    }
    let allowed = (length / 3).clamp(1, 3);
    candidates
        .iter()
        .map(|c| (edits(&name.to_lowercase(), &c.to_lowercase()), *c))
        .filter(|&(d, c)| d <= allowed && d < c.chars().count().max(length))
        .min_by_key(|&(d, _)| d)
        .map(|(_, c)| c)
}

/// The candidates, at most ten, that have a word of `name`'s, or one that begins as such.
fn alike<'a>(name: &str, candidates: &[&'a str]) -> Vec<&'a str> {
    /// Letters from which on a common beginning is no accident.
    const BEGINNING: usize = 5;
    let name = name.to_lowercase();
    let words = |name| str::split(name, ['_', '-', ' ', '.']);
    let begin = |word: &str| word.get(..BEGINNING).map(str::to_owned);
    let like =
        |a: &str, b: &str| a.len() > 2 && (a == b || begin(a).is_some_and(|a| begin(b) == Some(a)));
    let found = candidates
        .iter()
        .copied()
        .filter(|candidate| words(name.as_str()).any(|a| words(candidate).any(|b| like(a, b))));
    found.take(10).collect()
}

/// Edit distance with swaps of neighbours (optimal string alignment).
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_the_name() {
        let known = ["delay", "rate", "queue", "duplication"];
        assert_eq!(nearest("dealy", &known), Some("delay"));
        assert_eq!(nearest("Rate", &known), Some("rate"));
        assert_eq!(nearest("duplicaton", &known), Some("duplication"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(nearest("x", &["y"]), None, "one letter is no likeness");
    }

    #[test]
    fn names_with_a_word_in_common_are_alike() {
        let known = ["rtt_mean", "rtt_min", "retransmits", "goodput", "timeouts"];
        assert_eq!(alike("rtt", &known), ["rtt_mean", "rtt_min"]);
        assert_eq!(alike("retransmissions", &known), ["retransmits"]);
        assert_eq!(alike("Mean-RTT", &known), ["rtt_mean", "rtt_min"]);
        assert!(alike("loss", &known).is_empty());
        assert!(alike("µµµµµµ", &["µµµ_x"]).is_empty());
    }
}
