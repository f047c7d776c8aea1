//! Checks of the optimizer on objectives whose minimum is known.

use super::*;

const LIMITS: Limits = Limits { memory: 5, max_iterations: 1000, tolerance: 1e-8 };

/// Rosenbrock's valley in pairs of coordinates.
fn rosenbrock(x: &[f64]) -> (f64, Vec<f64>) {
    let mut value = 0.0;
    let mut gradient = vec![0.0; x.len()];
    for (x, g) in x.chunks_exact(2).zip(gradient.chunks_exact_mut(2)) {
        let (rise, rest) = (x[1] - x[0] * x[0], 1.0 - x[0]);
        value += 100.0 * rise * rise + rest * rest;
        g[0] = -400.0 * x[0] * rise - 2.0 * rest;
        g[1] = 200.0 * rise;
    }
    (value, gradient)
}

fn run(search: &mut Lbfgs, objective: impl Fn(&[f64]) -> (f64, Vec<f64>)) -> Stop {
    loop {
        if let Some(stop) = search.stop() {
            return stop;
        }
        assert!(search.num_evaluations() < 20_000, "no end");
        let (value, gradient) = objective(&search.ask());
        search.tell(value, &gradient);
    }
}

#[test]
fn finds_the_end_of_the_valley() {
    let mut search = Lbfgs::new(vec![-1.2, 1.0, 3.0, -4.0], LIMITS);
    assert_eq!(run(&mut search, rosenbrock), Stop::Converged);
    assert!(search.point().iter().all(|x| (x - 1.0).abs() < 1e-6), "{:?}", search.point());
    assert!(search.gradient_norm() <= LIMITS.tolerance);
    assert!(search.num_evaluations() < 120, "{} evaluations", search.num_evaluations());
}

/// The state goes through bytes and back after every evaluation: the crate's memory is given its
/// history again each time and must return the same bits.
#[test]
fn a_memory_told_its_history_again_gives_the_same_bits() {
    let mut straight = Lbfgs::new(vec![-1.2, 1.0, 3.0, -4.0], LIMITS);
    let mut hopping = Lbfgs::new(vec![-1.2, 1.0, 3.0, -4.0], LIMITS);
    let mut wrapped = false;
    while straight.stop().is_none() {
        let bytes = postcard::to_allocvec(&hopping).expect("plain data");
        assert_eq!(bytes, postcard::to_allocvec(&straight).expect("plain data"));
        hopping = postcard::from_bytes(&bytes).expect("its own bytes");
        assert!(hopping.memory.is_none());
        assert!(hopping.continues(&Lbfgs::new(vec![0.0; 4], LIMITS)));
        let (value, gradient) = rosenbrock(&straight.ask());
        straight.tell(value, &gradient);
        hopping.tell(value, &gradient);
        wrapped |= straight.num_iterations() > LIMITS.memory + 1;
    }
    assert!(wrapped, "the memory never had to forget");
    assert_eq!(hopping.stop(), straight.stop());
    assert_eq!(hopping.point(), straight.point());
}

#[test]
fn the_iterations_allowed_are_not_exceeded() {
    let mut search = Lbfgs::new(vec![-1.2, 1.0], Limits { max_iterations: 3, ..LIMITS });
    assert_eq!(run(&mut search, rosenbrock), Stop::MaxIterations);
    assert_eq!(search.num_iterations(), 3);
}

#[test]
fn an_objective_that_is_not_finite_at_the_start_ends_at_once() {
    for (value, gradient) in [(f64::NAN, 1.0), (f64::INFINITY, 1.0), (1.0, f64::NAN)] {
        let mut search = Lbfgs::new(vec![0.0], LIMITS);
        assert_eq!(run(&mut search, |_| (value, vec![gradient])), Stop::NotFinite);
    }
}

#[test]
fn infinite_values_further_off_are_walked_around() {
    // −ln x + x has its minimum at 1 and is infinite for x ≤ 0.
    let objective = |x: &[f64]| match x[0] > 0.0 {
        true => (x[0] - crate::math::ln(x[0]), vec![1.0 - 1.0 / x[0]]),
        false => (f64::INFINITY, vec![f64::NAN]),
    };
    let mut search = Lbfgs::new(vec![1e-3], LIMITS);
    assert_eq!(run(&mut search, objective), Stop::Converged);
    assert!((search.point()[0] - 1.0).abs() < 1e-6);
}

#[test]
fn a_tolerance_beyond_double_precision_ends_without_descent() {
    // As if rounding made one gradient entry 1e-12 at every point.
    let objective = |x: &[f64]| (1.0 + x[0] * x[0], vec![2.0 * x[0], 1e-12]);
    let mut search = Lbfgs::new(vec![3.0, 0.0], Limits { tolerance: 1e-15, ..LIMITS });
    assert_eq!(run(&mut search, objective), Stop::NoDescent);
    assert!(search.point()[0].abs() < 1e-6);
    assert!(search.num_evaluations() < 500, "{} evaluations", search.num_evaluations());
}
