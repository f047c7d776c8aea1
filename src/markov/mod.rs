//! Finite Markov chains, exactly; the verb `chain`.
//!
//! A chain has n states and a transition matrix T, `T_ij = p(next is j | now is i)`, row-major. From
//! it follow, without random numbers:
//!
//! - the closed classes of states and their periods ([`classes`]);
//! - the stationary distribution, `πT = π` ([`stationary`]);
//! - how far it is from detailed balance, `π_i T_ij = π_j T_ji`;
//! - the spectral gap, `1 − λ₂` ([`spectrum`], [`tridiagonal`]);
//! - the conductance, the least flow out of a set relative to its probability ([`conductance`]);
//! - the distance from stationarity after t steps and the mixing time ([`job`]).
//!
//! T is given, or is that of a named transition of the library on a small binary model ([`rows`]), or
//! of the Metropolis–Hastings rule. A chain that moves by one state at a time needs no matrix
//! ([`birth_death`]).
//!
//! Definitions are those of Levin, Peres and Wilmer (2017), _Markov Chains and Mixing Times_, and of
//! Risteski's lecture (2021) with its conductance completed by `π_i`.

mod analysis;
pub mod birth_death;
pub mod classes;
mod clusters;
pub mod conductance;
pub mod input;
pub mod job;
pub mod report;
pub mod rows;
pub mod spec;
pub mod spectrum;
pub mod stationary;
pub mod tridiagonal;
mod warnings;
mod worker;

pub use report::{ChainProgress, ChainResult, Conductance};
pub use spec::ChainSpec;
