//! Progress and result of `kernels`.

use crate::models::ModelSpec;
use crate::run::Outcome;
use unnorm_gaussian_process::spec::CovarianceSpec;
use unnorm_wire::report;

/// Means and variances of a function, without noise.
#[report]
pub struct FunctionMarginals {
    /// Means.
    pub means: Vec<f64>,
    /// Variances.
    pub variances: Vec<f64>,
}

/// A family that was tried.
#[report]
pub struct KernelCandidate {
    /// Its text.
    pub text: String,
    /// ln p of the values under the best kernel of the family that was found, in nats.
    pub log_evidence: f64,
    /// BIC = −2 ln p + p ln N, p the number of its parameters and the noise's; the less, the better.
    pub bic: f64,
    /// Whether its fit was abandoned, since it was far from the least BIC and hardly came closer. Converged, its BIC
    /// would be lower, but hardly that low.
    pub abandoned: bool,
}

/// A level of the search.
#[report]
pub struct KernelLevel {
    /// The best family of the level.
    pub text: String,
    /// ln p of the values, in nats.
    pub log_evidence: f64,
    /// Its BIC.
    pub bic: f64,
    /// Its kernel.
    pub kernel: CovarianceSpec,
    /// The variance of the noise.
    pub noise_variance: f64,
    /// What it predicts, if predictions were asked for.
    pub prediction: Option<FunctionMarginals>,
    /// All families of the level, the best first.
    pub candidates: Vec<KernelCandidate>,
}

/// A component of the function.
#[report]
pub struct KernelComponent {
    /// The product of base kernels that it has.
    pub text: String,
    /// That kernel.
    pub kernel: CovarianceSpec,
    /// Means at the inputs, `[N]`, about 0.
    pub means: Vec<f64>,
    /// Variances at the inputs, `[N]`.
    pub variances: Vec<f64>,
    /// Where predictions were asked for.
    pub predicted: Option<FunctionMarginals>,
}

/// Progress of a search.
#[report]
pub struct KernelsProgress {
    /// The verb: "kernels".
    #[ts(type = "\"kernels\"")]
    pub verb: &'static str,
    /// The level that is searched, counted from 1.
    pub level: usize,
    /// Number of families of this level.
    pub num_candidates: usize,
    /// Number of them that are fitted.
    pub num_done: usize,
    /// The levels that are complete.
    pub levels: Vec<KernelLevel>,
    /// The fraction done, 0 to 1, if the search goes on to its last level.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// The kernel that a search found, and what it says.
#[report]
pub struct KernelsResult {
    /// The kernel with the least BIC.
    pub kernel: CovarianceSpec,
    /// Its text, as `SE × PER + LIN`; inputs are subscripts, counted from 1, if there is more than one.
    pub text: String,
    /// The mean of the values, that of the process.
    pub mean: f64,
    /// The variance of the noise.
    pub noise_variance: f64,
    /// ln p of the values, in nats.
    pub log_evidence: f64,
    /// Its BIC.
    pub bic: f64,
    /// The levels of the search.
    pub levels: Vec<KernelLevel>,
    /// Why the search ended: no family of the last level has a lower BIC than one before, or it is the last
    /// allowed.
    #[ts(type = "\"noImprovement\" | \"maxDepth\"")]
    pub stop_reason: &'static str,
    /// The components of the function: the kernel written out as a sum of products. Their means, those of the
    /// noise and `mean` add up to the values.
    pub components: Vec<KernelComponent>,
    /// Mean of the noise of each value, `[N]`.
    pub noise: Vec<f64>,
    /// The function at the inputs.
    pub fitted: FunctionMarginals,
    /// The function where predictions were asked for.
    pub prediction: Option<FunctionMarginals>,
    /// The distribution of the N values with their noise, a Gaussian that every other verb takes.
    pub model: ModelSpec,
    /// What to know before the numbers are used, as sentences.
    pub warnings: Vec<String>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Outcome for KernelsResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
