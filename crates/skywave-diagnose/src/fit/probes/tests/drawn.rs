//! Links drawn at random, and how many of them are told rightly.

use skywave_core::rng::Stream;

use super::link::{Jitter, Link, Losses};
use crate::fit::hidden::LossModel;
use crate::fit::probes::{JitterModel, ProbeFit, WayFit};
use crate::fit::{Choice, Estimate, Known};

/// Findings about links, counted.
#[derive(Default)]
struct Score {
    links: usize,
    right: usize,
    intervals: usize,
    held: usize,
    log: Vec<String>,
}

/// Judgement of one link.
struct Verdict<'a> {
    score: &'a mut Score,
    name: String,
    right: bool,
}

impl Score {
    fn judge(&mut self, name: String, check: impl FnOnce(&mut Verdict)) {
        let mut verdict = Verdict {
            score: self,
            name,
            right: true,
        };
        check(&mut verdict);
        let right = verdict.right;
        self.links += 1;
        self.right += usize::from(right);
    }
}

impl Verdict<'_> {
    fn is(&mut self, right: bool, found: impl std::fmt::Debug) {
        if !right {
            self.score
                .log
                .push(format!("{}: wrong: {found:?}", self.name));
            self.right = false;
        }
    }

    fn holds(&mut self, what: &str, estimate: &Estimate, truth: f64) {
        let held = (estimate.low..=estimate.high).contains(&truth);
        self.score.intervals += 1;
        self.score.held += usize::from(held);
        if !held {
            self.score
                .log
                .push(format!("{}: {what} {truth}: {estimate:?}", self.name));
        }
    }

    /// The round trip's jitter is as the link's, which is the same each way.
    fn jitter(&mut self, known: &Known<Choice<JitterModel>>, truth: [Jitter; 2]) {
        let best = known.told().map(Choice::best);
        match (truth, best) {
            ([Jitter::None, Jitter::None], Some(JitterModel::None)) => {}
            (
                [Jitter::Uniform(w), Jitter::Uniform(_)],
                Some(JitterModel::UniformEachWay { width_s }),
            )
            | ([Jitter::Uniform(w), Jitter::None], Some(JitterModel::Uniform { width_s })) => {
                self.holds("width", width_s, w / 1e3);
            }
            (
                [Jitter::Exponential(m), Jitter::Exponential(_)],
                Some(JitterModel::ExponentialEachWay { mean_s }),
            )
            | ([Jitter::Exponential(m), Jitter::None], Some(JitterModel::Exponential { mean_s })) =>
            {
                self.holds("mean", mean_s, m / 1e3);
            }
            ([Jitter::Gamma(k, s), Jitter::None], Some(JitterModel::Gamma { shape, scale_s })) => {
                self.holds("shape", shape, f64::from(k));
                self.holds("scale", scale_s, s / 1e3);
            }
            _ => self.is(false, known),
        }
    }

    fn losses(&mut self, known: &Known<Choice<LossModel>>, truth: Losses) {
        match (truth, known.told().map(Choice::best)) {
            (Losses::Independent(0.0), Some(LossModel::None)) => {}
            (Losses::Independent(truth), Some(LossModel::Independent { p })) => {
                self.holds("p", p, truth);
            }
            (Losses::Bursts(good, bad), Some(LossModel::BurstsInTime { good_s, bad_s })) => {
                self.holds("good", good_s, good);
                self.holds("bad", bad_s, bad);
            }
            _ => self.is(false, known),
        }
    }

    /// Round trip's findings but the base and the numbers of ARQ.
    fn link(&mut self, fit: &ProbeFit, link: &Link) {
        self.jitter(&fit.jitter, link.jitter);
        self.losses(&fit.losses, link.losses[0]);
        self.is(
            fit.arq
                .told()
                .is_some_and(|a| a.is_some() == link.arq.is_some()),
            &fit.arq,
        );
        let outages = fit.outages.told().map(|o| !o.all.is_empty());
        self.is(outages == Some(link.outages.is_some()), &fit.outages);
    }

    /// One base.
    fn one_base(&mut self, fit: &ProbeFit, truth_ms: f64) {
        let base = fit.base.told();
        self.is(base.is_some_and(|b| b.levels.len() == 1), &fit.base);
        if let Some(base) = base {
            self.holds("base", &base.least(), truth_ms / 1e3);
        }
    }
}

/// Links of each kind.
const EACH: u64 = 2;

fn draws(kind: &str) -> impl Iterator<Item = (String, u64, Stream)> {
    (0..EACH).map(move |i| {
        let mut stream = Stream::named(i, kind, "parameters");
        (
            format!("{kind} {i}"),
            stream.uniform_int(0, 1 << 40),
            stream,
        )
    })
}

/// Links with one base that are drawn by changing a plain one.
fn links(score: &mut Score, kind: &str, change: impl Fn(&mut Link, &mut Stream)) {
    for (name, seed, mut s) in draws(kind) {
        let mut link = Link::ping(seed);
        change(&mut link, &mut s);
        let fit = ProbeFit::new(&link.probe());
        score.judge(name, |v| {
            v.link(&fit, &link);
            v.one_base(&fit, (link.base)(0.0));
        });
    }
}

fn jitter(score: &mut Score) {
    links(score, "plain", |link, s| link.host = s.uniform(0.0, 0.05));
    links(score, "exponential", |link, s| {
        link.jitter[0] = Jitter::Exponential(s.uniform(1.0, 10.0));
    });
    links(score, "uniform", |link, s| {
        link.jitter[0] = Jitter::Uniform(s.uniform(3.0, 15.0));
    });
    links(score, "exponential each way", |link, s| {
        link.jitter = [Jitter::Exponential(s.uniform(0.4, 10.0)); 2];
    });
    links(score, "uniform each way", |link, s| {
        link.jitter = [Jitter::Uniform(s.uniform(0.5, 15.0)); 2];
    });
    links(score, "gamma", |link, s| {
        link.jitter[0] = Jitter::Gamma(4, s.uniform(1.0, 5.0));
    });
    links(score, "whole milliseconds", |link, s| {
        link.base = |_| 120.3;
        link.jitter = [Jitter::Exponential(s.uniform(1.0, 10.0)); 2];
    });
    links(score, "one a second", |link, s| {
        link.spacing_s = 1.0;
        link.probes = 300;
        link.jitter = [Jitter::Exponential(s.uniform(1.0, 10.0)); 2];
    });
}

fn losses(score: &mut Score) {
    links(score, "independent", |link, s| {
        link.losses[0] = Losses::Independent(s.uniform(0.005, 0.4));
    });
    links(score, "bursts", |link, s| {
        link.losses[0] = Losses::Bursts(s.uniform(6.0, 15.0), s.uniform(0.4, 2.0));
    });
    links(score, "jitter and bursts", |link, s| {
        link.jitter = [Jitter::Exponential(s.uniform(1.0, 10.0)); 2];
        link.losses[0] = Losses::Bursts(s.uniform(6.0, 15.0), s.uniform(0.4, 2.0));
    });
}

fn steps(score: &mut Score, kind: &str, change: impl Fn(&mut Link, &mut Stream)) {
    for (name, seed, mut s) in draws(kind) {
        let mut link = Link::ping(seed);
        link.base = |t| 40.0 + [0.0, 20.0, 8.0, 32.0][(t / 15.0) as usize % 4];
        change(&mut link, &mut s);
        let fit = ProbeFit::new(&link.probe());
        score.judge(name, |v| {
            v.link(&fit, &link);
            let base = fit.base.told().expect("a base");
            v.is(base.levels.len() == 20, base.levels.len());
            for level in &base.levels {
                let middle = f64::midpoint(level.from_s, level.to_s);
                v.holds("level", &level.delay_s, (link.base)(middle) / 1e3);
            }
            match base.every {
                Some(every) => v.holds("period", &every.every_s, 15.0),
                None => v.is(false, "no period"),
            }
        });
    }
}

fn arq(score: &mut Score) {
    for (name, seed, mut s) in draws("arq") {
        let mut link = Link::ping(seed);
        let (round_trip, p) = (s.uniform(25.0, 120.0), s.uniform(0.02, 0.2));
        link.arq = Some((round_trip, p));
        if s.chance(0.5) {
            link.spacing_s = 0.02;
            link.probes = 15_000;
        }
        let fit = ProbeFit::new(&link.probe());
        score.judge(name, |v| {
            v.link(&fit, &link);
            v.one_base(&fit, 40.0);
            if let Some(Some(arq)) = fit.arq.told() {
                v.holds("round trip", &arq.round_trip_s, round_trip / 1e3);
                v.holds("p", &arq.p, p);
                v.is(arq.in_order != Some(false), arq.in_order);
            }
        });
    }
}

fn outages(score: &mut Score) {
    for (name, seed, mut s) in draws("outages") {
        let mut link = Link::ping(seed);
        let every = s.uniform(15.0, 60.0);
        link.outages = Some((every, s.uniform(0.0, 10.0), s.uniform(1.2, 4.0)));
        link.losses[0] = Losses::Independent(s.uniform(0.005, 0.03));
        let fit = ProbeFit::new(&link.probe());
        score.judge(name, |v| {
            v.link(&fit, &link);
            match fit.outages.told().and_then(|o| o.every) {
                Some(found) => v.holds("period", &found.every_s, every),
                None => v.is(false, "no period"),
            }
        });
    }
}

fn queues(score: &mut Score) {
    for (name, seed, mut s) in draws("queue") {
        let mut link = Link::ping(seed);
        link.queue_ms = s.uniform(1.0, 20.0);
        let fit = ProbeFit::new(&link.probe());
        score.judge(name, |v| v.is(fit.jitter.told().is_none(), &fit.jitter));
    }
}

fn ways(score: &mut Score) {
    for (name, seed, mut s) in draws("ways") {
        let mut link = Link::irtt(seed);
        link.jitter = [
            Jitter::Exponential(s.uniform(0.5, 3.0)),
            Jitter::Uniform(s.uniform(2.0, 10.0)),
        ];
        link.losses = [
            Losses::Independent(s.uniform(0.002, 0.05)),
            Losses::Bursts(s.uniform(2.0, 6.0), s.uniform(0.05, 0.2)),
        ];
        let fit = ProbeFit::new(&link.probe());
        score.judge(name, |v| {
            for (way, known) in [&fit.up, &fit.down].into_iter().enumerate() {
                let WayFit {
                    base,
                    jitter,
                    losses,
                } = known.told().expect("both ways");
                v.jitter(jitter, [link.jitter[way], Jitter::None]);
                v.losses(losses, link.losses[way]);
                v.is(base.told().is_some_and(|b| b.levels.len() == 1), base);
            }
        });
    }
}

#[test]
fn drawn_links_are_told_and_intervals_hold_the_truth() {
    let mut score = Score::default();
    let all = &mut score;
    jitter(all);
    losses(all);
    steps(all, "steps", |_, _| ());
    steps(all, "steps and jitter", |link, s| {
        link.jitter = [Jitter::Exponential(s.uniform(1.0, 5.0)); 2];
    });
    steps(all, "handovers", |link, s| {
        link.jitter = [Jitter::Exponential(s.uniform(1.0, 3.0)); 2];
        link.outages = Some((15.0, 15.0, s.uniform(1.1, 2.0)));
        link.losses[0] = Losses::Independent(s.uniform(0.005, 0.02));
    });
    arq(all);
    outages(all);
    queues(all);
    ways(all);
    let Score {
        links,
        right,
        intervals,
        held,
        log,
    } = score;
    // Measured: 36 of 36 links and 200 of 202 intervals; of 540 others 537, and 2981 of their 3028 intervals.
    assert!(
        links == 36 && right >= 35,
        "{right} of {links} right: {log:#?}"
    );
    assert!(
        held * 100 >= 97 * intervals,
        "{held} of {intervals} hold: {log:#?}"
    );
}
