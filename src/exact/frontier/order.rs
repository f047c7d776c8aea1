//! The order in which to sum out sites. Finding the best is NP-hard, so a few orders are tried, and
//! the one with the fewest entries in all tables is taken:
//!
//! - the sites in their order, and on a lattice column by column;
//! - breadth first from one end to the other (Cuthill and McKee 1969), which
//!   finds the lines of a strip however its sites are numbered;
//! - repeatedly the first of the sites with the fewest ties left (minimum degree),
//!   which suits trees and lattices about as long as wide.

use super::{MAX_ENTRIES, MAX_LIVE_ENTRIES, MAX_WIDTH};
use std::collections::BTreeSet;
use std::mem::take;

/// An order of elimination and its cost.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::exact) struct Elimination {
    /// The sites, in elimination order.
    pub order: Vec<usize>,
    /// The frontier of each site, in elimination order.
    pub scopes: Vec<Vec<usize>>,
    /// Number of entries in all tables: of one the product of the numbers of values of its frontier's sites.
    pub num_entries: usize,
}

/// The best of the orders tried, if one is within the limits. `lattice`: lines and columns, if it is
/// a lattice. `counts`: the number of values of each site.
pub(in crate::exact) fn least(
    neighbours: &[Vec<usize>],
    lattice: Option<(usize, usize)>,
    counts: &[usize],
) -> Option<Elimination> {
    let mut orders = vec![(0..neighbours.len()).collect()];
    if let Some((num_lines, num_cols)) = lattice {
        let column = |col: usize| (0..num_lines).map(move |line| line * num_cols + col);
        orders.push((0..num_cols).flat_map(column).collect());
    }
    orders.push(breadth_first(neighbours));
    orders.extend(minimum_degree(neighbours));
    // The first of the best orders.
    let eliminations = orders.into_iter().filter_map(|order| eliminate(neighbours, order, counts));
    eliminations.min_by_key(|elimination| elimination.num_entries)
}

/// Computes the frontiers of an order; None if it exceeds a limit.
fn eliminate(
    neighbours: &[Vec<usize>],
    order: Vec<usize>,
    counts: &[usize],
) -> Option<Elimination> {
    let num_entries_of = |scope: &[usize]| {
        scope.iter().fold(1usize, |product, site| product.saturating_mul(counts[*site]))
    };
    let mut step_of = vec![0; order.len()];
    order.iter().enumerate().for_each(|(step, &site)| step_of[site] = step);
    let mut scopes: Vec<Vec<usize>> = Vec::with_capacity(order.len());
    // The functions that have each site as their first.
    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
    let (mut num_entries, mut num_live) = (0, 0);
    for (step, &site) in order.iter().enumerate() {
        let later = neighbours[site].iter().map(|&other| step_of[other]).filter(|&at| at > step);
        let mut steps: Vec<usize> = later.collect();
        for &from in &incoming[site] {
            steps.extend(scopes[from][1..].iter().map(|&other| step_of[other]));
        }
        steps.sort_unstable();
        steps.dedup();
        let scope: Vec<usize> = steps.into_iter().map(|at| order[at]).collect();
        if scope.len() > MAX_WIDTH {
            return None;
        }
        let own = num_entries_of(&scope);
        if own > MAX_LIVE_ENTRIES {
            return None;
        }
        num_entries += own;
        num_live += own;
        if num_entries > MAX_ENTRIES || num_live > MAX_LIVE_ENTRIES {
            return None;
        }
        num_live -= incoming[site].iter().map(|&from| num_entries_of(&scopes[from])).sum::<usize>();
        match scope.first() {
            Some(&first) => incoming[first].push(step),
            None => num_live -= 1,
        }
        scopes.push(scope);
    }
    Some(Elimination { order, scopes, num_entries })
}

/// One connected component after another, each breadth first from one of its ends: neighbours with
/// few ties first, then in their order.
fn breadth_first(neighbours: &[Vec<usize>]) -> Vec<usize> {
    let mut sorted = neighbours.to_vec();
    for others in &mut sorted {
        others.sort_by_key(|&other| neighbours[other].len());
    }
    let mut is_reached = vec![false; neighbours.len()];
    let mut order = Vec::with_capacity(neighbours.len());
    for site in 0..neighbours.len() {
        if is_reached[site] {
            continue;
        }
        // The last site reached lies at an end; this is done twice to make that more likely.
        let mut from = site;
        for _ in 0..2 {
            let reached = reach(&sorted, from, &mut is_reached);
            from = reached[reached.len() - 1];
            reached.into_iter().for_each(|site| is_reached[site] = false);
        }
        order.extend(reach(&sorted, from, &mut is_reached));
    }
    order
}

/// The sites reachable from a site, breadth first.
fn reach(neighbours: &[Vec<usize>], from: usize, is_reached: &mut [bool]) -> Vec<usize> {
    let mut order = vec![from];
    is_reached[from] = true;
    let mut next = 0;
    while let Some(&site) = order.get(next) {
        next += 1;
        for &other in &neighbours[site] {
            if !is_reached[other] {
                is_reached[other] = true;
                order.push(other);
            }
        }
    }
    order
}

/// Repeatedly the first of the sites with the fewest ties; None if their number exceeds the limit.
fn minimum_degree(neighbours: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut ties: Vec<BTreeSet<usize>> =
        neighbours.iter().map(|others| others.iter().copied().collect()).collect();
    let mut queue: BTreeSet<(usize, usize)> =
        ties.iter().enumerate().map(|(site, ties)| (ties.len(), site)).collect();
    let mut order = Vec::with_capacity(neighbours.len());
    while let Some((degree, site)) = queue.pop_first() {
        if degree > MAX_WIDTH {
            return None;
        }
        let scope: Vec<usize> = take(&mut ties[site]).into_iter().collect();
        for &one in &scope {
            queue.remove(&(ties[one].len(), one));
            ties[one].remove(&site);
            ties[one].extend(scope.iter().filter(|&&other| other != one));
            queue.insert((ties[one].len(), one));
        }
        order.push(site);
    }
    Some(order)
}
