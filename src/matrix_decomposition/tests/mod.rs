//! Laws and exact truths.

mod densities;
mod grammar;
mod joint;
mod productions;

use crate::expression::{Expression, Factor};
use crate::matrix::Matrix;
use crate::rng::{ChainRng, Purpose, below, gamma, normal, stream, uniform};
use crate::tree::{
    Bernoulli, Gaussian, Multinomial, Node, Part, Product, Scale, Scales, Sum, VariancePrior,
};

fn generator(index: u64) -> ChainRng {
    stream(1, Purpose::Example, index)
}

/// A prior with moments.
const PRIOR: VariancePrior = VariancePrior { shape: 5.0, rate: 4.0 };

/// A matrix of standard normal numbers.
fn normals(num_rows: usize, num_cols: usize, rng: &mut ChainRng) -> Matrix {
    Matrix::from_fn(num_rows, num_cols, |_, _| normal(rng))
}

/// A dimension: the steps between its neighbours; none for a latent one.
#[derive(Clone)]
enum Dimension {
    Data(Vec<f64>),
    Latent(usize),
}

impl Dimension {
    fn len(&self) -> usize {
        match self {
            Self::Data(steps) => steps.len(),
            Self::Latent(len) => *len,
        }
    }

    fn scales(&self, rng: &mut ChainRng) -> Scales {
        match self {
            // Walks have the steps as weights; other matrices do not.
            Self::Data(steps) => Scales { variances: vec![1.0; steps.len()], are_free: false },
            Self::Latent(len) => Scales {
                variances: (0..*len).map(|_| PRIOR.rate / gamma(rng, PRIOR.shape)).collect(),
                are_free: true,
            },
        }
    }
}

/// A draw of all matrices of a structure from their prior, with this many latent dimensions.
fn simulated(
    structure: &Expression,
    rows: &Dimension,
    cols: &Dimension,
    rank: usize,
    rng: &mut ChainRng,
) -> Node {
    match structure {
        Expression::Gaussian => Node::Gaussian(gaussian(rows.scales(rng), cols.scales(rng), rng)),
        Expression::Scale(inner) => {
            let log_scales = simulated(inner, rows, cols, rank, rng);
            let gaussian = gaussian(rows.scales(rng), cols.scales(rng), rng);
            let value = gaussian.value.clone();
            let mut scale = Scale { log_scales: Box::new(log_scales), gaussian, value };
            scale.value = Node::Scale(scale.clone()).evaluated();
            Node::Scale(scale)
        }
        Expression::Sum(terms, noise) => {
            let terms = terms.iter().map(|term| {
                let chain = |factor: &Factor, dimension: &Dimension| {
                    matches!(factor, Factor::Chain).then(|| dimension.clone())
                };
                let inner = chain(&term.left, rows).or(chain(&term.right, cols));
                let inner = inner.unwrap_or(Dimension::Latent(rank));
                Product {
                    left: part(&term.left, rows, &inner, rank, rng),
                    right: part(&term.right, cols, &inner, rank, rng),
                }
            });
            let terms = terms.collect();
            let noise = Box::new(simulated(noise, rows, cols, rank, rng));
            let value = noise.value().clone();
            let mut sum = Sum { terms, noise, value };
            sum.value.add(1.0, &sum.signal());
            Node::Sum(sum)
        }
    }
}

fn gaussian(rows: Scales, cols: Scales, rng: &mut ChainRng) -> Gaussian {
    let value = Matrix::zeros(rows.variances.len(), cols.variances.len());
    let mut gaussian = Gaussian { prior: PRIOR, ..Gaussian::new(value, rows, cols) };
    if !gaussian.rows.are_free && !gaussian.cols.are_free {
        gaussian.variance = PRIOR.rate / gamma(rng, PRIOR.shape);
    }
    redraw(&mut gaussian, rng);
    gaussian
}

/// Draws the matrix given its variances.
fn redraw(gaussian: &mut Gaussian, rng: &mut ChainRng) {
    let variances = gaussian.variances();
    let (num_rows, num_cols) = (gaussian.value.num_rows(), gaussian.value.num_cols());
    let value =
        Matrix::from_fn(num_rows, num_cols, |row, col| variances.at(row, col).sqrt() * normal(rng));
    drop(variances);
    gaussian.value = value;
}

fn part(
    factor: &Factor,
    rows: &Dimension,
    inner: &Dimension,
    rank: usize,
    rng: &mut ChainRng,
) -> Part {
    match factor {
        Factor::Real(structure) => {
            let mut node = simulated(structure, rows, inner, rank, rng);
            // The variances of innovations are in proportion to the steps.
            if let (Node::Gaussian(gaussian), Dimension::Data(steps)) = (&mut node, inner) {
                gaussian.cols.variances.clone_from(steps);
                redraw(gaussian, rng);
            }
            Part::Real(node)
        }
        Factor::Multinomial => {
            let draws: Vec<f64> = (0..inner.len()).map(|_| gamma(rng, 1.0)).collect();
            let total: f64 = draws.iter().sum();
            let probabilities: Vec<f64> = draws.iter().map(|draw| draw / total).collect();
            let logs: Vec<f64> = probabilities.iter().map(|p| crate::math::ln(*p)).collect();
            let labels = (0..rows.len()).map(|_| crate::gibbs::choose(&logs, rng)).collect();
            Part::Multinomial(Multinomial { labels, probabilities })
        }
        Factor::Bernoulli => {
            let probabilities: Vec<f64> = (0..inner.len()).map(|_| uniform(rng)).collect();
            let value = Matrix::from_fn(rows.len(), inner.len(), |_, col| {
                f64::from(u8::from(uniform(rng) < probabilities[col]))
            });
            Part::Bernoulli(Bernoulli { value, probabilities })
        }
        Factor::Chain => {
            let Dimension::Data(steps) = rows else { panic!("a chain of data") };
            Part::Chain(steps.clone())
        }
    }
}

/// A matrix with clusters of rows.
fn clustered(num_rows: usize, num_cols: usize, count: usize, rng: &mut ChainRng) -> Matrix {
    let centres = normals(count, num_cols, rng);
    let labels: Vec<usize> = (0..num_rows).map(|_| below(count, rng)).collect();
    Matrix::from_fn(num_rows, num_cols, |row, col| {
        2.0 * centres.at(labels[row], col) + 0.3 * normal(rng)
    })
}
