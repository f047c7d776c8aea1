//! Draws from the posterior of all matrices of a structure, given the whole: a sweep draws each factor of each product
//! given the others, and then what the factor is made of, given the factor.

use crate::linalg::{axpy, dot};
use crate::math::{exp, ln};
use crate::matrix::Matrix;
use crate::rng::{ChainRng, gamma, normal, uniform};
use crate::tree::{
    Bernoulli, Gaussian, Multinomial, Node, Part, Product, Scale, Sum, VariancePrior, Variances,
};
use crate::triangular::{backward, factorize, forward};

impl VariancePrior {
    /// A draw of a variance given the number and the sum of squares of Gaussian numbers.
    pub(crate) fn posterior(self, count: usize, squares: f64, rng: &mut ChainRng) -> f64 {
        let rate = self.rate + 0.5 * squares;
        // Far from what variances of standardized data can be, so that nothing overflows.
        (rate / gamma(rng, self.shape + 0.5 * count as f64)).clamp(1e-12, 1e12)
    }
}

impl Node {
    /// A sweep over all that the matrix is made of; the matrix itself stays.
    pub fn sweep(&mut self, rng: &mut ChainRng) {
        match self {
            Self::Gaussian(gaussian) => gaussian.sweep(rng),
            Self::Sum(sum) => sum.sweep(rng),
            Self::Scale(scale) => scale.sweep(rng),
        }
    }
}

impl Gaussian {
    /// Draws the variances.
    fn sweep(&mut self, rng: &mut ChainRng) {
        let (num_rows, num_cols) = (self.value.num_rows(), self.value.num_cols());
        if !self.rows.are_free && !self.cols.are_free {
            let mut squares = 0.0;
            for (row, scale) in self.value.rows().zip(&self.rows.variances) {
                let terms = row.iter().zip(&self.cols.variances).map(|(x, col)| x * x / col);
                squares += terms.sum::<f64>() / scale;
            }
            self.variance = self.prior.posterior(num_rows * num_cols, squares, rng);
            return;
        }
        if self.rows.are_free {
            for (row, scale) in self.value.rows().zip(&mut self.rows.variances) {
                let terms = row.iter().zip(&self.cols.variances).map(|(x, col)| x * x / col);
                *scale = self.prior.posterior(num_cols, terms.sum(), rng);
            }
        }
        if self.cols.are_free {
            let mut squares = vec![0.0; num_cols];
            for (row, scale) in self.value.rows().zip(&self.rows.variances) {
                squares.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x / scale);
            }
            for (scale, squares) in self.cols.variances.iter_mut().zip(squares) {
                *scale = self.prior.posterior(num_rows, squares, rng);
            }
        }
    }
}

impl Scale {
    /// Draws the scales, what they are made of, and the variances.
    fn sweep(&mut self, rng: &mut ChainRng) {
        let (means, variances) = (self.log_scales.prior_mean(), self.log_scales.prior_variances());
        let around = self.gaussian.variances();
        let mut z = self.log_scales.value().clone();
        for row in 0..z.num_rows() {
            for col in 0..z.num_cols() {
                let s = self.value.at(row, col);
                let square = s * s / around.at(row, col);
                let (mean, variance) = (means.at(row, col), variances.at(row, col));
                let log_density = |z: f64| {
                    let deviation = z - mean;
                    -z - 0.5 * square * exp(-2.0 * z) - 0.5 * deviation * deviation / variance
                };
                *z.at_mut(row, col) = slice(z.at(row, col), &log_density, rng);
            }
        }
        drop(variances);
        self.log_scales.set_value(z);
        self.log_scales.sweep(rng);
        self.settle();
        self.gaussian.sweep(rng);
    }
}

/// A step of slice sampling with stepping out and shrinkage (Neal 2003), of a density with one mode.
fn slice(x: f64, log_density: &impl Fn(f64) -> f64, rng: &mut ChainRng) -> f64 {
    let level = log_density(x) + ln(1.0 - uniform(rng));
    let mut left = x - uniform(rng);
    let mut right = left + 1.0;
    let is_above = |x: f64| x.abs() < 300.0 && log_density(x) > level;
    while is_above(left) {
        left -= 1.0;
    }
    while is_above(right) {
        right += 1.0;
    }
    loop {
        let new = left + uniform(rng) * (right - left);
        if is_above(new) || right - left < 1e-12 {
            return if is_above(new) { new } else { x };
        }
        if new < x {
            left = new;
        } else {
            right = new;
        }
    }
}

impl Sum {
    /// Draws both factors of each term, what these are made of, and the noise's variances.
    pub fn sweep(&mut self, rng: &mut ChainRng) {
        let Self { terms, noise, value } = self;
        let mut products: Vec<Matrix> = terms.iter().map(Product::value).collect();
        for at in 0..terms.len() {
            let mut residual = value.clone();
            for (_, product) in products.iter().enumerate().filter(|(other, _)| *other != at) {
                residual.add(-1.0, product);
            }
            let Product { left, right } = &mut terms[at];
            draw(left, right, &residual, &noise.prior_variances(), rng);
            let residual = residual.transposed();
            draw(right, left, &residual, &noise.prior_variances().transposed(), rng);
            products[at] = terms[at].value();
        }
        self.settle();
        self.noise.sweep(rng);
    }
}

/// Draws a factor A given the other, B, where ABᵀ plus noise is `residual`.
fn draw(
    part: &mut Part,
    other: &Part,
    residual: &Matrix,
    noise: &Variances<'_>,
    rng: &mut ChainRng,
) {
    match part {
        Part::Chain(_) => {}
        Part::Real(node) => {
            let (mean, variances) = (node.prior_mean(), node.prior_variances());
            let new = match other {
                Part::Chain(_) => innovations(residual, noise, &mean, &variances, rng),
                _ => gaussian_rows(&other.matrix(), residual, noise, &mean, &variances, rng),
            };
            drop(variances);
            node.set_value(new);
            node.sweep(rng);
        }
        Part::Multinomial(assignments) => {
            draw_labels(assignments, &other.matrix(), residual, noise, rng)
        }
        Part::Bernoulli(bits) => draw_bits(bits, &other.matrix(), residual, noise, rng),
    }
}

/// What the rows of a residual say of the rows of A: BᵀWB and BᵀWr, with the weights W of the noise.
struct Messages<'a> {
    other: &'a Matrix,
    residual: &'a Matrix,
    noise: &'a Variances<'a>,
    /// With the weights of the columns alone, where these are the same in all rows.
    common: Option<(Vec<f64>, Matrix)>,
}

impl<'a> Messages<'a> {
    fn new(other: &'a Matrix, residual: &'a Matrix, noise: &'a Variances<'a>) -> Self {
        let common = match noise {
            Variances::RankOne(_, cols) => {
                let weighted = Matrix::from_fn(other.num_rows(), other.num_cols(), |row, col| {
                    other.at(row, col) / cols[row]
                });
                let gram = other.transposed().times(&weighted);
                Some((gram.entries().to_vec(), residual.times(&weighted)))
            }
            Variances::Each(_) => None,
        };
        Self { other, residual, noise, common }
    }

    /// Those of a row, in place of `gram` `[K, K]` and `linear` `[K]`.
    fn of(&self, row: usize, gram: &mut [f64], linear: &mut [f64]) {
        if let (Some((common, lines)), Variances::RankOne(rows, _)) = (&self.common, self.noise) {
            let weight = 1.0 / rows[row];
            gram.iter_mut().zip(common).for_each(|(to, from)| *to = weight * from);
            linear.iter_mut().zip(lines.row(row)).for_each(|(to, from)| *to = weight * from);
            return;
        }
        gram.fill(0.0);
        linear.fill(0.0);
        let size = linear.len();
        for (col, line) in self.other.rows().enumerate() {
            let weight = 1.0 / self.noise.at(row, col);
            axpy(weight * self.residual.at(row, col), line, linear);
            for (entry, sums) in line.iter().zip(gram.chunks_exact_mut(size)) {
                axpy(weight * entry, line, sums);
            }
        }
    }
}

/// Draws the rows of a real factor: each is Gaussian.
fn gaussian_rows(
    other: &Matrix,
    residual: &Matrix,
    noise: &Variances<'_>,
    mean: &Matrix,
    variances: &Variances<'_>,
    rng: &mut ChainRng,
) -> Matrix {
    let messages = Messages::new(other, residual, noise);
    let size = mean.num_cols();
    let (mut gram, mut linear) = (vec![0.0; size * size], vec![0.0; size]);
    let mut all = Matrix::zeros(mean.num_rows(), size);
    for row in 0..mean.num_rows() {
        messages.of(row, &mut gram, &mut linear);
        for k in 0..size {
            let precision = 1.0 / variances.at(row, k);
            gram[k * size + k] += precision;
            linear[k] += precision * mean.at(row, k);
        }
        factorize(size, &mut gram);
        forward(size, &gram, &mut linear);
        linear.iter_mut().for_each(|entry| *entry += normal(rng));
        backward(size, &gram, &mut linear);
        all.row_mut(row).copy_from_slice(&linear);
    }
    all
}

/// Draws the innovations of random walks, one a row, whose states plus noise are the residual: the states are Gaussian with
/// a precision of three diagonals.
fn innovations(
    residual: &Matrix,
    noise: &Variances<'_>,
    mean: &Matrix,
    variances: &Variances<'_>,
    rng: &mut ChainRng,
) -> Matrix {
    let length = residual.num_cols();
    let mut all = Matrix::zeros(residual.num_rows(), length);
    // Of the factor: its diagonal and what is below it.
    let (mut diagonal, mut below) = (vec![0.0; length], vec![0.0; length]);
    let mut states = vec![0.0; length];
    for row in 0..residual.num_rows() {
        for t in 0..length {
            let (own, seen) = (1.0 / variances.at(row, t), 1.0 / noise.at(row, t));
            let mut precision = own + seen;
            let mut linear = own * mean.at(row, t) + seen * residual.at(row, t);
            if t + 1 < length {
                let next = 1.0 / variances.at(row, t + 1);
                precision += next;
                linear -= next * mean.at(row, t + 1);
            }
            if t > 0 {
                below[t] = -own / diagonal[t - 1];
                precision -= below[t] * below[t];
                linear -= below[t] * states[t - 1];
            }
            diagonal[t] = precision.max(1e-14 * own).sqrt();
            states[t] = linear / diagonal[t];
        }
        states.iter_mut().for_each(|entry| *entry += normal(rng));
        for t in (0..length).rev() {
            if t + 1 < length {
                states[t] -= below[t + 1] * states[t + 1];
            }
            states[t] /= diagonal[t];
        }
        let steps = all.row_mut(row);
        steps[0] = states[0];
        (1..length).for_each(|t| steps[t] = states[t] - states[t - 1]);
    }
    all
}

/// An index in proportion to the exponentials of these.
pub fn choose(logs: &[f64], rng: &mut ChainRng) -> usize {
    let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = logs.iter().map(|log| exp(log - greatest)).sum();
    let mut left = total * uniform(rng);
    for (at, log) in logs.iter().enumerate() {
        left -= exp(log - greatest);
        if left < 0.0 {
            return at;
        }
    }
    logs.iter().position(|log| *log == greatest).expect("a number")
}

/// Draws the labels given the centres, and the probabilities.
fn draw_labels(
    assignments: &mut Multinomial,
    other: &Matrix,
    residual: &Matrix,
    noise: &Variances<'_>,
    rng: &mut ChainRng,
) {
    let messages = Messages::new(other, residual, noise);
    let size = other.num_cols();
    let (mut gram, mut linear) = (vec![0.0; size * size], vec![0.0; size]);
    let prior: Vec<f64> = assignments.probabilities.iter().map(|p| ln(*p)).collect();
    for (row, label) in assignments.labels.iter_mut().enumerate() {
        messages.of(row, &mut gram, &mut linear);
        (0..size).for_each(|k| linear[k] += prior[k] - 0.5 * gram[k * size + k]);
        *label = choose(&linear, rng);
    }
    // Dirichlet(1, …, 1).
    let mut counts = vec![1.0; size];
    assignments.labels.iter().for_each(|label| counts[*label] += 1.0);
    let draws: Vec<f64> = counts.into_iter().map(|count| gamma(rng, count)).collect();
    let total: f64 = draws.iter().sum();
    let probability = |draw: &f64| (draw / total).max(f64::MIN_POSITIVE);
    assignments.probabilities = draws.iter().map(probability).collect();
}

/// Draws the bits, one after another, and the probabilities.
fn draw_bits(
    bits: &mut Bernoulli,
    other: &Matrix,
    residual: &Matrix,
    noise: &Variances<'_>,
    rng: &mut ChainRng,
) {
    let messages = Messages::new(other, residual, noise);
    let size = other.num_cols();
    let (mut gram, mut linear) = (vec![0.0; size * size], vec![0.0; size]);
    let prior: Vec<f64> = bits.probabilities.iter().map(|p| ln(*p / (1.0 - p))).collect();
    for row in 0..residual.num_rows() {
        messages.of(row, &mut gram, &mut linear);
        let own = bits.value.row_mut(row);
        for k in 0..size {
            let line = &gram[k * size..(k + 1) * size];
            let others = dot(line, own) - line[k] * own[k];
            let log_odds = prior[k] + linear[k] - others - 0.5 * line[k];
            own[k] = f64::from(u8::from(uniform(rng) < crate::math::sigmoid(log_odds)));
        }
    }
    // Beta(1, 1).
    let num_rows = bits.value.num_rows() as f64;
    for (k, probability) in bits.probabilities.iter_mut().enumerate() {
        let ones: f64 = (0..bits.value.num_rows()).map(|row| bits.value.at(row, k)).sum();
        let (a, b) = (gamma(rng, 1.0 + ones), gamma(rng, 1.0 + num_rows - ones));
        *probability = (a / (a + b)).clamp(1e-12, 1.0 - 1e-12);
    }
}
