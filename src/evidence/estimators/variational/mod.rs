//! Variational Bayes: a lower bound on ln p(Y) by factors that are optimized in turns (Grosse, PhD thesis
//! 2014, section 2.3.7).
//!
//! Every turn raises the bound. The result is the best of several starts. All states that differ in
//! the names of the clusters, factors or attributes alone are as probable; a mixture of the
//! approximation under all K! names raises the bound by up to ln K!, and by all of it where the
//! approximations do not overlap. With the correction for symmetry that much is added, and the result
//! is no bound. Factors can have their signs flipped, too: K ln 2 more.

mod binary_attributes;
mod clustering;
mod low_rank;
mod variance;

use super::{Outcome, Trial};
use crate::evidence::spec::LatentModelSpec;
use crate::math::{ln, ln_gamma};
use crate::models::latent::Table;
use crate::rng::ChainRng;
use std::f64::consts::LN_2;
use std::sync::Arc;

/// Turns after which the gain is looked at, and the least gain, in nats, for which a start goes on.
const TURNS: usize = 50;
const LEAST_GAIN: f64 = 0.01;

/// Maximum number of such groups of turns.
const MAX_GROUPS: usize = 100;

/// A factorized approximation of the posterior.
pub trait Approximation: Send {
    /// Starts anew.
    fn restart(&mut self, rng: &mut ChainRng);
    /// Optimizes each factor once.
    fn turn(&mut self);
    /// The lower bound on ln p(Y), in nats.
    fn bound(&self) -> f64;
}

fn approximation(model: &LatentModelSpec, table: &Arc<Table>) -> Box<dyn Approximation> {
    let table = table.clone();
    match model {
        LatentModelSpec::Clustering(spec) => Box::new(clustering::ClusteringApproximation::new(
            spec.num_clusters,
            spec.concentration,
            spec.variances,
            table,
        )),
        LatentModelSpec::LowRank(spec) => {
            Box::new(low_rank::LowRankApproximation::new(spec.num_factors, spec.variances, table))
        }
        LatentModelSpec::BinaryAttributes(spec) => {
            Box::new(binary_attributes::BinaryApproximation::new(
                spec.num_attributes,
                [spec.prior_on, spec.prior_off],
                spec.variances,
                table,
            ))
        }
        LatentModelSpec::ClusteredLowRank(_) | LatentModelSpec::Density { .. } => {
            panic!("refused by the check of the spec")
        }
    }
}

/// What the correction for symmetry adds.
fn symmetry(model: &LatentModelSpec) -> f64 {
    let order = model.order() as f64;
    match model {
        LatentModelSpec::Clustering(_) | LatentModelSpec::BinaryAttributes(_) => {
            ln_gamma(order + 1.0)
        }
        LatentModelSpec::LowRank(_) => ln_gamma(order + 1.0) + order * LN_2,
        LatentModelSpec::ClusteredLowRank(_) | LatentModelSpec::Density { .. } => 0.0,
    }
}

/// A run of the estimator.
pub struct VariationalBayes {
    approximation: Box<dyn Approximation>,
    rng: ChainRng,
    num_restarts: usize,
    symmetry: f64,
    num_done: usize,
    /// Groups of turns since the last start, and the bound after them.
    current: Option<(usize, f64)>,
    best: f64,
}

impl VariationalBayes {
    /// The best of this many starts.
    pub fn new(
        model: &LatentModelSpec,
        table: &Arc<Table>,
        num_restarts: usize,
        with_symmetry: bool,
        rng: ChainRng,
    ) -> Self {
        Self {
            approximation: approximation(model, table),
            rng,
            num_restarts,
            symmetry: if with_symmetry { symmetry(model) } else { 0.0 },
            num_done: 0,
            current: None,
            best: f64::NEG_INFINITY,
        }
    }
}

impl Trial for VariationalBayes {
    fn advance(&mut self) -> Option<Outcome> {
        let Some((groups, before)) = self.current else {
            self.approximation.restart(&mut self.rng);
            self.current = Some((0, f64::NEG_INFINITY));
            return None;
        };
        for _ in 0..TURNS {
            self.approximation.turn();
        }
        let bound = self.approximation.bound();
        self.current = Some((groups + 1, bound));
        if bound - before > LEAST_GAIN && groups + 1 < MAX_GROUPS {
            return None;
        }
        self.best = self.best.max(bound);
        self.current = None;
        self.num_done += 1;
        (self.num_done == self.num_restarts).then(|| Outcome::of(self.best + self.symmetry))
    }
}

/// ½ ln of a ratio of Gaussian volumes: `−½ ln |Λ|` from a precision's log determinant.
fn half_log_volume(log_det: f64) -> f64 {
    -0.5 * log_det
}

/// Entropy of a binary variable that is 1 with this probability.
fn binary_entropy(p: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { -p * ln(p) } else { 0.0 };
    term(p) + term(1.0 - p)
}
