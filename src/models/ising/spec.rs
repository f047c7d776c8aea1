//! The spec of the Ising model, and its checks.

use super::{Bonds, Ising, Pattern};
use crate::energy::Parametric;
use crate::rng::{Purpose, normal, stream};
use crate::{Error, Result};
use std::borrow::Cow;
use unnorm_wire::spec;

/// Maximum dimension of a dense pattern, and of a model given by J, which takes 8 D² bytes: 134 MB.
pub const MAX_DIM: usize = 4096;

/// Maximum dimension of a sparse pattern, a lattice of 1024 × 1024: in WebAssembly 75 bytes per
/// site of a lattice (25 for its parameters), 79 MB in total. Natively 115.
pub const MAX_SPARSE_DIM: usize = 1 << 20;

/// Maximum number of pairs of a sparse pattern: that of the largest dense one.
pub const MAX_SPARSE_PAIRS: usize = MAX_DIM * (MAX_DIM - 1) / 2;

/// The spec of the Ising model. Its parameters are given by one of `couplings`, `params` and
/// `uniform`; without any they are all zero.
#[spec]
#[derive(Default)]
pub struct IsingSpec {
    /// Number of sites D.
    pub dim: usize,
    /// Which pairs are coupled; dense if absent.
    #[serde(default)]
    pub pattern: Pattern,
    /// J, row-major `[dim, dim]`, symmetric, biases on the diagonal, zero off
    /// the pattern; up to 4,096 sites.
    pub couplings: Option<Vec<f64>>,
    /// J without the zeros: its `dim` diagonal entries, then J_ij for the pattern's pairs, i < j,
    /// in lexicographic order.
    pub params: Option<Vec<f64>>,
    /// One coupling for all pairs and one field for all sites.
    pub uniform: Option<UniformSpins>,
}

/// A model with equal couplings and equal fields, in spins s = 2x − 1: `−coupling Σ s_i s_j − field
/// Σ s_i`, each pair once, is its energy minus a constant.
#[spec]
#[derive(Copy)]
pub struct UniformSpins {
    /// The coupling of every pair of the pattern: J/T in physics, positive if spins tend to agree.
    pub coupling: f64,
    /// The field on every site: positive if spins tend to be +1; 0 if absent.
    #[serde(default)]
    pub field: f64,
}

impl IsingSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<Ising> {
        let dim = self.dim;
        check_size(dim, &self.pattern)?;
        self.check_numbers()?;
        let pairs = self.pattern.sparse_pairs(dim)?;
        let mut model = Ising::zeros(dim, self.pattern.clone(), pairs);
        if let Some(couplings) = &self.couplings {
            check_couplings(dim, couplings)?;
            model.set_couplings(couplings);
            if model.is_sparse() {
                check_off_pattern(couplings, &model.couplings(), dim)?;
            }
        }
        if let Some(params) = &self.params {
            check_params(dim, model.num_params(), params)?;
            model.set_params(params);
        }
        if let Some(uniform) = &self.uniform {
            model.set_params(&uniform.params(&model)?);
        }
        Ok(model)
    }

    /// The parameters of the fully coupled model with the same energy: the diagonal of J, then its
    /// upper triangle row by row. If the spec has them in this form, no matrix is built.
    ///
    /// # Errors
    /// The errors of [`IsingSpec::build`]; [`Error::TooLarge`] above [`MAX_DIM`] sites.
    pub fn dense_params(&self) -> Result<Cow<'_, [f64]>> {
        let dim = self.dim;
        check_size(dim, &Pattern::Dense {})?;
        let is_plain = self.pattern == (Pattern::Dense {})
            && self.couplings.is_none()
            && self.uniform.is_none();
        if !is_plain {
            let mut dense = Ising::zeros(dim, Pattern::Dense {}, None);
            dense.set_couplings(&self.build()?.couplings());
            return Ok(dense.params.into());
        }
        let num_params = dim * (dim + 1) / 2;
        let Some(params) = &self.params else { return Ok(vec![0.0; num_params].into()) };
        check_params(dim, num_params, params)?;
        Ok(params.into())
    }

    /// Checks that the parameters are given in at most one way.
    pub(super) fn check_numbers(&self) -> Result<()> {
        let given = [
            ("model.couplings", self.couplings.is_some()),
            ("model.params", self.params.is_some()),
            ("model.uniform", self.uniform.is_some()),
        ];
        let mut given = given.into_iter().filter(|(_, is_given)| *is_given);
        match (given.next(), given.next()) {
            (Some((first, _)), Some((second, _))) => Err(Error::spec(
                second,
                format!("is given and {first} too, which say the same; leave one out"),
            )),
            _ => Ok(()),
        }
    }

    /// Small models for the laws: dense, lattices, a torus and given pairs.
    pub fn examples() -> Vec<Self> {
        let lattice =
            |num_rows, num_cols, periodic| Pattern::Lattice { num_rows, num_cols, periodic };
        let some_pairs = Pattern::Pairs { pairs: vec![[2, 4], [0, 1], [1, 4]] };
        let mut examples: Vec<_> = [
            (1, Pattern::Dense {}),
            (5, Pattern::Dense {}),
            (9, Pattern::Dense {}),
            (6, lattice(2, 3, false)),
            (9, lattice(3, 3, true)),
            (6, Pattern::Triangular { num_rows: 2, num_cols: 3, periodic: false }),
            (8, Pattern::Cubic { num_layers: 2, num_rows: 2, num_cols: 2, periodic: false }),
            (6, some_pairs),
            (2, Pattern::Pairs { pairs: vec![] }),
        ]
        .into_iter()
        .map(|(dim, pattern)| Self::random(dim, pattern, 0.7, dim as u64))
        .collect();
        examples.push(Self { dim: 3, ..Self::default() });
        let uniform = Some(UniformSpins { coupling: 0.4, field: 0.1 });
        let pattern = lattice(2, 4, false);
        examples.push(Self { dim: 8, pattern, uniform, ..Self::default() });
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
        model.set_params(&params);
        model.to_spec()
    }
}

impl UniformSpins {
    /// J_ij = −2w and J_ii = 2(n_i w − b), where site i has n_i pairs.
    fn params(&self, model: &Ising) -> Result<Vec<f64>> {
        self.check()?;
        let mut params = vec![self.pair(); model.num_params()];
        for (site, bias) in params[..model.dim].iter_mut().enumerate() {
            let num_pairs = match &model.bonds {
                Bonds::Dense { .. } => model.dim - 1,
                Bonds::Sparse { neighbours, .. } => neighbours[site].len(),
            };
            *bias = self.bias(num_pairs)?;
        }
        Ok(params)
    }

    /// J_ii and J_ij where every site has this number of pairs.
    pub(super) fn torus_params(&self, num_pairs: usize) -> Result<(f64, f64)> {
        self.check()?;
        Ok((self.bias(num_pairs)?, self.pair()))
    }

    fn check(&self) -> Result<()> {
        for (name, value) in [("coupling", self.coupling), ("field", self.field)] {
            if !value.is_finite() {
                return Err(Error::spec(
                    format!("model.uniform.{name}"),
                    format!("is {value}; it must be a finite number"),
                ));
            }
        }
        Ok(())
    }

    fn pair(&self) -> f64 {
        -2.0 * self.coupling
    }

    fn bias(&self, num_pairs: usize) -> Result<f64> {
        let bias = 2.0 * (num_pairs as f64 * self.coupling - self.field);
        if bias.is_finite() && self.pair().is_finite() {
            return Ok(bias);
        }
        let problem = "is so large that a bias is infinite; make it smaller";
        Err(Error::spec("model.uniform", problem))
    }
}

/// Checks the size before anything is allocated.
fn check_size(dim: usize, pattern: &Pattern) -> Result<()> {
    if dim == 0 {
        return Err(Error::spec("model.dim", "is 0; a model needs at least one site"));
    }
    let (limit, advice) = match pattern {
        Pattern::Dense {} => (MAX_DIM, "use fewer sites, or a sparse pattern"),
        _ => (MAX_SPARSE_DIM, "use fewer sites"),
    };
    if dim > limit {
        return Err(Error::TooLarge {
            field: "model.dim".into(),
            problem: format!("is {dim}, and the limit is {limit}; {advice}"),
        });
    }
    match pattern {
        Pattern::Pairs { pairs } if pairs.len() > MAX_SPARSE_PAIRS => Err(Error::TooLarge {
            field: "model.pattern.pairs".into(),
            problem: format!(
                "are {}, and the limit is {MAX_SPARSE_PAIRS}; couple fewer pairs",
                pairs.len()
            ),
        }),
        _ => Ok(()),
    }
}

/// Checks length and finite entries.
fn check_params(dim: usize, num_params: usize, params: &[f64]) -> Result<()> {
    if params.len() != num_params {
        return Err(Error::spec(
            "model.params",
            format!(
                "has {} entries; give the {dim} biases and then the couplings of the {} pairs",
                params.len(),
                num_params - dim
            ),
        ));
    }
    match params.iter().position(|param| !param.is_finite()) {
        None => Ok(()),
        Some(at) => Err(Error::spec(
            format!("model.params[{at}]"),
            format!("is {}; every entry must be a finite number", params[at]),
        )),
    }
}

/// Checks length, finite entries and symmetry.
fn check_couplings(dim: usize, couplings: &[f64]) -> Result<()> {
    let field = "model.couplings";
    if dim > MAX_DIM {
        return Err(Error::TooLarge {
            field: field.into(),
            problem: format!(
                "would be a matrix of {dim} × {dim}, and the limit is {MAX_DIM}; give params instead"
            ),
        });
    }
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

/// Checks that there is no coupling outside the pattern.
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
