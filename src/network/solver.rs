//! The fit with an L1 penalty: the minimum over c and J of
//!
//! `1/N Σ_n Σ_i φ(m_ni) + λ Σ_{i<j} |J_ij|`,   m_i = (2x_i − 1) f_i,   f_i = c_i + 2 Σ_j J_ij (x_j − μ_j),
//!
//! by proximal Newton steps: φ is replaced by its second-order expansion at the fields f, that is minimized one
//! coordinate at a time (Friedman, Hastie and Tibshirani 2010, section 3), and as much of the step is taken as
//! lowers the objective. Only pairs that are edges, or whose gradient is beyond λ, take part.

use super::rows::{Columns, Network, num_pairs, pairs};
use crate::energy::FlipLoss;
use crate::linalg::{axpy, dot};
use crate::math::ln;

/// Largest violation of the conditions of a minimum that is taken for one: a derivative of the objective, in
/// nats a row.
pub const TOLERANCE: f64 = 1e-8;

/// Maximum number of Newton steps at one penalty; some five are usual.
const MAX_STEPS: usize = 100;

/// Maximum number of passes over the coordinates in a step.
const MAX_PASSES: usize = 200;

/// A pass that changes no derivative by more than this is the last.
const LAST_CHANGE: f64 = 0.1 * TOLERANCE;

/// Maximum number of times that a step is halved.
const MAX_HALVINGS: usize = 40;

/// Share of the decrease that the derivatives promise which a step must reach.
const LEAST_DECREASE: f64 = 0.1;

/// Fits networks to one set of rows.
pub struct Solver {
    columns: Columns,
    loss: FlipLoss,
    /// The pairs that may be edges; all of them if `None`.
    allowed: Option<Vec<bool>>,
}

/// The loss of one site and its derivatives, without the penalty.
pub struct SiteDerivatives {
    /// The mean of the loss over the rows.
    pub loss: f64,
    /// For each row: weight × φ′(m_n) (2x_n − 1), the derivative with respect to f_n.
    pub slopes: Vec<f64>,
    /// For each row: weight × φ″(m_n), the second derivative.
    pub curvatures: Vec<f64>,
}

/// The loss at a network and its derivatives, without the penalty.
struct Derivatives {
    /// The sum over the sites.
    loss: f64,
    /// With respect to c_i.
    of_centres: Vec<f64>,
    /// With respect to J_ij, i < j.
    of_couplings: Vec<f64>,
    /// Of each site alone.
    sites: Vec<SiteDerivatives>,
}

impl Solver {
    /// A solver for these rows. Where `allowed` is given, the other pairs stay without an edge.
    pub fn new(columns: Columns, loss: FlipLoss, allowed: Option<Vec<bool>>) -> Self {
        Self { columns, loss, allowed }
    }

    /// The rows.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The best network without edges.
    pub fn without_edges(&self) -> Network {
        let dim = self.columns.dim();
        let centre = |site: usize| {
            if self.columns.is_constant(site) {
                // There is no minimum. Whatever stands here, no other derivative depends on it.
                return -self.columns.signs(site)[0] * ln(2.0 * self.columns.num_rows() + 1.0);
            }
            let mean = self.columns.mean(site);
            ln((1.0 - mean) / mean)
        };
        Network { centres: (0..dim).map(centre).collect(), couplings: vec![0.0; num_pairs(dim)] }
    }

    /// The least penalty at which there is no edge.
    pub fn greatest_penalty(&self) -> f64 {
        let fields = self.columns.fields(&self.without_edges());
        let slopes = self.derivatives(&fields).of_couplings;
        slopes.iter().fold(0.0, |greatest, slope| slope.abs().max(greatest))
    }

    /// Lets all pairs be edges.
    pub fn allow_all(&mut self) {
        self.allowed = None;
    }

    /// Lets the edges of a network be edges, and no other pair.
    pub fn allow_edges_of(&mut self, network: &Network) {
        self.allowed = Some(network.couplings.iter().map(|coupling| *coupling != 0.0).collect());
    }

    fn is_allowed(&self, pair: usize) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed[pair])
    }

    /// The loss of one site at its fields, and its derivatives with respect to each of them, times the weights.
    pub fn of_site(&self, site: usize, fields: &[f64]) -> SiteDerivatives {
        let columns = &self.columns;
        let signs = columns.signs(site);
        let mut slopes = vec![0.0; fields.len()];
        let mut values: Vec<f64> =
            fields.iter().zip(signs).map(|(field, sign)| field * sign).collect();
        self.loss.at_all(&mut values, &mut slopes);
        let loss = columns.mean_of(&values);
        let mut curvatures = values;
        for (at, (slope, curvature)) in slopes.iter_mut().zip(&mut curvatures).enumerate() {
            *curvature = columns.weights()[at]
                * match self.loss {
                    FlipLoss::Flow => 0.25 * *curvature,
                    FlipLoss::Pseudolikelihood => *slope * (1.0 - *slope),
                };
            *slope *= columns.weights()[at] * signs[at];
        }
        SiteDerivatives { loss, slopes, curvatures }
    }

    /// The loss and its derivatives at these fields.
    fn derivatives(&self, fields: &[f64]) -> Derivatives {
        let columns = &self.columns;
        let (dim, count) = (columns.dim(), columns.num_distinct());
        let sites: Vec<SiteDerivatives> = fields
            .chunks_exact(count)
            .enumerate()
            .map(|(site, fields)| self.of_site(site, fields))
            .collect();
        let of_couplings = pairs(dim)
            .map(|[i, j]| {
                2.0 * (dot(&sites[i].slopes, columns.centred(j))
                    + dot(&sites[j].slopes, columns.centred(i)))
            })
            .collect();
        Derivatives {
            loss: sites.iter().map(|site| site.loss).sum(),
            of_centres: sites.iter().map(|site| site.slopes.iter().sum()).collect(),
            of_couplings,
            sites,
        }
    }

    /// The largest violation of the conditions of a minimum (Tibshirani 1996): a derivative is 0, of an edge with
    /// that of the penalty, and of a pair without an edge at most λ in size.
    fn violation(&self, network: &Network, derivatives: &Derivatives, penalty: f64) -> f64 {
        let of_centres = derivatives.of_centres.iter().enumerate();
        let centres = of_centres
            .filter(|(site, _)| !self.columns.is_constant(*site))
            .map(|(_, slope)| slope.abs());
        let couplings = network.couplings.iter().zip(&derivatives.of_couplings).enumerate();
        let couplings =
            couplings.filter(|(pair, _)| self.is_allowed(*pair)).map(|(_, (coupling, slope))| {
                match *coupling {
                    0.0 => slope.abs() - penalty,
                    coupling => (slope + penalty * coupling.signum()).abs(),
                }
            });
        centres.chain(couplings).fold(0.0, f64::max)
    }

    /// The minimum of the second-order expansion at a network, from its derivatives there.
    fn step(&self, network: &Network, at: &Derivatives, penalty: f64) -> Network {
        let columns = &self.columns;
        let (dim, count) = (columns.dim(), columns.num_distinct());
        let curvatures = |site: usize| &at.sites[site].curvatures[..];
        let centres: Vec<(usize, f64)> = (0..dim)
            .filter(|&site| !columns.is_constant(site))
            .map(|site| (site, curvatures(site).iter().sum()))
            .collect();
        let bend = |i: usize, j: usize| -> f64 {
            curvatures(i).iter().zip(columns.centred(j)).map(|(c, x)| c * x * x).sum()
        };
        let takes_part = |pair: usize| {
            self.is_allowed(pair)
                && (network.couplings[pair] != 0.0 || at.of_couplings[pair].abs() > penalty)
        };
        let working: Vec<(usize, [usize; 2], f64)> = pairs(dim)
            .enumerate()
            .filter(|(pair, _)| takes_part(*pair))
            .map(|(pair, [i, j])| (pair, [i, j], 4.0 * (bend(i, j) + bend(j, i))))
            .collect();
        let mut next = network.clone();
        // Curvature × change of the field, for each field.
        let mut pulls = vec![0.0; dim * count];
        for _ in 0..MAX_PASSES {
            let mut largest = 0.0_f64;
            for (site, curvature) in &centres {
                let pull = &mut pulls[site * count..][..count];
                let slope = at.of_centres[*site] + pull.iter().sum::<f64>();
                let change = -slope / curvature;
                next.centres[*site] += change;
                axpy(change, curvatures(*site), pull);
                largest = largest.max(slope.abs());
            }
            for (pair, [i, j], curvature) in &working {
                let [x_i, x_j] = [*i, *j].map(|site| columns.centred(site));
                let drawn =
                    dot(&pulls[i * count..][..count], x_j) + dot(&pulls[j * count..][..count], x_i);
                let slope = at.of_couplings[*pair] + 2.0 * drawn;
                let old = next.couplings[*pair];
                let new = shrink(old - slope / curvature, penalty / curvature);
                let change = new - old;
                if change == 0.0 {
                    continue;
                }
                next.couplings[*pair] = new;
                add_product(&mut pulls[i * count..][..count], 2.0 * change, curvatures(*i), x_j);
                add_product(&mut pulls[j * count..][..count], 2.0 * change, curvatures(*j), x_i);
                largest = largest.max(change.abs() * curvature);
            }
            if largest <= LAST_CHANGE {
                break;
            }
        }
        next
    }
}

/// The minimum over x of ½(x − value)² + threshold |x|.
fn shrink(value: f64, threshold: f64) -> f64 {
    if value.abs() <= threshold { 0.0 } else { value - threshold * value.signum() }
}

/// `y += a b x`, entry by entry.
fn add_product(y: &mut [f64], a: f64, b: &[f64], x: &[f64]) {
    y.iter_mut().zip(b).zip(x).for_each(|((y, b), x)| *y += a * b * x);
}

/// The way to the network at one penalty, a step at a time.
pub struct Descent {
    penalty: f64,
    network: Network,
    fields: Vec<f64>,
    num_steps: usize,
}

/// Where a descent ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The network.
    pub network: Network,
    /// Whether it is the minimum, up to [`TOLERANCE`].
    pub converged: bool,
}

impl Descent {
    /// The way from a network; from 0 for couplings that must not be edges, and those of constant columns.
    pub fn new(solver: &Solver, penalty: f64, from: Network) -> Self {
        let columns = &solver.columns;
        let mut network = from;
        let centres = solver.without_edges().centres;
        for site in (0..columns.dim()).filter(|site| columns.is_constant(*site)) {
            network.centres[site] = centres[site];
        }
        for (pair, sites) in pairs(columns.dim()).enumerate() {
            if !solver.is_allowed(pair) || sites.iter().any(|site| columns.is_constant(*site)) {
                network.couplings[pair] = 0.0;
            }
        }
        Self { penalty, fields: columns.fields(&network), network, num_steps: 0 }
    }

    /// One Newton step. Returns the network once it is the minimum, or no step gets nearer to it.
    pub fn advance(&mut self, solver: &Solver) -> Option<Fitted> {
        let derivatives = solver.derivatives(&self.fields);
        let converged = solver.violation(&self.network, &derivatives, self.penalty) <= TOLERANCE;
        let is_over = converged || self.num_steps == MAX_STEPS || !self.go(solver, &derivatives);
        self.num_steps += 1;
        is_over.then(|| Fitted { network: self.network.clone(), converged })
    }

    /// As much of a step as lowers the objective. Returns whether there is any.
    fn go(&mut self, solver: &Solver, derivatives: &Derivatives) -> bool {
        let next = solver.step(&self.network, derivatives, self.penalty);
        let size = |network: &Network| -> f64 { network.couplings.iter().map(|j| j.abs()).sum() };
        let before = self.penalty * size(&self.network);
        let promised = self.penalty * size(&next) - before
            + slope_along(&derivatives.of_centres, &self.network.centres, &next.centres)
            + slope_along(&derivatives.of_couplings, &self.network.couplings, &next.couplings);
        let there = solver.columns.fields(&next);
        let mut share = 1.0;
        for _ in 0..MAX_HALVINGS {
            let blend = |from: &[f64], to: &[f64]| -> Vec<f64> {
                from.iter().zip(to).map(|(a, b)| a + share * (b - a)).collect()
            };
            let network = if share == 1.0 {
                next.clone()
            } else {
                Network {
                    centres: blend(&self.network.centres, &next.centres),
                    couplings: blend(&self.network.couplings, &next.couplings),
                }
            };
            let fields = if share == 1.0 { there.clone() } else { blend(&self.fields, &there) };
            let loss = solver.columns.loss(solver.loss, &fields);
            let change = loss - derivatives.loss + self.penalty * size(&network) - before;
            // At the minimum both are rounding errors of sums that are about as large as the loss.
            let rounding = 1e-14 * derivatives.loss;
            if change <= LEAST_DECREASE * share * promised + rounding {
                self.network = network;
                self.fields = fields;
                return true;
            }
            share *= 0.5;
        }
        false
    }
}

fn slope_along(slopes: &[f64], from: &[f64], to: &[f64]) -> f64 {
    slopes.iter().zip(from.iter().zip(to)).map(|(slope, (a, b))| slope * (b - a)).sum()
}
