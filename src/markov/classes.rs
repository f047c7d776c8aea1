//! Classes of states that reach each other, and the periods of closed ones.
//!
//! Two states are in one class if each can be reached from the other. A class is closed if no
//! transition leaves it; states outside closed classes are transient, and are left for good sooner or
//! later. The period of a class is the greatest common divisor of the lengths of its cycles. Each
//! closed class has exactly one stationary distribution (Levin, Peres and Wilmer 2017, 1.7).

use serde::{Deserialize, Serialize};

/// The closed classes of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classes {
    /// The number of each state's closed class, in the order of their first states; none if the state
    /// is transient.
    pub of_state: Vec<Option<u32>>,
    /// The period of each closed class.
    pub periods: Vec<u64>,
}

impl Classes {
    /// The closed classes of the chain with this transition matrix, `[n, n]`.
    ///
    /// # Panics
    /// If the matrix is not square.
    pub fn of(matrix: &[f64], num_states: usize) -> Self {
        assert_eq!(matrix.len(), num_states * num_states);
        let successors: Vec<Vec<u32>> = matrix
            .chunks_exact(num_states.max(1))
            .map(|row| (0..num_states as u32).filter(|&j| row[j as usize] > 0.0).collect())
            .collect();
        let component = components(&successors);
        let num_components = component.iter().max().map_or(0, |last| last + 1);
        let mut is_closed = vec![true; num_components];
        for (state, successors) in successors.iter().enumerate() {
            let own = component[state];
            if successors.iter().any(|&other| component[other as usize] != own) {
                is_closed[own] = false;
            }
        }
        let mut number_of: Vec<Option<u32>> = vec![None; num_components];
        let mut periods = Vec::new();
        let of_state = (0..num_states)
            .map(|state| {
                let own = component[state];
                if !is_closed[own] {
                    return None;
                }
                let number = number_of[own].get_or_insert_with(|| {
                    periods.push(period(&successors, state));
                    periods.len() as u32 - 1
                });
                Some(*number)
            })
            .collect();
        Self { of_state, periods }
    }

    /// Number of closed classes, at least 1.
    pub fn num_closed(&self) -> usize {
        self.periods.len()
    }

    /// Whether each state can be reached from each other.
    pub fn is_irreducible(&self) -> bool {
        self.num_closed() == 1 && self.of_state.iter().all(Option::is_some)
    }

    /// The states of a closed class, in ascending order.
    pub fn members(&self, class: usize) -> Vec<usize> {
        let is_member = |state: &usize| self.of_state[*state] == Some(class as u32);
        (0..self.of_state.len()).filter(is_member).collect()
    }
}

/// The strongly connected component of each state (Tarjan 1972, without recursion).
fn components(successors: &[Vec<u32>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let num_states = successors.len();
    let [mut order, mut low, mut component] = [(); 3].map(|()| vec![UNSEEN; num_states]);
    let (mut open, mut num_seen, mut num_components) = (Vec::new(), 0, 0);
    for start in 0..num_states {
        if order[start] != UNSEEN {
            continue;
        }
        // States on the way, each with its next successor to look at.
        let mut way = vec![(start, 0)];
        while let Some(&mut (state, ref mut next)) = way.last_mut() {
            if *next == 0 {
                order[state] = num_seen;
                low[state] = num_seen;
                num_seen += 1;
                open.push(state);
            }
            if let Some(&other) = successors[state].get(*next) {
                *next += 1;
                let other = other as usize;
                if order[other] == UNSEEN {
                    way.push((other, 0));
                } else if component[other] == UNSEEN {
                    low[state] = low[state].min(order[other]);
                }
                continue;
            }
            way.pop();
            if let Some(&(parent, _)) = way.last() {
                low[parent] = low[parent].min(low[state]);
            }
            if low[state] == order[state] {
                while let Some(member) = open.pop() {
                    component[member] = num_components;
                    if member == state {
                        break;
                    }
                }
                num_components += 1;
            }
        }
    }
    component
}

/// The period of the closed class of a state: the greatest common divisor of `depth(i) + 1 − depth(j)`
/// over its transitions, with depths of a breadth-first search.
fn period(successors: &[Vec<u32>], start: usize) -> u64 {
    let mut depths: Vec<Option<u64>> = vec![None; successors.len()];
    depths[start] = Some(0);
    let mut found = vec![start];
    let (mut next, mut period) = (0, 0);
    while let Some(&state) = found.get(next) {
        next += 1;
        let depth = depths[state].expect("it was found") + 1;
        for &other in &successors[state] {
            let other = other as usize;
            match depths[other] {
                Some(other) => period = gcd(period, depth.abs_diff(other)),
                None => {
                    depths[other] = Some(depth);
                    found.push(other);
                }
            }
        }
    }
    period
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
