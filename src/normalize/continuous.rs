//! Chains along a geometric path on ℝᴰ. They keep the energies and gradients of both ends. So
//! neither a term of the weight, `(β_k − β_{k−1}) (E_reference − E_target)`, nor a change of β
//! takes an evaluation: only the transitions take gradients.
//!
//! Hamiltonian annealed importance sampling (Sohl-Dickstein and Culpepper 2011) is `hmc` with one
//! leapfrog step and partial refreshment: momenta persist from one distribution to the next. It is
//! its own reversal. With R the refreshment, M the leapfrog step with its acceptance and F the
//! momentum flip, the reversal of "R, then M" is "F M F, then R". F commutes with R, and changes
//! neither weights nor N(0, I), from which the first state's momentum is drawn. Hence one more R
//! before it changes nothing.

use super::annealing_plan::AnnealingPlan;
use super::geometric_path::GeometricPath;
use super::path::Path;
use super::profile::Accounts;
use super::states::States;
use crate::linalg::transpose;
use crate::rng::ChainRng;
use crate::sample::chains::{Chains, StepInfo};
use crate::sample::target::Target;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Chains along a geometric path on ℝᴰ.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Continuous {
    chains: Chains,
    #[serde(skip)]
    info: Vec<StepInfo>,
}

fn path_of(plan: &AnnealingPlan) -> &GeometricPath {
    match plan.path() {
        Path::Geometric(path) => path,
        _ => panic!("a plan of another kind"),
    }
}

impl Continuous {
    /// Chains at these states, `[width, dim]`, with new momenta.
    pub fn new(plan: &AnnealingPlan, beta: f64, values: &[f64], rngs: Vec<ChainRng>) -> Self {
        let path = path_of(plan).annealed();
        let betas = vec![beta; rngs.len()];
        let mut chains = Chains::annealed(&path, values, &betas, rngs);
        chains.refresh_momentum(1.0);
        Self { chains, info: Vec::new() }
    }

    pub fn advance(
        &mut self,
        plan: &AnnealingPlan,
        steps: Range<usize>,
        accounts: &mut Accounts<'_>,
    ) {
        let path = path_of(plan).annealed();
        let transition =
            plan.transition(accounts.direction).expect("checked when the plan was made");
        let Self { chains, info } = self;
        let width = chains.width();
        info.resize(width, StepInfo::default());
        let mut tuning = plan.tuning(width);
        let share = 1.0 / plan.num_steps() as f64;
        for step in steps {
            let [from, to] = plan.betas(accounts.direction, step);
            let distance = (to - from).abs();
            accounts.profile.begin();
            accounts.weigh(chains.differences().map(|difference| -distance * difference));
            chains.set_all_betas(to);
            tuning.step_size.fill(plan.step_sizes().at(to));
            for _ in 0..plan.num_steps() {
                transition.step(Target::Annealed(&path), &tuning, chains, info);
                accounts.profile.accept(info.iter().map(|info| share * info.acceptance));
            }
            accounts.integrate(chains.differences().map(|difference| -distance * difference));
        }
    }

    pub fn states(&self) -> States {
        states_of(&self.chains)
    }

    pub fn set(&mut self, plan: &AnnealingPlan, beta: f64, values: &[f64], momenta: &[f64]) {
        set_states(&mut self.chains, values, momenta);
        self.chains.evaluate(Target::Annealed(&path_of(plan).annealed()));
        self.chains.set_all_betas(beta);
    }

    pub fn has_shape_of(&self, valid: &Self) -> bool {
        self.chains.is_valid_annealed(valid.chains.dim(), valid.chains.width())
    }
}

/// Positions and momenta.
pub(super) fn states_of(chains: &Chains) -> States {
    let (dim, width) = (chains.dim(), chains.width());
    let by_state = |block: &[f64]| {
        let mut values = vec![0.0; block.len()];
        transpose(width, dim, block, &mut values);
        values
    };
    let [values, momenta] = [&chains.position, &chains.momentum].map(|block| by_state(block));
    States::Values { dim, values, momenta }
}

/// Sets positions and, if given, momenta.
pub(super) fn set_states(chains: &mut Chains, values: &[f64], momenta: &[f64]) {
    let (dim, width) = (chains.dim(), chains.width());
    transpose(dim, width, values, &mut chains.position);
    if !momenta.is_empty() {
        transpose(dim, width, momenta, &mut chains.momentum);
    }
}
