//! Annealing of packed bits along a path through a binary model's parameters.
//!
//! What is read of the states after a transition gives the second half of this step's term of the
//! integral and the next step's term of the weight.

use super::annealing_plan::{AnnealingPlan, Direction};
use super::path::Path;
use super::profile::Accounts;
use crate::sample::path_chains::{PathChains, PathSweep};
use std::ops::Range;

/// Makes annealing steps of all chains.
pub(super) fn advance(
    chains: &mut PathChains,
    plan: &AnnealingPlan,
    steps: Range<usize>,
    accounts: &mut Accounts<'_>,
) {
    let Path::Params(path) = plan.path() else { panic!("a plan of another kind") };
    let is_forward = accounts.direction == Direction::Forward;
    let num_steps = plan.num_steps();
    let how = PathSweep { path, moves: plan.moves(), num_steps, is_forward };
    // log f_k − log f_{k−1}, where k is the end nearer to the target.
    let sign = if is_forward { 1.0 } else { -1.0 };
    let share = 1.0 / (num_steps * path.num_sites()) as f64;
    for step in steps {
        let [from, to] = plan.betas(accounts.direction, step);
        accounts.profile.begin();
        let (place, terms) = chains.terms(path, from, to);
        accounts.weigh(terms.iter().map(|term| sign * term));
        let moved = |num_flips: usize| {
            accounts.profile.accept([share * num_flips as f64].into_iter());
        };
        chains.sweep(how, to, place, moved);
        let (_, terms) = chains.terms(path, from, to);
        accounts.integrate(terms.iter().map(|term| sign * term));
    }
}
