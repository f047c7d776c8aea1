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
use std::borrow::Cow;
use unnorm_wire::spec;

/// Maximum number of parameters of a full metric. Its eigenvalues take some P³ operations that
/// cannot be interrupted; its memory, 8P² bytes, is 2 MiB here.
pub const MAX_FULL_PARAMS: usize = 512;

/// Maximum number of multiplications for the average, which cannot be interrupted either: one or
/// two seconds.
const MAX_PRODUCTS: u64 = 1 << 31;

/// Number of exact draws over which the Fisher information of a model on ℝᴰ is averaged.
pub const NUM_DRAWS: usize = 10_000;

/// The kinds of metric; see the module documentation.
#[spec(name = "MetricKind")]
#[derive(Copy, Eq)]
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
#[spec(name = "MetricForm")]
#[derive(Copy, Eq)]
pub enum Form {
    /// All of them: up to 512 parameters.
    Full,
    /// Products of parameters of the same group (section 4.2.5), of models that have groups, such as the weights and
    /// the bias of a unit: up to 512 a group.
    Blocks,
    /// The diagonal (eq. 4.34): as many numbers as parameters.
    Diagonal,
}

impl Form {
    /// The groups of parameters whose products with each other are kept; none for the diagonal.
    fn groups(self, model: &dyn Parametric) -> Result<Vec<Vec<usize>>> {
        match self {
            Self::Full => Ok(vec![(0..model.params().len()).collect()]),
            Self::Diagonal => Ok(Vec::new()),
            Self::Blocks => {
                #[cfg(feature = "full")]
                let groups = model.groups();
                #[cfg(not(feature = "full"))]
                let groups: Option<Vec<usize>> = None;
                let groups = groups.ok_or_else(|| {
                    let problem = "is blocks, and parameters of this model are in no groups; choose full or diagonal";
                    Error::spec("optimizer.coordinates.form", problem)
                })?;
                let count = groups.iter().max().map_or(0, |last| last + 1);
                let mut members = vec![Vec::new(); count];
                groups.iter().enumerate().for_each(|(param, group)| members[*group].push(param));
                members.retain(|group| !group.is_empty());
                Ok(members)
            }
        }
    }
}

/// A metric at some parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Metric {
    /// G is zero between the blocks; each parameter is in one.
    Blocks {
        /// The number of parameters, P.
        num_params: usize,
        /// The blocks: one of all parameters if G is full.
        blocks: Vec<Block>,
    },
    /// The diagonal of G, `[P]`.
    Diagonal(Vec<f64>),
}

/// A block of a metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Its parameters, ascending.
    pub params: Vec<usize>,
    /// Its entries, symmetric, row-major.
    pub entries: Vec<f64>,
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
        let groups = form.groups(parametric)?;
        check_size(num_params, &groups, data, kind)?;
        let metric = match kind {
            Kind::Fisher => over_draws(parametric, &draws(model, seed)?, &groups),
            Kind::EmpiricalFisher => {
                let mean = model_mean_gradient(model, parametric)?;
                second_moments(parametric, data, &mean, &groups)
            }
            Kind::EnergyApproximation => {
                second_moments(parametric, data, &vec![0.0; num_params], &groups)
            }
            Kind::EnergyCovariance => over_draws(parametric, data, &groups),
        };
        if !metric.entries().all(|entry| entry.is_finite()) {
            return Err(Error::spec(
                "init",
                "starts from parameters at which the metric is not finite; start from smaller ones",
            ));
        }
        Ok(metric)
    }

    /// The entries kept.
    fn entries(&self) -> impl Iterator<Item = f64> {
        let (blocks, diagonal): (&[Block], &[f64]) = match self {
            Self::Blocks { blocks, .. } => (blocks, &[]),
            Self::Diagonal(entries) => (&[], entries),
        };
        blocks.iter().flat_map(|block| &block.entries).chain(diagonal).copied()
    }

    /// G, row-major `[P, P]`.
    pub fn to_matrix(&self) -> Vec<f64> {
        match self {
            Self::Blocks { num_params, blocks } => {
                let mut matrix = vec![0.0; num_params * num_params];
                for Block { params, entries } in blocks {
                    for (i, line) in params.iter().zip(entries.chunks_exact(params.len())) {
                        params
                            .iter()
                            .zip(line)
                            .for_each(|(j, entry)| matrix[i * num_params + j] = *entry);
                    }
                }
                matrix
            }
            Self::Diagonal(entries) => {
                let mut matrix = vec![0.0; entries.len() * entries.len()];
                let places = matrix.iter_mut().step_by(entries.len() + 1);
                places.zip(entries).for_each(|(place, entry)| *place = *entry);
                matrix
            }
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

fn check_size(
    num_params: usize,
    groups: &[Vec<usize>],
    data: &States<'_>,
    kind: Kind,
) -> Result<()> {
    let (dim, is_binary) = (data.dim(), matches!(data, States::Bits(_)));
    let too_large = |field: &str, problem| {
        Err(Error::TooLarge { field: format!("optimizer.coordinates.{field}"), problem })
    };
    let cubes = groups.iter().map(|group| (group.len() as u64).saturating_pow(3));
    let num_operations = cubes.fold(0, u64::saturating_add);
    if num_operations > (MAX_FULL_PARAMS as u64).pow(3) {
        let largest = groups.iter().map(Vec::len).max().unwrap_or_default();
        return too_large(
            "form",
            format!(
                "takes the eigenvalues of {} of up to {largest} parameters, some {num_operations} operations at \
                 once: the limit is {MAX_FULL_PARAMS}³; choose {}",
                if groups.len() == 1 {
                    "a matrix".into()
                } else {
                    format!("{} blocks", groups.len())
                },
                if groups.len() == 1 { "blocks or diagonal" } else { "diagonal" },
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
    let is_diagonal = groups.is_empty();
    let products = match is_diagonal {
        true => num_params as u64,
        false => groups.iter().map(|group| (group.len() * (group.len() + 1) / 2) as u64).sum(),
    };
    if num_states.saturating_mul(products) > MAX_PRODUCTS {
        return too_large(
            "form",
            format!(
                "makes {products} products for each of {num_states} states, more than 2^31 at once; \
                 choose {}",
                if is_diagonal { "other coordinates or fewer rows" } else { "diagonal" }
            ),
        );
    }
    Ok(())
}
