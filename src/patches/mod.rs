//! Patches of pictures as states of models on ℝᴹ (Sohl-Dickstein 2012, 5.4): square patches at
//! random positions are transformed to logarithms, centred, projected onto the top M principal
//! components, and whitened.
//!
//! ```text
//! p = ln(grey + offset)                     the patch, size² numbers, row by row
//! x_m = c_m·(p − μ) / s_m                   its state, m = 1…M
//! ```
//!
//! μ is the mean of the training patches, pixel by pixel; c_m are the eigenvectors of their
//! covariance Σ (p − μ)(p − μ)ᵀ / n in the order of their eigenvalues s_m², largest first. So the
//! states of the training patches have mean 0 and covariance 1: the text's "unit norm" is taken as
//! unit variance of each dimension, with the divisor n rather than n − 1.
//!
//! "Then mean subtracted" is read as subtracting μ: the average brightness of a patch is then a
//! direction like any other, nearly always the first component, and with M = size² nothing is lost.
//! `removePatchMeans` is the other reading: each patch's own mean is subtracted first, and M is at
//! most size² − 1.
//!
//! A picture's values may be display levels, which are nearly a power of the light: its logarithm
//! is multiplied by a constant, which whitening removes. The offset keeps the logarithm of black
//! finite. It is in the units of the pictures, 1 if absent: one of 255 levels. Dark detail well
//! below the offset is suppressed.

mod components;
pub mod job;
mod moments;
mod picture;
mod positions;
mod source;
mod transform;

pub use job::report::{PatchesProgress, PatchesResult};
pub use job::spec::PatchesSpec;

pub use components::principal_components;
pub use moments::{covariance_of_rows, packed_len};
pub use picture::PictureSpec;
pub use positions::Positions;
pub use source::{PatchSource, Sampling};
pub use transform::PatchTransform;

/// Largest side of a patch in pixels: its covariance has 1,024² entries.
pub const MAX_PATCH_SIZE: usize = 32;
