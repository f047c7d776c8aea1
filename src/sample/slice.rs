//! Slice sampling (Neal 2003), one coordinate after another: draw a level under the density at x,
//! and then the coordinate uniformly from where the density is above it. In terms of energies, with
//! e ~ Exp(1), t is drawn from the *slice* `{ t : E(x + t u) ≤ E(x) + e }`.
//!
//! - **Stepping out** (Neal's figure 3): an interval of length 1 in t is placed at random around 0,
//!   and each of its ends is moved outward by 1 until it is outside the slice, or `max_steps_out`
//!   moves have been made. The maximum number of moves of each end is drawn at random, as the proof
//!   requires.
//! - **Shrinkage** (figure 5): t is drawn uniformly from the interval; if it is outside the slice,
//!   it becomes the interval's end on its side of 0, and another t is drawn.
//!
//! u is ε times a column of the map A ([`super::tuning`]): if A is diagonal, a coordinate axis in
//! units of ε. The move uses energies only, and nothing is ever rejected; ε affects how much work a
//! step takes, and hardly how far it goes. The slice ends at the boundaries of the model. Momenta
//! are left unchanged.
//!
//! Each coordinate's update is reversible, but not their sequence: reverse annealing makes the
//! updates in the opposite order ([`ChainTransition::reversed`]).
//!
//! Gradients are computed all the same, so that they are up to date for the next transition, of any
//! kind.

use super::chains::{AdaptationSpec, ChainTransition, ChainTransitionSpec, Chains, StepInfo};
use super::tuning::Tuning;
use crate::Result;
use crate::checks::in_range;
use crate::energy::HalfSpace;
use crate::math::ln;
use crate::rng::{ChainRng, below, uniform};
use crate::sample::target::Target;
use unnorm_wire::spec;

/// Largest allowed `max_steps_out`.
const MAX_STEPS_OUT: usize = 1000;

/// Maximum dimension: a step takes some six energies for each coordinate, and is not interrupted.
const MAX_DIM: usize = 1000;

/// Maximum number of points drawn from an interval; then the coordinate is left unchanged. Each
/// point outside the slice shortens the interval, on average by half, so it contains no other
/// number long before that.
const MAX_DRAWS: u32 = 1000;

/// The spec of slice sampling.
#[spec(default)]
pub struct SliceSpec {
    /// Maximum number of moves that widen an interval, 0 to 1,000; 100 if absent.
    pub max_steps_out: usize,
    /// The length of an interval before it is widened. Kept if given without `adaptation`; else
    /// found in warm-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_size: Option<f64>,
    /// What warm-up adapts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<AdaptationSpec>,
}

impl Default for SliceSpec {
    fn default() -> Self {
        Self { max_steps_out: 100, step_size: None, adaptation: None }
    }
}

impl ChainTransitionSpec for SliceSpec {
    fn build(&self) -> Box<dyn ChainTransition> {
        Box::new(SliceSampling { max_steps_out: self.max_steps_out, is_descending: false })
    }

    fn step_size(&self) -> Option<f64> {
        self.step_size
    }

    fn adaptation(&self) -> Option<&AdaptationSpec> {
        self.adaptation.as_ref()
    }

    fn check(&self) -> Result<()> {
        in_range("transition.maxStepsOut", self.max_steps_out, 0, MAX_STEPS_OUT)
    }

    fn max_dim(&self) -> usize {
        MAX_DIM
    }
}

/// Slice sampling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceSampling {
    /// Maximum number of moves that widen an interval.
    pub max_steps_out: usize,
    /// Whether coordinates are updated from last to first.
    pub is_descending: bool,
}

impl ChainTransition for SliceSampling {
    /// `acceptance` is the number of coordinates divided by the number of points drawn from their
    /// intervals; it falls as ε grows.
    fn step(
        &self,
        target: Target<'_>,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    ) {
        let dim = chains.dim();
        assert_eq!(info.len(), chains.width());
        info.fill(StepInfo::default());
        for (info, energy) in info.iter_mut().zip(&chains.energy) {
            info.energy_error = -energy;
        }
        chains.keep();
        let mut slices = chains.scratch.memory.take::<Vec<Slice>>();
        slices.resize_with(chains.width(), Slice::default);
        slices.iter_mut().for_each(|slice| slice.num_draws = 0);
        for index in 0..dim {
            let d = if self.is_descending { dim - 1 - index } else { index };
            for (chain, slice) in slices.iter_mut().enumerate() {
                slice.begin(self.max_steps_out, chains, tuning, chain, d);
            }
            while slices.iter().any(|slice| slice.stage != Stage::Done) {
                for (chain, slice) in slices.iter_mut().enumerate() {
                    slice.propose(chains, chain, d);
                }
                chains.evaluate(target);
                for (chain, (slice, info)) in slices.iter_mut().zip(&mut *info).enumerate() {
                    if slice.stage != Stage::Done {
                        info.num_gradients += 1;
                        slice.judge(chains, target.constraints(), chain);
                    }
                }
            }
            chains.record();
        }
        for ((info, slice), energy) in info.iter_mut().zip(&*slices).zip(&chains.energy) {
            info.acceptance = dim as f64 / f64::from(slice.num_draws);
            info.is_accepted = true;
            info.energy_error += energy;
        }
        chains.scratch.memory.keep(slices);
    }

    /// There are no trajectories, so the search uses the transition itself.
    fn trial(&self) -> Option<&dyn ChainTransition> {
        Some(self)
    }

    /// Where normal and t distributions take the fewest energies, some six per coordinate.
    /// Measured: between 0.4 and 0.6 they are within a twentieth of that.
    fn target_acceptance(&self) -> f64 {
        0.5
    }

    fn error_power(&self) -> f64 {
        1.0
    }

    fn num_gradients(&self, dim: usize) -> u64 {
        6 * dim as u64
    }

    fn reversed(&self) -> Option<Box<dyn ChainTransition>> {
        Some(Box::new(Self { is_descending: !self.is_descending, ..*self }))
    }

    fn has_momenta(&self) -> bool {
        false
    }
}

/// The state of the update of one coordinate of one chain.
#[derive(Debug, Clone, Default)]
struct Slice {
    /// The direction u, `[dim]`.
    direction: Vec<f64>,
    /// x at the start of the update, `[dim]`.
    start: Vec<f64>,
    /// The level E(x) + e.
    level: f64,
    /// The interval in t, from below 0 to above 0.
    ends: [f64; 2],
    /// Remaining moves of each end.
    moves: [usize; 2],
    /// The t being evaluated; the next field is the state there.
    t: f64,
    point: Vec<f64>,
    stage: Stage,
    /// Number of points drawn from intervals in this step, for all coordinates.
    num_draws: u32,
    /// Number of points drawn from this interval.
    num_draws_here: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    /// Moving an end of the interval outward: 0 or 1.
    StepOut(usize),
    Shrink,
    #[default]
    Done,
}

impl Slice {
    fn begin(
        &mut self,
        max_steps_out: usize,
        chains: &mut Chains,
        tuning: &Tuning,
        chain: usize,
        d: usize,
    ) {
        let dim = chains.dim();
        self.start.resize(dim, 0.0);
        chains.state(chain, &mut self.start);
        tuning.axis(chain, d, dim, &mut self.direction);
        let rng = &mut chains.rngs[chain];
        self.level = chains.energy[chain] - ln(1.0 - uniform(rng));
        let below_0 = uniform(rng);
        self.ends = [-below_0, 1.0 - below_0];
        let first = below(max_steps_out + 1, rng);
        self.moves = [first, max_steps_out - first];
        self.num_draws_here = 0;
        self.stage = Stage::StepOut(0);
    }

    /// Moves the chain to the next point to be evaluated. A chain that is done stays.
    fn propose(&mut self, chains: &mut Chains, chain: usize, d: usize) {
        while let Stage::StepOut(end) = self.stage
            && self.moves[end] == 0
        {
            self.step_out_no_more();
        }
        match self.stage {
            Stage::Done => return,
            Stage::StepOut(end) => self.t = self.ends[end],
            Stage::Shrink => self.t = self.draw(&mut chains.rngs[chain]),
        }
        let width = chains.width();
        // The entries of u before d are zero.
        let entries = chains.position.iter_mut().skip(chain).step_by(width).skip(d);
        for ((x, start), u) in entries.zip(&self.start[d..]).zip(&self.direction[d..]) {
            *x = start + self.t * u;
        }
    }

    /// Draws a point of the interval. After [`MAX_DRAWS`] points it is the starting point of the
    /// update.
    fn draw(&mut self, rng: &mut ChainRng) -> f64 {
        self.num_draws += 1;
        self.num_draws_here += 1;
        let [left, right] = self.ends;
        if self.num_draws_here > MAX_DRAWS { 0.0 } else { left + uniform(rng) * (right - left) }
    }

    fn step_out_no_more(&mut self) {
        self.stage = match self.stage {
            Stage::StepOut(0) => Stage::StepOut(1),
            _ => Stage::Shrink,
        };
    }

    /// Handles the energy at t.
    fn judge(&mut self, chains: &Chains, constraints: &[HalfSpace], chain: usize) {
        // NaN is outside.
        let is_inside =
            chains.energy[chain] <= self.level && self.is_within(constraints, chains, chain);
        match self.stage {
            Stage::Done => {}
            Stage::StepOut(end) if is_inside => {
                self.ends[end] += if end == 0 { -1.0 } else { 1.0 };
                self.moves[end] -= 1;
            }
            Stage::StepOut(_) => self.step_out_no_more(),
            Stage::Shrink if is_inside || self.num_draws_here > MAX_DRAWS => {
                self.stage = Stage::Done;
            }
            Stage::Shrink => self.ends[usize::from(self.t > 0.0)] = self.t,
        }
    }

    fn is_within(&mut self, constraints: &[HalfSpace], chains: &Chains, chain: usize) -> bool {
        if constraints.is_empty() {
            return true;
        }
        self.point.resize(chains.dim(), 0.0);
        chains.state(chain, &mut self.point);
        constraints.iter().all(|half_space| half_space.contains(&self.point))
    }
}
