//! Errors of fitted parameters, by the sandwich of Huber (1967) and Godambe: an objective that is a mean
//! of a function of one row over N rows, `1/N Σ_n ℓ(x_n; θ)`, has a minimum with the covariance
//!
//! `H⁻¹ S H⁻¹ / N`,
//!
//! H the Hessian of the objective there, S the covariance of the rows' gradients `∂ℓ(x_n)/∂θ`. It holds
//! for any such objective, and where the model is wrong, too: then the errors are those about the
//! parameters that infinitely many rows would give.
//!
//! Noise-contrastive estimation sums over two independent samples, N rows and ν N states of noise. Its S is
//! `S_x + ν S_y`, the covariance of the gradients in each about the mean there, and θ has the constant
//! c = −log Z beside it (Gutmann and Hyvärinen 2012, theorem 3).
//!
//! After the last evaluation of a fit follow two for each parameter, a little ahead and behind, for the
//! columns of H, and a round for S. A penalty counts in H: its share of the error, that it draws
//! parameters aside, is not seen.

pub mod bootstrap;
mod scores;
mod summary;

pub use scores::RowScores;

use super::full_batch::{FullBatchFit, FullBatchWorker};
use super::rows::Rows;
use super::stages::{AFTER, FIT, HasFitWorker, TwoStages};
use crate::Result;
use crate::bytes::from_f64s;
use crate::digest::Digest;
use crate::fit::job::report::{FitProgress, FitResult, LogZEstimate, ParameterErrors};
use crate::fit::job::spec::FitSpec;
use crate::linalg::{matmul, symmetric_eigen};
use crate::models::Model;
use crate::run::{Coordinator, ShardWorker, inconsistent, pack, to_numbers, unpack};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// Maximum number of parameters.
pub const MAX_PARAMS: usize = 512;

/// Steps from the minimum, relative to the larger of a parameter and 1: near the cube root of the
/// rounding unit, where the errors of truncation and rounding balance.
const STEP: f64 = 1.0 / (1 << 17) as f64;

/// Least eigenvalue of the Hessian, relative to its diagonal, that counts as one: differences know it to
/// some nine digits.
const LEAST_CURVATURE: f64 = 1e-8;

/// Where the evaluations after a fit are.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Errors {
    /// Gradients ahead of and behind the minimum in each parameter, one after another.
    gradients: Vec<Vec<f64>>,
    /// The sums of the rows' gradients and of their products, at last.
    sums: Option<Vec<f64>>,
}

impl Errors {
    /// Whether all is known.
    pub fn is_done(&self) -> bool {
        self.sums.is_some()
    }

    /// Whether the next round is that of the rows' gradients, and not an evaluation.
    pub fn is_scoring(&self, num_params: usize) -> bool {
        !self.is_done() && self.gradients.len() == 2 * num_params
    }

    /// Where to evaluate next, for a minimum at these parameters.
    pub fn ask(&self, params: &[f64]) -> Vec<f64> {
        let mut place = params.to_vec();
        let at = self.gradients.len();
        if let Some(param) = place.get_mut(at / 2) {
            let step = step(*param);
            *param += if at.is_multiple_of(2) { step } else { -step };
        }
        place
    }

    /// The objective's gradient there.
    pub fn tell(&mut self, gradient: Vec<f64>) {
        self.gradients.push(gradient);
    }

    /// The sums of all shards.
    pub fn tell_scores(&mut self, parts: &[Vec<f64>]) {
        let mut sums = vec![0.0; parts[0].len()];
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, more)| *sum += more);
        }
        self.sums = Some(sums);
    }

    /// Whether gradients and sums are as many, and as long, as a fit of `num_params` parameters gives.
    pub fn suits(&self, num_params: usize, num_samples: usize) -> bool {
        self.gradients.len() <= 2 * num_params
            && self.gradients.iter().all(|gradient| gradient.len() == num_params)
            && self.sums.as_ref().is_none_or(|sums| {
                sums.len() == num_samples * scores::sample_len(num_params)
                    && self.gradients.len() == 2 * num_params
            })
    }

    /// The Hessian by differences of gradients, row-major.
    fn hessian(&self, params: &[f64]) -> Vec<f64> {
        let count = params.len();
        let slope = |row: usize, column: usize| {
            let [ahead, behind] = [0, 1].map(|end| self.gradients[2 * column + end][row]);
            (ahead - behind) / (2.0 * step(params[column]))
        };
        let entry =
            |at: usize| 0.5 * (slope(at / count, at % count) + slope(at % count, at / count));
        (0..count * count).map(entry).collect()
    }

    /// The errors at these parameters, which are those of the model and maybe c, or why there are none.
    /// The samples have these numbers of states; the first are the rows.
    pub fn result(
        &self,
        model: &dyn Model,
        params: &[f64],
        num_states: &[usize],
    ) -> std::result::Result<ParameterErrors, String> {
        let count = params.len();
        let undetermined = || {
            "no errors of the parameters: at the fit the objective does not rise in all directions, so \
             the rows leave some combination of parameters open; fix some of them, or use a \
             regularizer"
                .to_owned()
        };
        let sums = self.sums.as_ref().ok_or_else(undetermined)?;
        let hessian = self.hessian(params);
        // Parameters differ in their units: all matrices are divided by roots of the Hessian's diagonal.
        let scale: Vec<f64> = (0..count).map(|at| hessian[at * (count + 1)].abs().sqrt()).collect();
        let relative = |matrix: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            let entry = |at| (at / count, at % count);
            let entries = (0..count * count).map(entry);
            entries.map(|(i, j)| matrix(i, j) / (scale[i] * scale[j])).collect()
        };
        let curvature = relative(&|i, j| hessian[i * count + j]);
        let rows = num_states[0] as f64;
        let samples = sums.chunks_exact(scores::sample_len(count)).zip(num_states);
        let scores = relative(&|i, j| {
            let covariances = samples.clone().map(|(sums, num)| {
                let num = *num as f64;
                let (means, products) = sums.split_at(count);
                let product = products[scores::place(count, i.min(j), i.max(j))];
                (product / num - (means[i] / num) * (means[j] / num)) * (num / rows)
            });
            covariances.sum()
        });
        if !curvature.iter().chain(&scores).all(|entry| entry.is_finite()) {
            return Err(undetermined());
        }
        let inverse = inverse(count, &curvature).ok_or_else(undetermined)?;
        let (mut half, mut whole) = (vec![0.0; count * count], vec![0.0; count * count]);
        matmul(count, &inverse, &scores, &mut half);
        matmul(count, &half, &inverse, &mut whole);
        let covariance =
            relative(&|i, j| 0.5 * (whole[i * count + j] + whole[j * count + i]) / rows);
        let num_params = summary::params_of(model).len();
        let log_z = (num_params < count).then(|| LogZEstimate {
            value: -params[num_params],
            standard_error: covariance[num_params * (count + 1)].max(0.0).sqrt(),
        });
        let of_model = covariance.chunks_exact(count).take(num_params);
        let covariance = of_model.flat_map(|row| &row[..num_params]).copied().collect();
        Ok(summary::of_covariance(model, covariance, log_z))
    }
}

/// The inverse of a symmetric matrix, row-major `[n, n]`, if all of its eigenvalues are above what
/// differences of gradients can tell from 0.
fn inverse(n: usize, matrix: &[f64]) -> Option<Vec<f64>> {
    let eigen = symmetric_eigen(DMatrix::from_row_slice(n, n, matrix));
    if !eigen.eigenvalues.iter().all(|value| *value > LEAST_CURVATURE) {
        return None;
    }
    let vectors = eigen.eigenvectors;
    let entry = |at: usize| {
        let (i, j) = (at / n, at % n);
        let terms = eigen.eigenvalues.iter().enumerate();
        terms.map(|(k, value)| vectors[(i, k)] * vectors[(j, k)] / value).sum()
    };
    Some((0..n * n).map(entry).collect())
}

fn step(param: f64) -> f64 {
    STEP * param.abs().max(1.0)
}

impl HasFitWorker for FullBatchFit {
    fn fit_worker(&self) -> &dyn ShardWorker {
        self.worker()
    }

    fn fit_worker_mut(&mut self) -> &mut dyn ShardWorker {
        self.worker_mut()
    }
}

/// The worker of a fit over all data, and of the errors after it.
///
/// # Errors
/// Those of the fit; see also [`RowScores::new`].
pub fn worker(spec: &FitSpec, rows: Rows<'_>) -> Result<Box<dyn ShardWorker>> {
    let fit: Box<dyn ShardWorker> = Box::new(FullBatchWorker::new(spec, rows)?);
    Ok(Box::new(TwoStages::new(fit, RowScores::new(spec, rows)?)))
}

/// Coordinates a fit over all data, and the rounds for its errors.
pub struct FitWithErrors {
    worker: TwoStages<FullBatchFit, RowScores>,
    errors: Errors,
}

impl FitWithErrors {
    /// The coordinator before the first evaluation, or from a snapshot.
    ///
    /// # Errors
    /// Those of [`FullBatchFit::new`] and [`RowScores::new`].
    pub fn new(spec: &FitSpec, rows: Rows<'_>, snapshot: Option<&[u8]>) -> Result<Self> {
        let (inner, errors): (Option<Vec<u8>>, Errors) = match snapshot {
            None => (None, Errors::default()),
            Some(snapshot) => {
                let (inner, errors) = unpack(snapshot)?;
                (Some(inner), errors)
            }
        };
        let fit = FullBatchFit::new(spec, rows, inner.as_deref())?;
        let num_params = fit.num_params();
        let scores = RowScores::new(spec, rows)?;
        let num_samples = scores.counts().len();
        if !errors.suits(num_params, num_samples)
            || (!fit.is_done() && !errors.gradients.is_empty())
        {
            return Err(inconsistent());
        }
        let mut worker = TwoStages::new(fit, scores);
        worker.is_after = errors.is_scoring(num_params);
        Ok(Self { worker, errors })
    }

    fn fit(&self) -> &FullBatchFit {
        &self.worker.fit
    }
}

impl Coordinator for FitWithErrors {
    type Progress = FitProgress;
    type Output = FitResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        let (mut broadcast, stage) = match (self.fit().is_done(), self.worker.is_after) {
            (false, _) => (self.fit().broadcast(), FIT),
            (true, false) => (from_f64s(&self.errors.ask(&self.fit().params())), FIT),
            (true, true) => (from_f64s(&self.fit().params()), AFTER),
        };
        broadcast.push(stage);
        broadcast
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        if !self.fit().is_done() {
            self.worker.fit.gather(parts);
        } else if self.worker.is_after {
            self.errors.tell_scores(&to_numbers(parts));
        } else {
            self.errors.tell(self.fit().combine(parts).1);
        }
        self.worker.is_after = self.errors.is_scoring(self.fit().num_params());
    }

    /// Where the objective is not finite there are no errors to look for.
    fn is_done(&self) -> bool {
        self.fit().is_done() && (self.errors.is_done() || !self.fit().is_finite())
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&(self.fit().snapshot(), &self.errors))
    }

    fn progress(&self) -> FitProgress {
        let progress = self.fit().progress();
        if self.is_done() { progress } else { progress.not_done_yet() }
    }

    fn result(&self) -> Option<FitResult> {
        if !self.is_done() {
            return None;
        }
        let mut result = self.fit().result()?;
        if !self.fit().is_finite() {
            return Some(result);
        }
        let model = self.fit().fitted();
        match self.errors.result(&*model, &self.fit().params(), &self.worker.after.counts()) {
            Ok(errors) => {
                let digest = Digest::new().bytes("fit", result.digest.as_bytes());
                let digest =
                    digest.f64s("covariance", errors.covariance.as_deref().unwrap_or_default());
                let digest = match &errors.log_z {
                    Some(log_z) => digest.f64s("logZ", &[log_z.value, log_z.standard_error]),
                    None => digest,
                };
                result.digest = digest.hex();
                result.errors = Some(errors);
            }
            Err(warning) => result.warnings.push(warning),
        }
        if result.errors.is_some() && !result.converged {
            result.warnings.push(
                "the errors are those of a minimum, and the fit ended before it came to one: give it \
                 more iterations"
                    .into(),
            );
        }
        Some(result)
    }
}
