//! The pattern of an Ising model: which pairs are coupled.

use crate::{Error, Result};
use unnorm_wire::spec;

/// Which pairs are coupled. `Dense` is written `{}` because serde accepts unknown fields in
/// variants without fields.
#[spec]
#[derive(Eq)]
pub enum Pattern {
    /// Every pair is coupled.
    Dense {},
    /// Nearest neighbours on a lattice; site (r, c) is number r · numCols + c.
    Lattice {
        /// Rows of the lattice.
        num_rows: usize,
        /// Columns of the lattice.
        num_cols: usize,
        /// Whether the lattice closes to a torus; then both sides are at least 3. False if absent.
        #[serde(default)]
        periodic: bool,
    },
    /// The given pairs, each [i, j] with i < j, without repetition.
    Pairs {
        /// The coupled pairs, as site indices.
        pairs: Vec<[usize; 2]>,
    },
}

impl Default for Pattern {
    fn default() -> Self {
        Self::Dense {}
    }
}

impl Pattern {
    /// The coupled pairs [i, j], i < j < dim, in lexicographic order; none if every pair is
    /// coupled.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the field under `model.pattern`.
    pub fn sparse_pairs(&self, dim: usize) -> Result<Option<Vec<[usize; 2]>>> {
        let mut all = match self {
            Self::Dense {} => return Ok(None),
            Self::Lattice { num_rows, num_cols, periodic } => {
                check_lattice(dim, *num_rows, *num_cols, *periodic)?;
                lattice_pairs(*num_rows, *num_cols, *periodic)
            }
            Self::Pairs { pairs } => {
                check_pairs(dim, pairs)?;
                pairs.clone()
            }
        };
        all.sort_unstable();
        if let Some(twice) = all.windows(2).find(|two| two[0] == two[1]) {
            return Err(Error::spec(
                "model.pattern.pairs",
                format!("has the pair {:?} twice; give each pair once", twice[0]),
            ));
        }
        Ok(Some(all))
    }
}

pub(super) fn check_lattice(
    dim: usize,
    num_rows: usize,
    num_cols: usize,
    periodic: bool,
) -> Result<()> {
    if num_rows.checked_mul(num_cols) != Some(dim) {
        return Err(Error::spec(
            "model.pattern",
            format!(
                "is a lattice of {num_rows} × {num_cols} sites, but dim is {dim}; make them equal"
            ),
        ));
    }
    if periodic && num_rows.min(num_cols) < 3 {
        return Err(Error::spec(
            "model.pattern.periodic",
            format!(
                "needs both sides at least 3, and the lattice is {num_rows} × {num_cols}: sites would be \
                 their own neighbours, or twice; make it larger or not periodic"
            ),
        ));
    }
    Ok(())
}

fn check_pairs(dim: usize, pairs: &[[usize; 2]]) -> Result<()> {
    for (index, &[i, j]) in pairs.iter().enumerate() {
        let problem = if i == j {
            "a bias is not a pair; biases stand on the diagonal of couplings".to_string()
        } else if i > j {
            format!("write [{j}, {i}]: the smaller site first")
        } else if j >= dim {
            format!("sites are 0 to {}", dim - 1)
        } else {
            continue;
        };
        return Err(Error::spec(
            format!("model.pattern.pairs[{index}]"),
            format!("is [{i}, {j}]; {problem}"),
        ));
    }
    Ok(())
}

/// Right and lower neighbours of every site; for a torus also the pairs that close it.
fn lattice_pairs(num_rows: usize, num_cols: usize, periodic: bool) -> Vec<[usize; 2]> {
    let mut pairs = Vec::new();
    for row in 0..num_rows {
        for col in 0..num_cols {
            let site = row * num_cols + col;
            let mut couple = |row: usize, col: usize| {
                let other = row * num_cols + col;
                pairs.push([site.min(other), site.max(other)]);
            };
            if col + 1 < num_cols || periodic {
                couple(row, (col + 1) % num_cols);
            }
            if row + 1 < num_rows || periodic {
                couple((row + 1) % num_rows, col);
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(num_rows: usize, num_cols: usize, periodic: bool) -> Pattern {
        Pattern::Lattice { num_rows, num_cols, periodic }
    }

    #[test]
    fn lattices_have_the_pairs_they_should() {
        let open = lattice(2, 3, false).sparse_pairs(6).unwrap().unwrap();
        assert_eq!(open, [[0, 1], [0, 3], [1, 2], [1, 4], [2, 5], [3, 4], [4, 5]]);
        let torus = lattice(3, 4, true).sparse_pairs(12).unwrap().unwrap();
        assert_eq!(torus.len(), 24);
        for site in 0..12 {
            assert_eq!(torus.iter().filter(|pair| pair.contains(&site)).count(), 4, "site {site}");
        }
        assert_eq!(lattice(1, 3, false).sparse_pairs(3).unwrap().unwrap(), [[0, 1], [1, 2]]);
    }

    #[test]
    fn bad_patterns_are_refused_by_field() {
        let field = |pattern: Pattern, dim| {
            pattern.sparse_pairs(dim).unwrap_err().field().map(str::to_owned).unwrap()
        };
        let pairs = |pairs: &[[usize; 2]]| Pattern::Pairs { pairs: pairs.to_vec() };
        assert_eq!(field(lattice(2, 3, false), 7), "model.pattern");
        assert_eq!(field(lattice(usize::MAX, 2, false), 7), "model.pattern");
        assert_eq!(field(lattice(2, 3, true), 6), "model.pattern.periodic");
        assert_eq!(field(pairs(&[[0, 1], [2, 2]]), 3), "model.pattern.pairs[1]");
        assert_eq!(field(pairs(&[[1, 0]]), 3), "model.pattern.pairs[0]");
        assert_eq!(field(pairs(&[[0, 3]]), 3), "model.pattern.pairs[0]");
        assert_eq!(field(pairs(&[[0, 1], [1, 2], [0, 1]]), 3), "model.pattern.pairs");
    }
}
