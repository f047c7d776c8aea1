//! Chains that check a fitted model. For bits: annealed from even odds, and started from rows of
//! the data. On ℝᴰ, where log Z is not known: annealed from independent normal distributions with
//! the rows' means.
//!
//! On ℝᴰ the groups differ in step size and in the width of those distributions: wide ones find
//! states far from the rows. Pilot runs to choose among them would cost as much as the chains
//! themselves. They are not needed: a chain's weight has the expectation Z for any of the settings.

use crate::FULL;
use crate::bits::BitMatrix;
use crate::fit::predictive_check::num_on;
use crate::fit::predictive_check::reals::Marginals;
use crate::models::{Model, ModelSpec};
use crate::normalize::annealing_plan::{AnnealingPlan, Direction};
use crate::normalize::geometric_path::GeometricPath;
use crate::normalize::path::Path;
use crate::normalize::population::Population;
use crate::normalize::profile::Profile;
use crate::normalize::states::States;
use crate::normalize::step_sizes::StepSizes;
use crate::rng::{Purpose, derived_seed};
use crate::sample::hmc::HmcSpec;
use crate::sample::param_path::ParamPath;
use crate::sample::path_moves::Moves;
use crate::sample::spec::{Scan, TransitionSpec};
use std::ops::Range;

/// Chains of each kind.
const NUM_CHAINS: usize = 64;

/// Chains per group; the chains of a group move side by side.
const WIDTH: usize = 16;

/// Annealing steps of chains of bits.
const NUM_BETAS: usize = 50;

/// Sweeps from rows of the data.
const NUM_SWEEPS: usize = 25;

/// Annealing steps on ℝᴰ; each is one trajectory of Hamiltonian Monte Carlo.
const NUM_BETAS_ON_REALS: usize = 200;

/// Leapfrog steps of such a trajectory.
const NUM_LEAPFROG_STEPS: usize = 5;

/// Settings of each group on ℝᴰ: the standard deviation at β = 0, in units of the rows' standard
/// deviations, and the step size, in those units times `D^{−1/4}` (Neal 2011, section 5.4.4).
const GROUPS_ON_REALS: [[f64; 2]; NUM_CHAINS / WIDTH] =
    [[1.0, 1.0], [1.0, 0.4], [3.0, 1.0], [3.0, 0.4]];

/// Work of a piece, in estimated nanoseconds.
const PIECE: u64 = 5_000_000;

/// The annealed chains and those from rows.
pub struct Chains {
    starts: Starts,
    seed: u64,
    /// Annealing plans to the model of the last [`Chains::prepare`]: one for each annealed group,
    /// or one for all. Empty where there is no such path.
    plans: Vec<AnnealingPlan>,
}

/// Where chains begin.
enum Starts {
    /// At even odds for annealed chains, and at these rows for the others.
    Bits(Vec<Vec<u64>>),
    Reals(Marginals),
}

impl Chains {
    /// Chains of bits: annealed, and from rows spread over the data.
    pub fn of_bits(data: &BitMatrix, seed: u64) -> Self {
        let row = |chain: usize| chain * data.num_rows() / NUM_CHAINS;
        let rows = (0..NUM_CHAINS).map(|chain| data.row(row(chain)).to_vec()).collect();
        Self::from_starts(Starts::Bits(rows), seed)
    }

    /// Chains on ℝᴰ, all annealed.
    pub fn of_reals(marginals: &Marginals, seed: u64) -> Self {
        Self::from_starts(Starts::Reals(marginals.clone()), seed)
    }

    fn from_starts(starts: Starts, seed: u64) -> Self {
        Self { starts, seed: derived_seed(seed, Purpose::CheckSeed, 0), plans: Vec::new() }
    }

    /// Makes the annealing plans to a model.
    pub fn prepare(&mut self, model: &dyn Model) {
        self.plans = match &self.starts {
            Starts::Bits(_) => plan_for_bits(model).into_iter().collect(),
            Starts::Reals(_) if !FULL || model.as_reference().is_some() => Vec::new(),
            Starts::Reals(marginals) => {
                let groups = GROUPS_ON_REALS.iter();
                groups.filter_map(|group| plan_on_reals(model, marginals, *group)).collect()
            }
        };
    }

    /// Number of groups of both kinds.
    pub fn num_groups(&self) -> usize {
        match &self.starts {
            Starts::Bits(_) => 2 * self.num_annealed_groups(),
            Starts::Reals(_) => self.num_annealed_groups(),
        }
    }

    /// Number of annealed groups, which come before those from rows.
    pub fn num_annealed_groups(&self) -> usize {
        NUM_CHAINS / WIDTH
    }

    fn is_annealed(&self, group: usize) -> bool {
        group < self.num_annealed_groups()
    }

    fn chains(&self, group: usize) -> Range<usize> {
        let first = group % self.num_annealed_groups() * WIDTH;
        first..first + WIDTH
    }

    fn annealing_plan(&self, group: usize) -> Option<&AnnealingPlan> {
        (!self.plans.is_empty()).then(|| &self.plans[group % self.plans.len()])
    }

    /// The chains of a group before their first step.
    pub fn begin(&self, group: usize) -> Option<Population> {
        let (plan, chains) = (self.annealing_plan(group)?, self.chains(group));
        Some(match &self.starts {
            Starts::Bits(rows) if !self.is_annealed(group) => {
                let starts = States::Rows(rows[chains.clone()].to_vec());
                Population::reverse(plan, chains, &starts, self.seed)
            }
            _ => Population::forward(plan, chains, self.seed),
        })
    }

    /// Moves a group's chains by the steps of a piece. After the last piece returns, for each chain
    /// in turn, the number of sites on (on ℝᴰ the distance from the rows' mean,
    /// [`Marginals::distance`]) and the log weight plus log Z of the reference. Returns nothing
    /// where the model has no path.
    pub fn go_on(
        &self,
        group: usize,
        chains: &mut Option<Population>,
        piece: usize,
    ) -> Option<Vec<f64>> {
        let (Some(plan), Some(chains)) = (self.annealing_plan(group), chains) else {
            return Some(Vec::new());
        };
        let of_piece = (PIECE / (WIDTH as u64 * plan.step_cost()).max(1)).max(1) as usize;
        let (direction, num_steps) = match self.is_annealed(group) {
            true => (Direction::Forward, plan.num_distributions()),
            false => (Direction::Stay, NUM_SWEEPS),
        };
        let start = piece * of_piece;
        let end = (start + of_piece).min(num_steps);
        chains.advance(plan, direction, start..end, &mut Profile::default());
        if end < num_steps {
            return None;
        }
        let places: Vec<f64> = match (chains.states(), &self.starts) {
            (States::Rows(rows), _) => rows.iter().map(|row| num_on(row) as f64).collect(),
            (States::Values { dim, values, .. }, Starts::Reals(marginals)) => {
                values.chunks_exact(dim).map(|state| marginals.distance(state)).collect()
            }
            _ => unreachable!(),
        };
        let reference_log_z = plan.path().reference_log_z();
        let logs = chains.log_weights.iter().map(|log| log + reference_log_z);
        Some(places.into_iter().zip(logs).flat_map(|(place, log)| [place, log]).collect())
    }
}

/// `num_betas` values of β from 0 to 1, evenly spaced.
fn evenly(num_betas: usize) -> Vec<f64> {
    (0..=num_betas).map(|step| step as f64 / num_betas as f64).collect()
}

/// None of sites of several values: in each of their states as many bits are on.
fn plan_for_bits(model: &dyn Model) -> Option<AnnealingPlan> {
    if model.as_sites().is_some() {
        return None;
    }
    let path = ParamPath::from_log_odds(model.boxed_clone(), &vec![0.0; model.dim()]).ok()?;
    let transition = match path.energies().as_sides().is_some() {
        true => TransitionSpec::BlockGibbs {},
        false => TransitionSpec::Gibbs { scan: Scan::Systematic },
    };
    let step_sizes = StepSizes::constant(1.0).ok()?;
    AnnealingPlan::new(Path::Params(path), Moves::By(transition), evenly(NUM_BETAS), 1, step_sizes)
        .ok()
}

fn plan_on_reals(
    model: &dyn Model,
    marginals: &Marginals,
    [width, step]: [f64; 2],
) -> Option<AnnealingPlan> {
    let reference = ModelSpec::Gaussian(marginals.gaussian(width)).build().ok()?;
    let path = Path::Geometric(GeometricPath::new(reference, model.boxed_clone()).ok()?);
    let hmc = HmcSpec { num_leapfrog_steps: NUM_LEAPFROG_STEPS, ..HmcSpec::default() };
    let moves = Moves::By(TransitionSpec::Hmc(hmc));
    let step_size = step / (model.dim() as f64).sqrt().sqrt();
    let step_sizes = StepSizes::constant(step_size).ok()?;
    let plan = AnnealingPlan::new(path, moves, evenly(NUM_BETAS_ON_REALS), 1, step_sizes).ok()?;
    Some(plan.in_units(marginals.deviations().to_vec()))
}
