//! The no-U-turn sampler (Hoffman and Gelman 2014) in its current form: it draws from the
//! trajectory by multinomial weights e^{−H} (Betancourt 2017), with progressive sampling biased to
//! the later half at each doubling, and the generalized U-turn criterion with the two checks across
//! the seam of each pair of subtrees that Stan added in 2019.
//!
//! From a new momentum the trajectory is doubled, forward or backward by a coin toss, until one of
//! - it turns: with ρ the sum of the momenta of a subtree and v⁻, v⁺ those at
//!   its ends, `v⁻·ρ ≤ 0` or `v⁺·ρ ≤ 0`. As momenta here are those of y = A⁻¹x,
//!   where the mass is one, no mass matrix appears;
//! - a subtree of its newest half turns, or diverges: then that half is dropped;
//! - `max_depth` doublings.
//!
//! It is exact for every reversible step that preserves volume, including reflections at
//! boundaries. Each chain grows its own tree, one chain at a time, from its own stream.

use super::chains::{AdaptationSpec, ChainTransition, ChainTransitionSpec, Chains, Path, StepInfo};
use super::hmc::{acceptance, is_divergent};
use super::leapfrog::leapfrog;
use super::scratch::Snapshot;
use super::tuning::Tuning;
use crate::Result;
use crate::checks::in_range;
use crate::linalg::axpy;
use crate::math::softplus;
use crate::rng::{ChainRng, uniform};
use crate::sample::target::Target;
use std::f64::consts::LN_2;
use std::mem::swap;
use unnorm_wire::spec;

/// Default maximum depth of the trees, as in Stan.
pub const DEFAULT_MAX_DEPTH: usize = 10;

/// Maximum number of doublings of a trajectory, as it is not interrupted.
const MAX_TREE_DEPTH: usize = 12;

/// The no-U-turn sampler.
#[spec(default)]
pub struct NutsSpec {
    /// Maximum number of doublings of a trajectory, 1 to 12; 10 if absent.
    pub max_tree_depth: usize,
    /// The step size ε. Kept if given without `adaptation`; else found in warm-up.
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

impl ChainTransitionSpec for NutsSpec {
    fn build(&self) -> Box<dyn ChainTransition> {
        Box::new(Nuts { max_depth: self.max_tree_depth })
    }

    fn step_size(&self) -> Option<f64> {
        self.step_size
    }

    fn adaptation(&self) -> Option<&AdaptationSpec> {
        self.adaptation.as_ref()
    }

    fn check(&self) -> Result<()> {
        in_range("transition.maxTreeDepth", self.max_tree_depth, 1, MAX_TREE_DEPTH)
    }
}

/// The no-U-turn sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nuts {
    /// Maximum number of doublings: a step takes less than 2^`max_depth` gradients.
    pub max_depth: usize,
}

impl Default for Nuts {
    fn default() -> Self {
        Self { max_depth: DEFAULT_MAX_DEPTH }
    }
}

impl ChainTransition for Nuts {
    fn step(
        &self,
        target: Target<'_>,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    ) {
        let width = chains.width();
        assert_eq!(info.len(), width);
        chains.refresh_momentum(1.0);
        let mut tree = chains.scratch.memory.take::<Tree>();
        for (chain, info) in info.iter_mut().enumerate() {
            chains.select_into(&[chain], &mut tree.walker);
            tuning.select_into(&[chain], &mut tree.tuning);
            tree.walker.path = chains.path.take_if(|path| path.chain == chain).map(|mut path| {
                path.points.clear();
                Path { chain: 0, ..path }
            });
            tree.walker.record();
            *info = tree.grow(target, self.max_depth, &mut chains.rngs[chain]);
            chains.put_one(chain, &tree.walker);
            if let Some(path) = tree.walker.path.take() {
                chains.path = Some(Path { chain, ..path });
            }
        }
        chains.scratch.memory.keep(tree);
    }

    /// The typical number for models without narrow valleys.
    fn num_gradients(&self, _dim: usize) -> u64 {
        1 << self.max_depth.min(5)
    }
}

/// A complete binary tree of states of the trajectory.
#[derive(Debug, Clone, Default)]
struct Subtree {
    /// Momentum at the end that was reached first, forward in time.
    first: Vec<f64>,
    /// Momentum at the end that was reached last.
    last: Vec<f64>,
    /// ρ, the sum of all momenta.
    sum: Vec<f64>,
    /// The state drawn from the subtree.
    draw: Snapshot,
    /// ln Σ e^{H₀ − H} over the subtree's states.
    log_weight: f64,
}

/// A growing tree, and memory that it reuses from step to step.
#[derive(Debug, Clone, Default)]
struct Tree {
    /// The single chain that integrates, always forward: to go backward in time it starts with its
    /// momentum reversed.
    walker: Chains,
    tuning: Tuning,
    /// The ends of the whole trajectory, backward and forward in time, each with the walker's
    /// momentum there.
    ends: [Snapshot; 2],
    /// Subtrees to be reused.
    pool: Vec<Subtree>,
    /// 1 forward in time, −1 backward.
    sign: f64,
    energy_before: f64,
    is_divergent: bool,
    sum_acceptance: f64,
    num_gradients: usize,
}

impl Tree {
    /// One step of the walker.
    fn grow(&mut self, target: Target<'_>, max_depth: usize, rng: &mut ChainRng) -> StepInfo {
        self.energy_before = self.total_energy();
        (self.is_divergent, self.sum_acceptance, self.num_gradients) = (false, 0.0, 0);
        self.sign = 1.0;
        let mut whole = self.leaf(0.0);
        for end in &mut self.ends {
            self.walker.save_to(end);
        }
        turn(&mut self.ends[0]);
        let (mut depth, mut has_moved) = (0, false);
        while depth < max_depth {
            let is_forward = uniform(rng) < 0.5;
            self.sign = if is_forward { 1.0 } else { -1.0 };
            self.walker.restore_from(&self.ends[usize::from(is_forward)]);
            let Some(new) = self.build(target, depth, rng) else { break };
            self.walker.save_to(&mut self.ends[usize::from(is_forward)]);
            depth += 1;
            // Biased progressive sampling: prefers the new half as much as possible.
            let is_drawn = uniform(rng) < acceptance(whole.log_weight - new.log_weight);
            has_moved |= is_drawn;
            // Seen from the seam, the new half lies ahead.
            if !is_forward {
                whole.reverse();
            }
            let goes_on = goes_on(&whole, &new);
            let total = log_add_exp(whole.log_weight, new.log_weight);
            self.join(&mut whole, new, is_drawn, total);
            if !is_forward {
                whole.reverse();
            }
            if !goes_on {
                break;
            }
        }
        self.walker.restore_from(&whole.draw);
        self.pool.push(whole);
        StepInfo {
            acceptance: self.sum_acceptance / self.num_gradients.max(1) as f64,
            is_accepted: has_moved,
            is_flipped: false,
            is_divergent: self.is_divergent,
            energy_error: self.total_energy() - self.energy_before,
            num_gradients: self.num_gradients,
            tree_depth: depth,
        }
    }

    /// A subtree of 2^depth states ahead of the walker; none if it turns or diverges.
    fn build(&mut self, target: Target<'_>, depth: usize, rng: &mut ChainRng) -> Option<Subtree> {
        if depth == 0 {
            leapfrog(target, &self.tuning, &mut self.walker, 1);
            let error = self.total_energy() - self.energy_before;
            self.num_gradients += 1;
            self.sum_acceptance += acceptance(error);
            self.is_divergent = is_divergent(error);
            return (!self.is_divergent).then(|| self.leaf(-error));
        }
        let mut near = self.build(target, depth - 1, rng)?;
        let Some(far) = self.build(target, depth - 1, rng) else {
            self.pool.push(near);
            return None;
        };
        let total = log_add_exp(near.log_weight, far.log_weight);
        let is_drawn = uniform(rng) < acceptance(total - far.log_weight);
        let goes_on = goes_on(&near, &far);
        self.join(&mut near, far, is_drawn, total);
        if goes_on {
            return Some(near);
        }
        self.pool.push(near);
        None
    }

    /// The walker's state as a subtree with one state.
    fn leaf(&mut self, log_weight: f64) -> Subtree {
        let mut leaf = self.pool.pop().unwrap_or_default();
        self.walker.save_to(&mut leaf.draw);
        if self.sign < 0.0 {
            turn(&mut leaf.draw);
        }
        for v in [&mut leaf.first, &mut leaf.last, &mut leaf.sum] {
            v.clone_from(&leaf.draw.momentum);
        }
        leaf.log_weight = log_weight;
        leaf
    }

    /// Extends `near` by `far` to a subtree of this weight; it takes the draw of `far` if
    /// `is_drawn`.
    fn join(&mut self, near: &mut Subtree, mut far: Subtree, is_drawn: bool, log_weight: f64) {
        if is_drawn {
            swap(&mut near.draw, &mut far.draw);
        }
        swap(&mut near.last, &mut far.last);
        axpy(1.0, &far.sum, &mut near.sum);
        near.log_weight = log_weight;
        self.pool.push(far);
    }

    fn total_energy(&self) -> f64 {
        let mut kinetic = [0.0];
        self.walker.kinetic_energy(&mut kinetic);
        kinetic[0] + self.walker.energy[0]
    }
}

impl Subtree {
    fn reverse(&mut self) {
        swap(&mut self.first, &mut self.last);
    }
}

/// Whether neither the joined subtrees, nor either of them with the nearest state of the other,
/// have turned: six products, in one pass.
fn goes_on(near: &Subtree, far: &Subtree) -> bool {
    const LANES: usize = 4;
    let dim = near.sum.len();
    let mut products = [[0.0_f64; LANES]; 6];
    let mut add = |lane: usize, d: usize| {
        let (all, out, back) =
            (near.sum[d] + far.sum[d], near.sum[d] + far.first[d], near.last[d] + far.sum[d]);
        products[0][lane] += near.first[d] * all;
        products[1][lane] += far.last[d] * all;
        products[2][lane] += near.first[d] * out;
        products[3][lane] += far.first[d] * out;
        products[4][lane] += near.last[d] * back;
        products[5][lane] += far.last[d] * back;
    };
    let whole = dim / LANES * LANES;
    for d in (0..whole).step_by(LANES) {
        for lane in 0..LANES {
            add(lane, d + lane);
        }
    }
    (whole..dim).for_each(|d| add(d - whole, d));
    products.iter().all(|lanes| (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) > 0.0)
}

/// Reverses the momentum of a state.
fn turn(state: &mut Snapshot) {
    state.momentum.iter_mut().for_each(|v| *v = -*v);
}

/// ln(eᵃ + eᵇ).
fn log_add_exp(a: f64, b: f64) -> f64 {
    let (less, more) = if a < b { (a, b) } else { (b, a) };
    if less == more { more + LN_2 } else { more + softplus(less - more) }
}
