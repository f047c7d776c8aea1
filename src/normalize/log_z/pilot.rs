//! Pilot runs find a schedule and step sizes for the path. The weighted runs adapt nothing, as that
//! would make their weights wrong.
//!
//! A run goes through [`NUM_BINS`] bins with equally many annealing steps. After a bin its step
//! size is corrected by its mean acceptance. If energy errors are normal, the acceptance is `a = 2
//! Φ(−σ/2)`, with σ ∝ ε^p, p = 2 for trajectories, 3 for Langevin proposals and 1 for Metropolis
//! proposals (Roberts and Rosenthal 2001; Beskos et al. 2013), so `ln ε` must grow by `ln(σ_target
//! / σ) / p`. The next bin begins with the corrected size; the next run begins each bin with that
//! bin's size. Each of several targets, such as the rows of a generative model, has its own step
//! sizes: a row far out is explained by large factors, at which the energy is much steeper. The
//! variances of the log weights' increments, averaged over the targets, give the thermodynamic
//! length of each bin, and so the placement of the distributions of the next run and finally of the
//! weighted runs.

use super::schedules::Shape;
use crate::diagnostics::normal_quantile;
use crate::energy::schedule;
use crate::math::{exp, ln};
use crate::normalize::log_z::spec::{LogZSpec, ScheduleSpec};
use crate::normalize::step_sizes::StepSizes;
use serde::{Deserialize, Serialize};

/// Number of bins of a run.
pub const NUM_BINS: usize = 50;

/// Largest correction of ln ε after a bin, in absolute value.
const MAX_CORRECTION: f64 = 0.7;

/// The number of distributions of a pilot run, K.
pub fn num_distributions(spec: &LogZSpec) -> usize {
    spec.pilot.num_distributions.next_multiple_of(NUM_BINS)
}

/// The target of step size adaptation.
#[derive(Debug, Clone, Copy)]
pub struct AcceptanceTarget {
    /// The target mean acceptance.
    pub acceptance: f64,
    /// The power p with which a proposal's energy error scales, as ε^p.
    pub power: f64,
}

impl AcceptanceTarget {
    /// What to add to ln ε after steps with this mean acceptance.
    fn correction(&self, acceptance: f64) -> f64 {
        // For rates strictly between 0 and 1, σ is positive and finite.
        let spread = |rate: f64| -normal_quantile(0.5 * rate.clamp(1e-6, 1.0 - 1e-6));
        let lack = ln(spread(self.acceptance) / spread(acceptance)) / self.power;
        lack.clamp(-MAX_CORRECTION, MAX_CORRECTION)
    }
}

/// The findings of the pilot runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pilot {
    /// Number of runs done.
    pub run: usize,
    /// ε of each bin in the next run, for each target in turn.
    pub step_sizes: Vec<Vec<f64>>,
    /// Sum of the mean acceptances of the present bin's steps, for each target.
    acceptance: Vec<f64>,
    /// Variance of the log weights' increments at each step of this run.
    variances: Vec<f64>,
}

impl Pilot {
    /// Before the first run, with `num_targets` targets.
    pub fn new(step_size: f64, num_targets: usize) -> Self {
        Self {
            run: 0,
            step_sizes: vec![vec![step_size; NUM_BINS]; num_targets],
            acceptance: vec![0.0; num_targets],
            variances: Vec::new(),
        }
    }

    /// Whether the numbers are valid and those of `num_targets` targets.
    pub fn is_valid(&self, num_targets: usize) -> bool {
        self.step_sizes.len() == num_targets
            && self
                .step_sizes
                .iter()
                .all(|sizes| sizes.len() == NUM_BINS && StepSizes::are_sizes(sizes))
            && self.acceptance.len() == num_targets
            && self.acceptance.iter().all(|sum| sum.is_finite())
    }

    /// Whether this run has made `num_steps` steps.
    pub fn has_completed(&self, num_steps: u64) -> bool {
        self.variances.len() as u64 == num_steps
    }

    /// Records a step: each target's mean acceptance, and the variance.
    pub fn add(&mut self, acceptances: &[f64], variance: f64) {
        self.acceptance.iter_mut().zip(acceptances).for_each(|(sum, mean)| *sum += mean);
        self.variances.push(variance);
    }

    /// Ends a bin of `num_steps` steps; corrects step sizes if there is a target acceptance.
    pub fn end_bin(&mut self, num_steps: usize, acceptance_target: Option<AcceptanceTarget>) {
        let bin = self.variances.len() / num_steps - 1;
        for (sum, sizes) in self.acceptance.iter_mut().zip(&mut self.step_sizes) {
            let mean = std::mem::take(sum) / num_steps as f64;
            let Some(acceptance_target) = acceptance_target else { continue };
            sizes[bin] *= exp(acceptance_target.correction(mean));
            if self.run == 0 && bin + 1 < NUM_BINS {
                sizes[bin + 1] = sizes[bin];
            }
        }
    }

    /// Ends a run on this schedule. Returns the shape of the next schedule, and the step sizes
    /// along β for each target. If the shape of the weighted runs is fixed, only the step sizes are
    /// found. `shape` is that of this run, with `betas`.
    pub fn end_run(
        &mut self,
        spec: &LogZSpec,
        fixed: Option<&Shape>,
        shape: &Shape,
        betas: &[f64],
    ) -> (Shape, Vec<StepSizes>) {
        let variances = std::mem::take(&mut self.variances);
        self.run += 1;
        let num_steps = variances.len() / NUM_BINS;
        let edges: Vec<f64> = betas.iter().copied().step_by(num_steps).collect();
        let middles: Vec<f64> = edges.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
        let along = |sizes: &Vec<f64>| {
            StepSizes::new(middles.clone(), sizes.clone()).expect("sizes are positive")
        };
        let step_sizes: Vec<StepSizes> = self.step_sizes.iter().map(along).collect();
        let is_last = self.run == spec.pilot.num_runs;
        let found = match (fixed, &spec.schedule) {
            (Some(fixed), _) if is_last => fixed.clone(),
            (Some(_), _) => Shape::Linear,
            (None, ScheduleSpec::OptimalBinned { num_bins }) if is_last => {
                binned(*num_bins, spec.num_distributions, betas, &variances)
            }
            (None, _) => {
                let bins = variances.chunks_exact(num_steps);
                let lengths: Vec<f64> =
                    bins.map(|bin| bin.iter().map(|variance| variance.sqrt()).sum()).collect();
                let found = Shape::Barrier { edges, lengths };
                // If both ends are equal there is no barrier, and if it is too steep for doubles it
                // cannot be used; this run's schedule is kept then.
                let can_be = |count| found.is_valid(spec, count);
                if can_be(spec.num_distributions) && can_be(betas.len() - 1) {
                    found
                } else {
                    shape.clone()
                }
            }
        };
        if !is_last {
            self.move_bins(&step_sizes, &found, spec, betas.len() - 1);
        }
        (found, step_sizes)
    }

    /// Moves the step sizes to the bins of the next run.
    fn move_bins(
        &mut self,
        step_sizes: &[StepSizes],
        shape: &Shape,
        spec: &LogZSpec,
        count: usize,
    ) {
        let betas = shape.betas(spec, count).expect("a barrier has betas");
        let edges: Vec<f64> = betas.into_iter().step_by(count / NUM_BINS).collect();
        for (sizes, found) in self.step_sizes.iter_mut().zip(step_sizes) {
            for (size, pair) in sizes.iter_mut().zip(edges.windows(2)) {
                *size = found.at(0.5 * (pair[0] + pair[1]));
            }
        }
    }
}

/// The optimal binned schedule (Grosse, Maddison and Salakhutdinov 2013, Theorem 3) on bins of
/// equal extent. On a path that is straight in the natural parameters, `(η_j+1 − η_j)ᵀ (s_j+1 −
/// s_j) = Δβ_j ∫ Var(∂E/∂β) dβ`, and an increment over δ has variance δ² Var(∂E/∂β).
fn binned(num_bins: usize, num_distributions: usize, betas: &[f64], variances: &[f64]) -> Shape {
    let edges: Vec<f64> = (0..=num_bins).map(|bin| bin as f64 / num_bins as f64).collect();
    let mut costs = vec![0.0; num_bins];
    for (pair, variance) in betas.windows(2).zip(variances) {
        let width = pair[1] - pair[0];
        for (bin, cost) in costs.iter_mut().enumerate() {
            let from = if pair[0] > edges[bin] { pair[0] } else { edges[bin] };
            let to = if pair[1] < edges[bin + 1] { pair[1] } else { edges[bin + 1] };
            if to > from {
                *cost += (edges[bin + 1] - edges[bin]) * variance * (to - from) / (width * width);
            }
        }
    }
    let counts =
        schedule::allocate(&costs, num_distributions).expect("a distribution for each bin");
    Shape::Binned { edges, counts }
}
