//! Minimum probability flow by gradient descent on minibatches, in single
//! precision. A round is one step; its shards are some tiles of units each, and
//! their parts the one-sided gradient of these. In the first round of an epoch
//! they also look at how well the patterns are stored. The last round looks
//! again, in double precision.
//!
//! A broadcast is `[stage, step, biases | weights]`, of single-precision
//! weights, or `[stage, step]` and a network.

use super::super::bytes::{from_f64s, push_f32s, to_f32s, to_f64s};
use super::super::report::{JobResult, Progress};
use super::super::spec::{FlowOptimizerSpec, RuleSpec};
use super::super::{Coordinator, ShardWorker, inconsistent, pack, unpack};
use super::check::{StorageCheck, network_from, network_numbers};
use super::outcome::{self, Counts};
use super::setup::Setup;
use super::training::Training;
use crate::bits::BitMatrix;
use crate::fit::stochastic::Rate;
use crate::memory::bit_product::TILE;
use crate::memory::minibatch::{Centre, Centred, Gradients, Minibatch, tile_cost};
use crate::memory::network::num_pairs;
use crate::memory::storage::{Patterns, Storage};
use crate::memory::{Network, tiles};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Work of a shard, in estimated nanoseconds.
const BUDGET: usize = 10_000_000;

/// A flow a row and unit that no descent comes to: at a network of zeros it is 1.
const DIVERGED: f64 = 1e6;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    Descend,
    Check,
    Done,
}

/// How an epoch is cut into steps, and a step into shards.
#[derive(Clone, Copy)]
struct Plan {
    num_rows: usize,
    batch_size: usize,
    num_epochs: usize,
    dim: usize,
    num_patterns: usize,
    tiles_a_shard: usize,
}

impl Plan {
    fn new(setup: &Setup) -> Result<Self> {
        let RuleSpec::Mpf { optimizer: FlowOptimizerSpec::Sgd { batch_size, num_epochs, .. } } =
            setup.spec.rule
        else {
            unreachable!("minibatches");
        };
        let (dim, num_rows) = (setup.dim(), setup.training.num_rows());
        let num_patterns = setup.training.patterns().num_rows();
        let batch_size = batch_size.min(num_rows);
        let num_steps = num_rows.div_ceil(batch_size) as u64 * num_epochs as u64;
        if num_steps >> 32 != 0 {
            return Err(Error::TooLarge {
                field: "rule.optimizer.numEpochs".into(),
                problem: format!("makes {num_steps} steps, and the limit is 2^32 − 1; use fewer"),
            });
        }
        let tiles_a_shard = (BUDGET / tile_cost(dim, batch_size, num_patterns)).max(1);
        Ok(Self { num_rows, batch_size, num_epochs, dim, num_patterns, tiles_a_shard })
    }

    fn steps_an_epoch(&self) -> u64 {
        self.num_rows.div_ceil(self.batch_size) as u64
    }

    fn num_steps(&self) -> u64 {
        self.steps_an_epoch() * self.num_epochs as u64
    }

    fn looks_at_patterns(&self, step: u64) -> bool {
        step.is_multiple_of(self.steps_an_epoch())
    }

    /// Patterns that a part tells of.
    fn num_looked_at(&self, step: u64) -> usize {
        if self.looks_at_patterns(step) { self.num_patterns } else { 0 }
    }

    fn num_shards(&self) -> usize {
        tiles::num_tiles(self.dim).div_ceil(self.tiles_a_shard)
    }

    fn tiles(&self, shard: usize) -> Range<usize> {
        let start = shard * self.tiles_a_shard;
        start..tiles::num_tiles(self.dim).min(start + self.tiles_a_shard)
    }

    /// Bytes of a part before its gradients: flow, slopes and storage, as doubles.
    fn head_len(&self, shard: usize, step: u64) -> usize {
        8 * (1 + TILE * self.tiles(shard).len() + 2 * self.num_looked_at(step))
    }
}

/// Works shards of steps.
pub struct MinibatchWorker {
    training: Training,
    plan: Plan,
    centre: Centre,
    check: StorageCheck,
    stage: Stage,
    step: u64,
    batch: Option<(Minibatch, Centred)>,
    network: Option<Network>,
}

impl MinibatchWorker {
    pub fn new(setup: &Setup) -> Result<Self> {
        let patterns = setup.training.patterns();
        Ok(Self {
            plan: Plan::new(setup)?,
            centre: Centre::new(patterns.as_batch(), setup.training.flipped()),
            check: StorageCheck::new(Patterns::new(patterns.clone())),
            training: setup.training.clone(),
            stage: Stage::Descend,
            step: 0,
            batch: None,
            network: None,
        })
    }

    /// The rows of a step, and the patterns if they are looked at.
    fn minibatch(&self, step: u64) -> Minibatch {
        let plan = &self.plan;
        let (epoch, at) = (step / plan.steps_an_epoch(), (step % plan.steps_an_epoch()) as usize);
        let start = at * plan.batch_size;
        let end = plan.num_rows.min(start + plan.batch_size);
        let patterns = if plan.looks_at_patterns(step) {
            self.training.patterns().clone()
        } else {
            BitMatrix::zeros(plan.dim, 0)
        };
        Minibatch::new(self.training.shuffled_rows(epoch, start, end), patterns)
    }
}

impl ShardWorker for MinibatchWorker {
    fn num_shards(&self) -> usize {
        match self.stage {
            Stage::Check => self.check.num_shards(),
            _ => self.plan.num_shards(),
        }
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        // What was there takes as much memory as what comes.
        (self.batch, self.network) = (None, None);
        let (head, rest) = broadcast.split_at(16);
        let head = head.as_chunks::<8>().0;
        let is_check = u64::from_le_bytes(head[0]) == 1;
        self.stage = if is_check { Stage::Check } else { Stage::Descend };
        self.step = u64::from_le_bytes(head[1]);
        if is_check {
            self.network = Some(network_from(self.plan.dim, rest));
            return;
        }
        let (biases, weights) = rest.split_at(8 * self.plan.dim);
        let network = Centred {
            biases: to_f64s(biases).expect("numbers"),
            weights: to_f32s(weights).expect("numbers"),
        };
        self.batch = Some((self.minibatch(self.step), network));
    }

    fn work(&self, shard: usize, _scattered: &[u8]) -> Vec<u8> {
        if let Some(network) = &self.network {
            return self.check.work(network, shard);
        }
        let (batch, network) = self.batch.as_ref().expect("prepared");
        let tiles = self.plan.tiles(shard);
        let mut storage = Storage::new(self.plan.num_looked_at(self.step));
        let mut flow = 0.0;
        let mut slopes = Vec::with_capacity(TILE * tiles.len());
        let gradient_len = 4 * TILE * self.plan.dim * tiles.len();
        let mut bytes = vec![0; self.plan.head_len(shard, self.step)];
        bytes.reserve_exact(gradient_len);
        for tile in tiles {
            let part = batch.tile(network, &self.centre, tile);
            flow += part.flow;
            slopes.extend(part.slopes);
            storage.merge(&part.storage);
            part.gradient.iter().for_each(|line| push_f32s(&mut bytes, &line.0));
        }
        let mut head = vec![flow];
        head.extend(slopes);
        head.extend(storage.to_numbers());
        bytes[..8 * head.len()].copy_from_slice(&from_f64s(&head));
        bytes
    }
}

/// The gradients as they lie in the parts.
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
    /// Of the last step; NaN before.
    flow: f64,
    has_diverged: bool,
    /// How well the patterns are stored, when last looked at.
    storage: Option<Storage>,
}

/// Descent under way.
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
                let is_sound = state.network.biases.len() == setup.dim()
                    && state.network.weights.len() == num_pairs(setup.dim())
                    && state.step <= worker.plan.num_steps()
                    && (state.stage != Stage::Descend || state.step < worker.plan.num_steps())
                    && state.storage.as_ref().is_none_or(storage_fits)
                    && (state.stage != Stage::Done || state.storage.is_some());
                if !is_sound {
                    return Err(inconsistent());
                }
                state
            }
        };
        worker.stage = state.stage;
        // Its numbers are in the state.
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
            outcome::stored_as_asked(&self.setup)
        } else {
            format!("all {} epochs are done; {stored}", self.worker.plan.num_epochs)
        }
    }
}

impl Coordinator for MinibatchLearning {
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

    fn scatter(&self, _shard: usize) -> Vec<u8> {
        Vec::new()
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        // The rows and the network of the round are of no more use.
        (self.worker.batch, self.worker.network) = (None, None);
        match self.state.stage {
            Stage::Descend => self.descend(parts),
            Stage::Check => {
                let storage = self.worker.check.gather(parts);
                // What single precision took to be stored may not be.
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

    fn progress(&self) -> Progress {
        let steps = self.state.step as f64 / self.worker.plan.num_steps() as f64;
        let fraction = if self.is_done() { 1.0 } else { 0.99 * steps };
        let storage = self.state.storage.as_ref();
        outcome::progress(&self.setup, &self.counts(), storage, fraction, self.is_done())
    }

    fn result(&self) -> Option<JobResult> {
        let storage = self.state.storage.as_ref().filter(|_| self.is_done())?;
        let stop_reason = self.stop_reason(storage);
        Some(outcome::result(&self.setup, &self.counts(), &self.network(), storage, stop_reason))
    }
}
