//! Whether what was read from outside is a decomposition of a matrix of this size.

use crate::expression::{Expression, Factor};
use crate::matrix::Matrix;
use crate::tree::{Gaussian, Node, Part, Scale, Scales, Sum};

impl Node {
    /// Whether a structure that was stripped, [`Node::strip`], is one of this form for a matrix of this size.
    pub fn is_stripped(&self, structure: &Expression, num_rows: usize, num_cols: usize) -> bool {
        self.fits(structure, num_rows, num_cols, true)
    }

    fn fits(
        &self,
        structure: &Expression,
        num_rows: usize,
        num_cols: usize,
        is_stripped: bool,
    ) -> bool {
        let is_value = |value: &Matrix| {
            if is_stripped {
                *value == Matrix::default()
            } else {
                is_matrix(value, num_rows, num_cols)
            }
        };
        match (self, structure) {
            (Self::Gaussian(gaussian), Expression::Gaussian) => {
                is_value(&gaussian.value) && gaussian.has_scales(num_rows, num_cols)
            }
            (Self::Scale(Scale { log_scales, gaussian, value }), Expression::Scale(inner)) => {
                is_value(value)
                    && is_matrix(&gaussian.value, num_rows, num_cols)
                    && gaussian.has_scales(num_rows, num_cols)
                    && log_scales.fits(inner, num_rows, num_cols, false)
            }
            (Self::Sum(Sum { terms, noise, value }), Expression::Sum(forms, rest)) => {
                is_value(value)
                    && noise.fits(rest, num_rows, num_cols, is_stripped)
                    && terms.len() == forms.len()
                    && terms.iter().zip(forms).all(|(term, form)| {
                        let rank = term.left.num_cols();
                        rank > 0
                            && term.left.fits(&form.left, num_rows, rank)
                            && term.right.fits(&form.right, num_cols, rank)
                    })
            }
            _ => false,
        }
    }
}

/// Far beyond what standardized data lead to.
const GREATEST: f64 = 1e50;

fn is_matrix(value: &Matrix, num_rows: usize, num_cols: usize) -> bool {
    (value.num_rows(), value.num_cols()) == (num_rows, num_cols)
        && value.entries().len() == num_rows * num_cols
        && value.entries().iter().all(|entry| entry.abs() < GREATEST)
}

fn is_variance(variance: f64) -> bool {
    variance > 0.0 && variance < GREATEST
}

impl Gaussian {
    fn has_scales(&self, num_rows: usize, num_cols: usize) -> bool {
        let is_scales = |scales: &Scales, count: usize| {
            scales.variances.len() == count && scales.variances.iter().all(|v| is_variance(*v))
        };
        is_scales(&self.rows, num_rows)
            && is_scales(&self.cols, num_cols)
            && is_variance(self.variance)
            && is_variance(self.prior.shape)
            && is_variance(self.prior.rate)
    }
}

impl Part {
    fn fits(&self, factor: &Factor, num_rows: usize, num_cols: usize) -> bool {
        let are_probabilities = |all: &[f64]| all.iter().all(|p| *p > 0.0 && *p <= 1.0);
        match (self, factor) {
            (Self::Real(node), Factor::Real(structure)) => {
                node.fits(structure, num_rows, num_cols, false)
            }
            (Self::Multinomial(found), Factor::Multinomial) => {
                found.labels.len() == num_rows
                    && found.probabilities.len() == num_cols
                    && found.labels.iter().all(|label| *label < num_cols)
                    && are_probabilities(&found.probabilities)
            }
            (Self::Bernoulli(found), Factor::Bernoulli) => {
                is_matrix(&found.value, num_rows, num_cols)
                    && found.value.entries().iter().all(|bit| *bit == 0.0 || *bit == 1.0)
                    && found.probabilities.len() == num_cols
                    && are_probabilities(&found.probabilities)
            }
            (Self::Chain(steps), Factor::Chain) => {
                steps.len() == num_rows
                    && num_rows == num_cols
                    && steps.iter().all(|v| is_variance(*v))
            }
            _ => false,
        }
    }
}
