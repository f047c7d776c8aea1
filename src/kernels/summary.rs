//! What a search reports, in the units of the inputs and values given.

use super::report::{
    FunctionMarginals, KernelCandidate, KernelComponent, KernelLevel, KernelsProgress,
    KernelsResult,
};
use super::worker::Part;
use super::{KernelsCoordinator, Level};
use crate::digest::Digest;
use crate::math::exp;
use crate::models::ModelSpec;
use crate::models::gaussian::GaussianSpec;
use crate::run::Coordinator;
use unnorm_gaussian_process::covariance::Covariance;
use unnorm_gaussian_process::marginal_likelihood::independent;
use unnorm_gaussian_process::posterior::Marginals;
use unnorm_gaussian_process::series::{LEAST_NOISE, noise_variance};
use unnorm_gaussian_process::spec::CovarianceSpec;
use unnorm_gaussian_process::{Family, Kernel, Series};

/// A period counts as at an end of its range if it is nearer than this fraction of the range, in logarithms.
const AT_BOUND: f64 = 0.005;

/// In the units given; about `mean`.
fn outward(series: &Series, scaled: &Marginals, mean: f64) -> FunctionMarginals {
    let scale = series.value_scaling.scale;
    FunctionMarginals {
        means: scaled.means.iter().map(|value| mean + scale * value).collect(),
        variances: scaled.variances.iter().map(|value| series.variance(*value)).collect(),
    }
}

fn level(of: &KernelsCoordinator, level: &Level) -> KernelLevel {
    let series = &of.worker.series;
    let ranked = of.ranked(level);
    let candidate =
        |(bic, fit): &(f64, &unnorm_gaussian_process::fitting::Fitted)| KernelCandidate {
            text: fit.kernel.text(of.worker.spec.num_inputs),
            log_evidence: series.log_evidence(fit.negative),
            bic: *bic,
            abandoned: fit.abandoned,
        };
    let candidates: Vec<_> =
        ranked.iter().filter(|(bic, _)| bic.is_finite()).map(candidate).collect();
    let (bic, best) = ranked[0];
    KernelLevel {
        text: best.kernel.text(of.worker.spec.num_inputs),
        log_evidence: series.log_evidence(best.negative),
        bic,
        kernel: CovarianceSpec::new(&best.kernel, series),
        noise_variance: series.variance(noise_variance(best.ln_noise)),
        prediction: level
            .prediction
            .as_ref()
            .map(|scaled| outward(series, scaled, series.value_scaling.shift)),
        candidates,
    }
}

fn complete_levels(of: &KernelsCoordinator) -> Vec<KernelLevel> {
    let count = of.state.levels.len() - usize::from(!of.is_level_complete());
    // A level of which no family could be fitted has nothing to say.
    let is_finite = |each: &&Level| of.best(each).0.is_finite();
    of.state.levels[..count].iter().filter(is_finite).map(|each| level(of, each)).collect()
}

/// How far a search has come.
pub fn progress(of: &KernelsCoordinator) -> KernelsProgress {
    let (num_levels, num_candidates) = (of.state.levels.len(), of.candidates.len());
    let num_done = of.level().fits.len();
    let share = num_done as f64 / num_candidates as f64;
    // A level has about as many families, and a kernel as many parameters, as there are levels so far.
    let cost = |level: usize| (level * level) as f64;
    let before: f64 = (1..num_levels).map(cost).sum();
    let all: f64 = (1..=of.worker.spec.max_depth).map(cost).sum();
    KernelsProgress {
        verb: "kernels",
        level: num_levels,
        num_candidates,
        num_done,
        levels: complete_levels(of),
        fraction: if of.is_done() { 1.0 } else { 0.99 * (before + share * cost(num_levels)) / all },
        done: of.is_done(),
    }
}

/// The whole distribution of the values, with the noise.
fn model(series: &Series, kernel: &Kernel, noise: f64) -> ModelSpec {
    let size = series.values.len();
    let upper = Covariance::new(kernel, &series.inputs).upper(size, noise);
    let entry = |at: usize| {
        let (i, j) = (at / size, at % size);
        series.variance(upper[i.min(j) * size + i.max(j)])
    };
    ModelSpec::Gaussian(GaussianSpec {
        dim: size,
        mean: Some(vec![series.value_scaling.shift; size]),
        precision: None,
        covariance: Some((0..size * size).map(entry).collect()),
    })
}

fn warnings(of: &KernelsCoordinator, kernel: &Kernel, ln_noise: f64, bic: f64) -> Vec<String> {
    let series = &of.worker.series;
    let mut all = Vec::new();
    let noise_alone = independent(series).1;
    if bic >= noise_alone {
        all.push(format!(
            "No kernel has a lower BIC than noise alone, {noise_alone:.1}: there is no structure to be seen in the values."
        ));
    }
    if noise_variance(ln_noise) < 2.0 * LEAST_NOISE {
        all.push(
            "The noise is at the least variance that is tried: the values follow the function to 1 in 10,000.".into(),
        );
    }
    for leaf in kernel.leaves() {
        if leaf.base.family != Family::Per {
            continue;
        }
        let periods = &series.periods[leaf.base.input];
        let margin = AT_BOUND * (periods.ln_greatest - periods.ln_least);
        let unit = series.input_scaling[leaf.base.input].scale;
        let period = unit * exp(leaf.shape[1]);
        if leaf.shape[1] > periods.ln_greatest - margin {
            all.push(format!(
                "The period {period} is the greatest that is tried, half of the inputs' range: longer ones are not seen twice."
            ));
        } else if leaf.shape[1] < periods.ln_least + margin {
            all.push(format!(
                "The period {period} is the least that is tried, three times the distance of neighbouring inputs."
            ));
        }
    }
    let fits = of.state.levels.iter().flat_map(|level| &level.fits);
    let num_failed = fits.filter(|fit| !fit.negative.is_finite()).count();
    if num_failed > 0 {
        all.push(format!(
            "{num_failed} families could not be fitted: their covariances are not positive definite to double precision."
        ));
    }
    all
}

/// The result of a search that is done.
pub fn result(of: &KernelsCoordinator) -> KernelsResult {
    let (worker, series) = (&of.worker, &of.worker.series);
    let num_inputs = worker.spec.num_inputs;
    let chosen = of.chosen();
    let scale = series.value_scaling.scale;
    let (whole, parts) = of.state.parts.split_first().expect("the function");
    let has_predictions = worker.spec.predict.is_some();
    let component = |(kernel, part): (Kernel, &Part)| {
        let fitted = outward(series, &part.fitted, 0.0);
        KernelComponent {
            text: kernel.text(num_inputs),
            kernel: CovarianceSpec::new(&kernel, series),
            means: fitted.means,
            variances: fitted.variances,
            predicted: has_predictions.then(|| outward(series, &part.predicted, 0.0)),
        }
    };
    let levels = complete_levels(of);
    let bic = of.bic(chosen);
    let at = levels.iter().position(|level| level.bic == bic).expect("the level chosen");
    let mut result = KernelsResult {
        kernel: CovarianceSpec::new(&chosen.kernel, series),
        text: chosen.kernel.text(num_inputs),
        mean: series.value_scaling.shift,
        noise_variance: series.variance(noise_variance(chosen.ln_noise)),
        log_evidence: series.log_evidence(chosen.negative),
        bic,
        prediction: levels[at].prediction.clone(),
        stop_reason: if of.has_stalled() { "noImprovement" } else { "maxDepth" },
        components: chosen.kernel.components().into_iter().zip(parts).map(component).collect(),
        noise: whole.noise.iter().map(|value| scale * value).collect(),
        fitted: outward(series, &whole.fitted, series.value_scaling.shift),
        model: model(series, &chosen.kernel, noise_variance(chosen.ln_noise)),
        warnings: warnings(of, &chosen.kernel, chosen.ln_noise, bic),
        levels,
        seed: worker.spec.seed.unwrap_or(0),
        digest: String::new(),
    };
    result.digest = digest(&result);
    result
}

fn digest(result: &KernelsResult) -> String {
    let marginals = |digest: Digest, of: &FunctionMarginals| {
        digest.f64s("means", &of.means).f64s("variances", &of.variances)
    };
    let mut digest = Digest::new()
        .bytes("text", result.text.as_bytes())
        .f64s("kernel", &result.kernel.numbers())
        .f64s("scores", &[result.mean, result.noise_variance, result.log_evidence, result.bic])
        .f64s("noise", &result.noise);
    digest = marginals(digest, &result.fitted);
    for component in &result.components {
        digest = digest
            .bytes("component", component.text.as_bytes())
            .f64s("means", &component.means)
            .f64s("variances", &component.variances);
        if let Some(predicted) = &component.predicted {
            digest = marginals(digest, predicted);
        }
    }
    for level in &result.levels {
        digest = digest.f64s("level", &level.kernel.numbers());
        for candidate in &level.candidates {
            digest = digest
                .bytes("candidate", candidate.text.as_bytes())
                .f64s("bic", &[candidate.log_evidence, candidate.bic]);
        }
        if let Some(prediction) = &level.prediction {
            digest = marginals(digest, prediction);
        }
    }
    digest.hex()
}
