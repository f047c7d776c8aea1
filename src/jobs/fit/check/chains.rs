//! Chains that check a fitted model: annealed from even odds, and from rows of the data.

use crate::bits::BitMatrix;
use crate::fit::predictive_check::num_on;
use crate::models::Model;
use crate::normalize::course::{Course, Direction, Moves};
use crate::normalize::param_path::ParamPath;
use crate::normalize::path::Path;
use crate::normalize::population::{Population, Profile, States};
use crate::normalize::step_sizes::StepSizes;
use crate::rng::{Purpose, derived_seed};
use crate::sample::spec::{Scan, TransitionSpec};
use std::ops::Range;

/// Chains of each kind.
const NUM_CHAINS: usize = 64;

/// Chains of a group, which move side by side.
const WIDTH: usize = 16;

/// Annealing steps.
const NUM_BETAS: usize = 50;

/// Sweeps from rows of the data.
const NUM_SWEEPS: usize = 25;

/// Work of a piece, in estimated nanoseconds.
const PIECE: u64 = 5_000_000;

/// See the head of this file.
pub struct Chains {
    /// Rows that chains start from.
    starts: Vec<Vec<u64>>,
    seed: u64,
    /// To the model of the last [`Chains::prepare`]; none where there is no such path.
    course: Option<Course>,
}

impl Chains {
    /// From rows spread over the data.
    pub fn new(data: &BitMatrix, seed: u64) -> Self {
        let row = |chain: usize| chain * data.num_rows() / NUM_CHAINS;
        let starts = (0..NUM_CHAINS).map(|chain| data.row(row(chain)).to_vec()).collect();
        Self { starts, seed: derived_seed(seed, Purpose::CheckSeed, 0), course: None }
    }

    /// Makes the path to a model.
    pub fn prepare(&mut self, model: &dyn Model) {
        let even_odds = vec![0.0; model.dim()];
        self.course =
            ParamPath::from_log_odds(model.boxed_clone(), &even_odds).ok().and_then(|path| {
                let has_sides = path.energies().as_sides().is_some();
                let transition = match has_sides {
                    true => TransitionSpec::BlockGibbs {},
                    false => TransitionSpec::Gibbs { scan: Scan::Systematic },
                };
                let betas = (0..=NUM_BETAS).map(|step| step as f64 / NUM_BETAS as f64).collect();
                let step_sizes = StepSizes::constant(1.0).ok()?;
                Course::new(Path::Params(path), Moves::By(transition), betas, 1, step_sizes).ok()
            });
    }

    /// Groups of both kinds.
    pub fn num_groups(&self) -> usize {
        2 * self.num_annealed_groups()
    }

    /// The first groups are annealed, the others from rows.
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

    /// The chains of a group before their first step.
    pub fn begin(&self, group: usize) -> Option<Population> {
        let (course, chains) = (self.course.as_ref()?, self.chains(group));
        Some(match self.is_annealed(group) {
            true => Population::forward(course, chains, self.seed),
            false => {
                let starts = States::Rows(self.starts[chains.clone()].to_vec());
                Population::reverse(course, chains, &starts, self.seed)
            }
        })
    }

    /// Moves a group's chains by the steps of a piece. After the last: sites on and log weight, with log Z of the
    /// reference, of each chain, one after another; nothing where the model has no path.
    pub fn go_on(
        &self,
        group: usize,
        chains: &mut Option<Population>,
        piece: usize,
    ) -> Option<Vec<f64>> {
        let (Some(course), Some(chains)) = (&self.course, chains) else { return Some(Vec::new()) };
        let of_piece = (PIECE / (WIDTH as u64 * course.step_cost()).max(1)).max(1) as usize;
        let (direction, num_steps) = match self.is_annealed(group) {
            true => (Direction::Forward, NUM_BETAS),
            false => (Direction::Stay, NUM_SWEEPS),
        };
        let start = piece * of_piece;
        let end = (start + of_piece).min(num_steps);
        chains.advance(course, direction, start..end, &mut Profile::default());
        if end < num_steps {
            return None;
        }
        let States::Rows(rows) = chains.states() else { unreachable!("chains of bits") };
        let on = rows.iter().map(|row| num_on(row) as f64);
        let reference_log_z = course.path().reference_log_z();
        let logs = chains.log_weights.iter().map(|log| log + reference_log_z);
        Some(on.zip(logs).flat_map(|(on, log)| [on, log]).collect())
    }
}
