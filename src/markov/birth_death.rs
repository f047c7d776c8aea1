//! Chains on a line that move by one state at a time, from k to k + 1 with probability `p_k` and to
//! k − 1 with `q_k`. They are reversible, and all that is asked has a short form:
//!
//! - `π_{k+1} / π_k = p_k / q_{k+1}`;
//! - `I − S`, with S of [`super::spectrum`], is `BᵀB` with B bidiagonal, with the entries `√p_k` and
//!   `−√q_{k+1}`. So the gap is the square of B's smallest singular value. That is the smallest
//!   positive eigenvalue of the tridiagonal matrix with zeros on its diagonal and `√p_0, √q_1, √p_1,
//!   √q_2, …` beside it, which bisection gives with a small relative error, however small it is
//!   (Demmel and Kahan 1990);
//! - the conductance is that of a cut between two neighbours. Of an interval with both ends inside,
//!   with flows f and g out of them, one of the two tails has at most the ratio of the interval: if
//!   both tails have at most half of the probability, they have together at least as much as the
//!   interval, with the same flow; if one has more than half, cutting it off alone leaves a greater
//!   set with a smaller flow.

use super::conductance::Cut;
use super::spec::{BirthDeathSpec, CurieWeissSpec, FlipRule, MAX_BIRTH_DEATH};
use super::spectrum::Spectrum;
use super::tridiagonal::Tridiagonal;
use crate::checks::{check_count, check_numbers, in_range};
use crate::math::{exp, ln, sigmoid};
use crate::{Error, Result};

/// A chain that moves by one state at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct BirthDeath {
    up: Vec<f64>,
    down: Vec<f64>,
}

impl BirthDeath {
    /// Checks the probabilities.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn new(spec: &BirthDeathSpec) -> Result<Self> {
        let BirthDeathSpec { up, down } = spec.clone();
        let n = up.len();
        check_count("birthDeath.up", n, 2, MAX_BIRTH_DEATH, "states")?;
        check_numbers("birthDeath.up", &up, n)?;
        check_numbers("birthDeath.down", &down, n)?;
        for state in 0..n {
            check_move("birthDeath.up", &up, state, state == n - 1)?;
            check_move("birthDeath.down", &down, state, state == 0)?;
            let total = up[state] + down[state];
            if total > 1.0 + 1e-9 {
                let problem = format!("and birthDeath.up[{state}] add up to {total}, more than 1");
                return Err(Error::spec(format!("birthDeath.down[{state}]"), problem));
            }
        }
        Ok(Self { up, down })
    }

    /// The number of up spins of the Curie–Weiss model, of which one is updated by this rule.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the field.
    pub fn curie_weiss(spec: &CurieWeissSpec, rule: FlipRule) -> Result<Self> {
        in_range("curieWeiss.numSpins", spec.num_spins, 1, MAX_BIRTH_DEATH - 1)?;
        if !(spec.beta >= 0.0 && spec.beta.is_finite()) {
            let problem = format!("is {}; it must be a finite number, 0 or more", spec.beta);
            return Err(Error::spec("curieWeiss.beta", problem));
        }
        let n = spec.num_spins as f64;
        // How much ln p gains where a spin joins those that add up to `sum` without it.
        let flips = |sum: f64| {
            let gain = 2.0 * spec.beta * sum / n;
            match rule {
                FlipRule::Gibbs => sigmoid(gain),
                FlipRule::Metropolis => exp(gain.min(0.0)),
            }
        };
        let counts = || (0..=spec.num_spins).map(|count| count as f64);
        let up =
            counts().map(|k| if k == n { 0.0 } else { (n - k) / n * flips(2.0 * k - n + 1.0) });
        let down = counts().map(|k| if k == 0.0 { 0.0 } else { k / n * flips(n - 2.0 * k + 1.0) });
        let chain = Self { up: up.collect(), down: down.collect() };
        match chain.impossible_move() {
            None => Ok(chain),
            Some(count) => {
                let problem = format!(
                    "is {}, at which moves from {count} up spins have a probability below all numbers; use a smaller one",
                    spec.beta
                );
                Err(Error::spec("curieWeiss.beta", problem))
            }
        }
    }

    /// A state from which a move to a neighbour is rounded to 0, if there is one.
    fn impossible_move(&self) -> Option<usize> {
        let last = self.up.len() - 1;
        (0..=last).find(|&at| (at < last && self.up[at] == 0.0) || (at > 0 && self.down[at] == 0.0))
    }

    /// Number of states.
    pub fn num_states(&self) -> usize {
        self.up.len()
    }

    /// The probability of staying in a state.
    fn stay(&self, state: usize) -> f64 {
        (1.0 - self.up[state] - self.down[state]).max(0.0)
    }

    /// 2 if no state can be kept, else 1.
    pub fn period(&self) -> u64 {
        if (0..self.num_states()).any(|state| self.stay(state) > 0.0) { 1 } else { 2 }
    }

    /// The transition matrix, row-major `[n, n]`.
    pub fn matrix(&self) -> Vec<f64> {
        let n = self.num_states();
        let mut matrix = vec![0.0; n * n];
        for (state, row) in matrix.chunks_exact_mut(n).enumerate() {
            row[state] = self.stay(state);
            if state + 1 < n {
                row[state + 1] = self.up[state];
            }
            if state > 0 {
                row[state - 1] = self.down[state];
            }
        }
        matrix
    }

    /// The stationary distribution, `[n]`. Products are taken from the most probable state on, so that
    /// none overflows.
    pub fn stationary(&self) -> Vec<f64> {
        let n = self.num_states();
        let (mut log, mut greatest, mut mode) = (0.0, 0.0, 0);
        for state in 1..n {
            log += ln(self.up[state - 1]) - ln(self.down[state]);
            if log > greatest {
                (greatest, mode) = (log, state);
            }
        }
        let mut weights = vec![1.0; n];
        for state in mode + 1..n {
            weights[state] = weights[state - 1] * (self.up[state - 1] / self.down[state]);
        }
        for state in (0..mode).rev() {
            weights[state] = weights[state + 1] * (self.down[state + 1] / self.up[state]);
        }
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= total);
        weights
    }

    /// `max |π_k p_k − π_{k+1} q_{k+1}|`, 0 but for rounding.
    pub fn violation(&self, stationary: &[f64]) -> f64 {
        let flows = stationary.iter().zip(&self.up).map(|(p, up)| p * up);
        let back = stationary.iter().zip(&self.down).skip(1).map(|(p, down)| p * down);
        flows.zip(back).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// The eigenvalues that tell how fast it mixes. The gap has a small relative error.
    pub fn spectrum(&self) -> Spectrum {
        let pairs = self.up.iter().zip(&self.down[1..]);
        let symmetric = Tridiagonal {
            diagonal: (0..self.num_states()).map(|state| self.stay(state)).collect(),
            squares: pairs.map(|(up, down)| up * down).collect(),
        };
        let from_minus_one = (1.0 + symmetric.eigenvalue(0)).max(0.0);
        Spectrum { gap: self.gap(), from_minus_one }
    }

    /// The square of the smallest positive eigenvalue of the matrix with zeros on its diagonal.
    fn gap(&self) -> f64 {
        let squares: Vec<f64> =
            self.up.iter().zip(&self.down[1..]).flat_map(|(up, down)| [*up, *down]).collect();
        let matrix = Tridiagonal { diagonal: vec![0.0; squares.len() + 1], squares };
        // Half of the others are negative, and one is 0.
        let rank = self.num_states();
        // Bisection of the bits of positive numbers, which are in the order of the numbers.
        let (mut low, mut high) = (f64::MIN_POSITIVE.to_bits(), 2.0_f64.to_bits());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if matrix.num_below(f64::from_bits(middle)) > rank {
                high = middle;
            } else {
                low = middle;
            }
        }
        let root = f64::from_bits(high);
        root * root
    }

    /// The least cut of all sets.
    pub fn least_cut(&self, stationary: &[f64]) -> Cut {
        let n = self.num_states();
        // Sums from either end, so that small ones are accurate.
        let mut after = vec![0.0; n + 1];
        for state in (0..n).rev() {
            after[state] = after[state + 1] + stationary[state];
        }
        let mut before = 0.0;
        let mut least = (f64::INFINITY, 0, 0.0, 0.0, false);
        for state in 0..n - 1 {
            before += stationary[state];
            let flow = stationary[state] * self.up[state];
            let is_left = before <= after[state + 1];
            let probability = if is_left { before } else { after[state + 1] };
            let ratio = flow / probability;
            if ratio < least.0 {
                least = (ratio, state, probability, flow, is_left);
            }
        }
        let (_, state, probability, flow, is_left) = least;
        let states = if is_left { (0..=state).collect() } else { (state + 1..n).collect() };
        Cut { states, probability, flow, is_least: true }
    }
}

/// Checks the probability of a move, which is 0 at the end of the line and above 0 elsewhere.
fn check_move(field: &str, moves: &[f64], state: usize, is_end: bool) -> Result<()> {
    let value = moves[state];
    let problem = match (is_end, value) {
        (true, 0.0) => return Ok(()),
        (true, _) => format!("is {value}; there is no further state, so it must be 0"),
        (false, 0.0) => {
            "is 0, so the chain falls apart; give such a chain by its transitions".to_string()
        }
        _ if value > 0.0 && value <= 1.0 => return Ok(()),
        _ => format!("is {value}; a probability lies between 0 and 1"),
    };
    Err(Error::spec(format!("{field}[{state}]"), problem))
}
