//! Minimum probability flow by gradient descent on minibatches, in single precision. A round is one
//! step; each shard has some tiles of units and returns their one-sided gradient. The first round
//! of an epoch also checks how well the patterns are stored. The last round checks again, in double
//! precision.

use super::check::network_numbers;
pub use super::minibatch_worker::MinibatchWorker;
use super::minibatch_worker::{Plan, Stage};
use super::outcome::{self, Counts};
use super::setup::Setup;
use crate::Result;
use crate::bytes::{from_f64s, push_f32s, to_f64s};
use crate::fit::stochastic::Rate;
use crate::memory::Network;
use crate::memory::bit_product::TILE;
use crate::memory::minibatch::{Centred, Gradients};
use crate::memory::network::num_pairs;
use crate::memory::report::{MemorizeProgress, MemorizeResult};
use crate::memory::spec::{FlowOptimizerSpec, RuleSpec};
use crate::memory::storage::Storage;
use crate::run::{Coordinator, ShardWorker, inconsistent, pack, unpack};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A flow per row and unit that no converging descent reaches: a network of zeros has 1.
const DIVERGED: f64 = 1e6;

/// The gradients in the layout of the parts.
struct Parts<'a> {
    plan: Plan,
    gradients: Vec<&'a [[u8; 4]]>,
}

impl Gradients for Parts<'_> {
    fn block(&self, tile: usize, others: Range<usize>) -> &[[u8; 4]] {
        let shard = tile / self.plan.tiles_a_shard;
        let start = tile % self.plan.tiles_a_shard * self.plan.dim;
        &self.gradients[shard][(start + others.start) * TILE..(start + others.end) * TILE]
    }
}

#[derive(Serialize, Deserialize)]
struct State {
    network: Centred,
    stage: Stage,
    step: u64,
    /// Flow of the last step; NaN before the first.
    flow: f64,
    has_diverged: bool,
    /// How well the patterns are stored, at the last check.
    storage: Option<Storage>,
}

/// Coordinates the descent.
pub struct MinibatchLearning {
    setup: Setup,
    rate: Rate,
    worker: MinibatchWorker,
    state: State,
}

impl MinibatchLearning {
    pub fn new(mut setup: Setup, snapshot: Option<&[u8]>) -> Result<Self> {
        let RuleSpec::Mpf { optimizer: FlowOptimizerSpec::Sgd { learning_rate: rate, .. } } =
            setup.spec.rule
        else {
            unreachable!("minibatches");
        };
        let mut worker = MinibatchWorker::new(&setup)?;
        let state = match snapshot {
            None => State {
                network: Centred::from_network(&setup.start, &worker.centre),
                stage: Stage::Descend,
                step: 0,
                flow: f64::NAN,
                has_diverged: false,
                storage: None,
            },
            Some(snapshot) => {
                let state: State = unpack(snapshot)?;
                let count = worker.plan.num_patterns;
                let storage_fits = |storage: &Storage| {
                    storage.margins.len() == count && storage.num_wrong.len() == count
                };
                let is_valid = state.network.biases.len() == setup.dim()
                    && state.network.weights.len() == num_pairs(setup.dim())
                    && state.step <= worker.plan.num_steps()
                    && (state.stage != Stage::Descend || state.step < worker.plan.num_steps())
                    && state.storage.as_ref().is_none_or(storage_fits)
                    && (state.stage != Stage::Done || state.storage.is_some());
                if !is_valid {
                    return Err(inconsistent());
                }
                state
            }
        };
        worker.stage = state.stage;
        // The state has the network's numbers.
        setup.start = Network::zeros(1);
        Ok(Self { setup, rate, worker, state })
    }

    fn network(&self) -> Network {
        self.state.network.to_network(&self.worker.centre)
    }

    /// Takes a step.
    fn descend(&mut self, parts: &[Vec<u8>]) {
        let plan = self.worker.plan;
        let state = &mut self.state;
        let mut slopes = Vec::with_capacity(plan.dim);
        let mut storage = Storage::new(plan.num_looked_at(state.step));
        let mut gradients = Vec::with_capacity(parts.len());
        state.flow = 0.0;
        for (shard, part) in parts.iter().enumerate() {
            let (head, gradient) = part.split_at(plan.head_len(shard, state.step));
            let head = to_f64s(head).expect("numbers");
            let (of_units, of_patterns) = head[1..].split_at(TILE * plan.tiles(shard).len());
            state.flow += head[0];
            slopes.extend_from_slice(of_units);
            storage.merge(&Storage::from_numbers(of_patterns));
            gradients.push(gradient.as_chunks::<4>().0);
        }
        slopes.truncate(plan.dim);
        state.has_diverged = !(state.flow < DIVERGED * plan.dim as f64);
        let looked = plan.looks_at_patterns(state.step);
        let is_stored = looked && !self.setup.has_noise() && self.setup.is_met(&storage);
        if looked {
            state.storage = Some(storage);
        }
        if state.has_diverged {
            state.stage = Stage::Check;
            return;
        }
        let curvature = 0.5 * self.worker.centre.curvature;
        let length = self.rate.at(state.step, plan.num_steps()) / curvature;
        let gradients = Parts { plan, gradients };
        state.network.descend(length, &gradients, &slopes, &self.worker.centre.means);
        state.step += 1;
        if is_stored || state.step == plan.num_steps() {
            state.stage = Stage::Check;
        }
    }

    fn counts(&self) -> Counts {
        let num_epochs = self.state.step / self.worker.plan.steps_an_epoch();
        Counts { num_epochs, num_updates: self.state.step, objective: self.state.flow }
    }

    fn stop_reason(&self, storage: &Storage) -> String {
        let stored = outcome::stored_so_far(storage);
        if self.state.has_diverged {
            format!("the descent diverged, and {stored}; use a smaller rule.optimizer.learningRate")
        } else if !self.setup.has_noise() && self.setup.is_met(storage) {
            outcome::storage_goal(&self.setup)
        } else {
            format!("all {} epochs are done; {stored}", self.worker.plan.num_epochs)
        }
    }
}

impl Coordinator for MinibatchLearning {
    type Progress = MemorizeProgress;
    type Output = MemorizeResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        let is_check = self.state.stage == Stage::Check;
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&u64::from(is_check).to_le_bytes());
        bytes.extend_from_slice(&self.state.step.to_le_bytes());
        if is_check {
            bytes.extend_from_slice(&from_f64s(&network_numbers(&self.network())));
        } else {
            let Centred { biases, weights } = &self.state.network;
            bytes.reserve_exact(8 * biases.len() + 4 * weights.len());
            bytes.extend_from_slice(&from_f64s(biases));
            push_f32s(&mut bytes, weights);
        }
        bytes
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        // The rows and the network of the round are no longer needed.
        (self.worker.batch, self.worker.network) = (None, None);
        match self.state.stage {
            Stage::Descend => self.descend(parts),
            Stage::Check => {
                let storage = self.worker.check.gather(parts);
                // Patterns stored in single precision may not be stored in double precision.
                let may_go_on = !self.setup.has_noise()
                    && !self.state.has_diverged
                    && !self.setup.is_met(&storage)
                    && self.state.step < self.worker.plan.num_steps();
                self.state.stage = if may_go_on { Stage::Descend } else { Stage::Done };
                self.state.storage = Some(storage);
            }
            Stage::Done => panic!("the job is done"),
        }
        self.worker.stage = self.state.stage;
    }

    fn is_done(&self) -> bool {
        self.state.stage == Stage::Done
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.state)
    }

    fn progress(&self) -> MemorizeProgress {
        let steps = self.state.step as f64 / self.worker.plan.num_steps() as f64;
        let fraction = if self.is_done() { 1.0 } else { 0.99 * steps };
        let storage = self.state.storage.as_ref();
        outcome::progress(&self.setup, &self.counts(), storage, fraction, self.is_done())
    }

    fn result(&self) -> Option<MemorizeResult> {
        let storage = self.state.storage.as_ref().filter(|_| self.is_done())?;
        let stop_reason = self.stop_reason(storage);
        Some(outcome::result(&self.setup, &self.counts(), &self.network(), storage, stop_reason))
    }
}
