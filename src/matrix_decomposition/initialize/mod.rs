//! Applies a production to a matrix: draws from the production's own model, given that it comes to this matrix exactly
//! (thesis, section 4.1).

mod binary;
mod clustering;
mod rank;
mod vertices;

use crate::expression::{Expression, Factor};
use crate::matrix::Matrix;
use crate::moves::{Move, Rule, Step};
use crate::rng::{ChainRng, normal};
use crate::tree::{Bernoulli, Gaussian, Multinomial, Node, Part, Product, Scale, Scales, Sum};

/// Maximum number of latent dimensions of a product.
pub const MAX_RANK: usize = 20;

/// Sweeps over a new term alone.
const NUM_SWEEPS: usize = 20;

/// The structure G of a matrix of data.
pub fn structureless(data: Matrix, rng: &mut ChainRng) -> Node {
    let (rows, cols) = (Scales::shared(data.num_rows()), Scales::shared(data.num_cols()));
    let mut node = Node::Gaussian(Gaussian::new(data, rows, cols));
    node.sweep(rng);
    node
}

/// The steps between neighbours of each dimension of a matrix: 1 for latent dimensions.
#[derive(Clone, Copy)]
pub struct Steps<'a> {
    /// One for each row, since the row before.
    pub rows: &'a [f64],
    /// One for each column.
    pub cols: &'a [f64],
}

/// Applies a move. What the matrix of the place is, stays.
///
/// # Panics
/// If the move is not one of the structure's.
pub fn expand(node: &mut Node, step: &Move, steps: Steps<'_>, rng: &mut ChainRng) {
    expand_at(node, &step.path, step.rule, steps, rng);
}

fn expand_at(node: &mut Node, path: &[Step], rule: Rule, steps: Steps<'_>, rng: &mut ChainRng) {
    let Some((first, rest)) = path.split_first() else {
        return expand_here(node, rule, steps, rng);
    };
    match (node, first) {
        (Node::Scale(scale), Step::LogScales) => {
            expand_at(&mut scale.log_scales, rest, rule, steps, rng);
        }
        (Node::Sum(sum), Step::Noise) => expand_at(&mut sum.noise, rest, rule, steps, rng),
        (Node::Sum(sum), Step::Left(at)) => {
            let Product { left, right } = &mut sum.terms[*at];
            expand_part(left, right, rest, rule, steps.rows, rng);
        }
        (Node::Sum(sum), Step::Right(at)) => {
            let Product { left, right } = &mut sum.terms[*at];
            expand_part(right, left, rest, rule, steps.cols, rng);
        }
        _ => panic!("no such place"),
    }
}

fn expand_part(
    part: &mut Part,
    other: &Part,
    rest: &[Step],
    rule: Rule,
    rows: &[f64],
    rng: &mut ChainRng,
) {
    let ones = vec![1.0; part.num_cols()];
    let cols = if let Part::Chain(steps) = other { steps } else { &ones };
    let steps = Steps { rows, cols };
    match part {
        Part::Real(node) => expand_at(node, rest, rule, steps, rng),
        Part::Multinomial(Multinomial { probabilities, .. }) if rule == Rule::Overlap => {
            let probabilities = probabilities.iter().map(|p| p.clamp(1e-12, 1.0 - 1e-12)).collect();
            let value = part.matrix().into_owned();
            *part = Part::Bernoulli(Bernoulli { value, probabilities });
        }
        _ => {
            let matrix = part.matrix().into_owned();
            let (rows, cols) = (Scales::shared(matrix.num_rows()), Scales::free(matrix.num_cols()));
            let mut node = Node::Gaussian(Gaussian::new(matrix, rows, cols));
            expand_here(&mut node, rule, steps, rng);
            *part = Part::Real(node);
        }
    }
}

fn expand_here(node: &mut Node, rule: Rule, steps: Steps<'_>, rng: &mut ChainRng) {
    let Some(term) = rule.term() else {
        let Node::Gaussian(gaussian) = node else { panic!("the production does not apply") };
        *node = Node::Scale(sparse(gaussian, rng));
        return;
    };
    let (rows, cols) = node.scales();
    let (rows, cols) = (rows.clone(), cols.clone());
    let value = match &*node {
        Node::Sum(sum) => sum.noise.value(),
        other => other.value(),
    };
    let product = match (&term.left, &term.right) {
        (_, Factor::Real(Expression::Gaussian)) => {
            first(&term.left, value, &rows, &cols, steps, rng)
        }
        (_, right) => {
            let steps = Steps { rows: steps.cols, cols: steps.rows };
            let Product { left, right } =
                first(right, &value.transposed(), &cols, &rows, steps, rng);
            Product { left: right, right: left }
        }
    };
    let noise = Gaussian::new(value.clone(), rows, cols);
    let mut new =
        Sum { terms: vec![product], noise: Box::new(Node::Gaussian(noise)), value: value.clone() };
    new.settle();
    new.noise.sweep(rng);
    (0..NUM_SWEEPS).for_each(|_| new.sweep(rng));
    match node {
        Node::Sum(sum) => {
            sum.terms.append(&mut new.terms);
            match (&mut *sum.noise, *new.noise) {
                (Node::Gaussian(noise), Node::Gaussian(new)) => *noise = new,
                (noise, new) => noise.set_value(new.value().clone()),
            }
        }
        other => *other = Node::Sum(new),
    }
}

/// A random start of exp(Z) ∘ G.
fn sparse(gaussian: &Gaussian, rng: &mut ChainRng) -> Scale {
    let Gaussian { value, rows, cols, .. } = gaussian;
    let (num_rows, num_cols) = (value.num_rows(), value.num_cols());
    let z = Matrix::from_fn(num_rows, num_cols, |_, _| 0.5 * normal(rng));
    let mut log_scales = Node::Gaussian(Gaussian::new(z, plain(rows), plain(cols)));
    log_scales.sweep(rng);
    let mut scale = Scale {
        log_scales: Box::new(log_scales),
        gaussian: gaussian.clone(),
        value: value.clone(),
    };
    scale.settle();
    let mut node = Node::Scale(scale);
    (0..NUM_SWEEPS).for_each(|_| node.sweep(rng));
    let Node::Scale(scale) = node else { unreachable!("a sweep keeps the structure") };
    scale
}

/// Scales like these at their start: free ones are 1.
fn plain(scales: &Scales) -> Scales {
    if scales.are_free { Scales::free(scales.variances.len()) } else { scales.clone() }
}

/// A real factor with these rows, and latent columns.
fn factor(value: Matrix, rows: &Scales, rng: &mut ChainRng) -> Part {
    let cols = Scales::free(value.num_cols());
    let mut node = Node::Gaussian(Gaussian::new(value, plain(rows), cols));
    node.sweep(rng);
    Part::Real(node)
}

/// The root of the mean square of each column; 1 for columns of zeros.
fn root_mean_squares(matrix: &Matrix) -> Vec<f64> {
    let mut squares = vec![0.0; matrix.num_cols()];
    for row in matrix.rows() {
        squares.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
    }
    let root = |sum: f64| if sum > 0.0 { (sum / matrix.num_rows() as f64).sqrt() } else { 1.0 };
    squares.into_iter().map(root).collect()
}

/// The columns divided by these.
fn divided(matrix: &Matrix, by: &[f64]) -> Matrix {
    Matrix::from_fn(matrix.num_rows(), matrix.num_cols(), |row, col| matrix.at(row, col) / by[col])
}

/// A first term whose left factor is of this kind, and whose right factor is G.
fn first(
    kind: &Factor,
    value: &Matrix,
    rows: &Scales,
    cols: &Scales,
    steps: Steps<'_>,
    rng: &mut ChainRng,
) -> Product {
    // Columns that are latent dimensions differ in scale: they are brought to one.
    let scale = if cols.are_free { root_mean_squares(value) } else { vec![1.0; value.num_cols()] };
    let scaled = divided(value, &scale);
    match kind {
        Factor::Real(_) => {
            let height = if rows.are_free {
                root_mean_squares(&scaled.transposed())
            } else {
                vec![1.0; scaled.num_rows()]
            };
            let even = divided(&scaled.transposed(), &height).transposed();
            let (left, right) = rank::factors(&even);
            let left = times_rows(&left, &height);
            Product {
                left: factor(left, rows, rng),
                right: factor(times_rows(&right, &scale), cols, rng),
            }
        }
        Factor::Multinomial => {
            let (labels, centres) = clustering::clusters(&scaled, rng);
            let count = centres.num_rows();
            let probabilities = vec![1.0 / count as f64; count];
            Product {
                left: Part::Multinomial(Multinomial { labels, probabilities }),
                right: factor(times_rows(&centres.transposed(), &scale), cols, rng),
            }
        }
        Factor::Bernoulli => {
            let (value, features) = binary::attributes(&scaled, rng);
            let probabilities = vec![0.5; value.num_cols()];
            Product {
                left: Part::Bernoulli(Bernoulli { value, probabilities }),
                right: factor(times_rows(&features.transposed(), &scale), cols, rng),
            }
        }
        Factor::Chain => chain(value, cols, steps.rows),
    }
}

/// The rows times these.
fn times_rows(matrix: &Matrix, by: &[f64]) -> Matrix {
    Matrix::from_fn(matrix.num_rows(), matrix.num_cols(), |row, col| by[row] * matrix.at(row, col))
}

/// Random walks down the columns: their share of the variance is that which the neighbouring differences tell.
fn chain(value: &Matrix, cols: &Scales, steps: &[f64]) -> Product {
    let (num_rows, num_cols) = (value.num_rows(), value.num_cols());
    let difference = |row: usize, col| value.at(row, col) - value.at(row - 1, col);
    let (mut square, mut neighbours) = (0.0, 0.0);
    for row in 1..num_rows {
        for col in 0..num_cols {
            square += difference(row, col) * difference(row, col);
            if row > 1 {
                neighbours += difference(row, col) * difference(row - 1, col);
            }
        }
    }
    // Differences of a walk plus noise have the variance q + 2r, and neighbours the covariance −r.
    let noise_share = if square > 0.0 { (-neighbours / square).clamp(0.05, 0.475) } else { 0.25 };
    let share = 1.0 - 2.0 * noise_share;
    // Smoothed by a gain that the two variances give, forward and backward.
    let ratio = share / noise_share;
    let gain = 0.5 * ((ratio * ratio + 4.0 * ratio).sqrt() - ratio);
    let mut smooth = value.clone();
    for row in 1..num_rows {
        for col in 0..num_cols {
            let before = smooth.at(row - 1, col);
            let entry = smooth.at_mut(row, col);
            *entry = before + gain * (*entry - before);
        }
    }
    for row in (0..num_rows.saturating_sub(1)).rev() {
        for col in 0..num_cols {
            let after = smooth.at(row + 1, col);
            let entry = smooth.at_mut(row, col);
            *entry = after + gain * (*entry - after);
        }
    }
    let innovations = Matrix::from_fn(num_cols, num_rows, |col, row| {
        smooth.at(row, col) - if row == 0 { 0.0 } else { smooth.at(row - 1, col) }
    });
    let walk = Scales { variances: steps.to_vec(), are_free: false };
    let mut gaussian = Gaussian::new(innovations, plain(cols), walk);
    let squares = gaussian.value.squares() / (num_rows * num_cols) as f64;
    gaussian.variance = if cols.are_free { 1.0 } else { squares.max(1e-12) };
    if cols.are_free {
        let each = gaussian.value.rows().map(|row| row.iter().map(|x| x * x).sum::<f64>());
        let variances = each.map(|sum| (sum / num_rows as f64).max(1e-12));
        gaussian.rows.variances = variances.collect();
    }
    Product { left: Part::Chain(steps.to_vec()), right: Part::Real(Node::Gaussian(gaussian)) }
}
