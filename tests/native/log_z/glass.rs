//! The 10 × 10 spin glass, whose log Z a transfer matrix of another program gave.

use super::*;

#[test]
fn the_sandwich_closes_on_the_known_log_z() {
    let text = std::fs::read_to_string("www/data/spin-glass-10x10.json").expect("the file");
    let known: Value = serde_json::from_str(&text).expect("JSON");
    let known = known["logZ"].as_f64().expect("log Z");
    assert!((known - 104.116_292).abs() < 1e-6);
    let file = std::fs::read("www/data/spin-glass-10x10.couplings.npy").expect("the couplings");
    let couplings: Vec<f64> =
        npyz::NpyFile::new(&file[..]).and_then(npyz::NpyFile::into_vec).expect("numbers");
    let pattern = json!({ "kind": "lattice", "numRows": 10, "numCols": 10 });
    let spec = json!({
        "model": { "kind": "ising", "dim": 100, "couplings": couplings, "pattern": pattern },
        "numChains": 200, "seed": 1, "pilot": { "numChains": 32, "numDistributions": 200 }, "reverse": { "start": { "kind": "exact" } },
    });
    let mut gaps = Vec::new();
    for num_distributions in [30, 300, 1500] {
        let result = run(&with(&spec, json!({ "numDistributions": num_distributions })));
        let (forward, reverse) = (&result.forward, result.reverse.as_ref().expect("reverse runs"));
        // Of mean log weights, which Jensen's inequality puts on either side.
        let gap = reverse.mean_log_weight - forward.mean_log_weight;
        println!(
            "K = {num_distributions}: {} < {known} < {}, bridge {:?}, bounds {:?}, ESS {} and {}, {:?}",
            forward.mean_log_weight,
            reverse.mean_log_weight,
            result.bridge,
            result.bounds,
            forward.weight_ess,
            reverse.weight_ess,
            result.warnings
        );
        assert!(forward.mean_log_weight < known && known < reverse.mean_log_weight);
        let bounds = &result.bounds;
        assert!(bounds.bound_is_certified);
        assert!(bounds.lower < known && known < bounds.upper.expect("from above"));
        assert_close(result.exact_log_z.expect("with the draws"), known, 1e-13);
        gaps.push(gap);
        if num_distributions == 1500 {
            assert!(result.interval.lower < known && known < result.interval.upper);
            assert_within(result.log_z, result.standard_error, known, 0.1);
            assert_within(forward.log_z.value, forward.log_z.standard_error, known, 0.3);
            assert!(result.warnings.is_empty(), "{:?}", result.warnings);
        }
    }
    // The gap goes as 1 / K once chains mix.
    assert!(gaps[1] < 0.5 * gaps[0] && gaps[2] < 0.4 * gaps[1], "{gaps:?}");
    assert!(gaps[2] < 1.5, "{gaps:?}");
}
