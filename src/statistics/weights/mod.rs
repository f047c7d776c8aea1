//! Estimates from the log weights of annealing, and their reliability.
//!
//! M independent chains annealed from a reference to a target give weights w with
//! `E w = Z_target / Z_reference` (Neal, "Annealed Importance Sampling", 2001); chains
//! annealed backwards, from exact samples of the target, give weights whose mean is one
//! over that (Grosse, PhD thesis (2014), eqs. 7.1 and 7.2). Everything here is a pure
//! function of such log weights, in nats:
//!
//! - [`Estimate`]: log Z by the mean of the weights, with its standard error, two
//!   intervals and other diagnostics; also from reverse weights;
//! - [`bounds`]: bounds that hold for any number of distributions and chains;
//! - [`Bridge`]: forward and reverse weights combined, by far the best where there are both;
//! - [`resampling`]: for sequential Monte Carlo, and the error of one run of it;
//! - [`warnings`]: problems with these estimates, as sentences.
//!
//! "log Z" is the log of E w: of the ratio, or of Z_target itself if the reference's log Z has been
//! added to every forward log weight and subtracted from every reverse one.
//!
//! A weight of 0 is −∞ and counts like any other. If a log weight is NaN or +∞, every value is NaN,
//! and [`warnings`] says so. Undefined values are NaN too: errors and intervals of one weight, or
//! if all weights are 0.

pub mod bootstrap;
pub mod bounds;
mod bridge;
mod estimate;
mod histogram;
mod interval;
mod mean;
pub mod resampling;
mod warnings;

pub use bridge::Bridge;
pub use estimate::{Direction, Estimate};
pub use histogram::Histogram;
pub use interval::Interval;
pub use mean::log_mean;
pub use warnings::{AnnealingSummary, warnings};
