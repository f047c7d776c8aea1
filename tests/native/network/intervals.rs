//! Intervals hold the couplings as often as they promise; edges of known networks are found.

use super::*;

/// How often intervals of all pairs hold the truth over fits to new rows, apart for pairs that are edges and others,
/// and the shares of edges found and of others left out.
fn coverage(
    dim: usize,
    density: f64,
    num_rows: usize,
    fields: &Value,
    num_fits: u64,
) -> ([f64; 2], [f64; 2]) {
    let (mut held, mut found, mut count) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    for fit in 0..num_fits {
        let truth = Truth::random(dim, density, fit);
        let result = network(fields, truth.rows(num_rows, fit));
        let all = result.pairs.as_ref().expect("estimates");
        let edges: Vec<[usize; 2]> = result.edges.iter().map(|edge| edge.sites).collect();
        for (at, (pair, j)) in pairs(dim).zip(&truth.couplings).enumerate() {
            let kind = usize::from(*j != 0.0);
            count[kind] += 1.0;
            held[kind] += f64::from(u8::from(all.lower[at] <= *j && *j <= all.upper[at]));
            found[kind] += f64::from(u8::from(edges.contains(&pair) == (*j != 0.0)));
        }
    }
    ([held[0] / count[0], held[1] / count[1]], [found[0] / count[0], found[1] / count[1]])
}

/// Of 95 % intervals, over 80 networks with 5,280 pairs.
#[test]
fn intervals_hold_the_couplings_in_95_percent() {
    for objective in ["pseudolikelihood", "mpf"] {
        let fields = json!({"objective": {"kind": objective}});
        let ([others, edges], [specificity, sensitivity]) = coverage(12, 0.2, 1000, &fields, 80);
        println!(
            "{objective}: {edges} of edges and {others} of others held; sensitivity {sensitivity}, specificity {specificity}"
        );
        assert!((0.92..0.98).contains(&edges), "{objective}: {edges}");
        assert!((0.92..0.98).contains(&others), "{objective}: {others}");
        assert!(sensitivity > 0.95 && specificity > 0.9, "{sensitivity} {specificity}");
    }
}

#[test]
fn bootstrap_intervals_hold_them_too() {
    let fields = json!({"bootstrap": 200});
    let ([others, edges], _) = coverage(9, 0.25, 1000, &fields, 25);
    println!("{edges} of edges and {others} of others held");
    assert!((0.9..0.98).contains(&edges), "{edges}");
    assert!((0.9..0.98).contains(&others), "{others}");
}

/// The penalty's pull is what the estimates are without: with a large one the couplings are far too small, and the
/// intervals hold the truth all the same.
#[test]
fn estimates_are_without_the_pull_of_the_penalty() {
    let truth = Truth::random(8, 0.3, 11);
    let result = network(&json!({"penalties": {"values": [0.04]}}), truth.rows(20_000, 11));
    let all = result.pairs.as_ref().expect("estimates");
    let mut num_edges = 0;
    for edge in &result.edges {
        let at = pairs(8).position(|pair| pair == edge.sites).unwrap();
        let (estimate, error) = (edge.estimate.unwrap(), edge.standard_error.unwrap());
        assert_eq!([estimate, error], [all.estimate[at], all.standard_error[at]]);
        let truth = truth.couplings[at];
        if truth != 0.0 {
            assert!(edge.coupling.abs() < truth.abs() - 4.0 * error, "{edge:?} {truth}");
            // One Newton step leaves an error of second order in the pull.
            assert!((estimate - truth).abs() < 5.0 * error + 0.1 * truth.abs(), "{edge:?} {truth}");
            num_edges += 1;
        }
    }
    assert!(num_edges > 4, "{num_edges}");
}

/// With more columns than rows determine, or copies of a column, there is a network but no interval.
#[test]
fn what_the_rows_do_not_determine_has_no_estimate() {
    let rows = Truth::random(5, 0.4, 8).rows(300, 8);
    let copied: Vec<Vec<f64>> = numbers(&rows)
        .into_iter()
        .map(|mut row| {
            row.push(row[0]);
            row
        })
        .collect();
    let data = unnorm::data::from_values(6, &copied.concat()).expect("rows");
    let result = network(&json!({"bootstrap": 10}), data);
    assert!(result.warnings.iter().any(|words| words.contains("do not determine")));
    let edge = result.edges.iter().find(|edge| edge.sites == [0, 5]).expect("the copy is an edge");
    assert_eq!([edge.estimate, edge.lower, edge.upper], [None; 3]);
    // Nor can the others be told apart.
    assert!(result.pairs.is_none_or(|all| all.estimate.iter().all(|estimate| estimate.is_nan())));
}

/// Two columns that are never on together have no finite coupling; the other pairs have theirs.
#[test]
fn columns_that_are_never_on_together_have_no_estimate() {
    let mut rows = Truth::random(5, 0.4, 9).rows(400, 9);
    rows.rows_mut().filter(|row| row[0] & 3 == 3).for_each(|row| row[0] &= !2);
    let result = network(&json!({}), rows);
    let all = result.pairs.as_ref().expect("the others");
    let undetermined: Vec<bool> = all.estimate.iter().map(|estimate| estimate.is_nan()).collect();
    assert!(undetermined[0] && !undetermined[1..].contains(&true), "{all:?}");
    assert!(all.lower[0].is_nan() && all.standard_error[0].is_nan());
    assert!(result.warnings.iter().any(|words| words.contains("four combinations")));
}

/// Without bootstrap, `share` is there for stability alone; its percentiles are of as many fits.
#[test]
fn shares_count_the_fits_that_have_an_edge() {
    let truth = Truth::random(8, 0.3, 12);
    let rows = truth.rows(500, 12);
    assert_eq!(network(&json!({}), rows.clone()).pairs.unwrap().share, None);
    let result = network(&json!({"bootstrap": 40}), rows);
    let shares = result.pairs.as_ref().unwrap().share.as_ref().expect("shares");
    for share in shares {
        assert!(
            (share * 40.0 - (share * 40.0).round()).abs() < 1e-9 && (0.0..=1.0).contains(share)
        );
    }
    let mut of = [Vec::new(), Vec::new()];
    for (j, share) in truth.couplings.iter().zip(shares) {
        of[usize::from(*j != 0.0)].push(*share);
    }
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    assert!(mean(&of[1]) > 0.8 && mean(&of[0]) < 0.2, "{of:?}");
}
