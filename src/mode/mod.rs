//! The most probable state of a binary model, `argmin_x E(x)`, exactly; the verb `mode`.
//!
//! An attractive Ising model of any number of sites has it by a minimum cut ([`minimum_cut`]), any model
//! of a few sites by enumeration. There is one round: the cut is one shard, and enumeration has a shard
//! for each block of states.

pub mod minimum_cut;
#[cfg(feature = "full")]
mod observed;
pub mod report;
pub mod spec;

use crate::bits::{BitMatrix, are_rows, words_per_row};
use crate::digest::Digest;
use crate::linalg::Batch;
use crate::models::Model;
#[cfg(feature = "full")]
use crate::run::observed::Observing;
use crate::run::{
    Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Verb, inconsistent, pack,
    unpack,
};
use crate::sample::job::report::Draws;
use crate::{Error, Result};
pub use report::{ModeProgress, ModeResult};
use serde::{Deserialize, Serialize};
pub use spec::ModeSpec;
use std::ops::Range;

/// Maximum number of sites for a minimum cut: some seconds, which cannot be interrupted.
const MAX_CUT_SITES: usize = 1 << 14;

/// Maximum number of sites for enumeration.
const MAX_ENUMERATED: usize = 20;

/// States of a shard, and of the block of them whose energies are computed together.
const STATES_PER_SHARD: u64 = 1 << 14;
const STATES_PER_BLOCK: u64 = 1 << 8;

/// The lowest state that was found, and its energy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Lowest {
    row: Vec<u64>,
    energy: f64,
}

/// Works shards of the search.
pub struct ModeWorker {
    model: Box<dyn Model>,
    method: Method,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    MinimumCut,
    Enumeration,
}

impl ModeWorker {
    /// Chooses the method.
    ///
    /// # Errors
    /// Any error of the model's spec; [`Error::MissingCapability`] if its states are not binary;
    /// [`Error::TooLarge`] if there is no method for so many sites.
    pub fn new(spec: &ModeSpec) -> Result<Self> {
        let model = spec.model.build()?;
        if model.as_site_flips().is_none() {
            return Err(Error::missing(model.kind(), "SiteFlips", "the most probable state"));
        }
        let dim = model.dim();
        let method = match model.as_ising() {
            Some(ising) if minimum_cut::is_attractive(ising) && dim <= MAX_CUT_SITES => {
                Method::MinimumCut
            }
            _ if dim <= MAX_ENUMERATED => Method::Enumeration,
            _ => {
                let problem = format!(
                    "is {dim}: a model of more than {MAX_ENUMERATED} sites has its most probable state found \
                     if it is an Ising model without a positive coupling and of at most {MAX_CUT_SITES} sites; \
                     `recall` finds states that are lowest among their neighbours"
                );
                return Err(Error::TooLarge { field: "model.dim".into(), problem });
            }
        };
        Ok(Self { model, method })
    }

    fn states(&self, shard: usize) -> Range<u64> {
        let start = shard as u64 * STATES_PER_SHARD;
        start..(start + STATES_PER_SHARD).min(1 << self.model.dim())
    }

    fn energy(&self, row: &[u64]) -> f64 {
        let mut matrix = BitMatrix::zeros(self.model.dim(), 1);
        matrix.rows_mut().for_each(|to| to.copy_from_slice(row));
        let mut energy = [0.0];
        let values = matrix.as_batch().to_values();
        self.model.energy(Batch::new(self.model.dim(), &values), &mut energy);
        energy[0]
    }

    /// The lowest of these states; the first of several.
    fn lowest(&self, states: Range<u64>) -> Lowest {
        let dim = self.model.dim();
        let mut best = (0, f64::INFINITY);
        let mut start = states.start;
        while start < states.end {
            let block = start..(start + STATES_PER_BLOCK).min(states.end);
            let values: Vec<f64> = block
                .clone()
                .flat_map(|state| (0..dim).map(move |site| f64::from(state >> site & 1 == 1)))
                .collect();
            let mut energies = vec![0.0; values.len() / dim];
            self.model.energy(Batch::new(dim, &values), &mut energies);
            for (state, energy) in block.clone().zip(&energies) {
                if *energy < best.1 {
                    best = (state, *energy);
                }
            }
            start = block.end;
        }
        Lowest { row: vec![best.0], energy: best.1 }
    }
}

impl ShardWorker for ModeWorker {
    fn num_shards(&self) -> usize {
        match self.method {
            Method::MinimumCut => 1,
            Method::Enumeration => (1_u64 << self.model.dim()).div_ceil(STATES_PER_SHARD) as usize,
        }
    }

    fn prepare(&mut self, _broadcast: &[u8]) {}

    fn work(&self, shard: usize, _scattered: &[u8]) -> Vec<u8> {
        pack(&match (self.method, self.model.as_ising()) {
            (Method::MinimumCut, Some(ising)) => {
                let row = minimum_cut::lowest(ising);
                Lowest { energy: self.energy(&row), row }
            }
            _ => self.lowest(self.states(shard)),
        })
    }
}

/// Coordinates the search.
pub struct ModeCoordinator {
    worker: ModeWorker,
    lowest: Option<Lowest>,
}

impl ModeCoordinator {
    /// The coordinator before its round, or from a snapshot.
    ///
    /// # Errors
    /// [`Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn new(worker: ModeWorker, snapshot: Option<&[u8]>) -> Result<Self> {
        let lowest: Option<Lowest> = snapshot.map_or(Ok(None), unpack)?;
        let dim = worker.model.dim();
        if lowest.as_ref().is_some_and(|lowest| {
            lowest.row.len() != words_per_row(dim) || !are_rows(dim, &lowest.row)
        }) {
            return Err(inconsistent());
        }
        Ok(Self { worker, lowest })
    }
}

impl Coordinator for ModeCoordinator {
    type Progress = ModeProgress;
    type Output = ModeResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        Vec::new()
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        let all = parts.iter().map(|part| unpack::<Lowest>(part).expect("a state"));
        // `min_by` takes the first of several.
        self.lowest = all.min_by(|a, b| a.energy.total_cmp(&b.energy));
    }

    fn is_done(&self) -> bool {
        self.lowest.is_some()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.lowest)
    }

    fn progress(&self) -> ModeProgress {
        let done = self.is_done();
        ModeProgress { verb: "mode", fraction: f64::from(done), done }
    }

    fn result(&self) -> Option<ModeResult> {
        let Lowest { row, energy } = self.lowest.as_ref()?;
        let dim = self.worker.model.dim();
        let mut matrix = BitMatrix::zeros(dim, 1);
        matrix.rows_mut().for_each(|to| to.copy_from_slice(row));
        let state = Draws { dim, num_rows: 1, bits: matrix.to_bytes() };
        Some(ModeResult {
            method: match self.worker.method {
                Method::MinimumCut => "minimumCut",
                Method::Enumeration => "enumeration",
            },
            energy: *energy,
            digest: Digest::new().bytes("state", &state.bits).f64s("energy", &[*energy]).hex(),
            state,
        })
    }
}

impl Verb for ModeSpec {
    const NAME: &'static str = "mode";
    type Progress = ModeProgress;
    type Output = ModeResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields { model: Some(&mut self.model), ..SharedFields::default() }
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(Bits::Unused)
    }

    fn coordinator(
        &self,
        _data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        #[cfg(feature = "full")]
        if let Some(of_free) = self.coordinator_on_free(None, snapshot)? {
            return Ok(of_free);
        }
        Ok(Box::new(ModeCoordinator::new(ModeWorker::new(self)?, snapshot)?))
    }

    fn worker(&self, _data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        #[cfg(feature = "full")]
        if let Some(of_free) = self.worker_on_free(None)? {
            return Ok(of_free);
        }
        Ok(Box::new(ModeWorker::new(self)?))
    }
}
