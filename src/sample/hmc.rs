//! Hamiltonian Monte Carlo (Sohl-Dickstein 2012, 1.2 and 6.1), with full or
//! partial momentum refreshment (Horowitz 1991) and, when a proposal is
//! rejected, standard or reduced momentum flips. A step from ζ = (x, v):
//!
//! 1. refresh: `v ← √(1−γ) v + √γ r`, r ~ N(0, I) (γ = 1: a new momentum);
//! 2. propose Lζ: `num_leapfrog_steps` leapfrog steps of size ε;
//! 3. with probability `P_leap = min(1, p(Lζ)/p(ζ))` (6.7) go to Lζ;
//! 4. else, with `P_flip`, turn the momentum round:
//!    - standard: `P_flip = 1 − P_leap`, always;
//!    - reduced: `P_flip = max(0, min(1, p(LFζ)/p(ζ)) − P_leap)` (6.11); the
//!      backward trajectory LFζ is computed for rejected chains only.
//!
//! The thesis's 5.2.1 writes the flip as part of the proposal and again of the
//! refreshment; after both signs this is the same. Where "half the momentum
//! power is to be corrupted per unit time", γ = 1 − 2^(−ε) for each step of
//! length ε.

use super::chains::{ChainTransition, Chains, MAX_ENERGY_ERROR, StepInfo};
use super::leapfrog::leapfrog;
use super::tuning::Tuning;
use crate::energy::Differentiable;
use crate::math::exp;
use crate::rng::{normal, uniform};
use serde::{Deserialize, Serialize};

/// What becomes of the momentum on rejection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum MomentumFlips {
    /// It is always turned round.
    Standard,
    /// It is turned round as rarely as equilibrium allows (6.11).
    Reduced,
}

/// Hamiltonian Monte Carlo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hmc {
    /// Leapfrog steps a proposal.
    pub num_leapfrog_steps: usize,
    /// γ, the part of the momentum's power that is replaced before each step,
    /// greater than 0 and at most 1.
    pub momentum_refresh: f64,
    /// What becomes of the momentum on rejection; without effect for γ = 1.
    pub momentum_flips: MomentumFlips,
}

impl Hmc {
    /// `v ← √(1−γ) v + √γ r`.
    pub fn refresh_momentum(&self, chains: &mut Chains) {
        let (dim, width) = (chains.dim(), chains.width());
        let (kept, fresh) = ((1.0 - self.momentum_refresh).sqrt(), self.momentum_refresh.sqrt());
        for (chain, rng) in chains.rngs.iter_mut().enumerate() {
            for d in 0..dim {
                let v = &mut chains.momentum[d * width + chain];
                *v = kept * *v + fresh * normal(rng);
            }
        }
    }
}

impl ChainTransition for Hmc {
    fn step(
        &self,
        target: &dyn Differentiable,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    ) {
        let width = chains.width();
        assert!(info.len() == width && tuning.step_size.len() == width);
        self.refresh_momentum(chains);
        chains.keep();
        let before = total_energy(chains);
        leapfrog(target, tuning, chains, self.num_leapfrog_steps);
        let after = total_energy(chains);
        let mut rejected = Vec::new();
        for chain in 0..width {
            let energy_error = after[chain] - before[chain];
            let acceptance = acceptance(energy_error);
            let u = uniform(&mut chains.rngs[chain]);
            let is_accepted = u < acceptance;
            info[chain] = StepInfo {
                acceptance,
                is_accepted,
                is_flipped: false,
                is_divergent: is_divergent(energy_error),
                energy_error,
                num_gradients: self.num_leapfrog_steps,
            };
            if !is_accepted {
                chains.go_back(chain);
                rejected.push((chain, u));
            }
        }
        if self.momentum_refresh < 1.0 && !rejected.is_empty() {
            self.flip(target, tuning, chains, info, &before, &rejected);
        }
    }
}

impl Hmc {
    /// Turns round the momenta of rejected chains, each with the uniform
    /// number that rejected it.
    fn flip(
        &self,
        target: &dyn Differentiable,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
        before: &[f64],
        rejected: &[(usize, f64)],
    ) {
        let backward = match self.momentum_flips {
            MomentumFlips::Standard => vec![f64::INFINITY; rejected.len()],
            MomentumFlips::Reduced => {
                let places: Vec<usize> = rejected.iter().map(|&(chain, _)| chain).collect();
                let mut turned = chains.select(&places);
                turned.momentum.iter_mut().for_each(|v| *v = -*v);
                leapfrog(target, &tuning.select(&places), &mut turned, self.num_leapfrog_steps);
                let after = total_energy(&turned);
                places.iter().zip(after).map(|(&chain, after)| after - before[chain]).collect()
            }
        };
        for (&(chain, u), backward) in rejected.iter().zip(backward) {
            let is_flipped = match self.momentum_flips {
                MomentumFlips::Standard => true,
                // u ≥ P_leap already, and P_leap + P_flip = max(P_leap, P_leap of Fζ).
                MomentumFlips::Reduced => u < acceptance(backward),
            };
            if is_flipped {
                chains.flip(chain);
            }
            info[chain].is_flipped = is_flipped;
            if self.momentum_flips == MomentumFlips::Reduced {
                info[chain].num_gradients += self.num_leapfrog_steps;
            }
        }
    }
}

/// H = E(x) + ½ v·v (1.16).
pub(crate) fn total_energy(chains: &Chains) -> Vec<f64> {
    let mut total = vec![0.0; chains.width()];
    chains.kinetic_energy(&mut total);
    total.iter_mut().zip(&chains.energy).for_each(|(total, energy)| *total += energy);
    total
}

/// `min(1, e^{−ΔH})`; 0 where the energy is no number.
pub(crate) fn acceptance(energy_error: f64) -> f64 {
    if energy_error <= 0.0 {
        1.0
    } else if energy_error.is_nan() {
        0.0
    } else {
        exp(-energy_error)
    }
}

pub(crate) fn is_divergent(energy_error: f64) -> bool {
    // NaN is divergent too.
    !(energy_error <= MAX_ENERGY_ERROR)
}
