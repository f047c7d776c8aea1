//! A structure with a matrix in each place.

use crate::expression::{Expression, Factor, Term};
use crate::matrix::Matrix;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Variances of the rows of a Gaussian matrix, or of its columns: factors of those of its entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scales {
    /// One for each row or column.
    pub variances: Vec<f64>,
    /// Whether each is a parameter, as those of latent dimensions are. Those of a dimension of the data are shared: they are
    /// known up to a common factor.
    pub are_free: bool,
}

impl Scales {
    /// Those of latent dimensions.
    pub fn free(count: usize) -> Self {
        Self { variances: vec![1.0; count], are_free: true }
    }

    /// Those of a dimension of the data.
    pub fn shared(count: usize) -> Self {
        Self { variances: vec![1.0; count], are_free: false }
    }
}

/// The inverse gamma prior of variances.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VariancePrior {
    /// Shape of the gamma distribution of the inverse.
    pub shape: f64,
    /// Its rate.
    pub rate: f64,
}

impl Default for VariancePrior {
    fn default() -> Self {
        Self { shape: 0.01, rate: 0.01 }
    }
}

/// G.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gaussian {
    /// The matrix.
    pub value: Matrix,
    /// Of the rows.
    pub rows: Scales,
    /// Of the columns.
    pub cols: Scales,
    /// A common factor of all variances; 1 where those of rows or columns are free.
    pub variance: f64,
    /// Of the variances that are parameters.
    pub prior: VariancePrior,
}

/// Terms and noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sum {
    /// The terms.
    pub terms: Vec<Product>,
    /// The noise: it is the value less the terms.
    pub noise: Box<Node>,
    /// The matrix.
    pub value: Matrix,
}

/// exp(Z) ∘ G.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// Z.
    pub log_scales: Box<Node>,
    /// G.
    pub gaussian: Gaussian,
    /// The matrix.
    pub value: Matrix,
}

/// A matrix of reals and what it is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Node {
    /// G.
    Gaussian(Gaussian),
    /// Terms and noise.
    Sum(Sum),
    /// exp(Z) ∘ G.
    Scale(Scale),
}

/// A factor with its matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Part {
    /// A matrix of reals.
    Real(Node),
    /// M.
    Multinomial(Multinomial),
    /// B.
    Bernoulli(Bernoulli),
    /// C: the steps since the row before, one for each row.
    Chain(Vec<f64>),
}

/// One 1 in each row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Multinomial {
    /// The place of the 1 in each row.
    pub labels: Vec<usize>,
    /// The probability of each place.
    pub probabilities: Vec<f64>,
}

/// Bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bernoulli {
    /// The bits, 0 or 1.
    pub value: Matrix,
    /// The probability of a 1 in each column.
    pub probabilities: Vec<f64>,
}

/// ABᵀ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Product {
    /// A.
    pub left: Part,
    /// B.
    pub right: Part,
}

/// Variances of the entries of a matrix.
pub enum Variances<'a> {
    /// Of entry (i, j) the product of those of i and j.
    RankOne(Vec<f64>, Cow<'a, [f64]>),
    /// One for each entry.
    Each(Matrix),
}

impl Variances<'_> {
    /// That of an entry.
    pub fn at(&self, row: usize, col: usize) -> f64 {
        match self {
            Self::RankOne(rows, cols) => rows[row] * cols[col],
            Self::Each(all) => all.at(row, col),
        }
    }

    /// Of the transpose.
    pub fn transposed(self) -> Variances<'static> {
        match self {
            Self::RankOne(rows, cols) => Variances::RankOne(cols.into_owned(), Cow::Owned(rows)),
            Self::Each(all) => Variances::Each(all.transposed()),
        }
    }
}

impl Gaussian {
    /// A matrix whose variances are 1.
    pub fn new(value: Matrix, rows: Scales, cols: Scales) -> Self {
        assert_eq!(
            (rows.variances.len(), cols.variances.len()),
            (value.num_rows(), value.num_cols())
        );
        Self { value, rows, cols, variance: 1.0, prior: VariancePrior::default() }
    }

    /// The variances of the entries.
    pub fn variances(&self) -> Variances<'_> {
        let rows = self.rows.variances.iter().map(|row| self.variance * row).collect();
        Variances::RankOne(rows, Cow::Borrowed(&self.cols.variances))
    }

    fn transposed(&self) -> Self {
        let (rows, cols) = (self.cols.clone(), self.rows.clone());
        Self { value: self.value.transposed(), rows, cols, ..*self }
    }
}

impl Node {
    /// The matrix.
    pub fn value(&self) -> &Matrix {
        match self {
            Self::Gaussian(Gaussian { value, .. })
            | Self::Sum(Sum { value, .. })
            | Self::Scale(Scale { value, .. }) => value,
        }
    }

    /// The variances of rows and of columns of what the matrix was before it was expanded.
    pub fn scales(&self) -> (&Scales, &Scales) {
        match self {
            Self::Gaussian(Gaussian { rows, cols, .. })
            | Self::Scale(Scale { gaussian: Gaussian { rows, cols, .. }, .. }) => (rows, cols),
            Self::Sum(Sum { noise, .. }) => noise.scales(),
        }
    }

    /// The structure.
    pub fn expression(&self) -> Expression {
        match self {
            Self::Gaussian(_) => Expression::Gaussian,
            Self::Scale(scale) => Expression::Scale(Box::new(scale.log_scales.expression())),
            Self::Sum(sum) => {
                let term = |product: &Product| Term {
                    left: product.left.factor(),
                    right: product.right.factor(),
                };
                let terms = sum.terms.iter().map(term).collect();
                Expression::Sum(terms, Box::new(sum.noise.expression()))
            }
        }
    }

    /// The transpose.
    pub fn transposed(&self) -> Self {
        match self {
            Self::Gaussian(gaussian) => Self::Gaussian(gaussian.transposed()),
            Self::Scale(scale) => Self::Scale(Scale {
                log_scales: Box::new(scale.log_scales.transposed()),
                gaussian: scale.gaussian.transposed(),
                value: scale.value.transposed(),
            }),
            Self::Sum(sum) => {
                let swap = |product: &Product| Product {
                    left: product.right.clone(),
                    right: product.left.clone(),
                };
                Self::Sum(Sum {
                    terms: sum.terms.iter().map(swap).collect(),
                    noise: Box::new(sum.noise.transposed()),
                    value: sum.value.transposed(),
                })
            }
        }
    }

    /// What the matrix is expected to be, given all that it is made of but its noise.
    pub fn prior_mean(&self) -> Matrix {
        match self {
            Self::Sum(sum) => sum.signal(),
            _ => Matrix::zeros(self.value().num_rows(), self.value().num_cols()),
        }
    }

    /// The variances about [`Node::prior_mean`].
    pub fn prior_variances(&self) -> Variances<'_> {
        match self {
            Self::Gaussian(gaussian) => gaussian.variances(),
            Self::Sum(sum) => sum.noise.prior_variances(),
            Self::Scale(Scale { log_scales, gaussian, .. }) => {
                let (z, all) = (log_scales.value(), gaussian.variances());
                let entry = |row, col| all.at(row, col) * crate::math::exp(2.0 * z.at(row, col));
                Variances::Each(Matrix::from_fn(z.num_rows(), z.num_cols(), entry))
            }
        }
    }

    /// Replaces the matrix; the noise takes up the difference.
    pub fn set_value(&mut self, new: Matrix) {
        match self {
            Self::Gaussian(gaussian) => gaussian.value = new,
            Self::Sum(sum) => {
                sum.value = new;
                sum.settle();
            }
            Self::Scale(scale) => {
                scale.value = new;
                scale.settle();
            }
        }
    }

    /// The matrix as what it is made of gives it.
    pub fn evaluated(&self) -> Matrix {
        match self {
            Self::Gaussian(gaussian) => gaussian.value.clone(),
            Self::Sum(sum) => {
                let mut all = sum.noise.evaluated();
                all.add(1.0, &sum.signal());
                all
            }
            Self::Scale(Scale { log_scales, gaussian, .. }) => {
                let (z, g) = (log_scales.evaluated(), &gaussian.value);
                let entry = |row, col| crate::math::exp(z.at(row, col)) * g.at(row, col);
                Matrix::from_fn(g.num_rows(), g.num_cols(), entry)
            }
        }
    }

    /// Whether the matrix has random walks down its rows, or along its columns.
    pub fn has_walk(&self, along_columns: bool) -> bool {
        match self {
            Self::Gaussian(_) => false,
            Self::Scale(scale) => scale.log_scales.has_walk(along_columns),
            Self::Sum(Sum { terms, noise, .. }) => {
                let has_walk =
                    |term: &Product| match if along_columns { &term.right } else { &term.left } {
                        Part::Real(node) => node.has_walk(false),
                        part => matches!(part, Part::Chain(_)),
                    };
                noise.has_walk(along_columns) || terms.iter().any(has_walk)
            }
        }
    }

    /// Drops the matrices that follow from the whole, to be small: the whole itself and its noise.
    pub fn strip(&mut self) {
        match self {
            Self::Gaussian(gaussian) => gaussian.value = Matrix::default(),
            Self::Sum(sum) => {
                sum.value = Matrix::default();
                sum.noise.strip();
            }
            Self::Scale(scale) => scale.value = Matrix::default(),
        }
    }
}

impl Scale {
    /// Makes the Gaussian matrix follow from the value and the scales.
    pub fn settle(&mut self) {
        let (z, s) = (self.log_scales.value(), &self.value);
        let entry = |row, col| s.at(row, col) * crate::math::exp(-z.at(row, col));
        self.gaussian.value = Matrix::from_fn(s.num_rows(), s.num_cols(), entry);
    }
}

impl Sum {
    /// The sum of the terms.
    pub fn signal(&self) -> Matrix {
        let terms = self.terms.iter().map(Product::value);
        let sum = terms.reduce(|mut all, term| {
            all.add(1.0, &term);
            all
        });
        sum.expect("a term")
    }

    /// Makes the noise follow from the value and the terms.
    pub fn settle(&mut self) {
        let mut noise = self.value.clone();
        noise.add(-1.0, &self.signal());
        self.noise.set_value(noise);
    }
}

impl Product {
    /// ABᵀ.
    pub fn value(&self) -> Matrix {
        match (&self.left, &self.right) {
            (Part::Chain(_), right) => running_sums(right.matrix().transposed()),
            (left, Part::Chain(_)) => running_sums(left.matrix().transposed()).transposed(),
            (Part::Multinomial(left), right) => {
                let lines = right.matrix().transposed();
                let rows = left.labels.iter().flat_map(|label| lines.row(*label).iter().copied());
                Matrix::new(left.labels.len(), lines.num_cols(), rows.collect())
            }
            (left, right) => left.matrix().times(&right.matrix().transposed()),
        }
    }
}

/// Adds to each row those before.
fn running_sums(mut rows: Matrix) -> Matrix {
    for at in 1..rows.num_rows() {
        for col in 0..rows.num_cols() {
            *rows.at_mut(at, col) += rows.at(at - 1, col);
        }
    }
    rows
}

impl Part {
    /// Number of columns of the matrix.
    pub fn num_cols(&self) -> usize {
        match self {
            Self::Real(node) => node.value().num_cols(),
            Self::Multinomial(found) => found.probabilities.len(),
            Self::Bernoulli(found) => found.probabilities.len(),
            Self::Chain(steps) => steps.len(),
        }
    }

    fn factor(&self) -> Factor {
        match self {
            Self::Real(node) => Factor::Real(node.expression()),
            Self::Multinomial(_) => Factor::Multinomial,
            Self::Bernoulli(_) => Factor::Bernoulli,
            Self::Chain(_) => Factor::Chain,
        }
    }

    /// The matrix.
    pub fn matrix(&self) -> Cow<'_, Matrix> {
        match self {
            Self::Real(node) => Cow::Borrowed(node.value()),
            Self::Bernoulli(bits) => Cow::Borrowed(&bits.value),
            Self::Multinomial(Multinomial { labels, probabilities }) => {
                let entry = |row: usize, col| f64::from(u8::from(labels[row] == col));
                Cow::Owned(Matrix::from_fn(labels.len(), probabilities.len(), entry))
            }
            Self::Chain(steps) => {
                let entry = |row, col| f64::from(u8::from(row >= col));
                Cow::Owned(Matrix::from_fn(steps.len(), steps.len(), entry))
            }
        }
    }
}
