//! Geometric averages on ℝᴰ, `E_β(x) = (1−β) E_reference(x) + β E_target(x)`
//! ([`crate::sample::annealed`]), from a reference with exact draws and a known log Z.
//!
//! If the target has constraints, so has the path, and only the part of the reference inside them
//! counts. For a Gaussian with constraints that are orthogonal in its metric, that part is known
//! ([`super::truncated_gaussian`]). Otherwise the draws are those of the whole reference, and **a
//! chain that would start outside has weight 0**. Still `E[w] = Z_K / Z_0`, with Z_0 that of the
//! whole reference. (For reverse chains `E[e^{−log w}]` is then smaller than Z_0 / Z_K by a factor,
//! the reference's probability inside the constraints.)

use super::truncated_gaussian::TruncatedGaussian;
use crate::energy::{HalfSpace, Reference};
use crate::models::{Model, ModelSpec};
use crate::rng::ChainRng;
use crate::sample::annealed::Annealed;
use crate::{Error, Result};

/// A geometric path on ℝᴰ.
pub struct GeometricPath {
    reference: Box<dyn Model>,
    target: Box<dyn Model>,
    /// The target's constraints, except those the reference has too.
    constraints: Vec<HalfSpace>,
    truncated: Option<TruncatedGaussian>,
}

/// Maximum number of draws to find one inside the constraints for a chain whose weight is 0 anyway.
const MAX_TRIES: usize = 1000;

const CHECKED: &str = "checked when the path was made";

impl GeometricPath {
    /// The path from a reference to a target.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if their dimensions differ; [`Error::MissingCapability`] if one has
    /// no gradient, or the reference has no exact draws.
    pub fn new(reference: Box<dyn Model>, target: Box<dyn Model>) -> Result<Self> {
        let missing = |model: &dyn Model, capability, needed_by| {
            Error::missing(model.kind(), capability, needed_by)
        };
        let Some(to) = target.as_differentiable() else {
            return Err(missing(&*target, "Differentiable", "annealing on the reals"));
        };
        let Some(from) = reference.as_differentiable() else {
            return Err(missing(&*reference, "Differentiable", "annealing on the reals"));
        };
        if reference.as_reference().is_none() {
            return Err(missing(
                &*reference,
                "exact draws and a known log Z",
                "a start of annealing",
            ));
        }
        if from.dim() != to.dim() {
            let problem = format!(
                "has {} dimensions, and the model has {}; give it as many",
                from.dim(),
                to.dim()
            );
            return Err(Error::spec("reference.model.dim", problem));
        }
        let mut constraints = to.constraints().to_vec();
        constraints.retain(|constraint| !from.constraints().contains(constraint));
        let truncated = match reference.spec() {
            ModelSpec::Gaussian(spec) if !constraints.is_empty() => {
                TruncatedGaussian::new(&spec.build()?, &constraints)
            }
            _ => None,
        };
        Ok(Self { reference, target, constraints, truncated })
    }

    /// The model at β = 0.
    pub fn reference(&self) -> &dyn Model {
        &*self.reference
    }

    /// The model at β = 1.
    pub fn target(&self) -> &dyn Model {
        &*self.target
    }

    /// log Z of the reference, in nats: inside the target's constraints if that is known, else
    /// without them.
    pub fn reference_log_z(&self) -> f64 {
        match &self.truncated {
            Some(truncated) => truncated.log_z(),
            None => self.as_reference().log_z(),
        }
    }

    /// Whether the reference's draws may lie outside the target's constraints, where a chain's
    /// weight is 0.
    pub fn may_start_outside(&self) -> bool {
        !self.constraints.is_empty() && self.truncated.is_none()
    }

    /// Draws a state at β = 0, and returns whether it lies inside the constraints. If not, `out` is
    /// another state that does, if one was found.
    ///
    /// # Panics
    /// If `out` does not have the dimension.
    pub fn draw_reference(&self, rng: &mut ChainRng, out: &mut [f64]) -> bool {
        if let Some(truncated) = &self.truncated {
            truncated.draw(rng, out);
            return true;
        }
        for num_tries in 0..MAX_TRIES {
            self.as_reference().draw(rng, out);
            if self.constraints.iter().all(|constraint| constraint.contains(out)) {
                return num_tries == 0;
            }
        }
        false
    }

    fn as_reference(&self) -> &dyn Reference {
        self.reference.as_reference().expect(CHECKED)
    }

    /// The distributions along the path.
    pub(super) fn annealed(&self) -> Annealed<'_> {
        let [from, to] =
            [&self.reference, &self.target].map(|model| model.as_differentiable().expect(CHECKED));
        Annealed::new(from, to, 0.0)
    }
}
