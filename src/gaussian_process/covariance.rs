//! The covariance of all pairs of rows, and the way back from the derivatives by its entries to those by the
//! parameters of the leaves.

use crate::base::{Leaf, Units};
use crate::expression::{Expression, Kernel};
use crate::inputs::Inputs;
use crate::linalg::dot;
use crate::math::exp;

/// A kernel of all pairs i ≤ j, row after row, with what its derivatives need.
#[derive(Debug, Clone)]
pub struct Covariance {
    /// The kernel.
    pub pairs: Vec<f64>,
    parts: Parts,
}

#[derive(Debug, Clone)]
enum Parts {
    Sum(Vec<Covariance>),
    Product(Vec<Covariance>),
    /// The kernel of scale 1 and its slopes at all distinct distances.
    Stationary {
        leaf: Leaf,
        units: Units,
    },
    Linear(Leaf),
}

impl Covariance {
    /// The covariance of the rows.
    pub fn new(kernel: &Kernel, inputs: &Inputs) -> Self {
        match kernel {
            Expression::Base(leaf) => Self::of_leaf(leaf, inputs),
            Expression::Sum(terms) => {
                let parts: Vec<Self> = terms.iter().map(|term| Self::new(term, inputs)).collect();
                let mut pairs = parts[0].pairs.clone();
                for part in &parts[1..] {
                    pairs.iter_mut().zip(&part.pairs).for_each(|(sum, term)| *sum += term);
                }
                Self { pairs, parts: Parts::Sum(parts) }
            }
            Expression::Product(factors) => {
                let parts: Vec<Self> = factors.iter().map(|part| Self::new(part, inputs)).collect();
                let mut pairs = parts[0].pairs.clone();
                for part in &parts[1..] {
                    multiply(&mut pairs, &part.pairs);
                }
                Self { pairs, parts: Parts::Product(parts) }
            }
        }
    }

    fn of_leaf(leaf: &Leaf, inputs: &Inputs) -> Self {
        let scale = exp(leaf.ln_scale);
        if !leaf.is_stationary() {
            let column = inputs.column(leaf.base.input);
            let mut pairs = Vec::with_capacity(column.len() * (column.len() + 1) / 2);
            let unit = leaf.lin();
            for (i, x) in column.iter().enumerate() {
                pairs.extend(column[i..].iter().map(|y| scale * unit(*x, *y).value));
            }
            return Self { pairs, parts: Parts::Linear(*leaf) };
        }
        let distances = inputs.distances(leaf.base);
        let units = leaf.at_distances(distances.distinct());
        let pairs = distances.spread(&units.values, scale);
        Self { pairs, parts: Parts::Stationary { leaf: *leaf, units } }
    }

    /// For each leaf from left to right Σ wᵢⱼ ∂kᵢⱼ over the pairs, ∂ by its ln v and its shape.
    pub fn slopes(&self, inputs: &Inputs, weights: &[f64], all: &mut Vec<[f64; 3]>) {
        match &self.parts {
            Parts::Sum(parts) => parts.iter().for_each(|part| part.slopes(inputs, weights, all)),
            Parts::Product(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    let mut weights = weights.to_vec();
                    for (other, factor) in parts.iter().enumerate() {
                        if other != at {
                            multiply(&mut weights, &factor.pairs);
                        }
                    }
                    part.slopes(inputs, &weights, all);
                }
            }
            Parts::Stationary { leaf, units } => {
                let scale = exp(leaf.ln_scale);
                let gathered = inputs.distances(leaf.base).gather(weights);
                let weights = gathered.as_deref().unwrap_or(weights);
                let [first, second] = &units.slopes;
                all.push([&units.values, first, second].map(|unit| scale * dot(weights, unit)));
            }
            Parts::Linear(leaf) => {
                let column = inputs.column(leaf.base.input);
                let scale = exp(leaf.ln_scale);
                let unit = leaf.lin();
                let mut slopes = [0.0; 3];
                let mut weights = weights.iter();
                for (i, x) in column.iter().enumerate() {
                    for (y, weight) in column[i..].iter().zip(&mut weights) {
                        let unit = unit(*x, *y);
                        slopes[0] += weight * unit.value;
                        slopes[1] += weight * unit.slopes[0];
                        slopes[2] += weight * unit.slopes[1];
                    }
                }
                all.push(slopes.map(|slope| scale * slope));
            }
        }
    }

    /// The matrix with a variance added on its diagonal, row-major, with zeros below it.
    pub fn upper(&self, size: usize, noise: f64) -> Vec<f64> {
        let mut matrix = vec![0.0; size * size];
        let mut from = 0;
        for i in 0..size {
            let row = &mut matrix[i * size + i..(i + 1) * size];
            row.copy_from_slice(&self.pairs[from..from + size - i]);
            row[0] += noise;
            from += size - i;
        }
        matrix
    }
}

fn multiply(a: &mut [f64], b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a *= b);
}

/// A kernel of two rows of inputs.
pub fn value(kernel: &Kernel, x: &[f64], y: &[f64]) -> f64 {
    match kernel {
        Expression::Base(leaf) => leaf.value(x, y),
        Expression::Sum(terms) => terms.iter().map(|term| value(term, x, y)).sum(),
        Expression::Product(factors) => factors.iter().map(|factor| value(factor, x, y)).product(),
    }
}
