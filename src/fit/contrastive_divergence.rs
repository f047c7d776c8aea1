//! Contrastive divergence: the gradient of the likelihood with its intractable
//! half replaced by short Markov chains,
//!
//! `g = E_data[∂E] − E_chains[∂E]`
//!
//! (Hinton 2002; Sohl-Dickstein 2012, section 1.4). In CD-k each chain takes k
//! steps from a row of the data; in persistent contrastive divergence (Tieleman
//! 2008) the chains continue from where the last update left them. A step is a sweep of Gibbs
//! sampling over the sites. With hidden units it draws all hidden units and then all visible ones.
//! On ℝᴰ it is one of the transitions of sampling there ([`super::real_chains`]), and persistent
//! chains may restart from noise with some probability, as in a replay buffer (Du and Mordatch
//! 2019).
//!
//! g is the gradient of no function (Sutskever and Tieleman 2010), so there is no objective to
//! report. Instead we report the *contrast* `E_data[E] − E_chains[E]`, whose mean is 0 where the
//! chains stay at the data's distribution.

use crate::bits::{BitBatch, BitMatrix};
use crate::linalg::Batch;
use crate::models::Model;
use crate::rng::{ChainRng, Purpose, stream};
use crate::sample::Transition;
use crate::sample::block_gibbs::BlockGibbs;
use crate::sample::gibbs::{Gibbs, Scan};
use crate::sample::ising_gibbs::IsingGibbs;
use crate::{Error, Result};

/// Refuses models that contrastive divergence cannot fit.
///
/// # Errors
/// [`Error::MissingCapability`] if the model has no parameters or cannot be
/// sampled by Gibbs sampling.
pub fn check(model: &dyn Model) -> Result<()> {
    let missing = |capability| Error::missing(model.kind(), capability, "contrastive divergence");
    if model.as_parametric().is_none() {
        return Err(missing("Parametric"));
    }
    if model.as_site_flips().is_none() && model.as_hidden_units().is_none() {
        return Err(missing("SiteFlips"));
    }
    Ok(())
}

/// The random stream of one chain in one update, whichever worker runs it.
///
/// # Panics
/// If there are 2³² chains or updates or more.
pub fn chain_stream(seed: u64, update: u64, chain: usize) -> ChainRng {
    let chain = chain as u64;
    assert!(update >> 32 == 0 && chain >> 32 == 0);
    stream(seed, Purpose::Contrast, update << 32 | chain)
}

/// Minimum number of sweeps of an Ising model for which rows move side by side: setting that up takes
/// as long as some of them.
const MIN_SWEEPS: usize = 24;

/// Moves each row by `num_steps` steps; `rng` gives the random stream of a row.
///
/// # Panics
/// If [`check`] refuses the model, or its dimension is not that of the rows.
pub fn run_chains(
    model: &dyn Model,
    rows: &mut BitMatrix,
    num_steps: usize,
    rng: impl Fn(usize) -> ChainRng,
) {
    let mut rngs: Vec<_> = (0..rows.num_rows()).map(rng).collect();
    let pays_off = rows.num_rows() * num_steps >= MIN_SWEEPS;
    if let Some(ising) = model.as_ising().filter(|_| pays_off)
        && let Some(gibbs) = IsingGibbs::if_faster(ising, Scan::Systematic, rows.num_rows())
    {
        return gibbs.step_rows(rows, &mut rngs, num_steps);
    }
    match (model.as_hidden_units(), model.as_site_flips()) {
        (Some(hidden), _) => {
            let transition = BlockGibbs::new(hidden);
            (0..num_steps).for_each(|_| transition.step_rows(rows, &mut rngs));
        }
        (None, Some(flips)) => {
            let transition = Gibbs::new(flips);
            for (row, rng) in rows.rows_mut().zip(&mut rngs) {
                for _ in 0..num_steps {
                    transition.step(row, rng);
                }
            }
        }
        (None, None) => panic!("the model cannot be sampled"),
    }
}

/// `part += weight Σ_x [E(x) | ∂E(x)]` over states on ℝᴰ.
///
/// # Panics
/// If the model has no parameters, or the shapes do not match.
pub fn accumulate_states(model: &dyn Model, x: Batch<'_>, weight: f64, part: &mut [f64]) {
    let parametric = model.as_parametric().expect("the model has parameters");
    parametric.accumulate_states(x, weight, part);
}

/// `part += weight Σ_x [E(x) | ∂E(x)]` over packed rows.
///
/// # Panics
/// If the model has no parameters, or the shapes do not match.
pub fn accumulate(model: &dyn Model, rows: BitBatch<'_>, weight: f64, part: &mut [f64]) {
    let parametric = model.as_parametric().expect("the model has parameters");
    parametric.accumulate_rows(rows, weight, part);
}
