//! How the chains of a job move: each alone ([`Target`]), or at the top of a ladder.

use super::chain::Chain;
use super::target::Target;
use crate::bits::{are_rows, words_per_row};
use crate::rng::{Purpose, stream};
#[cfg(feature = "full")]
use crate::run::LatticeWork;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::Range;

/// Chains of binary states, and what a job needs of them.
pub trait Motion: Send + Sync {
    /// A chain between two sweeps, with all that its next sweeps need.
    type Chain: Clone + Send + Sync + Serialize + DeserializeOwned;
    /// What is recorded of the chains besides their draws.
    type Record: Default + Send + Sync + Serialize + DeserializeOwned;

    /// The model and its states.
    fn target(&self) -> &Target;

    /// A chain before its first sweep. `state` makes initial states.
    fn begin(&self, seed: u64, index: usize, state: &mut dyn FnMut() -> Vec<u64>) -> Self::Chain;

    /// Whether this is a chain of the job, as it is unless a checkpoint was tampered with.
    fn is_valid(&self, chain: &Self::Chain) -> bool;

    /// Moves each chain one sweep at a time, and takes a draw from every chain after each sweep for
    /// which `is_draw` is true.
    fn sweep(
        &self,
        chains: &mut [Self::Chain],
        sweeps: Range<usize>,
        is_draw: impl Fn(usize) -> bool,
    ) -> (Vec<u8>, Self::Record);

    /// Whether a graphics processor may make the sweeps.
    #[cfg(feature = "full")]
    fn is_lattice_work(&self) -> bool {
        false
    }

    /// [`Motion::sweep`] as work for a graphics processor, if it may.
    #[cfg(feature = "full")]
    fn lattice_work(
        &self,
        _chains: &[Self::Chain],
        _sweeps: Range<usize>,
        _is_draw: impl Fn(usize) -> bool,
    ) -> Option<LatticeWork> {
        None
    }

    /// What [`Motion::sweep`] does, from the states that a processor has made.
    ///
    /// # Panics
    /// If it may not, or there are not as many states.
    #[cfg(feature = "full")]
    fn take_lattices(
        &self,
        _chains: &mut [Self::Chain],
        _sweeps: Range<usize>,
        _is_draw: impl Fn(usize) -> bool,
        _states: &[u32],
    ) -> (Vec<u8>, Self::Record) {
        panic!("no processor has work of this kind")
    }

    /// Appends what was recorded later, or of other chains.
    fn join(_record: &mut Self::Record, _more: Self::Record) {}

    /// Number of chains that move side by side, given the number of all chains.
    fn width(&self, num_chains: usize) -> usize;

    /// Estimated cost of a sweep and its share of a draw, in nanoseconds.
    fn sweep_cost(&self, num_steps_per_draw: usize) -> usize;

    /// Number of differences of energies that a chain's sweep takes, if it flips single sites.
    fn differences_per_sweep(&self) -> Option<u64> {
        None
    }

    /// Number of states that a chain keeps.
    fn num_states(&self) -> usize {
        1
    }

    /// The numbers of sweeps, ascending, after which all chains are adapted together.
    fn adaptations(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Adapts all chains together, after this number of sweeps.
    fn adapt(&self, _chains: &mut [Self::Chain], _num_sweeps: usize) {}

    /// What to report of the chains besides their draws.
    #[cfg(feature = "full")]
    fn report(
        &self,
        _chains: &[Self::Chain],
        _record: &Self::Record,
    ) -> Option<super::tempering_report::TemperingReport> {
        None
    }
}

impl Motion for Target {
    type Chain = Chain;
    type Record = ();

    fn target(&self) -> &Target {
        self
    }

    fn begin(&self, seed: u64, index: usize, state: &mut dyn FnMut() -> Vec<u64>) -> Chain {
        Chain { row: state(), rng: stream(seed, Purpose::Chain, index as u64) }
    }

    fn is_valid(&self, chain: &Chain) -> bool {
        let dim = self.state_dim();
        chain.row.len() == words_per_row(dim)
            && are_rows(dim, &chain.row)
            && self.is_state(&chain.row)
    }

    fn sweep(
        &self,
        chains: &mut [Chain],
        sweeps: Range<usize>,
        is_draw: impl Fn(usize) -> bool,
    ) -> (Vec<u8>, ()) {
        (Self::sweep(self, chains, sweeps, is_draw), ())
    }

    #[cfg(feature = "full")]
    fn is_lattice_work(&self) -> bool {
        Self::is_lattice_work(self)
    }

    #[cfg(feature = "full")]
    fn lattice_work(
        &self,
        chains: &[Chain],
        sweeps: Range<usize>,
        is_draw: impl Fn(usize) -> bool,
    ) -> Option<LatticeWork> {
        Self::lattice_work(self, chains, sweeps, is_draw)
    }

    #[cfg(feature = "full")]
    fn take_lattices(
        &self,
        chains: &mut [Chain],
        sweeps: Range<usize>,
        is_draw: impl Fn(usize) -> bool,
        states: &[u32],
    ) -> (Vec<u8>, ()) {
        (Self::take_lattices(self, chains, sweeps, is_draw, states), ())
    }

    fn width(&self, num_chains: usize) -> usize {
        Self::width(self, num_chains)
    }

    fn sweep_cost(&self, num_steps_per_draw: usize) -> usize {
        Self::sweep_cost(self, num_steps_per_draw)
    }

    fn differences_per_sweep(&self) -> Option<u64> {
        Self::differences_per_sweep(self)
    }
}
