//! What the steps of all chains share.

use crate::energy::Differentiable;
use crate::models::gaussian::{Gaussian, PrincipalAxes};
use crate::rng::{ChainRng, Purpose, stream};
use crate::sample::annealed::Annealed;
use crate::sample::chains::ChainTransition;
use crate::sample::job::continuous::plan::Plan;
use crate::sample::job::spec::SampleSpec;
use crate::sample::tuning::ScaleKind;
use crate::sample::warmup::WarmupSettings;

/// The target and how chains move on it; the same for all groups.
pub struct ChainContext<'a> {
    pub target: &'a dyn Differentiable,
    /// The principal axes along which chains move, if they do; never with a ladder.
    pub axes: Option<&'a PrincipalAxes>,
    pub transition: &'a dyn ChainTransition,
    pub plan: &'a Plan,
    /// The lowest rung of the ladder, if there is one; the next field is the path from it to the
    /// target.
    pub reference: Option<&'a Gaussian>,
    annealed: Option<Annealed<'a>>,
}

impl<'a> ChainContext<'a> {
    /// The context of a run; `reference` is given if there is a ladder.
    pub fn new(
        target: &'a dyn Differentiable,
        axes: Option<&'a PrincipalAxes>,
        transition: &'a dyn ChainTransition,
        plan: &'a Plan,
        reference: Option<&'a Gaussian>,
    ) -> Self {
        let annealed = reference.map(|reference| Annealed::new(reference, target, 1.0));
        Self { target, axes, transition, plan, reference, annealed }
    }

    /// The path from the reference to the target.
    ///
    /// # Panics
    /// If there is no ladder.
    pub fn annealed(&self) -> &Annealed<'a> {
        self.annealed.as_ref().expect("a ladder has a reference")
    }
}

/// The kind of a step, by its place in the run.
#[derive(Debug, Clone, Copy)]
pub struct StepKind {
    /// Whether it belongs to warm-up; the next field is whether it is the last of it.
    pub is_warmup: bool,
    pub is_last_of_warmup: bool,
    /// Whether a draw is taken after it.
    pub is_draw: bool,
    /// Whether the first chain's trajectory is recorded.
    pub is_recorded: bool,
}

impl StepKind {
    /// The kind of step number `step` of a plan; `records` says whether trajectories are recorded
    /// after warm-up.
    pub fn new(plan: &Plan, step: u64, records: bool) -> Self {
        let is_warmup = step < plan.num_warmup;
        Self {
            is_warmup,
            is_last_of_warmup: step + 1 == plan.num_warmup,
            is_draw: plan.is_draw(step),
            is_recorded: records && !is_warmup,
        }
    }
}

/// The initial state of chains.
pub struct ChainInit {
    /// The initial step size ε of all chains.
    pub step_size: f64,
    /// What warm-up adapts.
    pub warmup: WarmupSettings,
    seed: u64,
}

impl ChainInit {
    /// The initial state that the spec asks for.
    pub fn new(spec: &SampleSpec, context: &ChainContext<'_>, seed: u64) -> Self {
        let adaptation = spec.transition.adaptation();
        let warmup = WarmupSettings {
            num_steps: if adaptation.is_some() { context.plan.num_warmup } else { 0 },
            target_acceptance: adaptation
                .as_ref()
                .and_then(|adaptation| adaptation.target_acceptance)
                .unwrap_or(context.transition.target_acceptance()),
            scale: adaptation.map_or(ScaleKind::Unit, |adaptation| adaptation.scale),
        };
        Self { step_size: spec.transition.step_size().unwrap_or(0.1), warmup, seed }
    }

    /// The random stream of a chain; each rung of a ladder has its own.
    pub fn rng(&self, chain: usize, rung: usize) -> ChainRng {
        stream(self.seed, Purpose::Chain, chain as u64 + ((rung as u64) << 32))
    }
}
