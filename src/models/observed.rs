//! The observed x of generative models: the same for all states, or one for each.

use crate::linalg::Block;

/// The observed x, for a block of states.
#[derive(Debug, Clone, Copy)]
pub(super) enum Observed<'a> {
    /// The same for each state, `[M]`.
    Same(&'a [f64]),
    /// One for each state, `[M, width]`.
    Each(Block<'a>),
}

impl Observed<'_> {
    /// `from − x` for states side by side, `[M, width]`.
    pub fn subtract(&self, from: &mut [f64]) {
        match self {
            Self::Each(x) => from.iter_mut().zip(x.data()).for_each(|(from, x)| *from -= x),
            Self::Same(x) => {
                let width = from.len() / x.len();
                for (from, x) in from.chunks_exact_mut(width).zip(*x) {
                    from.iter_mut().for_each(|from| *from -= x);
                }
            }
        }
    }
}
