//! The spec of combined energies, and its checks.

use super::{Combined, Part};
use crate::checks::{check_count, check_positive};
use crate::energy::HalfSpace;
use crate::ising::MAX_DIM as MAX_BITS;
use crate::{Error, Model, ModelSpec, Result};
use unnorm_wire::spec;

/// Maximum number of parts.
pub const MAX_PARTS: usize = 16;

/// How deep combinations may be nested.
pub const MAX_DEPTH: usize = 4;

/// How energies are combined.
#[spec]
#[derive(Copy, Eq)]
pub enum Combination {
    /// `E(x) = Σ_i w_i E_i(x)`: the densities are multiplied.
    Sum,
    /// `E(x) = −ln Σ_i π_i exp(−E_i(x))/Z_i`, `π_i = w_i/Σw`: the normalized densities are mixed.
    Either,
}

/// The spec of a model made of others.
#[spec]
pub struct CombinedSpec {
    /// `sum` multiplies the parts' densities (AND), `either` mixes them (OR).
    pub how: Combination,
    /// The parts: all of them models of the same number of bits, or all on the same ℝᴰ.
    pub parts: Vec<CombinedPart>,
}

/// One of the energies that are combined.
#[spec]
pub struct CombinedPart {
    /// The model; of any kind but those whose sites have several values, of counts and of tables.
    pub model: ModelSpec,
    /// The weight w; 1 if absent. In a `sum` any number: 1/T is the part at temperature T, a negative
    /// one is NOT. In `either` greater than 0, and only the ratios matter.
    #[serde(default = "one")]
    pub weight: f64,
    /// For `either`: the part's log Z, in nats. May be left out where it has a closed form.
    pub log_z: Option<f64>,
}

fn one() -> f64 {
    1.0
}

impl CombinedSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// Any error of a part's spec, naming the field within it; [`Error::InvalidSpec`] or
    /// [`Error::TooLarge`] if the parts do not go together.
    pub fn build(&self) -> Result<Combined> {
        check_count("model.parts", self.parts.len(), 1, MAX_PARTS, "parts")?;
        if self.depth() > MAX_DEPTH {
            let problem = format!(
                "are combinations within combinations, more than {MAX_DEPTH} deep; combine fewer"
            );
            return Err(Error::spec("model.parts", problem));
        }
        let models: Vec<Box<dyn Model>> = (self.parts.iter().enumerate())
            .map(|(at, part)| part.model.build().map_err(|error| error.within(&field(at))))
            .collect::<Result<_>>()?;
        check_states(&models)?;
        let constraints = self.constraints(&models)?;
        let parts = (models.into_iter().enumerate())
            .map(|(at, model)| Ok(Part { log_z: self.log_z(at, &*model)?, model }))
            .collect::<Result<_>>()?;
        self.check_weights()?;
        let weights = self.parts.iter().map(|part| part.weight).collect();
        Ok(Combined::new(self.how, parts, weights, constraints))
    }

    /// How deep combinations are nested.
    fn depth(&self) -> usize {
        let of_part = |part: &CombinedPart| match &part.model {
            ModelSpec::Combined(inner) => inner.depth(),
            _ => 0,
        };
        1 + self.parts.iter().map(of_part).max().unwrap_or(0)
    }

    fn check_weights(&self) -> Result<()> {
        for (at, part) in self.parts.iter().enumerate() {
            let field = format!("{}.weight", field(at));
            match self.how {
                Combination::Either => check_positive(&field, part.weight)?,
                Combination::Sum if part.weight.is_finite() => {}
                Combination::Sum => {
                    let problem = format!("is {}; it must be a finite number", part.weight);
                    return Err(Error::spec(field, problem));
                }
            }
        }
        let total: f64 = self.parts.iter().map(|part| part.weight).sum();
        match self.how {
            Combination::Either => check_positive("the sum of the parts' weights", total),
            Combination::Sum => Ok(()),
        }
    }

    /// What is subtracted from the energy of a part: its log Z, where it matters.
    fn log_z(&self, at: usize, model: &dyn Model) -> Result<f64> {
        let field = format!("{}.logZ", field(at));
        match (self.how, self.parts[at].log_z) {
            (Combination::Sum, None) => Ok(0.0),
            (Combination::Sum, Some(_)) => Err(Error::spec(
                field,
                "is for `either`: constants of the parts cancel in a sum; leave it out",
            )),
            (Combination::Either, Some(log_z)) if log_z.is_finite() => Ok(log_z),
            (Combination::Either, Some(log_z)) => {
                Err(Error::spec(field, format!("is {log_z}; it must be a finite number")))
            }
            (Combination::Either, None) => {
                let known = model.as_reference().map(|reference| reference.log_z());
                known.filter(|log_z| log_z.is_finite()).ok_or_else(|| {
                    let problem = format!(
                        "is missing: log Z of {} has no closed form, and how much of the mass a part has \
                         depends on it; get it from `exact`, or from `logZ` with its error",
                        model.kind()
                    );
                    Error::spec(field, problem)
                })
            }
        }
    }

    /// The support: in a sum that of all parts.
    fn constraints(&self, models: &[Box<dyn Model>]) -> Result<Vec<HalfSpace>> {
        let of = |model: &dyn Model| {
            model.as_differentiable().map_or_else(Vec::new, |model| model.constraints().to_vec())
        };
        let each: Vec<Vec<HalfSpace>> = models.iter().map(|model| of(&**model)).collect();
        for (at, constraints) in each.iter().enumerate() {
            let problem = match self.how {
                Combination::Either if *constraints != each[0] => {
                    "has other constraints than the first part, and states of one of them would have no \
                     energy in the other; give all parts the same"
                }
                Combination::Sum if !constraints.is_empty() && self.parts[at].weight < 0.0 => {
                    "has constraints, outside of which a negative weight would have it rise without end; \
                     give it a positive weight"
                }
                _ => continue,
            };
            return Err(Error::spec(field(at), problem));
        }
        match self.how {
            Combination::Sum => Ok(each.concat()),
            Combination::Either => Ok(each.into_iter().next().unwrap_or_default()),
        }
    }

    /// Whether the states are rows of zeros and ones.
    pub fn is_binary(&self) -> bool {
        self.parts.first().is_some_and(|part| part.model.is_binary())
    }

    /// The combination of models of bits given a part of their state, and a constant to add to its energy.
    ///
    /// # Errors
    /// Any error of a part's spec; [`Error::InvalidSpec`], naming the field under `observed`.
    #[cfg(feature = "full")]
    pub(crate) fn given(&self, observed: &crate::conditional::ObservedSpec) -> Result<(Self, f64)> {
        let model = self.build()?;
        let mut constant = 0.0;
        let mut parts = Vec::with_capacity(self.parts.len());
        for (part, built) in self.parts.iter().zip(&model.parts) {
            let given = part.model.given(observed)?;
            let log_z = match self.how {
                Combination::Sum => {
                    constant += part.weight * given.constant;
                    None
                }
                Combination::Either => Some(built.log_z + given.constant),
            };
            parts.push(CombinedPart { model: given.model, weight: part.weight, log_z });
        }
        Ok((Self { how: self.how, parts }, constant))
    }

    /// Small models for the laws: sums and mixtures of bits and of numbers, NOT, a temperature, one within
    /// another, with constraints and without.
    pub fn examples() -> Vec<Self> {
        use crate::formula::FormulaSpec;
        use crate::gaussian::GaussianSpec;
        use crate::ising::{IsingSpec, Pattern};
        use crate::mixture::MixtureSpec;
        use crate::rbm::RbmSpec;
        use crate::ring::RingSpec;

        let part = |model, weight, log_z| CombinedPart { model, weight, log_z };
        let sum = |parts| Self { how: Combination::Sum, parts };
        let either = |parts| Self { how: Combination::Either, parts };
        let ising = || ModelSpec::Ising(IsingSpec::random(5, Pattern::Dense {}, 0.5, 7));
        let rbm = || ModelSpec::Rbm(RbmSpec::random(5, 3, 0.6, 8));
        let gaussian = |precision: [f64; 4], mean: [f64; 2]| {
            ModelSpec::Gaussian(GaussianSpec {
                dim: 2,
                mean: Some(mean.to_vec()),
                precision: Some(precision.to_vec()),
                covariance: None,
            })
        };
        let mixture = || ModelSpec::Mixture(MixtureSpec::examples()[1].clone());
        let formula = |expression: &str, constraints| {
            ModelSpec::Formula(FormulaSpec {
                expression: expression.into(),
                constraints,
                ..FormulaSpec::examples().swap_remove(0)
            })
        };
        let above = || vec![HalfSpace { normal: vec![1.0, 0.5], offset: -1.0 }];
        vec![
            sum(vec![part(ising(), 0.5, None), part(rbm(), 1.5, None)]),
            sum(vec![part(rbm(), 1.0, None), part(ising(), -0.3, None)]),
            either(vec![part(ising(), 2.0, Some(1.2)), part(rbm(), 1.0, Some(5.5))]),
            sum(vec![
                part(gaussian([2.0, 0.5, 0.5, 1.0], [0.5, -1.0]), 1.0, None),
                part(gaussian([0.5, -0.2, -0.2, 0.4], [1.0, 1.0]), -0.7, None),
                part(mixture(), 2.0, None),
            ]),
            either(vec![
                part(gaussian([2.0, 0.5, 0.5, 1.0], [0.5, -1.0]), 1.0, None),
                part(mixture(), 3.0, None),
                part(ModelSpec::Ring(RingSpec { radius: 2.0, sharpness: 5.0 }), 2.0, None),
            ]),
            sum(vec![
                part(
                    ModelSpec::Combined(either(vec![
                        part(mixture(), 1.0, Some(0.3)),
                        part(formula("x^4/4 + y^2 - x*y", vec![]), 1.0, Some(-0.5)),
                    ])),
                    1.2,
                    None,
                ),
                part(formula("(x - y)^2/2", above()), 0.5, None),
            ]),
        ]
    }
}

/// The name of a part.
fn field(at: usize) -> String {
    format!("model.parts[{at}]")
}

/// Checks that the parts are models of the same states.
fn check_states(models: &[Box<dyn Model>]) -> Result<()> {
    let is_binary = |model: &dyn Model| model.as_site_flips().is_some();
    let first = &*models[0];
    for (at, model) in models.iter().enumerate() {
        let refuse = |problem: String| Err(Error::spec(format!("{}.model", field(at)), problem));
        let kind = model.kind();
        if model.as_sites().is_some() || model.as_softmax_units().is_some() {
            return refuse(format!(
                "is {kind}, and energies of sites of several values and of counts are not combined; use \
                 models of bits or of real numbers"
            ));
        }
        if !is_binary(&**model) && model.as_differentiable().is_none() {
            return Err(Error::missing(kind, "Differentiable", "a combination of energies"));
        }
        if is_binary(&**model) != is_binary(first) {
            let states = |model: &dyn Model| match is_binary(model) {
                true => "bits",
                false => "real numbers",
            };
            return refuse(format!(
                "is {kind}, whose states are {}, and those of the first part are {}; combine models of the \
                 same states",
                states(&**model),
                states(first)
            ));
        }
        if model.dim() != first.dim() {
            return refuse(format!(
                "has states of {} entries, and the first part has {}; make them equal",
                model.dim(),
                first.dim()
            ));
        }
    }
    match is_binary(first) {
        true => check_count("model.parts[0].model.dim", first.dim(), 1, MAX_BITS, "sites"),
        false => Ok(()),
    }
}
