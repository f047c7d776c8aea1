//! Diagnostics of Markov chains: have they mixed, and how much information do their draws contain?
//! All are pure functions of [`Draws`]: the values of one scalar quantity (a coordinate, an energy,
//! a spin of 0 or 1) in several chains.
//!
//! - [`rhat`]: do the chains have the same distribution? Vehtari, Gelman, Simpson,
//!   Carpenter and Bürkner, "Rank-normalization, folding, and localization: an
//!   improved R̂" (Bayesian Analysis 16, 2021), here **VGSCB**;
//! - [`ess_bulk`], [`ess_tail`], [`ess_mean`], [`ess_sd`], [`ess_quantile`]: the
//!   equivalent number of independent draws; [`integrated_autocorrelation_time`];
//! - [`mcse_mean`], [`mcse_sd`], [`mcse_quantile`]: standard errors from them;
//! - [`autocovariance`], by the fast Fourier transform;
//! - [`ebfmi`]: whether Hamiltonian Monte Carlo explores the energies;
//! - [`weight_ess`], which is for importance weights, not for chains.
//!
//! The definitions are those of ArviZ 0.23, and `tests/native/diagnostics.rs` compares with its
//! values. No outcome is an error; an undefined value is NaN, infinite, or as in this table:
//!
//! | draws | R̂ | ESS | MCSE |
//! |---|---|---|---|
//! | any is NaN, or fewer than 4 a chain | NaN | NaN | NaN |
//! | one chain | NaN (nothing to compare) | as of several | as of several |
//! | all equal | NaN (0/0) | all draws count | 0, of the sd NaN (0/0) |
//! | equal in each chain, not between | ∞ | finite, small | finite |
//! | some infinite | by ranks, as usual | bulk, tail and quantile by ranks; of mean and sd NaN | of mean and sd NaN; of a quantile NaN or ∞ where that is infinite |
//! | an odd number a chain | without the one in the middle | the same | the same |
//!
//! ArviZ differs in two points. Here, draws are equal if they differ by rounding at most, 10⁻¹⁵ of
//! the largest, while ArviZ uses a difference of 10⁻¹⁵ whatever the scale. And the variance of
//! equal draws is exactly 0 here, while ArviZ may divide by rounding errors: its R̂ of chains that
//! never moved is 10¹⁶.

mod autocovariance;
mod beta_quantile;
mod draws;
mod ebfmi;
mod ess;
mod fourier;
mod mcse;
mod moments;
mod normal_quantile;
mod quantile;
mod ranks;
mod rhat;
mod student_t_quantile;
mod summary;
mod weight_ess;

pub use autocovariance::{autocovariance, mean_autocovariance};
pub use beta_quantile::beta_quantile;
pub use draws::Draws;
pub use ebfmi::ebfmi;
pub use ess::{
    ess_bulk, ess_mean, ess_quantile, ess_sd, ess_tail, integrated_autocorrelation_time,
};
pub use mcse::{mcse_mean, mcse_quantile, mcse_sd};
pub use normal_quantile::normal_quantile;
pub use quantile::percentiles;
pub use rhat::{rhat, rhat_bulk, rhat_tail};
pub use student_t_quantile::student_t_quantile;
pub use summary::Summary;
pub use weight_ess::weight_ess;
