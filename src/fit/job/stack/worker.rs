//! The worker of a stack: it works shards of the fit of one machine, or draws its hidden units.
//!
//! A broadcast is `[stage, layer]`. In a fit, it continues with the length and the words of the
//! machine's data (none for the bottom machine, which has those of the job) and the broadcast of
//! the fit itself; in a pass, with the first row and the machine's parameters. So a worker created
//! midway knows all it needs.

use super::layer::{layer_spec, of_layer};
use crate::Result;
use crate::bits::{BitMatrix, words_per_row};
use crate::bytes::{from_f64s, from_words, to_f64s, to_words};
use crate::energy::{Energy, HiddenUnits, Parametric};
use crate::fit::job::spec::FitSpec;
use crate::fit::job::{Rows, create_worker};
use crate::models::dbn::{Dbn, DbnSpec};
use crate::rng::{Purpose, stream};
use crate::run::{ShardWorker, per_piece};
use std::ops::Range;

/// Number of shards of a pass.
const NUM_SHARDS: usize = 16;

const STAGE_FIT: u64 = 0;
const STAGE_PASS: u64 = 1;

/// The purpose of a round.
pub enum Stage {
    /// To fit a machine.
    Fit {
        /// Index of the machine.
        layer: usize,
        /// The worker of its fit.
        worker: Box<dyn ShardWorker>,
    },
    /// To draw the hidden units of a machine, given the rows of its data.
    Pass {
        /// Index of the machine.
        layer: usize,
    },
}

/// Works shards of a stack's rounds.
pub struct StackWorker {
    spec: FitSpec,
    /// The machines. Those that pass rows on have the parameters of the last broadcast, the others
    /// the starting parameters.
    model: Dbn,
    data: BitMatrix,
    stage: Stage,
    /// First row of the present round of a pass.
    first: usize,
}

impl StackWorker {
    /// The worker at the first machine.
    ///
    /// # Errors
    /// The errors of the worker of its fit.
    pub fn new(spec: &FitSpec, dbn: &DbnSpec, data: &BitMatrix) -> Result<Self> {
        let model = dbn.build()?;
        let worker = create_worker(&layer_spec(spec, &model, 0), Rows::Bits(data))
            .map_err(|error| of_layer(error, 0))?;
        let stage = Stage::Fit { layer: 0, worker };
        Ok(Self { spec: spec.clone(), model, data: data.clone(), stage, first: 0 })
    }

    /// Number of rows of the data, the same for all machines.
    pub fn num_rows(&self) -> usize {
        self.data.num_rows()
    }

    /// The data of a machine, from their words as broadcast.
    pub fn data_of(&self, layer: usize, words: &[u64]) -> BitMatrix {
        if layer == 0 {
            return self.data.clone();
        }
        let mut data = BitMatrix::zeros(self.model.layers()[layer].dim(), self.num_rows());
        let width = words_per_row(data.dim());
        for (row, words) in data.rows_mut().zip(words.chunks_exact(width)) {
            row.copy_from_slice(words);
        }
        data
    }

    /// Enters another stage.
    pub fn enter(&mut self, stage: Stage) {
        self.stage = stage;
    }

    /// The rows of a shard in a round of a pass that begins with row `first`.
    pub fn pass_rows(&self, first: usize, shard: usize) -> Range<usize> {
        let layer = match self.stage {
            Stage::Fit { layer, .. } | Stage::Pass { layer } => layer,
        };
        let machine = &self.model.layers()[layer];
        let cost = 10 * (machine.dim() + machine.num_hidden()) + machine.params().len() * 3 / 10;
        let extent = (NUM_SHARDS * per_piece(cost as u64)).min(self.num_rows() - first);
        let at = |shard: usize| first + extent * shard / NUM_SHARDS;
        at(shard)..at(shard + 1)
    }
}

impl ShardWorker for StackWorker {
    fn num_shards(&self) -> usize {
        match &self.stage {
            Stage::Fit { worker, .. } => worker.num_shards(),
            Stage::Pass { .. } => NUM_SHARDS,
        }
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let (stage, rest) = take_number(broadcast);
        let (layer, rest) = take_number(rest);
        let layer = layer as usize;
        let (count, rest) = take_number(rest);
        if stage == STAGE_PASS {
            self.first = count as usize;
            let params = to_f64s(rest).expect("parameters are numbers");
            self.model.layers_mut()[layer].set_params(&params);
            self.stage = Stage::Pass { layer };
            return;
        }
        let (words, inner) = rest.split_at(8 * count as usize);
        if !matches!(self.stage, Stage::Fit { layer: present, .. } if present == layer) {
            let data = self.data_of(layer, &to_words(words).collect::<Vec<_>>());
            let spec = layer_spec(&self.spec, &self.model, layer);
            let worker =
                create_worker(&spec, Rows::Bits(&data)).expect("checked before work started");
            self.stage = Stage::Fit { layer, worker };
        }
        if let Stage::Fit { worker, .. } = &mut self.stage {
            worker.prepare(inner);
        }
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        let layer = match &self.stage {
            Stage::Fit { worker, .. } => return worker.work(shard, scattered),
            Stage::Pass { layer } => *layer,
        };
        let machine = &self.model.layers()[layer];
        let sent: Vec<u64> = to_words(scattered).collect();
        let width = words_per_row(machine.dim());
        let seed = self.spec.seed.unwrap_or(0);
        let mut above = vec![0; words_per_row(machine.num_hidden())];
        let mut drawn = Vec::new();
        for (at, index) in self.pass_rows(self.first, shard).enumerate() {
            let below = match layer {
                0 => self.data.row(index),
                _ => &sent[at * width..(at + 1) * width],
            };
            let rng = &mut stream(seed, Purpose::LayerData, (layer as u64) << 32 | index as u64);
            machine.sample_hidden(below, rng, &mut above);
            drawn.extend_from_slice(&above);
        }
        from_words(&drawn)
    }
}

/// The broadcast of a round that fits a machine to data.
pub fn fit_broadcast(layer: usize, data: &[u64], inner: &[u8]) -> Vec<u8> {
    let mut bytes = from_words(&[STAGE_FIT, layer as u64, data.len() as u64]);
    bytes.extend(from_words(data));
    bytes.extend_from_slice(inner);
    bytes
}

/// The broadcast of a round that draws a machine's hidden units, from row
/// `first` on.
pub fn pass_broadcast(layer: usize, first: usize, params: &[f64]) -> Vec<u8> {
    let mut bytes = from_words(&[STAGE_PASS, layer as u64, first as u64]);
    bytes.extend(from_f64s(params));
    bytes
}

fn take_number(bytes: &[u8]) -> (u64, &[u8]) {
    let (number, rest) = bytes.split_first_chunk().expect("a number");
    (u64::from_le_bytes(*number), rest)
}
