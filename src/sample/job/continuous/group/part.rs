//! What a shard tells of its chains' steps.

use super::Group;
use crate::linalg::transpose;
use crate::sample::chains::{Chains, Path, StepInfo};
use crate::sample::job::report::Paths;
use serde::{Deserialize, Serialize};

/// What became of one chain's proposals after warm-up.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Proposals, and Σ of the chances to accept them.
    pub num_proposals: u64,
    pub acceptance: f64,
    /// Momenta turned round.
    pub num_flipped: u64,
    /// Proposals that diverged.
    pub num_divergent: u64,
    /// Gradients, those of the warm-up too.
    pub num_gradients: u64,
    /// Draws given twice, as the chain did not come back to the target in time.
    pub num_absent: u64,
    /// Where the first divergent trajectories began, a few at most.
    pub divergences: Vec<f64>,
}

/// Divergences kept a chain.
const MAX_DIVERGENCES: usize = 10;

/// What a shard makes of its chains in a round of steps.
#[derive(Default, Serialize, Deserialize)]
pub struct GroupPart {
    /// The chains after it.
    pub group: Option<Group>,
    /// Their draws, all chains of the first draw and so on.
    #[serde(with = "crate::bytes::numbers")]
    pub draws: Vec<f64>,
    /// The draws' energies.
    pub energies: Vec<f64>,
    /// Gradients of single chains that it took.
    pub num_gradients: u64,
    /// How the first chain moved, if that is recorded.
    pub paths: Paths,
}

impl Counts {
    /// Adds a step; `begin` is where it began.
    pub fn add<'a>(
        &mut self,
        info: &StepInfo,
        is_warmup: bool,
        begin: impl Iterator<Item = &'a f64>,
    ) {
        self.num_gradients += info.num_gradients as u64;
        if is_warmup {
            return;
        }
        self.num_proposals += 1;
        self.acceptance += info.acceptance;
        self.num_flipped += u64::from(info.is_flipped);
        if info.is_divergent {
            self.num_divergent += 1;
            if self.num_divergent <= MAX_DIVERGENCES as u64 {
                self.divergences.extend(begin);
            }
        }
    }
}

impl GroupPart {
    /// Adds where a chain is.
    pub fn add_draw(&mut self, chains: &Chains, chain: usize) {
        let at = self.draws.len();
        self.draws.resize(at + chains.dim(), 0.0);
        chains.state(chain, &mut self.draws[at..]);
        self.energies.push(chains.energy[chain]);
    }

    /// Adds where all chains are, at `positions`, dimension-major.
    pub fn add_draws(&mut self, positions: &[f64], energies: &[f64]) {
        let (at, width) = (self.draws.len(), energies.len());
        self.draws.resize(at + positions.len(), 0.0);
        transpose(width, positions.len() / width, positions, &mut self.draws[at..]);
        self.energies.extend(energies);
    }

    /// Adds the trajectory of a step.
    pub fn add_path(&mut self, info: &StepInfo, path: Path, dim: usize) {
        self.paths.lengths.push((path.points.len() / dim) as f64);
        self.paths.points.extend(path.points);
        self.paths.outcomes.push(
            u8::from(info.is_accepted)
                + 2 * u8::from(info.is_flipped)
                + 4 * u8::from(info.is_divergent),
        );
        self.paths.energy_errors.push(info.energy_error);
    }
}
