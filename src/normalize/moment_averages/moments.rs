//! The moments of the target: from all its states, from long chains, or from data. Hidden units
//! enter by their probabilities given the visible ones.
//!
//! Work is cut into shards, and a shard's work into pieces, between which its state is plain data.
//! The division depends on the model's shape, the spec and the number of rows alone.

use super::MomentAverages;
use super::chains::{Chains, add_statistics, step_cost};
use super::spec::MomentsSpec;
use crate::bits::BitBatch;
use crate::energy::Mismatch;
use crate::energy::enumeration::WeightedSums;
use crate::linalg::axpy;
use crate::rng::{Purpose, stream};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Maximum number of shards.
const MAX_SHARDS: usize = 16;

/// Approximate maximum number of values in all parts together, 32 MiB.
const MAX_PART_NUMBERS: usize = 1 << 22;

/// Minimum number of chains, or rows of data, per shard, if there are that many in all.
const MIN_CHAINS: usize = 5;
const MIN_ROWS: usize = 100;

/// Number of rows whose statistics are added at once, as models rearrange their sums for each call.
const BATCH: usize = 64;

/// The moments of the target and their precision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// `E[x_a x_b]` and `E[x_a]`, in the layout of the parameters.
    pub values: Vec<f64>,
    /// Standard error of the values, over all of them, estimated from the differences between
    /// groups of chains; for chains only.
    pub standard_error: Option<Mismatch>,
    /// Visible rows distributed as in the target, packed; for chains and data.
    pub rows: Vec<u64>,
}

/// The state of one shard's work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MomentWork {
    shard: usize,
    num_pieces_done: usize,
    sums: Sums,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Sums {
    States(WeightedSums),
    /// For chains: `Σ [E | ∂E]` over the draws of some chains.
    Chains(Chains, Vec<f64>),
    /// For data: `Σ [E | ∂E]` over the rows.
    Rows(Vec<f64>),
}

impl MomentAverages {
    /// Number of shards of the work on the target's moments.
    pub fn num_moment_shards(&self) -> usize {
        let num_params = self.statistics.terms.len();
        let most = (MAX_PART_NUMBERS / num_params).clamp(2, MAX_SHARDS);
        match &self.moments {
            MomentsSpec::Exact {} => self.target_states().num_pieces().min(most),
            MomentsSpec::Chains { num_chains, .. } => (num_chains / MIN_CHAINS).clamp(2, most),
            MomentsSpec::Data {} => self.num_rows().div_ceil(MIN_ROWS).min(most),
        }
    }

    /// The work of a shard before its first piece.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn moment_work(&self, shard: usize) -> MomentWork {
        assert!(shard < self.num_moment_shards());
        let num_params = self.statistics.terms.len();
        let sums = match &self.moments {
            MomentsSpec::Exact {} => Sums::States(WeightedSums::new(num_params)),
            MomentsSpec::Data {} => Sums::Rows(vec![0.0; 1 + num_params]),
            MomentsSpec::Chains { num_chains, .. } => {
                let streams = self
                    .cut(*num_chains, shard)
                    .map(|chain| stream(self.seed, Purpose::TargetMoments, chain as u64));
                let means = &self.reference_means[..self.statistics.num_visible];
                let chains = Chains::new(means, streams, |_, _| None);
                Sums::Chains(chains, vec![0.0; 1 + num_params])
            }
        };
        MomentWork { shard, num_pieces_done: 0, sums }
    }

    /// The moments, from the finished work of all shards in their order.
    ///
    /// # Panics
    /// If the work of a shard is missing or unfinished.
    pub fn moments(&self, parts: &[MomentWork]) -> Moments {
        assert_eq!(parts.len(), self.num_moment_shards());
        assert!(parts.iter().all(|part| part.is_done(self)));
        let num_params = self.statistics.terms.len();
        if let MomentsSpec::Exact {} = self.moments {
            let mut all = WeightedSums::new(num_params);
            for part in parts {
                let Sums::States(sums) = &part.sums else { panic!("work of another spec") };
                all.add(sums);
            }
            let values = all.moments(&self.statistics);
            return Moments { values, standard_error: None, rows: Vec::new() };
        }
        let mut rows = Vec::new();
        let mut total = vec![0.0; num_params];
        let mut count = 0.0;
        for part in parts {
            let (sums, weight) = part.sums_and_count(self);
            axpy(1.0, &sums[1..], &mut total);
            count += weight;
            if let Sums::Chains(chains, _) = &part.sums {
                rows.extend(chains.rows(0..chains.len()).rows().flatten());
            }
        }
        if let (MomentsSpec::Data {}, Some(data)) = (&self.moments, &self.data) {
            rows.extend(data.as_batch().rows().flatten());
        }
        total.iter_mut().for_each(|sum| *sum /= count);
        let values = self.statistics.moments_of_gradient(&total);
        let standard_error = matches!(self.moments, MomentsSpec::Chains { .. })
            .then(|| self.standard_error(parts, &values));
        Moments { values, standard_error, rows }
    }

    /// Standard error from the scatter of the shards' means, which are independent.
    fn standard_error(&self, parts: &[MomentWork], values: &[f64]) -> Mismatch {
        let mut squares = vec![0.0; values.len()];
        let (mut total, mut count) = (0.0_f64, 0.0_f64);
        for part in parts {
            let (sums, weight) = part.sums_and_count(self);
            let means = self.statistics.moments_of_gradient(&sums[1..]);
            for ((square, sum), value) in squares.iter_mut().zip(means).zip(values) {
                let deviation = sum / weight - value;
                *square += weight * weight * deviation * deviation;
            }
            total += weight;
            count += 1.0;
        }
        let scale = (count / (count - 1.0)).sqrt() / total;
        let errors: Vec<f64> = squares.iter().map(|square| scale * square.sqrt()).collect();
        Mismatch::between(&errors, &vec![0.0; errors.len()], 1.0)
    }

    /// The range of a shard among `extent` chains, rows or pieces.
    fn cut(&self, extent: usize, shard: usize) -> Range<usize> {
        let num_shards = self.num_moment_shards();
        extent * shard / num_shards..extent * (shard + 1) / num_shards
    }
}

impl MomentWork {
    /// Total number of pieces of this work.
    pub fn num_pieces(&self, plan: &MomentAverages) -> usize {
        match (&plan.moments, &self.sums) {
            (MomentsSpec::Exact {}, _) => self.extent(plan).len(),
            (MomentsSpec::Chains { num_warmup, num_draws, .. }, Sums::Chains(chains, _)) => {
                let steps = steps_a_piece(chains);
                num_warmup.div_ceil(steps) + num_draws.div_ceil(steps)
            }
            _ => self.extent(plan).len().div_ceil(BATCH),
        }
    }

    /// Estimated cost of a piece, in nanoseconds.
    pub fn piece_cost(&self, plan: &MomentAverages) -> usize {
        let num_params = plan.statistics.terms.len();
        match &self.sums {
            Sums::States(_) => plan.target_states().piece_cost(),
            Sums::Rows(_) => BATCH * num_params / 2 + 10 * num_params,
            Sums::Chains(..) => {
                BATCH * (step_cost(&*plan.model, num_params) + num_params / 2) + 10 * num_params
            }
        }
    }

    /// Whether all pieces are done.
    pub fn is_done(&self, plan: &MomentAverages) -> bool {
        self.num_pieces_done == self.num_pieces(plan)
    }

    /// Number of pieces done.
    pub fn num_pieces_done(&self) -> usize {
        self.num_pieces_done
    }

    /// Whether this can be `fresh` some pieces later. For checking states read from outside.
    pub fn has_shape_of(&self, fresh: &Self, plan: &MomentAverages) -> bool {
        let sums = match (&self.sums, &fresh.sums) {
            (Sums::States(sums), Sums::States(others)) => {
                sums.gradient.len() == others.gradient.len()
            }
            (Sums::Rows(sums), Sums::Rows(others)) => sums.len() == others.len(),
            (Sums::Chains(chains, sums), Sums::Chains(others, other_sums)) => {
                chains.has_shape_of(others) && sums.len() == other_sums.len()
            }
            _ => false,
        };
        sums && self.shard == fresh.shard && self.num_pieces_done <= self.num_pieces(plan)
    }

    /// Does `num_pieces` more pieces, or those that are left.
    pub fn advance(&mut self, plan: &MomentAverages, num_pieces: usize) {
        let end = self.num_pieces(plan).min(self.num_pieces_done + num_pieces);
        let extent = self.extent(plan);
        let model = &*plan.model;
        match &mut self.sums {
            Sums::States(sums) => {
                let enumeration = plan.target_states();
                for piece in self.num_pieces_done..end {
                    enumeration.add_piece(extent.start + piece, sums);
                }
            }
            Sums::Rows(sums) => {
                let data = plan.data.as_ref().expect("moments of data have data").as_batch();
                for piece in self.num_pieces_done..end {
                    let start = extent.start + piece * BATCH;
                    let rows = data.slice(start..extent.end.min(start + BATCH));
                    add_statistics(model, rows, sums);
                }
            }
            Sums::Chains(chains, sums) => {
                let MomentsSpec::Chains { num_warmup, num_draws, .. } = plan.moments else {
                    panic!("work of another spec");
                };
                let steps = steps_a_piece(chains);
                let num_warmup_pieces = num_warmup.div_ceil(steps);
                for piece in self.num_pieces_done..end {
                    let (first, last, is_warmup) = match piece.checked_sub(num_warmup_pieces) {
                        None => (piece * steps, num_warmup, true),
                        Some(piece) => (piece * steps, num_draws, false),
                    };
                    let mut draws = Vec::new();
                    for _ in first..last.min(first + steps) {
                        chains.step(model, 0..chains.len());
                        if !is_warmup {
                            draws.extend(chains.rows(0..chains.len()).rows().flatten());
                        }
                    }
                    if !is_warmup {
                        add_statistics(model, BitBatch::new(model.dim(), &draws), sums);
                    }
                }
            }
        }
        self.num_pieces_done = end;
    }

    /// The range of this shard among the pieces, chains or rows.
    fn extent(&self, plan: &MomentAverages) -> Range<usize> {
        let extent = match &plan.moments {
            MomentsSpec::Exact {} => plan.target_states().num_pieces(),
            MomentsSpec::Chains { num_chains, .. } => *num_chains,
            MomentsSpec::Data {} => plan.num_rows(),
        };
        plan.cut(extent, self.shard)
    }

    /// The sums over draws or rows, and their number.
    fn sums_and_count(&self, plan: &MomentAverages) -> (&[f64], f64) {
        let count = self.extent(plan).len() as f64;
        match (&self.sums, &plan.moments) {
            (Sums::Rows(sums), _) => (sums, count),
            (Sums::Chains(_, sums), MomentsSpec::Chains { num_draws, .. }) => {
                (sums, count * *num_draws as f64)
            }
            _ => panic!("work of another spec"),
        }
    }
}

/// Number of steps of the shard's chains that make a batch of draws.
fn steps_a_piece(chains: &Chains) -> usize {
    BATCH.div_ceil(chains.len())
}
