//! The pattern of an Ising model: which pairs are coupled.

use super::lattice::{Grid, Lattice};
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
    /// A triangular lattice of six neighbours a site, as a square one with a diagonal: site (r, c), number
    /// r · numCols + c, has the neighbours (r, c ± 1), (r ± 1, c), (r + 1, c + 1) and (r − 1, c − 1).
    Triangular {
        /// Rows of the lattice.
        num_rows: usize,
        /// Columns of the lattice.
        num_cols: usize,
        /// Whether the lattice closes to a torus; then both sides are at least 3. False if absent.
        #[serde(default)]
        periodic: bool,
    },
    /// Nearest neighbours in three dimensions; site (l, r, c) is number (l · numRows + r) · numCols + c.
    Cubic {
        /// Layers of the lattice.
        num_layers: usize,
        /// Rows of a layer.
        num_rows: usize,
        /// Columns of a layer.
        num_cols: usize,
        /// Whether the lattice closes to a torus; then all sides are at least 3. False if absent.
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
            Self::Pairs { pairs } => {
                check_pairs(dim, pairs)?;
                pairs.clone()
            }
            _ => {
                let lattice = self.lattice().expect("all others are lattices");
                lattice.check(dim)?;
                lattice.pairs()
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

impl Pattern {
    /// The lattice, if it is one.
    pub fn lattice(&self) -> Option<Lattice> {
        let (grid, num_layers, num_rows, num_cols, periodic) = match *self {
            Self::Lattice { num_rows, num_cols, periodic } => {
                (Grid::Square, 1, num_rows, num_cols, periodic)
            }
            Self::Triangular { num_rows, num_cols, periodic } => {
                (Grid::Triangular, 1, num_rows, num_cols, periodic)
            }
            Self::Cubic { num_layers, num_rows, num_cols, periodic } => {
                (Grid::Cubic, num_layers, num_rows, num_cols, periodic)
            }
            Self::Dense {} | Self::Pairs { .. } => return None,
        };
        Some(Lattice { grid, num_layers, num_rows, num_cols, periodic })
    }
}

impl From<Lattice> for Pattern {
    fn from(lattice: Lattice) -> Self {
        let Lattice { grid, num_layers, num_rows, num_cols, periodic } = lattice;
        match grid {
            Grid::Square => Self::Lattice { num_rows, num_cols, periodic },
            Grid::Triangular => Self::Triangular { num_rows, num_cols, periodic },
            Grid::Cubic => Self::Cubic { num_layers, num_rows, num_cols, periodic },
        }
    }
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
    fn triangles_and_cubes_have_the_pairs_they_should() {
        let triangular =
            |num_rows, num_cols, periodic| Pattern::Triangular { num_rows, num_cols, periodic };
        let cubic = |num_layers, num_rows, num_cols, periodic| Pattern::Cubic {
            num_layers,
            num_rows,
            num_cols,
            periodic,
        };
        let open = triangular(2, 3, false).sparse_pairs(6).unwrap().unwrap();
        let diagonals = [[0, 4], [1, 5]];
        let mut expected = lattice(2, 3, false).sparse_pairs(6).unwrap().unwrap();
        expected.extend(diagonals);
        expected.sort_unstable();
        assert_eq!(open, expected);
        let open = cubic(2, 1, 3, false).sparse_pairs(6).unwrap().unwrap();
        assert_eq!(open, lattice(2, 3, false).sparse_pairs(6).unwrap().unwrap());
        for (pattern, dim) in [(triangular(3, 4, true), 12), (cubic(3, 4, 5, true), 60)] {
            let pairs = pattern.sparse_pairs(dim).unwrap().unwrap();
            assert_eq!(pairs.len(), 3 * dim);
            for site in 0..dim {
                let num_neighbours = pairs.iter().filter(|pair| pair.contains(&site)).count();
                assert_eq!(num_neighbours, 6, "{pattern:?}, site {site}");
            }
        }
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
        let cubic =
            |num_layers| Pattern::Cubic { num_layers, num_rows: 3, num_cols: 4, periodic: true };
        assert_eq!(field(cubic(2), 24), "model.pattern.periodic");
        assert_eq!(field(cubic(usize::MAX), 24), "model.pattern");
        assert_eq!(field(pairs(&[[0, 1], [2, 2]]), 3), "model.pattern.pairs[1]");
        assert_eq!(field(pairs(&[[1, 0]]), 3), "model.pattern.pairs[0]");
        assert_eq!(field(pairs(&[[0, 3]]), 3), "model.pattern.pairs[0]");
        assert_eq!(field(pairs(&[[0, 1], [1, 2], [0, 1]]), 3), "model.pattern.pairs");
    }
}
