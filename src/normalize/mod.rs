//! Normalizing: estimates of log Z.

pub mod moment_averages;
