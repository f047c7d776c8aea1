//! Progress and result of `chain`.

use super::analysis::Analysis;
use super::conductance::Cut;
use super::input::Input;
use crate::digest::Digest;
use crate::run::Outcome;
use unnorm_wire::report;

/// Progress of the computation of a chain.
#[report]
pub struct ChainProgress {
    /// The verb: "chain".
    #[ts(type = "\"chain\"")]
    pub verb: &'static str,
    /// The fraction done, 0 to 1; while the matrix is squared, an estimate.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// What holds of a finite Markov chain. No random number is used.
#[report]
pub struct ChainResult {
    /// Number of states n.
    pub num_states: usize,
    /// The transition matrix, row-major `[n, n]`, of a model or of the Metropolis–Hastings rule;
    /// absent if the chain was given by its probabilities.
    pub transitions: Option<Vec<f64>>,
    /// The stationary distribution π, `[n]`. If there are several closed classes, it is not unique:
    /// this one gives each class the same probability, and any mixture of the classes is stationary.
    pub stationary: Vec<f64>,
    /// The number of each state's closed class, `[n]`, −1 for transient states, which are left for good
    /// sooner or later.
    pub closed_class: Vec<f64>,
    /// Number of closed classes; π is unique if there is one.
    pub num_closed_classes: usize,
    /// Whether each state can be reached from each other.
    pub irreducible: bool,
    /// Whether all closed classes have period 1.
    pub aperiodic: bool,
    /// The period of each closed class.
    #[ts(type = "Array<number>")]
    pub periods: Vec<f64>,
    /// The greatest violation of detailed balance, `max |π_i T_ij − π_j T_ji|`.
    pub imbalance: f64,
    /// Whether it is a rounding error: at most 1e-12 of the greatest `π_i T_ij`.
    pub reversible: bool,
    /// For models and weights: the greatest difference of π from the distribution that the chain was
    /// made for. Absent if π is not unique.
    pub target_error: Option<f64>,
    /// The spectral gap `1 − λ₂`, of the closed class if there is one, and 0 if there are several. If
    /// the chain is not reversible, it is that of `(T + T*)/2`, with T* the chain run backwards.
    pub gap: Option<f64>,
    /// The absolute gap, 1 less the greatest modulus of the other eigenvalues: 0 for periodic chains,
    /// absent for chains that are not reversible.
    pub absolute_gap: Option<f64>,
    /// The relaxation time, 1 divided by the absolute gap, in steps; absent if it is infinite.
    pub relaxation_time: Option<f64>,
    /// The conductance, with its set; of the closed class, if there is one.
    pub conductance: Option<Conductance>,
    /// Numbers of steps t: powers of 2, and those that the search for the mixing time tried.
    pub steps: Vec<f64>,
    /// The distances `d(t) = max_i ½ Σ_j |(T^t)_ij − π_j|` after these steps. Both are empty if there
    /// is no limit, for more than 512 states, and if `distances` is false.
    pub distances: Vec<f64>,
    /// The mixing time: the first t at which `d(t)` is at most `epsilon`. Absent like the distances, and
    /// if it is above 2^40.
    pub mixing_time: Option<f64>,
    /// What should be known about these numbers, in words.
    pub warnings: Vec<String>,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// The conductance Φ of a chain, and where its bottleneck is.
#[report]
pub struct Conductance {
    /// `flow / probability`.
    pub value: f64,
    /// Whether no set has less: all subsets of up to 16 states are tried, and for chains that move by
    /// one state at a time all cuts. Else it is the least of the cuts along the second eigenvector, an
    /// upper bound.
    pub is_exact: bool,
    /// The states of the set S, in ascending order.
    pub set: Vec<f64>,
    /// π(S), at most ½.
    pub probability: f64,
    /// The flow out of it, `Σ_{i∈S, j∉S} π_i T_ij`.
    pub flow: f64,
    /// Cheeger's bounds on the gap, `Φ²/2` and `2Φ`.
    pub gap_bounds: [f64; 2],
}

impl Conductance {
    fn of(cut: &Cut) -> Self {
        let value = cut.conductance();
        Self {
            value,
            is_exact: cut.is_least,
            set: cut.states.iter().map(|state| *state as f64).collect(),
            probability: cut.probability,
            flow: cut.flow,
            gap_bounds: [0.5 * value * value, 2.0 * value],
        }
    }
}

/// What a job has found.
pub(super) struct Found<'a> {
    pub(super) input: &'a Input,
    pub(super) matrix: &'a [f64],
    pub(super) analysis: &'a Analysis,
    pub(super) epsilon: f64,
    /// Steps with their distances, in ascending order.
    pub(super) distances: Vec<(u64, f64)>,
    pub(super) mixing_time: Option<u64>,
    /// Whether distances were asked for.
    pub(super) wants_distances: bool,
}

impl Found<'_> {
    fn gap(&self) -> Option<f64> {
        match self.analysis.classes.num_closed() {
            1 => self.analysis.spectrum.map(|spectrum| spectrum.gap),
            _ => Some(0.0),
        }
    }

    fn absolute_gap(&self) -> Option<f64> {
        let Analysis { classes, spectrum, is_reversible, .. } = self.analysis;
        if classes.periods[..] != [1] {
            return Some(0.0);
        }
        let spectrum = spectrum.filter(|_| *is_reversible)?;
        Some(spectrum.gap.min(spectrum.from_minus_one))
    }

    /// The greatest difference of π from the distribution that the chain was made for.
    fn target_error(&self) -> Option<f64> {
        let target = self.input.target().filter(|_| self.analysis.classes.num_closed() == 1)?;
        let pairs = target.iter().zip(&self.analysis.stationary);
        Some(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
    }

    /// The matrix, unless it was given.
    fn transitions(&self) -> Option<Vec<f64>> {
        let is_made = match self.input {
            Input::Model(_) => true,
            Input::Matrix { target, .. } => target.is_some(),
            Input::Line(_) => false,
        };
        is_made.then(|| self.matrix.to_vec())
    }
}

impl ChainResult {
    /// The result of what was found, before there are warnings.
    pub(super) fn of(found: &Found<'_>) -> Self {
        let Analysis { classes, stationary, violation, is_reversible, cut, .. } = found.analysis;
        let absolute_gap = found.absolute_gap();
        let closed_class = classes.of_state.iter();
        let mut result = Self {
            num_states: stationary.len(),
            transitions: found.transitions(),
            stationary: stationary.clone(),
            closed_class: closed_class.map(|class| class.map_or(-1.0, f64::from)).collect(),
            num_closed_classes: classes.num_closed(),
            irreducible: classes.is_irreducible(),
            aperiodic: classes.periods.iter().all(|period| *period == 1),
            periods: classes.periods.iter().map(|period| *period as f64).collect(),
            imbalance: *violation,
            reversible: *is_reversible,
            target_error: found.target_error(),
            gap: found.gap(),
            absolute_gap,
            relaxation_time: absolute_gap.filter(|gap| *gap > 0.0).map(|gap| 1.0 / gap),
            conductance: cut.as_ref().map(Conductance::of),
            steps: found.distances.iter().map(|(num_steps, _)| *num_steps as f64).collect(),
            distances: found.distances.iter().map(|(_, distance)| *distance).collect(),
            mixing_time: found.mixing_time.map(|num_steps| num_steps as f64),
            warnings: Vec::new(),
            digest: String::new(),
        };
        result.digest = result.digest_of_numbers();
        result
    }

    fn digest_of_numbers(&self) -> String {
        let optional = |value: Option<f64>| -> Vec<f64> { value.into_iter().collect() };
        let mut digest = Digest::new()
            .f64s("transitions", self.transitions.as_deref().unwrap_or(&[]))
            .f64s("stationary", &self.stationary)
            .f64s("closedClass", &self.closed_class)
            .f64s("periods", &self.periods)
            .f64s("imbalance", &[self.imbalance])
            .f64s("targetError", &optional(self.target_error))
            .f64s("gap", &optional(self.gap))
            .f64s("absoluteGap", &optional(self.absolute_gap))
            .f64s("steps", &self.steps)
            .f64s("distances", &self.distances)
            .f64s("mixingTime", &optional(self.mixing_time));
        if let Some(Conductance { set, probability, flow, .. }) = &self.conductance {
            digest = digest.f64s("set", set).f64s("cut", &[*probability, *flow]);
        }
        digest.hex()
    }
}

impl Outcome for ChainResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
