//! Works the rounds of `chain`: rows of a model's matrix, the analysis of a matrix, and rows of
//! products.

use super::analysis::{Analysis, AnalysisUnderWay, of_line};
use super::input::Input;
use super::spec::ChainSpec;
use crate::Result;
use crate::bytes::from_f64s;
use crate::linalg::axpy;
use crate::run::{PIECE, ShardWorker, Unfinished, pack, per_piece, unpack, work_by_pieces};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Rows of a model's matrix per shard: of the largest model under the slowest transition some
/// milliseconds.
const MODEL_ROWS: usize = 4;

/// What a round is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Round {
    /// Rows of a model's matrix.
    Rows,
    /// The analysis of a matrix; none is broadcast for a chain that needs none.
    Analysis,
    /// The product of two matrices, or the square of one.
    Product,
}

/// Works shards of a round.
pub struct ChainWorker {
    pub(super) input: Input,
    round: Round,
    /// The matrices of the round.
    matrices: Vec<Vec<f64>>,
}

impl ChainWorker {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// Any [`crate::Error`] of the spec.
    pub fn new(spec: &ChainSpec) -> Result<Self> {
        Ok(Self { input: Input::new(spec)?, round: Round::Analysis, matrices: Vec::new() })
    }

    /// Tells the coordinator's own worker what the next round is about, before it is prepared.
    pub(super) fn set_round(&mut self, round: Round) {
        self.round = round;
    }

    pub(super) fn num_states(&self) -> usize {
        self.input.num_states()
    }

    /// Rows per shard of the round.
    fn rows_a_shard(&self) -> usize {
        let n = self.num_states();
        match self.round {
            Round::Rows => MODEL_ROWS,
            Round::Analysis => n,
            Round::Product => per_piece((n * n) as u64),
        }
    }

    fn rows(&self, shard: usize) -> Range<usize> {
        let start = shard * self.rows_a_shard();
        start..self.num_states().min(start + self.rows_a_shard())
    }

    fn model_rows(&self, rows: Range<usize>) -> Vec<f64> {
        let Input::Model(chain) = &self.input else { unreachable!("only models have such rounds") };
        rows.flat_map(|state| stochastic(chain.row(state))).collect()
    }

    /// Rows of a product of transition matrices. Each is divided by its sum: rounding errors of the
    /// sums would double with every square.
    fn product(&self, left: &[f64], right: &[f64], rows: Range<usize>) -> Vec<f64> {
        let n = self.num_states();
        rows.flat_map(|row| {
            let mut sum = vec![0.0; n];
            for (factor, line) in left[row * n..][..n].iter().zip(right.chunks_exact(n)) {
                if *factor != 0.0 {
                    axpy(*factor, line, &mut sum);
                }
            }
            stochastic(sum)
        })
        .collect()
    }

    fn analysis_piece(&self, matrix: &[f64], unfinished: &mut Unfinished) -> Option<Analysis> {
        if let Input::Line(chain) = &self.input {
            return Some(of_line(chain));
        }
        let new = || AnalysisUnderWay::new(matrix, self.num_states());
        // A multiplication takes about a nanosecond.
        unfinished.get_or_insert_with(new).advance(matrix, PIECE as usize)
    }
}

/// A row divided by its sum, which is 1 but for rounding.
fn stochastic(mut row: Vec<f64>) -> Vec<f64> {
    let total: f64 = row.iter().sum();
    row.iter_mut().for_each(|entry| *entry /= total);
    row
}

impl ShardWorker for ChainWorker {
    fn num_shards(&self) -> usize {
        self.num_states().div_ceil(self.rows_a_shard())
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        (self.round, self.matrices) = unpack(broadcast).expect("a round and its matrices");
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        work_by_pieces(self, shard, scattered)
    }

    fn work_piece(
        &self,
        shard: usize,
        _scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        assert!(shard < self.num_shards());
        let rows = self.rows(shard);
        match (self.round, &self.matrices[..]) {
            (Round::Rows, _) => Some(from_f64s(&self.model_rows(rows))),
            (Round::Product, [matrix]) => Some(from_f64s(&self.product(matrix, matrix, rows))),
            (Round::Product, [left, right]) => Some(from_f64s(&self.product(left, right, rows))),
            (Round::Product, _) => unreachable!("a product has one factor or two"),
            (Round::Analysis, matrices) => {
                let matrix = matrices.first().map_or(&[][..], |matrix| matrix);
                let analysis = self.analysis_piece(matrix, unfinished)?;
                unfinished.clear();
                Some(pack(&analysis))
            }
        }
    }
}
