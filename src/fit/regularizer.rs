//! Penalties on large parameters, added to any objective.
//!
//! | | penalty |
//! |---|---|
//! | L2 | ½ λ Σ θ² |
//! | L1, smoothed | λ Σ (√(θ² + ε²) − ε) |
//!
//! Objectives are means over rows, so λ is in nats per row: a normal prior of precision τ on N rows
//! is L2 with λ = τ/N.
//!
//! The absolute value has a kink where quasi-Newton steps stall. Methods that handle it (OWL-QN,
//! proximal steps) need the kink along the coordinates the optimizer works in, and ours are linear
//! mixtures of the parameters ([`crate::energy::coordinates`]). So L1 is smoothed: within λε per
//! parameter of the penalty with the kink, hence within λεP of its minimum for P parameters, and as
//! smooth as λ/ε allows. Small parameters shrink to the order of ε or below, **none to exactly
//! zero**; to obtain zeros, threshold there.
//!
//! Biases are not penalized unless asked for: they only set how often units are on.

use super::sum::Sum;
use crate::checks::check_positive;
use crate::energy::Parametric;
use crate::energy::{Objective, shards};
use crate::{Error, Result};
use unnorm_wire::spec;

/// The spec of a penalty.
#[spec]
pub enum RegularizerSpec {
    /// ½ λ Σ θ².
    L2 {
        /// λ, at least 0.
        strength: f64,
        /// Whether biases are penalized; false if absent.
        #[serde(default)]
        include_biases: bool,
    },
    /// λ Σ (√(θ² + ε²) − ε).
    L1 {
        /// λ, at least 0.
        strength: f64,
        /// ε, greater than 0; 0.001 if absent.
        #[serde(default = "default_smoothing")]
        smoothing: f64,
        /// Whether biases are penalized; false if absent.
        #[serde(default)]
        include_biases: bool,
    },
}

fn default_smoothing() -> f64 {
    1e-3
}

impl RegularizerSpec {
    /// Checks strength and smoothing.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the field.
    pub fn check(&self) -> Result<()> {
        let (Self::L2 { strength, .. } | Self::L1 { strength, .. }) = self;
        if !(*strength >= 0.0 && strength.is_finite()) {
            return Err(Error::spec(
                "regularizer.strength",
                format!("is {strength}; it must be a finite number of at least 0"),
            ));
        }
        match self {
            Self::L1 { smoothing, .. } => check_positive("regularizer.smoothing", *smoothing),
            Self::L2 { .. } => Ok(()),
        }
    }

    /// The penalty on a model's parameters.
    pub fn penalty(&self, model: &dyn Parametric) -> Penalty {
        let (Self::L2 { include_biases, .. } | Self::L1 { include_biases, .. }) = self;
        let params = model.params().to_vec();
        let counts = (0..params.len()).map(|index| *include_biases || !model.is_bias(index));
        Penalty { spec: self.clone(), counts: counts.collect(), params }
    }

    /// Adds the penalty on a model's parameters to an objective of these parameters, and maybe of one of
    /// its own, which is not penalized.
    ///
    /// # Panics
    /// If the objective does not have the model's parameters.
    pub fn add_to(
        &self,
        objective: Box<dyn Objective>,
        model: &dyn Parametric,
    ) -> Box<dyn Objective> {
        let penalty = self.penalty(model);
        #[cfg(feature = "full")]
        let penalty = penalty.with_own(objective.num_params());
        Box::new(Sum::new(vec![objective, Box::new(penalty)]))
    }
}

/// The penalty, also as an objective: one shard, whose part is `[value | gradient]`.
pub struct Penalty {
    spec: RegularizerSpec,
    /// Whether each parameter is penalized.
    counts: Vec<bool>,
    params: Vec<f64>,
}

impl Penalty {
    /// The same for parameters of which the last is the objective's own, if there is one more.
    #[cfg(feature = "full")]
    fn with_own(mut self, num_params: usize) -> Self {
        self.counts.resize(num_params, false);
        self.params.resize(num_params, 0.0);
        self
    }

    /// `part += [value | gradient]` at these parameters.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn accumulate(&self, params: &[f64], part: &mut [f64]) {
        assert!(params.len() == self.counts.len() && part.len() == 1 + params.len());
        let (value, grad) = part.split_at_mut(1);
        let mut total = 0.0;
        for ((param, grad), counts) in params.iter().zip(grad).zip(&self.counts) {
            if !counts {
                continue;
            }
            let (penalty, slope) = match self.spec {
                RegularizerSpec::L2 { strength, .. } => {
                    (0.5 * strength * param * param, strength * param)
                }
                RegularizerSpec::L1 { strength, smoothing, .. } => {
                    let size = (param * param + smoothing * smoothing).sqrt();
                    (strength * (size - smoothing), strength * param / size)
                }
            };
            total += penalty;
            *grad += slope;
        }
        value[0] += total;
    }
}

impl Objective for Penalty {
    fn num_params(&self) -> usize {
        self.params.len()
    }

    fn set_params(&mut self, params: &[f64]) {
        self.params.copy_from_slice(params);
    }

    fn num_shards(&self) -> usize {
        1
    }

    fn part(&self, shard: usize) -> Vec<f64> {
        assert_eq!(shard, 0);
        let mut part = vec![0.0; 1 + self.params.len()];
        self.accumulate(&self.params, &mut part);
        part
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert_eq!(parts.len(), 1);
        shards::combine(parts, 1.0, grad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitBatch, WeightedRows};
    use crate::fit::pseudolikelihood;
    use crate::models::ModelSpec;

    fn specs() -> [RegularizerSpec; 3] {
        [
            RegularizerSpec::L2 { strength: 0.3, include_biases: false },
            RegularizerSpec::L2 { strength: 0.3, include_biases: true },
            RegularizerSpec::L1 { strength: 0.2, smoothing: 0.01, include_biases: false },
        ]
    }

    /// Compares the penalty with its definition, and its gradient with differences.
    #[test]
    fn penalties_and_their_gradients() {
        for model in ModelSpec::examples() {
            let model = model.build().unwrap();
            let Some(parametric) = model.as_parametric() else { continue };
            if model.as_site_flips().is_none() {
                continue;
            }
            let params = parametric.params();
            let data = WeightedRows::from_data(BitBatch::new(model.dim(), &[1, 0]));
            let plain = || pseudolikelihood::objective(&*model, &data).unwrap();
            let mut grad = vec![0.0; params.len()];
            let base = plain().evaluate(params, &mut grad);
            for spec in specs() {
                let mut objective = spec.add_to(plain(), parametric);
                let value = objective.evaluate(params, &mut grad);
                let expected: f64 = (0..params.len())
                    .map(|index| match spec {
                        RegularizerSpec::L2 { include_biases, .. }
                            if include_biases || !parametric.is_bias(index) =>
                        {
                            0.15 * params[index] * params[index]
                        }
                        RegularizerSpec::L1 { .. } if !parametric.is_bias(index) => {
                            0.2 * ((params[index] * params[index] + 1e-4).sqrt() - 0.01)
                        }
                        _ => 0.0,
                    })
                    .sum();
                assert!((value - base - expected).abs() < 1e-12 * (1.0 + value));
                let mut unused = grad.clone();
                for index in 0..params.len() {
                    let mut at = |offset: f64| {
                        let mut moved = params.to_vec();
                        moved[index] += offset;
                        objective.evaluate(&moved, &mut unused)
                    };
                    let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
                    assert!((numeric - grad[index]).abs() < 1e-6, "{numeric} {}", grad[index]);
                }
            }
        }
    }

    #[test]
    fn bad_specs_are_refused() {
        for (spec, field) in [
            (RegularizerSpec::L2 { strength: -1.0, include_biases: true }, "strength"),
            (RegularizerSpec::L2 { strength: f64::NAN, include_biases: true }, "strength"),
            (
                RegularizerSpec::L1 { strength: 1.0, smoothing: 0.0, include_biases: true },
                "smoothing",
            ),
        ] {
            let error = spec.check().unwrap_err();
            assert_eq!(error.field().unwrap(), format!("regularizer.{field}"));
        }
    }
}
