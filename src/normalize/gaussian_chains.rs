//! Chains along a path of Gaussians: they move to exact draws, by Gibbs sampling of one coordinate
//! after another, or by any transition on ℝᴰ.
//!
//! Gibbs sampling draws each coordinate given the others, `x_d ~ N(μ_d − Σ_{j≠d} Λ_dj (x_j − μ_j) /
//! Λ_dd, 1/Λ_dd)`, in ascending order, and in descending order in reverse; or it draws D
//! coordinates, each chosen at random.

use super::annealing_plan::{AnnealingPlan, Direction};
use super::continuous::{set_states, states_of};
use super::gaussian_path::{GaussianPath, pull};
use super::path::Path;
use super::profile::Accounts;
use super::states::States;
use crate::energy::{Differentiable, Reference};
use crate::linalg::{Block, axpy};
use crate::models::gaussian::Gaussian;
use crate::rng::{ChainRng, below, normal};
use crate::sample::chains::{Chains, StepInfo};
use crate::sample::path_moves::Moves;
use crate::sample::spec::{Scan, TransitionSpec};
use crate::sample::target::Target;
use crate::sample::tuning::Tuning;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Chains along a path of Gaussians. Their energies are those at their present β.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct GaussianChains {
    chains: Chains,
    #[serde(skip)]
    memory: Memory,
}

#[derive(Debug, Clone, Default)]
struct Memory {
    info: Vec<StepInfo>,
    /// Temporary energies and gradients under a Gaussian other than that of the present β.
    energy: Vec<f64>,
    grad: Vec<f64>,
    /// Temporary memory for a state, and for one number per chain.
    state: Vec<f64>,
    line: Vec<f64>,
}

fn path_of(plan: &AnnealingPlan) -> &GaussianPath {
    match plan.path() {
        Path::Gaussians(path) => path,
        _ => panic!("a plan of another kind"),
    }
}

impl GaussianChains {
    /// Chains at these states, `[width, dim]`, with new momenta if the moves use any.
    pub fn new(plan: &AnnealingPlan, beta: f64, values: &[f64], rngs: Vec<ChainRng>) -> Self {
        let mut chains = Chains::new(Target::Model(&path_of(plan).at(beta)), values, rngs);
        if plan.has_momenta() {
            chains.refresh_momentum(1.0);
        }
        Self { chains, memory: Memory::default() }
    }

    pub fn advance(
        &mut self,
        plan: &AnnealingPlan,
        steps: Range<usize>,
        accounts: &mut Accounts<'_>,
    ) {
        if steps.is_empty() {
            return;
        }
        let path = path_of(plan);
        let width = self.chains.width();
        self.memory.energy.resize(width, 0.0);
        self.memory.grad.resize(self.chains.grad.len(), 0.0);
        // log f_k − log f_{k−1}, where k is the end nearer to the target.
        let sign = if accounts.direction == Direction::Forward { 1.0 } else { -1.0 };
        let mut here = path.at(plan.betas(accounts.direction, steps.start)[0]);
        let mut tuning = plan.tuning(width);
        for step in steps {
            let [_, beta] = plan.betas(accounts.direction, step);
            let there = path.at(beta);
            accounts.profile.begin();
            self.evaluate(&there);
            let energies = self.chains.energy.iter().zip(&self.memory.energy);
            accounts.weigh(energies.map(|(before, after)| sign * (before - after)));
            if plan.has_momenta() {
                self.chains.evaluate(Target::Model(&there));
            }
            tuning.step_size.fill(plan.step_sizes().at(beta));
            for _ in 0..plan.num_steps() {
                self.step(plan, &there, &tuning, accounts);
            }
            if !plan.has_momenta() {
                self.chains.evaluate(Target::Model(&there));
            }
            self.evaluate(&here);
            let energies = self.memory.energy.iter().zip(&self.chains.energy);
            accounts.integrate(energies.map(|(before, after)| sign * (before - after)));
            here = there;
        }
    }

    /// Writes the energies of the present states under a Gaussian to temporary memory.
    fn evaluate(&mut self, gaussian: &Gaussian) {
        let Memory { energy, grad, .. } = &mut self.memory;
        gaussian.energy_grad(self.chains.positions(), energy, grad);
    }

    /// One transition of all chains at `there`. It updates energies only if the transition uses
    /// momenta.
    fn step(
        &mut self,
        plan: &AnnealingPlan,
        there: &Gaussian,
        tuning: &Tuning,
        accounts: &mut Accounts<'_>,
    ) {
        let share = 1.0 / plan.num_steps() as f64;
        let width = self.chains.width();
        if let Some(transition) = plan.transition(accounts.direction) {
            self.memory.info.resize(width, StepInfo::default());
            transition.step(Target::Model(there), tuning, &mut self.chains, &mut self.memory.info);
            accounts.profile.accept(self.memory.info.iter().map(|info| share * info.acceptance));
            return;
        }
        accounts.profile.accept((0..width).map(|_| share));
        match plan.moves() {
            Moves::Perfect => self.draw(there),
            Moves::By(TransitionSpec::Gibbs { scan: Scan::Systematic }) => {
                self.sweep(there, accounts.direction);
            }
            _ => self.random_sweep(there),
        }
    }

    fn draw(&mut self, gaussian: &Gaussian) {
        let Chains { position, rngs, .. } = &mut self.chains;
        let width = rngs.len();
        self.memory.state.resize(position.len() / width, 0.0);
        for (chain, rng) in rngs.iter_mut().enumerate() {
            gaussian.draw(rng, &mut self.memory.state);
            let entries = position.iter_mut().skip(chain).step_by(width);
            entries.zip(&self.memory.state).for_each(|(to, from)| *to = *from);
        }
    }

    /// A Gibbs sweep of all chains side by side.
    fn sweep(&mut self, gaussian: &Gaussian, direction: Direction) {
        let pull = pull(gaussian);
        let (dim, width) = (pull.len(), self.chains.width());
        let Chains { position, rngs, .. } = &mut self.chains;
        let others = &mut self.memory.line;
        others.resize(width, 0.0);
        for index in 0..dim {
            let d = if direction == Direction::Forward { index } else { dim - 1 - index };
            let line = &gaussian.precision()[d * dim..(d + 1) * dim];
            let x = Block::new(dim, position);
            others.fill(0.0);
            for j in (0..dim).filter(|j| *j != d) {
                axpy(line[j], x.entry(j), others);
            }
            let spread = 1.0 / line[d].sqrt();
            let entry = &mut position[d * width..(d + 1) * width];
            for ((x, others), rng) in entry.iter_mut().zip(&*others).zip(&mut *rngs) {
                *x = (pull[d] - others) / line[d] + spread * normal(rng);
            }
        }
    }

    /// D moves of single coordinates, chosen at random for each chain.
    fn random_sweep(&mut self, gaussian: &Gaussian) {
        let pull = pull(gaussian);
        let (dim, width) = (pull.len(), self.chains.width());
        let Chains { position, rngs, .. } = &mut self.chains;
        for (chain, rng) in rngs.iter_mut().enumerate() {
            for _ in 0..dim {
                let d = below(dim, rng);
                let line = &gaussian.precision()[d * dim..(d + 1) * dim];
                let others = (0..dim).filter(|j| *j != d);
                let others = others.map(|j| line[j] * position[j * width + chain]).sum::<f64>();
                position[d * width + chain] =
                    (pull[d] - others) / line[d] + normal(rng) / line[d].sqrt();
            }
        }
    }

    pub fn states(&self) -> States {
        states_of(&self.chains)
    }

    pub fn set(&mut self, plan: &AnnealingPlan, beta: f64, values: &[f64], momenta: &[f64]) {
        set_states(&mut self.chains, values, momenta);
        self.chains.evaluate(Target::Model(&path_of(plan).at(beta)));
    }

    pub fn has_shape_of(&self, valid: &Self) -> bool {
        self.chains.is_valid(valid.chains.dim(), valid.chains.width())
    }
}
