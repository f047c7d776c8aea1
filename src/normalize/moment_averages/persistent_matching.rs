//! Matching by persistent contrastive divergence.

use super::chains::{Chains, add_statistics, step_cost};
use super::matching::{MatchingReport, Problem};
use super::spec::MatchingSpec;
use super::statistics::Mismatch;
use crate::bits::words_per_row;
use crate::fit::coordinates::Coordinates;
use crate::models::Model;
use crate::rng::{Purpose, below, stream};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Work of a piece, in estimated nanoseconds.
const BUDGET: usize = 15_000_000;

#[derive(Serialize, Deserialize)]
pub struct PersistentMatching {
    chains: Chains,
    /// Updates and, in the one under way, pieces done.
    num_updates: usize,
    num_pieces_done: usize,
    params: Vec<f64>,
    /// `Σ [E | ∂E]` over the particles moved in this update; empty before.
    sums: Vec<f64>,
    /// Mean of the parameters over the last updates.
    average: Vec<f64>,
    #[serde(skip)]
    model: Option<Box<dyn Model>>,
    pub report: Option<MatchingReport>,
}

impl std::fmt::Debug for PersistentMatching {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PersistentMatching")
            .field("num_updates", &self.num_updates)
            .finish_non_exhaustive()
    }
}

struct Plan {
    num_updates: usize,
    num_particles: usize,
    learning_rate: f64,
    num_pieces: usize,
}

impl Plan {
    fn new(problem: &Problem) -> Self {
        let MatchingSpec::Persistent { num_updates, num_particles, learning_rate } = problem.spec
        else {
            panic!("another kind of matching");
        };
        let a_particle =
            step_cost(&*problem.model, problem.moments.len()) + problem.moments.len() / 2;
        let num_pieces = (num_particles * a_particle).div_ceil(BUDGET).min(num_particles);
        Self { num_updates, num_particles, learning_rate, num_pieces }
    }
    fn particles(&self, piece: usize) -> Range<usize> {
        self.num_particles * piece / self.num_pieces
            ..self.num_particles * (piece + 1) / self.num_pieces
    }
}

impl PersistentMatching {
    pub(super) fn new(problem: &Problem) -> Self {
        let plan = Plan::new(problem);
        let streams = (0..plan.num_particles).map(|particle| {
            stream(
                problem.seed,
                Purpose::MomentMatching,
                (problem.knot as u64) << 32 | particle as u64,
            )
        });
        let width = words_per_row(problem.site_means.len());
        let num_rows = problem.target_rows.len() / width;
        let from_target = problem.beta * plan.num_particles as f64;
        let chains = Chains::new(&problem.site_means, streams, |particle, rng| {
            ((particle as f64) < from_target && num_rows > 0).then(|| {
                let row = below(num_rows, rng);
                problem.target_rows[row * width..(row + 1) * width].to_vec()
            })
        });
        Self {
            chains,
            num_updates: 0,
            num_pieces_done: 0,
            params: problem.start.clone(),
            sums: Vec::new(),
            average: vec![0.0; problem.start.len()],
            model: None,
            report: None,
        }
    }

    pub(super) fn advance(&mut self, problem: &Problem, num_pieces: usize) {
        let plan = Plan::new(problem);
        for _ in 0..num_pieces {
            if self.is_done() {
                return;
            }
            let particles = plan.particles(self.num_pieces_done);
            if self.sums.is_empty() {
                self.sums = vec![0.0; 1 + self.params.len()];
            }
            let model = &**self.model.get_or_insert_with(|| problem.model_at(&self.params));
            self.chains.step(model, particles.clone());
            add_statistics(model, self.chains.rows(particles), &mut self.sums);
            self.num_pieces_done += 1;
            if self.num_pieces_done == plan.num_pieces {
                self.update(problem, &plan);
            }
        }
    }

    fn update(&mut self, problem: &Problem, plan: &Plan) {
        let count = plan.num_particles as f64;
        let grad: Vec<f64> = problem
            .statistics
            .terms
            .iter()
            .zip(&problem.moments)
            .zip(&self.sums[1..])
            .map(|((t, s), sum)| t.scale * s - sum / count)
            .collect();
        let mut phi = vec![0.0; grad.len()];
        problem.coordinates.pull_back(&grad, &mut phi);
        let t = self.num_updates as f64 / plan.num_updates as f64;
        let rate = plan.learning_rate * if t < 0.5 { 1.0 } else { 2.0 * (1.0 - t) };
        phi.iter_mut().for_each(|p| *p *= -rate);
        problem.coordinates.add_to_params(&phi, &mut self.params);
        self.model = None;
        self.sums = Vec::new();
        self.num_pieces_done = 0;
        self.num_updates += 1;
        if self.num_updates == plan.num_updates {
            let z = Mismatch { max: 0.0, rms: 0.0 };
            self.report = Some(MatchingReport {
                mismatch: z,
                noise: None,
                is_converged: None,
                num_evaluations: self.num_updates,
            });
        }
    }

    pub(super) fn piece_cost(problem: &Problem) -> usize {
        BUDGET.min(step_cost(&*problem.model, problem.moments.len()))
    }
    pub(super) fn num_pieces(problem: &Problem) -> usize {
        let plan = Plan::new(problem);
        plan.num_updates * plan.num_pieces
    }
    pub(super) fn is_done(&self) -> bool {
        self.report.is_some()
    }
    pub(super) fn params(&self) -> &[f64] {
        &self.params
    }
    pub(super) fn report(&self) -> Option<MatchingReport> {
        self.report
    }
    pub(super) fn is_like(&self, fresh: &Self) -> bool {
        self.chains.is_like(&fresh.chains) && self.params.len() == fresh.params.len()
    }
}
