//! The matrices of a structure, in the order of the letters of its text.

use crate::matrix::Matrix;
use crate::tree::{Gaussian, Node, Part, Product, Scale, Sum};

/// A matrix as it stands in the text of a structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// Its letter: G, M, B or C.
    pub letter: char,
    /// Whether the text has its transpose: of M, B and C on the right.
    pub is_transposed: bool,
    /// The matrix, before it is transposed.
    pub value: Matrix,
}

impl Node {
    /// The matrices of all letters of the text, in order: with them the text's value is the matrix.
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut all = Vec::new();
        self.add_leaves(false, &mut all);
        all
    }

    fn add_leaves(&self, is_transposed: bool, all: &mut Vec<Leaf>) {
        match self {
            Self::Gaussian(gaussian) => gaussian.add_leaf(is_transposed, all),
            Self::Scale(Scale { log_scales, gaussian, .. }) => {
                log_scales.add_leaves(is_transposed, all);
                gaussian.add_leaf(is_transposed, all);
            }
            Self::Sum(Sum { terms, noise, .. }) => {
                for Product { left, right } in terms {
                    let (first, second) = if is_transposed { (right, left) } else { (left, right) };
                    first.add_leaves(false, all);
                    second.add_leaves(true, all);
                }
                noise.add_leaves(is_transposed, all);
            }
        }
    }
}

impl Gaussian {
    /// G stands for itself on both sides.
    fn add_leaf(&self, is_transposed: bool, all: &mut Vec<Leaf>) {
        let value = if is_transposed { self.value.transposed() } else { self.value.clone() };
        all.push(Leaf { letter: 'G', is_transposed: false, value });
    }
}

impl Part {
    fn add_leaves(&self, is_transposed: bool, all: &mut Vec<Leaf>) {
        let letter = match self {
            Self::Real(node) => return node.add_leaves(is_transposed, all),
            Self::Multinomial(_) => 'M',
            Self::Bernoulli(_) => 'B',
            Self::Chain(_) => 'C',
        };
        all.push(Leaf { letter, is_transposed, value: self.matrix().into_owned() });
    }
}
