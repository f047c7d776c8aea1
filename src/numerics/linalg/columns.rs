//! Sums down the columns of blocks `[lines, width]`. A column's terms are added in the order of its
//! lines, with the bits of a single column; several columns are summed together, with their sums in
//! registers.

/// Number of columns summed together.
pub const COLS: usize = 8;

/// Columns that are summed together, given by the first of them.
pub enum Tile {
    /// [`COLS`] columns.
    Wide(usize),
    /// A single column.
    Single(usize),
}

/// Tiles that cover all columns of a block.
#[inline]
pub fn tiles(width: usize) -> impl Iterator<Item = Tile> {
    let rest = width - width % COLS;
    (0..rest).step_by(COLS).map(Tile::Wide).chain((rest..width).map(Tile::Single))
}

/// `sums[c] += Σ_l term(l, x[l, c])`; the width is the number of sums.
///
/// # Panics
/// If x does not have complete lines.
#[inline]
pub fn add_columns(x: &[f64], sums: &mut [f64], term: impl Fn(usize, f64) -> f64) {
    let width = sums.len();
    assert!(x.len().is_multiple_of(width));
    for tile in tiles(width) {
        match tile {
            Tile::Wide(col) => add::<COLS>(col, x, sums, &term),
            Tile::Single(col) => add::<1>(col, x, sums, &term),
        }
    }
}

#[inline(always)]
fn add<const COLS: usize>(
    col: usize,
    x: &[f64],
    sums: &mut [f64],
    term: &impl Fn(usize, f64) -> f64,
) {
    let width = sums.len();
    let sums: &mut [f64; COLS] = sums[col..].first_chunk_mut().expect("a whole tile");
    let mut own = *sums;
    for (at, line) in x.chunks_exact(width).enumerate() {
        let line: &[f64; COLS] = line[col..].first_chunk().expect("a whole tile");
        own.iter_mut().zip(line).for_each(|(sum, x)| *sum += term(at, *x));
    }
    *sums = own;
}

/// `f(l, x)` gives two values: the first is written to y, and [`add_columns`] sums the second.
///
/// # Panics
/// If x and y differ in length, or do not have complete lines.
#[inline]
pub fn map_columns(
    x: &[f64],
    y: &mut [f64],
    sums: &mut [f64],
    f: impl Fn(usize, f64) -> (f64, f64),
) {
    let width = sums.len();
    assert!(x.len() == y.len() && x.len().is_multiple_of(width));
    for tile in tiles(width) {
        match tile {
            Tile::Wide(col) => map::<COLS>(col, x, y, sums, &f),
            Tile::Single(col) => map::<1>(col, x, y, sums, &f),
        }
    }
}

#[inline(always)]
fn map<const COLS: usize>(
    col: usize,
    x: &[f64],
    y: &mut [f64],
    sums: &mut [f64],
    f: &impl Fn(usize, f64) -> (f64, f64),
) {
    let width = sums.len();
    let sums: &mut [f64; COLS] = sums[col..].first_chunk_mut().expect("a whole tile");
    let mut own = *sums;
    let lines = x.chunks_exact(width).zip(y.chunks_exact_mut(width));
    for (at, (x, y)) in lines.enumerate() {
        let x: &[f64; COLS] = x[col..].first_chunk().expect("a whole tile");
        let y: &mut [f64; COLS] = y[col..].first_chunk_mut().expect("a whole tile");
        for ((sum, x), y) in own.iter_mut().zip(x).zip(y) {
            let (value, term) = f(at, *x);
            *y = value;
            *sum += term;
        }
    }
    *sums = own;
}

/// [`map_columns`] in place.
///
/// # Panics
/// If x does not have complete lines.
#[inline]
pub fn update_columns(x: &mut [f64], sums: &mut [f64], f: impl Fn(usize, f64) -> (f64, f64)) {
    let width = sums.len();
    assert!(x.len().is_multiple_of(width));
    for tile in tiles(width) {
        match tile {
            Tile::Wide(col) => update::<COLS>(col, x, sums, &f),
            Tile::Single(col) => update::<1>(col, x, sums, &f),
        }
    }
}

#[inline(always)]
fn update<const COLS: usize>(
    col: usize,
    x: &mut [f64],
    sums: &mut [f64],
    f: &impl Fn(usize, f64) -> (f64, f64),
) {
    let width = sums.len();
    let sums: &mut [f64; COLS] = sums[col..].first_chunk_mut().expect("a whole tile");
    let mut own = *sums;
    for (at, line) in x.chunks_exact_mut(width).enumerate() {
        let line: &mut [f64; COLS] = line[col..].first_chunk_mut().expect("a whole tile");
        for (sum, x) in own.iter_mut().zip(line) {
            let (value, term) = f(at, *x);
            *x = value;
            *sum += term;
        }
    }
    *sums = own;
}

#[cfg(test)]
mod tests {
    use super::{add_columns, map_columns, update_columns};

    #[test]
    fn sums_have_the_bits_of_one_column_alone() {
        for width in [1, 2, 7, 8, 9, 16, 27] {
            let x: Vec<f64> =
                (0..5 * width).map(|at| ((at * 7) % 17) as f64 / 16.3 - 0.5).collect();
            let term = |line: usize, x: f64| (line as f64 + 0.1) * x;
            let expected: Vec<f64> = (0..width)
                .map(|col| (0..5).fold(0.3, |sum, at| sum + term(at, x[at * width + col])))
                .collect();
            let mut sums = vec![0.3; width];
            add_columns(&x, &mut sums, term);
            assert_eq!(sums, expected, "{width}");
            let (mut sums, mut y) = (vec![0.3; width], vec![f64::NAN; x.len()]);
            map_columns(&x, &mut y, &mut sums, |at, x| (x + 1.0, term(at, x)));
            assert_eq!(sums, expected, "{width}");
            assert!(y.iter().zip(&x).all(|(y, x)| *y == x + 1.0));
            let (mut sums, mut z) = (vec![0.3; width], x);
            update_columns(&mut z, &mut sums, |at, x| (x + 1.0, term(at, x)));
            assert_eq!((sums, z), (expected, y));
        }
    }
}
