//! The stationary distribution of an irreducible chain, by the elimination of Grassmann, Taksar and
//! Heyman (1985).
//!
//! States are left out one after another, from the last on: the chain watched only while it is in the
//! first k states is a Markov chain again. Nothing is subtracted, so every probability is accurate to
//! a small multiple of n rounding errors, however small it is (O'Cinneide 1993).

use crate::linalg::axpy;

/// The elimination under way. It takes some n³/3 multiplications.
#[derive(Debug, Clone)]
pub struct Elimination {
    matrix: Vec<f64>,
    num_states: usize,
    /// Number of states that are left.
    left: usize,
}

impl Elimination {
    /// The elimination of a chain with this transition matrix, `[n, n]`.
    ///
    /// # Panics
    /// If the matrix is not square, or has no states.
    pub fn new(matrix: Vec<f64>, num_states: usize) -> Self {
        assert!(num_states > 0 && matrix.len() == num_states * num_states);
        Self { matrix, num_states, left: num_states }
    }

    /// Leaves out states until the multiplications exceed `budget`; returns whether it is done.
    pub fn advance(&mut self, budget: usize) -> bool {
        let mut spent = 0;
        while self.left > 1 && spent <= budget {
            let last = self.left - 1;
            let (above, rest) = self.matrix.split_at_mut(last * self.num_states);
            let leaving = &rest[..last];
            let total: f64 = leaving.iter().sum();
            for row in above.chunks_exact_mut(self.num_states) {
                row[last] /= total;
                let into = row[last];
                if into != 0.0 {
                    axpy(into, leaving, &mut row[..last]);
                }
            }
            self.left = last;
            spent += last * last;
        }
        self.left <= 1
    }

    /// The stationary distribution, `[n]`.
    ///
    /// # Panics
    /// If it is not done.
    pub fn distribution(&self) -> Vec<f64> {
        assert!(self.left <= 1, "states are left");
        let mut weights = vec![1.0];
        for state in 1..self.num_states {
            let from = self.matrix.chunks_exact(self.num_states);
            let weight = weights.iter().zip(from).map(|(weight, row)| weight * row[state]).sum();
            weights.push(weight);
        }
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= total);
        weights
    }
}
