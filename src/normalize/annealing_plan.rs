//! An annealing plan: a path, the values of β along it, and how chains move there.

use super::path::Path;
use super::step_sizes::StepSizes;
use crate::energy::HiddenUnits;
use crate::models::Model;
use crate::sample::chains::ChainTransition;
use crate::sample::path_moves::{
    Moves, by_smaller_side, check_binary, check_perfect, enumeration_cost,
};
use crate::sample::spec::{TransitionSpec, chain_kinds};
use crate::sample::tuning::{Scale, Tuning};
#[cfg(feature = "full")]
use crate::sample::value_clusters::ValueClusters;
#[cfg(feature = "full")]
use crate::sample::{discrete_langevin, locally_informed};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// The direction in which chains move along the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// From the reference to the target.
    Forward,
    /// From the target to the reference, by the reversals of the transitions.
    Reverse,
    /// None: transitions at the target, which change no weight.
    Stay,
}

/// A path with a schedule, moves and step sizes.
pub struct AnnealingPlan {
    path: Arc<Path>,
    moves: Moves,
    schedule: Vec<f64>,
    num_steps: usize,
    step_sizes: StepSizes,
    /// The transition of chains on ℝᴰ, if there is one; the next field is its reversal, if that is
    /// a different one.
    transition: Option<Box<dyn ChainTransition>>,
    reversal: Option<Box<dyn ChainTransition>>,
    /// The unit of length of each coordinate; none if all are 1.
    units: Option<Vec<f64>>,
}

impl AnnealingPlan {
    /// A plan along `path`, with `num_steps` transitions at each β of the schedule except the
    /// first.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if the schedule does not ascend from 0 to 1, `num_steps` is 0, or the
    /// moves do not suit the path; [`Error::MissingCapability`] if the model cannot move this way.
    pub fn new(
        path: impl Into<Arc<Path>>,
        moves: Moves,
        schedule: Vec<f64>,
        num_steps: usize,
        step_sizes: StepSizes,
    ) -> Result<Self> {
        let path = path.into();
        check_schedule(&schedule)?;
        if num_steps == 0 {
            let problem = "is 0; there must be one transition or more at each distribution";
            return Err(Error::spec("numStepsPerDistribution", problem));
        }
        check_moves(&path, &moves)?;
        let transition = match &moves {
            Moves::By(spec) if spec.is_continuous() => Some(spec.build()),
            _ => None,
        };
        let reversal = transition.as_ref().and_then(|transition| transition.reversed());
        let units = None;
        Ok(Self { path, moves, schedule, num_steps, step_sizes, transition, reversal, units })
    }

    /// Measures step sizes in these units, one for each coordinate of chains on ℝᴰ, such as
    /// standard deviations: chains move as if their coordinates had been divided by the units.
    ///
    /// # Panics
    /// If the number of units is not that of coordinates.
    pub fn in_units(self, units: Vec<f64>) -> Self {
        assert_eq!(units.len(), self.path.dim());
        Self { units: Some(units), ..self }
    }

    /// The same path and moves with another schedule, such as one found by a pilot run.
    ///
    /// # Errors
    /// Those of [`AnnealingPlan::new`].
    pub fn with(
        &self,
        schedule: Vec<f64>,
        num_steps: usize,
        step_sizes: StepSizes,
    ) -> Result<Self> {
        let new =
            Self::new(self.path.clone(), self.moves.clone(), schedule, num_steps, step_sizes)?;
        Ok(Self { units: self.units.clone(), ..new })
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How chains move.
    pub fn moves(&self) -> &Moves {
        &self.moves
    }

    /// The schedule, β_0 = 0 to β_K = 1.
    pub fn schedule(&self) -> &[f64] {
        &self.schedule
    }

    /// Number of transitions at each β.
    pub fn num_steps(&self) -> usize {
        self.num_steps
    }

    /// The step sizes ε(β).
    pub fn step_sizes(&self) -> &StepSizes {
        &self.step_sizes
    }

    /// The number of annealing steps, K, which is the number of factors of a weight.
    pub fn num_distributions(&self) -> usize {
        self.schedule.len() - 1
    }

    /// The β at the start and the end of an annealing step. Step s, 0 to K − 1, counts from where
    /// the chains start.
    ///
    /// # Panics
    /// If there is no such step.
    pub fn betas(&self, direction: Direction, step: usize) -> [f64; 2] {
        let last = self.num_distributions();
        match direction {
            Direction::Forward => [self.schedule[step], self.schedule[step + 1]],
            Direction::Reverse => [self.schedule[last - step], self.schedule[last - step - 1]],
            Direction::Stay => [1.0, 1.0],
        }
    }

    /// The transition of chains on ℝᴰ in this direction.
    pub(super) fn transition(&self, direction: Direction) -> Option<&dyn ChainTransition> {
        match direction {
            Direction::Reverse => self.reversal.as_deref().or(self.transition.as_deref()),
            Direction::Forward | Direction::Stay => self.transition.as_deref(),
        }
    }

    /// Whether chains have momenta that persist between steps.
    pub(super) fn has_momenta(&self) -> bool {
        self.transition.is_some()
    }

    /// The tuning of `width` chains on ℝᴰ: the units of length, and step sizes of 1, which the
    /// caller sets.
    pub(super) fn tuning(&self, width: usize) -> Tuning {
        let mut tuning = Tuning::uniform(width, 1.0);
        if let Some(units) = &self.units {
            let by_chain = units.iter().flat_map(|&unit| std::iter::repeat_n(unit, width));
            tuning.scale = Scale::Diagonal(by_chain.collect());
        }
        tuning
    }

    /// Estimated cost of an annealing step of one chain, in nanoseconds.
    pub fn step_cost(&self) -> u64 {
        // 64 bits on every machine, so that all machines get the same sharding.
        let wide = |count: usize| count as u64;
        let (dim, num_steps) = (wide(self.path.dim()), wide(self.num_steps));
        match &*self.path {
            Path::Geometric(path) => {
                let cost = |model: &dyn Model| {
                    wide(model.as_differentiable().map_or(0, |model| model.gradient_cost()))
                };
                let gradients =
                    self.num_gradients() * (cost(path.reference()) + cost(path.target()));
                num_steps * (gradients + 8 * dim)
            }
            Path::Gaussians(_) => (3 + num_steps * self.num_gradients()) * dim * (dim / 2 + 5),
            Path::Params(path) => {
                let model = path.model();
                let num_params = wide(model.num_terms());
                let num_read = wide(path.energies().num_read());
                let has_sides = path.energies().as_sides().is_some();
                // All of these are measured. With two layers, about an addition per weight for
                // every third unit; without, a lookup of every other pair.
                let values = model.as_site_values().map(|values| wide(values.sweep_cost()));
                let products = match (has_sides, values) {
                    (true, _) => num_params / 12,
                    // One lookup a pair, at both ends.
                    (false, Some(sweep)) => sweep / 8,
                    (false, None) => num_params / 2,
                };
                let sweep = match &self.moves {
                    Moves::Perfect => match by_smaller_side(path.model()) {
                        // A draw visits a block of states again; the chains of a group share one
                        // enumeration.
                        Some(rbm) => {
                            let other = dim.max(wide(rbm.num_hidden()));
                            let states = 1 << dim.min(wide(rbm.num_hidden()));
                            60 * other + states * other / 16
                        }
                        None => match model.as_sites() {
                            Some(sites) => 50 * dim + enumeration_cost(model, sites) / 16,
                            None => 50 * dim,
                        },
                    },
                    Moves::By(TransitionSpec::Gibbs { .. }) if values.is_some() => {
                        values.unwrap_or_default()
                    }
                    Moves::By(TransitionSpec::Gibbs { .. }) if num_read > 1 => 4 * num_params,
                    Moves::By(TransitionSpec::Gibbs { .. }) => 10 * dim + num_params,
                    #[cfg(feature = "full")]
                    Moves::By(TransitionSpec::FlipMetropolis { .. }) => 50 * dim + 4 * num_params,
                    #[cfg(feature = "full")]
                    Moves::By(TransitionSpec::LocallyInformed {}) => {
                        wide(locally_informed::step_cost(model))
                    }
                    #[cfg(feature = "full")]
                    Moves::By(TransitionSpec::DiscreteLangevin { .. }) => {
                        wide(discrete_langevin::step_cost(model))
                    }
                    Moves::By(TransitionSpec::BlockGibbs {}) => 8 * (dim + num_read) + products,
                    Moves::By(TransitionSpec::Checkerboard {}) => 20 * dim,
                    #[cfg(feature = "full")]
                    Moves::By(TransitionSpec::SwendsenWang {}) if model.as_potts().is_some() => {
                        wide(model.as_potts().map_or(0, ValueClusters::step_cost))
                    }
                    Moves::By(_) => 10 * num_params,
                };
                6 * num_read + products + num_steps * sweep
            }
        }
    }

    /// Approximate number of gradients per transition.
    fn num_gradients(&self) -> u64 {
        self.transition.as_ref().map_or(1, |transition| transition.num_gradients(self.path.dim()))
    }

    /// Panics if the plan has no such steps.
    pub(super) fn check_steps(&self, steps: &Range<usize>) {
        assert!(steps.start <= steps.end && steps.end <= self.num_distributions());
    }
}

fn check_schedule(schedule: &[f64]) -> Result<()> {
    let field = "schedule.betas";
    if schedule.len() < 2 || schedule[0] != 0.0 || schedule[schedule.len() - 1] != 1.0 {
        let problem = "does not lead from 0 to 1; give 0 first and 1 last";
        return Err(Error::spec(field, problem));
    }
    match schedule.windows(2).position(|two| !(two[0] < two[1])) {
        None => Ok(()),
        Some(at) => Err(Error::spec(
            format!("{field}[{}]", at + 1),
            format!(
                "is {}, after {}; every beta must exceed the one before",
                schedule[at + 1],
                schedule[at]
            ),
        )),
    }
}

fn check_moves(path: &Path, moves: &Moves) -> Result<()> {
    let unfit = |problem: &str| Err(Error::spec("transition.kind", problem));
    let spec = match moves {
        Moves::By(spec) => spec,
        Moves::Perfect => {
            return match path {
                Path::Gaussians(_) => Ok(()),
                Path::Params(path) => check_perfect(path.model()),
                Path::Geometric(_) => unfit(
                    "is perfect, but on the way there are exact draws between two Gaussians only; use \
                     another transition",
                ),
            };
        }
    };
    if spec.ladder().is_some() {
        return unfit(&format!("is a ladder of its own; use {}", chain_kinds()));
    }
    spec.check_unbiased()?;
    spec.check()?;
    spec.check_dim("transition.kind", path.dim())?;
    match path {
        Path::Params(path) => check_binary(path, spec),
        Path::Gaussians(_) if matches!(spec, TransitionSpec::Gibbs { .. }) => Ok(()),
        _ if spec.is_continuous() => Ok(()),
        Path::Gaussians(_) => {
            unfit(&format!("moves bits; use perfect, gibbs, {} for Gaussians", chain_kinds()))
        }
        Path::Geometric(_) => {
            unfit(&format!("moves bits; use {} for a model on the reals", chain_kinds()))
        }
    }
}
