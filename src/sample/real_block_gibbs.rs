//! Block Gibbs sampling of models on ℝᴰ, or on counts, with hidden units: a step draws all hidden units
//! given the state, and then the whole state given these ([`BlockDraws`](crate::energy::BlockDraws)).
//!
//! It is reversible, has no step size and rejects nothing. Momenta are left unchanged.

use super::chains::{ChainTransition, Chains, StepInfo};
use super::tuning::Tuning;
use crate::sample::target::Target;

/// Block Gibbs sampling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RealBlockGibbs;

impl ChainTransition for RealBlockGibbs {
    /// # Panics
    /// If the target has no such draws.
    fn step(&self, target: Target<'_>, _: &Tuning, chains: &mut Chains, info: &mut [StepInfo]) {
        let (dim, width) = (chains.dim(), chains.width());
        assert_eq!(info.len(), width);
        let blocks = target.as_block_draws().expect("checked with the model");
        let mut state = chains.scratch.memory.take::<Vec<f64>>();
        state.resize(dim, 0.0);
        for (chain, info) in info.iter_mut().enumerate() {
            *info = StepInfo {
                acceptance: 1.0,
                is_accepted: true,
                energy_error: -chains.energy[chain],
                num_gradients: 1,
                ..StepInfo::default()
            };
            chains.state(chain, &mut state);
            blocks.resample(&mut state, &mut chains.rngs[chain]);
            let entries = chains.position.iter_mut().skip(chain).step_by(width);
            entries.zip(&*state).for_each(|(to, from)| *to = *from);
        }
        chains.scratch.memory.keep(state);
        chains.evaluate(target);
        info.iter_mut().zip(&chains.energy).for_each(|(info, energy)| info.energy_error += energy);
    }

    /// It has no step size to search.
    fn trial(&self) -> Option<&dyn ChainTransition> {
        Some(self)
    }

    fn has_momenta(&self) -> bool {
        false
    }
}
