//! Tables of a machine's weights, each made when it is first needed after the parameters have been
//! set: learning from chains needs other ones than walks over single flips.

use super::flips::GROUP;
use super::product::cadence;
use super::tiles::Tiles;
use crate::math::exp;

/// What flips of single sites need, each `[D, width]` with the width padded.
#[derive(Debug, Clone)]
pub(super) struct FlipTables {
    /// The transposed weights Wᵀ, padded with zeros.
    pub columns: Vec<f64>,
    /// e^W, transposed in the same way: the factors for setting a bit. The next field is e^−W, for
    /// clearing one.
    pub set_factors: Vec<f64>,
    pub clear_factors: Vec<f64>,
    /// Number of groups of [`GROUP`] factors that may be multiplied between rescalings; 0 if the
    /// weights are too large for products.
    pub cadence: usize,
}

impl FlipTables {
    /// The tables of parameters that begin with W, `[H, D]`.
    pub fn new(num_visible: usize, num_hidden: usize, width: usize, params: &[f64]) -> Self {
        let mut columns = vec![0.0; num_visible * width];
        let [mut set_factors, mut clear_factors] = [(); 2].map(|()| vec![1.0; columns.len()]);
        let mut largest = 0.0_f64;
        let weights = params[..num_hidden * num_visible].chunks_exact(num_visible);
        for (hidden, line) in weights.enumerate() {
            for (site, weight) in line.iter().enumerate() {
                let at = site * width + hidden;
                let factor = exp(*weight);
                columns[at] = *weight;
                set_factors[at] = factor;
                clear_factors[at] = 1.0 / factor;
                largest = largest.max(weight.abs());
            }
        }
        // Products would lose a NaN when their powers of two are extracted.
        let is_finite = params.iter().all(|param| param.is_finite());
        let cadence = if is_finite { cadence(GROUP as f64 * largest) } else { 0 };
        Self { columns, set_factors, clear_factors, cadence }
    }
}

/// The weights in tiles, from either layer.
#[derive(Debug, Clone)]
pub(super) struct LayerTiles {
    /// Wᵀ, one line per visible unit; the next field is W, one line per hidden unit.
    pub by_visible: Tiles,
    pub by_hidden: Tiles,
}

impl LayerTiles {
    /// The tiles of W, `[H, D]`.
    pub fn new(num_visible: usize, num_hidden: usize, weights: &[f64]) -> Self {
        Self {
            by_visible: Tiles::of_columns(num_visible, num_hidden, weights),
            by_hidden: Tiles::new(num_hidden, num_visible, weights),
        }
    }
}
