//! The Ising model as plain data, and the checks it must pass.

use super::{Ising, Pattern};
use crate::rng::{Purpose, normal, stream};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Largest D. J takes 8 D² bytes: 134 MB.
pub const MAX_DIM: usize = 4096;

/// The Ising model as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export, optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IsingSpec {
    /// Number of sites D.
    pub dim: usize,
    /// Which pairs are coupled; dense if absent.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<Pattern>"))]
    pub pattern: Pattern,
    /// J, row-major `[dim, dim]`, symmetric, biases on the diagonal, zero off
    /// the pattern; all zero if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "types", ts(type = "Float64Array | number[]"))]
    pub couplings: Option<Vec<f64>>,
}

impl IsingSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<Ising> {
        let dim = self.dim;
        if dim == 0 {
            return Err(Error::spec("model.dim", "is 0; a model needs at least one site"));
        }
        if dim > MAX_DIM {
            return Err(Error::TooLarge {
                field: "model.dim".into(),
                problem: format!("is {dim}, and the limit is {MAX_DIM}; use fewer sites"),
            });
        }
        let pairs = self.pattern.sparse_pairs(dim)?;
        let mut model = Ising::zeros(dim, self.pattern.clone(), pairs);
        if let Some(couplings) = &self.couplings {
            check_couplings(dim, couplings)?;
            model.set_couplings(couplings);
            if model.is_sparse() {
                check_off_pattern(couplings, &model.couplings(), dim)?;
            }
        }
        Ok(model)
    }

    /// Takes the couplings out, with the name of their field.
    pub fn take_arrays(&mut self) -> Vec<(&'static str, Vec<f64>)> {
        self.couplings.take().map(|couplings| ("couplings", couplings)).into_iter().collect()
    }

    /// Small models for the laws: dense, lattice, torus and given pairs.
    pub fn examples() -> Vec<Self> {
        let lattice =
            |num_rows, num_cols, periodic| Pattern::Lattice { num_rows, num_cols, periodic };
        let some_pairs = Pattern::Pairs { pairs: vec![[2, 4], [0, 1], [1, 4]] };
        let mut examples: Vec<_> = [
            (1, Pattern::Dense),
            (5, Pattern::Dense),
            (9, Pattern::Dense),
            (6, lattice(2, 3, false)),
            (9, lattice(3, 3, true)),
            (6, some_pairs),
            (2, Pattern::Pairs { pairs: vec![] }),
        ]
        .into_iter()
        .map(|(dim, pattern)| Self::random(dim, pattern, 0.7, dim as u64))
        .collect();
        examples.push(Self { dim: 3, pattern: Pattern::Dense, couplings: None });
        examples
    }

    /// A model whose biases and couplings are normal with mean 0 and standard
    /// deviation `scale`: for examples and tests.
    ///
    /// # Panics
    /// If the pattern does not fit `dim`.
    pub fn random(dim: usize, pattern: Pattern, scale: f64, seed: u64) -> Self {
        let pairs = pattern.sparse_pairs(dim).expect("the pattern fits");
        let mut model = Ising::zeros(dim, pattern, pairs);
        let mut rng = stream(seed, Purpose::Example, 0);
        let params: Vec<f64> = (0..model.num_params()).map(|_| scale * normal(&mut rng)).collect();
        crate::energy::Parametric::set_params(&mut model, &params);
        model.to_spec()
    }
}

/// Length, finite entries and symmetry.
fn check_couplings(dim: usize, couplings: &[f64]) -> Result<()> {
    let field = "model.couplings";
    if couplings.len() != dim * dim {
        return Err(Error::spec(
            field,
            format!(
                "has {} entries, but dim is {dim}; give the {dim} × {dim} = {} entries of J, row by row",
                couplings.len(),
                dim * dim
            ),
        ));
    }
    if let Some(at) = couplings.iter().position(|entry| !entry.is_finite()) {
        return Err(Error::spec(
            format!("{field}[{}, {}]", at / dim, at % dim),
            format!("is {}; every entry must be a finite number", couplings[at]),
        ));
    }
    for i in 0..dim {
        for j in i + 1..dim {
            let (upper, lower) = (couplings[i * dim + j], couplings[j * dim + i]);
            if upper != lower {
                return Err(Error::spec(
                    format!("{field}[{i}, {j}]"),
                    format!(
                        "is {upper}, but entry [{j}, {i}] is {lower}; J must be symmetric, (J + Jᵀ)/2 has \
                         the same energies"
                    ),
                ));
            }
        }
    }
    Ok(())
}

/// No coupling where the pattern has none.
fn check_off_pattern(given: &[f64], kept: &[f64], dim: usize) -> Result<()> {
    match given.iter().zip(kept).position(|(given, kept)| given != kept) {
        None => Ok(()),
        Some(at) => Err(Error::spec(
            format!("model.couplings[{}, {}]", at / dim, at % dim),
            format!(
                "is {}, but the pattern does not couple this pair; set it to 0, or let the pattern be dense",
                given[at]
            ),
        )),
    }
}
