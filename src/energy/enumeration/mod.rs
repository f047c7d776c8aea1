//! Enumeration of all 2^D states of a binary model, D ≤ 20.
//!
//! States are visited in Gray code, one flip from each to the next, so that an energy costs one
//! delta instead of a sum over pairs. Every [`RUN`] states the walk restarts from a freshly
//! computed energy, which bounds the accumulated rounding. The weights exp(−E) of a shard are then
//! folded in half, one site after another, which gives all pair moments in about 3 operations per
//! state.
//!
//! A shard fixes the top bits of the state and varies the others, at most
//! 2^14 states; shards, their order and their extent depend on D alone.

mod categorical;
mod moments;

pub use categorical::Categorical;
pub use moments::{Enumeration, VisibleStates, WeightedSums};

use super::{ExactDraws, SiteFlips};
use crate::bits::{BitMatrix, WeightedRows, words_per_row};
use crate::linalg::Batch;
use crate::math::{exp, ln};
use crate::rng::ChainRng;
use crate::{Error, Result};

/// Maximum dimension D.
pub const MAX_DIM: usize = 20;

/// Sites that vary within a shard.
const SHARD_SITES: usize = 14;

/// Number of states walked from one freshly computed energy to the next.
pub const RUN: usize = 1024;

/// The quantities that enumeration gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Exact {
    /// log Z, in nats.
    pub log_z: f64,
    /// The mean energy E[E(x)], in nats.
    pub mean_energy: f64,
    /// Entropy of the distribution, in nats: log Z + mean energy.
    pub entropy: f64,
    /// E[x_i x_j], row-major `[dim, dim]`; the means are on the diagonal.
    pub moments: Vec<f64>,
}

/// Number of shards of the states of a model of `dim` sites.
///
/// # Errors
/// [`Error::TooLarge`] if `dim` is over [`MAX_DIM`].
pub fn num_shards(dim: usize) -> Result<usize> {
    if dim > MAX_DIM {
        return Err(Error::TooLarge {
            field: "model.dim".into(),
            problem: format!(
                "is {dim}, and enumeration visits 2^dim states: the limit is {MAX_DIM}; sample the model \
                 instead"
            ),
        });
    }
    Ok(1 << dim.saturating_sub(SHARD_SITES))
}

/// Works one shard of the states: `[E_min, Σw, ΣwE, Σ w x_i x_j for i ≤ j]` with w = exp(E_min −
/// E).
///
/// # Panics
/// If the model is over [`MAX_DIM`] or there is no such shard.
pub fn part(model: &dyn SiteFlips, shard: usize) -> Vec<f64> {
    let dim = model.dim();
    let low = dim.min(SHARD_SITES);
    let (_, energies) = energies(model, shard);
    let min = energies.iter().copied().fold(f64::INFINITY, f64::min);
    let mut weighted_energy = 0.0;
    let mut weights = Vec::with_capacity(energies.len());
    for energy in energies {
        let weight = exp(min - energy);
        weighted_energy += weight * energy;
        weights.push(weight);
    }

    // moments[i][j] for the low sites i and j; the high sites are constant.
    let mut moments = vec![0.0; dim * dim];
    let total = fold_moments(weights, low, dim, &mut moments);
    for high in low..dim {
        if shard >> (high - low) & 1 == 0 {
            continue;
        }
        for site in 0..low {
            moments[site * dim + high] = moments[site * dim + site];
        }
        for other in low..=high {
            if shard >> (other - low) & 1 == 1 {
                moments[other * dim + high] = total;
            }
        }
    }

    let mut part = vec![min, total, weighted_energy];
    for site in 0..dim {
        part.extend_from_slice(&moments[site * dim + site..(site + 1) * dim]);
    }
    part
}

/// All states of a model with weights proportional to their probabilities, as data.
///
/// # Errors
/// [`Error::TooLarge`] if the model is over [`MAX_DIM`].
pub fn distribution(model: &dyn SiteFlips) -> Result<WeightedRows> {
    let shards: Vec<_> =
        (0..num_shards(model.dim())?).map(|shard| energies(model, shard)).collect();
    let all = || shards.iter().flat_map(|(_, energies)| energies);
    let min = all().copied().fold(f64::INFINITY, f64::min);
    let weights: Vec<f64> = all().map(|energy| exp(min - energy)).collect();
    let mut states = BitMatrix::zeros(model.dim(), weights.len());
    // The states are numbered consecutively across shards.
    states.rows_mut().enumerate().for_each(|(state, row)| row[0] = state as u64);
    Ok(WeightedRows::weighted(states, weights))
}

/// The states of one shard are `base | y` for y in 0..2^low: returns base, and the energies indexed
/// by y.
///
/// # Panics
/// If the model is over [`MAX_DIM`] or there is no such shard.
pub fn energies(model: &dyn SiteFlips, shard: usize) -> (u64, Vec<f64>) {
    let dim = model.dim();
    assert!(dim <= MAX_DIM && shard < 1 << dim.saturating_sub(SHARD_SITES));
    let low = dim.min(SHARD_SITES);
    let base = (shard as u64) << low;
    (base, shard_energies(model, base, low))
}

/// Energies of the states `base | y`, y in 0..2^low, indexed by y.
fn shard_energies(model: &dyn SiteFlips, base: u64, low: usize) -> Vec<f64> {
    let dim = model.dim();
    let num_states = 1usize << low;
    let mut energies = vec![0.0; num_states];
    for start in (0..num_states).step_by(RUN) {
        let mut gray = start ^ start >> 1;
        let mut row = vec![0u64; words_per_row(dim)];
        row[0] = base | gray as u64;
        let mut state = vec![0.0; dim];
        crate::bits::write_values(&row, &mut state);
        let mut energy = [0.0];
        model.energy(Batch::new(dim, &state), &mut energy);
        let mut walk = model.walk(&mut row);
        energies[gray] = energy[0];
        for count in start + 1..num_states.min(start + RUN) {
            let site = count.trailing_zeros() as usize;
            energy[0] += walk.delta(site);
            walk.flip(site);
            gray ^= 1 << site;
            energies[gray] = energy[0];
        }
    }
    energies
}

/// Writes Σ w x_i x_j for i ≤ j < low into the upper triangle of `moments` and returns Σ w. The top
/// site's moments are sums over the upper half of the table; then the halves are added, and the
/// next site is the top one.
fn fold_moments(mut weights: Vec<f64>, low: usize, dim: usize, moments: &mut [f64]) -> f64 {
    for top in (0..low).rev() {
        let half = 1 << top;
        let mut set = weights[half..].to_vec();
        for site in (0..top).rev() {
            let (lower, upper) = set.split_at_mut(1 << site);
            moments[site * dim + top] = upper.iter().sum();
            fold(lower, upper);
            set.truncate(1 << site);
        }
        moments[top * dim + top] = set[0];
        let (lower, upper) = weights.split_at_mut(half);
        fold(lower, upper);
        weights.truncate(half);
    }
    weights[0]
}

fn fold(lower: &mut [f64], upper: &[f64]) {
    for (lower, upper) in lower.iter_mut().zip(upper) {
        *lower += upper;
    }
}

/// Combines the parts of all shards, given in shard order.
///
/// # Panics
/// If a part is missing or has the wrong length.
pub fn combine(dim: usize, parts: &[Vec<f64>]) -> Exact {
    assert_eq!(parts.len(), 1 << dim.saturating_sub(SHARD_SITES));
    combine_parts(dim, parts)
}

/// [`combine`], of all shards of any enumeration of rows of `dim` bits.
///
/// # Panics
/// If a part has the wrong length.
pub fn combine_parts(dim: usize, parts: &[Vec<f64>]) -> Exact {
    let min = parts.iter().map(|part| part[0]).fold(f64::INFINITY, f64::min);
    let mut sums = vec![0.0; 2 + dim * (dim + 1) / 2];
    for part in parts {
        crate::linalg::axpy(exp(min - part[0]), &part[1..], &mut sums);
    }
    let total = sums[0];
    let mean_energy = sums[1] / total;
    let mut moments = vec![0.0; dim * dim];
    let mut triangle = sums[2..].iter();
    for i in 0..dim {
        for (j, sum) in (i..dim).zip(&mut triangle) {
            moments[i * dim + j] = sum / total;
            moments[j * dim + i] = sum / total;
        }
    }
    let log_z = ln(total) - min;
    Exact { log_z, mean_energy, entropy: log_z + mean_energy, moments }
}

/// Enumerates all states in one call.
///
/// # Errors
/// [`Error::TooLarge`] if the model is over [`MAX_DIM`].
pub fn enumerate(model: &dyn SiteFlips) -> Result<Exact> {
    let parts: Vec<_> = (0..num_shards(model.dim())?).map(|shard| part(model, shard)).collect();
    Ok(combine(model.dim(), &parts))
}

/// Draws from a table of all states: 8 MB at [`MAX_DIM`] sites.
#[derive(Debug, Clone)]
pub struct EnumeratedDraws {
    states: Categorical,
}

impl EnumeratedDraws {
    /// Enumerates the states of a model.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the model is over [`MAX_DIM`].
    pub fn new(model: &dyn SiteFlips) -> Result<Self> {
        let shards = 0..num_shards(model.dim())?;
        let weights = shards.flat_map(|shard| energies(model, shard).1).map(|energy| -energy);
        Ok(Self { states: Categorical::from_log_weights(weights.collect()) })
    }
}

impl ExactDraws for EnumeratedDraws {
    fn log_z(&self) -> f64 {
        self.states.log_total()
    }

    fn draw(&self, rng: &mut ChainRng, row: &mut [u64]) {
        // The states are numbered consecutively across shards.
        row[0] = self.states.draw(rng) as u64;
    }
}
