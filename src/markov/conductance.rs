//! The conductance of a chain, the least flow out of a set of states relative to its probability:
//!
//! `Φ* = min over S with π(S) ≤ ½ of Σ_{i∈S, j∉S} π_i T_ij / π(S)`.
//!
//! (Jerrum and Sinclair 1989; Risteski's lecture omits π_i and the bound on π(S).) In the stationary
//! chain as much flows out of a set as into it, so a set and its complement have the same flow, and
//! the smaller of their probabilities counts. Cheeger's inequality, `Φ*²/2 ≤ 1 − λ₂ ≤ 2Φ*`, holds for
//! reversible chains, and with λ₂ of [`super::spectrum`] for all. Its proof uses only the cuts along
//! the second eigenvector, so the least of these is within the same bounds (Levin, Peres and Wilmer
//! 2017, 13.3).

use crate::sorting::ascending_order;
use serde::{Deserialize, Serialize};

/// Maximum number of states of which all subsets are tried.
pub const MAX_SUBSETS: usize = 16;

/// A set of states with little flow out of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cut {
    /// The states of the set, in ascending order.
    pub states: Vec<usize>,
    /// π(S).
    pub probability: f64,
    /// The flow out of it, `Σ_{i∈S, j∉S} π_i T_ij`.
    pub flow: f64,
    /// Whether no other set has a smaller ratio of the two.
    pub is_least: bool,
}

impl Cut {
    /// The flow relative to the probability.
    pub fn conductance(&self) -> f64 {
        self.flow / self.probability
    }
}

/// The flows `π_i T_ij`, `[n, n]`, of a chain.
///
/// # Panics
/// If the lengths do not match.
pub fn flows(matrix: &[f64], stationary: &[f64]) -> Vec<f64> {
    assert_eq!(matrix.len(), stationary.len() * stationary.len());
    let rows = matrix.chunks_exact(stationary.len()).zip(stationary);
    rows.flat_map(|(row, probability)| row.iter().map(move |entry| probability * entry)).collect()
}

/// The flow out of a set.
fn flow_out(flows: &[f64], is_in: &[bool]) -> f64 {
    let n = is_in.len();
    let mut total = 0.0;
    for (row, _) in flows.chunks_exact(n).zip(is_in).filter(|(_, is_in)| **is_in) {
        for (flow, is_in) in row.iter().zip(is_in) {
            total += if *is_in { 0.0 } else { *flow };
        }
    }
    total
}

/// The probabilities of a set and of its complement.
fn probabilities(stationary: &[f64], is_in: &[bool]) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for (probability, is_in) in stationary.iter().zip(is_in) {
        sums[usize::from(!is_in)] += probability;
    }
    sums
}

/// A set, or its complement if that has less probability.
fn cut(flows: &[f64], stationary: &[f64], mut is_in: Vec<bool>, is_least: bool) -> Cut {
    let [inside, outside] = probabilities(stationary, &is_in);
    let flow = flow_out(flows, &is_in);
    if outside < inside {
        is_in.iter_mut().for_each(|is_in| *is_in = !*is_in);
    }
    let states = (0..is_in.len()).filter(|state| is_in[*state]).collect();
    Cut { states, probability: inside.min(outside), flow, is_least }
}

/// The least cut, of all sets of states; for 2 to [`MAX_SUBSETS`] states.
///
/// # Panics
/// If there are more states, or fewer.
pub fn least_cut(flows: &[f64], stationary: &[f64]) -> Cut {
    let n = stationary.len();
    assert!((2..=MAX_SUBSETS).contains(&n));
    let members = |set: u32| -> Vec<bool> { (0..n).map(|state| set >> state & 1 == 1).collect() };
    let ratio = |set: u32| {
        let is_in = members(set);
        let [inside, outside] = probabilities(stationary, &is_in);
        flow_out(flows, &is_in) / inside.min(outside)
    };
    // Sets without the last state: each is one of a set and its complement.
    let least = (1..1_u32 << (n - 1))
        .map(|set| (ratio(set), set))
        .fold((f64::INFINITY, 1), |least, one| if one.0 < least.0 { one } else { least });
    cut(flows, stationary, members(least.1), true)
}

/// The least of the cuts between states with small and with great entries of `vector`, divided by
/// `√π`: of the second eigenvector of [`super::spectrum`], it is an upper bound on the conductance.
///
/// # Panics
/// If the lengths do not match, or there are fewer than two states.
pub fn sweep_cut(flows: &[f64], stationary: &[f64], vector: &[f64]) -> Cut {
    let n = stationary.len();
    assert!(n >= 2 && flows.len() == n * n && vector.len() == n);
    let heights: Vec<f64> = vector.iter().zip(stationary).map(|(v, p)| v / p.sqrt()).collect();
    let order = ascending_order(&heights);
    let mut is_in = vec![false; n];
    let mut outside: f64 = order.iter().map(|&state| stationary[state]).sum();
    let (mut inside, mut flow) = (0.0, 0.0);
    let mut least = (f64::INFINITY, 1);
    for (size, &state) in (1..n).zip(&order) {
        for (other, is_in) in is_in.iter().enumerate() {
            if other != state {
                flow += if *is_in { -flows[other * n + state] } else { flows[state * n + other] };
            }
        }
        is_in[state] = true;
        inside += stationary[state];
        outside -= stationary[state];
        let ratio = flow / inside.min(outside);
        // Rounding may leave nothing on a side of hardly any probability.
        if inside.min(outside) > 0.0 && ratio < least.0 {
            least = (ratio, size);
        }
    }
    let mut is_in = vec![false; n];
    order[..least.1].iter().for_each(|&state| is_in[state] = true);
    cut(flows, stationary, is_in, false)
}
