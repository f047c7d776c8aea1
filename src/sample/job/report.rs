//! The progress of sampling, and draws of binary states.

#[cfg(feature = "full")]
use super::tempering_report::TemperingReport;
use crate::diagnostics::Summary;
use serde::Deserialize;
use unnorm_wire::report;

/// Progress of sampling.
#[report]
pub struct SampleProgress {
    /// The verb: "sample".
    #[ts(type = "\"sample\"")]
    pub verb: &'static str,
    /// Number of draws so far from each chain.
    pub num_draws: usize,
    /// The fraction done, 0 to 1.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
    /// The draws since the last report, if the caller asks for them.
    pub new_draws: Option<NewDraws>,
}

/// Draws taken between two reports; only the newest if there are too many.
#[report]
pub struct NewDraws {
    /// Entries, or bits, per state.
    pub dim: usize,
    /// Number of chains.
    pub num_chains: usize,
    /// Index of the first of these draws within each chain.
    pub first_draw: usize,
    /// Number of these draws from each chain.
    pub num_draws: usize,
    /// Binary states as packed rows, draw after draw, `numChains` rows each.
    pub bits: Option<Vec<u8>>,
    /// States on ℝᴰ, `[numDraws, numChains, dim]`.
    pub values: Option<Vec<f64>>,
    /// Their energies, `[numDraws, numChains]`.
    pub energies: Option<Vec<f64>>,
    /// The trajectories of chain 0, if the spec records them.
    pub paths: Option<Paths>,
}

/// The trajectories of chain 0, one per step after warm-up.
#[report]
#[derive(Default, Deserialize)]
pub struct Paths {
    /// Number of points of each trajectory, from the start of the step to the proposal.
    pub lengths: Vec<f64>,
    /// The points, trajectory after trajectory, `[.., dim]`.
    pub points: Vec<f64>,
    /// The outcome of each: 0 rejected, 1 accepted; plus 2 if the momentum was reversed, plus 4 if
    /// it diverged.
    pub outcomes: Vec<u8>,
    /// Total energy at the proposal minus that at the start, in nats.
    pub energy_errors: Vec<f64>,
}

impl Paths {
    /// The paths from trajectory `first` on, of states of `dim` entries.
    pub fn since(&self, first: usize, dim: usize) -> Self {
        let first = first.min(self.lengths.len());
        let num_points: f64 = self.lengths[..first].iter().sum();
        Self {
            lengths: self.lengths[first..].to_vec(),
            points: self.points[num_points as usize * dim..].to_vec(),
            outcomes: self.outcomes[first..].to_vec(),
            energy_errors: self.energy_errors[first..].to_vec(),
        }
    }

    /// Whether the lengths are consistent.
    pub fn is_valid(&self, dim: usize) -> bool {
        let num_points: f64 = self.lengths.iter().sum();
        self.points.len() as f64 == num_points * dim as f64
            && self.outcomes.len() == self.lengths.len()
            && self.energy_errors.len() == self.lengths.len()
    }

    /// Appends other paths.
    pub fn extend(&mut self, others: Self) {
        self.lengths.extend(others.lengths);
        self.points.extend(others.points);
        self.outcomes.extend(others.outcomes);
        self.energy_errors.extend(others.energy_errors);
    }
}

/// Draws from a model.
#[report]
pub struct SampleResult {
    /// The draws: draw d of chain c is row d · numChains + c.
    pub draws: Draws,
    /// The energies of the draws, in nats, `[numDraws, numChains]`; empty if not asked for.
    pub energies: Vec<f64>,
    /// The summary of the energies, with the precision of their mean, if they were asked for.
    pub energy_summary: Option<Summary>,
    /// Means of x_i x_j over all draws, row-major `[dim, dim]`; empty if they are not counted.
    pub moments: Vec<f64>,
    /// Standard errors of the moments, from the variance between chains, `[dim, dim]`; NaN with one
    /// chain.
    pub moment_errors: Vec<f64>,
    /// Number of differences of energies that all chains took, warm-up included: what effective draws cost,
    /// whichever transition made them. Of transitions that flip single sites, without a ladder.
    pub num_differences: Option<u64>,
    /// How the ladders moved; absent without tempering.
    #[cfg(feature = "full")]
    pub tempering: Option<TemperingReport>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

/// Rows of packed bits.
#[report]
pub struct Draws {
    /// Bits per row.
    pub dim: usize,
    /// Number of rows.
    pub num_rows: usize,
    /// The rows, each padded with zeros to whole bytes, least significant bit
    /// first.
    pub bits: Vec<u8>,
}

/// Appends a row as a draw.
pub(super) fn push_draw(draws: &mut Vec<u8>, row: &[u64], dim: usize) {
    draws.extend(row.iter().flat_map(|word| word.to_le_bytes()).take(dim.div_ceil(8)));
}

/// The words of a packed row: the inverse of [`push_draw`].
pub(super) fn words_of(bytes: &[u8], row: &mut [u64]) {
    for (word, bytes) in row.iter_mut().zip(bytes.chunks(8)) {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_le_bytes(all);
    }
}
