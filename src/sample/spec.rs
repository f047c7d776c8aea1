//! How a chain moves.

use crate::checks::check_positive;
use crate::energy::Differentiable;
use crate::models::gaussian::GaussianSpec;
use crate::models::{Model, ModelSpec};
use crate::sample::annealed_langevin::AnnealedLangevinSpec;
use crate::sample::chains::{AdaptationSpec, ChainTransition, ChainTransitionSpec};
use crate::sample::hmc::HmcSpec;
use crate::sample::langevin::LangevinSpec;
use crate::sample::metropolis::MetropolisSpec;
use crate::sample::nuts::NutsSpec;
use crate::sample::path_spec::PathSpec;
use crate::sample::real_block_gibbs::RealBlockGibbs;
use crate::sample::slice::SliceSpec;
use crate::{Error, FULL, Result};
use unnorm_wire::spec;

/// Maximum number of rungs of a ladder.
const MAX_RUNGS: usize = 256;

/// The step size α of Langevin dynamics of bits if none is given: a flip that costs nothing is proposed
/// with probability 0.08.
pub const DISCRETE_LANGEVIN_STEP: f64 = 0.2;

/// Declares [`TransitionSpec`], with a variant for each transition of chains on ℝᴰ; one line names
/// it and its spec.
macro_rules! transitions {
    (
        others { $($others:tt)* }
        chains { $($(#[$doc:meta])* $variant:ident($spec:ty) = $kind:literal;)* }
    ) => {
        /// How a chain moves. Gibbs sampling and cluster moves are for binary models, the others
        /// for models on ℝᴰ with a gradient.
        #[spec]
        pub enum TransitionSpec {
            $($others)*
            $(
                $(#[$doc])*
                #[full]
                $variant($spec),
            )*
        }

        /// The kinds of the transitions of chains on ℝᴰ.
        const CHAIN_KINDS: &[&str] = &[$($kind),*];

        impl TransitionSpec {
            /// The spec of a transition of chains on ℝᴰ; none for other transitions.
            fn of_chains(&self) -> Option<&dyn ChainTransitionSpec> {
                if !FULL {
                    return None;
                }
                match self {
                    $(Self::$variant(spec) => Some(spec),)*
                    _ => None,
                }
            }
        }
    };
}

transitions! {
    others {
        /// Gibbs sampling, one site after another.
        Gibbs {
            /// The order of the sites; systematic if absent.
            #[serde(default)]
            scan: Scan,
        },
        /// Metropolis sampling of binary models by flips of single sites, each made with probability
        /// `min(1, e^−ΔE)`.
        #[cfg(feature = "full")]
        FlipMetropolis {
            /// The order of the sites; random if absent.
            #[serde(default = "random")]
            scan: Scan,
        },
        /// Locally informed proposals (Zanella 2020) for binary models: a site is drawn with a
        /// probability in proportion to `e^−ΔE/2` of its flip, and the flip is accepted or not. A step
        /// is as many proposals as there are sites, each of which needs what all flips cost.
        #[cfg(feature = "full")]
        LocallyInformed {},
        /// Langevin dynamics of binary models (Zhang, Liu and Liu 2022): each site is proposed to flip
        /// with probability `σ(−ΔE/2 − 1/(2α))`, all at once, and the proposal is accepted or not.
        #[cfg(feature = "full")]
        DiscreteLangevin {
            /// The step size α, greater than 0; 0.2 if absent, where a flip that costs nothing is
            /// proposed with probability 0.08. Warm-up does not adapt it.
            #[serde(default = "langevin_step")]
            step_size: f64,
        },
        /// Gibbs sampling of Ising models, one colour of sites after another: no two sites of a colour are
        /// coupled, so all of them are set at once. Where couplings close no odd cycle there are two
        /// colours, else as many as it takes.
        #[full]
        Checkerboard {},
        /// Swendsen–Wang sampling of Ising and Potts models: every cluster of an Ising model is flipped
        /// with probability ½. In a Potts model values are paired at random, and the sites of every
        /// cluster change to the partners of their values with probability ½.
        #[full]
        SwendsenWang {},
        /// Wolff sampling of Ising models: one cluster, grown from a random site, is flipped. A
        /// step is one cluster, not a sweep.
        #[full]
        Wolff {},
        /// Gibbs sampling of models with hidden units: a sweep draws all hidden units given the
        /// visible ones, then all visible ones given the hidden; these may be bits, values, counts of
        /// words or normal. For a deep belief network, the
        /// machine on top is swept, and each draw is passed down from it.
        #[full]
        BlockGibbs {},
        /// Parallel tempering: replicas at the rungs of a ladder to the model, from a Gaussian on ℝᴰ
        /// and from independent units of bits, are moved, and exchanged with their neighbours.
        #[cfg(feature = "full")]
        ParallelTempering(TemperingSpec),
        /// Simulated tempering: each chain moves up and down such a ladder; its states at the top
        /// are the draws.
        #[cfg(feature = "full")]
        SimulatedTempering(TemperingSpec),
        /// Exact draws, for `logZ` along paths that have them: they show the error that remains
        /// without any error from mixing.
        Perfect {},
    }
    chains {
        /// Hamiltonian Monte Carlo.
        Hmc(HmcSpec) = "hmc";
        /// The no-U-turn sampler: Hamiltonian Monte Carlo that ends each trajectory when it begins
        /// to turn back.
        Nuts(NutsSpec) = "nuts";
        /// Langevin dynamics.
        Langevin(LangevinSpec) = "langevin";
        /// Langevin dynamics of an energy learned at several noises, from the largest noise to the
        /// smallest in one step. It leaves no distribution unchanged: for draws alone.
        AnnealedLangevin(AnnealedLangevinSpec) = "annealedLangevin";
        /// The random walk of Metropolis.
        Metropolis(MetropolisSpec) = "metropolis";
        /// Slice sampling, one coordinate after another.
        Slice(SliceSpec) = "slice";
    }
}

#[cfg(feature = "full")]
fn langevin_step() -> f64 {
    DISCRETE_LANGEVIN_STEP
}

#[cfg(feature = "full")]
fn random() -> Scan {
    Scan::Random
}

/// The order in which the sites are visited.
#[spec]
#[derive(Copy, Eq, Default)]
pub enum Scan {
    /// All sites, from first to last.
    #[default]
    Systematic,
    /// As many sites as there are, each chosen at random.
    Random,
}

/// A ladder of distributions to the model, from a Gaussian or from independent units, and how chains
/// move on its rungs.
#[spec]
pub struct TemperingSpec {
    /// How chains move on each rung.
    pub transition: Box<TransitionSpec>,
    /// Number of rungs, 2 to 256; 10 if absent. In warm-up parallel tempering moves them to where
    /// all exchanges are equally likely; simulated tempering leaves them evenly spaced.
    #[serde(default = "ten")]
    pub num_rungs: usize,
    /// The lowest rung on ℝᴰ; the standard normal distribution if absent.
    pub reference: Option<GaussianSpec>,
    /// Log odds of the independent sites of the lowest rung of a model of bits, one a bit; 0, which is
    /// fair coin tosses, if absent. Where sites have several values, a site's values have probabilities
    /// in proportion to those of their bits.
    pub log_odds: Option<Vec<f64>>,
    /// The distributions between the lowest rung and a model of bits: `geometric`, or `knots`, as `spline`
    /// finds them; geometric if absent.
    pub path: Option<PathSpec>,
}

fn ten() -> usize {
    10
}

/// Lists the kinds of transitions of chains on ℝᴰ that leave their distribution unchanged, for
/// messages, such as "hmc, nuts or slice".
pub(crate) fn chain_kinds() -> String {
    let kinds: Vec<&str> =
        CHAIN_KINDS.iter().copied().filter(|&kind| kind != "annealedLangevin").collect();
    let (last, others) = kinds.split_last().expect("there are some");
    format!("{} or {last}", others.join(", "))
}

impl TransitionSpec {
    /// Whether it moves chains on ℝᴰ rather than packed bits.
    pub fn is_continuous(&self) -> bool {
        self.rung_transition().of_chains().is_some()
    }

    /// Whether it moves chains of this model that are rows of numbers rather than packed bits: block
    /// Gibbs sampling is for both.
    pub fn moves_numbers(&self, model: &ModelSpec) -> bool {
        self.is_continuous() || *self == (Self::BlockGibbs {}) && !model.is_binary()
    }

    /// What chains of numbers of this model take their energies from.
    ///
    /// # Errors
    /// [`Error::MissingCapability`] if the transition does not move them.
    pub fn target_of<'a>(&self, model: &'a dyn Model) -> Result<&'a dyn Differentiable> {
        if *self == (Self::BlockGibbs {}) {
            let Some(blocks) = model.as_block_draws() else {
                return Err(Error::missing(model.kind(), "HiddenUnits", "block Gibbs sampling"));
            };
            return Ok(blocks);
        }
        let missing = || Error::missing(model.kind(), "Differentiable", "this transition");
        model.as_differentiable().ok_or_else(missing)
    }

    /// How chains move, on each rung if there is a ladder.
    pub fn rung_transition(&self) -> &Self {
        self.ladder().map_or(self, |ladder| &ladder.transition)
    }

    /// The ladder, if there is one.
    pub fn ladder(&self) -> Option<&TemperingSpec> {
        match self {
            #[cfg(feature = "full")]
            Self::ParallelTempering(ladder) | Self::SimulatedTempering(ladder) => Some(ladder),
            _ => None,
        }
    }

    /// The transition of chains of numbers, on each rung if there is a ladder.
    ///
    /// # Panics
    /// If it moves packed bits.
    pub fn build(&self) -> Box<dyn ChainTransition> {
        match self.rung_transition() {
            Self::BlockGibbs {} => Box::new(RealBlockGibbs),
            spec => spec.of_chains().expect("it moves chains on the reals").build(),
        }
    }

    /// The step size ε if given, on each rung if there is a ladder; 1 where there is none.
    pub fn step_size(&self) -> Option<f64> {
        if *self == (Self::BlockGibbs {}) {
            return Some(1.0);
        }
        self.rung_transition().of_chains()?.step_size()
    }

    /// What warm-up adapts; none if a step size is given alone.
    pub fn adaptation(&self) -> Option<AdaptationSpec> {
        let adaptation =
            self.rung_transition().of_chains().and_then(ChainTransitionSpec::adaptation);
        match (self.step_size(), adaptation) {
            (Some(_), None) => None,
            (_, adaptation) => Some(adaptation.cloned().unwrap_or_default()),
        }
    }

    /// Whether it is a way to draw alone, and not for chains of a fit or on the rungs of a ladder.
    pub(crate) fn is_for_draws_alone(&self) -> bool {
        self.rung_transition().of_chains().is_some_and(ChainTransitionSpec::is_for_draws_alone)
    }

    /// Checks that the transition leaves its distribution unchanged, as annealing needs.
    pub(crate) fn check_unbiased(&self) -> Result<()> {
        match self.rung_transition().of_chains().and_then(ChainTransitionSpec::bias) {
            Some((field, problem)) => Err(Error::spec(format!("transition.{field}"), problem)),
            None => Ok(()),
        }
    }

    /// Checks that the transition can move chains of `dim` dimensions. `field` is its path in the
    /// job's spec, for the message.
    pub(crate) fn check_dim(&self, field: &str, dim: usize) -> Result<()> {
        match self.rung_transition().of_chains().map(ChainTransitionSpec::max_dim) {
            Some(most) if dim > most => Err(Error::TooLarge {
                field: field.into(),
                problem: format!(
                    "moves chains of at most {most} dimensions, and the model has {dim}; use hmc or nuts"
                ),
            }),
            _ => Ok(()),
        }
    }

    /// Checks that chains can move on the rungs of this ladder.
    #[cfg(feature = "full")]
    fn check_rungs(&self, ladder: &TemperingSpec) -> Result<()> {
        let moves_bits = matches!(
            *ladder.transition,
            Self::Gibbs { .. }
                | Self::FlipMetropolis { .. }
                | Self::LocallyInformed {}
                | Self::DiscreteLangevin { .. }
                | Self::Checkerboard {}
                | Self::SwendsenWang {}
                | Self::Wolff {}
                | Self::BlockGibbs {}
        );
        let is_parallel = matches!(self, Self::ParallelTempering(_));
        if ladder.transition.is_for_draws_alone()
            || ladder.transition.of_chains().is_none() && !(moves_bits && is_parallel)
        {
            let kinds = chain_kinds();
            let problem = match (moves_bits, is_parallel) {
                (true, _) => format!(
                    "moves bits, which simulated tempering does not; use parallelTempering, or {kinds}"
                ),
                (_, true) => format!(
                    "is none that moves a chain on a rung; use {kinds}, or for bits gibbs, flipMetropolis, \
                     locallyInformed, blockGibbs, checkerboard, swendsenWang or wolff"
                ),
                _ => format!("is none that moves a chain on a rung; use {kinds}"),
            };
            return Err(Error::spec("transition.transition", problem));
        }
        if moves_bits && ladder.reference.is_some() {
            let problem =
                "is a Gaussian, and the chains move bits; give logOdds of independent units";
            return Err(Error::spec("transition.reference", problem));
        }
        if !moves_bits && ladder.log_odds.is_some() {
            let problem =
                "are those of bits, and the chains move on ℝᴰ; give a Gaussian as reference";
            return Err(Error::spec("transition.logOdds", problem));
        }
        if !moves_bits && ladder.path.is_some() {
            let problem = "is one through parameters of a model of bits, and the chains move on ℝᴰ; leave it out";
            return Err(Error::spec("transition.path", problem));
        }
        Ok(())
    }

    /// Checks everything that does not require the model.
    pub(crate) fn check(&self) -> Result<()> {
        #[cfg(feature = "full")]
        if let Some(ladder) = self.ladder() {
            crate::checks::in_range("transition.numRungs", ladder.num_rungs, 2, MAX_RUNGS)?;
            self.check_rungs(ladder)?;
            return ladder.transition.check();
        }
        let Some(spec) = self.of_chains() else { return Ok(()) };
        spec.check()?;
        if let Some(step_size) = spec.step_size() {
            check_positive("transition.stepSize", step_size)?;
        }
        let target = spec.adaptation().and_then(|adaptation| adaptation.target_acceptance);
        if let Some(target) = target.filter(|&target| !(target > 0.0 && target < 1.0)) {
            return Err(Error::spec(
                "transition.adaptation.targetAcceptance",
                format!("is {target}; it must lie between 0 and 1"),
            ));
        }
        Ok(())
    }
}
