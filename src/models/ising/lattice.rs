//! Lattices in two and three dimensions.

use crate::{Error, Result};

/// A lattice of layers of rows; one in two dimensions has one layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lattice {
    /// Which neighbours a site has.
    pub grid: Grid,
    /// Number of layers.
    pub num_layers: usize,
    /// Rows of a layer.
    pub num_rows: usize,
    /// Columns of a layer.
    pub num_cols: usize,
    /// Whether it closes to a torus.
    pub periodic: bool,
}

/// Which neighbours a site of a lattice has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// The nearest four in a layer.
    Square,
    /// These, and two along a diagonal.
    Triangular,
    /// The nearest four in a layer, and two in the layers beside.
    Cubic,
}

impl Grid {
    /// To half of a site's neighbours: the steps in layers, rows and columns. To the others they are opposite.
    fn steps(self) -> &'static [[usize; 3]] {
        match self {
            Self::Square => &[[0, 0, 1], [0, 1, 0]],
            Self::Triangular => &[[0, 0, 1], [0, 1, 0], [0, 1, 1]],
            Self::Cubic => &[[0, 0, 1], [0, 1, 0], [1, 0, 0]],
        }
    }

    /// Number of neighbours of a site of a torus.
    pub fn num_neighbours(self) -> usize {
        2 * self.steps().len()
    }
}

impl Lattice {
    /// Number of sites; none if it is beyond any size.
    pub fn num_sites(&self) -> Option<usize> {
        self.num_layers.checked_mul(self.num_rows)?.checked_mul(self.num_cols)
    }

    /// Number of lines, the rows of all layers, and of columns.
    pub fn lines(&self) -> (usize, usize) {
        (self.num_layers * self.num_rows, self.num_cols)
    }

    /// The sides in which it has more than one place.
    fn sides(&self) -> Vec<usize> {
        let layers = (self.grid == Grid::Cubic).then_some(self.num_layers);
        layers.into_iter().chain([self.num_rows, self.num_cols]).collect()
    }

    /// Checks the number of sites, and that those of a torus have as many neighbours as they should.
    pub(super) fn check(&self, dim: usize) -> Result<()> {
        let sides = self.sides();
        let size = || sides.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
        if self.num_sites() != Some(dim) {
            return Err(Error::spec(
                "model.pattern",
                format!("is a lattice of {} sites, but dim is {dim}; make them equal", size()),
            ));
        }
        if self.periodic && sides.iter().any(|side| *side < 3) {
            let all = if sides.len() == 2 { "both" } else { "all" };
            return Err(Error::spec(
                "model.pattern.periodic",
                format!(
                    "needs {all} sides at least 3, and the lattice is {}: sites would be their own neighbours, or \
                     twice; make it larger or not periodic",
                    size()
                ),
            ));
        }
        Ok(())
    }

    /// The pairs of neighbours, each once.
    pub(super) fn pairs(&self) -> Vec<[usize; 2]> {
        let sides = [self.num_layers, self.num_rows, self.num_cols];
        let [num_layers, num_rows, num_cols] = sides;
        let mut pairs = Vec::new();
        let sites = (0..num_layers).flat_map(|layer| {
            (0..num_rows).flat_map(move |row| (0..num_cols).map(move |col| [layer, row, col]))
        });
        for (site, place) in sites.enumerate() {
            for step in self.grid.steps() {
                let [layer, row, col] = std::array::from_fn(|at| place[at] + step[at]);
                let is_inside = layer < num_layers && row < num_rows && col < num_cols;
                if is_inside || self.periodic {
                    let line = layer % num_layers * num_rows + row % num_rows;
                    let other = line * num_cols + col % num_cols;
                    pairs.push([site.min(other), site.max(other)]);
                }
            }
        }
        pairs
    }
}
