//! Minimization of smooth functions: L-BFGS with this library's line search, which takes the same
//! steps on every machine.

pub mod lbfgs;
pub mod line_search;
