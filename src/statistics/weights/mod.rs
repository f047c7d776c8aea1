//! What the log weights of annealing are worth.
//!
//! M independent chains annealed from a reference to a target give weights w with
//! `E w = Z_target / Z_reference` (Neal, "Annealed Importance Sampling", 2001); chains
//! annealed backwards, from exact samples of the target, give weights whose mean is one
//! over that (Grosse, PhD thesis (2014), eqs. 7.1 and 7.2). Everything here is a pure
//! function of such log weights, in nats:
//!
//! - [`Estimate`]: log Z by the mean of the weights, with its standard error, two
//!   intervals and what else tells how far to trust it; also from reverse weights;
//! - [`bounds`]: what holds for any number of distributions and chains;
//! - [`Bridge`]: forward and reverse weights combined, by far the best where there are both;
//! - [`resampling`]: for sequential Monte Carlo, and the error of one run of it;
//! - [`warnings`]: what is wrong with all that, in words.
//!
//! "log Z" is the log of whatever E w is: of the ratio, or of Z_target itself if the
//! reference's log Z has been added to every forward log weight and taken from every
//! reverse one.
//!
//! A weight of 0 is −∞ and counts as any other. A log weight that is NaN or +∞ leaves
//! nothing to say: every figure is NaN, and [`warnings`] says so. So is what is not defined:
//! errors and intervals of one weight, or where all weights are 0.

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
