//! Alternating fits, which alternate between moving samples and minimizing: persistent minimum
//! probability flow, step by step as in Sohl-Dickstein 2012, section 2.9.4, for binary models and
//! on ℝᴰ, and expectation maximization (5.4):
//!
//! 1. θ⁰ are the starting parameters.
//! 2. The samples S⁰ are where the chains start ([`worker::Samples::first_chains`]).
//! 3. For n = 1, 2, …:
//!    - (a) each chain goes on from Sⁿ⁻¹ for some steps at θⁿ⁻¹, which gives Sⁿ:
//!      one round;
//!    - (b) L-BFGS lowers the objective of Sⁿ from θⁿ⁻¹ for some steps, which gives
//!      θⁿ: a round an evaluation. Where it finds nothing lower, θⁿ is θⁿ⁻¹.
//!
//! For all θ, `Kⁿ(θ) = [∫ p e^{½Δ}] [∫ qⁿ⁻¹ e^{−½Δ}] ≥ (∫ √(p qⁿ⁻¹))²` by Cauchy and Schwarz's
//! inequality, p the data's distribution and qⁿ⁻¹ the samples': the least that flow can be tells
//! how far the two are apart. Where few samples lie where θ is likely, sums over them are no longer
//! those integrals, flow falls below the bound, and the model runs away from its samples. To end (b)
//! where flow falls below a limit keeps an mcRBM in 8 dimensions from it (0.9), but is too slow in 36.
//! To end it where the likelihood ratios e^{−Δ} leave few effective samples (a thousand, but at least a
//! tenth) or rows (a hundredth), and to go back to that limit by bisection, brings complete Student's t
//! experts in 36 dimensions to 3.4 nats from maximum likelihood in 100 refreshes and 2.1 in 300, and
//! 5,000 sparse rows with 2,000 chains to 0.30 and not 0.62 (50,000 rows to 0.031 and not 0.018); but ICA
//! of 10,000 parameters ends 1.2 nats from it after 150 refreshes, and without any limit 0.07. So there is none.

mod bits;
mod posteriors;
mod reals;
mod samples;
mod sharding;
mod worker;

use super::coordinates::LocalCoordinates;
use super::full_batch::{check_memory, grad_tolerance};
use super::rows::Distinct;
use super::{Rows, starting_params, with_digest};
use crate::Result;
use crate::bytes::{from_words, to_f64s, to_words};
use crate::energy::Objective;
use crate::energy::coordinates::Coordinates;
use crate::fit::job::report::{FitProgress, FitResult};
use crate::fit::job::spec::{FitSpec, LbfgsSpec, ObjectiveSpec, OptimizerSpec};
use crate::fit::step_size::StepSize;
use crate::linalg::axpy;
use crate::models::Model;
use crate::optimize::lbfgs::{Lbfgs, Limits, Stop};
use crate::run::{Coordinator, ShardWorker, inconsistent, pack, unpack};
use serde::{Deserialize, Serialize};
use worker::{AlternatingWorker, Broadcast, Phase};

pub use sharding::check_bytes;
pub use worker::worker;

/// Flow at the end of the last refresh below which there is a warning.
const DOUBTFUL_FLOW: f64 = 0.75;

/// What changes from round to round.
#[derive(Serialize, Deserialize)]
struct State {
    /// n − 1: how many times (a) and (b) are done.
    num_done: u64,
    /// The parameters θⁿ⁻¹.
    before: Vec<f64>,
    /// Sⁿ⁻¹ before (a), Sⁿ after it; one chain after another.
    chains: Vec<u64>,
    /// Step size of the chains' next steps.
    step_size: StepSize,
    /// The search of (b), from θⁿ⁻¹ at its origin; None before (a).
    search: Option<Lbfgs>,
    /// The objective at θⁿ⁻¹.
    first_value: f64,
    /// The objective at the last evaluation that counted; the next field is its gradient's norm.
    value: f64,
    grad_norm: f64,
    /// The objective at the last evaluation that counted, without the penalty.
    unpenalized: f64,
    num_evaluations: u64,
    /// Whether not even θⁿ⁻¹ has a finite objective.
    has_diverged: bool,
}

/// Coordinates an alternating fit.
pub struct AlternatingFit {
    worker: AlternatingWorker,
    model: Box<dyn Model>,
    coordinates: Box<dyn Coordinates>,
    penalty: Option<Box<dyn Objective>>,
    limits: Limits,
    num_refreshes: usize,
    /// Number of steps of all chains together in (a).
    num_steps: f64,
    seed: u64,
    state: State,
}

impl AlternatingFit {
    /// The coordinator before the first samples, or from a snapshot.
    ///
    /// # Errors
    /// The errors of [`worker`]; [`crate::Error::TooLarge`] if the optimizer would take too much
    /// memory; [`crate::Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn new(spec: &FitSpec, rows: Rows<'_>, snapshot: Option<&[u8]>) -> Result<Self> {
        let worker = worker(spec, rows)?;
        let (num_steps, num_refreshes) = match &spec.objective {
            ObjectiveSpec::PersistentMpf { num_steps, num_refreshes, .. }
            | ObjectiveSpec::ExpectationMaximization { num_steps, num_refreshes, .. } => {
                (*num_steps, *num_refreshes)
            }
            other => unreachable!("{} does nothing by turns", other.kind()),
        };
        let default = LbfgsSpec::default();
        let optimizer = match &spec.optimizer {
            Some(OptimizerSpec::Lbfgs(optimizer)) => optimizer,
            _ => &default,
        };
        let model = spec.model.build()?;
        let start = starting_params(spec, &*model, rows)?;
        check_memory(start.len(), optimizer.memory)?;
        #[cfg(feature = "full")]
        if optimizer.coordinates.has_refresh() {
            return Err(crate::Error::spec(
                "optimizer.coordinates.refreshEvery",
                "is given, but this objective is minimized anew after each refresh of its samples, in the \
                 coordinates of the start; leave it out",
            ));
        }
        let seed = spec.seed.unwrap_or(0);
        let (of_start, distinct) = (&optimizer.coordinates, Distinct::of(rows));
        let coordinates =
            LocalCoordinates::new(of_start, &*model, start.clone(), &distinct, seed)?.into_fixed();
        let penalty = match (&spec.regularizer, model.as_parametric()) {
            (Some(regularizer), Some(parametric)) => {
                Some(Box::new(regularizer.penalty(parametric)) as Box<dyn Objective>)
            }
            _ => None,
        };
        let limits = Limits {
            memory: optimizer.memory,
            max_iterations: optimizer.max_iterations,
            tolerance: grad_tolerance(optimizer.tolerance, model.dim()),
        };
        let fresh = State {
            num_done: 0,
            before: start,
            chains: worker.samples.first_chains(),
            step_size: worker.samples.first_step_size(),
            search: None,
            first_value: f64::NAN,
            value: f64::NAN,
            grad_norm: f64::NAN,
            unpenalized: f64::NAN,
            num_evaluations: 0,
            has_diverged: false,
        };
        let num_steps = worker.samples.num_chains() as f64 * num_steps as f64;
        let mut fit = Self {
            worker,
            num_refreshes,
            num_steps,
            model,
            coordinates,
            penalty,
            limits,
            seed: spec.seed.unwrap_or(0),
            state: fresh,
        };
        if let Some(snapshot) = snapshot {
            let state: State = unpack(snapshot)?;
            if !fit.is_valid_state(&state) {
                return Err(inconsistent());
            }
            fit.state = state;
        }
        Ok(fit)
    }

    /// Whether a state read from outside can be a later state of this fit.
    fn is_valid_state(&self, state: &State) -> bool {
        let is_searching = match &state.search {
            None => !state.has_diverged,
            Some(search) => {
                search.continues(&self.fresh_search())
                    && search.stop().is_some() == state.has_diverged
            }
        };
        state.before.len() == self.state.before.len()
            && state.chains.len() == self.state.chains.len()
            && self.worker.samples.are_valid(&state.chains)
            && state.step_size.continues(&self.state.step_size)
            && state.num_done <= self.num_refreshes as u64
            && state.num_evaluations < u64::MAX / 2
            && is_searching
    }

    fn fresh_search(&self) -> Lbfgs {
        Lbfgs::new(vec![0.0; self.coordinates.num_coordinates()], self.limits)
    }

    /// The parameters at a point of the search.
    fn params_at(&self, point: &[f64]) -> Vec<f64> {
        let mut params = self.state.before.clone();
        self.coordinates.add_to_params(point, &mut params);
        params
    }

    /// The current parameters.
    fn params(&self) -> Vec<f64> {
        match &self.state.search {
            Some(search) => self.params_at(search.point()),
            None => self.state.before.clone(),
        }
    }

    /// A warning if the model has moved further than its samples can support.
    fn warning(&self) -> Option<String> {
        let State { unpenalized, has_diverged, .. } = self.state;
        if has_diverged || !self.worker.samples.is_flow() || !(unpenalized < DOUBTFUL_FLOW) {
            return None;
        }
        Some(format!(
            "flow still fell to {unpenalized:.2} in the last refresh, of 1 before it: the model has not \
             come to where its samples are the data's, or it runs away from them; use more \
             objective.numRefreshes, more chains or fewer optimizer.maxIterations"
        ))
    }

    /// Ends (a).
    fn take_samples(&mut self, parts: &[Vec<u8>]) {
        let mut chains = Vec::with_capacity(self.state.chains.len());
        let mut acceptance = 0.0;
        for part in parts {
            chains.extend(to_words(part));
            acceptance += f64::from_bits(chains.pop().expect("the acceptances come last"));
        }
        assert_eq!(chains.len(), self.state.chains.len());
        self.state.chains = chains;
        self.state.step_size.learn(acceptance / self.num_steps);
        self.state.search = Some(self.fresh_search());
    }

    /// Handles an evaluation of (b), and ends (b) if it was the last.
    fn take_sums(&mut self, mut search: Lbfgs, parts: &[Vec<u8>]) {
        let num_params = self.state.before.len();
        let mut sums = vec![0.0; self.worker.samples.num_sums()];
        for part in parts {
            axpy(1.0, &to_f64s(part).expect("a part is numbers"), &mut sums);
        }
        let mut grad = vec![0.0; num_params];
        let unpenalized = self.worker.samples.combine(&sums, &mut grad);
        let mut value = unpenalized;
        if self.penalty.is_some() {
            let params = self.params_at(&search.ask());
            let mut more = vec![0.0; num_params];
            if let Some(penalty) = &mut self.penalty {
                value += penalty.evaluate(&params, &mut more);
            }
            axpy(1.0, &more, &mut grad);
        }
        let mut gradient = vec![0.0; self.coordinates.num_coordinates()];
        self.coordinates.pull_back(&grad, &mut gradient);
        if search.num_evaluations() == 0 {
            self.state.first_value = value;
        }
        search.tell(value, &gradient);
        self.state.num_evaluations += 1;
        if search.value().to_bits() == value.to_bits() {
            self.state.unpenalized = unpenalized;
        }
        self.state.value = search.value();
        self.state.grad_norm = search.gradient_norm();
        match search.stop() {
            None => self.state.search = Some(search),
            Some(Stop::NotFinite) => {
                self.state.has_diverged = true;
                self.state.search = Some(search);
            }
            Some(_) => {
                if search.value() < self.state.first_value {
                    self.state.before = self.params_at(search.point());
                }
                self.state.num_done += 1;
            }
        }
    }
}

impl Coordinator for AlternatingFit {
    type Progress = FitProgress;
    type Output = FitResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        let (phase, params) = match &self.state.search {
            None => (Phase::Sample, Vec::new()),
            Some(search) => (Phase::Evaluate, self.params_at(&search.ask())),
        };
        pack(&Broadcast {
            phase,
            refresh: self.state.num_done,
            step_size: self.state.step_size,
            before: self.state.before.clone(),
            params,
        })
    }

    fn scatter(&self, shard: usize) -> Vec<u8> {
        let width = self.worker.samples.num_words();
        let chains = self.worker.samples.chains(shard);
        from_words(&self.state.chains[chains.start * width..chains.end * width])
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        match self.state.search.take() {
            None => self.take_samples(parts),
            Some(search) => self.take_sums(search, parts),
        }
    }

    fn is_done(&self) -> bool {
        self.state.has_diverged || self.state.num_done == self.num_refreshes as u64
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.state)
    }

    fn progress(&self) -> FitProgress {
        let steps = self.state.search.as_ref().map_or(0, Lbfgs::num_iterations);
        let part = steps as f64 / (1 + self.limits.max_iterations) as f64;
        let fraction = (self.state.num_done as f64 + part) / self.num_refreshes as f64;
        FitProgress {
            verb: "fit",
            iteration: self.state.num_done as usize,
            num_evaluations: self.state.num_evaluations as usize,
            objective: self.state.value,
            grad_norm: self.state.grad_norm,
            fraction: if self.is_done() { 1.0 } else { fraction },
            done: self.is_done(),
            model: self.model.spec_at(&self.params()),
            layer: None,
        }
    }

    fn result(&self) -> Option<FitResult> {
        if !self.is_done() {
            return None;
        }
        let params = self.params();
        let stop_reason = if self.state.has_diverged {
            format!(
                "the objective is {} at the parameters the samples were drawn at, after {} \
                 refreshes; {}",
                self.state.value,
                self.state.num_done,
                self.worker.samples.advice()
            )
        } else {
            format!("all {} refreshes are done", self.num_refreshes)
        };
        let result = FitResult {
            model: self.model.spec_at(&params),
            layers: None,
            objective: self.state.value,
            grad_norm: self.state.grad_norm,
            num_iterations: self.state.num_done as usize,
            num_evaluations: self.state.num_evaluations as usize,
            converged: false,
            stop_reason,
            warnings: self.warning().into_iter().collect(),
            connectivity: None,
            #[cfg(feature = "full")]
            errors: None,
            seed: self.seed,
            digest: String::new(),
        };
        Some(with_digest(result, &params))
    }
}
