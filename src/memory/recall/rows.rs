//! The rows that recall starts from: cues, or corrupted copies of them.

use crate::bits::{BitMatrix, words_per_row};
use crate::data::{MAX_PACKED_BYTES, MAX_ROWS};
use crate::memory::dynamics::UpdateOrder;
use crate::memory::noise::{NoiseSpec, corruption, flip_random};
use crate::memory::spec::RecallSpec;
use crate::rng::{ChainRng, Purpose, stream};
use crate::{Error, Result};

/// The rows: row r is copy `r mod numCopies` of cue `r / numCopies`, rounded down.
pub struct Rows {
    cues: BitMatrix,
    noise: Option<NoiseSpec>,
    order: UpdateOrder,
    seed: u64,
    num_copies: usize,
}

impl Rows {
    pub fn new(spec: &RecallSpec, cues: &BitMatrix) -> Result<Self> {
        let num_copies = spec.noise.map_or(1, |noise| noise.num_copies);
        let num_rows = cues.num_rows() as u64 * num_copies as u64;
        let bytes_a_row = 16 * words_per_row(cues.dim()) as u64;
        // The start and the end of each row are stored.
        if num_rows > MAX_ROWS as u64 || num_rows * bytes_a_row > MAX_PACKED_BYTES as u64 {
            return Err(Error::TooLarge {
                field: if num_copies > 1 { "noise.numCopies" } else { "cues" }.into(),
                problem: format!(
                    "makes {num_rows} rows of {} bits, too many at a time; use fewer",
                    cues.dim()
                ),
            });
        }
        if let Some(noise) = &spec.noise {
            noise.check_dim(cues.dim())?;
        }
        let seed = spec.seed.unwrap_or(0);
        Ok(Self { cues: cues.clone(), noise: spec.noise, order: spec.order, seed, num_copies })
    }

    pub fn dim(&self) -> usize {
        self.cues.dim()
    }

    pub fn len(&self) -> usize {
        self.cues.num_rows() * self.num_copies
    }

    /// The cue of a row, before corruption.
    pub fn cue(&self, row: usize) -> &[u64] {
        self.cues.row(row / self.num_copies)
    }

    /// The state from which a row starts.
    pub fn start(&self, row: usize) -> Vec<u64> {
        let mut state = self.cue(row).to_vec();
        if let Some(noise) = &self.noise {
            let mut rng = corruption(self.seed, row as u64);
            flip_random(&mut state, self.dim(), noise.num_flips, &mut rng);
        }
        state
    }

    /// The stream of a row's random update orders; none if the order is fixed.
    pub fn order(&self, row: usize) -> Option<ChainRng> {
        match self.order {
            UpdateOrder::InOrder {} => None,
            UpdateOrder::Random {} => Some(stream(self.seed, Purpose::UpdateOrder, row as u64)),
        }
    }

    /// Whether the bits past the last unit are clear.
    pub fn is_row(&self, row: &[u64]) -> bool {
        let rest = self.dim() % 64;
        rest == 0 || row.last().is_some_and(|last| last >> rest == 0)
    }
}
