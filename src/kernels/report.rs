//! Progress and result of `kernels`.

use crate::models::ModelSpec;
use crate::run::{Array, Outcome, Placed, Report, model_arrays};
use std::mem::take;
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

/// Names of places in lists: of levels, and of components, of which ten base kernels make 36 at most.
const PLACES: [&str; 40] = [
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16",
    "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32",
    "33", "34", "35", "36", "37", "38", "39",
];

fn take_marginals(
    marginals: &mut FunctionMarginals,
    path: &[&'static str],
    placed: &mut Vec<Placed>,
) {
    for (name, values) in [("means", &mut marginals.means), ("variances", &mut marginals.variances)]
    {
        placed.push(([path, &[name]].concat(), Array::F64(take(values))));
    }
}

fn take_levels(levels: &mut [KernelLevel], placed: &mut Vec<Placed>) {
    for (level, place) in levels.iter_mut().zip(PLACES) {
        if let Some(prediction) = &mut level.prediction {
            take_marginals(prediction, &["levels", place, "prediction"], placed);
        }
    }
}

impl Report for KernelsProgress {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        take_levels(&mut self.levels, placed);
    }
}

impl Report for KernelsResult {
    fn take_arrays(&mut self, placed: &mut Vec<Placed>) {
        model_arrays(&mut self.model, placed);
        take_levels(&mut self.levels, placed);
        for (component, place) in self.components.iter_mut().zip(PLACES) {
            let path = ["components", place];
            for (name, values) in
                [("means", &mut component.means), ("variances", &mut component.variances)]
            {
                placed.push(([&path[..], &[name]].concat(), Array::F64(take(values))));
            }
            if let Some(predicted) = &mut component.predicted {
                take_marginals(predicted, &[path[0], path[1], "predicted"], placed);
            }
        }
        placed.push((vec!["noise"], Array::F64(take(&mut self.noise))));
        take_marginals(&mut self.fitted, &["fitted"], placed);
        if let Some(prediction) = &mut self.prediction {
            take_marginals(prediction, &["prediction"], placed);
        }
    }
}

impl Outcome for KernelsResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
