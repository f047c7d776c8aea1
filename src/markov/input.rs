//! The chain that a spec describes.

use super::birth_death::BirthDeath;
use super::rows::ModelChain;
use super::spec::{ChainSpec, KernelSpec, MAX_STATES};
use crate::checks::check_numbers;
use crate::{Error, Result};

/// Rows may add up to 1 only up to this: probabilities are often written with a few digits, but a row
/// of other sums is an error.
const ROW_TOLERANCE: f64 = 1e-9;

/// A chain, before its matrix is known.
pub enum Input {
    /// The matrix itself, row-major.
    Matrix {
        /// The entries, `[n, n]`.
        matrix: Vec<f64>,
        /// The weights of the Metropolis–Hastings rule, normalized, if it was made by them.
        target: Option<Vec<f64>>,
    },
    /// A binary model and how it moves: rows are made one by one.
    Model(ModelChain),
    /// A chain that moves by one state at a time.
    Line(BirthDeath),
}

impl Input {
    /// The chain of a spec.
    ///
    /// # Errors
    /// Any [`Error`] of the spec or the model.
    pub fn new(spec: &ChainSpec) -> Result<Self> {
        spec.check()?;
        if let (Some(model), Some(kernel)) = (&spec.model, spec.transition) {
            return Ok(Self::Model(ModelChain::new(model, kernel)?));
        }
        if let (Some(weights), Some(proposal)) = (&spec.weights, &spec.proposal) {
            let proposal = stochastic("proposal", proposal)?;
            let target = normalized(weights, num_states(&proposal))?;
            let matrix = metropolis_hastings(&target, &proposal);
            return Ok(Self::Matrix { matrix, target: Some(target) });
        }
        if let Some(line) = &spec.birth_death {
            return Ok(Self::Line(BirthDeath::new(line)?));
        }
        if let Some(model) = &spec.curie_weiss {
            let Some(KernelSpec::SingleSite { rule }) = spec.transition else {
                let problem =
                    "is none that makes a chain of the number of up spins; use singleSite";
                return Err(Error::spec("transition.kind", problem));
            };
            return Ok(Self::Line(BirthDeath::curie_weiss(model, rule)?));
        }
        let transitions = spec.transitions.as_deref().unwrap_or(&[]);
        Ok(Self::Matrix { matrix: stochastic("transitions", transitions)?, target: None })
    }

    /// Number of states n.
    pub fn num_states(&self) -> usize {
        match self {
            Self::Matrix { matrix, .. } => num_states(matrix),
            Self::Model(chain) => chain.num_states(),
            Self::Line(chain) => chain.num_states(),
        }
    }

    /// The distribution that the chain was made for, if there is one.
    pub fn target(&self) -> Option<Vec<f64>> {
        match self {
            Self::Matrix { target, .. } => target.clone(),
            Self::Model(chain) => Some(chain.boltzmann()),
            Self::Line(_) => None,
        }
    }
}

/// Number of rows of a square matrix.
fn num_states(matrix: &[f64]) -> usize {
    matrix.len().isqrt()
}

/// Checks a matrix of transition probabilities and divides its rows by their sums.
fn stochastic(field: &str, entries: &[f64]) -> Result<Vec<f64>> {
    let n = num_states(entries);
    if n == 0 || n * n != entries.len() {
        let problem = format!("has {} entries; a chain of n states has n²", entries.len());
        return Err(Error::spec(field, problem));
    }
    if n > MAX_STATES {
        return Err(Error::TooLarge {
            field: field.into(),
            problem: format!(
                "is of {n} states, and the limit is {MAX_STATES}; a chain that moves by one state at a \
                 time may be longer as birthDeath"
            ),
        });
    }
    check_numbers(field, entries, n * n)?;
    let mut matrix = entries.to_vec();
    for (state, row) in matrix.chunks_exact_mut(n).enumerate() {
        if let Some(other) = row.iter().position(|entry| *entry < 0.0) {
            let place = format!("{field}[{}]", state * n + other);
            return Err(Error::spec(place, format!("is {}, below 0", row[other])));
        }
        let total: f64 = row.iter().sum();
        if (total - 1.0).abs() > ROW_TOLERANCE {
            let problem =
                format!("has a row {state} that adds up to {total}; every row must add up to 1");
            return Err(Error::spec(field, problem));
        }
        row.iter_mut().for_each(|entry| *entry /= total);
    }
    Ok(matrix)
}

/// Checks weights and divides them by their sum.
fn normalized(weights: &[f64], num_states: usize) -> Result<Vec<f64>> {
    check_numbers("weights", weights, num_states)?;
    if let Some(state) = weights.iter().position(|weight| *weight <= 0.0) {
        let problem = format!("is {}; a weight must be above 0", weights[state]);
        return Err(Error::spec(format!("weights[{state}]"), problem));
    }
    let greatest = weights.iter().copied().fold(0.0, f64::max);
    let total: f64 = weights.iter().map(|weight| weight / greatest).sum();
    let probabilities: Vec<f64> = weights.iter().map(|weight| weight / greatest / total).collect();
    match probabilities.iter().position(|probability| *probability == 0.0) {
        None => Ok(probabilities),
        Some(state) => {
            let problem =
                "is too small beside the greatest, so that its probability is rounded to 0";
            Err(Error::spec(format!("weights[{state}]"), problem))
        }
    }
}

/// Proposals q that are accepted with probability `min(1, b_j q_ji / (b_i q_ij))` (Hastings 1970).
fn metropolis_hastings(weights: &[f64], proposal: &[f64]) -> Vec<f64> {
    let n = weights.len();
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        let mut stays = proposal[i * n + i];
        for j in (0..n).filter(|&j| j != i) {
            let proposed = proposal[i * n + j];
            let [there, back] = [weights[i] * proposed, weights[j] * proposal[j * n + i]];
            let accepted = if back >= there { proposed } else { proposed * (back / there) };
            matrix[i * n + j] = accepted;
            stays += proposed - accepted;
        }
        matrix[i * n + i] = stays;
    }
    matrix
}
