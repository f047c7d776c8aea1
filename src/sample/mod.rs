//! Sampling: Markov chain transitions that leave a model's distribution unchanged.

pub mod annealed;
pub mod annealed_langevin;
pub mod block_gibbs;
mod bonds;
pub mod chains;
pub mod checkerboard;
mod columns;
pub mod discrete_langevin;
pub mod dual_averaging;
pub mod flip_metropolis;
pub mod gibbs;
pub(crate) mod groups;
pub mod hmc;
pub mod ising_gibbs;
pub mod job;
pub mod ladder;
pub mod langevin;
pub mod leapfrog;
pub mod locally_informed;
pub mod metropolis;
pub mod nuts;
pub mod parallel_tempering;
pub mod param_path;
pub mod path_chains;
pub mod path_moves;
pub mod path_spec;
pub mod posteriors;
pub mod real_block_gibbs;
mod scratch;
pub mod simulated_tempering;
pub mod single_flips;
pub mod slice;
pub mod spec;
mod state_table;
pub mod swendsen_wang;
pub mod target;
#[cfg(feature = "full")]
pub mod tempered_bits;
mod torus;
pub mod tuning;
#[cfg(feature = "full")]
pub mod value_clusters;
pub mod value_gibbs;
pub mod warmup;
pub mod welford;
pub mod wolff;

#[cfg(feature = "full")]
pub use job::continuous::report::{
    ChainReport, ContinuousDraws, ContinuousResult, Divergences, EntrySummaries,
};
#[cfg(feature = "full")]
pub use job::latent::report::{LatentDraws, LatentResult, LatentSummaries};
pub use job::output::SampleOutput;
pub use job::report::{Draws, NewDraws, Paths, SampleProgress, SampleResult};
pub use job::spec::{MAX_CHAINS, MAX_STEPS, SampleSpec, StartSpec};
#[cfg(feature = "full")]
pub use job::tempering_report::TemperingReport;

use crate::rng::ChainRng;

/// A Markov transition on packed binary states. The row is the whole state, so a chain is resumed
/// from its row and its generator.
pub trait Transition: Send + Sync {
    /// Diagnostics of one step; the next step does not need them.
    type Info;

    /// Moves one chain by one step.
    ///
    /// # Panics
    /// If the row does not have the model's dimension.
    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> Self::Info;

    /// Moves one chain by several steps, to the same state as one after another. `moved` gets the
    /// diagnostics of each.
    ///
    /// # Panics
    /// As [`Transition::step`].
    fn steps(
        &self,
        row: &mut [u64],
        rng: &mut ChainRng,
        num_steps: usize,
        mut moved: impl FnMut(Self::Info),
    ) {
        (0..num_steps).for_each(|_| moved(self.step(row, rng)));
    }
}
