//! Binary data as columns of bits, with 64 rows of equal weight per word, so that the rows with a
//! pattern are counted 64 at a time.

use super::{WeightedRows, bit, set_bits};
use crate::sorting::ascending_order;

/// Minimum number of rows of a weight that are stored as columns.
const MIN_ROWS: usize = 32;

/// Maximum number of columns of a marginal by counting: beyond it there are more patterns than rows
/// in a word.
const MAX_COLUMNS: usize = 8;

/// Number of columns whose subsets are counted at once.
const INNER: usize = 3;

/// Binary data as columns of bits, by weight.
pub struct BitColumns<'a> {
    data: &'a WeightedRows,
    groups: Vec<Group>,
    /// Rows whose weights are rare.
    rest: Vec<usize>,
}

/// Rows of the same weight.
struct Group {
    weight: f64,
    num_rows: usize,
    /// `[dim, blocks]`: for each column, one bit per row; zeros after the last row.
    words: Vec<u64>,
}

impl Group {
    fn num_blocks(&self) -> usize {
        self.num_rows.div_ceil(64)
    }

    fn column(&self, site: usize) -> &[u64] {
        &self.words[site * self.num_blocks()..][..self.num_blocks()]
    }

    /// A mask of the rows that the last block has.
    fn last_rows(&self) -> u64 {
        u64::MAX >> (64 * self.num_blocks() - self.num_rows)
    }
}

impl<'a> BitColumns<'a> {
    /// The columns of these rows.
    #[inline]
    pub fn new(data: &'a WeightedRows) -> Self {
        let weights = data.weights();
        let order = ascending_order(weights);
        let (mut groups, mut rest) = (Vec::new(), Vec::new());
        for same in order.chunk_by(|&a, &b| weights[a] == weights[b]) {
            if same.len() < MIN_ROWS {
                rest.extend_from_slice(same);
            } else {
                groups.push(group(data, same));
            }
        }
        Self { data, groups, rest }
    }

    fn rest(&self) -> impl Iterator<Item = (&[u64], f64)> {
        let (rows, weights) = (self.data.rows(), self.data.weights());
        self.rest.iter().map(move |&at| (rows.row(at), weights[at]))
    }

    /// Sums the weights by the values of a few columns: entry p is the weight of the rows whose bit
    /// `columns[k]` is bit k of p.
    ///
    /// # Panics
    /// If there are more than 20 columns.
    pub fn marginal(&self, columns: &[usize]) -> Vec<f64> {
        assert!(columns.len() <= 20);
        let mut table = vec![0.0; 1 << columns.len()];
        let pattern = |row: &[u64]| {
            let bits = columns.iter().enumerate();
            bits.fold(0, |pattern, (k, &site)| pattern | usize::from(bit(row, site)) << k)
        };
        if columns.len() > MAX_COLUMNS {
            let rows = self.data.rows();
            for (row, weight) in rows.rows().zip(self.data.weights()) {
                table[pattern(row)] += weight;
            }
            return table;
        }
        for group in &self.groups {
            for (sum, count) in table.iter_mut().zip(group.count(columns)) {
                *sum += group.weight * f64::from(count);
            }
        }
        for (row, weight) in self.rest() {
            table[pattern(row)] += weight;
        }
        table
    }

    /// Σ_rows weight x_i, `[dim]`.
    #[inline]
    pub fn sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.data.dim()];
        for group in &self.groups {
            for (site, sum) in sums.iter_mut().enumerate() {
                let count = group.column(site).iter().map(|word| word.count_ones()).sum::<u32>();
                *sum += group.weight * f64::from(count);
            }
        }
        for (row, weight) in self.rest() {
            set_bits(row).for_each(|site| sums[site] += weight);
        }
        sums
    }

    /// Σ_rows weight x_i x_j, `[dim, dim]`, the diagonal Σ_rows weight x_i.
    pub fn pair_sums(&self) -> Vec<f64> {
        let dim = self.data.dim();
        let mut sums = vec![0.0; dim * dim];
        for group in &self.groups {
            for i in 0..dim {
                for (j, sum) in sums[i * dim..][..=i].iter_mut().enumerate() {
                    let both = group.column(i).iter().zip(group.column(j));
                    let count = both.map(|(own, other)| (own & other).count_ones()).sum::<u32>();
                    *sum += group.weight * f64::from(count);
                }
            }
        }
        for (row, weight) in self.rest() {
            for i in set_bits(row) {
                set_bits(row).take_while(|j| *j <= i).for_each(|j| sums[i * dim + j] += weight);
            }
        }
        for i in 0..dim {
            for j in 0..i {
                sums[j * dim + i] = sums[i * dim + j];
            }
        }
        sums
    }
}

impl Group {
    /// Counts the rows with each pattern of the columns.
    ///
    /// First it counts, for each subset of the columns, the rows in which all of the subset are set.
    /// In each block the subsets of [`INNER`] columns are counted at once, those of the other
    /// columns one after another. The patterns then follow by inclusion and exclusion.
    fn count(&self, columns: &[usize]) -> Vec<u32> {
        let (inner, outer) = columns.split_at(columns.len().min(INNER));
        // If there are fewer columns, column 0 fills the rest, and its subsets are left out.
        let mut inner_columns = [self.column(0); INNER];
        inner_columns.iter_mut().zip(inner).for_each(|(to, &site)| *to = self.column(site));
        let mut counts = Vec::with_capacity(1 << columns.len());
        let mut rows = vec![0; self.num_blocks()];
        for set in 0..1 << outer.len() {
            // The rows in which the subset of the other columns is set.
            rows.fill(u64::MAX);
            rows[self.num_blocks() - 1] = self.last_rows();
            for (_, &site) in outer.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1) {
                rows.iter_mut().zip(self.column(site)).for_each(|(rows, column)| *rows &= column);
            }
            counts.extend_from_slice(&count_inner(&rows, inner_columns)[..1 << inner.len()]);
        }
        for k in 0..columns.len() {
            for set in (0..counts.len()).filter(|set| set >> k & 1 == 0) {
                counts[set] -= counts[set | 1 << k];
            }
        }
        counts
    }
}

/// Counts the rows in which each subset of three columns is set.
fn count_inner(rows: &[u64], [a, b, c]: [&[u64]; INNER]) -> [u32; 1 << INNER] {
    let mut counts = [0; 1 << INNER];
    for (((&rows, a), b), c) in rows.iter().zip(a).zip(b).zip(c) {
        let (with_a, with_b, with_c) = (rows & a, rows & b, rows & c);
        let both = with_a & b;
        let sets = [rows, with_a, with_b, both, with_c, with_a & c, with_b & c, both & c];
        counts.iter_mut().zip(sets).for_each(|(count, set)| *count += set.count_ones());
    }
    counts
}

fn group(data: &WeightedRows, members: &[usize]) -> Group {
    let (dim, num_blocks) = (data.dim(), members.len().div_ceil(64));
    let mut words = vec![0; dim * num_blocks];
    let mut square = [0; 64];
    for (block, members) in members.chunks(64).enumerate() {
        for (index, sites) in (0..dim).step_by(64).enumerate() {
            square.fill(0);
            for (word, &row) in square.iter_mut().zip(members) {
                *word = data.rows().row(row)[index];
            }
            transpose(&mut square);
            for (site, word) in (sites..dim).zip(&square) {
                words[site * num_blocks + block] = *word;
            }
        }
    }
    Group { weight: data.weights()[members[0]], num_rows: members.len(), words }
}

/// Exchanges bit j of word i with bit i of word j, by swapping squares of 32, 16, … bits (Warren,
/// Hacker's Delight, 7-3).
fn transpose(square: &mut [u64; 64]) {
    let mut size = 32;
    let mut low = u64::MAX >> 32;
    while size > 0 {
        for pair in square.chunks_exact_mut(2 * size) {
            let (upper, lower) = pair.split_at_mut(size);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                let differ = (*upper >> size ^ *lower) & low;
                *upper ^= differ << size;
                *lower ^= differ;
            }
        }
        size /= 2;
        low ^= low << size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitMatrix;

    /// Rows of 67 bits whose weights are few and frequent, or rare.
    fn example() -> WeightedRows {
        let mut rows = BitMatrix::zeros(67, 300);
        for (at, row) in rows.rows_mut().enumerate() {
            let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            row.copy_from_slice(&[mixed ^ mixed >> 29, mixed >> 61]);
        }
        let weight =
            |at: usize| if at.is_multiple_of(11) { at as f64 } else { [1.0, 2.0, 0.5][at % 3] };
        WeightedRows::weighted(rows, (0..300).map(weight).collect())
    }

    #[test]
    fn squares_are_transposed() {
        let mut square: [u64; 64] =
            std::array::from_fn(|at| (at as u64 + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let before = square;
        transpose(&mut square);
        for (i, row) in before.iter().enumerate() {
            for (j, column) in square.iter().enumerate() {
                assert_eq!(row >> j & 1, column >> i & 1, "{i} {j}");
            }
        }
    }

    #[test]
    fn sums_by_their_definition() {
        let data = example();
        let (columns, dim) = (BitColumns::new(&data), data.dim());
        assert!(columns.groups.len() == 3 && columns.rest.len() > 20);
        let (sums, pairs) = (columns.sums(), columns.pair_sums());
        let weigh = |shows: &dyn Fn(&[u64]) -> bool| -> f64 {
            let rows = data.rows();
            let both = rows.rows().zip(data.weights());
            both.filter(|(row, _)| shows(row)).map(|(_, weight)| weight).sum()
        };
        for i in 0..dim {
            assert_eq!(sums[i], weigh(&|row| bit(row, i)), "{i}");
            for j in 0..dim {
                let expected = weigh(&|row| bit(row, i) && bit(row, j));
                assert_eq!(pairs[i * dim + j], expected, "{i} {j}");
            }
        }
        for sites in [
            &[][..],
            &[66],
            &[65, 2],
            &[0, 30, 66],
            &[3, 64, 5, 1, 66],
            &[8, 7, 6, 5, 4, 3, 2, 1],
            &[9, 8, 7, 6, 5, 4, 3, 2, 1],
        ] {
            for (pattern, sum) in columns.marginal(sites).into_iter().enumerate() {
                let expected = weigh(&|row| {
                    sites
                        .iter()
                        .enumerate()
                        .all(|(k, &site)| bit(row, site) == (pattern >> k & 1 == 1))
                });
                assert_eq!(sum, expected, "{sites:?} {pattern}");
            }
        }
    }
}
