//! Which distributions lie between a reference and a model: what annealing and tempering are told.

use super::param_path::{Knot, ParamPath, no_independent_sites};
use crate::checks::check_numbers;
use crate::models::Model;
use crate::{Error, Result};
use unnorm_wire::spec;

/// The distributions between reference and model.
#[spec]
pub enum PathSpec {
    /// Geometric averages. For binary models the parameters are averaged, so that with hidden units
    /// the joint distributions are.
    Geometric {},
    /// Gaussians whose moments are averaged (Grosse, Maddison and Salakhutdinov
    /// 2013, eq. 9 and 10), between two Gaussians.
    #[full]
    MomentAverages {},
    /// A path through given parameters of a binary model, straight from each knot to the next.
    Knots {
        /// β of the knots between reference and model, ascending.
        betas: Vec<f64>,
        /// The parameters of these knots, laid out as the model's own, one knot after another.
        params: Vec<f64>,
        /// The cost of each segment with one distribution, in nats, including the segments at both
        /// ends: half of `(η_j+1 − η_j)ᵀ (s_j+1 − s_j)`, with parameters η and moments s. The
        /// schedule `optimalBinned` uses these costs, one bin per segment, instead of a pilot run;
        /// nothing else uses them.
        costs: Option<Vec<f64>>,
    },
}

impl Default for PathSpec {
    fn default() -> Self {
        Self::Geometric {}
    }
}

impl PathSpec {
    /// The path from independent sites with these log odds, `[dim]`, to a model of bits.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] if the model has no such path; [`Error::InvalidSpec`], naming a field
    /// of the path.
    pub(crate) fn through_params(&self, model: &dyn Model, log_odds: &[f64]) -> Result<ParamPath> {
        let mut between: Vec<Knot> = Vec::new();
        match self {
            Self::Geometric {} => {}
            Self::MomentAverages {} => {
                let problem =
                    "is momentAverages, which is for two Gaussians; for a binary model use knots";
                return Err(Error::spec("path.kind", problem));
            }
            Self::Knots { betas, params, costs } => {
                let Some(parametric) = model.as_parametric() else {
                    return Err(no_independent_sites(model));
                };
                let num_params = parametric.params().len();
                check_numbers("path.params", params, betas.len() * num_params)?;
                if let Some(costs) = costs {
                    check_numbers("path.costs", costs, betas.len() + 1)?;
                }
                for (at, (&beta, params)) in
                    betas.iter().zip(params.chunks_exact(num_params)).enumerate()
                {
                    if !(beta > between.last().map_or(0.0, |knot| knot.beta) && beta < 1.0) {
                        return Err(Error::spec(
                            format!("path.betas[{at}]"),
                            format!("is {beta}; knots ascend between 0 and 1"),
                        ));
                    }
                    between.push(Knot { beta, params: params.to_vec() });
                }
            }
        }
        ParamPath::through(model.boxed_clone(), log_odds, between)
    }

    /// Refuses knots where a part of the state is observed.
    pub(crate) fn check_observed(&self) -> Result<()> {
        match self {
            Self::Knots { .. } => {
                let problem = "is knots, whose parameters are those of whole states; use geometric where \
                               something is observed";
                Err(Error::spec("path.kind", problem))
            }
            _ => Ok(()),
        }
    }
}
