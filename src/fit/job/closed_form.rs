//! Fits in closed form: mean field. One round with one shard solves for the parameters and adds
//! warnings where they are doubtful.

use super::{Rows, starting_params, with_digest};
use crate::bits::{BitMatrix, WeightedRows};
use crate::energy::Parametric;
use crate::fit::check_binary;
use crate::fit::job::report::{FitProgress, FitResult};
use crate::fit::job::spec::{FitSpec, ObjectiveSpec};
use crate::fit::mean_field::{self, Order};
use crate::models::ising::Pattern;
use crate::models::{Model, ModelSpec};
use crate::run::{Coordinator, ShardWorker, inconsistent, pack, unpack};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Condition number of the susceptibility above which the result is doubtful: it magnifies the
/// relative noise of the data's moments, near 1/√N.
const DOUBTFUL_CONDITION: f64 = 1e4;

/// Solves for the parameters.
pub struct ClosedFormWorker {
    data: WeightedRows,
    order: Order,
    strength: f64,
}

/// The result of solving.
#[derive(Serialize, Deserialize)]
struct Solution {
    params: Vec<f64>,
    warnings: Vec<String>,
}

impl ClosedFormWorker {
    /// Checks that the model is an Ising model with every pair coupled.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn new(spec: &FitSpec, data: &BitMatrix) -> Result<Self> {
        let ObjectiveSpec::MeanField { order, strength } = spec.objective else {
            unreachable!("{} is not solved in closed form", spec.objective.kind());
        };
        let ModelSpec::Ising(ising) = &spec.model else {
            let kind = spec.model.build()?.kind();
            return Err(Error::spec(
                "objective.kind",
                format!(
                    "is meanField, which is for Ising models; a model of kind {kind} needs another objective"
                ),
            ));
        };
        if ising.pattern != (Pattern::Dense {}) {
            return Err(Error::spec(
                "model.pattern",
                "leaves pairs out, but mean field couples every pair; use a dense pattern or another objective",
            ));
        }
        let data = WeightedRows::from_data(data.as_batch());
        check_binary(&ising.build()?, &data, "mean field")?;
        mean_field::check(data.dim(), strength)?;
        Ok(Self { data, order, strength })
    }

    fn solve(&self) -> Solution {
        let fit = mean_field::fit(&self.data, self.order, self.strength).expect("checked before");
        let dim = self.data.dim();
        let mut warnings = Vec::new();
        if fit.rank < dim {
            warnings.push(format!(
                "the susceptibility is singular, of rank {} for {dim} sites: the data do not vary in \
                 every direction, and mean field says nothing about the others",
                fit.rank
            ));
        } else if fit.condition > DOUBTFUL_CONDITION {
            warnings.push(format!(
                "the susceptibility is nearly singular, with condition {:.1e}: noise in the data's \
                 moments is magnified by as much; a greater objective.strength damps it",
                fit.condition
            ));
        }
        if fit.num_complex > 0 {
            warnings.push(format!(
                "the second-order equation has complex roots for {} of {} pairs, of which the real \
                 part was taken: the couplings are too strong for the expansion",
                fit.num_complex,
                dim * (dim - 1) / 2
            ));
        }
        if fit.num_constant > 0 {
            warnings.push(format!(
                "{} sites never vary, and their fields are infinite: they were given those of a \
                 site that varies once",
                fit.num_constant
            ));
        }
        Solution { params: fit.model.params().to_vec(), warnings }
    }
}

impl ShardWorker for ClosedFormWorker {
    fn num_shards(&self) -> usize {
        1
    }

    fn prepare(&mut self, _broadcast: &[u8]) {}

    fn work(&self, shard: usize, _scattered: &[u8]) -> Vec<u8> {
        assert_eq!(shard, 0);
        pack(&self.solve())
    }
}

/// Coordinates a fit in closed form.
pub struct ClosedFormFit {
    worker: ClosedFormWorker,
    model: Box<dyn Model>,
    start: Vec<f64>,
    seed: u64,
    solution: Option<Solution>,
}

impl ClosedFormFit {
    /// The coordinator before its round, or from a snapshot.
    ///
    /// # Errors
    /// The errors of [`ClosedFormWorker::new`]; [`Error::BadCheckpoint`] if the snapshot is not one
    /// of this job.
    pub fn new(spec: &FitSpec, data: &BitMatrix, snapshot: Option<&[u8]>) -> Result<Self> {
        let worker = ClosedFormWorker::new(spec, data)?;
        let model = spec.model.build()?;
        let start = starting_params(spec, &*model, Rows::Bits(data))?;
        let solution: Option<Solution> = match snapshot {
            None => None,
            Some(snapshot) => unpack(snapshot)?,
        };
        if solution.as_ref().is_some_and(|solution| solution.params.len() != start.len()) {
            return Err(inconsistent());
        }
        Ok(Self { worker, model, start, seed: spec.seed.unwrap_or(0), solution })
    }
}

impl Coordinator for ClosedFormFit {
    type Progress = FitProgress;
    type Output = FitResult;

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
        assert!(!self.is_done() && parts.len() == 1);
        self.solution = Some(unpack(&parts[0]).expect("a solution"));
    }

    fn is_done(&self) -> bool {
        self.solution.is_some()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.solution)
    }

    fn progress(&self) -> FitProgress {
        let params = self.solution.as_ref().map_or(&self.start, |solution| &solution.params);
        let done = usize::from(self.is_done());
        FitProgress {
            verb: "fit",
            iteration: done,
            num_evaluations: done,
            objective: f64::NAN,
            grad_norm: f64::NAN,
            fraction: done as f64,
            done: self.is_done(),
            layer: None,
            model: self.model.spec_at(params),
        }
    }

    fn result(&self) -> Option<FitResult> {
        let solution = self.solution.as_ref()?;
        let order = match self.worker.order {
            Order::Naive => "first order in the couplings",
            Order::Tap => "second order in the couplings, Thouless–Anderson–Palmer",
        };
        let result = FitResult {
            model: self.model.spec_at(&solution.params),
            objective: f64::NAN,
            grad_norm: f64::NAN,
            num_iterations: 1,
            num_evaluations: 1,
            converged: true,
            stop_reason: format!("solved in closed form by mean field, to {order}"),
            warnings: solution.warnings.clone(),
            connectivity: None,
            #[cfg(feature = "full")]
            errors: None,
            seed: self.seed,
            digest: String::new(),
            layers: None,
        };
        Some(with_digest(result, &solution.params))
    }
}
