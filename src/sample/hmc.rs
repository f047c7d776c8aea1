//! Hamiltonian Monte Carlo (Sohl-Dickstein 2012, 1.2 and 6.1), with full or
//! partial momentum refreshment (Horowitz 1991) and, when a proposal is
//! rejected, standard or reduced momentum flips. A step from ζ = (x, v):
//!
//! 1. refresh: `v ← √(1−γ) v + √γ r`, r ~ N(0, I) (γ = 1: a new momentum);
//! 2. propose Lζ: `num_leapfrog_steps` leapfrog steps of size ε;
//! 3. with probability `P_leap = min(1, p(Lζ)/p(ζ))` (6.7) go to Lζ;
//! 4. else, with `P_flip`, reverse the momentum:
//!    - standard: `P_flip = 1 − P_leap`, always;
//!    - reduced: `P_flip = max(0, min(1, p(LFζ)/p(ζ)) − P_leap)` (6.11); the
//!      backward trajectory LFζ is computed for rejected chains only.
//!
//! Section 5.2.1 of the thesis flips the sign once in the proposal and once in the refreshment; the
//! two together amount to the above. Where "half the momentum power is to be corrupted per unit
//! time", γ = 1 − 2^(−ε) for each step of length ε.

use super::chains::{
    AdaptationSpec, ChainTransition, ChainTransitionSpec, Chains, MAX_ENERGY_ERROR, StepInfo,
};
use super::leapfrog::{leapfrog, leapfrog_from_kept};
use super::tuning::Tuning;
use crate::checks::in_range;
use crate::math::{exp, exp_slice};
use crate::rng::uniform;
use crate::sample::target::Target;
use crate::{Error, Result};
use std::mem::take;
use unnorm_wire::spec;

/// Maximum number of leapfrog steps of a proposal, as a proposal is not interrupted.
const MAX_LEAPFROG_STEPS: usize = 1000;

/// How the momentum is reversed when a proposal is rejected.
#[spec]
#[derive(Copy, Eq)]
pub enum MomentumFlips {
    /// It is always reversed.
    Standard,
    /// It is reversed as rarely as equilibrium allows (6.11).
    Reduced,
}

/// Hamiltonian Monte Carlo.
#[spec(default)]
pub struct HmcSpec {
    /// Leapfrog steps per proposal, 1 to 1,000; 10 if absent.
    pub num_leapfrog_steps: usize,
    /// γ, the fraction of the momentum's power that is replaced before each proposal, greater than
    /// 0 and at most 1; 1 if absent.
    pub momentum_refresh: f64,
    /// How the momentum is reversed on rejection; standard if absent.
    pub momentum_flips: MomentumFlips,
    /// The step size ε. Kept if given without `adaptation`; else found in warm-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_size: Option<f64>,
    /// What warm-up adapts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<AdaptationSpec>,
}

impl Default for HmcSpec {
    fn default() -> Self {
        Self {
            num_leapfrog_steps: 10,
            momentum_refresh: 1.0,
            momentum_flips: MomentumFlips::Standard,
            step_size: None,
            adaptation: None,
        }
    }
}

impl ChainTransitionSpec for HmcSpec {
    fn build(&self) -> Box<dyn ChainTransition> {
        Box::new(Hmc {
            num_leapfrog_steps: self.num_leapfrog_steps,
            momentum_refresh: self.momentum_refresh,
            momentum_flips: self.momentum_flips,
        })
    }

    fn step_size(&self) -> Option<f64> {
        self.step_size
    }

    fn adaptation(&self) -> Option<&AdaptationSpec> {
        self.adaptation.as_ref()
    }

    fn check(&self) -> Result<()> {
        let field = "transition.numLeapfrogSteps";
        in_range(field, self.num_leapfrog_steps, 1, MAX_LEAPFROG_STEPS)?;
        let refresh = self.momentum_refresh;
        if !(refresh > 0.0 && refresh <= 1.0) {
            return Err(Error::spec(
                "transition.momentumRefresh",
                format!("is {refresh}; it must be greater than 0 and at most 1"),
            ));
        }
        Ok(())
    }
}

/// Hamiltonian Monte Carlo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hmc {
    /// Leapfrog steps per proposal.
    pub num_leapfrog_steps: usize,
    /// γ, the fraction of the momentum's power that is replaced before each step, greater than 0
    /// and at most 1.
    pub momentum_refresh: f64,
    /// How the momentum is reversed on rejection; for γ = 1 it is always reversed, as that costs
    /// nothing.
    pub momentum_flips: MomentumFlips,
}

impl ChainTransition for Hmc {
    fn step(
        &self,
        target: Target<'_>,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    ) {
        chains.refresh_momentum(self.momentum_refresh);
        propose(chains, |chains| {
            leapfrog_from_kept(target, tuning, chains, self.num_leapfrog_steps);
        });
        // If the momenta are replaced anyway, no trajectory is spent on them.
        let is_reduced =
            self.momentum_refresh < 1.0 && self.momentum_flips == MomentumFlips::Reduced;
        if !is_reduced {
            decide(chains, info, self.num_leapfrog_steps, |_, _| {});
            flip_momenta(chains, info);
            return;
        }
        let mut rejected = chains.scratch.memory.take::<Rejected>();
        rejected.clear(chains.width());
        decide(chains, info, self.num_leapfrog_steps, |chain, u| {
            rejected.places.push(chain);
            rejected.uniforms.push(u);
        });
        if !rejected.places.is_empty() {
            self.reduced_flips(target, tuning, chains, info, &mut rejected);
        }
        chains.scratch.memory.keep(rejected);
    }

    /// A rejection reverses the momentum, which costs more the longer momentum is kept.
    fn annealing_acceptance(&self) -> f64 {
        if self.momentum_refresh < 1.0 { 0.9 } else { self.target_acceptance() }
    }

    fn num_gradients(&self, _dim: usize) -> u64 {
        self.num_leapfrog_steps as u64
    }
}

/// Makes a proposal, which [`decide`] may take back: `make` saves the present state
/// ([`Chains::keep`]) and moves the chains.
pub(crate) fn propose(chains: &mut Chains, make: impl FnOnce(&mut Chains)) {
    let mut total = take(&mut chains.scratch.total_before);
    chains.total_energy(&mut total);
    chains.scratch.total_before = total;
    make(chains);
    let mut total = take(&mut chains.scratch.total);
    chains.total_energy(&mut total);
    chains.scratch.total = total;
}

/// Accepts each chain's proposal with probability `min(1, e^{−ΔH})`, or takes it back and calls
/// back with the chain and the uniform number that rejected it.
///
/// # Panics
/// If `info` does not have one entry per chain.
pub(crate) fn decide(
    chains: &mut Chains,
    info: &mut [StepInfo],
    num_gradients: usize,
    mut rejected: impl FnMut(usize, f64),
) {
    assert_eq!(info.len(), chains.width());
    let mut errors = take(&mut chains.scratch.total);
    let mut acceptances = take(&mut chains.scratch.acceptance);
    acceptances.clear();
    for (after, before) in errors.iter_mut().zip(&chains.scratch.total_before) {
        *after -= before;
        acceptances.push(-*after);
    }
    exp_slice(&mut acceptances);
    for (chain, info) in info.iter_mut().enumerate() {
        let energy_error = errors[chain];
        let acceptance = bounded(energy_error, acceptances[chain]);
        let u = uniform(&mut chains.rngs[chain]);
        *info = StepInfo {
            acceptance,
            is_accepted: u < acceptance,
            is_divergent: is_divergent(energy_error),
            energy_error,
            num_gradients,
            ..StepInfo::default()
        };
        if !info.is_accepted {
            chains.go_back(chain);
            rejected(chain, u);
        }
    }
    chains.scratch.total = errors;
    chains.scratch.acceptance = acceptances;
}

/// Standard flips: reverses the momentum of every rejected chain, which keeps positions *and*
/// momenta in equilibrium.
pub(crate) fn flip_momenta(chains: &mut Chains, info: &mut [StepInfo]) {
    for (chain, info) in info.iter_mut().enumerate().filter(|(_, info)| !info.is_accepted) {
        chains.flip(chain);
        info.is_flipped = true;
    }
}

impl Hmc {
    /// Reverses the momenta of rejected chains as rarely as (6.11) allows.
    fn reduced_flips(
        &self,
        target: Target<'_>,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
        rejected: &mut Rejected,
    ) {
        let Rejected { places, uniforms, turned, tuning: of_turned, total } = rejected;
        chains.select_into(places, turned);
        tuning.select_into(places, of_turned);
        turned.momentum.iter_mut().for_each(|v| *v = -*v);
        leapfrog(target, of_turned, turned, self.num_leapfrog_steps);
        turned.total_energy(total);
        for ((&chain, u), after) in places.iter().zip(uniforms).zip(total) {
            let backward = *after - chains.scratch.total_before[chain];
            // u ≥ P_leap holds already, and P_leap + P_flip = max(P_leap, P_leap of Fζ).
            if *u < acceptance(backward) {
                chains.flip(chain);
                info[chain].is_flipped = true;
            }
            info[chain].num_gradients += self.num_leapfrog_steps;
        }
    }
}

/// The chains whose proposals were rejected, and their trajectories backward in time.
#[derive(Debug, Clone, Default)]
struct Rejected {
    places: Vec<usize>,
    /// The uniform number that rejected each chain.
    uniforms: Vec<f64>,
    /// The chains with their momenta flipped.
    turned: Chains,
    tuning: Tuning,
    /// Total energy H at the ends of their trajectories.
    total: Vec<f64>,
}

impl Rejected {
    /// Removes all entries, with space for `width` chains.
    fn clear(&mut self, width: usize) {
        self.places.clear();
        self.places.reserve(width);
        self.uniforms.clear();
        self.uniforms.reserve(width);
    }
}

/// `min(1, e^{−ΔH})`; 0 where the energy error is NaN.
pub(crate) fn acceptance(energy_error: f64) -> f64 {
    bounded(energy_error, exp(-energy_error))
}

/// [`acceptance`], given `e^{−ΔH}`.
fn bounded(energy_error: f64, ratio: f64) -> f64 {
    if energy_error <= 0.0 {
        1.0
    } else if energy_error.is_nan() {
        0.0
    } else {
        ratio
    }
}

/// Whether an energy error is a divergence.
pub(crate) fn is_divergent(energy_error: f64) -> bool {
    // NaN is divergent too.
    !(energy_error <= MAX_ENERGY_ERROR)
}
