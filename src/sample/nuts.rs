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

/// A complete binary tree of states of the trajectory, with momenta as the walker has them.
#[derive(Debug, Clone, Default)]
struct Subtree {
    /// Momentum at the end that was reached first.
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
        let mut whole = self.leaf(0.0);
        for end in &mut self.ends {
            self.walker.save_to(end);
        }
        turn(&mut self.ends[0].momentum);
        let (mut depth, mut has_moved, mut was_forward) = (0, false, true);
        while depth < max_depth {
            let is_forward = uniform(rng) < 0.5;
            self.walker.restore_from(&self.ends[usize::from(is_forward)]);
            let Some(new) = self.build(target, depth, rng) else { break };
            self.walker.save_to(&mut self.ends[usize::from(is_forward)]);
            depth += 1;
            // Biased progressive sampling: prefers the new half as much as possible.
            let is_drawn = uniform(rng) < acceptance(whole.log_weight - new.log_weight);
            has_moved |= is_drawn;
            // Seen from the seam, the new half lies ahead.
            if is_forward != was_forward {
                whole.reverse();
                was_forward = is_forward;
            }
            let goes_on = goes_on(&whole, &new);
            whole.log_weight = log_add_exp(whole.log_weight, new.log_weight);
            self.join(&mut whole, new, is_drawn);
            if !goes_on {
                break;
            }
        }
        if !was_forward {
            whole.reverse();
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
        let Some(depth_of_halves) = depth.checked_sub(1) else {
            let log_weight = self.go(target)?;
            return Some(self.leaf(log_weight));
        };
        let mut near = self.build(target, depth_of_halves, rng)?;
        let is_whole = if depth_of_halves == 0 {
            self.go(target).is_some_and(|log_weight| self.pair(&mut near, log_weight, rng))
        } else {
            let far = self.build(target, depth_of_halves, rng);
            far.is_some_and(|far| {
                let is_drawn = near.takes_draw(far.log_weight, rng);
                let goes_on = goes_on(&near, &far);
                self.join(&mut near, far, is_drawn);
                goes_on
            })
        };
        if is_whole {
            return Some(near);
        }
        self.pool.push(near);
        None
    }

    /// Moves the walker one leapfrog step ahead: ln e^{H₀ − H} there; none if it diverges.
    fn go(&mut self, target: Target<'_>) -> Option<f64> {
        leapfrog(target, &self.tuning, &mut self.walker, 1);
        let error = self.total_energy() - self.energy_before;
        self.num_gradients += 1;
        self.sum_acceptance += acceptance(error);
        self.is_divergent = is_divergent(error);
        (!self.is_divergent).then_some(-error)
    }

    /// The walker's state as a subtree with one state.
    fn leaf(&mut self, log_weight: f64) -> Subtree {
        let mut leaf = self.pool.pop().unwrap_or_default();
        self.walker.save_to(&mut leaf.draw);
        for v in [&mut leaf.first, &mut leaf.last, &mut leaf.sum] {
            v.clone_from(&self.walker.momentum);
        }
        leaf.log_weight = log_weight;
        leaf
    }

    /// Extends a leaf by the walker's state to a subtree of two states: whether it does not turn.
    fn pair(&self, leaf: &mut Subtree, log_weight: f64, rng: &mut ChainRng) -> bool {
        let is_drawn = leaf.takes_draw(log_weight, rng);
        leaf.last.copy_from_slice(&self.walker.momentum);
        axpy(1.0, &leaf.last, &mut leaf.sum);
        if is_drawn {
            self.walker.save_to(&mut leaf.draw);
        }
        let Subtree { first, last, sum, .. } = leaf;
        are_positive(sum.len(), |d| [first[d] * sum[d], last[d] * sum[d]])
    }

    /// Extends `near` by `far`, whose draw it takes if `is_drawn`, but for its weight.
    fn join(&mut self, near: &mut Subtree, mut far: Subtree, is_drawn: bool) {
        if is_drawn {
            swap(&mut near.draw, &mut far.draw);
        }
        swap(&mut near.last, &mut far.last);
        axpy(1.0, &far.sum, &mut near.sum);
        self.pool.push(far);
    }

    fn total_energy(&self) -> f64 {
        let mut kinetic = [0.0];
        self.walker.kinetic_energy(&mut kinetic);
        kinetic[0] + self.walker.energy[0]
    }
}

impl Subtree {
    /// Adds the weight of another subtree of as many states, and tosses whether the draw is its.
    fn takes_draw(&mut self, log_weight: f64, rng: &mut ChainRng) -> bool {
        self.log_weight = log_add_exp(self.log_weight, log_weight);
        uniform(rng) < acceptance(self.log_weight - log_weight)
    }

    /// The same states seen by a walker that goes the other way.
    fn reverse(&mut self) {
        swap(&mut self.first, &mut self.last);
        for momentum in [&mut self.first, &mut self.last, &mut self.sum, &mut self.draw.momentum] {
            turn(momentum);
        }
    }
}

/// Whether neither the joined subtrees, nor either of them with the nearest state of the other,
/// have turned.
fn goes_on(near: &Subtree, far: &Subtree) -> bool {
    are_positive(near.sum.len(), |d| {
        let (all, out, back) =
            (near.sum[d] + far.sum[d], near.sum[d] + far.first[d], near.last[d] + far.sum[d]);
        [
            near.first[d] * all,
            far.last[d] * all,
            near.first[d] * out,
            far.first[d] * out,
            near.last[d] * back,
            far.last[d] * back,
        ]
    })
}

/// Whether several sums over all dimensions of these terms are positive, in one pass.
#[inline]
fn are_positive<const N: usize>(dim: usize, terms: impl Fn(usize) -> [f64; N]) -> bool {
    const LANES: usize = 4;
    let mut sums = [[0.0_f64; LANES]; N];
    let mut add = |lane: usize, d: usize| {
        for (lanes, term) in sums.iter_mut().zip(terms(d)) {
            lanes[lane] += term;
        }
    };
    let whole = dim / LANES * LANES;
    for d in (0..whole).step_by(LANES) {
        for lane in 0..LANES {
            add(lane, d + lane);
        }
    }
    (whole..dim).for_each(|d| add(d - whole, d));
    sums.iter().all(|lanes| (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) > 0.0)
}

/// Reverses a momentum.
fn turn(momentum: &mut [f64]) {
    momentum.iter_mut().for_each(|v| *v = -*v);
}

/// ln(eᵃ + eᵇ).
fn log_add_exp(a: f64, b: f64) -> f64 {
    let (less, more) = if a < b { (a, b) } else { (b, a) };
    if less == more { more + LN_2 } else { more + softplus(less - more) }
}
