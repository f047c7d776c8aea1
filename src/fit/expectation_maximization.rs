//! Expectation maximization with samples, for generative models (Dempster, Laird and
//! Rubin 1977; the E step by Markov chains as in Celeux and Diebolt 1985, Wei and Tanner
//! 1990, Sohl-Dickstein 2012, section 5.4). Two steps alternate:
//!
//! - **E**: chains at each row x of the data continue for some steps under `−ln p(x, a; θ)`,
//!   whose distribution is the posterior p(a|x; θ);
//! - **M**: with the samples aₓ fixed, L-BFGS lowers the mean joint energy
//!
//!   `Q(θ) = −1/(N C) Σ_x Σ_c ln p(x, a_{x,c}; θ)`, C chains per row.
//!
//! Where the samples are from the posterior, the expected gradient of Q is that of the negative log
//! likelihood (Fisher's identity), so both vanish together. Q itself is no bound on the likelihood:
//! with samples from the posterior its mean is `−ln p(x)` *plus the posterior's entropy*, so it may
//! rise while the likelihood does. It is reported because nothing better is available during the
//! fit; `logZ` estimates the likelihood itself.
//!
//! With one chain per row the parameters end up fluctuating about a maximum. Like the error of an
//! estimate, the fluctuations shrink as the number of rows grows.

use crate::energy::Generative;
use crate::linalg::Batch;

/// `part += Σ_c [−ln p(x_c, a_c) | its gradient in θ]` over chains and the rows they are at, in
/// order.
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
