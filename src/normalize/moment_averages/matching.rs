//! Finds parameters with given moments: the convex problem
//!
//! `min_θ  Σ_t θ_t k_t s_t + log Z(θ)`, with the gradient `k_t (s_t − E_θ[g_t])`,
//!
//! which is maximum likelihood for data with these moments.

use super::coordinates::Standardized;
use super::exact_matching::ExactMatching;
use super::persistent_matching::PersistentMatching;
use super::problem::{MatchingReport, Problem};
use super::spec::MatchingSpec;
use super::{MomentAverages, Moments};
use crate::energy::Mismatch;
use crate::models::Model;
use serde::{Deserialize, Serialize};

impl MomentAverages {
    /// The matching problem at a knot, counted from 0.
    ///
    /// # Panics
    /// If there is no such knot, or the moments are of another model.
    pub fn problem(&self, moments: &Moments, knot: usize) -> Problem {
        let beta = self.knots[knot];
        let averaged = self.averaged(moments, beta);
        let means = self.statistics.means(&averaged);
        Problem {
            model: self.model.boxed_clone(),
            statistics: self.statistics.clone(),
            coordinates: Standardized::new(self.statistics.clone(), means.clone()),
            spec: self.matching.clone(),
            knot,
            beta,
            start: self.statistics.independent_params(&means),
            moments: averaged,
            site_means: self.reference_means[..self.statistics.num_visible].to_vec(),
            target_rows: moments.rows.clone(),
            seed: self.seed,
            num_state_pieces: self.states.as_ref().map_or(0, |states| states.num_pieces()),
            state_piece_cost: self.states.as_ref().map_or(0, |states| states.piece_cost()),
        }
    }
}

/// The matching at one knot; plain data between any two pieces.
#[derive(Debug, Serialize, Deserialize)]
pub enum Matching {
    /// By enumeration and L-BFGS.
    Exact(Box<ExactMatching>),
    /// By persistent contrastive divergence.
    Persistent(Box<PersistentMatching>),
}

impl Matching {
    /// The matching before its first piece.
    pub fn new(problem: &Problem) -> Self {
        match &problem.spec {
            MatchingSpec::Exact { .. } => Self::Exact(Box::new(ExactMatching::new(problem))),
            MatchingSpec::Persistent { .. } => {
                Self::Persistent(Box::new(PersistentMatching::new(problem)))
            }
        }
    }

    /// Does `num_pieces` more pieces, or those that are left. How many are done per call changes no
    /// bit.
    ///
    /// # Panics
    /// If the problem is not the one the matching began with.
    pub fn advance(&mut self, problem: &Problem, num_pieces: usize) {
        match self {
            Self::Exact(matching) => matching.advance(problem, num_pieces),
            Self::Persistent(matching) => matching.advance(problem, num_pieces),
        }
    }

    /// Estimated cost of a piece, in nanoseconds.
    pub fn piece_cost(&self, problem: &Problem) -> usize {
        match self {
            Self::Exact(_) => problem.state_piece_cost,
            Self::Persistent(_) => PersistentMatching::piece_cost(problem),
        }
    }

    /// Total number of pieces of a matching; for exact gradients, the maximum.
    pub fn num_pieces(problem: &Problem) -> usize {
        match &problem.spec {
            MatchingSpec::Exact { max_evaluations, .. } => {
                problem.num_state_pieces.saturating_mul(*max_evaluations)
            }
            MatchingSpec::Persistent { .. } => PersistentMatching::num_pieces(problem),
        }
    }

    /// Whether the matching has ended.
    pub fn is_done(&self) -> bool {
        match self {
            Self::Exact(matching) => matching.is_done(),
            Self::Persistent(matching) => matching.is_done(),
        }
    }

    /// The parameters found so far.
    pub fn params(&self) -> &[f64] {
        match self {
            Self::Exact(matching) => matching.params(),
            Self::Persistent(matching) => matching.params(),
        }
    }

    /// Number of pieces done.
    pub fn num_pieces_done(&self, problem: &Problem) -> usize {
        match self {
            Self::Exact(matching) => matching.num_pieces_done(problem),
            Self::Persistent(matching) => matching.num_pieces_done(problem),
        }
    }

    /// How well the moments are matched so far, if known: from the first gradient on for exact
    /// gradients, otherwise at the end.
    pub fn mismatch(&self) -> Option<Mismatch> {
        match self {
            Self::Exact(matching) => matching.mismatch(),
            Self::Persistent(matching) => matching.report().map(|report| report.mismatch),
        }
    }

    /// How well the moments are matched, once the matching has ended.
    pub fn report(&self) -> Option<MatchingReport> {
        match self {
            Self::Exact(matching) => matching.report(),
            Self::Persistent(matching) => matching.report(),
        }
    }

    /// Whether this can be the problem's matching after some pieces. For checking states read from
    /// outside.
    pub fn is_of(&self, problem: &Problem) -> bool {
        match (self, Self::new(problem)) {
            (Self::Exact(matching), Self::Exact(fresh)) => matching.has_shape_of(&fresh, problem),
            (Self::Persistent(matching), Self::Persistent(fresh)) => {
                matching.has_shape_of(&fresh, problem)
            }
            _ => false,
        }
    }
}

impl Problem {
    /// The model at some parameters.
    pub(super) fn model_at(&self, params: &[f64]) -> Box<dyn Model> {
        let mut model = self.model.boxed_clone();
        model.as_parametric_mut().expect("a family has parameters").set_params(params);
        model
    }
}
