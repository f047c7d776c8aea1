//! Makes what an objective's spec asks for: sums over rows of bits, or losses at rows of numbers.
//! Each is refused if it does not match the model.

use super::rows::{Distinct, Rows};
use crate::bits::WeightedRows;
use crate::energy::Objective;
use crate::energy::connectivity::ConnectivitySpec;
use crate::fit::job::spec::{FitSpec, ObjectiveSpec, OptimizerSpec};
#[cfg(feature = "full")]
use crate::fit::noise_contrastive::NoiseContrastive;
use crate::fit::reals::ball::BallFlow;
use crate::fit::reals::denoising::{DenoisingScoreMatching, Noise};
use crate::fit::reals::maximum_likelihood::MaximumLikelihood;
use crate::fit::reals::score_matching::ScoreMatching;
use crate::fit::reals::sliced::SlicedScoreMatching;
use crate::fit::reals::{RowLoss, RowSum};
use crate::fit::{maximum_likelihood, mpf, pseudolikelihood};
use crate::linalg::Batch;
use crate::models::product_of_experts::Expert;
use crate::models::{Model, ModelSpec};
use crate::{Error, FULL, Result, not_in_core};

/// The objective over all data.
///
/// # Errors
/// [`Error::MissingCapability`]; [`Error::InvalidSpec`] if the objective does not match the model
/// or the data; [`Error::TooLarge`].
pub fn over_all(
    spec: &FitSpec,
    model: &dyn Model,
    distinct: &Distinct<'_>,
) -> Result<Box<dyn Objective>> {
    #[cfg(feature = "full")]
    if let Some(objective) = noise_contrastive(spec, model, distinct)? {
        return Ok(Box::new(objective));
    }
    match (distinct.bits(), distinct.rows) {
        (Some(data), _) => over_bits(spec, model, data),
        (None, Rows::Reals(rows)) if FULL => {
            Ok(Box::new(RowSum::new(model, rows, loss(spec, model, rows)?)?))
        }
        _ => Err(not_in_core("states")),
    }
}

/// Noise-contrastive estimation, if the spec asks for it.
///
/// # Errors
/// As [`over_all`].
#[cfg(feature = "full")]
pub fn noise_contrastive(
    spec: &FitSpec,
    model: &dyn Model,
    distinct: &Distinct<'_>,
) -> Result<Option<NoiseContrastive>> {
    let ObjectiveSpec::NoiseContrastive { num_noise } = spec.objective else { return Ok(None) };
    refuse_generative(spec, model)?;
    let seed = spec.seed.unwrap_or(0);
    let objective = match (distinct.bits(), distinct.rows) {
        (None, Rows::Reals(rows)) => NoiseContrastive::of_reals(model, rows, num_noise, seed),
        (bits, _) => {
            let bits = bits.expect("rows are numbers or bits");
            NoiseContrastive::of_bits(model, bits, num_noise, seed)
        }
    };
    objective.map(Some)
}

/// The objective over rows of bits.
///
/// # Errors
/// As [`over_all`].
pub fn over_bits(
    spec: &FitSpec,
    model: &dyn Model,
    data: &WeightedRows,
) -> Result<Box<dyn Objective>> {
    match &spec.objective {
        ObjectiveSpec::Mpf { connectivity: Some(connectivity), exclude_data } => {
            mpf::objective(model, data, connectivity, *exclude_data, spec.seed.unwrap_or(0))
        }
        ObjectiveSpec::Pseudolikelihood {} => pseudolikelihood::objective(model, data),
        ObjectiveSpec::MaximumLikelihood {} => maximum_likelihood::objective(model, data),
        other => Err(only_reals(other)),
    }
}

/// Refuses generative models where the energy of the observed variables alone is needed.
///
/// # Errors
/// [`Error::InvalidSpec`].
pub fn refuse_generative(spec: &FitSpec, model: &dyn Model) -> Result<()> {
    if model.as_generative().is_some() {
        return Err(Error::spec(
            "objective.kind",
            format!(
                "is {}, which needs the energy of what is observed, and a model of kind {} has \
                 that of what is not; use expectationMaximization",
                spec.objective.kind(),
                model.kind()
            ),
        ));
    }
    Ok(())
}

/// The loss at rows of numbers.
///
/// # Errors
/// [`Error::MissingCapability`]; [`Error::InvalidSpec`].
pub fn loss(spec: &FitSpec, model: &dyn Model, rows: Batch<'_>) -> Result<Box<dyn RowLoss>> {
    refuse_generative(spec, model)?;
    if model.as_parametric().is_none() {
        return Err(Error::missing(model.kind(), "Parametric", "a fit"));
    }
    check_smooth(spec)?;
    let seed = spec.seed.unwrap_or(0);
    let is_stochastic = !matches!(spec.optimizer, Some(OptimizerSpec::Lbfgs(_)) | None);
    match &spec.objective {
        ObjectiveSpec::MaximumLikelihood {} => Ok(Box::new(MaximumLikelihood::new(model)?)),
        ObjectiveSpec::ScoreMatching { num_slices: None } => {
            Ok(Box::new(ScoreMatching::new(model)?))
        }
        ObjectiveSpec::ScoreMatching { num_slices: Some(num_slices) } => {
            Ok(Box::new(SlicedScoreMatching::new(model, rows, *num_slices, seed)?))
        }
        ObjectiveSpec::DenoisingScoreMatching { noise, noises, num_samples } => {
            // Minibatches draw anew for each update.
            let num_samples = if is_stochastic { 1 } else { *num_samples };
            let noise = match (noise, noises) {
                (_, Some(noises)) => Noise::Each(noises.clone()),
                (noise, None) => Noise::One(noise.expect("checked")),
            };
            Ok(Box::new(DenoisingScoreMatching::new(model, noise, num_samples, seed)?))
        }
        ObjectiveSpec::Mpf {
            connectivity: Some(ConnectivitySpec::Ball { radius, num_samples }),
            ..
        } => Ok(Box::new(BallFlow::new(*radius, *num_samples, seed))),
        other => unreachable!("{} is no loss at rows of numbers", other.kind()),
    }
}

/// Refuses objectives, and settings of theirs, that are for the other kind of data.
///
/// # Errors
/// [`Error::InvalidSpec`], naming the field.
pub fn check(spec: &FitSpec, rows: Rows<'_>) -> Result<()> {
    let is_binary = matches!(rows, Rows::Bits(_));
    if FULL {
        check_values(spec, rows)?;
        check_formula(spec, rows)?;
        #[cfg(feature = "full")]
        super::hidden_sites::check_spec(spec)?;
    }
    match &spec.objective {
        ObjectiveSpec::Pseudolikelihood {} | ObjectiveSpec::MeanField { .. } if !is_binary => {
            rows.bits(spec).map(|_| ())
        }
        ObjectiveSpec::ScoreMatching { .. }
        | ObjectiveSpec::DenoisingScoreMatching { .. }
        | ObjectiveSpec::ExpectationMaximization { .. }
            if is_binary =>
        {
            Err(only_reals(&spec.objective))
        }
        ObjectiveSpec::Mpf { connectivity, exclude_data } if !is_binary => {
            match connectivity {
                Some(ConnectivitySpec::Ball { .. }) => {}
                Some(other) => {
                    let problem = format!(
                        "is {}, which flips bits; on the reals give a ball, or another objective",
                        other.kind()
                    );
                    return Err(Error::spec("objective.connectivity.kind", problem));
                }
                None => {
                    let problem = "is missing; on the reals give a ball, or another objective";
                    return Err(Error::spec("objective.connectivity", problem));
                }
            }
            if *exclude_data {
                let problem = "is true, but neighbours drawn from a ball are never rows of the \
                               data; leave it out";
                return Err(Error::spec("objective.excludeData", problem));
            }
            Ok(())
        }
        _ if is_binary && spec.objective.transition().is_some() => Err(Error::spec(
            "objective.transition",
            "is for models on the reals; the chains of binary ones go by Gibbs sampling: leave it \
             out",
        )),
        objective if is_binary => match objective.setting_on_reals() {
            Some((field, value)) => Err(Error::spec(
                field,
                format!("is {value}, and is for chains on the reals only; leave it out"),
            )),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Refuses what models of several values, and of counts, are not fitted by, and rows that are not
/// theirs.
fn check_values(spec: &FitSpec, rows: Rows<'_>) -> Result<()> {
    let refuse = |what: &str, how: &str| {
        let kind = spec.objective.kind();
        Err(Error::spec("objective.kind", format!("is {kind}, and {what} are fitted by {how}")))
    };
    if spec.model.has_site_values() {
        return check_site_values(spec, rows);
    }
    match (&spec.model, rows, &spec.objective) {
        (
            ModelSpec::CategoricalRbm(machine),
            Rows::Bits(data),
            ObjectiveSpec::ContrastiveDivergence { .. },
        ) => machine.build()?.sites().check_partial_rows(data),
        (
            ModelSpec::CategoricalRbm(machine),
            Rows::Bits(data),
            ObjectiveSpec::PersistentContrastiveDivergence { .. },
        ) => machine.build()?.sites().check_rows(data).map_err(|error| match error {
            Error::InvalidData { field, problem } => Error::data(
                field,
                format!("{problem}, or fit by contrastiveDivergence, which takes rows with gaps"),
            ),
            other => other,
        }),
        (
            ModelSpec::ReplicatedSoftmax(model),
            Rows::Reals(states),
            ObjectiveSpec::ContrastiveDivergence { .. }
            | ObjectiveSpec::PersistentContrastiveDivergence { .. },
        ) => {
            if let Some((field, value)) = spec.objective.setting_on_reals() {
                let problem =
                    format!("is {value}, which chains of documents do not have; leave it out");
                return Err(Error::spec(field, problem));
            }
            if spec.objective.transition().is_some() {
                let problem = "is for models on the reals; chains of documents go by Gibbs sampling: \
                               leave it out";
                return Err(Error::spec("objective.transition", problem));
            }
            model.build()?;
            let numbers = states.data();
            match numbers.iter().position(|count| !(*count >= 0.0 && count.fract() == 0.0)) {
                None => Ok(()),
                Some(at) => Err(Error::spec(
                    format!("states[{at}]"),
                    format!("is {}; counts of words are 0, 1, 2 and so on", numbers[at]),
                )),
            }
        }
        (ModelSpec::CategoricalRbm(_) | ModelSpec::ReplicatedSoftmax(_), ..) => refuse(
            "models with softmax units",
            "contrastiveDivergence or persistentContrastiveDivergence; choose one of them",
        ),
        _ => Ok(()),
    }
}

/// Refuses what models whose sites have several values are not fitted by, and rows that are no states.
fn check_site_values(spec: &FitSpec, rows: Rows<'_>) -> Result<()> {
    match &spec.objective {
        ObjectiveSpec::Pseudolikelihood {} | ObjectiveSpec::MaximumLikelihood {} => {}
        ObjectiveSpec::Mpf { connectivity, exclude_data } => {
            if let Some(other) = connectivity
                && *other != (ConnectivitySpec::SingleFlips {})
            {
                let problem = format!(
                    "is {}, which flips bits, and sites of several values change them one at a time; use \
                     singleFlips, or leave it out",
                    other.kind()
                );
                return Err(Error::spec("objective.connectivity.kind", problem));
            }
            if *exclude_data {
                let problem = "is true, and the flow of sites of several values keeps neighbours that are \
                               data; leave it out";
                return Err(Error::spec("objective.excludeData", problem));
            }
        }
        other => {
            let problem = format!(
                "is {}, and models of sites of several values are fitted by pseudolikelihood, mpf or, where \
                 there are few states, maximumLikelihood; choose one of them",
                other.kind()
            );
            return Err(Error::spec("objective.kind", problem));
        }
    }
    match (spec.model.build()?.as_sites(), rows) {
        (Some(sites), Rows::Bits(data)) => sites.check_rows(data),
        // Rows of the wrong kind are refused where they are read.
        _ => Ok(()),
    }
}

/// Refuses formulas without parameters, rows outside of the support, and objectives that would have to
/// know what happens at its boundary.
fn check_formula(spec: &FitSpec, rows: Rows<'_>) -> Result<()> {
    let ModelSpec::Formula(formula) = &spec.model else { return Ok(()) };
    if formula.build()?.provide_parametric().is_none() {
        let problem = "is missing; name what is to be fitted, with values to start from, e.g. \
                       { a: 1, b: 0 }";
        return Err(Error::spec("model.params", problem));
    }
    let Rows::Reals(states) = rows else { return Ok(()) };
    if formula.constraints.is_empty() {
        return Ok(());
    }
    let is_inside = |state: &[f64]| formula.constraints.iter().all(|half| half.contains(state));
    if let Some(row) = states.states().position(|state| !is_inside(state)) {
        let problem = format!(
            "row {row} is outside of the model's constraints, where its probability is 0; take it \
             out, or widen them"
        );
        return Err(Error::data("states", problem));
    }
    match &spec.objective {
        ObjectiveSpec::Mpf { .. }
        | ObjectiveSpec::ScoreMatching { .. }
        | ObjectiveSpec::DenoisingScoreMatching { .. } => Err(Error::spec(
            "objective.kind",
            format!(
                "is {}, which knows nothing of the boundary that the model's constraints make; use \
                 noiseContrastive, persistentContrastiveDivergence, contrastiveDivergence or \
                 persistentMpf",
                spec.objective.kind()
            ),
        )),
        _ => Ok(()),
    }
}

/// Refuses score matching of Laplace experts, and of formulas with |u|, minima or maxima: |u| has no
/// second derivative at 0, where the objective would need the jump of the first.
fn check_smooth(spec: &FitSpec) -> Result<()> {
    let (is_laplace, has_kinks) = match &spec.model {
        ModelSpec::Ica(_) => (true, false),
        ModelSpec::ProductOfExperts(product) => (product.expert == Expert::Laplace, false),
        ModelSpec::Formula(formula) => (false, formula.build()?.has_kinks()),
        _ => (false, false),
    };
    match &spec.objective {
        ObjectiveSpec::ScoreMatching { .. } | ObjectiveSpec::DenoisingScoreMatching { .. }
            if has_kinks =>
        {
            Err(Error::spec(
                "objective.kind",
                format!(
                    "is {}, which takes second derivatives of the energy, and abs, min and max have \
                     none where they bend; use mpf with a ball or persistentContrastiveDivergence, \
                     or write something smooth, such as sqrt(x^2 + 0.0001) for abs(x)",
                    spec.objective.kind()
                ),
            ))
        }
        ObjectiveSpec::ScoreMatching { .. } | ObjectiveSpec::DenoisingScoreMatching { .. }
            if is_laplace =>
        {
            Err(Error::spec(
                "objective.kind",
                format!(
                    "is {}, which takes second derivatives of the energy, and Laplace experts, \
                     |u|, have none at 0; use maximumLikelihood, mpf with a ball, or a product of \
                     Student's t experts",
                    spec.objective.kind()
                ),
            ))
        }
        _ => Ok(()),
    }
}

/// The error for an objective that binary models do not have.
pub fn only_reals(objective: &ObjectiveSpec) -> Error {
    Error::spec(
        "objective.kind",
        format!(
            "is {}, which is for models on the reals; fit a binary model by mpf, pseudolikelihood \
             or contrastiveDivergence",
            objective.kind()
        ),
    )
}
