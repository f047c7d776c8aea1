//! How a chain moves.

use crate::checks::{check_positive, in_range};
use crate::models::gaussian::GaussianSpec;
use crate::sample::chains::ChainTransition;
use crate::sample::hmc::{Hmc, MomentumFlips};
use crate::sample::langevin::{Mala, Ula};
use crate::sample::metropolis::RandomWalk;
use crate::sample::nuts::{DEFAULT_MAX_DEPTH, Nuts};
use crate::sample::warmup::ScaleKind;
use crate::{Error, FULL, Result};
use serde::{Deserialize, Serialize};

/// Most leapfrog steps of a proposal: a proposal is not interrupted.
const MAX_LEAPFROG_STEPS: usize = 1000;

/// Most doublings of a trajectory, for the same reason.
const MAX_TREE_DEPTH: usize = 12;

/// Most rungs of a ladder.
const MAX_RUNGS: usize = 256;

/// How a chain moves. Gibbs sampling and clusters are for binary models, the
/// others for models on ℝᴰ with a gradient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum TransitionSpec {
    /// Gibbs sampling, site after site.
    Gibbs {
        /// The order of the sites; systematic if absent.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<Scan>", optional))]
        scan: Scan,
    },
    /// Gibbs sampling of Ising models whose sites can be coloured with two
    /// colours so that none is coupled to its like: all of one colour, then all
    /// of the other.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Checkerboard {},
    /// Swendsen and Wang's clusters, for Ising models: all are turned at random.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    SwendsenWang {},
    /// Wolff's clusters, for Ising models: one grown from a random site is
    /// turned. A step is one cluster, not a sweep.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Wolff {},
    /// Gibbs sampling of models with hidden units: a sweep draws all hidden
    /// units given the visible ones, then all visible ones given the hidden. Of
    /// a deep belief network it is the machine on top that is swept, and each
    /// draw is passed down from it.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    BlockGibbs {},
    /// Hamiltonian Monte Carlo.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Hmc(HmcSpec),
    /// The no-U-turn sampler: Hamiltonian Monte Carlo that ends each
    /// trajectory when it begins to return.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Nuts(NutsSpec),
    /// Langevin dynamics.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Langevin(LangevinSpec),
    /// Metropolis's random walk.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    Metropolis(MetropolisSpec),
    /// Parallel tempering: replicas at the rungs of a ladder from a Gaussian to
    /// the model are moved, and exchanged with their neighbours.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    ParallelTempering(TemperingSpec),
    /// Simulated tempering: a chain moves up and down such a ladder; its draws
    /// are its states at the top.
    #[cfg_attr(not(feature = "full"), serde(skip))]
    SimulatedTempering(TemperingSpec),
    /// Exact draws, for `logZ` along paths that have them: to see what is left
    /// of an error when mixing is no part of it.
    Perfect {},
}

/// The order in which Gibbs sampling visits the sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum Scan {
    /// From the first to the last.
    #[default]
    Systematic,
    /// As many as there are, each chosen at random.
    Random,
}

/// What is adapted in warm-up, for each chain on its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AdaptationSpec {
    /// The mean acceptance the step size is adapted to, between 0 and 1; if
    /// absent, 0.8 with trajectories, 0.574 for Langevin, 0.234 for Metropolis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_acceptance: Option<f64>,
    /// The map in which moves are made; diagonal if absent.
    #[cfg_attr(feature = "types", ts(as = "Option<ScaleKind>"))]
    pub scale: ScaleKind,
}

impl Default for AdaptationSpec {
    fn default() -> Self {
        Self { target_acceptance: None, scale: ScaleKind::Diagonal }
    }
}

/// Hamiltonian Monte Carlo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct HmcSpec {
    /// Leapfrog steps a proposal, 1 to 1,000; 10 if absent.
    #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
    pub num_leapfrog_steps: usize,
    /// γ, the part of the momentum's power that is replaced before each
    /// proposal, greater than 0 and at most 1; 1 if absent.
    #[cfg_attr(feature = "types", ts(as = "Option<f64>"))]
    pub momentum_refresh: f64,
    /// What becomes of the momentum on rejection; standard if absent.
    #[cfg_attr(feature = "types", ts(as = "Option<MomentumFlips>"))]
    pub momentum_flips: MomentumFlips,
    /// ε. Kept if given without `adaptation`; else found in warm-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_size: Option<f64>,
    /// What warm-up adapts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<AdaptationSpec>,
}

impl Default for HmcSpec {
    fn default() -> Self {
        Self {
            num_leapfrog_steps: 10,
            momentum_refresh: 1.0,
            momentum_flips: MomentumFlips::Standard,
            step_size: None,
            adaptation: None,
        }
    }
}

/// The no-U-turn sampler.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct NutsSpec {
    /// Most doublings of a trajectory, 1 to 12; 10 if absent.
    #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
    pub max_tree_depth: usize,
    /// ε. Kept if given without `adaptation`; else found in warm-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_size: Option<f64>,
    /// What warm-up adapts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<AdaptationSpec>,
}

impl Default for NutsSpec {
    fn default() -> Self {
        Self { max_tree_depth: DEFAULT_MAX_DEPTH, step_size: None, adaptation: None }
    }
}

/// Langevin dynamics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LangevinSpec {
    /// Whether proposals are accepted or rejected; they are if absent. If not,
    /// the draws are biased, the more the larger the step size.
    #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
    pub adjusted: bool,
    /// ε. Kept if given without `adaptation`; else found in warm-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_size: Option<f64>,
    /// What warm-up adapts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<AdaptationSpec>,
}

impl Default for LangevinSpec {
    fn default() -> Self {
        Self { adjusted: true, step_size: None, adaptation: None }
    }
}

/// Metropolis's random walk.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct MetropolisSpec {
    /// Standard deviation of a step. Kept if given without `adaptation`; else
    /// found in warm-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_size: Option<f64>,
    /// What warm-up adapts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<AdaptationSpec>,
}

/// A ladder of distributions from a Gaussian to the model, and how chains move
/// on its rungs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TemperingSpec {
    /// How chains move on each rung.
    pub transition: Box<TransitionSpec>,
    /// Rungs, 2 to 256; 10 if absent. In warm-up parallel tempering moves them
    /// to where all exchanges are as likely; simulated tempering leaves them
    /// evenly spaced.
    #[serde(default = "ten")]
    #[cfg_attr(feature = "types", ts(as = "Option<usize>"))]
    pub num_rungs: usize,
    /// The lowest rung; the standard normal distribution if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<GaussianSpec>,
}

fn ten() -> usize {
    10
}

impl TransitionSpec {
    /// Whether it moves chains on ℝᴰ, rather than packed bits.
    pub fn is_continuous(&self) -> bool {
        if !FULL {
            return false;
        }
        match self {
            Self::Gibbs { .. }
            | Self::BlockGibbs {}
            | Self::Checkerboard {}
            | Self::SwendsenWang {}
            | Self::Wolff {}
            | Self::Perfect {} => false,
            Self::Hmc(_)
            | Self::Nuts(_)
            | Self::Langevin(_)
            | Self::Metropolis(_)
            | Self::ParallelTempering(_)
            | Self::SimulatedTempering(_) => true,
        }
    }

    /// How chains move, on each rung if there is a ladder.
    pub fn on_a_rung(&self) -> &Self {
        self.ladder().map_or(self, |ladder| &ladder.transition)
    }

    /// The ladder, if there is one.
    pub fn ladder(&self) -> Option<&TemperingSpec> {
        match self {
            Self::ParallelTempering(ladder) | Self::SimulatedTempering(ladder) => Some(ladder),
            _ => None,
        }
    }

    /// The transition of chains on ℝᴰ, on each rung if there is a ladder.
    ///
    /// # Panics
    /// If it moves packed bits.
    pub fn build(&self) -> Box<dyn ChainTransition> {
        match self.on_a_rung() {
            Self::Hmc(spec) => Box::new(Hmc {
                num_leapfrog_steps: spec.num_leapfrog_steps,
                momentum_refresh: spec.momentum_refresh,
                momentum_flips: spec.momentum_flips,
            }),
            Self::Nuts(spec) => Box::new(Nuts { max_depth: spec.max_tree_depth }),
            Self::Langevin(spec) if spec.adjusted => Box::new(Mala),
            Self::Langevin(_) => Box::new(Ula),
            Self::Metropolis(_) => Box::new(RandomWalk),
            _ => panic!("it moves no chains on the reals"),
        }
    }

    /// ε where it is given, and what warm-up adapts.
    fn tuning(&self) -> (Option<f64>, Option<&AdaptationSpec>) {
        match self.on_a_rung() {
            Self::Hmc(spec) => (spec.step_size, spec.adaptation.as_ref()),
            Self::Nuts(spec) => (spec.step_size, spec.adaptation.as_ref()),
            Self::Langevin(spec) => (spec.step_size, spec.adaptation.as_ref()),
            Self::Metropolis(spec) => (spec.step_size, spec.adaptation.as_ref()),
            _ => (None, None),
        }
    }

    /// ε where it is given, on each rung if there is a ladder.
    pub fn step_size(&self) -> Option<f64> {
        self.tuning().0
    }

    /// What warm-up adapts; nothing where a step size is given alone.
    pub fn adaptation(&self) -> Option<AdaptationSpec> {
        match self.tuning() {
            (Some(_), None) => None,
            (_, adaptation) => Some(adaptation.cloned().unwrap_or_default()),
        }
    }

    /// Checks what can be told without the model.
    pub(crate) fn check(&self) -> Result<()> {
        if !FULL {
            return Ok(());
        }
        match self {
            Self::Hmc(spec) => {
                let field = "transition.numLeapfrogSteps";
                in_range(field, spec.num_leapfrog_steps, 1, MAX_LEAPFROG_STEPS)?;
                let refresh = spec.momentum_refresh;
                if !(refresh > 0.0 && refresh <= 1.0) {
                    return Err(Error::spec(
                        "transition.momentumRefresh",
                        format!("is {refresh}; it must be greater than 0 and at most 1"),
                    ));
                }
            }
            Self::Nuts(spec) => {
                in_range("transition.maxTreeDepth", spec.max_tree_depth, 1, MAX_TREE_DEPTH)?;
            }
            Self::ParallelTempering(ladder) | Self::SimulatedTempering(ladder) => {
                in_range("transition.numRungs", ladder.num_rungs, 2, MAX_RUNGS)?;
                if ladder.transition.ladder().is_some() || !ladder.transition.is_continuous() {
                    return Err(Error::spec(
                        "transition.transition",
                        "is none that moves a chain on a rung; use hmc, nuts, langevin or metropolis",
                    ));
                }
                ladder.transition.check()?;
            }
            _ => {}
        }
        let (step_size, adaptation) = self.tuning();
        if let Some(step_size) = step_size {
            check_positive("transition.stepSize", step_size)?;
        }
        let target = adaptation.and_then(|adaptation| adaptation.target_acceptance);
        if let Some(target) = target.filter(|&target| !(target > 0.0 && target < 1.0)) {
            return Err(Error::spec(
                "transition.adaptation.targetAcceptance",
                format!("is {target}; it must lie between 0 and 1"),
            ));
        }
        Ok(())
    }
}
