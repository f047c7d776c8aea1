//! Progress and result of a fit.

use crate::models::ModelSpec;
use crate::run::Outcome;
use serde::Deserialize;
use unnorm_wire::report;

/// Progress of a fit.
#[report]
pub struct FitProgress {
    /// The verb: "fit".
    #[ts(type = "\"fit\"")]
    pub verb: &'static str,
    /// Number of accepted steps; number of refreshes for persistent minimum probability flow and
    /// expectation maximization.
    pub iteration: usize,
    /// Number of evaluations of the objective, each over all data or over one minibatch.
    pub num_evaluations: usize,
    /// The objective at the model below; NaN before the first evaluation. With minibatches it is
    /// the mean over those of the epoch so far.
    pub objective: f64,
    /// Euclidean norm of the objective's gradient, in the optimizer's coordinates.
    pub grad_norm: f64,
    /// Estimate of the fraction done, 0 to 1; it never falls.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
    /// For deep belief networks: the machine being fitted, from 0 at the bottom. The objective and
    /// its gradient are those of this machine.
    pub layer: Option<usize>,
    /// The current model.
    pub model: ModelSpec,
}

impl FitProgress {
    /// The same while something follows the fit.
    pub(super) fn not_done_yet(self) -> Self {
        Self { done: false, fraction: self.fraction.min(0.999), ..self }
    }
}

/// A fitted model.
#[report]
pub struct FitResult {
    /// The fitted model.
    pub model: ModelSpec,
    /// The objective at the fitted model. With minibatches it is the mean over those of the last
    /// epoch; NaN for mean field, which has none; for deep belief networks that of the top machine.
    pub objective: f64,
    /// Euclidean norm of the objective's gradient, in the optimizer's coordinates; with minibatches
    /// that of the last one; NaN for mean field.
    pub grad_norm: f64,
    /// Number of accepted steps; number of refreshes for persistent minimum probability flow and
    /// expectation maximization.
    pub num_iterations: usize,
    /// Number of evaluations of the objective, each over all data or over one minibatch.
    pub num_evaluations: usize,
    /// Whether the tolerance was met. False for stochastic optimizers, which have none, and where
    /// samples change; true for a solution in closed form.
    pub converged: bool,
    /// Why the fit ended, as a sentence.
    pub stop_reason: String,
    /// Warnings about the result, as sentences; empty if there are none.
    pub warnings: Vec<String>,
    /// For minimum probability flow on bits: the kind of connectivity, as given or as chosen for
    /// the data.
    pub connectivity: Option<&'static str>,
    /// The errors of the parameters, if they were asked for and the rows determine them.
    #[cfg(feature = "full")]
    pub errors: Option<ParameterErrors>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
    /// For deep belief networks: the fits of the machines, from the bottom up.
    pub layers: Option<Vec<LayerFit>>,
}

/// Errors of fitted parameters θ, in the order of the model's parameters: for an Ising model that of its
/// `params`, for a formula that of the names.
#[report]
#[cfg(feature = "full")]
pub struct ParameterErrors {
    /// The standard error of each θ, `[P]`.
    pub standard_errors: Vec<f64>,
    /// The lower end of an interval of each θ that holds the truth in about 95 % of data sets, `[P]`.
    pub lower: Vec<f64>,
    /// The upper end, `[P]`.
    pub upper: Vec<f64>,
    /// The covariance of their errors, row-major `[P, P]`; of a bootstrap of more than 512 parameters
    /// left out.
    pub covariance: Option<Vec<f64>>,
    /// For formulas: the parameters by name, with intervals.
    pub parameters: Option<Vec<ParameterEstimate>>,
    /// For noise-contrastive estimation: log Z, as it was found with the parameters.
    pub log_z: Option<LogZEstimate>,
    /// Of a bootstrap: the number of fits to resampled rows that it has come from.
    pub num_fits: Option<usize>,
}

/// log Z of a fitted model, estimated with its parameters.
#[report]
#[cfg(feature = "full")]
pub struct LogZEstimate {
    /// log Z, in nats.
    pub value: f64,
    /// Its standard error, which has that of the parameters in it: the spread about the log Z of the true
    /// ones.
    pub standard_error: f64,
}

/// A parameter with its error.
#[report]
#[cfg(feature = "full")]
pub struct ParameterEstimate {
    /// Its name.
    pub name: String,
    /// Its value at the fit.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The lower end of an interval that holds the truth in about 95 % of data sets; within the
    /// parameter's bounds.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

/// The fit of one machine of a deep belief network; its fields are as in [`FitResult`].
#[report]
#[derive(Deserialize)]
pub struct LayerFit {
    /// The objective at the fitted machine.
    pub objective: f64,
    /// Euclidean norm of the objective's gradient.
    pub grad_norm: f64,
    /// Number of accepted steps.
    pub num_iterations: usize,
    /// Number of evaluations of the objective.
    pub num_evaluations: usize,
    /// Whether the tolerance was met.
    pub converged: bool,
    /// Why the fit ended, as a sentence.
    pub stop_reason: String,
}

impl Outcome for FitResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
