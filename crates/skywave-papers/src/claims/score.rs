//! The verdicts on all claims, as data and as JSON.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::baseline::Baseline;
use super::measure::Part;
use super::model::{ClaimModel, Kind};
use super::reading::Reading;
use super::register::{Decision, Given};
use super::verdict::Verdict;

/// Verdicts on all claims of a paper, with the settings, baselines and readings (values of what the paper leaves open)
/// that they depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct Scorecard {
    /// Short name of the paper.
    pub paper: String,
    /// Title of the paper.
    pub title: String,
    /// Author and place of publication of the paper.
    pub source: String,
    /// Hash of the paper's claims and experiments, in hexadecimal digits; it identifies what was judged.
    pub inputs: String,
    /// Whether all runs of all the paper's scenarios were there; if false, the verdicts are preliminary.
    pub complete: bool,
    /// Number of claims of the paper that are not in `scores`, because they cannot be tested or their runs are missing.
    pub left_out: usize,
    /// Verdicts claim by claim, in the order of the file.
    pub scores: Vec<Score>,
    /// Senders that the claims compare with and whose results here differ from the paper's.
    pub baselines: Vec<Baseline>,
    /// Settings of the experiments that the paper's text states.
    pub given: Vec<Given>,
    /// Settings that the text leaves open, each with what was chosen.
    pub decisions: Vec<Decision>,
    /// Other readings of the paper's text (other values of what it leaves open): the name of each, and a sentence that
    /// says what differs in it.
    pub readings: Vec<(String, String)>,
}

/// The verdict on one claim, and the numbers that it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Name (id) of the claim in the paper's file.
    pub claim: String,
    /// Place in the paper that states the claim.
    pub place: String,
    /// Kind of statement that the claim makes, such as a gain or an order.
    pub kind: Kind,
    /// Whether the claim is of the core set: the claims that carry the paper's argument.
    pub core: bool,
    /// Statement of the paper that is tested, in our words.
    pub statement: String,
    /// Name of the experiment whose plot shows the claim; `None` if none does.
    pub figure: Option<String>,
    /// Note in words about how the claim is tested.
    pub note: Option<String>,
    /// Reason why the claim, a main statement of the paper, stands or not; `None` if the claim is no main statement.
    pub main: Option<String>,
    /// Part of the statement that is not measured; `None` if all of it is.
    pub unmeasured: Option<String>,
    /// Reason why no simulation can test the claim; `None` if one can.
    pub reason: Option<String>,
    /// Parts of the claim: its numbers, each with a verdict of its own.
    pub parts: Vec<Part>,
    /// Verdict on the claim: [`Verdict::NotTestable`], or the worst of its parts' verdicts, aside from parts whose
    /// outcome was put in ([`Verdict::Circular`]).
    pub verdict: Verdict,
    /// Verdicts on the claim under those other readings of the text (other values of what it leaves open) that change
    /// the claim's numbers.
    pub rereads: Vec<Reread>,
}

/// Verdict on a claim under another reading of the paper's text: with another plausible value of what the text leaves
/// open, such as whether receivers delay their ACKs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reread {
    /// Name of the other reading of the paper's text.
    pub reading: String,
    /// Verdict on the claim under the other reading of the text: the worst of its parts' verdicts, aside from parts
    /// whose outcome was put in ([`Verdict::Circular`]).
    pub verdict: Verdict,
    /// Parts of the claim, in the order of [`Score::parts`], with the numbers and verdicts that they have under the
    /// other reading of the text, that is with another plausible value of what the paper leaves open.
    pub parts: Vec<Part>,
}

impl Reread {
    pub(super) fn new(reading: &Reading, parts: Vec<Part>) -> Self {
        Self {
            reading: reading.name.clone(),
            verdict: Verdict::of_parts(parts.iter().map(|p| p.verdict)),
            parts,
        }
    }

    /// The parts that have another verdict than in the first reading, with this reading's numbers.
    pub(super) fn differing<'a>(&'a self, score: &'a Score) -> impl Iterator<Item = &'a Part> {
        let pairs = self.parts.iter().zip(&score.parts);
        let differing = pairs.filter(|(here, first)| here.verdict != first.verdict);
        differing.map(|(here, _)| here)
    }

    /// Some part has another verdict than in the first reading.
    pub(super) fn differs(&self, score: &Score) -> bool {
        self.differing(score).next().is_some()
    }
}

impl Score {
    pub(super) fn new(claim: &ClaimModel, parts: Vec<Part>, rereads: Vec<Reread>) -> Self {
        let verdict = match claim.not_testable {
            Some(_) => Verdict::NotTestable,
            None => Verdict::of_parts(parts.iter().map(|p| p.verdict)),
        };
        Self {
            claim: claim.id.get_ref().clone(),
            place: claim.place.clone(),
            kind: claim.kind,
            core: claim.core,
            statement: claim.statement.clone(),
            figure: claim.figure.clone(),
            note: claim.note.clone(),
            main: claim.main.clone(),
            unmeasured: claim.unmeasured.clone(),
            reason: claim.not_testable.clone(),
            parts,
            verdict,
            rereads,
        }
    }

    /// Number of the claim's parts that count: all but those whose outcome was put in
    /// ([`Verdict::Circular`]).
    pub fn parts_counted(&self) -> usize {
        let counts = |part: &&Part| part.verdict != Verdict::Circular;
        self.parts.iter().filter(counts).count()
    }

    /// Number of the claim's parts that are reproduced.
    pub fn parts_reproduced(&self) -> usize {
        let reproduced = |part: &&Part| part.verdict == Verdict::Reproduced;
        self.parts.iter().filter(reproduced).count()
    }

    /// The claim as one line of JSON, without a line break at its end.
    pub fn to_json(&self) -> String {
        // Strings, numbers and maps with string keys: nothing in it can fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Scorecard {
    /// The scorecard with only the claims that are judged; claims that are not run or not testable are taken out and
    /// counted in `left_out`.
    #[must_use]
    pub fn judged(mut self) -> Self {
        let unjudged = [Verdict::NotRun, Verdict::NotTestable];
        let all = self.scores.len();
        self.scores.retain(|s| !unjudged.contains(&s.verdict));
        self.left_out += all - self.scores.len();
        self
    }

    /// Parts whose verdict differs between this scorecard and `other` of the same paper, also under other readings of
    /// the paper (values of what it leaves open): for each the names of claim and part, and of the other reading if one
    /// is meant, the verdict in this scorecard, and the verdict in `other`.
    pub fn differing(&self, other: &Self) -> Vec<(String, Verdict, Verdict)> {
        let mut all = Vec::new();
        let mut compare = |what: &str, mine: &[Part], theirs: &[Part]| {
            for (a, b) in mine
                .iter()
                .zip(theirs)
                .filter(|(a, b)| a.verdict != b.verdict)
            {
                all.push((a.of(what), a.verdict, b.verdict));
            }
        };
        for (mine, theirs) in self.scores.iter().zip(&other.scores) {
            compare(&mine.claim, &mine.parts, &theirs.parts);
            for (a, b) in mine.rereads.iter().flat_map(|a| {
                let same = theirs.rereads.iter().filter(|b| b.reading == a.reading);
                same.map(move |b| (a, b))
            }) {
                let what = format!("{} under {}", mine.claim, a.reading);
                compare(&what, &a.parts, &b.parts);
            }
        }
        all
    }

    /// All claims as JSON, a line each.
    pub fn to_json_lines(&self) -> String {
        let lines = self.scores.iter().map(|s| s.to_json() + "\n");
        lines.collect()
    }

    /// Number of claims with each verdict, in the order of [`Verdict::ALL`]: of claims in the core set (`Some(true)`),
    /// of claims outside of it (`Some(false)`), or of all (`None`).
    pub fn counts(&self, core: Option<bool>) -> [(Verdict, usize); Verdict::ALL.len()] {
        Self::total(&[self], core)
    }

    /// Number of claims of several papers together with each verdict, in the order of [`Verdict::ALL`]: of claims in
    /// the core set (`Some(true)`), of claims outside of it (`Some(false)`), or of all (`None`).
    pub fn total(cards: &[&Self], core: Option<bool>) -> [(Verdict, usize); Verdict::ALL.len()] {
        Verdict::ALL.map(|verdict| {
            let of_it = |s: &&Score| s.verdict == verdict && core.is_none_or(|c| s.core == c);
            let scores = cards.iter().flat_map(|card| &card.scores);
            (verdict, scores.filter(of_it).count())
        })
    }

    /// Number of parts that are not [`Verdict::Circular`], and number of parts with each verdict: of claims in the core
    /// set (`Some(true)`), of claims outside of it (`Some(false)`), or of all (`None`).
    pub fn parts(&self, core: Option<bool>) -> (usize, [(Verdict, usize); Verdict::ALL.len()]) {
        Self::total_parts(&[self], core)
    }

    /// Number of parts, of several papers together, that are not [`Verdict::Circular`], and number of parts with each
    /// verdict: of claims in the core set (`Some(true)`), of claims outside of it (`Some(false)`), or of all (`None`).
    pub fn total_parts(
        cards: &[&Self],
        core: Option<bool>,
    ) -> (usize, [(Verdict, usize); Verdict::ALL.len()]) {
        let scores = || cards.iter().flat_map(|card| &card.scores);
        let chosen = || scores().filter(|score| core.is_none_or(|c| score.core == c));
        let parts = || chosen().flat_map(|score| &score.parts);
        let counts = Verdict::ALL.map(|verdict| {
            let of_it = parts().filter(|part| part.verdict == verdict);
            (verdict, of_it.count())
        });
        let counted = parts().filter(|part| part.verdict != Verdict::Circular);
        (counted.count(), counts)
    }

    /// Claims by the experiment whose plot shows them, in order of first mention; those without a plot are
    /// last, under `None`.
    pub fn by_figure(&self) -> Vec<(Option<&str>, Vec<&Score>)> {
        let mut groups: Vec<(Option<&str>, Vec<&Score>)> = Vec::new();
        for score in &self.scores {
            let figure = score.figure.as_deref();
            match groups.iter_mut().find(|(name, _)| *name == figure) {
                Some((_, scores)) => scores.push(score),
                None => groups.push((figure, vec![score])),
            }
        }
        groups.sort_by_key(|(name, _)| name.is_none());
        groups
    }
}

/// A value that is one number, or an object keyed by the names of the parts.
struct ByPart<'a, T>(&'a [Part], fn(&'a Part) -> T);

impl<T: Serialize> Serialize for ByPart<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            [] => serializer.serialize_none(),
            [part] => self.1(part).serialize(serializer),
            parts => serializer.collect_map(parts.iter().map(|p| (&p.name, self.1(p)))),
        }
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("claim", &self.claim)?;
        map.serialize_entry("kind", &self.kind)?;
        map.serialize_entry("paper", &ByPart(&self.parts, |p: &Part| &p.paper))?;
        map.serialize_entry("ours", &ByPart(&self.parts, |p: &Part| p.ours.map(short)))?;
        let interval = |p: &Part| p.ci95.map(|[low, high]| [short(low), short(high)]);
        map.serialize_entry("ci95", &ByPart(&self.parts, interval))?;
        map.serialize_entry("verdict", &self.verdict)?;
        map.serialize_entry("where", &self.place)?;
        map.serialize_entry("core", &self.core)?;
        map.serialize_entry("statement", &self.statement)?;
        map.serialize_entry("figure", &self.figure)?;
        map.serialize_entry("note", &self.note)?;
        map.serialize_entry("main", &self.main)?;
        map.serialize_entry("unmeasured", &self.unmeasured)?;
        map.serialize_entry("reason", &self.reason)?;
        map.serialize_entry("parts", &self.parts)?;
        map.serialize_entry("parts_reproduced", &self.parts_reproduced())?;
        map.serialize_entry("readings", &self.rereads)?;
        map.end()
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("paper", &self.paper)?;
        map.serialize_entry("ours", &self.ours.map(short))?;
        map.serialize_entry("ci95", &self.ci95.map(|ends| ends.map(short)))?;
        map.serialize_entry("unit", &self.unit)?;
        map.serialize_entry("verdict", &self.verdict)?;
        map.serialize_entry("remark", &self.remark)?;
        map.end()
    }
}

/// A number with six significant digits: further digits would be noise in the last bits.
fn short(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}
