//! Sparse networks: the penalized fit against its definition, the choices against naive ones, recovery of known
//! networks, intervals, and what is refused.

mod choices;
mod intervals;
mod optimum;
mod refusals;

use crate::common::{finished, job_with};
use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::bits::{BitMatrix, bit};
use unnorm::math::exp;
use unnorm::network::report::NetworkResult;
use unnorm::rng::{Purpose, stream, uniform};

/// A known network: biases, and couplings J_ij for i < j.
struct Truth {
    dim: usize,
    biases: Vec<f64>,
    couplings: Vec<f64>,
}

fn pairs(dim: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..dim).flat_map(move |i| (i + 1..dim).map(move |j| [i, j]))
}

impl Truth {
    /// Each pair is an edge with this probability, its log odds ratio 0.5 to 1.5 in size, one in five of them
    /// negative. The biases keep all columns away from constant.
    fn random(dim: usize, density: f64, seed: u64) -> Self {
        let mut rng = stream(seed, Purpose::Example, 0);
        let mut couplings = Vec::new();
        for _ in pairs(dim) {
            let [is_edge, is_negative, size] = [0; 3].map(|_| uniform(&mut rng));
            let sign = if is_negative < 0.2 { 1.0 } else { -1.0 };
            couplings.push(if is_edge < density { sign * 0.5 * (0.5 + size) } else { 0.0 });
        }
        let mut biases: Vec<f64> = (0..dim).map(|_| uniform(&mut rng) - 0.5).collect();
        for ([i, j], coupling) in pairs(dim).zip(&couplings) {
            biases[i] -= coupling;
            biases[j] -= coupling;
        }
        Self { dim, biases, couplings }
    }

    /// Rows by Gibbs sampling, each 20 sweeps after the one before.
    fn rows(&self, num_rows: usize, seed: u64) -> BitMatrix {
        let matrix = matrix(self.dim, &self.couplings);
        let mut rng = stream(seed, Purpose::Example, 1);
        let mut state: Vec<bool> = (0..self.dim).map(|_| uniform(&mut rng) < 0.5).collect();
        let mut sweep = |state: &mut Vec<bool>| {
            for i in 0..self.dim {
                let on = state.iter().zip(&matrix[i * self.dim..]).filter(|(on, _)| **on);
                let field = self.biases[i] + 2.0 * on.map(|(_, j)| j).sum::<f64>();
                state[i] = uniform(&mut rng) < 1.0 / (1.0 + exp(field));
            }
        };
        (0..100).for_each(|_| sweep(&mut state));
        let mut rows = BitMatrix::zeros(self.dim, num_rows);
        for row in rows.rows_mut() {
            (0..20).for_each(|_| sweep(&mut state));
            for (site, on) in state.iter().enumerate() {
                row[site / 64] |= u64::from(*on) << (site % 64);
            }
        }
        rows
    }
}

/// J without its diagonal.
fn matrix(dim: usize, couplings: &[f64]) -> Vec<f64> {
    let mut matrix = vec![0.0; dim * dim];
    for ([i, j], coupling) in pairs(dim).zip(couplings) {
        matrix[i * dim + j] = *coupling;
        matrix[j * dim + i] = *coupling;
    }
    matrix
}

/// The rows as numbers.
fn numbers(rows: &BitMatrix) -> Vec<Vec<f64>> {
    let of_row = |row: usize| {
        (0..rows.dim()).map(|site| f64::from(u8::from(bit(rows.row(row), site)))).collect()
    };
    (0..rows.num_rows()).map(of_row).collect()
}

/// The rows at these places.
fn some_of(rows: &BitMatrix, places: impl Iterator<Item = usize>) -> BitMatrix {
    let words: Vec<u64> = places.flat_map(|place| rows.row(place).to_vec()).collect();
    let per_row = rows.row(0).len();
    let mut some = BitMatrix::zeros(rows.dim(), words.len() / per_row);
    some.words_mut().copy_from_slice(&words);
    some
}

/// The result of a spec with these fields.
fn network(fields: &Value, rows: BitMatrix) -> NetworkResult {
    let spec = crate::common::with(json!({"verb": "network", "seed": 1}), fields);
    match finished(job_with(&spec, rows).expect("a sound job")) {
        JobResult::Network(result) => result,
        other => panic!("{other:?}"),
    }
}
