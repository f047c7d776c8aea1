//! Takes states of a batch in chunks and side by side, so that sums over them are products of
//! matrices.

use crate::linalg::{Block, axpy, product, transpose};
use std::ops::Range;

/// Number of states per chunk. Sums over a batch are sums over chunks, added in order, so a batch
/// cut at multiples of this gives the bits of the whole.
pub(super) const CHUNK: usize = 128;

/// The chunks of `len` states.
pub(super) fn chunks(len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(CHUNK).map(move |start| start..len.min(start + CHUNK))
}

/// Temporary memory for one chunk of states of `dim` entries, given `len` states in total.
pub(super) fn room(dim: usize, len: usize) -> Vec<f64> {
    vec![0.0; dim * len.min(CHUNK)]
}

/// Converts states one after another to states side by side.
pub(super) fn side_by_side<'a>(dim: usize, rows: &[f64], room: &'a mut [f64]) -> Block<'a> {
    let room = &mut room[..rows.len()];
    transpose(dim, rows.len() / dim, rows, room);
    Block::new(dim, room)
}

/// `sum += left · rows`: left `[m, width]`, rows `[width, n]`, sum `[m, n]`; `room` is temporary
/// memory of the size of the sum.
pub(super) fn add_product(
    width: usize,
    left: &[f64],
    rows: &[f64],
    room: &mut [f64],
    sum: &mut [f64],
) {
    product(left.len() / width, width, left, rows, room);
    axpy(1.0, room, sum);
}
