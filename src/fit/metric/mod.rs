//! Metrics on the parameters of a model, and the coordinates in which
//! they are the identity: the natural gradient (Amari 1998; Sohl-Dickstein
//! 2012, chapter 4).
//!
//! A metric G(θ) gives a small step the length `|dθ|² = dθᵀG dθ`, meant to say
//! how much the step changes the model. Steepest descent in this length goes
//! down the natural gradient `G⁻¹∇J` (eq. 4.26).
//!
//! | kind | G | average over | eq. |
//! |---|---|---|---|
//! | `fisher` | `⟨(∂E − m)(∂E − m)ᵀ⟩` | the model | 4.30 |
//! | `empiricalFisher` | `⟨(∂E − m)(∂E − m)ᵀ⟩` | the data | 4.31 |
//! | `energyApproximation` | `⟨∂E ∂Eᵀ⟩` | the data | 4.33 |
//! | `energyCovariance` | `⟨(∂E − m′)(∂E − m′)ᵀ⟩` | the data | not in the thesis |
//!
//! ∂E is the gradient of the energy by the parameters and m its mean over the
//! model, so that `∂E − m = −∂ log p(x)`; m′ is its mean over the data, which m
//! becomes where the likelihood is greatest. The first two visit all 2^D states of
//! a binary model; of one on ℝᴰ the first averages over exact draws and the second
//! takes m = −∂ log Z, where the model has them. The others need the data alone.
//!
//! The energy approximation ignores ∂ log Z = −m and so contains m mᵀ, which all but stops gradient
//! descent in one direction; the covariance does not. For gradient descent of minimum probability
//! flow on draws of an Ising model of 12 sites, the fraction of the gap that remains after 200
//! steps at the best rate is: plain 1e-2, energy approximation 4e-2, Fisher 7e-4, energy covariance
//! less than 1e-14.
//!
//! The metric is taken at the parameters a fit starts from and kept (4.2.7), or taken anew after some steps.
//!
//! The group of invertible matrices gives filters W another length ([`relative`]; 4.43).

mod inverse;
mod moments;
pub mod relative;
mod whitened;

pub use inverse::Damping;
pub use moments::{States, mean_gradient, over_draws, second_moments};
pub use relative::Relative;
pub use whitened::Whitened;

use super::check_binary;
use crate::energy::{Parametric, enumeration};
use crate::models::Model;
use crate::rng::{Purpose, stream};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Maximum number of parameters of a full metric. Its eigenvalues take some P³ operations that
/// cannot be interrupted; its memory, 8P² bytes, is 2 MiB here.
pub const MAX_FULL_PARAMS: usize = 512;

/// Maximum number of multiplications for the average, which cannot be interrupted either: one or
/// two seconds.
const MAX_PRODUCTS: u64 = 1 << 31;

/// Number of exact draws over which the Fisher information of a model on ℝᴰ is averaged.
pub const NUM_DRAWS: usize = 10_000;

/// The kinds of metric; see the module documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, rename = "MetricKind"))]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// The Fisher information, averaged over the model: up to 20 sites; on real numbers over 10,000 exact draws, of
    /// models that have them.
    Fisher,
    /// The Fisher information, averaged over the data: up to 20 sites; on real numbers where ∂ log Z is known.
    EmpiricalFisher,
    /// Products of the energy's derivatives, averaged over the data, as if the
    /// normalization did not depend on the parameters.
    EnergyApproximation,
    /// The covariance of the energy's derivatives over the data: the Fisher information if the
    /// model's distribution were that of the data.
    EnergyCovariance,
}

impl Kind {
    /// The kind, as in the spec.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fisher => "fisher",
            Self::EmpiricalFisher => "empiricalFisher",
            Self::EnergyApproximation => "energyApproximation",
            Self::EnergyCovariance => "energyCovariance",
        }
    }
}

/// Which entries of a metric are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, rename = "MetricForm"))]
#[serde(rename_all = "camelCase")]
pub enum Form {
    /// All of them: up to 512 parameters.
    Full,
    /// The diagonal (eq. 4.34): as many numbers as parameters.
    Diagonal,
}

/// A metric at some parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Metric {
    /// G, symmetric, row-major `[P, P]`.
    Full {
        /// The number of parameters, P.
        num_params: usize,
        /// The entries.
        entries: Vec<f64>,
    },
    /// The diagonal of G, `[P]`.
    Diagonal(Vec<f64>),
}

impl Metric {
    /// The metric of a model at its present parameters on these data. Draws depend on the seed.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] if the model has no parameters, hides some of the data's variables, or lacks what
    /// the kind needs; [`Error::InvalidSpec`] if its dimension is not the data's, or the metric is not finite;
    /// [`Error::TooLarge`] where the metric would take too much memory or time.
    pub fn new(
        model: &dyn Model,
        data: &States<'_>,
        kind: Kind,
        form: Form,
        seed: u64,
    ) -> Result<Self> {
        let parametric = check_model(model, data)?;
        let num_params = parametric.params().len();
        check_size(num_params, data, kind, form)?;
        let metric = match kind {
            Kind::Fisher => over_draws(parametric, &draws(model, seed)?, form),
            Kind::EmpiricalFisher => {
                let mean = model_mean_gradient(model, parametric)?;
                second_moments(parametric, data, &mean, form)
            }
            Kind::EnergyApproximation => {
                second_moments(parametric, data, &vec![0.0; num_params], form)
            }
            Kind::EnergyCovariance => over_draws(parametric, data, form),
        };
        if !metric.entries().iter().all(|entry| entry.is_finite()) {
            return Err(Error::spec(
                "init",
                "starts from parameters at which the metric is not finite; start from smaller ones",
            ));
        }
        Ok(metric)
    }

    /// The entries kept, row-major.
    pub fn entries(&self) -> &[f64] {
        match self {
            Self::Full { entries, .. } => entries,
            Self::Diagonal(entries) => entries,
        }
    }
}

/// Refuses a model without a metric on these data.
fn check_model<'m>(model: &'m dyn Model, data: &States<'_>) -> Result<&'m dyn Parametric> {
    const NEEDED_BY: &str = "a metric on the parameters";
    let missing = |capability| Error::missing(model.kind(), capability, NEEDED_BY);
    match data {
        States::Bits(rows) => check_binary(model, rows, NEEDED_BY)?,
        // The energy of a row is not known where variables are hidden.
        States::Reals { .. } if model.as_generative().is_some() => {
            return Err(missing("Differentiable"));
        }
        States::Reals { .. } => {}
    }
    model.as_parametric().ok_or_else(|| missing("Parametric"))
}

/// The states of the model: all of a binary one, weighted by their probabilities, or exact draws.
fn draws(model: &dyn Model, seed: u64) -> Result<States<'static>> {
    if let Some(flips) = model.as_site_flips() {
        return Ok(States::Bits(Cow::Owned(enumeration::distribution(flips)?)));
    }
    let reference = model
        .as_reference()
        .ok_or_else(|| Error::missing(model.kind(), "Reference", "the metric fisher"))?;
    let dim = model.dim();
    let mut rng = stream(seed, Purpose::MetricDraws, 0);
    let mut values = vec![0.0; NUM_DRAWS * dim];
    values.chunks_exact_mut(dim).for_each(|state| reference.draw(&mut rng, state));
    Ok(States::Reals { dim, values: Cow::Owned(values) })
}

/// The mean of ∂E over the model: of one on ℝᴰ it is −∂ log Z.
fn model_mean_gradient(model: &dyn Model, parametric: &dyn Parametric) -> Result<Vec<f64>> {
    if model.as_site_flips().is_some() {
        return Ok(mean_gradient(parametric, &draws(model, 0)?));
    }
    let log_z = model.as_log_z_gradient().ok_or_else(|| {
        Error::missing(model.kind(), "LogZGradient", "the metric empiricalFisher")
    })?;
    let mut mean = vec![0.0; parametric.params().len()];
    log_z.accumulate_log_z_grad(-1.0, &mut mean);
    Ok(mean)
}

fn check_size(num_params: usize, data: &States<'_>, kind: Kind, form: Form) -> Result<()> {
    let (dim, is_binary) = (data.dim(), matches!(data, States::Bits(_)));
    let too_large = |field: &str, problem| {
        Err(Error::TooLarge { field: format!("optimizer.coordinates.{field}"), problem })
    };
    if form == Form::Full && num_params > MAX_FULL_PARAMS {
        let mebibytes = (num_params as u64).pow(2) >> 17;
        return too_large(
            "form",
            format!(
                "is full, and with {num_params} parameters the metric would take {mebibytes} MiB and \
                 its eigenvalues {num_params}³ operations at once: the limit is {MAX_FULL_PARAMS} \
                 parameters; choose diagonal"
            ),
        );
    }
    if is_binary
        && matches!(kind, Kind::Fisher | Kind::EmpiricalFisher)
        && dim > enumeration::MAX_DIM
    {
        return too_large(
            "metric",
            format!(
                "is {}, which visits all 2^{dim} states of the model: the limit is {} sites; choose \
                 energyCovariance",
                kind.name(),
                enumeration::MAX_DIM
            ),
        );
    }
    let num_states = match (kind, is_binary) {
        (Kind::Fisher, true) => 1 << dim,
        (Kind::Fisher, false) => NUM_DRAWS as u64,
        _ => data.len() as u64,
    };
    let products = match form {
        Form::Full => (num_params * (num_params + 1) / 2) as u64,
        Form::Diagonal => num_params as u64,
    };
    if num_states.saturating_mul(products) > MAX_PRODUCTS {
        return too_large(
            "form",
            format!(
                "makes {products} products for each of {num_states} states, more than 2^31 at once; \
                 choose {}",
                match form {
                    Form::Full => "diagonal",
                    Form::Diagonal => "other coordinates or fewer rows",
                }
            ),
        );
    }
    Ok(())
}
