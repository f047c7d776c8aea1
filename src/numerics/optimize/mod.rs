//! Minimizing a smooth function: L-BFGS with our own line search, whose steps are the same everywhere.

pub mod lbfgs;
pub mod line_search;
