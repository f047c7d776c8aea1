//! Estimators of ln p(Y), each a run that is repeated with other random numbers: a trial.

mod annealing;
mod bic;
mod chib;
mod compositional;
mod exact;
mod nested;
mod sequential;
mod simple;
mod variational;

pub use annealing::{Annealing, Integration, ReverseAnnealing};
pub use bic::Bic;
pub use chib::Chib;
pub use compositional::Compositional;
pub use exact::Exact;
pub use nested::NestedSampling;
pub use sequential::{ParticleLearning, SequentialHarmonicMean};
pub use simple::{HarmonicMean, LikelihoodWeighting};
pub use variational::VariationalBayes;

use crate::models::latent::{LatentChain, PriorChain, Scan};
use crate::rng::ChainRng;
use serde::{Deserialize, Serialize};

/// One run of an estimator, done in pieces of some milliseconds.
pub trait Trial: Send {
    /// Does a piece; the outcome, once it is done.
    fn advance(&mut self) -> Option<Outcome>;
}

/// What a trial found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The estimate of ln p(Y), in nats.
    pub log_evidence: f64,
    /// Its standard error, where the trial tells; else NaN.
    pub standard_error: f64,
    /// Number of steps that it took, where the estimator decides that.
    pub num_steps: f64,
    /// The last state of the trial's chain, if it is one of the posterior.
    pub state: Option<Vec<f64>>,
}

impl Outcome {
    fn of(log_evidence: f64) -> Self {
        Self { log_evidence, standard_error: f64::NAN, num_steps: 0.0, state: None }
    }
}

/// A chain and its random numbers.
pub struct Walker {
    /// The chain.
    pub chain: Box<dyn LatentChain>,
    /// Its random numbers.
    pub rng: ChainRng,
    /// Number of sweeps in a piece of work.
    pub sweeps_per_piece: usize,
}

impl Walker {
    fn sweep(&mut self, beta: f64, scan: Scan) {
        self.chain.sweep(beta, scan, &mut self.rng);
    }
}

/// A chain over the prior, and its random numbers.
pub struct PriorWalker {
    /// The chain.
    pub chain: Box<dyn PriorChain>,
    /// Its random numbers.
    pub rng: ChainRng,
    /// Number of sweeps in a piece of work.
    pub sweeps_per_piece: usize,
}

/// Where the chains begin that must begin at a draw of the posterior.
pub enum Start {
    /// At the variables that the table was simulated from: an exact draw.
    Simulated(Vec<f64>),
    /// At the end of this number of sweeps from a draw of the prior.
    Warmup(usize),
}

/// A walker on its way to a draw of the posterior.
pub struct Beginning {
    start: Start,
    num_sweeps: usize,
}

impl Beginning {
    /// At this start.
    pub fn new(start: Start) -> Self {
        Self { start, num_sweeps: 0 }
    }

    /// Does a piece of the way; whether the walker is there.
    fn advance(&mut self, walker: &mut Walker) -> bool {
        let target = match &self.start {
            Start::Simulated(state) => {
                walker.chain.set_state(state);
                return true;
            }
            Start::Warmup(num_sweeps) => *num_sweeps,
        };
        if self.num_sweeps == 0 {
            let num_rows = walker.chain.table().num_rows();
            walker.chain.draw_prior(num_rows, &mut walker.rng);
        }
        let until = target.min(self.num_sweeps + walker.sweeps_per_piece);
        for _ in self.num_sweeps..until {
            walker.sweep(1.0, Scan::Forward);
        }
        self.num_sweeps = until;
        until == target
    }
}
