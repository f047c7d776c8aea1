//! Normalizing: log Z by annealing from a distribution whose log Z is known.
//!
//! With f_β unnormalized, `β_0 = 0 < … < β_K = 1`, consider a chain that starts at an exact draw of
//! p_0 and moves at each β_k by a transition T_k that leaves p_k unchanged. It has the weight
//!
//! `log w = Σ_{k=1}^{K} log f_k(x_{k−1}) − log f_{k−1}(x_{k−1})`, `E[w] = Z_K / Z_0`
//!
//! (Neal 2001; each factor is taken before the transition at k). A chain that starts at an exact
//! draw of p_K and moves back, at each β_k by the reversal of T_k, has `E[e^{−log w}] = Z_0 / Z_K`
//! with log w of the same form. The two densities of log w have the ratio e^{log w} Z_0 / Z_K
//! (Crooks 1999).
//!
//! [`path`] defines f_β, [`annealing_plan`] the β and the moves, and a [`population`] is a set of
//! chains along the path.

pub mod annealing_plan;
mod continuous;
mod gaussian_chains;
pub mod gaussian_path;
pub mod geometric_path;
pub mod log_z;
pub mod moment_averages;
pub mod path;
pub mod population;
pub mod profile;
mod rows;
pub mod spline;
pub mod states;
pub mod step_sizes;
mod truncated_gaussian;

pub use log_z::report::{
    Bounds, Estimated, Interval, LikelihoodReport, LogZProgress, LogZResult, RunReport,
};
pub use log_z::spec::{
    LogZSpec, MAX_BETAS, PilotSpec, ReferenceSpec, ResamplingSpec, ReverseSpec, ReverseStartSpec,
    ScheduleSpec,
};
pub use spline::report::{SplineProgress, SplineResult};
pub use spline::spec::SplineSpec;
