//! What is known to be wrong with an estimate, in words.

use super::combine::Combination;
use super::spec::{EstimatorSpec, EvidenceSpec};
use crate::math::exp;
use crate::models::latent::{MEANS_MATTER, Table};

/// The share of the greatest weight above which trials are said to disagree.
const GREATEST_SHARE: f64 = 0.5;

/// Distance of the two directions, in nats, above which more distributions are asked for.
const GREATEST_GAP: f64 = 1.0;

/// The warnings of a result. `reverse` is the estimate by annealing back.
pub fn warnings(
    spec: &EvidenceSpec,
    table: &Table,
    trials: &[f64],
    value: f64,
    reverse: Option<f64>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let num_trials = trials.len();
    match &spec.estimator {
        EstimatorSpec::HarmonicMean { .. } => warnings.push(
            "the harmonic mean of the likelihood is too high by as much as the prior is wide, and its \
             trials agree all the same: take `annealing` or `particleLearning`"
                .into(),
        ),
        EstimatorSpec::Bic { .. } => warnings.push(format!(
            "the Bayesian information criterion holds for many rows and parameters that the rows \
             determine; its error with {} rows is not known",
            table.num_rows()
        )),
        EstimatorSpec::VariationalBayes { symmetry: true, .. } => warnings.push(
            "with the correction for symmetry the bound of variational Bayes is none".into(),
        ),
        EstimatorSpec::NestedSampling { .. } => warnings.push(
            "nested sampling can be too high as well as too low: it gives no bound".into(),
        ),
        _ => {}
    }
    let combination = Combination::of(&spec.estimator);
    let (sign, side) = match combination {
        Combination::HarmonicMean => (-1.0, "high"),
        _ => (1.0, "low"),
    };
    let is_weighted = matches!(combination, Combination::Mean | Combination::HarmonicMean);
    if is_weighted && num_trials >= 5 {
        let greatest = trials.iter().map(|trial| sign * trial).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = trials.iter().map(|trial| exp(sign * trial - greatest)).sum();
        if 1.0 / total > GREATEST_SHARE {
            let percent = (100.0 / total).round();
            warnings.push(format!(
                "one of {num_trials} trials has {percent} % of all their weight, so the estimate is \
                 likely too {side}: take longer trials rather than more"
            ));
        }
    }
    if let Some(reverse) = reverse
        && (reverse - value).abs() > GREATEST_GAP
    {
        warnings.push(format!(
            "annealing forth and back differ by {:.1} nats: take more distributions",
            (reverse - value).abs()
        ));
    }
    let needs_start = reverse.is_some() || combination == Combination::HarmonicMean;
    if needs_start && spec.simulate.is_none() {
        warnings.push(format!(
            "the runs from the posterior began after {} sweeps from the prior, not at exact draws: what \
             they say from above is no bound",
            spec.num_warmup
        ));
    }
    if num_trials == 1 && combination != Combination::Exact {
        warnings.push("one trial tells no error: take more".into());
    }
    if spec.states.is_some() && table.means_matter() {
        warnings.push(MEANS_MATTER.into());
    }
    warnings
}
