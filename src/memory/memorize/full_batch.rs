//! Minimum probability flow over all rows at each evaluation, by L-BFGS. A round is one evaluation;
//! its shards also check how well the patterns are stored. If the patterns can be stored, the flow
//! has no minimum, so the search ends at the first point where all are stored with the required
//! margin. Otherwise it ends where the gradient vanishes or at the maximum number of steps.

use super::outcome::{self, Counts};
use super::setup::Setup;
use crate::Result;
use crate::bits::WeightedRows;
use crate::bytes::{from_f64s, to_f64s};
use crate::energy::coordinates::Coordinates;
use crate::math::exp;
use crate::memory::Network;
use crate::memory::mpf::StorageFlow;
use crate::memory::report::{MemorizeProgress, MemorizeResult};
use crate::memory::spec::{FlowOptimizerSpec, RuleSpec};
use crate::memory::storage::{Patterns, Storage};
use crate::optimize::lbfgs::{Lbfgs, Limits, Stop};
use crate::run::{Coordinator, ShardWorker, inconsistent, pack, to_numbers, unpack};
use serde::{Deserialize, Serialize};

/// The distance that decides when the search gives up. While a pattern is not stored with the
/// required margin, the flow is at least e^{−margin/2} divided by the number of patterns. If the
/// gradient is less than that divided by this distance, then, as the flow is convex, no parameters within the distance
/// lower it by that much, and the search may end.
const REACH: f64 = 1e4;

/// Works shards of the flow.
pub struct FullBatchWorker {
    flow: StorageFlow,
}

impl FullBatchWorker {
    pub fn new(setup: &Setup) -> Result<Self> {
        let rows = WeightedRows::from_data(setup.training.all_rows()?.as_batch());
        let patterns = Patterns::new(setup.training.patterns().clone());
        Ok(Self { flow: StorageFlow::new(rows, patterns) })
    }
}

impl ShardWorker for FullBatchWorker {
    fn num_shards(&self) -> usize {
        self.flow.num_shards()
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        self.flow.set_params(&to_f64s(broadcast).expect("parameters are numbers"));
    }

    fn work(&self, shard: usize, _scattered: &[u8]) -> Vec<u8> {
        from_f64s(&self.flow.part(shard))
    }
}

#[derive(Serialize, Deserialize)]
struct State {
    search: Lbfgs,
    /// How well the patterns are stored at the search's present point.
    storage: Option<Storage>,
    is_stored: bool,
}

/// Coordinates the search.
pub struct FullBatchLearning {
    setup: Setup,
    worker: FullBatchWorker,
    coordinates: Box<dyn Coordinates>,
    start: Vec<f64>,
    max_iterations: usize,
    state: State,
}

impl FullBatchLearning {
    pub fn new(setup: Setup, snapshot: Option<&[u8]>) -> Result<Self> {
        let worker = FullBatchWorker::new(&setup)?;
        let RuleSpec::Mpf { optimizer: FlowOptimizerSpec::Lbfgs { memory, max_iterations } } =
            setup.spec.rule
        else {
            unreachable!("L-BFGS");
        };
        let coordinates = worker.flow.coordinates();
        let num_patterns = setup.training.patterns().num_rows() as f64;
        let tolerance = exp(-0.5 * setup.margin) / (num_patterns * REACH);
        let limits = Limits { memory, max_iterations, tolerance };
        let fresh = Lbfgs::new(vec![0.0; coordinates.num_coordinates()], limits);
        let state = match snapshot {
            None => State { search: fresh, storage: None, is_stored: false },
            Some(snapshot) => {
                let state: State = unpack(snapshot)?;
                let count = setup.training.patterns().num_rows();
                let storage_fits = |storage: &Storage| {
                    storage.margins.len() == count && storage.num_wrong.len() == count
                };
                let has_begun = state.search.num_evaluations() > 0;
                if !state.search.continues(&fresh)
                    || !state.storage.as_ref().is_none_or(storage_fits)
                    || has_begun != state.storage.is_some()
                {
                    return Err(inconsistent());
                }
                state
            }
        };
        let start = setup.start.ising_params();
        Ok(Self { setup, worker, coordinates, start, max_iterations, state })
    }

    fn params_at(&self, point: &[f64]) -> Vec<f64> {
        let mut params = self.start.clone();
        self.coordinates.add_to_params(point, &mut params);
        params
    }

    fn counts(&self) -> Counts {
        let search = &self.state.search;
        Counts {
            num_epochs: search.num_evaluations() as u64,
            num_updates: search.num_iterations() as u64,
            objective: search.value(),
        }
    }

    fn stop_reason(&self, storage: &Storage) -> String {
        let stored = outcome::stored_so_far(storage);
        match self.state.search.stop() {
            _ if self.state.is_stored => outcome::storage_goal(&self.setup),
            Some(Stop::Converged) => format!("the flow is at its minimum, where {stored}"),
            Some(Stop::MaxIterations) => format!(
                "all {} iterations are used up, and {stored}; allow more with \
                 rule.optimizer.maxIterations",
                self.max_iterations
            ),
            Some(Stop::NotFinite) => format!(
                "the flow is {} at the starting parameters; start from smaller weights",
                self.state.search.value()
            ),
            Some(Stop::NoDescent) | None => {
                format!("no step lowers the flow any further in double precision, and {stored}")
            }
        }
    }
}

impl Coordinator for FullBatchLearning {
    type Progress = MemorizeProgress;
    type Output = MemorizeResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        from_f64s(&self.params_at(&self.state.search.ask()))
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        let mut grad = vec![0.0; self.start.len()];
        let (value, storage) = self.worker.flow.combine(&to_numbers(parts), &mut grad);
        let mut gradient = vec![0.0; self.coordinates.num_coordinates()];
        self.coordinates.pull_back(&grad, &mut gradient);
        let state = &mut self.state;
        let is_first = state.storage.is_none();
        let num_iterations = state.search.num_iterations();
        state.search.tell(value, &gradient);
        // A step has been accepted at the point just evaluated.
        if is_first || state.search.num_iterations() > num_iterations {
            state.is_stored = !self.setup.has_noise() && self.setup.is_met(&storage);
            state.storage = Some(storage);
        }
    }

    fn is_done(&self) -> bool {
        self.state.is_stored || self.state.search.stop().is_some()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.state)
    }

    fn progress(&self) -> MemorizeProgress {
        let steps = self.state.search.num_iterations() as f64 / self.max_iterations as f64;
        let fraction = if self.is_done() { 1.0 } else { 0.99 * steps };
        let storage = self.state.storage.as_ref();
        outcome::progress(&self.setup, &self.counts(), storage, fraction, self.is_done())
    }

    fn result(&self) -> Option<MemorizeResult> {
        let storage = self.state.storage.as_ref().filter(|_| self.is_done())?;
        let params = self.params_at(self.state.search.point());
        let (thresholds, couplings) = params.split_at(self.setup.dim());
        let weights = couplings.iter().map(|coupling| -2.0 * coupling).collect();
        let network = Network::new(thresholds.to_vec(), weights);
        let stop_reason = self.stop_reason(storage);
        Some(outcome::result(&self.setup, &self.counts(), &network, storage, stop_reason))
    }
}
