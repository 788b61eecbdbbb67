//! Laws of a delay's variation from one probe to the next.

mod cost;
mod law;

use super::sample::{Cells, HOST_S, Sample};
use crate::fit::optimise::{Minimum, minimise};
use crate::fit::profile::{EDGE, REGULAR, bounds};
use crate::fit::{Candidate, Choice, Estimate};
pub(super) use cost::Cell;
use cost::Host;
use law::Law;

/// Distribution of a delay's random variation, with its fitted parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JitterModel {
    /// No jitter beyond that of a host itself, 0.3 ms.
    None,
    /// Uniform on one of the path's two ways, so that a round trip has it once.
    Uniform {
        /// Width of the distribution: difference of the greatest and the least delay, seconds.
        width_s: Estimate,
    },
    /// Uniform, in both directions alike.
    UniformEachWay {
        /// Width of the distribution of one direction: difference of the greatest and the least delay, seconds.
        width_s: Estimate,
    },
    /// Exponential, in one direction.
    Exponential {
        /// Mean of the variation, seconds.
        mean_s: Estimate,
    },
    /// Exponential, in both directions alike.
    ExponentialEachWay {
        /// Mean of one direction's variation, seconds.
        mean_s: Estimate,
    },
    /// Gamma distribution.
    Gamma {
        /// Shape of the distribution, a pure number: 1 is an exponential distribution.
        shape: Estimate,
        /// Scale, seconds: mean over shape.
        scale_s: Estimate,
    },
}

/// Ways that a delay is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trip {
    /// Both ways.
    Round,
    /// One way.
    Single,
}

/// Jitter as the delays of one record have it.
pub(super) struct Jitter {
    /// The laws, best first.
    pub(super) choice: Choice<JitterModel>,
    /// Delay without jitter of each part, seconds.
    pub(super) bases_s: Vec<Estimate>,
}

/// A law with its likeliest parameters, in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Fitted {
    law: Law,
    host: Host,
    /// Logarithm of the scale, place, logarithm of the shape where the law has one.
    at: [f64; 3],
    cost: f64,
}

/// A law fitted to all parts, each of which it has moved to where it puts its place.
struct Aligned {
    fitted: Fitted,
    cells: Vec<Cell>,
    bases_s: Vec<f64>,
}

/// Times that the parts are moved: what is left after these is far less than a cell.
const MOVES: usize = 2;
/// Gain in the log likelihood that a larger share of pauses must have.
const PAUSES_GAIN: f64 = 2.0;
/// A base is not known better than the cells are wide.
const CELL_S: f64 = 0.000_1;
/// A scale is not known better than this: the host's own noise is not quite as it is thought.
const NOISE_S: f64 = 0.000_05;

/// The law that all parts of a record follow, each around a base of its own that is roughly `bases_s`; `None` without
/// samples.
pub(super) fn fit(parts: &[Vec<Sample>], bases_s: &[f64], trip: Trip) -> Option<Jitter> {
    let laws = Law::of(trip).map(|law| (law, f64::INFINITY));
    // A host's own variation: a law no wider than it.
    let laws = laws.chain([(Law::Uniform, HOST_S * 1e3)]);
    let mut fits = Vec::new();
    for (law, widest) in laws {
        fits.push(Aligned::new(law, widest, parts, bases_s)?);
    }
    fits.sort_by(|a, b| a.fitted.cost.total_cmp(&b.fitted.cost));
    let mut seen_none = false;
    fits.retain(|f| !f.fitted.is_none() || !std::mem::replace(&mut seen_none, true));

    fits.retain(|f| !f.is_another(trip));

    let total: usize = parts.iter().map(Vec::len).sum();
    let bic = |f: &Aligned| {
        f64::from(f.fitted.parameters()) * libm::log(total as f64) + 2.0 * f.fitted.cost
    };
    fits.sort_by(|a, b| bic(a).total_cmp(&bic(b)));
    let candidates = fits.iter().map(|f| Candidate {
        model: f.model(),
        log_likelihood: -f.fitted.cost,
        parameters: f.fitted.parameters(),
    });
    Some(Jitter {
        choice: Choice::new(candidates.collect(), total)?,
        bases_s: fits[0].levels(parts),
    })
}

/// Cells of parts above their bases.
fn cells<'a>(parts: impl Iterator<Item = (&'a Vec<Sample>, &'a f64)>) -> Vec<Cell> {
    let mut cells = Cells::default();
    for (part, base_s) in parts {
        for sample in part {
            cells.add(sample, *base_s);
        }
    }
    cells.in_ms()
}

impl Aligned {
    fn new(law: Law, widest: f64, parts: &[Vec<Sample>], bases_s: &[f64]) -> Option<Self> {
        let mut bases_s = bases_s.to_vec();
        let mut all = cells(parts.iter().zip(&bases_s));
        let mut fitted = law.fit(&all, widest)?;
        for _ in 0..if parts.len() > 1 { MOVES } else { 0 } {
            for (part, base_s) in parts.iter().zip(&mut bases_s) {
                let part = cells([(part, &*base_s)].into_iter());
                *base_s += fitted.placed(&part).at[0] / 1e3;
            }
            all = cells(parts.iter().zip(&bases_s));
            fitted = law.fit(&all, widest)?;
        }
        Some(Self {
            fitted,
            cells: all,
            bases_s,
        })
    }

    /// A gamma distribution so close to a simpler law that it only fits the host's part better. With a base of its own,
    /// each part takes the lowest delays for that, and the shape comes out up to a fifth too small.
    fn is_another(&self, trip: Trip) -> bool {
        let (_, shape) = self.fitted.scale_shape();
        let far = if self.bases_s.len() > 1 { 0.2 } else { 0.15 };
        let near = |simpler: f64| (shape / simpler - 1.0).abs() < far;
        self.fitted.law == Law::Gamma
            && !self.fitted.is_none()
            && (near(1.0) || trip == Trip::Round && near(2.0))
    }

    fn model(&self) -> JitterModel {
        if self.fitted.is_none() {
            return JitterModel::None;
        }
        let scale = self.estimate(0).scaled(1e-3);
        let scale_s = Estimate::new(
            scale.value,
            f64::max(scale.low - NOISE_S, 0.0),
            scale.high + NOISE_S,
        );
        match self.fitted.law {
            Law::Uniform => JitterModel::Uniform { width_s: scale_s },
            Law::UniformEachWay => JitterModel::UniformEachWay { width_s: scale_s },
            Law::Exponential => JitterModel::Exponential { mean_s: scale_s },
            Law::ExponentialEachWay => JitterModel::ExponentialEachWay { mean_s: scale_s },
            Law::Gamma => JitterModel::Gamma {
                shape: self.estimate(2),
                scale_s,
            },
        }
    }

    /// Scale (0) or shape (2) with its interval.
    fn estimate(&self, i: usize) -> Estimate {
        let rise = if self.fitted.law.has_end() {
            EDGE
        } else {
            REGULAR
        };
        let [down, up] = self.bounds(i, rise);
        let at = self.fitted.at[i];
        Estimate::new(libm::exp(at), libm::exp(at - down), libm::exp(at + up))
    }

    /// Distances down and up from a coordinate to its bounds, whatever the others are; those of the place in means.
    fn bounds(&self, i: usize, rise: f64) -> [f64; 2] {
        let Fitted {
            law,
            host,
            at: best,
            cost,
        } = self.fitted;
        let unit = self.fitted.unit();
        let at = [best[0], 0.0, best[2]];
        bounds(Minimum { at, value: cost }, i, rise, |at: [f64; 3]| {
            let (scale, shape) = (libm::exp(at[0]), libm::exp(at[2]));
            host.cost(&self.cells, law, best[1] + at[1] * unit, scale, shape)
        })
    }

    /// The delay without jitter of each part, seconds.
    fn levels(&self, parts: &[Vec<Sample>]) -> Vec<Estimate> {
        let common = self.bounds(1, EDGE).map(|bound| bound * self.fitted.unit());
        let one = |(part, base_s): (&Vec<Sample>, &f64)| {
            let cells = cells([(part, base_s)].into_iter());
            let placed = self.fitted.placed(&cells);
            // What the law leaves open moves all parts; what is a part's own is only there if there are several.
            let own = if parts.len() > 1 {
                let cost = |[place]: [f64; 1]| self.fitted.cost_at(&cells, place);
                bounds(placed, 0, EDGE, cost)
            } else {
                [0.0; 2]
            };
            let [down, up] = [0, 1].map(|i| libm::hypot(common[i], own[i]) / 1e3 + CELL_S);
            let place = base_s + placed.at[0] / 1e3;
            Estimate::new(place, place - down, place + up)
        };
        parts.iter().zip(&self.bases_s).map(one).collect()
    }
}

/// Where a fit begins.
struct Start {
    /// A place that only few delays are below.
    place: f64,
    /// Mean above it.
    mean: f64,
}

impl Start {
    fn new(cells: &[Cell]) -> Option<Self> {
        let total: f64 = cells.iter().map(|c| c.count).sum();
        let mut below = 0.0;
        // Strays below the law are few.
        let first = cells.iter().find(|cell| {
            below += cell.count;
            below > 2.0 + 0.001 * total
        });
        let place = first.or(cells.last())?.low;
        let mut above: Vec<(f64, f64)> = cells
            .iter()
            .map(|c| (f64::midpoint(c.low, c.high) - place, c.count))
            .collect();
        above.sort_by(|a, b| a.0.total_cmp(&b.0));
        // The mean of the lower nine tenths: host delays and strays are in the rest.
        let (mut counted, mut sum) = (0.0, 0.0);
        for (x, count) in above {
            if counted + count > 0.9 * total && counted > 0.0 {
                break;
            }
            counted += count;
            sum += x.max(0.0) * count;
        }
        Some(Self {
            place,
            mean: f64::max(sum / counted, 0.02),
        })
    }
}

impl Law {
    /// The likeliest parameters; the scale is at most `widest`, in milliseconds. `None` without cells.
    fn fit(self, cells: &[Cell], widest: f64) -> Option<Fitted> {
        let start = Start::new(cells)?;
        // The place in units of the mean above it, so that one step suits all.
        let unit = start.mean.max(0.1);
        let place = |z: f64| start.place + z * unit;
        let cost = |host: Host, at: [f64; 3]| {
            let (scale, shape) = (libm::exp(at[0]), libm::exp(at[2]));
            if scale > widest || !(0.2..50.0).contains(&shape) {
                return f64::INFINITY;
            }
            host.cost(cells, self, place(at[1]), scale, shape)
        };
        // Only one law has a shape to vary.
        let search = |host: Host, from: [f64; 3], step: f64| {
            if self == Self::Gamma {
                // Place, scale and shape change together along a narrow valley: a new simplex goes on where one stops.
                let found = minimise(from, step, 80, |at| cost(host, at));
                return minimise(found.at, step, 80, |at| cost(host, at));
            }
            let found = minimise([from[0], from[1]], step, 50, |at| {
                cost(host, [at[0], at[1], 0.0])
            });
            Minimum {
                at: [found.at[0], found.at[1], 0.0],
                value: found.value,
            }
        };
        // From both sides of the place: a law's edge may be a trap.
        let starts = if self == Self::Gamma {
            [(-0.2, 5.0), (0.1, 1.5)]
        } else {
            [(-0.2, 1.0), (0.1, 1.0)]
        };
        let starts = starts.map(|(z, shape)| {
            let scale = (start.mean / self.mean(1.0, shape)).min(widest * 0.9);
            [libm::log(scale), z, libm::log(shape)]
        });
        let mut best = None::<(Host, Minimum<3>)>;
        for host in Host::shares(cells) {
            let [a, b] = starts.map(|from| search(host, from, 0.3));
            let found = if b.value < a.value { b } else { a };
            // More pauses explain a little more of any tail.
            if best.is_none_or(|(_, least)| found.value < least.value - PAUSES_GAIN) {
                best = Some((host, found));
            }
        }
        let (host, rough) = best?;
        for host in host.noises() {
            let found = search(host, rough.at, 0.1);
            let found = search(host, found.at, 0.03);
            if best.is_none_or(|(_, least)| found.value < least.value) {
                best = Some((host, found));
            }
        }
        let (host, Minimum { at, value: cost }) = best?;
        Some(Fitted {
            law: self,
            host,
            at: [at[0], place(at[1]), at[2]],
            cost,
        })
    }
}

impl Fitted {
    fn parameters(&self) -> u32 {
        // Place and share of the host's pauses; the link's own are scale and shape.
        match self.law {
            _ if self.is_none() => 2,
            Law::Gamma => 4,
            _ => 3,
        }
    }

    fn scale_shape(&self) -> (f64, f64) {
        (libm::exp(self.at[0]), libm::exp(self.at[2]))
    }

    /// The law's mean, or a cell.
    fn unit(&self) -> f64 {
        let (scale, shape) = self.scale_shape();
        self.law.mean(scale, shape).max(0.1)
    }

    fn is_none(&self) -> bool {
        let (scale, shape) = self.scale_shape();
        let scale = if self.law == Law::Gamma {
            scale * shape
        } else {
            scale
        };
        scale <= HOST_S * 1e3
    }

    /// Minus the log likelihood of cells with the law at this place.
    fn cost_at(&self, cells: &[Cell], place: f64) -> f64 {
        let (scale, shape) = self.scale_shape();
        self.host.cost(cells, self.law, place, scale, shape)
    }

    /// The likeliest place in other cells.
    fn placed(&self, cells: &[Cell]) -> Minimum<1> {
        let cost = |[place]: [f64; 1]| self.cost_at(cells, place);
        let start = Start::new(cells).map_or(self.at[1], |start| start.place);
        let step = 0.3 * self.unit().max(0.3);
        let tries = [self.at[1], start].map(|place| minimise([place], step, 40, cost));
        let rough = if tries[1].value < tries[0].value {
            tries[1]
        } else {
            tries[0]
        };
        minimise(rough.at, 0.05, 30, cost)
    }
}
