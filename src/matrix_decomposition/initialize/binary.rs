//! Binary attributes of rows: collapsed Gibbs sampling of bits with the features integrated out, from the bits that lie in the
//! space of the columns, and from bits at random, cooled. The number of attributes is the rank of the matrix.

use super::{rank, vertices};
use crate::linalg::{axpy, dot};
use crate::math::{ln, ln_gamma, sigmoid};
use crate::matrix::Matrix;
use crate::rng::{ChainRng, normal, uniform};
use crate::tree::VariancePrior;
use crate::triangular::{backward, factorize, forward};
use std::f64::consts::TAU;

/// Sweeps with more noise than there is, each with less, and those after.
const NUM_COOLING: usize = 20;
const NUM_SWEEPS: usize = 10;

/// How many times its variance the noise has at the start.
const HOTTEST: f64 = 10.0;

struct State<'a> {
    data: &'a Matrix,
    bits: Matrix,
    /// ZᵀZ and ZᵀX.
    gram: Vec<f64>,
    sums: Matrix,
    /// Variances of noise and of features.
    noise: f64,
    spread: f64,
}

impl<'a> State<'a> {
    fn new(data: &'a Matrix, bits: Matrix) -> Self {
        let total = (data.squares() / data.entries().len() as f64).max(1e-300);
        let (gram, sums) = (bits.transposed().times(&bits), bits.transposed().times(data));
        let spread = total / bits.num_cols() as f64;
        Self { data, gram: gram.entries().to_vec(), sums, bits, noise: 0.5 * total, spread }
    }

    fn count(&self) -> usize {
        self.bits.num_cols()
    }

    /// Adds a row to ZᵀZ and ZᵀX, or takes it away.
    fn add(&mut self, row: usize, sign: f64) {
        let size = self.count();
        let own = self.bits.row(row).to_vec();
        for k in (0..size).filter(|k| own[*k] != 0.0) {
            axpy(sign, &own, &mut self.gram[k * size..(k + 1) * size]);
            axpy(sign, self.data.row(row), self.sums.row_mut(k));
        }
    }

    /// The factor of ZᵀZ + σ²/τ² I.
    fn factor(&self, noise: f64) -> Vec<f64> {
        let size = self.count();
        let mut factor = self.gram.clone();
        (0..size).for_each(|k| factor[k * size + k] += noise / self.spread);
        factorize(size, &mut factor);
        factor
    }

    /// The means of the features, as rows.
    fn features(&self, factor: &[f64]) -> Matrix {
        let size = self.count();
        let mut lines = self.sums.transposed();
        for col in 0..lines.num_rows() {
            forward(size, factor, lines.row_mut(col));
            backward(size, factor, lines.row_mut(col));
        }
        lines.transposed()
    }

    /// Draws all bits, with the noise's variance times `heat`.
    fn sweep(&mut self, heat: f64, rng: &mut ChainRng) {
        let (num_rows, width, size) =
            (self.data.num_rows(), self.data.num_cols() as f64, self.count());
        let noise = heat * self.noise;
        for row in 0..num_rows {
            self.add(row, -1.0);
            let factor = self.factor(noise);
            let features = self.features(&factor);
            let gram = features.times(&features.transposed());
            let x = self.data.row(row);
            let linear: Vec<f64> = features.rows().map(|feature| dot(feature, x)).collect();
            let mut covariance = vec![0.0; size * size];
            for k in 0..size {
                let line = &mut covariance[k * size..(k + 1) * size];
                line[k] = 1.0;
                forward(size, &factor, line);
                backward(size, &factor, line);
            }
            let square = dot(x, x);
            let mut own = self.bits.row(row).to_vec();
            for k in 0..size {
                let mut log = |bit: f64| {
                    own[k] = bit;
                    let (mut quadratic, mut spread) = (0.0, 0.0);
                    for i in (0..size).filter(|i| own[*i] != 0.0) {
                        quadratic += dot(&gram.entries()[i * size..(i + 1) * size], &own);
                        spread += dot(&covariance[i * size..(i + 1) * size], &own);
                    }
                    let variance = noise * (1.0 + spread);
                    let deviation = square - 2.0 * dot(&linear, &own) + quadratic;
                    -0.5 * (width * ln(variance) + deviation / variance)
                };
                let ones = self.gram[k * size + k];
                let prior = ln((ones + 1.0) / (num_rows as f64 - ones));
                let odds = log(1.0) - log(0.0) + prior;
                own[k] = f64::from(u8::from(uniform(rng) < sigmoid(odds)));
            }
            self.bits.row_mut(row).copy_from_slice(&own);
            self.add(row, 1.0);
        }
        self.draw_variances(rng);
    }

    fn drawn_features(&self, rng: &mut ChainRng) -> Matrix {
        let size = self.count();
        let factor = self.factor(self.noise);
        let mut lines = self.features(&factor).transposed();
        for col in 0..lines.num_rows() {
            let mut deviation: Vec<f64> = (0..size).map(|_| normal(rng)).collect();
            backward(size, &factor, &mut deviation);
            axpy(self.noise.sqrt(), &deviation, lines.row_mut(col));
        }
        lines.transposed()
    }

    fn draw_variances(&mut self, rng: &mut ChainRng) {
        let features = self.drawn_features(rng);
        let mut rest = self.data.clone();
        rest.add(-1.0, &self.bits.times(&features));
        let prior = VariancePrior::default();
        self.noise = prior.posterior(rest.entries().len(), rest.squares(), rng);
        self.spread = prior.posterior(features.entries().len(), features.squares(), rng);
    }

    /// ln p of data and bits, given the variances, up to a constant.
    fn log_joint(&self) -> f64 {
        let (size, width) = (self.count(), self.data.num_cols() as f64);
        let num_rows = self.data.num_rows() as f64;
        let factor = self.factor(self.noise);
        let mut fitted = 0.0;
        let lines = self.sums.transposed();
        for line in lines.rows() {
            let mut line = line.to_vec();
            forward(size, &factor, &mut line);
            fitted += dot(&line, &line);
        }
        let log_det =
            crate::triangular::ln_det(size, &factor) - size as f64 * ln(self.noise / self.spread);
        let prior: f64 = (0..size)
            .map(|k| {
                let ones = self.gram[k * size + k];
                ln_gamma(ones + 1.0) + ln_gamma(num_rows - ones + 1.0) - ln_gamma(num_rows + 2.0)
            })
            .sum();
        let squares = self.data.squares();
        prior
            - 0.5
                * (num_rows * width * ln(TAU * self.noise)
                    + width * log_det
                    + (squares - fitted) / self.noise)
    }
}

/// The bits of the rows, and the features as rows.
pub fn attributes(data: &Matrix, rng: &mut ChainRng) -> (Matrix, Matrix) {
    let scores = rank::scores(data);
    let random = Matrix::from_fn(scores.num_rows(), scores.num_cols(), |_, _| {
        f64::from(u8::from(uniform(rng) < 0.5))
    });
    let starts = vertices::columns(&scores).map(|bits| (bits, 0));
    let runs: Vec<_> = starts
        .into_iter()
        .chain([(random, NUM_COOLING)])
        .map(|(bits, num_cooling)| {
            let mut state = State::new(data, bits);
            state.draw_variances(rng);
            for sweep in 0..num_cooling + NUM_SWEEPS {
                let left = num_cooling.saturating_sub(sweep) as f64 / NUM_COOLING as f64;
                state.sweep(1.0 + (HOTTEST - 1.0) * left * left, rng);
            }
            let features = state.drawn_features(rng);
            (state.log_joint(), state.bits, features)
        })
        .collect();
    let best = runs.into_iter().reduce(|a, b| if b.0 > a.0 { b } else { a });
    let (_, bits, features) = best.expect("a run");
    (bits, features)
}
