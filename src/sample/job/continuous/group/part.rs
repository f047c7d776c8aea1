//! What a shard returns of its chains' steps.

use super::Group;
use crate::linalg::transpose;
use crate::sample::chains::{Chains, Path, StepInfo};
use crate::sample::job::report::Paths;
use serde::{Deserialize, Serialize};

/// Statistics of one chain's proposals after warm-up.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Number of proposals; the next field is the sum of their acceptance probabilities.
    pub num_proposals: u64,
    pub acceptance: f64,
    /// Number of reversed momenta.
    pub num_flipped: u64,
    /// Number of divergent proposals.
    pub num_divergent: u64,
    /// Number of gradients, including those of warm-up.
    pub num_gradients: u64,
    /// Number of draws given twice, as the chain did not return to the target in time.
    pub num_absent: u64,
    /// Where the first few divergent trajectories began.
    pub divergences: Vec<f64>,
}

/// Maximum number of divergences kept per chain.
const MAX_DIVERGENCES: usize = 10;

/// A shard's part of a round of steps.
#[derive(Default, Serialize, Deserialize)]
pub struct GroupPart {
    /// The chains after the round.
    pub group: Option<Group>,
    /// Their draws: those of all chains for the first draw, and so on.
    #[serde(with = "crate::bytes::numbers")]
    pub draws: Vec<f64>,
    /// The draws' energies.
    pub energies: Vec<f64>,
    /// Number of single-chain gradients taken.
    pub num_gradients: u64,
    /// The trajectories of the first chain, if they are recorded.
    pub paths: Paths,
}

impl Counts {
    /// Adds a step that began at `begin`.
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
    /// Adds the position of a chain as a draw.
    pub fn add_draw(&mut self, chains: &Chains, chain: usize) {
        let at = self.draws.len();
        self.draws.resize(at + chains.dim(), 0.0);
        chains.state(chain, &mut self.draws[at..]);
        self.energies.push(chains.energy[chain]);
    }

    /// Adds the positions of all chains as draws; `positions` is dimension-major.
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
