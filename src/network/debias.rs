//! Estimates of the couplings without the pull of the penalty, and their errors.
//!
//! The loss of site i alone, `1/N Σ_n φ(m_ni)`, depends on c_i and J_i1 … J_iD. One Newton step without
//! penalty from a penalized network, `−H_i⁻¹ g_i`, takes away the pull to first order (the desparsified
//! lasso of van de Geer, Bühlmann, Ritov and Dezeure 2014, with the inverse itself as there are more rows than
//! columns). Further steps would end at the maximum of the pseudolikelihood, which with few rows is too far from 0.
//! Each pair has two such estimates, of i given j and of j given i; the result is their mean. Its error is the
//! sandwich of Huber: the variance over the rows of what one of them adds to that mean.

use super::rows::{Columns, Network, num_pairs, pairs};
use super::solver::Solver;
use crate::linalg::{dot, product};
use nalgebra::{Cholesky, DMatrix, Dyn};

/// Least square of a diagonal entry of a Cholesky factor, relative to that of the matrix, with which the inverse
/// has some digits.
const LEAST_PIVOT: f64 = 1e-10;

/// Multiplications of a piece of work, some milliseconds.
const PIECE_COST: usize = 1 << 22;

/// Estimates of all pairs; NaN where the rows do not determine one.
#[derive(Debug, Clone, PartialEq)]
pub struct Debiased {
    /// J_ij, i < j.
    pub estimates: Vec<f64>,
    /// Their standard errors; empty if they were not asked for.
    pub standard_errors: Vec<f64>,
}

/// Whether one of the four combinations of two columns never occurs, from the shares of rows in which each and both
/// are on. Without a penalty their coupling is then infinite.
fn has_empty_cell(first: f64, second: f64, both: f64) -> bool {
    let cells = [both, first - both, second - both, 1.0 - first - second + both];
    // The shares are sums of weights, each at least one of 2^23 rows.
    cells.iter().any(|share| *share < 1e-9)
}

/// The computation, by pieces: site after site, then the errors by blocks of rows.
pub struct Debiasing {
    /// `[dim, numDistinct]`: the derivatives with respect to the fields.
    slopes: Vec<f64>,
    /// `[dim, dim, dim]`: H_i⁻¹ of each site so far.
    inverses: Vec<f64>,
    /// `[dim, dim]`: −H_i⁻¹ g_i, the change of c_i in the place of J_ii and of 2 J_ij elsewhere.
    changes: Vec<f64>,
    /// Fields of the penalized network.
    fields: Vec<f64>,
    num_sites: usize,
    /// Sums over the rows so far, for each pair; none without errors.
    sums: Option<PairSums>,
    num_rows: usize,
}

/// Sums over rows, for each pair.
struct PairSums {
    /// Squares of what each row adds to the estimate.
    squares: Vec<f64>,
    /// The share of rows in which both are on.
    both: Vec<f64>,
}

impl Debiasing {
    /// The computation at a network.
    pub fn new(solver: &Solver, network: &Network, with_errors: bool) -> Self {
        let dim = solver.columns().dim();
        Self {
            slopes: Vec::new(),
            inverses: Vec::new(),
            changes: Vec::new(),
            fields: solver.columns().fields(network),
            num_sites: 0,
            sums: with_errors.then(|| PairSums {
                squares: vec![0.0; num_pairs(dim)],
                both: vec![0.0; num_pairs(dim)],
            }),
            num_rows: 0,
        }
    }

    /// One piece. Returns the estimates after the last.
    pub fn advance(&mut self, solver: &Solver, network: &Network) -> Option<Debiased> {
        let columns = solver.columns();
        let dim = columns.dim();
        if self.num_sites < dim {
            self.add_site(solver);
            return None;
        }
        if self.sums.is_some() && self.num_rows < columns.num_distinct() {
            self.add_rows(columns);
            return None;
        }
        let change = |i: usize, j: usize| self.changes[i * dim + j] + self.changes[j * dim + i];
        let mut estimates: Vec<f64> = pairs(dim)
            .zip(&network.couplings)
            .map(|([i, j], coupling)| coupling + 0.25 * change(i, j))
            .collect();
        let mut standard_errors = Vec::new();
        if let Some(sums) = &self.sums {
            for (pair, [i, j]) in pairs(dim).enumerate() {
                if has_empty_cell(columns.mean(i), columns.mean(j), sums.both[pair]) {
                    estimates[pair] = f64::NAN;
                }
                let square = sums.squares[pair] / (16.0 * (columns.num_rows() - dim as f64));
                let error = if estimates[pair].is_nan() { f64::NAN } else { square.sqrt() };
                standard_errors.push(error);
            }
        }
        Some(Debiased { estimates, standard_errors })
    }

    /// The inverse Hessian of the loss of one site, and its Newton step.
    fn add_site(&mut self, solver: &Solver) {
        let columns = solver.columns();
        let (dim, count) = (columns.dim(), columns.num_distinct());
        let site = self.num_sites;
        let derivatives = solver.of_site(site, &self.fields[site * count..][..count]);
        let inverse = inverse_hessian(columns, site, &derivatives.curvatures);
        let gradient: Vec<f64> =
            (0..dim).map(|at| along(columns, site, at, &derivatives.slopes)).collect();
        self.changes.extend(inverse.chunks_exact(dim).map(|row| -dot(row, &gradient)));
        self.inverses.extend(inverse);
        self.slopes.extend(derivatives.slopes);
        self.num_sites += 1;
    }

    /// The squares of what the next rows add to the estimates.
    fn add_rows(&mut self, columns: &Columns) {
        let (dim, count) = (columns.dim(), columns.num_distinct());
        let size = (PIECE_COST / (dim * dim * dim)).clamp(1, count - self.num_rows);
        let range = self.num_rows..self.num_rows + size;
        // What each row adds to the Newton step of each site: `[dim, dim, size]`, site, parameter, row.
        let mut added = vec![0.0; dim * dim * size];
        let mut scaled = vec![0.0; dim * size];
        let weights = &columns.weights()[range.clone()];
        for site in 0..dim {
            let slopes = &self.slopes[site * count..][..count][range.clone()];
            for at in 0..dim {
                let x = &columns.centred(at)[range.clone()];
                let scaled = &mut scaled[at * size..][..size];
                for (row, scaled) in scaled.iter_mut().enumerate() {
                    let x = if at == site { 1.0 } else { x[row] };
                    *scaled = -slopes[row] / weights[row] * x;
                }
            }
            let inverse = &self.inverses[site * dim * dim..][..dim * dim];
            product(dim, dim, inverse, &scaled, &mut added[site * dim * size..][..dim * size]);
        }
        let Some(sums) = &mut self.sums else { return };
        let of_pairs = sums.squares.iter_mut().zip(&mut sums.both);
        for ([i, j], (square, both)) in pairs(dim).zip(of_pairs) {
            let mean = self.changes[i * dim + j] + self.changes[j * dim + i];
            let [of_i, of_j] =
                [[i, j], [j, i]].map(|[site, at]| &added[(site * dim + at) * size..][..size]);
            let [signs_i, signs_j] = [i, j].map(|site| &columns.signs(site)[range.clone()]);
            for (row, weight) in weights.iter().enumerate() {
                let deviation = of_i[row] + of_j[row] - mean;
                *square += weight * deviation * deviation;
                *both += if signs_i[row] + signs_j[row] > 0.0 { *weight } else { 0.0 };
            }
        }
        self.num_rows += size;
    }
}

/// The sum over rows of these numbers times what a site's loss multiplies parameter `at` by: 1 in the place of the
/// site itself, the column elsewhere.
fn along(columns: &Columns, site: usize, at: usize, numbers: &[f64]) -> f64 {
    if at == site { numbers.iter().sum() } else { dot(numbers, columns.centred(at)) }
}

/// The inverse Hessian of the loss of one site, `[dim, dim]`; NaN where the rows do not determine its parameters.
fn inverse_hessian(columns: &Columns, site: usize, curvatures: &[f64]) -> Vec<f64> {
    let dim = columns.dim();
    let is_constant = |at: usize| at != site && columns.is_constant(at);
    let mut hessian = DMatrix::zeros(dim, dim);
    for i in 0..dim {
        if is_constant(i) {
            hessian[(i, i)] = 1.0;
            continue;
        }
        let scaled: Vec<f64> = match i == site {
            true => curvatures.to_vec(),
            false => curvatures.iter().zip(columns.centred(i)).map(|(c, x)| c * x).collect(),
        };
        for j in i..dim {
            let entry = along(columns, site, j, &scaled);
            hessian[(i, j)] = entry;
            hessian[(j, i)] = entry;
        }
    }
    let diagonal = hessian.diagonal();
    let is_determined = |factor: &Cholesky<f64, Dyn>| {
        let pivots = factor.l_dirty().diagonal();
        !columns.is_constant(site)
            && pivots.iter().zip(&diagonal).all(|(l, h)| l * l > LEAST_PIVOT * h)
    };
    let Some(factor) = Cholesky::new(hessian).filter(is_determined) else {
        return vec![f64::NAN; dim * dim];
    };
    let mut inverse = factor.inverse().as_slice().to_vec();
    for at in (0..dim).filter(|at| is_constant(*at)) {
        inverse[at * dim..(at + 1) * dim].fill(f64::NAN);
    }
    inverse
}
