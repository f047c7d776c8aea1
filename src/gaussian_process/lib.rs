//! Gaussian processes whose kernels are sums and products of one-dimensional base kernels: Grosse, PhD thesis
//! (2014), chapter 5.
//!
//! A kernel is an [`Expression`] of [`Leaf`]s, plain data; its family is the expression without the parameters. A
//! [`Series`] has the inputs and values in the units in which parameters are fitted, and
//! [`marginal_likelihood`] has −ln p of its values with the gradient. [`moves`] has the kernels next to one, [`fitting`] the search
//! for a kernel's parameters, [`posterior`] what a fitted kernel says of the function and of its parts.

#![forbid(unsafe_code)]

pub mod base;
pub mod covariance;
pub mod expression;
pub mod factor;
pub mod fitting;
pub mod inputs;
pub mod marginal_likelihood;
pub mod moves;
pub mod params;
pub mod parse;
pub mod periodogram;
pub mod posterior;
pub mod series;
pub mod spec;

pub use base::{Base, Family, Leaf};
pub use expression::{Expression, Kernel, Shape};
pub use series::Series;

use unnorm_numerics::{Error, Result, linalg, math, optimize, rng, sorting};

#[cfg(test)]
mod tests;
