//! The path from a reference to a target.

use super::Target;
use crate::checks::check_numbers;
use crate::energy::schedule::allocate;
use crate::models::gaussian::GaussianSpec;
use crate::models::{Model, ModelSpec};
use crate::normalize::annealing_plan::AnnealingPlan;
use crate::normalize::gaussian_path::{GaussianPath, GaussianPathKind};
use crate::normalize::geometric_path::GeometricPath;
use crate::normalize::log_z::schedules::Shape;
use crate::normalize::log_z::spec::{LogZSpec, ReferenceSpec, ScheduleSpec};
use crate::normalize::path::Path;
use crate::normalize::step_sizes::StepSizes;
use crate::sample::path_moves::Moves;
use crate::sample::path_spec::PathSpec;
use crate::sample::spec::TransitionSpec;
use crate::{Error, FULL, Result, not_in_core};

impl Target {
    /// The shape of the weighted runs' schedule, unless pilot runs find it.
    ///
    /// # Errors
    /// Those of [`Target::path`].
    pub fn fixed_shape(&self, spec: &LogZSpec) -> Result<Option<Shape>> {
        match (&spec.schedule, self.path(spec, 0)?) {
            // With one distribution there is only one schedule.
            (ScheduleSpec::Adaptive {}, _) if spec.num_distributions == 1 => {
                Ok(Some(Shape::Linear))
            }
            (ScheduleSpec::Adaptive {}, _) => Ok(None),
            (ScheduleSpec::OptimalBinned { num_bins }, path) if FULL => {
                known_costs(&spec.path, &path, *num_bins)?
                    .map(|(edges, costs)| {
                        let counts = allocate(&costs, spec.num_distributions)?;
                        Ok(Shape::Binned { edges, counts })
                    })
                    .transpose()
            }
            (ScheduleSpec::OptimalBinned { .. }, _) => Ok(None),
            _ => Ok(Some(Shape::Spec)),
        }
    }

    /// The path to a target.
    ///
    /// # Errors
    /// Any error of the reference's spec; [`Error::MissingCapability`] and [`Error::InvalidSpec`]
    /// if the path does not suit the model.
    pub fn path(&self, spec: &LogZSpec, target: usize) -> Result<Path> {
        match self.is_binary() {
            true => self.binary_path(spec),
            false if !FULL => Err(not_in_core("model.kind")),
            false => self.continuous_path(spec, target),
        }
    }

    /// The annealing plan to a target, with this schedule and these step sizes.
    ///
    /// # Errors
    /// Those of [`Target::path`] and of [`AnnealingPlan::new`].
    pub fn annealing_plan(
        &self,
        spec: &LogZSpec,
        target: usize,
        schedule: Vec<f64>,
        step_sizes: StepSizes,
    ) -> Result<AnnealingPlan> {
        let moves = match self.transition(spec) {
            TransitionSpec::Perfect {} => Moves::Perfect,
            transition => Moves::By(transition),
        };
        let path = self.path(spec, target)?;
        AnnealingPlan::new(path, moves, schedule, spec.num_steps_per_distribution, step_sizes)
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
        Ok(Path::Params(spec.path.through_params(&*self.model, &log_odds)?))
    }

    fn continuous_path(&self, spec: &LogZSpec, target: usize) -> Result<Path> {
        let (dim, transition) = (self.model.dim(), self.transition(spec));
        let reference = reference(spec, dim)?;
        let in_reference = |error: Error| error.within("reference");
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
            let reference = match &self.rotated {
                Some(rotated) => rotated.reference.boxed_clone(),
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
}

/// The bins of a path and the cost of each, if known without a pilot run.
fn known_costs(
    spec: &PathSpec,
    path: &Path,
    num_bins: usize,
) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
    match (spec, path) {
        (_, Path::Gaussians(path)) => {
            let edges: Vec<f64> = (0..=num_bins).map(|bin| bin as f64 / num_bins as f64).collect();
            let costs = edges.windows(2).map(|pair| path.cost(pair[0], pair[1])).collect();
            Ok(Some((edges, costs)))
        }
        (PathSpec::Knots { betas, costs: Some(costs), .. }, _) => {
            if num_bins != costs.len() {
                let problem = format!(
                    "is {num_bins}, but the path has costs of {} segments, each of which is a bin; give {}, or \
                     leave path.costs out for a pilot run",
                    costs.len(),
                    costs.len()
                );
                return Err(Error::spec("schedule.numBins", problem));
            }
            Ok(Some(([&[0.0], &betas[..], &[1.0]].concat(), costs.clone())))
        }
        _ => Ok(None),
    }
}

/// The reference of a model on ℝᴰ, N(0, I) by default.
pub(super) fn reference(spec: &LogZSpec, dim: usize) -> Result<ModelSpec> {
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
