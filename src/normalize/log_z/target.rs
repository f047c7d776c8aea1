//! What is normalized: the model, and the rows whose likelihood is asked for.

mod paths;
mod rows;

use crate::bits::BitMatrix;
use crate::energy::{Differentiable, Energy, Reference};
use crate::exact::{ExactDraws, exact_draws};
use crate::models::gaussian::{Gaussian, PrincipalAxes};
use crate::models::{Model, ModelSpec};
use crate::normalize::log_z::spec::{LogZSpec, ReverseStartSpec};
use crate::sample::hmc::HmcSpec;
use crate::sample::path_spec::PathSpec;
use crate::sample::spec::TransitionSpec;
use crate::{Error, FULL, Result};
use paths::reference;
use rows::Rows;

/// Default γ of Hamiltonian annealed importance sampling: half the momentum's power is replaced per
/// unit time at ε = 0.2, 1 − 2^(−0.2).
const MOMENTUM_REFRESH: f64 = 0.129_449_436_703_876;

/// The initial step size, if it must be found.
pub const FIRST_STEP_SIZE: f64 = 0.2;

/// Maximum number of values of the last states in a result.
const MAX_KEPT: usize = 1 << 24;

/// A model and rows.
pub struct Target {
    pub model: Box<dyn Model>,
    rows: Rows,
    /// The model in a rotated basis, annealed in its place if that is faster.
    pub rotated: Option<RotatedBasis>,
}

/// Whether a model's states are rows of bits.
fn is_binary(model: &dyn Model) -> bool {
    model.as_site_flips().is_some() || model.as_sites().is_some()
}

/// A Gaussian along its principal axes, and an isotropic reference. Chains between them are the
/// rotated ones, and a gradient takes D operations instead of D².
pub struct RotatedBasis {
    pub axes: PrincipalAxes,
    reference: Gaussian,
}

impl Target {
    /// Checks that there are exact draws, if they are asked for, and that rows match the model.
    ///
    /// # Errors
    /// Any error of the model's spec; [`Error::MissingCapability`]; [`Error::InvalidSpec`] if
    /// dimensions differ.
    pub fn new(spec: &LogZSpec, data: Option<&BitMatrix>) -> Result<Self> {
        let model = spec.model.build()?;
        if model.as_softmax_units().is_some() && model.as_sites().is_none() {
            let needed_by = "annealing (of up to 20 hidden units `energies` has log Z of each row)";
            return Err(Error::missing(model.kind(), "a path of distributions", needed_by));
        }
        let rows = Rows::new(&*model, spec, data)?;
        let mut target = Self { model, rows, rotated: None };
        target.check_reverse(spec)?;
        target.check_kept_states(spec)?;
        target.rotated = target.rotated_basis(spec);
        Ok(target)
    }

    fn rotated_basis(&self, spec: &LogZSpec) -> Option<RotatedBasis> {
        let num_steps = (spec.num_chains as u64).saturating_mul(spec.num_distributions as u64);
        let is_worth = || PrincipalAxes::pay_off(num_steps, self.model.dim());
        let is_geometric = spec.path == PathSpec::Geometric {};
        if !(is_worth() && is_geometric && self.transition(spec).is_continuous()) {
            return None;
        }
        let reference = match reference(spec, self.model.dim()).ok()? {
            ModelSpec::Gaussian(spec) => spec.build().ok()?,
            _ => return None,
        };
        if !reference.is_isotropic() || reference.dim() != self.model.dim() {
            return None;
        }
        let axes = self.model.principal_axes()?;
        Some(RotatedBasis { reference: axes.rotate(&reference)?, axes })
    }

    /// Number of distributions to normalize: one, or one per row for generative models.
    pub fn count(&self) -> usize {
        match (&self.rows, self.model.as_generative()) {
            (Rows::Observed { states, .. }, Some(generative)) => {
                states.len() / generative.num_observed()
            }
            _ => 1,
        }
    }

    /// The model of a target.
    pub fn model_of(&self, target: usize) -> Box<dyn Model> {
        match (&self.rows, self.model.as_generative()) {
            (Rows::Observed { states, .. }, Some(generative)) => {
                let width = generative.num_observed();
                self.model
                    .given(&states[target * width..(target + 1) * width])
                    .expect("a generative model")
            }
            _ => self.model.boxed_clone(),
        }
    }

    /// The model to which chains are annealed: the model itself, or that in the rotated basis.
    pub fn annealed(&self, target: usize) -> Box<dyn Model> {
        match &self.rotated {
            Some(rotated) if FULL => rotated.axes.along().boxed_clone(),
            _ => self.model_of(target),
        }
    }

    /// Whether states are rows of bits.
    pub fn is_binary(&self) -> bool {
        is_binary(&*self.model)
    }

    fn check_reverse(&self, spec: &LogZSpec) -> Result<()> {
        let starts_exactly = spec
            .reverse
            .as_ref()
            .is_some_and(|reverse| reverse.start == ReverseStartSpec::Exact {});
        if !starts_exactly || self.model.as_reference().is_some() {
            return Ok(());
        }
        if self.exact_draws().is_none() {
            return Err(Error::missing(
                self.model.kind(),
                "exact draws",
                "reverse runs that start exactly (start them from the forward runs)",
            ));
        }
        Ok(())
    }

    fn check_kept_states(&self, spec: &LogZSpec) -> Result<()> {
        if !spec.keep_states {
            return Ok(());
        }
        if self.model.as_generative().is_some() {
            let problem = "is true, and a generative model has runs for each row; leave it out";
            return Err(Error::spec("keepStates", problem));
        }
        if spec.num_chains.saturating_mul(self.model.dim()) > MAX_KEPT {
            return Err(Error::TooLarge {
                field: "keepStates".into(),
                problem: format!("asks for more than {MAX_KEPT} numbers; use fewer chains"),
            });
        }
        Ok(())
    }

    /// Exact draws from a binary model, if it is small or simple enough.
    pub fn exact_draws(&self) -> Option<Box<dyn ExactDraws>> {
        exact_draws(&*self.model)
    }

    /// log Z in closed form, if a model on ℝᴰ knows it.
    pub fn known_log_z(&self) -> Option<f64> {
        self.model.as_reference().map(Reference::log_z)
    }

    /// The exponent a of a model on ℝᴰ whose tails fall like |x|^−a.
    pub fn tail_exponent(&self) -> Option<f64> {
        self.model.as_differentiable().and_then(Differentiable::tail_exponent)
    }

    /// The transition of the spec, or the default one.
    pub fn transition(&self, spec: &LogZSpec) -> TransitionSpec {
        spec.transition.clone().unwrap_or_else(|| {
            if !self.is_binary() {
                TransitionSpec::Hmc(HmcSpec {
                    num_leapfrog_steps: 1,
                    momentum_refresh: MOMENTUM_REFRESH,
                    ..Default::default()
                })
            } else if self.model.as_hidden_units().is_some() {
                TransitionSpec::BlockGibbs {}
            } else {
                TransitionSpec::Gibbs { scan: Default::default() }
            }
        })
    }

    /// Whether pilot runs find step sizes.
    pub fn adapts_steps(&self, spec: &LogZSpec) -> bool {
        let transition = self.transition(spec);
        transition.is_continuous() && transition.adaptation().is_some()
    }
}
