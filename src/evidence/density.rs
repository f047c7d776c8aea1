//! A model on the reals beside a reference with exact draws, such as a normal distribution: with the
//! reference as the prior, `L(x) = e^(−E(x)) / p_ref(x)` is a likelihood whose evidence is Z.

use crate::linalg::Batch;
use crate::math::ln;
use crate::models::gaussian::GaussianSpec;
use crate::models::latent::{Floor, PriorChain};
use crate::models::{Model, ModelSpec};
use crate::rng::{ChainRng, uniform};
use crate::{Error, Result};
use std::sync::Arc;

/// Maximum number of points drawn from an interval; then the coordinate is left unchanged.
const MAX_DRAWS: usize = 200;

/// Maximum number of widths by which an interval grows on each side.
const MAX_STEPS_OUT: usize = 50;

/// The share of the last interval in the width of the next.
const ADAPTATION: f64 = 0.2;

/// The model and its reference, both checked.
pub struct Pair {
    model: Box<dyn Model>,
    reference: Box<dyn Model>,
}

impl Pair {
    /// Builds both.
    ///
    /// # Errors
    /// Any error of a spec; [`Error::InvalidSpec`] or [`Error::MissingCapability`] if the model is not
    /// one on ℝᴰ, is bounded or computed by JavaScript, or the reference has no exact draws.
    pub fn new(energy: &ModelSpec, reference: Option<&ModelSpec>) -> Result<Self> {
        if matches!(energy, ModelSpec::Custom(_)) {
            let problem = "is computed by a JavaScript module, which this verb does not load; write it as a \
                           formula, or take logZ";
            return Err(Error::spec("model.energy", problem));
        }
        let inside = |error: Error| match error {
            Error::InvalidSpec { field, problem } => {
                Error::InvalidSpec { field: field.replacen("model", "model.energy", 1), problem }
            }
            other => other,
        };
        let model = energy.build().map_err(inside)?;
        let Some(differentiable) = model.as_differentiable() else {
            let problem =
                format!("is `{}`, which is no model on the reals; take logZ", model.kind());
            return Err(Error::spec("model.energy", problem));
        };
        if !differentiable.constraints().is_empty() {
            let problem = "has constraints, within which nested sampling does not move; take logZ";
            return Err(Error::spec("model.energy", problem));
        }
        let dim = model.dim();
        let standard = || {
            ModelSpec::Gaussian(GaussianSpec { dim, mean: None, precision: None, covariance: None })
        };
        let reference = reference.cloned().unwrap_or_else(standard).build()?;
        if reference.as_reference().is_none() {
            let kind = reference.kind();
            return Err(Error::missing(kind, "Reference", "exact draws and a known log Z"));
        }
        if reference.dim() != dim {
            let problem = format!("has {} dimensions where the model has {dim}", reference.dim());
            return Err(Error::spec("model.reference", problem));
        }
        Ok(Self { model, reference })
    }

    /// D.
    pub fn dim(&self) -> usize {
        self.model.dim()
    }
}

/// The chain over x under the reference.
pub struct DensityChain {
    pair: Arc<Pair>,
    x: Vec<f64>,
    /// Widths of the first intervals, by coordinate.
    widths: Vec<f64>,
}

impl DensityChain {
    /// A chain at 0.
    pub fn new(pair: Arc<Pair>) -> Self {
        let dim = pair.model.dim();
        Self { pair, x: vec![0.0; dim], widths: vec![1.0; dim] }
    }

    fn energy(model: &dyn Model, x: &[f64]) -> f64 {
        let mut out = [0.0];
        model.energy(Batch::new(x.len(), x), &mut out);
        out[0]
    }

    fn reference_energy(&self, x: &[f64]) -> f64 {
        Self::energy(&*self.pair.reference, x)
    }

    /// ln L(x); −∞ where the energy is not a number.
    fn log_likelihood_at(&self, x: &[f64]) -> f64 {
        let log_z = self.pair.reference.as_reference().expect("checked").log_z();
        let value = self.reference_energy(x) + log_z - Self::energy(&*self.pair.model, x);
        if value.is_nan() { f64::NEG_INFINITY } else { value }
    }

    /// One coordinate by slice sampling (Neal 2003) of the reference, where it is above the floor.
    fn slice(&mut self, d: usize, floor: Floor, label: f64, rng: &mut ChainRng) {
        let from = self.x[d];
        let height = self.reference_energy(&self.x) - ln(1.0 - uniform(rng));
        let mut x = self.x.clone();
        let mut is_inside = |value: f64| {
            x[d] = value;
            self.reference_energy(&x) <= height && floor.admits(self.log_likelihood_at(&x), label)
        };
        let width = self.widths[d];
        let mut low = from - width * uniform(rng);
        let mut high = low + width;
        let mut steps_down = (uniform(rng) * MAX_STEPS_OUT as f64) as usize;
        let mut steps_up = MAX_STEPS_OUT - 1 - steps_down;
        while steps_down > 0 && is_inside(low) {
            low -= width;
            steps_down -= 1;
        }
        while steps_up > 0 && is_inside(high) {
            high += width;
            steps_up -= 1;
        }
        let mut found = from;
        for _ in 0..MAX_DRAWS {
            let to = low + (high - low) * uniform(rng);
            if is_inside(to) {
                found = to;
                break;
            }
            if to < from {
                low = to;
            } else {
                high = to;
            }
        }
        self.x[d] = found;
        let length = (high - low).max(f64::MIN_POSITIVE);
        self.widths[d] = (1.0 - ADAPTATION) * width + ADAPTATION * length;
    }
}

impl PriorChain for DensityChain {
    fn draw(&mut self, rng: &mut ChainRng) {
        let reference = self.pair.reference.as_reference().expect("checked");
        reference.draw(rng, &mut self.x);
    }

    fn log_likelihood(&self) -> f64 {
        self.log_likelihood_at(&self.x)
    }

    fn sweep_above(&mut self, floor: Floor, label: f64, rng: &mut ChainRng) {
        for d in 0..self.x.len() {
            self.slice(d, floor, label, rng);
        }
    }

    fn state(&self) -> Vec<f64> {
        self.x.clone()
    }

    fn set_state(&mut self, state: &[f64]) {
        self.x.copy_from_slice(state);
    }
}
