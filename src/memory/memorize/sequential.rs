//! Rules that take one pattern after another. This work cannot be shared, so patterns are shown
//! while rounds are gathered, a few milliseconds' worth at a time. Once learning ends, the shards
//! of a final round check how well the patterns are stored.

use super::check::{StorageCheck, network_from, network_numbers};
use super::outcome::{self, Counts};
use super::setup::Setup;
use crate::Result;
use crate::bits::words_per_row;
use crate::bytes::from_f64s;
use crate::memory::mpf::OnlineMpf;
use crate::memory::outer_product::OuterProduct;
use crate::memory::perceptron::Perceptron;
use crate::memory::report::{MemorizeProgress, MemorizeResult};
use crate::memory::rule::LocalRule;
use crate::memory::spec::{FlowOptimizerSpec, RuleSpec};
use crate::memory::storage::Storage;
use crate::memory::storkey::Storkey;
use crate::memory::{Network, storage::Patterns};
use crate::run::{Coordinator, ShardWorker, inconsistent, pack, per_piece, unpack};
use serde::{Deserialize, Serialize};

/// Works rounds: nothing while patterns are shown, then shards of the check.
pub struct SequentialWorker {
    check: StorageCheck,
    is_check: bool,
    /// The network to be checked; none while patterns are shown.
    network: Option<Network>,
}

impl SequentialWorker {
    pub fn new(setup: &Setup) -> Self {
        let patterns = Patterns::new(setup.training.patterns().clone());
        Self { check: StorageCheck::new(patterns), is_check: false, network: None }
    }
}

impl ShardWorker for SequentialWorker {
    fn num_shards(&self) -> usize {
        if self.is_check { self.check.num_shards() } else { 1 }
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        self.is_check = !broadcast.is_empty();
        self.network = self.is_check.then(|| network_from(self.check.dim(), broadcast));
    }

    fn work(&self, shard: usize, _scattered: &[u8]) -> Vec<u8> {
        match &self.network {
            None => Vec::new(),
            Some(network) => self.check.work(network, shard),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// Patterns are being shown.
    Learn,
    /// The next round checks how well the patterns are stored.
    Check,
    Done,
}

#[derive(Serialize, Deserialize)]
struct State {
    network: Network,
    phase: Phase,
    num_epochs: u64,
    /// Number of rows of the present epoch that have been shown.
    position: u64,
    num_updates: u64,
    /// Whether a row of the present epoch changed anything; the next field is the least margin
    /// seen.
    has_changed: bool,
    least: f64,
    has_diverged: bool,
    storage: Option<Storage>,
}

/// Coordinates sequential learning.
pub struct SequentialLearning {
    setup: Setup,
    rule: Box<dyn LocalRule>,
    max_epochs: u64,
    worker: SequentialWorker,
    state: State,
}

impl SequentialLearning {
    pub fn new(mut setup: Setup, snapshot: Option<&[u8]>) -> Result<Self> {
        let (rule, max_epochs): (Box<dyn LocalRule>, usize) = match &setup.spec.rule {
            RuleSpec::OuterProduct {} => (Box::new(OuterProduct), 1),
            RuleSpec::Storkey {} => (Box::new(Storkey), 1),
            RuleSpec::Perceptron { learning_rate, max_epochs } => {
                let rule = Perceptron { learning_rate: *learning_rate, margin: setup.margin };
                (Box::new(rule), *max_epochs)
            }
            RuleSpec::Mpf {
                optimizer: FlowOptimizerSpec::Online { learning_rate, max_epochs },
            } => (Box::new(OnlineMpf { learning_rate: *learning_rate }), *max_epochs),
            other => unreachable!("{other:?} is not shown one pattern after another"),
        };
        let mut worker = SequentialWorker::new(&setup);
        // From here on the state holds it.
        let start = std::mem::replace(&mut setup.start, Network::zeros(1));
        let state = match snapshot {
            None => State {
                network: start,
                phase: Phase::Learn,
                num_epochs: 0,
                position: 0,
                num_updates: 0,
                has_changed: false,
                least: f64::INFINITY,
                has_diverged: false,
                storage: None,
            },
            Some(snapshot) => {
                let state: State = unpack(snapshot)?;
                let count = setup.training.patterns().num_rows();
                let storage_fits = |storage: &Storage| {
                    storage.margins.len() == count && storage.num_wrong.len() == count
                };
                let is_valid = state.network.has_dim(setup.dim())
                    && state.position < setup.training.num_rows() as u64
                    && state.storage.as_ref().is_none_or(storage_fits)
                    && (state.phase != Phase::Done || state.storage.is_some());
                if !is_valid {
                    return Err(inconsistent());
                }
                state
            }
        };
        worker.is_check = state.phase == Phase::Check;
        Ok(Self { setup, rule, max_epochs: max_epochs as u64, worker, state })
    }

    /// Shows patterns until the budget or the epoch is exhausted.
    fn learn(&mut self) {
        let dim = self.setup.dim();
        let cost = dim * dim + 50 * dim;
        let mut row = vec![0; words_per_row(dim)];
        for _ in 0..per_piece(cost as u64) {
            let state = &mut self.state;
            self.setup.training.write_row(state.num_epochs, state.position as usize, &mut row);
            let shown = self.rule.present(&mut state.network, &row);
            state.num_updates += u64::from(shown.has_changed);
            state.has_changed |= shown.has_changed;
            // Rules that compute no margins return NaN, which is ignored.
            state.least = state.least.min(shown.margin);
            state.has_diverged = self.rule.is_iterative() && shown.margin.is_nan();
            if state.has_diverged {
                state.phase = Phase::Check;
                return;
            }
            state.position += 1;
            if state.position == self.setup.training.num_rows() as u64 {
                self.end_epoch();
                if self.state.phase == Phase::Check {
                    return;
                }
            }
        }
    }

    /// Decides whether to check what has been learned.
    fn end_epoch(&mut self) {
        let state = &mut self.state;
        state.num_epochs += 1;
        state.position = 0;
        // Weights changed during the epoch, so this is only a reason to check.
        let seems_stored =
            !state.has_changed || state.least > 0.0 && state.least >= self.setup.margin;
        if state.num_epochs == self.max_epochs || seems_stored && !self.setup.has_noise() {
            state.phase = Phase::Check;
        }
        state.has_changed = false;
        state.least = f64::INFINITY;
    }

    fn is_last_epoch(&self) -> bool {
        self.state.num_epochs == self.max_epochs
    }

    fn counts(&self) -> Counts {
        let State { num_epochs, num_updates, .. } = self.state;
        Counts { num_epochs, num_updates, objective: f64::NAN }
    }

    fn stop_reason(&self, storage: &Storage) -> String {
        let stored = outcome::stored_so_far(storage);
        if self.state.has_diverged {
            let field = match self.setup.spec.rule {
                RuleSpec::Mpf { .. } => "rule.optimizer.learningRate",
                _ => "rule.learningRate",
            };
            format!("learning diverged, and {stored}; use a smaller {field}")
        } else if !self.rule.is_iterative() {
            format!("the rule sees each row once; {stored}")
        } else if self.setup.has_noise() {
            format!("all {} epochs of corrupted copies were shown; {stored}", self.max_epochs)
        } else if self.setup.is_met(storage) {
            outcome::storage_goal(&self.setup)
        } else {
            format!("all {} epochs are used up; {stored}", self.max_epochs)
        }
    }
}

impl Coordinator for SequentialLearning {
    type Progress = MemorizeProgress;
    type Output = MemorizeResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        match self.state.phase {
            Phase::Check => from_f64s(&network_numbers(&self.state.network)),
            _ => Vec::new(),
        }
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        match self.state.phase {
            Phase::Learn => self.learn(),
            Phase::Check => {
                let storage = self.worker.check.gather(parts);
                let may_go_on = self.rule.is_iterative()
                    && !self.setup.has_noise()
                    && !self.is_last_epoch()
                    && !self.state.has_diverged
                    && !self.setup.is_met(&storage);
                self.state.phase = if may_go_on { Phase::Learn } else { Phase::Done };
                self.state.storage = Some(storage);
            }
            Phase::Done => panic!("the job is done"),
        }
        self.worker.is_check = self.state.phase == Phase::Check;
        self.worker.network = None;
    }

    fn is_done(&self) -> bool {
        self.state.phase == Phase::Done
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.state)
    }

    fn progress(&self) -> MemorizeProgress {
        let state = &self.state;
        let rows = self.setup.training.num_rows() as f64;
        let shown = state.num_epochs as f64 + state.position as f64 / rows;
        let fraction = if self.is_done() { 1.0 } else { 0.99 * shown / self.max_epochs as f64 };
        let storage = state.storage.as_ref();
        outcome::progress(&self.setup, &self.counts(), storage, fraction, self.is_done())
    }

    fn result(&self) -> Option<MemorizeResult> {
        let storage = self.state.storage.as_ref().filter(|_| self.is_done())?;
        let stop_reason = self.stop_reason(storage);
        let counts = self.counts();
        Some(outcome::result(&self.setup, &counts, &self.state.network, storage, stop_reason))
    }
}
