//! Matching by persistent contrastive divergence (Tieleman 2008; paper section
//! 5.2): chains, called particles, follow the model as it changes, and their moments replace the
//! model's,
//!
//! `φ ← φ − ε_t Tᵀ (k (s − s_particles))`,
//!
//! in standardized coordinates φ ([`super::Standardized`]). The parameters with the averaged
//! moments are those of highest likelihood for a mixture of 1 − β reference and β target. So the
//! corresponding shares of the particles start at draws of the reference, and at rows of the
//! target.
//!
//! The rate falls by a factor of 1,000 over the updates, evenly in its logarithm. Measured as
//! `KL(p_matched ‖ p_found)`, by enumeration, on five knots of machines of 784 visible and 12
//! hidden units, 1,000 updates of 100 particles, in nats, median and worst: 0.07 and 0.7 from a
//! first rate of 0.05, 0.07 and 0.17 from 0.1; 0.10 and 0.4 for a linear fall from 0.01, its best
//! start; 5 and 14 for a rate of 0.01 throughout, in the parameters themselves, as in the paper but
//! with a fiftieth of its updates. Larger first rates sometimes created modes where no particle
//! was, with errors of 5 nats or more, the more often the more parameters there are.
//!
//! Finally the particles continue at the parameters found, and the mismatch of their moments is
//! reported. They do not see modes that they do not reach: if no particle crosses between two parts
//! of the distribution, their relative weight can be wrong, however small the mismatch.

use super::chains::{Chains, add_statistics, step_cost};
use super::problem::{MatchingReport, Problem};
use super::spec::MatchingSpec;
use crate::bits::words_per_row;
use crate::energy::Mismatch;
use crate::energy::coordinates::Coordinates;
use crate::linalg::axpy;
use crate::math::exp;
use crate::models::Model;
use crate::rng::{Purpose, below, stream};
use crate::run::PIECE;
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_10;
use std::ops::Range;

/// ln of the ratio of the first rate to the last.
const FALL: f64 = 3.0 * LN_10;

/// Largest default first rate; the next constant is the default of ε P / N.
const MAX_RATE: f64 = 0.05;
const NOISE: f64 = 20.0;

/// One more sweep of the particles is made at the end for this many updates; the first quarter of
/// these sweeps is ignored.
const UPDATES_A_CHECK: usize = 4;

/// The search for one knot.
#[derive(Serialize, Deserialize)]
pub struct PersistentMatching {
    particles: Chains,
    /// Number of sweeps of all particles done: updates, then checks.
    num_sweeps: usize,
    /// Number of pieces done of the present sweep.
    num_pieces_done: usize,
    params: Vec<f64>,
    /// `Σ [E | ∂E]` over the particles moved in this sweep, or in the checks so far, for the first
    /// and the second half of the particles. Empty between updates.
    halves: [Vec<f64>; 2],
    report: Option<MatchingReport>,
    /// The model at the present parameters.
    #[serde(skip)]
    model: Option<Box<dyn Model>>,
}

impl std::fmt::Debug for PersistentMatching {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PersistentMatching")
            .field("num_sweeps", &self.num_sweeps)
            .field("num_pieces_done", &self.num_pieces_done)
            .field("report", &self.report)
            .finish_non_exhaustive()
    }
}

/// The division of the work, which depends on the problem alone.
struct Plan {
    num_updates: usize,
    num_particles: usize,
    learning_rate: f64,
    /// Number of sweeps after the updates; the next field is how many of them are ignored.
    num_checks: usize,
    num_unseen: usize,
    /// Number of pieces for half the particles.
    num_pieces_a_half: usize,
}

impl Plan {
    fn new(problem: &Problem) -> Self {
        let MatchingSpec::Persistent { num_updates, num_particles, learning_rate } = problem.spec
        else {
            panic!("another kind of matching");
        };
        let num_checks = num_updates.div_ceil(UPDATES_A_CHECK);
        let sweep_cost = num_particles.div_ceil(2).saturating_mul(particle_cost(problem));
        Self {
            num_updates,
            num_particles,
            learning_rate: learning_rate.unwrap_or_else(|| default_rate(problem, num_particles)),
            num_checks,
            num_unseen: num_checks / 4,
            num_pieces_a_half: sweep_cost.div_ceil(3 * PIECE as usize / 2).min(num_particles / 2),
        }
    }

    /// The half a piece belongs to, and its particles.
    fn particles(&self, piece: usize) -> (usize, Range<usize>) {
        let (half, piece) = (piece / self.num_pieces_a_half, piece % self.num_pieces_a_half);
        let (start, end) = match half {
            0 => (0, self.num_particles / 2),
            _ => (self.num_particles / 2, self.num_particles),
        };
        let at = |piece: usize| start + (end - start) * piece / self.num_pieces_a_half;
        (half, at(piece)..at(piece + 1))
    }
}

/// The default first rate. The noise of a gradient of P statistics by N particles, taken as a step
/// with rate ε, leaves the model some ε P / 4N nats off.
fn default_rate(problem: &Problem, num_particles: usize) -> f64 {
    let per_statistic = num_particles as f64 / problem.moments.len() as f64;
    (NOISE * per_statistic).min(MAX_RATE)
}

/// Estimated cost of a particle's move and its statistics, in nanoseconds.
fn particle_cost(problem: &Problem) -> usize {
    step_cost(&*problem.model, problem.moments.len()) + problem.moments.len() / 2
}

impl PersistentMatching {
    pub(super) fn new(problem: &Problem) -> Self {
        let plan = Plan::new(problem);
        let index = |particle: usize| (problem.knot as u64) << 32 | particle as u64;
        let streams = (0..plan.num_particles)
            .map(|particle| stream(problem.seed, Purpose::MomentMatching, index(particle)));
        let width = words_per_row(problem.site_means.len());
        let rows: Vec<&[u64]> = problem.target_rows.chunks_exact(width).collect();
        let particles = Chains::new(&problem.site_means, streams, |particle, rng| {
            // A share β of them in both halves: the particles at which this count increases.
            let count = |particle: usize| (problem.beta * particle as f64).floor();
            let is_of_target = !rows.is_empty() && count(particle + 1) > count(particle);
            is_of_target.then(|| rows[below(rows.len(), rng)].to_vec())
        });
        Self {
            particles,
            num_sweeps: 0,
            num_pieces_done: 0,
            params: problem.start.clone(),
            halves: [Vec::new(), Vec::new()],
            report: None,
            model: None,
        }
    }

    pub(super) fn advance(&mut self, problem: &Problem, num_pieces: usize) {
        let plan = Plan::new(problem);
        for _ in 0..num_pieces {
            if self.is_done() {
                return;
            }
            let (half, particles) = plan.particles(self.num_pieces_done);
            let model = &**self.model.get_or_insert_with(|| problem.model_at(&self.params));
            self.particles.step(model, particles.clone());
            let is_update = self.num_sweeps < plan.num_updates;
            if is_update || self.num_sweeps >= plan.num_updates + plan.num_unseen {
                // An update needs only the sum of both halves.
                let sums = &mut self.halves[if is_update { 0 } else { half }];
                sums.resize(1 + self.params.len(), 0.0);
                add_statistics(model, self.particles.rows(particles), sums);
            }
            self.num_pieces_done += 1;
            if self.num_pieces_done == 2 * plan.num_pieces_a_half {
                self.num_pieces_done = 0;
                self.num_sweeps += 1;
                self.swept(problem, &plan);
            }
        }
    }

    /// Ends a sweep: an update, or a check.
    fn swept(&mut self, problem: &Problem, plan: &Plan) {
        if self.num_sweeps <= plan.num_updates {
            self.update(problem, plan);
        } else if self.num_sweeps == plan.num_updates + plan.num_checks {
            let halves = std::mem::take(&mut self.halves);
            self.report = Some(check(problem, plan, &halves));
        }
    }

    fn update(&mut self, problem: &Problem, plan: &Plan) {
        let sums = std::mem::take(&mut self.halves[0]);
        let count = plan.num_particles as f64;
        let terms = problem.statistics.terms.iter().zip(&problem.moments).zip(&sums[1..]);
        let param_grad: Vec<f64> =
            terms.map(|((term, moment), sum)| term.scale * moment - sum / count).collect();
        let mut grad = sums;
        grad.truncate(param_grad.len());
        problem.coordinates.pull_back(&param_grad, &mut grad);
        let part = (self.num_sweeps - 1) as f64 / (plan.num_updates - 1) as f64;
        let rate = plan.learning_rate * exp(-FALL * part);
        grad.iter_mut().for_each(|grad| *grad *= -rate);
        problem.coordinates.add_to_params(&grad, &mut self.params);
        self.model = None;
    }

    pub(super) fn piece_cost(problem: &Problem) -> usize {
        let plan = Plan::new(problem);
        let particles = plan.num_particles.div_ceil(2 * plan.num_pieces_a_half);
        particles * particle_cost(problem) + 40 * problem.moments.len()
    }

    pub(super) fn num_pieces(problem: &Problem) -> usize {
        let plan = Plan::new(problem);
        (plan.num_updates + plan.num_checks) * 2 * plan.num_pieces_a_half
    }

    pub(super) fn num_pieces_done(&self, problem: &Problem) -> usize {
        self.num_sweeps * 2 * Plan::new(problem).num_pieces_a_half + self.num_pieces_done
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

    pub(super) fn has_shape_of(&self, fresh: &Self, problem: &Problem) -> bool {
        let plan = Plan::new(problem);
        let num_sweeps = plan.num_updates + plan.num_checks;
        let is_within = self.num_pieces_done < 2 * plan.num_pieces_a_half
            && if self.report.is_some() {
                self.num_sweeps == num_sweeps && self.num_pieces_done == 0
            } else {
                self.num_sweeps < num_sweeps
            };
        is_within
            && self.particles.has_shape_of(&fresh.particles)
            && self.params.len() == fresh.params.len()
            && (self.report.is_some() || self.has_sums_of(&plan))
    }

    /// Whether the sums have the state that belongs to the search's progress.
    fn has_sums_of(&self, plan: &Plan) -> bool {
        let first_check = plan.num_updates + plan.num_unseen;
        let is_begun = |first_piece: usize, first_sweep: usize| {
            self.num_sweeps > first_sweep
                || self.num_sweeps == first_sweep && self.num_pieces_done > first_piece
        };
        let has_sums = if self.num_sweeps < plan.num_updates {
            [self.num_pieces_done > 0, false]
        } else {
            [is_begun(0, first_check), is_begun(plan.num_pieces_a_half, first_check)]
        };
        let len = 1 + self.params.len();
        self.halves.iter().zip(has_sums).all(|(half, has)| half.len() == if has { len } else { 0 })
    }
}

/// Compares the mean of the halves with the required moments. Half their difference estimates the
/// noise of the mean.
fn check(problem: &Problem, plan: &Plan, halves: &[Vec<f64>; 2]) -> MatchingReport {
    let num_sweeps = (plan.num_checks - plan.num_unseen) as f64;
    let first = plan.num_particles / 2;
    let [first, second] = [(0, first), (1, plan.num_particles - first)].map(|(half, count)| {
        let mut sums = halves[half][1..].to_vec();
        sums.iter_mut().for_each(|sum| *sum /= num_sweeps * count as f64);
        problem.statistics.moments_of_gradient(&sums)
    });
    let mut mean = vec![0.0; first.len()];
    axpy(0.5, &first, &mut mean);
    axpy(0.5, &second, &mut mean);
    MatchingReport {
        mismatch: Mismatch::between(&mean, &problem.moments, 1.0),
        noise: Some(Mismatch::between(&first, &second, 0.5)),
        is_converged: None,
        num_evaluations: plan.num_updates,
    }
}
