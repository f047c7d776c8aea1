//! Fits by minibatches: contrastive divergence, persistent or not, and sums over the data whose
//! gradient is estimated from some of the rows. A round is one minibatch and one update; an
//! [`Estimator`](super::estimator::Estimator) makes its gradient.
//!
//! An epoch visits the rows in an order drawn for it; its last minibatch may be smaller. The rows
//! of a minibatch, and persistent chains, are cut into shards of fixed size, and each chain has its
//! own random stream in each update.

use super::coordinates::LocalCoordinates;
use super::rows::Distinct;
use super::stochastic_worker::Broadcast;
pub use super::stochastic_worker::StochasticWorker;
use super::{Rows, starting_params, with_digest};
use crate::Result;
use crate::bytes::{from_words, to_words};
use crate::fit::job::report::{FitProgress, FitResult};
use crate::fit::job::spec::{CoordinatesSpec, FitSpec, OptimizerSpec};
use crate::fit::regularizer::Penalty;
use crate::fit::step_size::StepSize;
use crate::fit::stochastic::{Descent, Rate, Rule};
use crate::linalg::norm;
use crate::models::Model;
use crate::run::{Coordinator, ShardWorker, inconsistent, pack, unpack};
use serde::{Deserialize, Serialize};

/// What changes from round to round.
#[derive(Serialize, Deserialize)]
struct State {
    descent: Descent,
    /// Persistent chains, one after another; empty if there are none.
    chains: Vec<u64>,
    /// Step size of the chains' next steps.
    step_size: StepSize,
    /// The sum of the objectives of the epoch's minibatches so far; the next field is their number.
    sum: f64,
    count: u64,
    grad_norm: f64,
    /// Whether a gradient was not finite: the descent then ended where it was.
    has_diverged: bool,
}

/// Coordinates a fit by minibatches.
pub struct StochasticFit {
    worker: StochasticWorker,
    model: Box<dyn Model>,
    coordinates: LocalCoordinates,
    penalty: Option<Penalty>,
    rule: Rule,
    rate: Rate,
    num_epochs: usize,
    seed: u64,
    state: State,
    /// The parameters at the descent's point.
    params: Vec<f64>,
}

/// What a snapshot holds; coordinates that move are those it was taken in.
#[cfg_attr(not(feature = "full"), allow(unused_variables))]
fn restore(coordinates: &mut LocalCoordinates, snapshot: &[u8]) -> Result<State> {
    #[cfg(feature = "full")]
    if coordinates.move_at_all() {
        let (state, origin): (State, Vec<f64>) = unpack(snapshot)?;
        coordinates.resume_at(&origin)?;
        return Ok(state);
    }
    unpack(snapshot)
}

impl StochasticFit {
    /// The coordinator before the first update, or from a snapshot.
    ///
    /// # Errors
    /// The errors of [`StochasticWorker::new`] and of the coordinates;
    /// [`crate::Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn new(spec: &FitSpec, rows: Rows<'_>, snapshot: Option<&[u8]>) -> Result<Self> {
        let worker = StochasticWorker::new(spec, rows)?;
        let (rule, rate, num_epochs, coordinates) = match &spec.optimizer {
            Some(OptimizerSpec::Sgd(sgd)) => {
                let rule = Rule::Sgd { momentum: sgd.momentum };
                (rule, sgd.learning_rate, sgd.num_epochs, &sgd.coordinates)
            }
            Some(OptimizerSpec::Adam(adam)) => {
                let (beta1, beta2, epsilon) = (adam.beta1, adam.beta2, adam.epsilon);
                let rule = Rule::Adam { beta1, beta2, epsilon };
                (rule, adam.learning_rate, adam.num_epochs, &adam.coordinates)
            }
            _ => unreachable!("a stochastic optimizer"),
        };
        let model = spec.model.build()?;
        let start = starting_params(spec, &*model, rows)?;
        let seed = spec.seed.unwrap_or(0);
        let of_params = CoordinatesSpec::Params {};
        // Those of the model are found from rows that show all sites.
        let coordinates = if spec.num_hidden() > 0 { &of_params } else { coordinates };
        let mut coordinates =
            LocalCoordinates::new(coordinates, &*model, start, &Distinct::of(rows), seed)?;
        let penalty = match (&spec.regularizer, model.as_parametric()) {
            (Some(regularizer), Some(parametric)) => Some(regularizer.penalty(parametric)),
            _ => None,
        };
        let fresh = State {
            descent: Descent::new(vec![0.0; coordinates.len()], rule),
            chains: worker.estimator().first_chains(),
            step_size: worker.estimator().step_size(),
            sum: 0.0,
            count: 0,
            grad_norm: f64::NAN,
            has_diverged: false,
        };
        let state = match snapshot {
            None => fresh,
            Some(snapshot) => {
                let state = restore(&mut coordinates, snapshot)?;
                if !state.descent.continues(&fresh.descent)
                    || state.descent.num_updates() > worker.num_updates()
                    || state.count > 1 + state.descent.num_updates()
                    || !worker.estimator().are_chains(&state.chains)
                    || !state.step_size.continues(&fresh.step_size)
                {
                    return Err(inconsistent());
                }
                state
            }
        };
        Ok(Self {
            worker,
            params: coordinates.params_at(state.descent.point()),
            model,
            coordinates,
            penalty,
            rule,
            rate,
            num_epochs,
            seed,
            state,
        })
    }

    /// The mean objective of the epoch's minibatches; NaN before the first.
    fn objective(&self) -> f64 {
        self.state.sum / self.state.count as f64
    }

    fn num_updates(&self) -> u64 {
        self.state.descent.num_updates()
    }
}

impl Coordinator for StochasticFit {
    type Progress = FitProgress;
    type Output = FitResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        Broadcast { update: self.num_updates(), step_size: self.state.step_size }
            .with_params(&self.params)
    }

    fn scatter(&self, shard: usize) -> Vec<u8> {
        from_words(&self.state.chains[self.worker.chain_words(shard)])
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        let mut chains = Vec::with_capacity(self.state.chains.len());
        let mut without_chains = Vec::with_capacity(parts.len());
        for (shard, part) in parts.iter().enumerate() {
            let num_words = self.worker.chain_words(shard).len();
            let (part, words) = part.split_at(part.len() - 8 * num_words);
            without_chains.push(part);
            chains.extend(to_words(words));
        }
        let estimator = self.worker.estimator();
        let mut sums = vec![0.0; estimator.num_sums()];
        estimator.add_parts(&without_chains, &mut sums);
        let acceptance = sums.pop().expect("the acceptance comes last");
        self.state.step_size.learn(acceptance);
        if let Some(penalty) = &self.penalty {
            penalty.accumulate(&self.params, &mut sums);
        }
        let (value, grad) = sums.split_at(1);
        let gradient = self.coordinates.pull_back(grad);
        let update = self.num_updates();
        if self.worker.begins_epoch(update) {
            (self.state.sum, self.state.count) = (0.0, 0);
        }
        self.state.sum += value[0];
        self.state.count += 1;
        self.state.grad_norm = norm(&gradient);
        self.state.chains = chains;
        if !self.state.grad_norm.is_finite() {
            self.state.has_diverged = true;
            return;
        }
        let rate = self.rate.at(update, self.worker.num_updates());
        self.state.descent.step(self.rule, rate, &gradient);
        self.params = self.coordinates.params_at(self.state.descent.point());
        #[cfg(feature = "full")]
        if self.coordinates.move_after(self.num_updates()) && self.coordinates.move_to(&self.params)
        {
            self.state.descent.begin_anew(self.rule, self.coordinates.len());
        }
    }

    fn is_done(&self) -> bool {
        self.state.has_diverged || self.num_updates() == self.worker.num_updates()
    }

    fn snapshot(&self) -> Vec<u8> {
        #[cfg(feature = "full")]
        if self.coordinates.move_at_all() {
            return pack(&(&self.state, self.coordinates.origin()));
        }
        pack(&self.state)
    }

    fn progress(&self) -> FitProgress {
        let updates = self.num_updates();
        let fraction = updates as f64 / self.worker.num_updates() as f64;
        FitProgress {
            verb: "fit",
            iteration: updates as usize,
            num_evaluations: updates as usize,
            objective: self.objective(),
            grad_norm: self.state.grad_norm,
            fraction: if self.is_done() { 1.0 } else { fraction },
            done: self.is_done(),
            layer: None,
            model: self.model.spec_at(&self.params),
        }
    }

    fn result(&self) -> Option<FitResult> {
        if !self.is_done() {
            return None;
        }
        let stop_reason = if self.state.has_diverged {
            format!(
                "the gradient was not finite after {} updates; choose a smaller optimizer.learningRate",
                self.num_updates()
            )
        } else {
            format!("all {} epochs are done", self.num_epochs)
        };
        let result = FitResult {
            model: self.model.spec_at(&self.params),
            objective: self.objective(),
            grad_norm: self.state.grad_norm,
            num_iterations: self.num_updates() as usize,
            num_evaluations: self.num_updates() as usize,
            converged: false,
            stop_reason,
            warnings: Vec::new(),
            connectivity: None,
            #[cfg(feature = "full")]
            errors: None,
            seed: self.seed,
            digest: String::new(),
            layers: None,
        };
        Some(with_digest(result, &self.params))
    }
}
