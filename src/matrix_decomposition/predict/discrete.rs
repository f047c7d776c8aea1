//! Sums over choices: exact for few states, and else the variational bound of independent choices.

use super::Choice;
use super::base::Base;
use crate::linalg::{axpy, dot};
use crate::math::{exp, ln, log_sum_exp};
use crate::matrix::Matrix;
use crate::sorting::descending_order;

/// Greatest number of states of all choices that are added up exactly; beyond it there is a variational bound.
pub const MAX_STATES: usize = 1 << 12;

/// Least change of a bound for which iterations go on.
const TOLERANCE: f64 = 1e-10;
const MAX_ITERATIONS: usize = 200;

/// Of each choice whether exactly one vector is chosen, and their probabilities.
type Block = (bool, Vec<f64>);

/// The vectors of all choices, whitened.
pub(super) struct Choices {
    /// The vectors as rows.
    pub vectors: Matrix,
    gram: Matrix,
    blocks: Vec<Block>,
}

impl Choices {
    pub fn new(base: &Base, choices: &[Choice]) -> Self {
        let mut vectors = Matrix::zeros(0, base.size);
        for choice in choices {
            vectors = vectors.stacked(&base.whitened_rows(&choice.vectors));
        }
        let gram = vectors.times(&vectors.transposed());
        let blocks = choices.iter().map(|choice| (choice.is_one, choice.probabilities.clone()));
        Self { gram, blocks: blocks.collect(), vectors }
    }

    /// For a whitened deviation: ln p of it as a function of the choices, up to a constant.
    pub fn quadratic(&self, whitened: &[f64]) -> Quadratic<'_> {
        let linear = self.vectors.rows().map(|vector| dot(vector, whitened)).collect();
        Quadratic { gram: &self.gram, linear, blocks: &self.blocks }
    }

    /// ln of the probability of a state, as indicators of the vectors.
    pub fn log_prior(&self, state: &[f64]) -> f64 {
        log_prior(&self.blocks, state)
    }
}

fn log_prior(blocks: &[Block], state: &[f64]) -> f64 {
    let (mut log, mut at) = (0.0, 0);
    for (is_one, probabilities) in blocks {
        for p in probabilities {
            if state[at] != 0.0 {
                log += ln(*p);
            } else if !is_one {
                log += ln(1.0 - p);
            }
            at += 1;
        }
    }
    log
}

/// ln p of a row as a function of the chosen vectors u: the log probability of the choices, plus hᵀu − ½ uᵀAu.
pub(super) struct Quadratic<'a> {
    /// A.
    gram: &'a Matrix,
    /// h.
    linear: Vec<f64>,
    blocks: &'a [Block],
}

impl Quadratic<'_> {
    /// Of a state, as indicators of the vectors.
    pub fn log(&self, state: &[f64]) -> f64 {
        log_prior(self.blocks, state) + self.energy(state)
    }

    fn energy(&self, state: &[f64]) -> f64 {
        let mut log = 0.0;
        for (row, u) in self.gram.rows().zip(state).filter(|(_, u)| **u != 0.0) {
            log -= 0.5 * u * dot(row, state);
        }
        log + dot(&self.linear, state)
    }

    /// Number of states, or none if there are more than [`MAX_STATES`].
    fn num_states(&self) -> Option<usize> {
        let mut count: usize = 1;
        for (is_one, probabilities) in self.blocks {
            let own = if *is_one {
                probabilities.len()
            } else {
                1_usize.checked_shl(probabilities.len() as u32)?
            };
            count = count.checked_mul(own).filter(|count| *count <= MAX_STATES)?;
        }
        Some(count)
    }

    /// The state of a number, as indicators.
    fn state(&self, mut number: usize) -> Vec<f64> {
        let mut state = Vec::with_capacity(self.linear.len());
        for (is_one, probabilities) in self.blocks {
            let len = probabilities.len();
            let own = if *is_one { len } else { 1 << len };
            let (digit, rest) = (number % own, number / own);
            number = rest;
            let indicator = |k: usize| if *is_one { digit == k } else { digit >> k & 1 == 1 };
            state.extend((0..len).map(|k| f64::from(u8::from(indicator(k)))));
        }
        state
    }

    /// ln of the sum of the exponentials over all states, or a lower bound.
    pub fn log_sum(&self) -> f64 {
        match self.num_states() {
            Some(1) if self.linear.is_empty() => 0.0,
            Some(count) => {
                let logs: Vec<f64> = (0..count).map(|at| self.log(&self.state(at))).collect();
                log_sum_exp(&logs)
            }
            None => self.bound().0,
        }
    }

    /// The `most` most probable states, or all if there are fewer.
    pub fn best_states(&self, most: usize) -> Vec<Vec<f64>> {
        let states: Vec<Vec<f64>> = match self.num_states() {
            Some(count) => (0..count).map(|at| self.state(at)).collect(),
            None => self.around(&self.bound().1),
        };
        let logs: Vec<f64> = states.iter().map(|state| self.log(state)).collect();
        let best_first = descending_order(&logs).into_iter();
        best_first.take(most).map(|at| states[at].clone()).collect()
    }

    /// The state of the greatest marginals, and those that differ in one choice.
    fn around(&self, marginals: &[f64]) -> Vec<Vec<f64>> {
        let (mut mode, mut at) = (Vec::new(), 0);
        for (is_one, probabilities) in self.blocks {
            let own = &marginals[at..at + probabilities.len()];
            let greatest = own.iter().copied().fold(0.0, f64::max);
            let first = own.iter().position(|q| *q == greatest);
            let is_chosen = |k: usize| if *is_one { Some(k) == first } else { own[k] > 0.5 };
            mode.extend((0..own.len()).map(|k| f64::from(u8::from(is_chosen(k)))));
            at += own.len();
        }
        let mut all = vec![mode.clone()];
        let mut at = 0;
        for (is_one, probabilities) in self.blocks {
            for k in at..at + probabilities.len() {
                let mut state = mode.clone();
                if *is_one {
                    state[at..at + probabilities.len()].fill(0.0);
                    state[k] = 1.0;
                } else {
                    state[k] = 1.0 - state[k];
                }
                if state != mode {
                    all.push(state);
                }
            }
            at += probabilities.len();
        }
        all
    }

    /// The variational bound, and the marginals at which it is had: E[ln p] plus the entropy, for independent choices.
    pub fn bound(&self) -> (f64, Vec<f64>) {
        let mut q: Vec<f64> = self.blocks.iter().flat_map(|(_, p)| p.iter().copied()).collect();
        // A q.
        let mut field = vec![0.0; q.len()];
        for (row, q) in self.gram.rows().zip(&q) {
            axpy(*q, row, &mut field);
        }
        let mut bound = f64::NEG_INFINITY;
        for _ in 0..MAX_ITERATIONS {
            let mut at = 0;
            for (is_one, probabilities) in self.blocks {
                let len = probabilities.len();
                if *is_one {
                    let logs: Vec<f64> = (at..at + len)
                        .map(|k| {
                            // Without the block's own part, but for the vector's own square.
                            let own = dot(&self.gram.row(k)[at..at + len], &q[at..at + len]);
                            let square = self.gram.at(k, k);
                            ln(probabilities[k - at]) + self.linear[k]
                                - (field[k] - own)
                                - 0.5 * square
                        })
                        .collect();
                    let total = log_sum_exp(&logs);
                    for (k, log) in (at..at + len).zip(logs) {
                        self.change(k, exp(log - total), &mut q, &mut field);
                    }
                } else {
                    for k in at..at + len {
                        let (p, square) = (probabilities[k - at], self.gram.at(k, k));
                        let others = field[k] - square * q[k];
                        let odds = ln(p / (1.0 - p)) + self.linear[k] - others - 0.5 * square;
                        self.change(k, crate::math::sigmoid(odds), &mut q, &mut field);
                    }
                }
                at += len;
            }
            let new = self.bound_at(&q);
            let is_settled = new - bound < TOLERANCE;
            bound = bound.max(new);
            if is_settled {
                break;
            }
        }
        (bound, q)
    }

    fn change(&self, k: usize, new: f64, q: &mut [f64], field: &mut [f64]) {
        axpy(new - q[k], self.gram.row(k), field);
        q[k] = new;
    }

    fn bound_at(&self, q: &[f64]) -> f64 {
        let mut bound = self.energy(q);
        let entropy = |q: f64| if q > 0.0 { -q * ln(q) } else { 0.0 };
        let mut at = 0;
        for (is_one, probabilities) in self.blocks {
            let own = &q[at..at + probabilities.len()];
            // ½ qᵀAq has q² and, within a choice of one, q_k q_l in place of the indicators' products.
            for (k, qk) in own.iter().enumerate() {
                let p = probabilities[k];
                bound += qk * ln(p) + entropy(*qk) - 0.5 * qk * self.gram.at(at + k, at + k);
                if *is_one {
                    bound += 0.5 * qk * dot(&self.gram.row(at + k)[at..at + own.len()], own);
                } else {
                    bound += (1.0 - qk) * ln(1.0 - p) + entropy(1.0 - qk);
                    bound += 0.5 * qk * qk * self.gram.at(at + k, at + k);
                }
            }
            at += own.len();
        }
        bound
    }
}
