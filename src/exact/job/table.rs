//! The evidence of a small table under a model with hidden variables, and moments of their posterior. A
//! shard is some of the hidden states.

use super::report::{ExactProgress, ExactResult, Reconstruction, TablePosterior};
use super::spec::ExactSpec;
use crate::bytes::{from_f64s, to_f64s};
use crate::digest::Digest;
use crate::models::latent::TableModel;
use crate::models::latent::exact::{
    MAX_SAMPLED_STATES, MAX_STATES, NotExact, TableMoments, TableSum, WeightedMoments,
};
use crate::run::{
    Coordinator, ShardWorker, Unfinished, inconsistent, pack, unpack, work_by_pieces,
};
use crate::{Error, Result};
use std::ops::Range;
use std::sync::Arc;

/// Blocks of states of a shard; a block is a piece of its work.
const BLOCKS_PER_SHARD: usize = 8;

/// Maximum number of shards of a round.
const SHARDS_PER_ROUND: usize = 64;

/// Works shards of states.
pub struct TableWorker {
    sum: TableSum,
    has_discrete: bool,
    /// The round's first shard, among all.
    first: usize,
}

/// Checks the fields of a spec that models of tables do not share with others.
///
/// # Errors
/// [`Error::InvalidSpec`], naming the field.
pub fn check(spec: &ExactSpec, model: &dyn TableModel) -> Result<()> {
    for (field, is_given) in [
        ("data", spec.data.is_some()),
        ("connectivity", spec.connectivity.is_some()),
        ("observed", spec.observed.is_some()),
    ] {
        if is_given {
            let problem = format!(
                "is for models of bits and of states; `{}` is a model of a table, whose rows are \
                 model.states: leave it out",
                model.kind()
            );
            return Err(Error::spec(field, problem));
        }
    }
    Ok(())
}

impl TableWorker {
    /// Checks that the table is small enough.
    ///
    /// # Errors
    /// Any error of the model's spec; [`Error::InvalidSpec`] or [`Error::TooLarge`] if there is no
    /// exact method.
    pub fn new(model: &dyn TableModel) -> Result<Self> {
        let table = Arc::new(model.table()?);
        let sum = TableSum::new(model, table).map_err(|not_exact| match not_exact {
            NotExact::NoMethod => {
                let problem = "is exact for `lowRank` with tables of one row or one column; ask `evidence` \
                               for an estimate";
                Error::spec("model.kind", problem)
            }
            NotExact::TooManyStates => Error::TooLarge {
                field: "model.states".into(),
                problem: format!(
                    "has too many rows: their hidden states are enumerated, at most {MAX_STATES}, and \
                     {MAX_SAMPLED_STATES} with sampled variances; give fewer, or ask `evidence` for an \
                     estimate"
                ),
            },
        })?;
        Ok(Self { sum, has_discrete: model.has_discrete(), first: 0 })
    }

    fn states_per_shard(&self) -> usize {
        BLOCKS_PER_SHARD * self.sum.states_per_block()
    }

    fn num_all_shards(&self) -> usize {
        self.sum.num_states().div_ceil(self.states_per_shard())
    }

    fn states(&self, shard: usize) -> Range<usize> {
        let start = shard * self.states_per_shard();
        start..self.sum.num_states().min(start + self.states_per_shard())
    }
}

impl ShardWorker for TableWorker {
    fn num_shards(&self) -> usize {
        (self.num_all_shards() - self.first).min(SHARDS_PER_ROUND)
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        self.first = unpack::<u64>(broadcast).expect("a round's first shard") as usize;
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
        let states = self.states(self.first + shard);
        let done = unfinished.get_or_insert_with(Vec::<WeightedMoments>::new);
        let start = states.start + done.len() * self.sum.states_per_block();
        let end = states.end.min(start + self.sum.states_per_block());
        done.push(self.sum.moments(start..end));
        if end < states.end {
            return None;
        }
        let numbers = self.sum.joined(done).into_numbers();
        unfinished.clear();
        Some(from_f64s(&numbers))
    }
}

/// Collects the parts of all shards.
pub struct TableCoordinator {
    worker: TableWorker,
    parts: Vec<Vec<u8>>,
}

impl TableCoordinator {
    /// The coordinator before its first round, or from a snapshot.
    ///
    /// # Errors
    /// [`Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn new(mut worker: TableWorker, snapshot: Option<&[u8]>) -> Result<Self> {
        let parts: Vec<Vec<u8>> = snapshot.map_or(Ok(Vec::new()), unpack)?;
        let (count, num_all) = (parts.len(), worker.num_all_shards());
        let begins_round =
            count == num_all || count < num_all && count.is_multiple_of(SHARDS_PER_ROUND);
        if !begins_round || !parts.iter().all(|part| part.len() == 8 * worker.sum.num_numbers()) {
            return Err(inconsistent());
        }
        worker.first = count;
        Ok(Self { worker, parts })
    }
}

impl Coordinator for TableCoordinator {
    type Progress = ExactProgress;
    type Output = ExactResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        pack(&(self.parts.len() as u64))
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        self.parts.extend_from_slice(parts);
        self.worker.first = self.parts.len();
    }

    fn is_done(&self) -> bool {
        self.parts.len() == self.worker.num_all_shards()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.parts)
    }

    fn progress(&self) -> ExactProgress {
        let fraction = self.parts.len() as f64 / self.worker.num_all_shards() as f64;
        ExactProgress { verb: "exact", fraction, done: self.is_done() }
    }

    fn result(&self) -> Option<ExactResult> {
        if !self.is_done() {
            return None;
        }
        let parts: Vec<Vec<f64>> =
            self.parts.iter().map(|part| to_f64s(part).expect("a part is numbers")).collect();
        let TableMoments { log_evidence, signal, noise, num_in_use, mean, sd, same } =
            self.worker.sum.combine(&parts);
        let digest = Digest::new()
            .f64s("logZ", &[log_evidence])
            .f64s("scalars", &[signal, noise, num_in_use])
            .f64s("sameCluster", &same)
            .f64s("mean", &mean)
            .f64s("sd", &sd)
            .hex();
        let is_enumerated = self.worker.has_discrete;
        Some(ExactResult {
            method: if is_enumerated { "enumeration" } else { "quadrature" },
            log_z: log_evidence,
            moments: None,
            mean_energy: None,
            entropy: None,
            log_likelihood: None,
            mpf_bound: None,
            table: Some(TablePosterior {
                same_cluster: (!same.is_empty()).then_some(same),
                reconstruction: Reconstruction { mean, sd },
                signal_variance: signal,
                noise_variance: noise,
                num_in_use: is_enumerated.then_some(num_in_use),
            }),
            digest,
        })
    }
}
