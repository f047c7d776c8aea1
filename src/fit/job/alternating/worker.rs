//! The worker of alternating fits: it moves chains in one kind of round, and sums over rows and
//! chains in the other.

use super::bits::Bits;
use super::posteriors::EmSamples;
use super::reals::Reals;
use super::samples::{Round, Samples};
use crate::Result;
use crate::bytes::{from_f64s, from_words};
use crate::fit::job::Rows;
use crate::fit::job::spec::{FitSpec, ObjectiveSpec};
use crate::fit::step_size::StepSize;
use crate::models::Model;
use crate::run::{ShardWorker, Unfinished, unpack, work_by_pieces};
use serde::{Deserialize, Serialize};
use std::sync::Mutex;

/// What a round does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Move the chains at θⁿ⁻¹.
    Sample,
    /// Sum for the objective at θ.
    Evaluate,
}

/// The broadcast of a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Broadcast {
    pub phase: Phase,
    /// n − 1.
    pub refresh: u64,
    pub step_size: StepSize,
    /// θⁿ⁻¹; left out when sampling, where it equals θ.
    pub before: Vec<f64>,
    pub params: Vec<f64>,
}

/// The worker of an alternating fit.
///
/// # Errors
/// Any error of the model's spec; [`crate::Error::MissingCapability`];
/// [`crate::Error::InvalidSpec`] if model and data differ in dimension; [`crate::Error::TooLarge`].
pub fn worker(spec: &FitSpec, rows: Rows<'_>) -> Result<AlternatingWorker> {
    let model = spec.model.build()?;
    let samples = samples(spec, &*model, rows)?;
    Ok(AlternatingWorker::new(samples, model, spec.seed.unwrap_or(0)))
}

fn samples(spec: &FitSpec, model: &dyn Model, rows: Rows<'_>) -> Result<Box<dyn Samples>> {
    let is_em = matches!(spec.objective, ObjectiveSpec::ExpectationMaximization { .. });
    Ok(match rows {
        Rows::Reals(rows) if is_em => Box::new(EmSamples::new(spec, model, rows)?),
        Rows::Reals(rows) => Box::new(Reals::new(spec, model, rows)?),
        Rows::Bits(data) => Box::new(Bits::new(spec, model, data)?),
    })
}

/// Works shards of chains and of the objective.
pub struct AlternatingWorker {
    pub samples: Box<dyn Samples>,
    phase: Phase,
    round: Round,
}

impl AlternatingWorker {
    /// A worker for a model with parameters.
    pub fn new(samples: Box<dyn Samples>, model: Box<dyn Model>, seed: u64) -> Self {
        let step_size = samples.first_step_size();
        let round = Round {
            before: model.boxed_clone(),
            model,
            refresh: 0,
            step_size,
            seed,
            energies_before: Mutex::default(),
        };
        Self { samples, phase: Phase::Sample, round }
    }
}

impl ShardWorker for AlternatingWorker {
    fn num_shards(&self) -> usize {
        self.samples.num_shards()
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        let Broadcast { phase, refresh, step_size, before, params } =
            unpack(broadcast).expect("a round's beginning");
        let set = |model: &mut Box<dyn Model>, params: &[f64]| {
            model.as_parametric_mut().expect("checked before").set_params(params);
        };
        set(&mut self.round.before, &before);
        // The samples are new, or this worker missed rounds in between.
        if phase == Phase::Sample || refresh != self.round.refresh {
            self.round.energies_before = Mutex::default();
        }
        if phase == Phase::Evaluate {
            set(&mut self.round.model, &params);
        }
        (self.phase, self.round.refresh, self.round.step_size) = (phase, refresh, step_size);
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        work_by_pieces(self, shard, scattered)
    }

    fn work_piece(
        &self,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        let part = match self.phase {
            Phase::Sample => {
                let (mut words, acceptance) =
                    self.samples.sample(&self.round, shard, scattered, unfinished)?;
                words.push(acceptance.to_bits());
                from_words(&words)
            }
            Phase::Evaluate => {
                from_f64s(&self.samples.sums(&self.round, shard, scattered, unfinished.sums())?)
            }
        };
        unfinished.clear();
        Some(part)
    }
}
