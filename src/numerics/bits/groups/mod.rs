//! Binary rows as words: neighbouring columns form groups, and a row is stored as the number of its
//! pattern in each group.
//!
//! Real data have few of the 2^k patterns that k columns could have (a 10 × 10 spin glass: 1,000 in
//! 10 to 11 columns), so a few words encode a row. With a table that holds, for every pattern, the
//! sum (or product) over its set bits, a sum over a row's set bits takes one lookup per group. Its
//! transpose, sums over the rows in which a bit is set, takes one addition to a table per group.
//! The tables are filled and folded by a tree: a group's patterns are pairs of patterns of its
//! halves, down to single columns, so an entry costs one operation (the "four Russians", with the
//! data's own dictionary instead of all 2^k patterns).

mod group;

use super::{BitBatch, bit};
use crate::linalg::Lanes;
use group::Group;
use std::ops::Range;

/// Rows stored as one pattern number per group of columns.
#[derive(Debug, Clone)]
pub struct ColumnGroups {
    num_groups: usize,
    /// Bottom up: the columns, then ever larger groups. The table entries of a node begin at
    /// `start`.
    nodes: Vec<Node>,
    num_columns: usize,
    num_entries: usize,
    /// Table entries of the groups of each row, `[rows, num_groups]`.
    codes: Vec<u32>,
}

/// A set of neighbouring columns and the patterns that occur there.
#[derive(Debug, Clone)]
struct Node {
    start: usize,
    /// For each pattern, the indices of the table entries of its two halves; empty for a single
    /// column, whose patterns are 0 and 1.
    halves: Vec<[u32; 2]>,
    num_patterns: usize,
}

/// A node under construction, and the pattern of some rows there, counted from the node's start.
struct Words {
    node: Node,
    ids: Vec<u32>,
}

impl ColumnGroups {
    /// Groups of a size for passing over the rows many times: with few enough patterns that filling
    /// tables is cheap relative to a pass, and that the tables stay in cache.
    pub fn suited(rows: BitBatch<'_>) -> Self {
        Self::new(rows, (rows.len() / 16).clamp(16, 512))
    }

    /// Groups columns greedily, from the first, while a group has at most `max_patterns` patterns.
    ///
    /// # Panics
    /// If `max_patterns` is less than 2.
    pub fn new(rows: BitBatch<'_>, max_patterns: usize) -> Self {
        assert!(max_patterns >= 2);
        let num_columns = rows.dim();
        let mut groups = Vec::new();
        let mut start = 0;
        while start < num_columns {
            let group = Group::longest(rows, start, max_patterns);
            start = group.columns.end;
            groups.push(group);
        }

        let mut nodes: Vec<Node> = (0..num_columns)
            .map(|column| Node { start: 2 * column, halves: Vec::new(), num_patterns: 2 })
            .collect();
        let mut num_entries = 2 * num_columns;
        let num_groups = groups.len();
        let mut codes = vec![0; rows.len() * num_groups];
        for (index, group) in groups.iter().enumerate() {
            let mut level: Vec<Words> =
                group.columns.clone().map(|at| column(group, rows, &nodes, at)).collect();
            while level.len() > 1 {
                let mut halves = level.into_iter();
                level = Vec::new();
                while let Some(left) = halves.next() {
                    let Some(right) = halves.next() else {
                        level.push(left);
                        break;
                    };
                    let joined = join(&left, &right, num_entries);
                    num_entries += joined.node.num_patterns;
                    nodes.push(joined.node.clone());
                    level.push(joined);
                }
            }
            for Words { node, ids } in level {
                let code = codes.iter_mut().skip(index).step_by(num_groups);
                for (code, &id) in code.zip(&group.ids) {
                    *code = node.start as u32 + ids[id as usize];
                }
            }
        }
        Self { num_groups, nodes, num_columns, num_entries, codes }
    }

    /// Number of groups.
    pub fn num_groups(&self) -> usize {
        self.num_groups
    }

    /// Length of a table.
    pub fn num_entries(&self) -> usize {
        self.num_entries
    }

    /// For each of some rows, the table entries of its groups.
    ///
    /// # Panics
    /// If the range is out of bounds.
    pub fn codes(&self, rows: Range<usize>) -> std::slice::ChunksExact<'_, u32> {
        self.codes[rows.start * self.num_groups..rows.end * self.num_groups]
            .chunks_exact(self.num_groups)
    }

    /// Fills a table: the entry of a pattern combines `columns[i]` over its set bits i; it is
    /// `nothing` if none is set.
    ///
    /// # Panics
    /// If there is not one value per column.
    pub fn fill(
        &self,
        columns: &[Lanes],
        nothing: f64,
        join: impl Fn(f64, f64) -> f64,
        table: &mut Vec<Lanes>,
    ) {
        assert_eq!(columns.len(), self.num_columns);
        table.clear();
        table.reserve(self.num_entries);
        for column in columns {
            table.push(Lanes::splat(nothing));
            table.push(*column);
        }
        for &[left, right] in self.nodes[self.num_columns..].iter().flat_map(|node| &node.halves) {
            let mut entry = table[left as usize];
            let other = &table[right as usize];
            for lane in 0..Lanes::LEN {
                entry.0[lane] = join(entry.0[lane], other.0[lane]);
            }
            table.push(entry);
        }
    }

    /// The transpose: sums what was added to the entries of the groups by columns. Entries 2i and
    /// 2i + 1 then hold the sums over the rows in which bit i is clear and set.
    ///
    /// # Panics
    /// If `table` does not have the length of a table.
    pub fn fold(&self, table: &mut [Lanes]) {
        assert_eq!(table.len(), self.num_entries);
        for node in self.nodes[self.num_columns..].iter().rev() {
            for (at, halves) in node.halves.iter().enumerate() {
                let entry = table[node.start + at];
                for half in halves {
                    table[*half as usize].add(&entry);
                }
            }
        }
    }
}

/// A column of the group, pattern by pattern.
fn column(group: &Group, rows: BitBatch<'_>, nodes: &[Node], column: usize) -> Words {
    let bits = group.examples.iter().map(|&example| u32::from(bit(rows.row(example), column)));
    Words { node: nodes[column].clone(), ids: bits.collect() }
}

/// The pairs of patterns that occur together, numbered in order.
fn join(left: &Words, right: &Words, start: usize) -> Words {
    let width = right.node.num_patterns;
    let pair = |(left, right): (&u32, &u32)| *left as usize * width + *right as usize;
    let mut number = vec![None; left.node.num_patterns * width];
    for at in left.ids.iter().zip(&right.ids).map(pair) {
        number[at] = Some(0);
    }
    let mut halves = Vec::new();
    for (at, number) in number.iter_mut().enumerate() {
        if let Some(number) = number {
            *number = halves.len() as u32;
            halves.push([
                (left.node.start + at / width) as u32,
                (right.node.start + at % width) as u32,
            ]);
        }
    }
    let ids = left.ids.iter().zip(&right.ids).map(pair);
    let ids = ids.map(|at| number[at].unwrap_or_default()).collect();
    let num_patterns = halves.len();
    Words { node: Node { start, halves, num_patterns }, ids }
}

#[cfg(test)]
mod tests {
    use super::group::tests::rows;
    use super::*;

    /// Small integers, so that sums in any order are equal.
    fn number(index: usize, lane: usize) -> f64 {
        ((index * 37 + lane * 11) % 101) as f64 - 50.0
    }

    #[test]
    fn look_ups_are_sums_over_set_bits() {
        for (dim, num_rows, density, max_patterns) in [
            (1, 3, 0.5, 2),
            (7, 40, 0.5, 2),
            (64, 60, 0.5, 16),
            (65, 60, 0.1, 300),
            (130, 9, 0.0, 4),
        ] {
            let rows = rows(dim, num_rows, density);
            let groups = ColumnGroups::new(rows.as_batch(), max_patterns);
            let columns: Vec<Lanes> =
                (0..dim).map(|i| Lanes(std::array::from_fn(|lane| number(i, lane)))).collect();
            let mut table = Vec::new();
            groups.fill(&columns, 0.0, |a, b| a + b, &mut table);
            assert_eq!(table.len(), groups.num_entries());
            for (row, words) in rows.as_batch().rows().zip(groups.codes(0..num_rows)) {
                assert_eq!(words.len(), groups.num_groups());
                let mut sum = Lanes::ZERO;
                words.iter().for_each(|word| sum.add(&table[*word as usize]));
                let mut expected = Lanes::ZERO;
                crate::bits::set_bits(row).for_each(|site| expected.add(&columns[site]));
                assert_eq!(sum, expected, "dim {dim}");
            }
        }
    }

    #[test]
    fn folding_is_the_transpose() {
        let (dim, num_rows) = (70, 90);
        let rows = rows(dim, num_rows, 0.4);
        let groups = ColumnGroups::new(rows.as_batch(), 20);
        let mut table = vec![Lanes::ZERO; groups.num_entries()];
        let mut expected = vec![Lanes::ZERO; 2 * dim];
        for (index, words) in groups.codes(0..num_rows).enumerate() {
            let value = Lanes(std::array::from_fn(|lane| number(index, lane)));
            words.iter().for_each(|word| table[*word as usize].add(&value));
            for site in 0..dim {
                expected[2 * site + usize::from(bit(rows.row(index), site))].add(&value);
            }
        }
        groups.fold(&mut table);
        assert_eq!(table[..2 * dim], expected);
    }

    #[test]
    fn columns_that_never_vary_share_a_group() {
        let constant = ColumnGroups::new(rows(130, 9, 0.0).as_batch(), 2);
        assert_eq!(constant.num_groups(), 1);
        let varied = ColumnGroups::new(rows(16, 4000, 0.5).as_batch(), 16);
        assert_eq!(varied.num_groups(), 4);
    }
}
