use super::*;

fn close(ours: &[f64], expected: &[f64]) {
    assert_eq!(ours.len(), expected.len());
    for (a, b) in ours.iter().zip(expected) {
        assert!((a - b).abs() < 1e-15, "{ours:?} {expected:?}");
    }
}

/// Every kind, at sizes from 1 to 100,000, gives K + 1 ascending numbers with exact ends.
#[test]
fn all_are_schedules() {
    for num in [1, 2, 3, 7, 10, 1000, 100_000] {
        for betas in [
            linear(num).unwrap(),
            sigmoidal(num, 4.0).unwrap(),
            sigmoidal(num, 1e-3).unwrap(),
            sigmoidal(num, 12.0).unwrap(),
            geometric(num, 1e-5).unwrap(),
            geometric(num, 0.999).unwrap(),
            by_barrier(&[0.0, 0.1, 0.4, 1.0], &[5.0, 0.0, 1.0], num).unwrap(),
        ] {
            assert_eq!(betas.len(), num + 1);
            assert_eq!((betas[0], betas[num]), (0.0, 1.0));
            assert!(is_schedule(&betas));
        }
    }
    for not in [&[][..], &[0.0], &[1.0], &[0.0, 0.5], &[0.1, 1.0], &[0.0, 0.5, 0.5, 1.0]] {
        assert!(!is_schedule(not), "{not:?}");
    }
    assert!(!is_schedule(&[0.0, f64::NAN, 1.0]));
}

#[test]
fn by_their_formulas() {
    close(&linear(4).unwrap(), &[0.0, 0.25, 0.5, 0.75, 1.0]);
    // σ(−4), σ(−2), ½, σ(2), σ(4).
    let raw = [-4.0, -2.0, 0.0, 2.0, 4.0].map(|x: f64| 1.0 / (1.0 + exp(-x)));
    let expected = raw.map(|r| (r - raw[0]) / (raw[4] - raw[0]));
    close(&sigmoidal(4, 4.0).unwrap(), &expected);
    let fine = sigmoidal(100, 4.0).unwrap();
    (0..=100).for_each(|k| assert!((fine[k] + fine[100 - k] - 1.0).abs() < 1e-15));
    assert!(fine[1] < 0.002 && fine[51] - fine[50] > 0.019, "dense at the ends");
    assert!((sigmoidal(5, 1e-3).unwrap()[1] - 0.2).abs() < 1e-7, "nearly linear");
    close(&geometric(3, 0.01).unwrap(), &[0.0, 0.01, 0.1, 1.0]);
    close(&geometric(1, 0.01).unwrap(), &[0.0, 1.0]);
    close(&binned(&[0.0, 0.2, 1.0], &[2, 4]).unwrap(), &[0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0]);
}

#[test]
fn parts_of_the_barrier_are_equal() {
    // Five units on [0, 0.1], one beyond: each of twelve parts is half a unit.
    let betas = by_barrier(&[0.0, 0.1, 1.0], &[5.0, 1.0], 12).unwrap();
    (0..=10).for_each(|k| assert!((betas[k] - 0.01 * k as f64).abs() < 1e-15));
    assert!((betas[11] - 0.55).abs() < 1e-15);
    let same = [0.0, 0.2, 0.7, 1.0];
    close(&by_barrier(&same, &[1.0, 1.0, 1.0], 3).unwrap(), &same);
    // A length of 0 counts as a thousandth of the mean, so that its β stay distinct.
    let flat = by_barrier(&[0.0, 0.5, 1.0], &[1.0, 0.0], 2).unwrap();
    assert!((flat[1] - 0.5 * 1.0005 / 2.0).abs() < 1e-15, "{flat:?}");
}

/// Compares with all ways to divide ten among three, by the sum of cost over number.
#[test]
fn allocation_is_nearly_the_best() {
    let costs = [0.3, 7.0, 1.1];
    let total = |counts: &[usize]| -> f64 {
        counts.iter().zip(costs).map(|(&count, cost)| cost / count as f64).sum()
    };
    let ours = allocate(&costs, 10).unwrap();
    let mut best = f64::INFINITY;
    for a in 1..9 {
        for b in 1..10 - a {
            best = best.min(total(&[a, b, 10 - a - b]));
        }
    }
    assert!(total(&ours) < 1.02 * best, "{ours:?}");
    assert_eq!(allocate(&[1.0, 4.0, 9.0], 12).unwrap(), [2, 4, 6]);
}

/// Sums are exact and every segment gets at least one, for any costs; ties go to the first.
#[test]
fn allocation_is_exact_for_any_costs() {
    use crate::rng::{Purpose, normal, stream};
    let mut rng = stream(1, Purpose::Example, 0);
    for round in 0..2000 {
        let num_segments = 1 + round % 17;
        let mut costs: Vec<f64> = (0..num_segments).map(|_| exp(6.0 * normal(&mut rng))).collect();
        match round % 5 {
            1 => costs[0] = -3.0,
            2 => costs[round % num_segments] = f64::NAN,
            3 => costs.fill(0.0),
            4 => costs[0] = 1e300,
            _ => {}
        }
        for num in [num_segments, num_segments + 1, num_segments + 7, 1000, 99_991] {
            let counts = allocate(&costs, num).unwrap();
            assert_eq!(counts.iter().sum::<usize>(), num, "{costs:?}");
            assert!(counts.iter().all(|&count| count >= 1));
        }
    }
    assert_eq!(allocate(&[2.0; 3], 4).unwrap(), [2, 1, 1]);
    assert_eq!(allocate(&[2.0; 3], 5).unwrap(), [2, 2, 1]);
    assert_eq!(allocate(&[0.0, -1.0, f64::NAN], 6).unwrap(), [2, 2, 2]);
    assert_eq!(allocate(&[0.0, 4.0, f64::NAN], 100).unwrap(), [1, 58, 41]);
    assert_eq!(allocate(&[f64::INFINITY, 4.0, f64::INFINITY], 11).unwrap(), [5, 1, 5]);
}

/// The costs of a Gaussian whose mean moves by Δ: η = μ, s = μ, so Δ² (GMS section 4.2).
#[test]
fn costs_of_segments() {
    let cost = segment_cost([&[0.0, 1.0], &[3.0, 1.5]], [&[0.0, 1.0], &[3.0, 1.5]]);
    assert_eq!(cost, 9.25);
    // Equal costs, equal numbers; nine times the cost, three times the number.
    let betas = optimal_binned(&[0.0, 0.5, 1.0], &[9.0, 1.0], 8).unwrap();
    let sixth = 1.0 / 12.0;
    close(&betas, &[0.0, sixth, 2.0 * sixth, 0.25, 4.0 * sixth, 5.0 * sixth, 0.5, 0.75, 1.0]);
}

#[test]
fn what_is_no_schedule_is_refused() {
    let refused: [(Result<Vec<f64>>, &str); 14] = [
        (linear(0), "no distributions"),
        (sigmoidal(0, 4.0), "no distributions"),
        (sigmoidal(5, 0.0), "delta 0"),
        (sigmoidal(5, f64::NAN), "delta NaN"),
        (sigmoidal(100, 1e3), "closer than"),
        (geometric(5, 0.0), "beta 0"),
        (geometric(5, 1.0), "beta 1"),
        (binned(&[0.0, 0.5], &[3]), "edges that do not ascend"),
        (binned(&[0.0, 0.5, 1.0], &[3]), "3 edges and numbers for 1"),
        (binned(&[0.0, 0.5, 1.0], &[3, 0]), "from beta 0.5 to 1"),
        (optimal_binned(&[0.0, 0.5, 1.0], &[1.0, 1.0], 1), "1 distributions for 2"),
        (by_barrier(&[0.0, 1.0], &[0.0], 3), "all 0"),
        (by_barrier(&[0.0, 1.0], &[f64::NAN], 3), "NaN"),
        (by_barrier(&[0.0, 1.0], &[1.0], 0), "no distributions"),
    ];
    for (result, problem) in refused {
        let message = result.unwrap_err().to_string();
        assert!(message.contains(problem), "{message}");
    }
    assert!(allocate(&[], 3).is_err());
}
