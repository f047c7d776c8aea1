//! Fits over all data. A round is one evaluation of the objective and its gradient: the coordinator
//! broadcasts the parameters, gathers the parts of the shards, and asks the optimizer where to
//! evaluate next.

use super::coordinates::LocalCoordinates;
use super::rows::{Distinct, Rows};
use super::{objective, starting_params, with_digest};
use crate::bytes::{from_f64s, to_f64s};
use crate::energy::Objective;
#[cfg(feature = "full")]
use crate::energy::coordinates::Extended;
use crate::fit::job::report::{FitProgress, FitResult};
use crate::fit::job::spec::{FitSpec, LbfgsSpec, OptimizerSpec};
use crate::math::ln;
use crate::models::Model;
use crate::optimize::lbfgs::{Lbfgs, Limits, Stop};
use crate::run::{
    Coordinator, PartialSums, ShardWorker, Unfinished, inconsistent, pack, to_numbers, unpack,
};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Maximum memory of the optimizer, 512 MiB: half of what the threads build has.
const MAX_OPTIMIZER_BYTES: usize = 1 << 29;

/// Works shards of the objective.
pub struct FullBatchWorker {
    objective: Box<dyn Objective>,
}

impl FullBatchWorker {
    /// Checks that the model has the objective and matches the data.
    ///
    /// # Errors
    /// Any error of the model's spec; the errors of [`objective::over_all`].
    pub fn new(spec: &FitSpec, rows: Rows<'_>) -> Result<Self> {
        Self::over(spec, &Distinct::of(rows))
    }

    fn over(spec: &FitSpec, distinct: &Distinct<'_>) -> Result<Self> {
        let model = spec.model.build()?;
        let objective = objective::over_all(spec, &*model, distinct)?;
        let objective = match (&spec.regularizer, model.as_parametric()) {
            (Some(regularizer), Some(parametric)) => regularizer.add_to(objective, parametric),
            _ => objective,
        };
        Ok(Self { objective })
    }
}

impl ShardWorker for FullBatchWorker {
    fn num_shards(&self) -> usize {
        self.objective.num_shards()
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        self.objective.set_params(&to_f64s(broadcast).expect("parameters are numbers"));
    }

    fn work(&self, shard: usize, _scattered: &[u8]) -> Vec<u8> {
        from_f64s(&self.objective.part(shard))
    }

    fn work_piece(
        &self,
        shard: usize,
        _scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        let sums = unfinished.sums();
        self.objective.add_piece(shard, sums.num_pieces, &mut sums.part);
        sums.num_pieces += 1;
        if sums.num_pieces < self.objective.num_pieces(shard) {
            return None;
        }
        unfinished.take().map(|PartialSums { part, .. }| from_f64s(&part))
    }
}

/// What changes from round to round.
#[derive(Serialize, Deserialize)]
struct State {
    search: Lbfgs,
    /// The ratio of gradient to tolerance at the start.
    first_excess: f64,
    fraction: f64,
}

/// The norm of the gradient, relative to the objective, at which the objective is likely within a
/// relative `gap` of its minimum.
///
/// Near the minimum `K − K* ≤ |g|² / 2λ`, λ the least curvature. In the
/// model's coordinates the curvature is near K/D; a sixteenth of that is
/// allowed for: `|g| ≤ K √(gap / 8D)`. On the data tried 2 (K − K*) K / (D |g|²)
/// was at most 6 against the 16 allowed; it is a measured margin, not a proof.
/// That was minimum probability flow; the other objectives use the same rule.
pub(super) fn grad_tolerance(gap: f64, dim: usize) -> f64 {
    (gap / (8.0 * dim as f64)).sqrt()
}

/// Refuses searches that would take too much memory.
pub(super) fn check_memory(num_params: usize, memory: usize) -> Result<()> {
    // Points and gradients here, their differences in the optimizer crate, and ten vectors besides.
    let bytes = num_params.saturating_mul(8 * (4 * (memory + 1) + 10));
    if bytes > MAX_OPTIMIZER_BYTES {
        return Err(Error::TooLarge {
            field: "optimizer.memory".into(),
            problem: format!(
                "with {num_params} parameters and memory {memory}, L-BFGS would take {} MiB of at \
                 most {}; choose a smaller memory, a sparser pattern or fewer sites",
                bytes >> 20,
                MAX_OPTIMIZER_BYTES >> 20
            ),
        });
    }
    Ok(())
}

/// Adds the parameter of the objective's own, if it has one.
///
/// # Errors
/// [`Error::InvalidSpec`] if the coordinates move, as the parameter's would not follow.
#[cfg(feature = "full")]
fn with_own(objective: &dyn Objective, coordinates: LocalCoordinates) -> Result<LocalCoordinates> {
    let Some(own) = objective.own_parameter(coordinates.origin()) else { return Ok(coordinates) };
    if coordinates.move_at_all() {
        return Err(Error::spec(
            "optimizer.coordinates",
            "are taken anew during the fit, which noiseContrastive does not allow; use the metric without \
             refreshEvery, or params",
        ));
    }
    Ok(coordinates.extend(own.start, |inner| Box::new(Extended::new(inner, own.slopes))))
}

/// Coordinates a fit over all data.
pub struct FullBatchFit {
    worker: FullBatchWorker,
    model: Box<dyn Model>,
    /// Those of the parameters; last that of the objective's own, if it has one.
    coordinates: LocalCoordinates,
    tolerance: f64,
    max_iterations: usize,
    seed: u64,
    state: State,
}

impl FullBatchFit {
    /// The coordinator before the first evaluation, or from a snapshot.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the optimizer would take too much memory; any error of the model's
    /// spec; [`Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn new(spec: &FitSpec, rows: Rows<'_>, snapshot: Option<&[u8]>) -> Result<Self> {
        let distinct = Distinct::of(rows);
        let worker = FullBatchWorker::over(spec, &distinct)?;
        let default = LbfgsSpec::default();
        let optimizer = match &spec.optimizer {
            Some(OptimizerSpec::Lbfgs(optimizer)) => optimizer,
            _ => &default,
        };
        check_memory(worker.objective.num_params(), optimizer.memory)?;
        let model = spec.model.build()?;
        let start = starting_params(spec, &*model, rows)?;
        let seed = spec.seed.unwrap_or(0);
        let coordinates =
            LocalCoordinates::new(&optimizer.coordinates, &*model, start, &distinct, seed)?;
        #[cfg(feature = "full")]
        let coordinates = with_own(&*worker.objective, coordinates)?;
        let limits = Limits {
            memory: optimizer.memory,
            max_iterations: optimizer.max_iterations,
            tolerance: grad_tolerance(optimizer.tolerance, model.dim()) * worker.objective.scale(),
        };
        let fresh = Lbfgs::new(vec![0.0; coordinates.len()], limits);
        let mut fit = Self {
            worker,
            model,
            coordinates,
            tolerance: limits.tolerance,
            max_iterations: optimizer.max_iterations,
            seed,
            state: State { search: fresh, first_excess: f64::NAN, fraction: 0.0 },
        };
        if let Some(snapshot) = snapshot {
            let state = fit.restore(snapshot)?;
            if !state.search.continues(&fit.state.search) {
                return Err(inconsistent());
            }
            fit.state = state;
        }
        Ok(fit)
    }

    /// What a snapshot holds; coordinates that move are those it was taken in.
    fn restore(&mut self, snapshot: &[u8]) -> Result<State> {
        #[cfg(feature = "full")]
        if self.coordinates.move_at_all() {
            let (state, origin): (State, Vec<f64>) = unpack(snapshot)?;
            self.coordinates.resume_at(&origin)?;
            return Ok(state);
        }
        unpack(snapshot)
    }

    /// The current parameters, with that of the objective's own, if it has one.
    pub fn params(&self) -> Vec<f64> {
        self.coordinates.params_at(self.state.search.point())
    }

    /// Takes the coordinates anew, if it is time.
    #[cfg(feature = "full")]
    fn move_coordinates(&mut self, num_before: usize) {
        let num_iterations = self.state.search.num_iterations();
        let is_time = num_iterations > num_before
            && self.coordinates.move_after(num_iterations as u64)
            && !self.is_done();
        if is_time && self.coordinates.move_to(&self.params()) {
            self.state.search.begin_anew(self.coordinates.len());
        }
    }

    /// The current parameters of the model.
    fn model_params(&self) -> Vec<f64> {
        #[allow(unused_mut)] // In the core.
        let mut params = self.params();
        #[cfg(feature = "full")]
        params.truncate(self.num_model_params());
        params
    }

    /// Number of parameters of the model.
    #[cfg(feature = "full")]
    pub fn num_model_params(&self) -> usize {
        self.model.as_parametric().map_or(0, |model| model.params().len())
    }

    /// Number of parameters, with that of the objective's own, if it has one.
    #[cfg(feature = "full")]
    pub fn num_params(&self) -> usize {
        self.coordinates.origin().len()
    }

    /// Whether the objective is finite where the search is.
    #[cfg(feature = "full")]
    pub fn is_finite(&self) -> bool {
        self.state.search.value().is_finite()
    }

    /// The fitted model so far.
    #[cfg(feature = "full")]
    pub fn fitted(&self) -> Box<dyn Model> {
        let mut model = self.model.boxed_clone();
        if let Some(model) = model.as_parametric_mut() {
            model.set_params(&self.model_params());
        }
        model
    }

    /// The objective and its gradient in θ, from the parts of all shards.
    pub fn combine(&self, parts: &[Vec<u8>]) -> (f64, Vec<f64>) {
        let mut grad = vec![0.0; self.worker.objective.num_params()];
        (self.worker.objective.combine(&to_numbers(parts), &mut grad), grad)
    }

    /// The ratio of the gradient's norm to its tolerance.
    fn excess(&self) -> f64 {
        let search = &self.state.search;
        search.gradient_norm() / (self.tolerance * search.value().abs().max(1.0))
    }

    /// Estimates the fraction done: of the way down to the tolerance on a logarithmic scale, or of
    /// the maximum number of steps.
    fn estimate_fraction(&mut self) {
        let excess = self.excess();
        if self.state.first_excess.is_nan() {
            self.state.first_excess = excess;
        }
        let search = &self.state.search;
        let way = 1.0 - ln(excess.max(1.0)) / ln(self.state.first_excess.max(1.0));
        let steps = search.num_iterations() as f64 / self.max_iterations as f64;
        // max ignores a NaN.
        let estimate = self.state.fraction.max(way).max(steps);
        self.state.fraction =
            if search.stop().is_some() { 1.0 } else { estimate.clamp(0.0, 0.999) };
    }

    fn stop_reason(&self, stop: Stop) -> String {
        let search = &self.state.search;
        match stop {
            Stop::Converged => "the gradient is below the tolerance".into(),
            Stop::MaxIterations => {
                format!(
                    "all {} iterations are used up; allow more with optimizer.maxIterations",
                    self.max_iterations
                )
            }
            Stop::NoDescent => format!(
                "no step lowers the objective any further in double precision, with the gradient at {:.1e} times \
                 the tolerance",
                self.excess()
            ),
            Stop::NotFinite => format!(
                "the objective is {} at the starting parameters; start from smaller couplings",
                search.value()
            ),
        }
    }
}

impl Coordinator for FullBatchFit {
    type Progress = FitProgress;
    type Output = FitResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        from_f64s(&self.coordinates.params_at(&self.state.search.ask()))
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        let (value, grad) = self.combine(parts);
        #[cfg(feature = "full")]
        let num_before = self.state.search.num_iterations();
        self.state.search.tell(value, &self.coordinates.pull_back(&grad));
        self.estimate_fraction();
        #[cfg(feature = "full")]
        self.move_coordinates(num_before);
    }

    fn is_done(&self) -> bool {
        self.state.search.stop().is_some()
    }

    fn snapshot(&self) -> Vec<u8> {
        #[cfg(feature = "full")]
        if self.coordinates.move_at_all() {
            return pack(&(&self.state, self.coordinates.origin()));
        }
        pack(&self.state)
    }

    fn progress(&self) -> FitProgress {
        let search = &self.state.search;
        FitProgress {
            verb: "fit",
            iteration: search.num_iterations(),
            num_evaluations: search.num_evaluations(),
            objective: search.value(),
            grad_norm: search.gradient_norm(),
            fraction: self.state.fraction,
            done: self.is_done(),
            layer: None,
            model: self.model.spec_at(&self.model_params()),
        }
    }

    fn result(&self) -> Option<FitResult> {
        let search = &self.state.search;
        let stop = search.stop()?;
        let params = self.model_params();
        let result = FitResult {
            model: self.model.spec_at(&params),
            objective: search.value(),
            grad_norm: search.gradient_norm(),
            num_iterations: search.num_iterations(),
            num_evaluations: search.num_evaluations(),
            converged: stop == Stop::Converged,
            stop_reason: self.stop_reason(stop),
            warnings: Vec::new(),
            connectivity: None,
            #[cfg(feature = "full")]
            errors: None,
            seed: self.seed,
            digest: String::new(),
            layers: None,
        };
        Some(with_digest(result, &params))
    }
}
