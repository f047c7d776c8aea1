//! The shards: one start of a fit; the predictions of a level's best kernel; one component of the function.

use super::spec::KernelsSpec;
use crate::rng::{Purpose, stream};
use crate::run::{ShardWorker, Unfinished, pack, unpack, work_by_pieces};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use unnorm_gaussian_process::fitting::Fit;
use unnorm_gaussian_process::marginal_likelihood::log_evidence;
use unnorm_gaussian_process::moves::{Neighbour, start};
use unnorm_gaussian_process::posterior::{Marginals, Posterior};
use unnorm_gaussian_process::series::noise_variance;
use unnorm_gaussian_process::{Kernel, Series};

/// Multiplications of a piece of a fit: some milliseconds.
const PIECE_COST: u64 = 1 << 23;

/// Inputs of a piece of a prediction.
const STRIP: usize = 64;

/// Multiplications of a round of fits, some seconds of one thread: there is a checkpoint between two rounds.
const ROUND_COST: u64 = 1 << 34;

/// Evaluations that a fit takes.
const USUAL_EVALUATIONS: u64 = 100;

/// Numbers of fits of a round.
const MIN_FITS: u64 = 8;
const MAX_FITS: u64 = 48;

/// A kernel with the logarithm of its noise.
pub type Found = (Kernel, f64);

/// A family to be fitted: a neighbour of a kernel that was found, or a base kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    pub neighbour: Neighbour,
    /// The place of that kernel among those expanded.
    pub parent: Option<usize>,
}

/// What a round does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Stage {
    /// All starts of some candidates, from the one of place `first` on. Only those whose BIC is below a target go on.
    Fits {
        level: usize,
        first: usize,
        candidates: Vec<Candidate>,
        parents: Vec<Found>,
        target: f64,
    },
    /// The predictions of the best kernel of a level.
    Predict(Found),
    /// The function and its components under the kernel that was chosen.
    Components(Found),
}

/// The function or a component of it, in the units of the fit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// At the inputs; empty for the predictions of a level.
    pub fitted: Marginals,
    /// Where predictions are asked for; empty if they are not.
    pub predicted: Marginals,
    /// The mean of the noise, of the whole function alone.
    pub noise: Vec<f64>,
}

/// Works the shards.
pub struct KernelsWorker {
    pub spec: KernelsSpec,
    pub series: Arc<Series>,
    /// The inputs for predictions, scaled.
    predict: Vec<f64>,
    pub stage: Stage,
}

impl KernelsWorker {
    /// A worker before the first round. The spec is checked.
    pub fn new(spec: &KernelsSpec) -> Self {
        let series = Series::new(spec.num_inputs, &spec.inputs, &spec.values);
        let predict = spec.predict.as_ref().map(|rows| series.scaled_rows(rows));
        let parents = Vec::new();
        Self {
            spec: spec.clone(),
            series: Arc::new(series),
            predict: predict.unwrap_or_default(),
            stage: Stage::Fits {
                level: 0,
                first: 0,
                candidates: Vec::new(),
                parents,
                target: f64::INFINITY,
            },
        }
    }

    fn num_starts(&self) -> usize {
        1 + self.spec.num_restarts
    }

    /// Multiplications of an evaluation of the evidence.
    fn cost(&self) -> u64 {
        let count = self.series.values.len() as u64;
        count * count * (count + 100)
    }

    /// Number of candidates of a round.
    pub fn candidates_per_round(&self) -> usize {
        let fits = ROUND_COST / (USUAL_EVALUATIONS * self.cost());
        (fits.clamp(MIN_FITS, MAX_FITS) as usize / self.num_starts()).max(1)
    }

    /// The number of fits of a candidate, in the order of their starts.
    pub fn starts_of<'a>(&self, parts: &'a [Vec<u8>]) -> impl Iterator<Item = &'a [Vec<u8>]> {
        parts.chunks_exact(self.num_starts())
    }

    fn fit(&self, shard: usize) -> Fit {
        let Stage::Fits { level, first, candidates, parents, target } = &self.stage else {
            panic!("a round of fits");
        };
        let (at, number) = (shard / self.num_starts(), shard % self.num_starts());
        let index = (((*level as u64) << 32) + (first + at) as u64) * 32 + number as u64;
        let mut rng = stream(self.spec.seed.unwrap_or(0), Purpose::KernelStart, index);
        let Candidate { neighbour, parent } = &candidates[at];
        let parent = parent.map(|parent| &parents[parent]);
        let (kernel, ln_noise) = start(&self.series, neighbour, parent, number, &mut rng);
        let target = log_evidence(&kernel.shape(), self.series.values.len(), *target);
        Fit::new(&self.series, kernel, ln_noise, self.series.negative(target))
    }
}

/// A part of the function, on the way.
struct Conditioning {
    posterior: Option<Posterior>,
    kernel: Kernel,
    /// The inputs of the series, if they are wanted, and those of the predictions.
    rows: [Vec<f64>; 2],
    with_noise: bool,
    done: [Marginals; 2],
}

impl Conditioning {
    fn new(worker: &KernelsWorker, shard: usize) -> Self {
        let (found, is_prediction) = match &worker.stage {
            Stage::Predict(found) => (found, true),
            Stage::Components(found) => (found, false),
            Stage::Fits { .. } => panic!("a round of predictions"),
        };
        let (kernel, ln_noise) = found;
        let own = match shard.checked_sub(1) {
            None => kernel.clone(),
            Some(at) => kernel.components().swap_remove(at),
        };
        // The function's own predictions are those of its level.
        let is_whole = shard == 0 && !is_prediction;
        let inputs = || worker.series.inputs.rows().flatten().copied().collect();
        Self {
            posterior: Posterior::new(&worker.series, kernel, noise_variance(*ln_noise)),
            kernel: own,
            rows: [
                if is_prediction { Vec::new() } else { inputs() },
                if is_whole { Vec::new() } else { worker.predict.clone() },
            ],
            with_noise: is_whole,
            done: Default::default(),
        }
    }

    /// A strip of inputs. Returns the part at the end.
    fn advance(&mut self, series: &Series) -> Option<Part> {
        let width = series.inputs.num_inputs();
        for (rows, done) in self.rows.iter().zip(&mut self.done) {
            let from = done.means.len() * width;
            if from == rows.len() {
                continue;
            }
            let strip = &rows[from..rows.len().min(from + STRIP * width)];
            let nowhere = || vec![f64::NAN; strip.len() / width];
            let new = self.posterior.as_ref().map_or_else(
                || Marginals { means: nowhere(), variances: nowhere() },
                |posterior| posterior.marginals(series, &self.kernel, strip),
            );
            done.means.extend(new.means);
            done.variances.extend(new.variances);
            return None;
        }
        let [fitted, predicted] = std::mem::take(&mut self.done);
        let noise = self.posterior.as_ref().filter(|_| self.with_noise).map(Posterior::noise);
        Some(Part { fitted, predicted, noise: noise.unwrap_or_default() })
    }
}

impl ShardWorker for KernelsWorker {
    fn num_shards(&self) -> usize {
        match &self.stage {
            Stage::Fits { candidates, .. } => (candidates.len() * self.num_starts()).max(1),
            Stage::Predict(_) => 1,
            Stage::Components((kernel, _)) => 1 + kernel.components().len(),
        }
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        self.stage = unpack(broadcast).expect("a stage");
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
        let part = if let Stage::Fits { .. } = &self.stage {
            let fit = unfinished.get_or_insert_with(|| self.fit(shard));
            let evaluations = (PIECE_COST / self.cost()).max(1);
            pack(&(0..evaluations).find_map(|_| fit.advance(&self.series))?)
        } else {
            let conditioning = unfinished.get_or_insert_with(|| Conditioning::new(self, shard));
            pack(&conditioning.advance(&self.series)?)
        };
        unfinished.clear();
        Some(part)
    }
}
