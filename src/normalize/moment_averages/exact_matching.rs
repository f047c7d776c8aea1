//! Matching by exact gradients: each takes an enumeration, in pieces. L-BFGS minimizes in
//! standardized coordinates.

use super::problem::{MatchingReport, Problem};
use super::spec::MatchingSpec;
use crate::energy::Mismatch;
use crate::energy::coordinates::Coordinates;
use crate::energy::enumeration::{Enumeration, WeightedSums};
use crate::linalg::dot;
use crate::optimize::lbfgs::{Lbfgs, Limits};
use serde::{Deserialize, Serialize};

/// Number of pairs of differences from which the search direction is made.
const MEMORY: usize = 20;

/// The search ends at a gradient this small, relative to the objective, even if the tolerance is
/// smaller.
const MIN_GRADIENT: f64 = 1e-13;

/// The search for one knot.
#[derive(Serialize, Deserialize)]
pub struct ExactMatching {
    search: Lbfgs,
    /// Sums over the pieces done at the present point.
    sums: WeightedSums,
    num_pieces_done: usize,
    /// The best parameters so far; the next field is how well they match.
    params: Vec<f64>,
    mismatch: Option<Mismatch>,
    is_converged: bool,
    has_ended: bool,
    /// The states at the present point.
    #[serde(skip)]
    states: Option<Box<dyn Enumeration>>,
}

impl std::fmt::Debug for ExactMatching {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExactMatching")
            .field("search", &self.search)
            .field("num_pieces_done", &self.num_pieces_done)
            .field("mismatch", &self.mismatch)
            .finish_non_exhaustive()
    }
}

impl ExactMatching {
    pub(super) fn new(problem: &Problem) -> Self {
        let MatchingSpec::Exact { max_evaluations, .. } = problem.spec else {
            panic!("another kind of matching");
        };
        let num_params = problem.moments.len();
        let limits =
            Limits { memory: MEMORY, max_iterations: max_evaluations, tolerance: MIN_GRADIENT };
        Self {
            search: Lbfgs::new(vec![0.0; problem.coordinates.num_coordinates()], limits),
            sums: WeightedSums::new(num_params),
            num_pieces_done: 0,
            params: problem.start.clone(),
            mismatch: None,
            is_converged: false,
            has_ended: false,
            states: None,
        }
    }

    pub(super) fn advance(&mut self, problem: &Problem, num_pieces: usize) {
        for _ in 0..num_pieces {
            if self.is_done() {
                return;
            }
            let states = self.states.get_or_insert_with(|| {
                let model = problem.model_at(&params_at(problem, &self.search.ask()));
                let family = model.as_exponential_family().expect("checked before");
                family.enumeration().expect("checked before")
            });
            states.add_piece(self.num_pieces_done, &mut self.sums);
            self.num_pieces_done += 1;
            if self.num_pieces_done == states.num_pieces() {
                self.evaluated(problem);
            }
        }
    }

    /// Passes the sums over all states to the search.
    fn evaluated(&mut self, problem: &Problem) {
        let MatchingSpec::Exact { tolerance, max_evaluations } = problem.spec else {
            panic!("another kind of matching");
        };
        let params = params_at(problem, &self.search.ask());
        let moments = self.sums.moments(&problem.statistics);
        let terms = || problem.statistics.terms.iter().zip(&problem.moments);
        let energies: Vec<f64> = terms().map(|(term, moment)| term.scale * moment).collect();
        let value = dot(&params, &energies) + self.sums.log_z();
        let differences = terms().zip(&moments).map(|((term, s), now)| term.scale * (s - now));
        let param_grad: Vec<f64> = differences.collect();
        let mut grad = vec![0.0; param_grad.len()];
        problem.coordinates.pull_back(&param_grad, &mut grad);
        self.search.tell(value, &grad);

        let mismatch = Mismatch::between(&moments, &problem.moments, 1.0);
        if self.mismatch.is_none_or(|best| mismatch.max < best.max) {
            self.params = params;
            self.mismatch = Some(mismatch);
            self.is_converged = mismatch.max <= tolerance;
        }
        self.has_ended = self.is_converged
            || self.search.stop().is_some()
            || self.search.num_evaluations() >= max_evaluations;
        self.sums = WeightedSums::new(param_grad.len());
        self.num_pieces_done = 0;
        self.states = None;
    }

    pub(super) fn is_done(&self) -> bool {
        self.has_ended
    }

    pub(super) fn mismatch(&self) -> Option<Mismatch> {
        self.mismatch
    }

    pub(super) fn num_pieces_done(&self, problem: &Problem) -> usize {
        self.search.num_evaluations().saturating_mul(problem.num_state_pieces)
            + self.num_pieces_done
    }

    pub(super) fn params(&self) -> &[f64] {
        &self.params
    }

    pub(super) fn report(&self) -> Option<MatchingReport> {
        let mismatch = self.mismatch.filter(|_| self.is_done())?;
        Some(MatchingReport {
            mismatch,
            noise: None,
            is_converged: Some(self.is_converged),
            num_evaluations: self.search.num_evaluations(),
        })
    }

    pub(super) fn has_shape_of(&self, fresh: &Self, problem: &Problem) -> bool {
        self.num_pieces_done < problem.num_state_pieces
            && self.has_ended <= self.mismatch.is_some()
            && self.search.continues(&fresh.search)
            && self.sums.gradient.len() == fresh.sums.gradient.len()
            && self.params.len() == fresh.params.len()
    }
}

fn params_at(problem: &Problem, coordinates: &[f64]) -> Vec<f64> {
    let mut params = problem.start.clone();
    problem.coordinates.add_to_params(coordinates, &mut params);
    params
}
