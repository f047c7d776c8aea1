//! Families: how many there are, what is next to which, their text.

use super::{generator, kernel};
use crate::base::{Base, Family};
use crate::expression::{Expression, Shape};
use crate::moves::{all_moves, bases, distinct, first};
use crate::params::num_params;
use crate::parse::parse;
use crate::rng::uniform;
use std::collections::BTreeSet;

/// All families next to a family, in canonical form, in the order of the moves.
fn next(shape: &Shape) -> Vec<Shape> {
    let kernel = kernel(&shape.to_string(), &mut generator(0));
    all_moves(&kernel, &bases(&Family::ALL, 1)).iter().map(Expression::shape).collect()
}

/// The numbers of multisets: Σ over the partitions of n leaves into parts gives 4, 20, 120, 860 for four base kernels.
#[test]
fn families_of_each_depth() {
    let mut level: Vec<Shape> =
        first(&bases(&Family::ALL, 1)).iter().map(Expression::shape).collect();
    let mut known: BTreeSet<String> = level.iter().map(Shape::to_string).collect();
    let mut counts = vec![known.len()];
    for _ in 1..4 {
        level = level.iter().flat_map(next).filter(|it| known.insert(it.to_string())).collect();
        counts.push(level.len());
    }
    assert_eq!(counts, [4, 20, 120, 860]);
}

#[test]
fn neighbours_of_a_family() {
    let count = |text: &str| {
        let all = next(&parse(text).expect("a family"));
        let distinct: BTreeSet<String> = all.iter().map(Shape::to_string).collect();
        (all.len(), distinct.len())
    };
    assert_eq!(count("SE"), (11, 11));
    assert_eq!(count("SE + PER"), (30, 22));
}

#[test]
fn a_search_leaves_out_what_it_knows() {
    let start = kernel("SE", &mut generator(0));
    let bases = bases(&Family::ALL, 1);
    let mut known: BTreeSet<String> =
        first(&bases).iter().map(|it| it.shape().to_string()).collect();
    let found = distinct(all_moves(&start, &bases), &mut known);
    // Of the 11, three are base kernels, and SE × SE is an SE.
    let texts: Vec<String> = found.iter().map(|it| it.text(1)).collect();
    let sums = ["SE + SE", "SE + PER", "SE + LIN", "SE + RQ"];
    let products = ["SE × PER", "SE × LIN", "SE × RQ"];
    assert_eq!(texts, [&sums[..], &products[..]].concat());
    assert_eq!(distinct(all_moves(&start, &bases), &mut known), []);
}

fn random(depth: usize, rng: &mut crate::rng::ChainRng) -> Shape {
    let mut below = |count: usize| (uniform(rng) * count as f64) as usize;
    let (kind, count) = (below(if depth == 0 { 1 } else { 3 }), 2 + below(2));
    if kind == 0 {
        return Shape::Base(Base::new(Family::ALL[below(4)], below(12)));
    }
    let parts = (0..count).map(|_| random(depth - 1, rng)).collect();
    if kind == 1 { Shape::Sum(parts) } else { Shape::Product(parts) }
}

#[test]
fn what_is_printed_is_read_again() {
    let mut rng = generator(1);
    for _ in 0..500 {
        let shape = random(3, &mut rng).canonical();
        assert_eq!(parse(&shape.to_string()).expect("a family").canonical(), shape);
        assert_eq!(shape.canonical(), shape);
    }
    let read = |text: &str| parse(text).expect("a family").canonical().text(1);
    assert_eq!(read("lin+per*se"), "SE × PER + LIN");
    assert_eq!(read("(RQ + (SE)) x LIN"), "(SE + RQ) × LIN");
    let two = parse("SE_2 × PER₁ + SE3").expect("a family");
    assert_eq!(two.canonical().text(3), "SE₂ × PER₁ + SE₃");
}

#[test]
fn what_is_no_family_is_refused() {
    let deep = "(".repeat(100);
    for text in ["", "SE +", "SE SE", "(SE", "SE)", "MAT", "SE_", "SE_0", "SE_12345678", &deep] {
        let error = parse(text).expect_err(text);
        assert_eq!(error.field(), Some("kernel"), "{text}");
    }
}

#[test]
fn sums_written_out() {
    let written = |text: &str| {
        let components = parse(text).expect("a family").canonical().components();
        components.iter().map(|each| each.text(4)).collect::<Vec<_>>()
    };
    assert_eq!(written("SE_1 × (RQ_1 + LIN_1)"), ["SE₁ × RQ₁", "SE₁ × LIN₁"]);
    assert_eq!(
        written("(SE_1 + SE_2) × (SE_3 + SE_4) + PER_1"),
        ["SE₁ × SE₃", "SE₁ × SE₄", "SE₂ × SE₃", "SE₂ × SE₄", "PER₁"]
    );
}

#[test]
fn a_product_has_one_scale() {
    let count = |text: &str| num_params(&parse(text).expect("a family").canonical());
    assert_eq!(["SE", "PER", "LIN", "RQ"].map(count), [2, 3, 3, 3]);
    assert_eq!(count("SE × PER + LIN"), 2 + 3 - 1 + 3);
    assert_eq!(count("(SE + PER) × (LIN + RQ)"), 2 + 3 + 3 + 3 - 1);
    assert_eq!(count("SE × (LIN + RQ × PER)"), 2 + 3 + 3 + 3 - 2);
}
