//! Expectation maximization with samples, for generative models (Dempster, Laird and
//! Rubin 1977; the E step by Markov chains as in Celeux and Diebolt 1985, Wei and Tanner
//! 1990, Sohl-Dickstein 2012, section 5.4). By turns,
//!
//! - **E**: chains at each row x of the data go on for some steps under `−ln p(x, a; θ)`,
//!   whose distribution is the posterior p(a|x; θ);
//! - **M**: with the samples aₓ held fast, L-BFGS lowers the mean joint energy
//!
//!   `Q(θ) = −1/(N C) Σ_x Σ_c ln p(x, a_{x,c}; θ)`, C chains a row.
//!
//! The gradient of Q where the samples are from the posterior is that of the negative
//! log likelihood in the mean (Fisher's identity), so where the one vanishes in the mean
//! so does the other. Q itself is no bound on the likelihood: with samples from the
//! posterior its mean is `−ln p(x)` *plus the posterior's entropy*, so it may rise while
//! the likelihood does. It is reported for want of another; the likelihood itself is what
//! `logZ` estimates.
//!
//! With one chain a row the parameters end in fluctuations about a maximum, whose size
//! falls with the number of rows as that of an estimate does.

use crate::energy::Generative;
use crate::linalg::Batch;

/// `part += Σ_c [−ln p(x_c, a_c) | its gradient in θ]` over chains and the rows they are
/// at, one after another.
///
/// # Panics
/// If the shapes do not match.
pub fn accumulate(
    model: &dyn Generative,
    observed: Batch<'_>,
    states: Batch<'_>,
    part: &mut [f64],
) {
    assert_eq!(observed.len(), states.len());
    model.accumulate_joint(observed, states, &vec![1.0; states.len()], part);
}
