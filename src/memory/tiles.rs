//! Weights in the layout that [`super::bit_product`] takes: the columns of J for a tile of units
//! side by side, from the packed triangle.

use super::bit_product::{Line, Real, TILE};
use super::network::row_start;
use std::ops::Range;

/// Number of tiles of `dim` units.
pub fn num_tiles(dim: usize) -> usize {
    dim.div_ceil(TILE)
}

/// The units of a tile; fewer than [`TILE`] in the last.
pub fn units(dim: usize, tile: usize) -> Range<usize> {
    tile * TILE..dim.min((tile + 1) * TILE)
}

/// Sets `lines[j]` to J_ji for the tile's units i, with 0 on the diagonal and past the last unit.
///
/// # Panics
/// If the triangle is not that of `dim` units.
pub fn columns<T: Real>(dim: usize, weights: &[T], tile: usize, lines: &mut Vec<Line<T>>) {
    let units = units(dim, tile);
    lines.clear();
    lines.resize(dim, Line::zero());
    for (j, line) in lines[..units.start].iter_mut().enumerate() {
        let start = row_start(dim, j) + units.start - j - 1;
        line.0[..units.len()].copy_from_slice(&weights[start..start + units.len()]);
    }
    for (lane, i) in units.clone().enumerate() {
        let row = &weights[row_start(dim, i)..][..dim - i - 1];
        for (weight, j) in row.iter().zip(i + 1..) {
            lines[j].0[lane] = *weight;
            if j < units.end {
                lines[i].0[j - units.start] = *weight;
            }
        }
    }
}

/// The bits of a tile's units in a row, with the first unit's bit lowest.
pub fn bits(row: &[u64], tile: usize) -> u64 {
    let start = tile * TILE;
    row[start / 64] >> (start % 64) & ((1 << TILE) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::bit;
    use crate::memory::network::num_pairs;

    #[test]
    fn columns_of_the_triangle() {
        for dim in [1, 2, 16, 17, 50] {
            let weights: Vec<f64> = (0..num_pairs(dim)).map(|at| at as f64 + 1.0).collect();
            let network = crate::memory::Network::new(vec![0.0; dim], weights.clone());
            let mut lines = vec![Line([9.0; TILE]); 3];
            for tile in 0..num_tiles(dim) {
                columns(dim, &weights, tile, &mut lines);
                assert_eq!(lines.len(), dim);
                for (j, line) in lines.iter().enumerate() {
                    for (lane, value) in line.0.iter().enumerate() {
                        let i = tile * TILE + lane;
                        let expected = if i < dim { network.weight(i, j) } else { 0.0 };
                        assert_eq!(*value, expected, "{dim}: {i} {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn bits_of_a_tile() {
        let row = [0x8421_0000_beef_cafe, 0x1234_5678_9abc_def0];
        for tile in 0..8 {
            for lane in 0..TILE {
                assert_eq!(bits(&row, tile) >> lane & 1 == 1, bit(&row, tile * TILE + lane));
            }
        }
        assert_eq!(bits(&row, 5), 0x9abc);
    }
}
