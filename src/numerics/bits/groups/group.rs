//! Determines which columns form a group.

use crate::bits::BitBatch;
use std::ops::Range;

/// The neighbouring columns of a group, and the patterns of the rows there.
pub(super) struct Group {
    pub columns: Range<usize>,
    /// For each row, the number of its pattern among those that occur, ordered by the first column
    /// first.
    pub ids: Vec<u32>,
    /// A row with each pattern.
    pub examples: Vec<usize>,
}

/// Approximate number of patterns searched at once, as a power of two: their table stays in the
/// first-level cache.
const PATTERN_BITS: u32 = 14;

impl Group {
    /// The longest group from column `start` on with at most `max_patterns` patterns.
    pub fn longest(rows: BitBatch<'_>, start: usize, max_patterns: usize) -> Self {
        let mut ids = vec![0; rows.len()];
        let (mut end, mut num_patterns) = (start, 1);
        loop {
            // Look ahead by as many further columns as the table can hold.
            let known_bits = usize::BITS - usize::leading_zeros(num_patterns);
            let ahead = PATTERN_BITS.saturating_sub(known_bits).max(1) as usize;
            let ahead = ahead.min(rows.dim() - end);
            let mut occurs = vec![false; num_patterns << ahead];
            for (&id, row) in ids.iter().zip(rows.rows()) {
                occurs[(id as usize) << ahead | window(row, end, ahead)] = true;
            }
            let mut width = ahead;
            while occurs.iter().filter(|occurs| **occurs).count() > max_patterns {
                width -= 1;
                occurs = without_last_column(&occurs, width);
            }
            let numbers;
            (numbers, num_patterns) = in_order(&occurs, width);
            for (id, row) in ids.iter_mut().zip(rows.rows()) {
                *id = numbers[(*id as usize) << width | window(row, end, width)];
            }
            end += width;
            if width < ahead || end == rows.dim() {
                break;
            }
        }
        let mut examples = vec![0; num_patterns];
        for (row, &id) in ids.iter().enumerate() {
            examples[id as usize] = row;
        }
        Self { columns: start..end, ids, examples }
    }
}

/// Bits `at..at + width` of a row, the first one lowest.
fn window(row: &[u64], at: usize, width: usize) -> usize {
    let (word, shift) = (at / 64, at % 64);
    let mut bits = row[word.min(row.len() - 1)] >> shift;
    if shift + width > 64 {
        bits |= row[word + 1] << (64 - shift);
    }
    bits as usize & ((1 << width) - 1)
}

/// The patterns in a window without its last column, which leaves `width` columns.
fn without_last_column(occurs: &[bool], width: usize) -> Vec<bool> {
    let of_pattern = occurs.chunks_exact(2 << width).map(|both| both.split_at(1 << width));
    of_pattern.flat_map(|(clear, set)| clear.iter().zip(set).map(|(a, b)| a | b)).collect()
}

/// Numbers the patterns that occur, by the patterns so far, then by the columns of the window, the
/// first one first; also returns how many there are.
fn in_order(occurs: &[bool], width: usize) -> (Vec<u32>, usize) {
    let mut numbers = vec![0; occurs.len()];
    let mut count = 0;
    for start in (0..occurs.len()).step_by(1 << width) {
        for order in 0..1_usize << width {
            let window =
                if width == 0 { 0 } else { order.reverse_bits() >> (usize::BITS as usize - width) };
            if occurs[start + window] {
                numbers[start + window] = count;
                count += 1;
            }
        }
    }
    (numbers, count as usize)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bits::{BitMatrix, bit};
    use crate::rng::{Purpose, stream, uniform};

    pub fn rows(dim: usize, num_rows: usize, density: f64) -> BitMatrix {
        let mut rng = stream(3, Purpose::Example, dim as u64);
        let mut rows = BitMatrix::zeros(dim, num_rows);
        for row in rows.rows_mut() {
            for site in 0..dim {
                row[site / 64] |= u64::from(uniform(&mut rng) < density) << (site % 64);
            }
        }
        rows
    }

    /// Greedy, one column after another; patterns are numbered by their columns, the first one
    /// first.
    #[test]
    fn groups_are_as_long_as_can_be() {
        for (dim, num_rows, density, max_patterns) in [
            (3, 0, 0.5, 2),
            (1, 5, 1.0, 2),
            (70, 200, 0.5, 2),
            (200, 500, 0.02, 40),
            (130, 3000, 0.5, 512),
            (130, 3000, 0.1, 3000),
        ] {
            let rows = rows(dim, num_rows, density);
            let pattern = |row: &[u64], columns: Range<usize>| -> Vec<bool> {
                columns.map(|column| bit(row, column)).collect()
            };
            let patterns = |columns: Range<usize>| {
                let all = rows.as_batch().rows().map(|row| pattern(row, columns.clone()));
                all.collect::<std::collections::BTreeSet<_>>()
            };
            let mut start = 0;
            while start < dim {
                let group = Group::longest(rows.as_batch(), start, max_patterns);
                let end = group.columns.end;
                let occur = patterns(start..end);
                assert!(group.columns.start == start && occur.len() <= max_patterns);
                assert!(end == dim || patterns(start..end + 1).len() > max_patterns);
                assert_eq!(group.examples.len(), occur.len());
                let order: Vec<_> = occur.into_iter().collect();
                for (row, &id) in rows.as_batch().rows().zip(&group.ids) {
                    assert_eq!(pattern(row, start..end), order[id as usize]);
                    let example = rows.row(group.examples[id as usize]);
                    assert_eq!(pattern(example, start..end), order[id as usize]);
                }
                start = end;
            }
        }
    }
}
