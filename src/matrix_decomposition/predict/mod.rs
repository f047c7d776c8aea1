//! The density of a row that was held out, given a draw of all matrices of the rows that were not (thesis, section 4.2).
//!
//! The row is a sum of terms (4.2): Gaussian ones, which are integrated out; one of some vectors, or some of them, for
//! M and B; and Gaussian ones, each times a random scale. [`RowModel`] has these terms, [`RowDensity`] the density.

mod base;
mod density;
mod discrete;
mod scales;

pub use density::RowDensity;
pub use scales::Annealing;

use crate::matrix::Matrix;
use crate::tree::{Node, Part, Product};

/// ln of the greatest scale of a Gaussian vector in place of one with a random scale. Beyond it the covariance loses the
/// noise by rounding.
const GREATEST_MATCHED: f64 = 10.0;

/// Where a row that was held out stands among those that were not, for the sake of random walks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Number of the others that are before it.
    pub num_before: usize,
    /// Whether there is a row after.
    pub has_after: bool,
    /// Steps since the row before, or since the start of the walk.
    pub since: f64,
    /// Steps from the row before to that after, if there is one.
    pub between: f64,
}

impl Place {
    /// The place of row `row` among the rows `others`, which are in order and do not have it. A walk starts with a step to
    /// row 0.
    pub fn new(row: usize, others: &[usize]) -> Self {
        let num_before = others.partition_point(|other| *other < row);
        let from = num_before.checked_sub(1).map_or(-1.0, |at| others[at] as f64);
        let after = others.get(num_before);
        Self {
            num_before,
            has_after: after.is_some(),
            since: row as f64 - from,
            between: after.map_or(0.0, |after| *after as f64 - from),
        }
    }
}

/// The steps between these rows, in order: what [`crate::initialize::Steps`] takes. A walk starts with a step to row 0.
pub fn steps(rows: &[usize]) -> Vec<f64> {
    let before = std::iter::once(-1.0).chain(rows.iter().map(|row| *row as f64));
    rows.iter().zip(before).map(|(row, before)| *row as f64 - before).collect()
}

/// What may be one of some vectors, or some of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Whether it is exactly one.
    pub is_one: bool,
    /// Of each vector.
    pub probabilities: Vec<f64>,
    /// The vectors as rows.
    pub vectors: Matrix,
}

/// Gaussian vectors, each times a random scale exp(z).
#[derive(Debug, Clone, PartialEq)]
pub struct Scaled {
    /// The vectors as rows, for a scale of 1.
    pub vectors: Matrix,
    /// The mean of z.
    pub mean: Vec<f64>,
    /// The covariance of z.
    pub covariance: Matrix,
}

/// The distribution of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowModel {
    /// A constant.
    pub mean: Vec<f64>,
    /// Variances of independent noise.
    pub noise: Vec<f64>,
    /// Gaussian vectors as rows, each times a standard normal number.
    pub loadings: Matrix,
    /// The choices.
    pub choices: Vec<Choice>,
    /// The vectors with scales.
    pub scaled: Vec<Scaled>,
}

impl RowModel {
    /// A row of zeros.
    fn zero(width: usize) -> Self {
        Self {
            mean: vec![0.0; width],
            noise: vec![0.0; width],
            loadings: Matrix::zeros(0, width),
            choices: Vec::new(),
            scaled: Vec::new(),
        }
    }

    /// Of a row of a matrix.
    pub fn new(node: &Node, place: &Place) -> Self {
        match node {
            Node::Gaussian(gaussian) => {
                let width = gaussian.cols.variances.len();
                let variance = |col: &f64| gaussian.variance * col;
                let noise = gaussian.cols.variances.iter().map(variance).collect();
                Self { noise, ..Self::zero(width) }
            }
            Node::Scale(scale) => {
                let (mean, covariance) = Self::new(&scale.log_scales, place).moments();
                let gaussian = Self::new(&Node::Gaussian(scale.gaussian.clone()), place);
                let width = mean.len();
                let entry =
                    |row: usize, col| if row == col { gaussian.noise[row].sqrt() } else { 0.0 };
                let vectors = Matrix::from_fn(width, width, entry);
                let scaled = vec![Scaled { vectors, mean, covariance }];
                Self { scaled, ..Self::zero(width) }
            }
            Node::Sum(sum) => {
                let mut all = Self::new(&sum.noise, place);
                sum.terms.iter().for_each(|term| all.add(Self::of_term(term, place)));
                all
            }
        }
    }

    fn of_term(Product { left, right }: &Product, place: &Place) -> Self {
        match left {
            Part::Real(node) => Self::new(node, place).times(&right.matrix()),
            Part::Multinomial(labels) => {
                // The probabilities given the labels, with Dirichlet(1, …, 1).
                let mut counts = vec![1.0; labels.probabilities.len()];
                labels.labels.iter().for_each(|label| counts[*label] += 1.0);
                let total = (labels.labels.len() + counts.len()) as f64;
                Self::of_choice(true, counts.iter().map(|count| count / total).collect(), right)
            }
            Part::Bernoulli(bits) => {
                let total = (bits.value.num_rows() + 2) as f64;
                let mut sums = vec![1.0; bits.value.num_cols()];
                bits.value.rows().for_each(|row| crate::linalg::axpy(1.0, row, &mut sums));
                Self::of_choice(false, sums.iter().map(|sum| sum / total).collect(), right)
            }
            Part::Chain(_) => {
                let Part::Real(right) = right else { unreachable!("a product has a G") };
                Self::of_walk(&right.transposed(), place)
            }
        }
    }

    fn of_choice(is_one: bool, probabilities: Vec<f64>, right: &Part) -> Self {
        let vectors = right.matrix().transposed();
        let zero = Self::zero(vectors.num_cols());
        Self { choices: vec![Choice { is_one, probabilities, vectors }], ..zero }
    }

    /// The state of a walk, given those before and after: Gaussian, with the mean and covariance that innovations have
    /// in the structure.
    fn of_walk(innovations: &Node, place: &Place) -> Self {
        let value = innovations.value();
        let width = value.num_cols();
        let mut mean = vec![0.0; width];
        for row in value.rows().take(place.num_before) {
            crate::linalg::axpy(1.0, row, &mut mean);
        }
        // An innovation is not itself the state of a walk.
        let (step, covariance) = Self::new(innovations, place).moments();
        let variance = if place.has_after {
            let share = place.since / place.between;
            let total = value.row(place.num_before);
            crate::linalg::axpy(share, total, &mut mean);
            place.since * (1.0 - share)
        } else {
            crate::linalg::axpy(place.since, &step, &mut mean);
            place.since
        };
        let mut root = covariance.entries().to_vec();
        crate::triangular::factorize(width, &mut root);
        let entry = |k: usize, col: usize| {
            if col >= k { variance.sqrt() * root[col * width + k] } else { 0.0 }
        };
        let loadings = Matrix::from_fn(width, width, entry);
        Self { mean, loadings, ..Self::zero(width) }
    }

    fn add(&mut self, other: Self) {
        crate::linalg::axpy(1.0, &other.mean, &mut self.mean);
        crate::linalg::axpy(1.0, &other.noise, &mut self.noise);
        self.loadings = std::mem::take(&mut self.loadings).stacked(&other.loadings);
        self.choices.extend(other.choices);
        self.scaled.extend(other.scaled);
    }

    /// The distribution of xBᵀ.
    fn times(self, other: &Matrix) -> Self {
        let across = other.transposed();
        let noise = Matrix::from_fn(across.num_rows(), across.num_cols(), |k, col| {
            self.noise[k].sqrt() * across.at(k, col)
        });
        let mean = Matrix::new(1, self.mean.len(), self.mean).times(&across);
        let choice = |choice: Choice| Choice { vectors: choice.vectors.times(&across), ..choice };
        let scaled = |scaled: Scaled| Scaled { vectors: scaled.vectors.times(&across), ..scaled };
        Self {
            mean: mean.entries().to_vec(),
            noise: vec![0.0; across.num_cols()],
            loadings: self.loadings.times(&across).stacked(&noise),
            choices: self.choices.into_iter().map(choice).collect(),
            scaled: self.scaled.into_iter().map(scaled).collect(),
        }
    }

    /// Mean and covariance.
    pub fn moments(&self) -> (Vec<f64>, Matrix) {
        let gaussian = self.gaussian();
        let mut mean = gaussian.mean.clone();
        let mut loadings = gaussian.loadings.clone();
        for Choice { is_one, probabilities, vectors } in &self.choices {
            let mut centre = vec![0.0; mean.len()];
            for (vector, p) in vectors.rows().zip(probabilities) {
                crate::linalg::axpy(*p, vector, &mut centre);
            }
            crate::linalg::axpy(1.0, &centre, &mut mean);
            let about = |k: usize, col: usize| {
                let p = probabilities[k];
                let (spread, middle) =
                    if *is_one { (p, centre[col]) } else { (p * (1.0 - p), 0.0) };
                spread.sqrt() * (vectors.at(k, col) - middle)
            };
            let each = Matrix::from_fn(vectors.num_rows(), vectors.num_cols(), about);
            loadings = loadings.stacked(&each);
        }
        (mean, base::covariance(&gaussian.noise, &loadings))
    }

    /// The distribution without the choices, and with Gaussian vectors in place of those with scales, of the same
    /// covariance where it is of a size.
    fn gaussian(&self) -> Self {
        let mut loadings = self.loadings.clone();
        for Scaled { vectors, mean, covariance } in &self.scaled {
            // E[e²ᶻ] = exp(2μ + 2σ²).
            let root = |k: usize| {
                let ln = (mean[k] + covariance.at(k, k)).clamp(-300.0, GREATEST_MATCHED);
                crate::math::exp(ln)
            };
            let roots: Vec<f64> = (0..mean.len()).map(root).collect();
            let matched = Matrix::from_fn(vectors.num_rows(), vectors.num_cols(), |k, col| {
                roots[k] * vectors.at(k, col)
            });
            loadings = loadings.stacked(&matched);
        }
        let (mean, noise) = (self.mean.clone(), self.noise.clone());
        Self { mean, noise, loadings, choices: Vec::new(), scaled: Vec::new() }
    }
}
