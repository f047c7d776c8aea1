//! The worker of minibatch descent, and the division of epochs into steps and of steps into shards,
//! which depends on the spec and the patterns alone.
//!
//! A broadcast is `[stage, step, biases | weights]`, of single-precision
//! weights, or `[stage, step]` and a network.

use super::check::{StorageCheck, network_from};
use super::setup::Setup;
use super::training::Training;
use crate::bits::BitMatrix;
use crate::bytes::{from_f64s, push_f32s, to_f32s, to_f64s};
use crate::memory::bit_product::TILE;
use crate::memory::minibatch::{Centre, Centred, Minibatch, tile_cost};
use crate::memory::spec::{FlowOptimizerSpec, RuleSpec};
use crate::memory::storage::{Patterns, Storage};
use crate::memory::{Network, tiles};
use crate::run::{ShardWorker, per_piece};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The purpose of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    Descend,
    Check,
    Done,
}

/// The division of an epoch into steps, and of a step into shards.
#[derive(Clone, Copy)]
pub struct Plan {
    num_rows: usize,
    batch_size: usize,
    pub num_epochs: usize,
    pub dim: usize,
    pub num_patterns: usize,
    pub tiles_a_shard: usize,
}

impl Plan {
    pub fn new(setup: &Setup) -> Result<Self> {
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
        let tiles_a_shard = per_piece(tile_cost(dim, batch_size, num_patterns) as u64);
        Ok(Self { num_rows, batch_size, num_epochs, dim, num_patterns, tiles_a_shard })
    }

    pub fn steps_an_epoch(&self) -> u64 {
        self.num_rows.div_ceil(self.batch_size) as u64
    }

    pub fn num_steps(&self) -> u64 {
        self.steps_an_epoch() * self.num_epochs as u64
    }

    pub fn looks_at_patterns(&self, step: u64) -> bool {
        step.is_multiple_of(self.steps_an_epoch())
    }

    /// Number of patterns checked in a step.
    pub fn num_looked_at(&self, step: u64) -> usize {
        if self.looks_at_patterns(step) { self.num_patterns } else { 0 }
    }

    fn num_shards(&self) -> usize {
        tiles::num_tiles(self.dim).div_ceil(self.tiles_a_shard)
    }

    pub fn tiles(&self, shard: usize) -> Range<usize> {
        let start = shard * self.tiles_a_shard;
        start..tiles::num_tiles(self.dim).min(start + self.tiles_a_shard)
    }

    /// Number of bytes of a part before its gradients: flow, slopes and storage, as doubles.
    pub fn head_len(&self, shard: usize, step: u64) -> usize {
        8 * (1 + TILE * self.tiles(shard).len() + 2 * self.num_looked_at(step))
    }
}

/// Works shards of steps.
pub struct MinibatchWorker {
    training: Training,
    pub plan: Plan,
    pub centre: Centre,
    pub check: StorageCheck,
    pub stage: Stage,
    step: u64,
    pub batch: Option<(Minibatch, Centred)>,
    pub network: Option<Network>,
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

    /// The rows of a step, and the patterns if they are checked.
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
        // The old rows and network take as much memory as the new ones, so they are dropped first.
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
