//! The spec of `chain`.

use crate::models::ModelSpec;
use crate::sample::spec::{DISCRETE_LANGEVIN_STEP, Scan};
use crate::{Error, Result};
use unnorm_wire::spec;

/// Maximum number of states of a chain given by its matrix, or made from a model: its analysis takes
/// some 2n³ operations.
pub const MAX_STATES: usize = 1024;

/// Maximum number of states for distances and the mixing time: each takes up to some 80 products of
/// matrices, and half of the factors are kept.
pub const MAX_POWER_STATES: usize = 512;

/// Maximum number of states of a chain that moves by one state at a time.
pub const MAX_BIRTH_DEATH: usize = 65_536;

/// Maximum number of sites of a model: its chain has 2^sites states.
pub const MAX_SITES: usize = 10;

/// The spec of `chain`: a finite Markov chain, given in exactly one of five ways. By `transitions`;
/// by a `model` and its `transition`; by `weights` and a `proposal`; by `birthDeath`; by
/// `curieWeiss` and its `transition`.
#[spec]
pub struct ChainSpec {
    /// The transition matrix, row-major `[n, n]`: entry `i n + j` is the probability that j follows
    /// i. Rows must add up to 1, up to 1e-9, and are divided by their sums. Up to 1,024 states.
    #[serde(default)]
    pub transitions: Option<Vec<f64>>,
    /// A binary model of up to 10 sites, whose 2^sites states are those of the chain: site i is bit i
    /// of a state's number.
    #[serde(default)]
    pub model: Option<ModelSpec>,
    /// How the chain of the model moves in a step; `singleSite` for `curieWeiss`.
    #[serde(default)]
    pub transition: Option<KernelSpec>,
    /// Positive weights `[n]`, to which the stationary distribution is proportional: with a
    /// `proposal` they make the chain of Metropolis and Hastings.
    #[serde(default)]
    pub weights: Option<Vec<f64>>,
    /// The proposals of that chain, row-major `[n, n]`, with rows like those of `transitions`.
    #[serde(default)]
    pub proposal: Option<Vec<f64>>,
    /// A chain on a line that moves by one state at a time.
    #[serde(default)]
    pub birth_death: Option<BirthDeathSpec>,
    /// The Curie–Weiss model, whose number of up spins is a chain of that kind.
    #[serde(default)]
    pub curie_weiss: Option<CurieWeissSpec>,
    /// The distance at which the chain counts as mixed, between 0 and 1; ¼ if absent.
    #[serde(default = "quarter")]
    pub epsilon: f64,
    /// Whether to compute distances and the mixing time, for up to 512 states; true if absent.
    #[serde(default = "yes")]
    pub distances: bool,
}

fn quarter() -> f64 {
    0.25
}

fn langevin_step() -> f64 {
    DISCRETE_LANGEVIN_STEP
}

fn yes() -> bool {
    true
}

/// How the chain of a binary model moves in a step.
#[spec]
#[derive(Copy)]
pub enum KernelSpec {
    /// One site, drawn uniformly, is updated.
    SingleSite {
        /// By which rule.
        rule: FlipRule,
    },
    /// A sweep of Gibbs sampling, as many updates as there are sites: a step of `sample`.
    Gibbs {
        /// The order of the sites; systematic if absent.
        #[serde(default)]
        scan: Scan,
    },
    /// A site is drawn by the cost of its flip, and flipped or not: a step of `locallyInformed` in
    /// `sample` is as many of these as there are sites.
    LocallyInformed {},
    /// Each site is proposed to flip with probability `σ(−ΔE/2 − 1/(2α))`, all at once, and the proposal
    /// is accepted or not: a step of `sample`.
    DiscreteLangevin {
        /// The step size α, greater than 0; 0.2 if absent.
        #[serde(default = "langevin_step")]
        step_size: f64,
    },
    /// A sweep over the sites of one colour and then of the other, of an Ising model that has two.
    Checkerboard {},
    /// Swendsen–Wang sampling of an Ising model.
    SwendsenWang {},
    /// Wolff sampling of an Ising model: one cluster is flipped.
    Wolff {},
    /// All hidden units of a restricted Boltzmann machine are drawn given the visible ones, and then
    /// all visible ones; up to 10 hidden units.
    BlockGibbs {},
}

/// By which rule a site is updated.
#[spec]
#[derive(Copy, Eq)]
pub enum FlipRule {
    /// It is flipped with its conditional probability, `1 / (1 + e^ΔE)`.
    Gibbs,
    /// It is flipped with probability `min(1, e^−ΔE)`.
    Metropolis,
}

/// A chain on the states 0 to n − 1 that moves by one state at a time.
#[spec]
pub struct BirthDeathSpec {
    /// The probabilities of going to the next state, `[n]`: above 0, and 0 in the last state.
    pub up: Vec<f64>,
    /// The probabilities of going to the state before, `[n]`: above 0, and 0 in the first state.
    pub down: Vec<f64>,
}

/// The Curie–Weiss model, `p ∝ exp(β M² / 2n)` with M the sum of n spins ±1, of which one, drawn
/// uniformly, is updated in a step. The number of up spins, 0 to n, is a Markov chain by itself.
#[spec]
#[derive(Copy)]
pub struct CurieWeissSpec {
    /// Number of spins n.
    pub num_spins: usize,
    /// The inverse temperature β, 0 or more. The model has two phases above 1.
    pub beta: f64,
}

impl ChainSpec {
    /// Checks that the chain is given in one way, and all of it.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the field.
    pub fn check(&self) -> Result<()> {
        let ways = [
            ("transitions", self.transitions.is_some()),
            ("model", self.model.is_some()),
            ("weights", self.weights.is_some()),
            ("birthDeath", self.birth_death.is_some()),
            ("curieWeiss", self.curie_weiss.is_some()),
        ];
        let given: Vec<&str> =
            ways.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name).collect();
        match given[..] {
            [_] => {}
            [] => {
                let problem = "is missing; give transitions, or model and transition, or weights and \
                               proposal, or birthDeath, or curieWeiss and transition";
                return Err(Error::spec("transitions", problem));
            }
            [first, second, ..] => {
                let problem = format!("is given and so is {first}; a chain is given in one way");
                return Err(Error::spec(second, problem));
            }
        }
        let moves_model = self.model.is_some() || self.curie_weiss.is_some();
        paired("transition", self.transition.is_some(), "model", moves_model)?;
        paired("proposal", self.proposal.is_some(), "weights", self.weights.is_some())?;
        if !(self.epsilon > 0.0 && self.epsilon < 1.0) {
            let problem = format!("is {}; it must lie between 0 and 1", self.epsilon);
            return Err(Error::spec("epsilon", problem));
        }
        Ok(())
    }
}

/// Checks that of two fields both are given or none.
fn paired(field: &str, is_given: bool, other: &str, other_is_given: bool) -> Result<()> {
    match (is_given, other_is_given) {
        (false, true) => Err(Error::spec(field, format!("is missing; a {other} needs one"))),
        (true, false) => Err(Error::spec(field, format!("is given without a {other}; give both"))),
        _ => Ok(()),
    }
}
