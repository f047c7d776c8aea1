//! What is normalized: the model, the way to it from a reference, and the rows
//! whose likelihood is wanted.

use super::super::spec::{
    LogZSpec, PathSpec, ReferenceSpec, ReverseStartSpec, ScheduleSpec, TransitionSpec,
};
use super::schedules::Shape;
use crate::bits::{BitMatrix, WeightedRows};
use crate::bytes::from_f64s;
use crate::energy::{Differentiable, Energy, Generative, Reference};
use crate::exact::{ExactDraws, exact_draws};
use crate::fit::shards;
use crate::linalg::Batch;
use crate::models::gaussian::{Gaussian, GaussianSpec, PrincipalAxes};
use crate::models::{Model, ModelSpec};
use crate::normalize::course::{Course, Moves};
use crate::normalize::gaussian_path::{GaussianPath, GaussianPathKind};
use crate::normalize::geometric_path::GeometricPath;
use crate::normalize::param_path::{Knot, ParamPath};
use crate::normalize::path::Path;
use crate::normalize::schedule::allocate;
use crate::normalize::step_sizes::StepSizes;
use crate::{Error, FULL, Result, not_in_core};

/// γ of Hamiltonian annealed importance sampling, where the spec says nothing:
/// half the momentum's power in unit time at ε = 0.2, 1 − 2^(−0.2).
const MOMENTUM_REFRESH: f64 = 0.129_449_436_703_876;

/// The step size to begin with where it is to be found.
pub const FIRST_STEP_SIZE: f64 = 0.2;

/// States whose energies a shard sums up.
const ROWS_PER_SHARD: usize = 4096;

/// A model and rows.
pub struct Target {
    pub model: Box<dyn Model>,
    rows: Rows,
    /// What is annealed in its place, if that is faster.
    pub turned: Option<Turned>,
}

/// A Gaussian along its principal axes, and a reference that looks the same from all sides: turned
/// so, the way is the same, and a gradient takes D operations in place of D².
pub struct Turned {
    pub axes: PrincipalAxes,
    reference: Gaussian,
}

/// Rows whose likelihood is wanted.
enum Rows {
    None,
    Bits(WeightedRows),
    Values(Vec<f64>),
    /// Of a generative model: each is a target of its own.
    Observed(Vec<f64>),
}

impl Target {
    /// Checks that there are exact draws, if they are wanted, and that rows fit
    /// the model.
    ///
    /// # Errors
    /// Of the spec of the model; [`Error::MissingCapability`];
    /// [`Error::InvalidSpec`] where dimensions differ.
    pub fn new(spec: &LogZSpec, data: Option<&BitMatrix>) -> Result<Self> {
        let model = spec.model.build()?;
        let rows = match (data, &spec.states) {
            (None, None) => Rows::None,
            (Some(data), _) => {
                if model.as_site_flips().is_none() {
                    let problem =
                        "are rows of zeros and ones, and the model is one on ℝᴰ; give `states`";
                    return Err(Error::spec("data", problem));
                }
                let rows = WeightedRows::from_data(data.as_batch());
                crate::fit::check_dim(&*model, &rows)?;
                Rows::Bits(rows)
            }
            (None, Some(states)) => {
                if model.as_site_flips().is_some() {
                    let problem = "are states on ℝᴰ, and the model is binary; give rows of zeros and ones as `data`";
                    return Err(Error::spec("states", problem));
                }
                let observed = model.as_generative().map(Generative::num_observed);
                check_states(states, observed.unwrap_or(model.dim()))?;
                match observed {
                    Some(_) => Rows::Observed(states.clone()),
                    None => Rows::Values(states.clone()),
                }
            }
        };
        let mut target = Self { model, rows, turned: None };
        target.check_reverse(spec)?;
        target.turned = target.turn(spec);
        Ok(target)
    }

    fn turn(&self, spec: &LogZSpec) -> Option<Turned> {
        let num_steps = (spec.num_chains as u64).saturating_mul(spec.num_distributions as u64);
        // Finding the axes takes as long as some steps.
        let is_worth = num_steps >= 20 * self.model.dim() as u64;
        let is_geometric = spec.path == PathSpec::Geometric {};
        if !(FULL && is_worth && is_geometric && self.transition(spec).is_continuous()) {
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
        Some(Turned { reference: axes.turn(&reference)?, axes })
    }

    /// How many distributions are normalized: one, or with a generative model
    /// one a row.
    pub fn count(&self) -> usize {
        match (&self.rows, self.model.as_generative()) {
            (Rows::Observed(states), Some(generative)) => states.len() / generative.num_observed(),
            _ => 1,
        }
    }

    /// The model to normalize.
    pub fn model_of(&self, target: usize) -> Box<dyn Model> {
        match (&self.rows, self.model.as_generative()) {
            (Rows::Observed(states), Some(generative)) => {
                let width = generative.num_observed();
                generative.given(&states[target * width..(target + 1) * width])
            }
            _ => self.model.boxed_clone(),
        }
    }

    /// What chains are annealed to: the model, or along its axes.
    pub fn annealed(&self, target: usize) -> Box<dyn Model> {
        match &self.turned {
            Some(turned) if FULL => turned.axes.along().boxed_clone(),
            _ => self.model_of(target),
        }
    }

    /// Whether states are rows of bits.
    pub fn is_binary(&self) -> bool {
        self.model.as_site_flips().is_some()
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
            return Err(Error::MissingCapability {
                model: self.model.kind().into(),
                capability: "exact draws",
                needed_by: "reverse runs that start exactly (start them from the forward runs)",
            });
        }
        Ok(())
    }

    /// Exact draws from a binary model, if it is small or simple enough.
    pub fn exact_draws(&self) -> Option<Box<dyn ExactDraws>> {
        exact_draws(&*self.model)
    }

    /// log Z as a model on ℝᴰ itself knows it.
    pub fn known_log_z(&self) -> Option<f64> {
        self.model.as_reference().map(Reference::log_z)
    }

    /// The a of a model on ℝᴰ whose tails fall like |x|^−a.
    pub fn tail_exponent(&self) -> Option<f64> {
        self.model.as_differentiable().and_then(Differentiable::tail_exponent)
    }

    /// The transition, where the spec names none too.
    pub fn transition(&self, spec: &LogZSpec) -> TransitionSpec {
        spec.transition.clone().unwrap_or_else(|| {
            if FULL && !self.is_binary() {
                TransitionSpec::Hmc(super::super::spec::HmcSpec {
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

    /// Whether the pilot runs are to find step sizes.
    pub fn adapts_steps(&self, spec: &LogZSpec) -> bool {
        let transition = self.transition(spec);
        transition.is_continuous() && transition.adaptation().is_some()
    }

    /// The shape of the weighted runs' schedule, unless pilot runs are to find it.
    ///
    /// # Errors
    /// As of [`Target::path`].
    pub fn fixed_shape(&self, spec: &LogZSpec) -> Result<Option<Shape>> {
        match (&spec.schedule, self.path(spec, 0)?) {
            // There is but one way to go there at once.
            (ScheduleSpec::Adaptive {}, _) if spec.num_distributions == 1 => {
                Ok(Some(Shape::Linear))
            }
            (ScheduleSpec::Adaptive {}, _) => Ok(None),
            (ScheduleSpec::OptimalBinned { num_bins }, Path::Gaussians(path)) if FULL => {
                let edges: Vec<f64> =
                    (0..=*num_bins).map(|bin| bin as f64 / *num_bins as f64).collect();
                let costs: Vec<f64> =
                    edges.windows(2).map(|pair| path.cost(pair[0], pair[1])).collect();
                let counts = allocate(&costs, spec.num_distributions)?;
                Ok(Some(Shape::Binned { edges, counts }))
            }
            (ScheduleSpec::OptimalBinned { .. }, _) => Ok(None),
            _ => Ok(Some(Shape::Spec)),
        }
    }

    /// The way to a target.
    ///
    /// # Errors
    /// Of the reference's spec; [`Error::MissingCapability`] and
    /// [`Error::InvalidSpec`] where the path does not suit the model.
    pub fn path(&self, spec: &LogZSpec, target: usize) -> Result<Path> {
        match self.is_binary() {
            true => self.binary_path(spec),
            false if !FULL => Err(not_in_core("model.kind")),
            false => self.continuous_path(spec, target),
        }
    }

    /// The same, gone by this schedule with these step sizes.
    ///
    /// # Errors
    /// As of [`Target::path`]; those of [`Course::new`].
    pub fn course(
        &self,
        spec: &LogZSpec,
        target: usize,
        schedule: Vec<f64>,
        step_sizes: StepSizes,
    ) -> Result<Course> {
        let moves = match self.transition(spec) {
            TransitionSpec::Perfect {} => Moves::Perfect,
            transition => Moves::By(transition),
        };
        let path = self.path(spec, target)?;
        Course::new(path, moves, schedule, spec.num_steps_per_distribution, step_sizes)
    }

    fn binary_path(&self, spec: &LogZSpec) -> Result<Path> {
        let dim = self.model.dim();
        let log_odds = match &spec.reference {
            None | Some(ReferenceSpec::Uniform {}) => vec![0.0; dim],
            Some(ReferenceSpec::Independent { log_odds }) => {
                check_numbers("reference.logOdds", log_odds, dim)?;
                log_odds.clone()
            }
            Some(ReferenceSpec::Model { .. }) => {
                return Err(Error::spec(
                    "reference.kind",
                    "is a model, which is for models on ℝᴰ; use uniform or independent",
                ));
            }
        };
        let (Some(params), Some(parametric)) =
            (self.model.independent_params(&log_odds), self.model.as_parametric())
        else {
            return Err(Error::MissingCapability {
                model: self.model.kind().into(),
                capability: "independent parameters",
                needed_by: "annealing from a reference",
            });
        };
        let own = parametric.params().to_vec();
        let mut knots = vec![Knot { beta: 0.0, params }];
        match &spec.path {
            PathSpec::Geometric {} => {}
            PathSpec::MomentAverages {} => {
                return Err(Error::spec(
                    "path.kind",
                    "is momentAverages, which is for two Gaussians; for a binary model use knots",
                ));
            }
            PathSpec::Knots { betas, params } => {
                check_numbers("path.params", params, betas.len() * own.len())?;
                for (at, (&beta, params)) in
                    betas.iter().zip(params.chunks_exact(own.len())).enumerate()
                {
                    if !(beta > knots[at].beta && beta < 1.0) {
                        return Err(Error::spec(
                            format!("path.betas[{at}]"),
                            format!("is {beta}; knots ascend between 0 and 1"),
                        ));
                    }
                    knots.push(Knot { beta, params: params.to_vec() });
                }
            }
        }
        knots.push(Knot { beta: 1.0, params: own });
        Ok(Path::Params(ParamPath::new(self.model.boxed_clone(), knots)?))
    }

    fn continuous_path(&self, spec: &LogZSpec, target: usize) -> Result<Path> {
        let (dim, transition) = (self.model.dim(), self.transition(spec));
        let reference = reference(spec, dim)?;
        let in_reference = |error: Error| match error {
            Error::InvalidSpec { field, problem } => {
                Error::spec(field.replacen("model", "reference.model", 1), problem)
            }
            other => other,
        };
        let kind = match &spec.path {
            PathSpec::Geometric {} => GaussianPathKind::Geometric,
            PathSpec::MomentAverages {} => GaussianPathKind::Moments,
            PathSpec::Knots { .. } => {
                return Err(Error::spec(
                    "path.kind",
                    "is knots, which are parameters of binary models; use geometric",
                ));
            }
        };
        let needs_gaussians = kind == GaussianPathKind::Moments
            || matches!(transition, TransitionSpec::Perfect {} | TransitionSpec::Gibbs { .. });
        if !needs_gaussians {
            let reference = match &self.turned {
                Some(turned) => turned.reference.boxed_clone(),
                None => reference.build().map_err(in_reference)?,
            };
            return Ok(Path::Geometric(GeometricPath::new(reference, self.annealed(target))?));
        }
        match (reference, self.model.spec()) {
            (ModelSpec::Gaussian(reference), ModelSpec::Gaussian(model)) => {
                let reference = reference.build().map_err(in_reference)?;
                Ok(Path::Gaussians(GaussianPath::new(reference, model.build()?, kind)?))
            }
            _ => Err(Error::spec(
                if kind == GaussianPathKind::Moments { "path.kind" } else { "transition.kind" },
                "is for two Gaussians; make both reference and model Gaussians, or choose another",
            )),
        }
    }

    /// Into how many shards the rows are cut; 0 if there are none.
    pub fn num_row_shards(&self) -> usize {
        match &self.rows {
            Rows::None | Rows::Observed(_) => 0,
            Rows::Bits(rows) => shards::num_shards(rows.num_distinct()),
            Rows::Values(states) => (states.len() / self.model.dim()).div_ceil(ROWS_PER_SHARD),
        }
    }

    /// `[Σ w E, Σ w E²]` over the rows of a shard.
    pub fn row_part(&self, shard: usize) -> Vec<u8> {
        let dim = self.model.dim();
        let (states, weights) = match &self.rows {
            Rows::None | Rows::Observed(_) => return from_f64s(&[0.0, 0.0]),
            Rows::Bits(rows) => {
                let range = shards::rows(rows.num_distinct(), shard);
                let weights = rows.weights()[range.clone()].to_vec();
                (rows.rows().slice(range).to_values(), weights)
            }
            Rows::Values(states) => {
                let chunk = states.chunks(ROWS_PER_SHARD * dim).nth(shard).unwrap_or(&[]);
                (chunk.to_vec(), vec![1.0; chunk.len() / dim])
            }
        };
        let mut energies = vec![0.0; weights.len()];
        self.model.energy(Batch::new(dim, &states), &mut energies);
        let mut sums = [0.0; 2];
        for (energy, weight) in energies.iter().zip(&weights) {
            sums[0] += weight * energy;
            sums[1] += weight * energy * energy;
        }
        from_f64s(&sums)
    }

    /// How many rows there are.
    pub fn num_rows(&self) -> f64 {
        match &self.rows {
            Rows::None => 0.0,
            Rows::Bits(rows) => rows.total(),
            Rows::Values(states) => (states.len() / self.model.dim()) as f64,
            Rows::Observed(_) => self.count() as f64,
        }
    }
}

/// The reference of a model on ℝᴰ, N(0, I) where the spec names none.
fn reference(spec: &LogZSpec, dim: usize) -> Result<ModelSpec> {
    match &spec.reference {
        None => Ok(ModelSpec::Gaussian(GaussianSpec {
            dim,
            mean: None,
            precision: None,
            covariance: None,
        })),
        Some(ReferenceSpec::Model { model }) => Ok((**model).clone()),
        Some(_) => Err(Error::spec(
            "reference.kind",
            "is for binary models; for one on ℝᴰ give a model, such as a Gaussian",
        )),
    }
}

/// So many finite numbers.
pub fn check_numbers(field: &str, values: &[f64], count: usize) -> Result<()> {
    if values.len() != count {
        let problem = format!("has {} entries; give {count}", values.len());
        return Err(Error::spec(field, problem));
    }
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(Error::spec(
            format!("{field}[{at}]"),
            format!("is {}; every entry must be a finite number", values[at]),
        )),
    }
}

fn check_states(states: &[f64], width: usize) -> Result<()> {
    if states.is_empty() || !states.len().is_multiple_of(width) {
        let problem = format!(
            "has {} numbers, but a row has {width}; give one row or more, one after another",
            states.len()
        );
        return Err(Error::spec("states", problem));
    }
    check_numbers("states", states, states.len())
}
