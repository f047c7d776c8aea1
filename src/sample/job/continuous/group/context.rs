//! What the steps of all chains have in common.

use crate::energy::Differentiable;
use crate::models::gaussian::{Gaussian, PrincipalAxes};
use crate::rng::{ChainRng, Purpose, stream};
use crate::sample::annealed::Annealed;
use crate::sample::chains::ChainTransition;
use crate::sample::job::continuous::plan::Plan;
use crate::sample::job::spec::SampleSpec;
use crate::sample::tuning::ScaleKind;
use crate::sample::warmup::WarmupSettings;

/// What chains move on and how; the same for all groups.
pub struct ChainContext<'a> {
    pub target: &'a dyn Differentiable,
    /// Those along which the target lies turned, if it does: without a ladder only.
    pub axes: Option<&'a PrincipalAxes>,
    pub transition: &'a dyn ChainTransition,
    pub plan: &'a Plan,
    /// The lowest rung of the ladder, if there is one, and the way from it to the target.
    pub reference: Option<&'a Gaussian>,
    annealed: Option<Annealed<'a>>,
}

impl<'a> ChainContext<'a> {
    /// The way of a spec's transition; a reference if that has a ladder.
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

    /// The way from the reference to the target.
    ///
    /// # Panics
    /// If there is no ladder.
    pub fn annealed(&self) -> &Annealed<'a> {
        self.annealed.as_ref().expect("a ladder has a reference")
    }
}

/// What a step is, where it stands in the run.
#[derive(Debug, Clone, Copy)]
pub struct StepKind {
    /// Whether it is one of warm-up, and its last.
    pub is_warmup: bool,
    pub is_last_of_warmup: bool,
    /// Whether a draw is taken after it.
    pub is_draw: bool,
    /// Whether the first chain's trajectory is recorded.
    pub is_recorded: bool,
}

impl StepKind {
    /// Step number `step` of a plan; `records` says whether trajectories are
    /// recorded after warm-up.
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

/// How chains begin.
pub struct ChainInit {
    /// ε of all.
    pub step_size: f64,
    /// What is adapted.
    pub warmup: WarmupSettings,
    seed: u64,
}

impl ChainInit {
    /// As the spec says.
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

    /// The stream of a chain; a ladder's rungs have streams of their own.
    pub fn rng(&self, chain: usize, rung: usize) -> ChainRng {
        stream(self.seed, Purpose::Chain, chain as u64 + ((rung as u64) << 32))
    }
}
