//! Matrix decompositions put together by a grammar: Grosse, PhD thesis (2014), chapters 3 and 4.
//!
//! A structure is an [`Expression`]: sums and products of random matrices, as plain data. [`moves`] has the
//! productions that lead from one to the next. A [`Node`] is an expression with a matrix in each place, and
//! [`initialize`] makes it, production by production, from the matrix that it stands for. [`gibbs`] draws it anew,
//! [`predict`] has the density of a row or column that it has not seen.

#![forbid(unsafe_code)]

pub mod expression;
pub mod gibbs;
pub mod initialize;
pub mod leaves;
pub mod matrix;
pub mod moves;
pub mod parse;
pub mod predict;
mod shape;
pub mod tree;
mod triangular;

pub use expression::{Expression, Factor, Term};
pub use matrix::Matrix;
pub use moves::{Move, Rule};
pub use tree::Node;

use unnorm_numerics::{Error, Result, linalg, math, rng, sorting};

#[cfg(test)]
mod tests;
