//! One estimate from the trials, with its error and bounds (Grosse, PhD thesis 2014, eqs. 7.1 to 7.4 and
//! the footnote on combining trials in section 7.3.3).

use super::report::EvidenceBounds;
use super::spec::EstimatorSpec;
use crate::math::ln;
use crate::normalize::log_z::report::{Estimated, Interval};
use crate::weights::{Bridge, Estimate};

/// What the trials of an estimator are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combination {
    /// Their mean is p(Y).
    Mean,
    /// The mean of their reciprocals is 1/p(Y).
    HarmonicMean,
    /// The greatest is the best.
    Greatest,
    /// The mean of their logs is near ln p(Y).
    MeanOfLogs,
    /// They have no error.
    Exact,
}

impl Combination {
    /// That of an estimator.
    pub fn of(estimator: &EstimatorSpec) -> Self {
        match estimator {
            EstimatorSpec::Exact {} => Self::Exact,
            EstimatorSpec::LikelihoodWeighting { .. }
            | EstimatorSpec::Chib { .. }
            | EstimatorSpec::ParticleLearning { .. }
            | EstimatorSpec::Annealing { .. }
            | EstimatorSpec::Compositional { .. } => Self::Mean,
            EstimatorSpec::HarmonicMean { .. } | EstimatorSpec::SequentialHarmonicMean { .. } => {
                Self::HarmonicMean
            }
            EstimatorSpec::Bic { .. } | EstimatorSpec::VariationalBayes { .. } => Self::Greatest,
            EstimatorSpec::NestedSampling { .. }
            | EstimatorSpec::ThermodynamicIntegration { .. } => Self::MeanOfLogs,
        }
    }

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::HarmonicMean => "harmonicMean",
            Self::Greatest => "greatest",
            Self::MeanOfLogs => "meanOfLogs",
            Self::Exact => "exact",
        }
    }

    /// The estimate from all trials.
    pub fn estimate(self, trials: &[f64], confidence: f64) -> Estimated {
        match self {
            Self::Mean => weighted(&Estimate::of(trials, confidence, None)),
            Self::HarmonicMean => {
                let inverse: Vec<f64> = trials.iter().map(|trial| -trial).collect();
                weighted(&Estimate::of_reverse(&inverse, confidence, None))
            }
            Self::MeanOfLogs => Estimated::of_mean(trials, confidence),
            Self::Greatest => {
                let greatest = trials.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let interval = Interval { lower: f64::NAN, upper: f64::NAN };
                Estimated { value: greatest, standard_error: f64::NAN, interval }
            }
            Self::Exact => {
                let interval = Interval { lower: trials[0], upper: trials[0] };
                Estimated { value: trials[0], standard_error: 0.0, interval }
            }
        }
    }

    /// Bounds from the estimate, if it gives any.
    pub fn bounds(
        self,
        estimator: &EstimatorSpec,
        value: f64,
        reverse: Option<f64>,
        confidence: f64,
        start_is_exact: bool,
    ) -> Option<EvidenceBounds> {
        let failure_probability = 0.5 * (1.0 - confidence);
        let margin = -ln(failure_probability);
        let (lower, upper) = match self {
            Self::Mean => (Some(value - margin), reverse.map(|reverse| reverse + margin)),
            Self::HarmonicMean => (None, Some(value + margin)),
            Self::Greatest => {
                let is_bound =
                    matches!(estimator, EstimatorSpec::VariationalBayes { symmetry: false, .. });
                let lower = is_bound.then_some(value)?;
                return Some(EvidenceBounds {
                    lower: Some(lower),
                    upper: None,
                    failure_probability: 0.0,
                    bound_is_certified: false,
                });
            }
            Self::MeanOfLogs | Self::Exact => return None,
        };
        let bound_is_certified = start_is_exact && upper.is_some();
        Some(EvidenceBounds { lower, upper, failure_probability, bound_is_certified })
    }
}

fn weighted(estimate: &Estimate) -> Estimated {
    Estimated {
        value: estimate.log_z,
        standard_error: estimate.standard_error,
        interval: Interval { lower: estimate.asymptotic.low, upper: estimate.asymptotic.high },
    }
}

/// One estimate from trials in both directions, those back from an exact start. All of these begin at
/// the same draw, so that their spread alone does not tell the error; the distance of the two
/// directions does.
pub fn both_directions(
    forward: &[f64],
    reverse: &[f64],
    estimates: [Estimated; 2],
    confidence: f64,
) -> Estimated {
    let inverse: Vec<f64> = reverse.iter().map(|trial| -trial).collect();
    let bridge = Bridge::of(forward, &inverse, confidence);
    let [to, from] = estimates;
    let half_gap = 0.5 * (from.value - to.value).abs();
    // Where the weights of the two directions do not overlap, the bridge says nothing.
    let (value, error) = if bridge.standard_error < 1.0 {
        (bridge.log_z, bridge.standard_error)
    } else {
        (0.5 * (to.value + from.value), half_gap)
    };
    Estimated {
        value,
        standard_error: half_gap.max(error),
        interval: Interval {
            lower: to.interval.lower.min(value),
            upper: from.interval.upper.max(value),
        },
    }
}
