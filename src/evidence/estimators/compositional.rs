//! Compositional importance sampling (Grosse, PhD thesis 2014, section 6.1): the evidence of low rank with clustered
//! loadings from that of its parts alone.
//!
//! The two models differ in the prior of the loadings, q(V) without clusters and p(V) with them, so that
//! `p(Y) = q(Y) E[p(V)/q(V)]` over the posterior of low rank (6.3). There are two annealing runs. The first is of low rank:
//! it ends at a V with a weight w, whose mean is q(Y). The second clusters the columns of that V: its weight p̂ has the
//! mean p(V). The mean of `w p̂ / q(V)` is p(Y), however long the runs are (6.4). Where the variances are sampled, the first
//! run ends at an s², too, and p(V) and q(V) are those given s².

use super::{Annealing, Outcome, Trial, Walker};
use crate::models::latent::{
    ClusteredLowRankSpec, Table, TableModel, Variances, log_normal, square,
};
use crate::rng::ChainRng;
use std::sync::Arc;

/// A run of both annealings.
pub struct Compositional {
    model: ClusteredLowRankSpec,
    schedule: Arc<[f64]>,
    /// Multiplications of a piece of work.
    piece_cost: usize,
    stage: Stage,
}

enum Stage {
    /// Of all variables, without clusters.
    LowRank(Annealing),
    /// Of the clusters of V.
    Columns(Annealing, Proposal),
}

/// What the first annealing came to.
struct Proposal {
    /// ln w − ln q(V).
    log_weight: f64,
    /// U and Vᵀ.
    factors: Vec<f64>,
    variances: Variances,
    num_steps: f64,
}

impl Compositional {
    /// A run along the schedule, twice. The walker is one of [`ClusteredLowRankSpec::without_clusters`].
    pub fn new(
        model: ClusteredLowRankSpec,
        walker: Walker,
        schedule: Arc<[f64]>,
        piece_cost: usize,
    ) -> Self {
        let stage = Stage::LowRank(Annealing::new(walker, schedule.clone()));
        Self { model, schedule, piece_cost, stage }
    }

    /// The annealing of the clusters of the columns of V.
    fn columns(&self, outcome: Outcome, rng: ChainRng) -> Stage {
        let mut factors = outcome.state.expect("annealing ends at a state");
        let split = factors.split_off(factors.len() - 2);
        let variances = Variances { signal: split[0], noise: split[1] };
        let num_loadings = self.model.dim * self.model.num_factors;
        let loadings = factors[factors.len() - num_loadings..].to_vec();
        let log_prior = log_normal(square(&loadings), variances.signal, num_loadings);

        let model = self.model.columns(variances.signal);
        let walker = Walker {
            chain: model.chain(Arc::new(Table::new(model.dim, loadings))),
            rng,
            sweeps_per_piece: (self.piece_cost / model.sweep_cost(self.model.dim)).max(1),
        };
        let proposal = Proposal {
            log_weight: outcome.log_evidence - log_prior,
            factors,
            variances,
            num_steps: outcome.num_steps,
        };
        Stage::Columns(Annealing::new(walker, self.schedule.clone()), proposal)
    }
}

impl Proposal {
    /// The outcome of both annealings; its state is one of the whole model.
    fn combine(&self, num_columns: usize, columns: &Outcome) -> Outcome {
        let state = columns.state.as_ref().expect("annealing ends at a state");
        let (clusters, rest) = state.split_at(num_columns);
        let Variances { signal, noise } = self.variances;
        Outcome {
            num_steps: self.num_steps + columns.num_steps,
            // After the clusters the state of the columns has their variances, and then the centres.
            state: Some([&self.factors[..], clusters, &rest[2..], &[signal, noise]].concat()),
            ..Outcome::of(self.log_weight + columns.log_evidence)
        }
    }
}

impl Trial for Compositional {
    fn advance(&mut self) -> Option<Outcome> {
        match &mut self.stage {
            Stage::LowRank(annealing) => {
                let outcome = annealing.advance()?;
                let rng = annealing.rng();
                self.stage = self.columns(outcome, rng);
                None
            }
            Stage::Columns(annealing, proposal) => {
                let outcome = annealing.advance()?;
                Some(proposal.combine(self.model.dim, &outcome))
            }
        }
    }
}
