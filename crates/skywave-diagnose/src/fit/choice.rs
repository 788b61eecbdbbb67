//! Candidates for what a link does, and the choice between them by the Bayesian information criterion.

/// Model that was fitted to observations, one of several to choose from, with its likelihood.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate<M> {
    /// The model with its likeliest parameters.
    pub model: M,
    /// Natural logarithm of the likelihood of the observations under the model.
    pub log_likelihood: f64,
    /// Number of free parameters.
    pub parameters: u32,
}

impl<M> Candidate<M> {
    /// Bayesian information criterion (BIC) of the candidate, given the number of observations: smaller is better.
    pub fn bic(&self, observations: usize) -> f64 {
        let count = (observations.max(1)) as f64;
        f64::from(self.parameters) * libm::log(count) - 2.0 * self.log_likelihood
    }
}

/// Candidate models that were fitted to the same observations, best first: in rising order of [`Candidate::bic`], but
/// for models of losses, whose order [`losses`](super::hidden::losses) tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<M> {
    /// Candidates, the best one first.
    pub candidates: Vec<Candidate<M>>,
    /// Number of observations (packets or delays) to which the candidates were fitted.
    pub observations: usize,
}

/// A difference of the criterion below which two models cannot be told apart.
const TOLD_APART: f64 = 6.0;

impl<M> Choice<M> {
    /// Choice among `candidates`, ordered by their Bayesian information criterion (BIC); of equals the earlier one
    /// comes first. `None` if there are no candidates.
    pub fn new(mut candidates: Vec<Candidate<M>>, observations: usize) -> Option<Self> {
        candidates.sort_by(|a, b| a.bic(observations).total_cmp(&b.bic(observations)));
        (!candidates.is_empty()).then_some(Self {
            candidates,
            observations,
        })
    }

    /// Model of the best candidate, which is the first.
    pub fn best(&self) -> &M {
        &self.candidates[0].model
    }

    /// Bayesian information criterion (BIC) of the best candidate: smaller is better.
    pub fn bic(&self) -> f64 {
        self.candidates[0].bic(self.observations)
    }

    /// Models that suit the observations about equally well: the best one, then those whose Bayesian information
    /// criterion (BIC) is less than 6 above that of the best.
    pub fn equals(&self) -> impl Iterator<Item = &M> {
        let bic = |candidate: &Candidate<M>| candidate.bic(self.observations);
        let least = bic(&self.candidates[0]);
        self.candidates
            .iter()
            .filter(move |candidate| bic(candidate) - least < TOLD_APART)
            .map(|candidate| &candidate.model)
    }
}
