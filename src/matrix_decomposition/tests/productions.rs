//! Productions keep the value of what they expand, and find what is there.

use super::{clustered, generator, normals};
use crate::initialize::{Steps, expand, structureless};
use crate::matrix::Matrix;
use crate::moves::{all_moves, moved};
use crate::predict::steps;
use crate::rng::normal;
use crate::tree::{Node, Part, Product};
use std::collections::VecDeque;

fn largest_difference(a: &Matrix, b: &Matrix) -> f64 {
    a.entries().iter().zip(b.entries()).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

/// Every move within three steps of G, along random paths: the matrix is the same before and after, at once and after
/// sweeps, and so is what it is made of.
#[test]
fn no_production_and_no_sweep_changes_the_value() {
    let mut rng = generator(1);
    let data = clustered(9, 8, 3, &mut rng);
    let rows = [0, 1, 3, 4, 5, 8, 9, 10, 11];
    let (rows, cols) = (steps(&rows), vec![1.0; 8]);
    let steps = Steps { rows: &rows, cols: &cols };
    let mut count = 0;
    let mut parents = vec![structureless(data.clone(), &mut rng)];
    for level in 0..3 {
        let mut children = Vec::new();
        for parent in &parents {
            for (at, step) in all_moves(&parent.expression(), true).iter().enumerate() {
                let mut node = parent.clone();
                expand(&mut node, step, steps, &mut rng);
                assert_eq!(node.expression(), moved(&parent.expression(), step));
                for _ in 0..2 {
                    assert!(largest_difference(&node.evaluated(), &data) < 1e-9, "{step:?}");
                    assert_eq!(node.value(), &data);
                    node.sweep(&mut rng);
                }
                count += 1;
                if level == 0 || at % 7 == 3 {
                    children.push(node);
                }
            }
        }
        parents = children;
    }
    assert!(count > 200, "{count}");
}

#[test]
fn a_stripped_structure_comes_back() {
    let mut rng = generator(2);
    let data = clustered(9, 8, 3, &mut rng);
    let ones = vec![1.0; 9];
    let steps = Steps { rows: &ones, cols: &ones[..8] };
    let mut node = structureless(data.clone(), &mut rng);
    for _ in 0..3 {
        let all = all_moves(&node.expression(), false);
        expand(&mut node, &all[1], steps, &mut rng);
        let mut small = node.clone();
        small.strip();
        assert!(small.is_stripped(&node.expression(), 9, 8));
        assert!(
            !small.is_stripped(&node.expression(), 8, 9)
                && !node.is_stripped(&node.expression(), 9, 8)
        );
        small.set_value(data.clone());
        assert!(largest_difference(&small.evaluated(), &data) < 1e-9);
        let (mut one, mut other) = (generator(3), generator(3));
        node.sweep(&mut one);
        small.sweep(&mut other);
        assert_eq!(small, node);
    }
}

fn terms(node: &Node) -> &[Product] {
    let Node::Sum(sum) = node else { panic!("a sum") };
    &sum.terms
}

/// Applies the production of this place to data.
fn first_level(data: Matrix, rule: usize, seed: u64) -> Node {
    let mut rng = generator(seed);
    let ones = vec![1.0; data.num_rows().max(data.num_cols())];
    let steps = Steps { rows: &ones[..data.num_rows()], cols: &ones[..data.num_cols()] };
    let mut node = structureless(data, &mut rng);
    let all = all_moves(&node.expression(), false);
    expand(&mut node, &all[rule], steps, &mut rng);
    node
}

#[test]
fn low_rank_has_the_rank_of_the_data() {
    let mut rng = generator(4);
    for rank in 1..6 {
        let mut data = normals(30, rank, &mut rng).times(&normals(rank, 25, &mut rng));
        data.add(0.3, &normals(30, 25, &mut rng));
        let node = first_level(data, 0, 5);
        assert_eq!(terms(&node)[0].left.matrix().num_cols(), rank);
    }
}

#[test]
fn clusters_are_found_in_rows_and_in_columns() {
    let mut rng = generator(6);
    let centres = normals(4, 20, &mut rng);
    let data =
        Matrix::from_fn(32, 20, |row, col| 2.0 * centres.at(row % 4, col) + 0.5 * normal(&mut rng));
    for (rule, data) in [(1, data.clone()), (2, data.transposed())] {
        let node = first_level(data, rule, 7);
        let Product { left, right } = &terms(&node)[0];
        let part = if rule == 1 { left } else { right };
        let Part::Multinomial(found) = part else { panic!("clusters") };
        for a in 0..32 {
            for b in 0..32 {
                assert_eq!(
                    found.labels[a] == found.labels[b],
                    a % 4 == b % 4,
                    "{:?}",
                    found.labels
                );
            }
        }
    }
}

#[test]
fn attributes_are_found() {
    let mut rng = generator(8);
    let features = normals(3, 20, &mut rng);
    let bits = Matrix::from_fn(40, 3, |row, k| f64::from(u8::from(row >> k & 1 == 1)));
    let mut data = bits.times(&features);
    data.add(0.1, &normals(40, 20, &mut rng));
    let node = first_level(data, 3, 9);
    let Part::Bernoulli(found) = &terms(&node)[0].left else { panic!("bits") };
    assert_eq!(found.value.num_cols(), 3);
    // The columns may come in any order.
    for k in 0..3 {
        let column =
            |bits: &Matrix, k: usize| -> Vec<f64> { (0..40).map(|row| bits.at(row, k)).collect() };
        let is_found = (0..3).any(|other| column(&found.value, other) == column(&bits, k));
        assert!(is_found, "attribute {k}");
    }
}

#[test]
fn a_walk_is_told_from_its_noise() {
    let mut rng = generator(10);
    let mut states = normals(60, 20, &mut rng);
    for row in 1..60 {
        let before = states.row(row - 1).to_vec();
        crate::linalg::axpy(1.0, &before, states.row_mut(row));
    }
    let mut data = states.clone();
    data.add(1.5, &normals(60, 20, &mut rng));
    let mut node = first_level(data, 5, 11);
    let (mut innovation, mut noise) = (0.0, 0.0);
    for _ in 0..50 {
        node.sweep(&mut rng);
        let Node::Sum(sum) = &node else { panic!("a sum") };
        let (Part::Real(Node::Gaussian(steps)), Node::Gaussian(rest)) =
            (&sum.terms[0].right, &*sum.noise)
        else {
            panic!("G")
        };
        innovation += steps.variance / 50.0;
        noise += rest.variance / 50.0;
    }
    assert!((innovation - 1.0).abs() < 0.25, "{innovation}");
    assert!((noise - 2.25).abs() < 0.4, "{noise}");
}

/// The value of a structure's text with these matrices in place of its letters.
fn evaluated(
    text: &mut std::iter::Peekable<std::str::Chars<'_>>,
    leaves: &mut VecDeque<Matrix>,
) -> Matrix {
    let mut sum: Option<Matrix> = None;
    loop {
        let mut product: Option<Matrix> = None;
        while let Some(c) = text.next_if(|c| !matches!(c, '+' | ')')) {
            let factor = match c {
                '(' => {
                    let inner = evaluated(text, leaves);
                    text.next();
                    inner
                }
                'e' => {
                    text.by_ref().take(3).for_each(drop);
                    let z = evaluated(text, leaves);
                    text.by_ref().take(3).for_each(drop);
                    let g = leaves.pop_front().expect("a matrix");
                    Matrix::from_fn(g.num_rows(), g.num_cols(), |row, col| {
                        crate::math::exp(z.at(row, col)) * g.at(row, col)
                    })
                }
                _ => {
                    let leaf = leaves.pop_front().expect("a matrix");
                    if text.next_if_eq(&'ᵀ').is_some() { leaf.transposed() } else { leaf }
                }
            };
            product = Some(product.map_or(factor.clone(), |all| all.times(&factor)));
        }
        let product = product.expect("a factor");
        sum = Some(sum.map_or(product.clone(), |mut all| {
            all.add(1.0, &product);
            all
        }));
        if text.next_if_eq(&'+').is_none() {
            return sum.expect("a term");
        }
    }
}

#[test]
fn the_text_with_the_matrices_in_it_is_the_data() {
    let mut rng = generator(12);
    let data = clustered(9, 8, 3, &mut rng);
    let ones = vec![1.0; 9];
    let steps = Steps { rows: &ones, cols: &ones[..8] };
    let mut count = 0;
    for first in all_moves(&structureless(data.clone(), &mut rng).expression(), false) {
        let mut parent = structureless(data.clone(), &mut rng);
        expand(&mut parent, &first, steps, &mut rng);
        for step in all_moves(&parent.expression(), false) {
            let mut node = parent.clone();
            expand(&mut node, &step, steps, &mut rng);
            let text = node.expression().to_string().replace(' ', "");
            let mut leaves = node.leaves().into_iter().map(|leaf| leaf.value).collect();
            let value = evaluated(&mut text.chars().peekable(), &mut leaves);
            assert!(leaves.is_empty() && largest_difference(&value, &data) < 1e-9, "{text}");
            count += 1;
        }
    }
    assert_eq!(count, 113);
}
