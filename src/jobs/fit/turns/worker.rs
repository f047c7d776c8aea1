//! What works shards of fits by turns: chains in one kind of round, sums over rows and
//! chains in the other.

use super::bits::Bits;
use super::posteriors::AtRows;
use super::reals::Reals;
use crate::Result;
use crate::bytes::{from_f64s, from_words};
use crate::fit::step_size::StepSize;
use crate::jobs::fit::Rows;
use crate::jobs::spec::{FitSpec, ObjectiveSpec};
use crate::jobs::{ShardWorker, Unfinished, unpack, work_by_pieces};
use crate::linalg::Batch;
use crate::models::Model;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// What a round does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Moves the chains at θⁿ⁻¹.
    Sample,
    /// Sums for the objective at θ.
    Evaluate,
}

/// What a round begins with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Broadcast {
    pub phase: Phase,
    /// n − 1.
    pub refresh: u64,
    pub step_size: StepSize,
    /// θⁿ⁻¹; while it is the samples' round, θ is the same and left out.
    pub before: Vec<f64>,
    pub params: Vec<f64>,
}

/// What a round's shards are worked with.
pub struct Round {
    /// The model at θ, and at θⁿ⁻¹.
    pub model: Box<dyn Model>,
    pub before: Box<dyn Model>,
    pub refresh: u64,
    pub step_size: StepSize,
    pub seed: u64,
    /// Energies at θⁿ⁻¹, by shard and piece: while θ is searched for, rows and chains
    /// stay as they are.
    energies_before: Mutex<BTreeMap<(usize, usize), Energies>>,
}

/// Of rows, and of chains.
type Energies = Arc<[Vec<f64>; 2]>;

impl Round {
    /// Energies at θⁿ⁻¹ of a piece's rows and chains, computed when they are first asked
    /// for.
    pub fn energies_before(&self, piece: (usize, usize), states: [Batch<'_>; 2]) -> Energies {
        let kept = || self.energies_before.lock().expect("no thread panics with it");
        if let Some(energies) = kept().get(&piece) {
            return energies.clone();
        }
        let energies = Arc::new(states.map(|states| {
            let mut energies = vec![0.0; states.len()];
            self.before.energy(states, &mut energies);
            energies
        }));
        kept().insert(piece, energies.clone());
        energies
    }
}

/// The samples of a fit by turns, and the sums that its objective is made of. Chains are
/// words: packed bits, or the bits of numbers.
pub trait Samples: Send + Sync {
    /// Number of chains.
    fn num_chains(&self) -> usize;

    /// Words a chain.
    fn num_words(&self) -> usize;

    /// Where the chains start, one after another.
    fn first_chains(&self) -> Vec<u64>;

    /// The step size they start with.
    fn first_step_size(&self) -> StepSize;

    /// Whether these words, of the right number, can be chains.
    fn are_sound(&self, chains: &[u64]) -> bool;

    /// Into how many shards rounds are cut.
    fn num_shards(&self) -> usize;

    /// The chains of a shard.
    fn chains(&self, shard: usize) -> Range<usize>;

    /// Numbers of a shard's sums.
    fn num_sums(&self) -> usize;

    /// Moves a shard's chains, whose words are scattered, piece by piece
    /// ([`ShardWorker::work_piece`]): returns them once they have moved, with the sum of
    /// the acceptances of all their steps.
    fn sample(
        &self,
        round: &Round,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<(Vec<u64>, f64)>;

    /// A shard's sums, piece by piece, of rows and of chains as they are.
    fn sums(
        &self,
        round: &Round,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<f64>>;

    /// The objective from the sums of all shards; writes the gradient to `grad`.
    fn combine(&self, sums: &[f64], grad: &mut [f64]) -> f64;

    /// Whether the objective is flow to samples of the model, 1 at their own parameters.
    fn are_flow(&self) -> bool {
        true
    }

    /// What to do where the objective is not finite at the samples' own parameters.
    fn advice(&self) -> &'static str;
}

/// What works shards of a fit by turns.
///
/// # Errors
/// Of the model's spec; [`crate::Error::MissingCapability`];
/// [`crate::Error::InvalidSpec`] if model and data differ in dimension;
/// [`crate::Error::TooLarge`].
pub fn worker(spec: &FitSpec, rows: Rows<'_>) -> Result<TurnsWorker> {
    let model = spec.model.build()?;
    let samples = samples(spec, &*model, rows)?;
    Ok(TurnsWorker::new(samples, model, spec.seed.unwrap_or(0)))
}

fn samples(spec: &FitSpec, model: &dyn Model, rows: Rows<'_>) -> Result<Box<dyn Samples>> {
    let is_em = matches!(spec.objective, ObjectiveSpec::ExpectationMaximization { .. });
    Ok(match rows {
        Rows::Reals(rows) if is_em => Box::new(AtRows::new(spec, model, rows)?),
        Rows::Reals(rows) => Box::new(Reals::new(spec, model, rows)?),
        Rows::Bits(data) => Box::new(Bits::new(spec, model, data)?),
    })
}

/// Works shards of chains and of the objective.
pub struct TurnsWorker {
    pub samples: Box<dyn Samples>,
    phase: Phase,
    round: Round,
}

impl TurnsWorker {
    /// Of a model with parameters.
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

impl ShardWorker for TurnsWorker {
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
        // The next samples, or those of another worker's rounds in between.
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
                from_f64s(&self.samples.sums(&self.round, shard, scattered, unfinished)?)
            }
        };
        *unfinished = Unfinished::default();
        Some(part)
    }
}
