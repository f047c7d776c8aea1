//! An Ising model on a torus of even sides with one coupling and one bias, kept as two numbers: no
//! array has an entry for each site, so it may be larger than any other.

use super::{Grid, Ising, IsingSpec, Lattice, MAX_SPARSE_DIM};
use crate::bits::bits_from;
use crate::energy::{Energy, Parametric};
use crate::{Error, Result};

/// Maximum number of sites, 4096 × 4096: a state takes 2 MiB.
pub const MAX_TORUS_DIM: usize = 1 << 24;

/// A torus of even sides, each at least 4, with equal couplings and equal biases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvenTorus {
    /// The sites and their neighbours.
    pub lattice: Lattice,
    /// J_ii of every site.
    pub bias: f64,
    /// J_ij of every pair of neighbours.
    pub coupling: f64,
}

impl EvenTorus {
    /// The torus that a spec describes by one coupling and one field; none if it describes another
    /// model, which is then not checked.
    ///
    /// # Errors
    /// The errors of [`IsingSpec::build`], but for the number of sites [`Error::TooLarge`] from
    /// [`MAX_TORUS_DIM`] on.
    pub fn of_spec(spec: &IsingSpec) -> Result<Option<Self>> {
        let Some(lattice) = spec.pattern.lattice().filter(is_even_torus) else { return Ok(None) };
        let Some(uniform) = spec.uniform else { return Ok(None) };
        spec.check_numbers()?;
        lattice.check(spec.dim)?;
        if spec.dim > MAX_TORUS_DIM {
            let dim = spec.dim;
            let problem = format!("is {dim}, and the limit is {MAX_TORUS_DIM}; use fewer sites");
            return Err(Error::TooLarge { field: "model.dim".into(), problem });
        }
        let (bias, coupling) = uniform.torus_params(lattice.grid.num_neighbours())?;
        Ok(Some(Self { lattice, bias, coupling }))
    }

    /// The same of a model, however its parameters were given.
    pub fn of_model(model: &Ising) -> Option<Self> {
        let lattice = model.pattern().lattice().filter(is_even_torus)?;
        let (biases, couplings) = model.params().split_at(model.dim());
        let (bias, coupling) = (biases[0], couplings[0]);
        let is_uniform = biases.iter().all(|other| *other == bias)
            && couplings.iter().all(|other| *other == coupling);
        is_uniform.then_some(Self { lattice, bias, coupling })
    }

    /// The model with its arrays; none if it has more sites than [`MAX_SPARSE_DIM`].
    pub fn to_model(&self) -> Option<Ising> {
        let dim = self.dim();
        if dim > MAX_SPARSE_DIM {
            return None;
        }
        let num_pairs = self.lattice.grid.num_neighbours() / 2 * dim;
        let params = [vec![self.bias; dim], vec![self.coupling; num_pairs]].concat();
        let pattern = self.lattice.into();
        IsingSpec { dim, pattern, params: Some(params), ..IsingSpec::default() }.build().ok()
    }

    /// Number of sites D.
    pub fn dim(&self) -> usize {
        self.lattice.num_layers * self.lattice.num_rows * self.lattice.num_cols
    }

    /// E(x) of a row of bits, in nats: `J_ii Σ x_i + 2 J_ij Σ x_i x_j`, from the exact counts.
    ///
    /// # Panics
    /// If the row is too short.
    pub fn energy(&self, row: &[u64]) -> f64 {
        let (num_ones, num_pairs) = self.counts(row);
        self.bias * num_ones as f64 + 2.0 * self.coupling * num_pairs as f64
    }

    /// Number of sites that are 1, and number of pairs of neighbours that both are.
    fn counts(&self, row: &[u64]) -> (u64, u64) {
        let Lattice { grid, num_layers, num_rows, num_cols, .. } = self.lattice;
        let [mut line, mut above, mut behind] = [(); 3].map(|()| vec![0; num_cols.div_ceil(64)]);
        let (mut num_ones, mut num_pairs) = (0, 0);
        let mut add = |words: &[u64], other: &dyn Fn(usize) -> u64| {
            let pairs =
                words.iter().enumerate().map(|(place, word)| (word & other(place)).count_ones());
            num_pairs += pairs.map(u64::from).sum::<u64>();
        };
        for layer in 0..num_layers {
            self.read_line(row, layer, num_rows - 1, &mut above);
            for at in 0..num_rows {
                self.read_line(row, layer, at, &mut line);
                num_ones += line.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
                add(&line, &|place| right(&line, place, num_cols));
                add(&line, &|place| above[place]);
                match grid {
                    Grid::Square => {}
                    Grid::Triangular => add(&above, &|place| right(&line, place, num_cols)),
                    Grid::Cubic => {
                        self.read_line(row, (layer + num_layers - 1) % num_layers, at, &mut behind);
                        add(&line, &|place| behind[place]);
                    }
                }
                std::mem::swap(&mut line, &mut above);
            }
        }
        (num_ones, num_pairs)
    }

    fn read_line(&self, row: &[u64], layer: usize, line: usize, out: &mut [u64]) {
        let Lattice { num_rows, num_cols, .. } = self.lattice;
        let first = (layer * num_rows + line) * num_cols;
        for (place, word) in out.iter_mut().enumerate() {
            *word = bits_from(row, first + 64 * place, (num_cols - 64 * place).min(64));
        }
    }
}

/// The neighbours to the right of the sites of a word; that of the last site of the line is the first.
fn right(line: &[u64], place: usize, num_cols: usize) -> u64 {
    let (next, distance) = match line.get(place + 1) {
        Some(next) => (*next, 63),
        None => (line[0], (num_cols - 1) % 64),
    };
    line[place] >> 1 | (next & 1) << distance
}

fn is_even_torus(lattice: &Lattice) -> bool {
    let is_even = |side: usize| side.is_multiple_of(2);
    let has_even_layers = lattice.grid != Grid::Cubic || is_even(lattice.num_layers);
    lattice.periodic && has_even_layers && is_even(lattice.num_rows) && is_even(lattice.num_cols)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{fill_random, words_per_row, write_values};
    use crate::ising::{Pattern, UniformSpins};
    use crate::linalg::Batch;
    use crate::rng::{Purpose, stream};

    fn spec(num_rows: usize, num_cols: usize) -> IsingSpec {
        spec_of(Pattern::Lattice { num_rows, num_cols, periodic: true })
    }

    fn spec_of(pattern: Pattern) -> IsingSpec {
        let dim = pattern.lattice().unwrap().num_sites().unwrap();
        let uniform = Some(UniformSpins { coupling: 0.4, field: -0.15 });
        IsingSpec { dim, pattern, uniform, ..IsingSpec::default() }
    }

    #[test]
    fn energies_are_those_of_the_model() {
        let sizes = [(4, 4), (4, 6), (6, 62), (30, 64), (4, 66), (10, 130), (8, 256)];
        let specs = sizes.into_iter().flat_map(|(num_rows, num_cols)| {
            let periodic = true;
            [
                Pattern::Lattice { num_rows, num_cols, periodic },
                Pattern::Triangular { num_rows, num_cols, periodic },
                Pattern::Cubic { num_layers: 6, num_rows, num_cols, periodic },
            ]
            .map(spec_of)
        });
        for spec in specs {
            let model = spec.build().unwrap();
            let torus = EvenTorus::of_spec(&spec).unwrap().unwrap();
            assert_eq!(Some(torus), EvenTorus::of_model(&model));
            assert_eq!(torus.to_model().unwrap().params(), model.params());
            let dim = model.dim();
            let mut row = vec![0; words_per_row(dim)];
            fill_random(&mut row, dim, &mut stream(1, Purpose::InitialState, dim as u64));
            let (mut state, mut expected) = (vec![0.0; dim], [0.0]);
            write_values(&row, &mut state);
            model.energy(Batch::new(dim, &state), &mut expected);
            let error = (torus.energy(&row) - expected[0]).abs();
            assert!(error < 1e-11 * dim as f64, "{:?}: {error}", spec.pattern);
        }
    }

    #[test]
    fn other_models_are_told_apart() {
        for (num_rows, num_cols) in [(3, 4), (4, 5)] {
            assert_eq!(EvenTorus::of_spec(&spec(num_rows, num_cols)).unwrap(), None);
            let model = spec(num_rows, num_cols).build().unwrap();
            assert_eq!(EvenTorus::of_model(&model), None);
        }
        for (num_layers, num_rows, num_cols) in [(3, 4, 4), (4, 3, 4), (4, 4, 3)] {
            let odd = Pattern::Cubic { num_layers, num_rows, num_cols, periodic: true };
            assert_eq!(EvenTorus::of_spec(&spec_of(odd)).unwrap(), None);
        }
        let params = IsingSpec { uniform: None, params: Some(vec![0.0; 48]), ..spec(4, 4) };
        assert_eq!(EvenTorus::of_spec(&params).unwrap(), None);
        let pattern = Pattern::Lattice { num_rows: 4, num_cols: 4, periodic: false };
        assert_eq!(EvenTorus::of_spec(&IsingSpec { pattern, ..spec(4, 4) }).unwrap(), None);
        for param in [3, 20, 47] {
            let mut model = spec(4, 4).build().unwrap();
            let mut params = model.params().to_vec();
            params[param] += 1e-9;
            model.set_params(&params);
            assert_eq!(EvenTorus::of_model(&model), None, "parameter {param}");
        }
    }

    /// What is wrong is said in the same words, whether a model is built or not.
    #[test]
    fn errors_are_those_of_the_spec() {
        let infinite = Some(UniformSpins { coupling: f64::INFINITY, field: 0.0 });
        let huge = Some(UniformSpins { coupling: 1e308, field: 0.0 });
        for wrong in [
            IsingSpec { dim: 15, ..spec(4, 4) },
            IsingSpec { dim: 8, ..spec(2, 4) },
            IsingSpec { uniform: infinite, ..spec(4, 4) },
            IsingSpec { uniform: huge, ..spec(4, 4) },
            IsingSpec { params: Some(vec![0.0; 48]), ..spec(4, 4) },
        ] {
            let expected = wrong.build().unwrap_err();
            assert_eq!(EvenTorus::of_spec(&wrong).unwrap_err().to_string(), expected.to_string());
        }
        assert!(EvenTorus::of_spec(&spec(4096, 4096)).unwrap().is_some());
        let error = EvenTorus::of_spec(&spec(4096, 4098)).unwrap_err();
        assert!(error.to_string().contains("16777216"), "{error}");
        let error = spec(4096, 4096).build().unwrap_err();
        assert!(error.to_string().contains("1048576"), "{error}");
    }
}
