//! Models whose sites have several values, against enumeration, a sum along a chain of sites, and
//! hidden units that nothing is coupled to.

use super::*;
use crate::common::{finished, job_of};
use unnorm::math::{ln, softplus};
use unnorm::models::categorical_rbm::CategoricalRbmSpec;
use unnorm::models::potts::PottsSpec;
use unnorm::models::site_values::NumValues;

fn potts() -> Value {
    let several = NumValues::Each(vec![3, 2, 4, 3, 2]);
    let spec = PottsSpec::random(5, several, Pattern::Dense {}, 0.7, 3);
    with(&serde_json::to_value(spec).unwrap(), json!({"kind": "potts"}))
}

fn machine(num_hidden: usize) -> CategoricalRbmSpec {
    CategoricalRbmSpec::random(6, NumValues::Each(vec![3, 2, 5, 2, 4, 3]), num_hidden, 0.8, 4)
}

fn json_of(spec: CategoricalRbmSpec) -> Value {
    with(&serde_json::to_value(spec).unwrap(), json!({"kind": "categoricalRbm"}))
}

fn exact(model: &Value, more: &Value) -> unnorm::exact::ExactResult {
    let spec = with(&json!({"verb": "exact", "model": model}), more.clone());
    match finished(job_of(&spec, None).unwrap()) {
        JobResult::Exact(result) => result,
        other => panic!("{other:?}"),
    }
}

fn spec(model: &Value) -> Value {
    json!({"model": model, "numChains": 500, "numDistributions": 100, "seed": 8})
}

/// Forward and back, along schedules of all kinds, from several references and with all moves.
#[test]
fn estimates_are_those_of_enumeration() {
    let odds: Vec<f64> = (0..14).map(|bit| 0.3 * f64::from(bit % 4) - 0.5).collect();
    let of_potts = [
        json!({}),
        json!({"transition": {"kind": "gibbs", "scan": "random"}}),
        json!({"schedule": {"kind": "adaptive"}}),
        json!({"reference": {"kind": "independent", "logOdds": odds}}),
        json!({"transition": {"kind": "perfect"}, "numChains": 100, "numDistributions": 20}),
    ];
    let of_machine = [json!({}), json!({"schedule": {"kind": "adaptive"}})];
    let (potts, machine) = (potts(), json_of(machine(5)));
    let cases = of_potts.into_iter().map(|more| (&potts, more));
    for (model, more) in cases.chain(of_machine.into_iter().map(|more| (&machine, more))) {
        let truth = exact(model, &json!({})).log_z;
        let back = json!({"reverse": {"start": {"kind": "exact"}}});
        let result = run(&with(&with(&spec(model), more), back));
        let forward = &result.forward.log_z;
        assert_within(forward.value, forward.standard_error, truth, 0.1);
        let reverse = result.reverse.as_ref().expect("asked for").log_z;
        assert_within(reverse.value, reverse.standard_error, truth, 0.1);
        let bridge = result.bridge.as_ref().expect("both ways");
        assert_within(bridge.value, bridge.standard_error, truth, 0.1);
    }
}

/// Where a part is observed: what else the sites may be, and the likelihood of rows that are given.
#[test]
fn parts_may_be_observed_and_rows_judged() {
    for (model, observed) in [
        (potts(), json!({"sites": [1, 2], "values": [1, 3]})),
        (json_of(machine(5)), json!({"sites": [3, 4], "values": [1, 0]})),
    ] {
        let observed = json!({"observed": observed});
        let result = run(&with(&spec(&model), observed.clone()));
        let truth = exact(&model, &observed).log_z;
        let forward = &result.forward.log_z;
        assert_within(forward.value, forward.standard_error, truth, 0.1);
    }
    let model = potts();
    let rows = json!([
        [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1],
        [0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0]
    ]);
    let states: Vec<&Value> =
        rows.as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap()).collect();
    let judged = with(&spec(&model), json!({"data": {"kind": "rows", "rows": rows}}));
    let likelihood = run(&judged).likelihood.expect("of the rows");
    let of_rows = with(&json!({"verb": "energies", "model": model}), json!({"states": states}));
    let JobResult::Energies(energies) = finished(job_of(&of_rows, None).unwrap()) else {
        panic!("not of energies")
    };
    let mean: f64 = energies.energies.iter().sum::<f64>() / 2.0;
    let truth = -mean - exact(&model, &json!({})).log_z;
    assert_within(likelihood.mean.value, likelihood.mean.standard_error, truth, 0.1);
    let gap = json!([[0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1]]);
    let error = job(&with(&judged, json!({"data": {"kind": "rows", "rows": gap}}))).err().unwrap();
    assert!(error.to_string().contains("no bit on for site 0 in row 0"), "{error}");
}

/// Far beyond enumeration: 40 sites in a row, by the product of their matrices.
#[test]
fn a_long_row_of_sites_is_the_product_of_its_matrices() {
    let (count, values) = (40, 5);
    let pairs = (1..count).map(|site| [site - 1, site]).collect();
    let spec_of_row =
        PottsSpec::random(count, NumValues::All(values), Pattern::Pairs { pairs }, 0.9, 6);
    let (fields, couplings) =
        (spec_of_row.fields.clone().unwrap(), spec_of_row.couplings.clone().unwrap());
    let mut log_weights: Vec<f64> = fields[..values].to_vec();
    for site in 1..count {
        let block = &couplings[(site - 1) * values * values..][..values * values];
        let next = |to: usize| {
            let terms = (0..values).map(|from| log_weights[from] + block[from * values + to]);
            fields[site * values + to] + ln(terms.map(unnorm::math::exp).sum())
        };
        log_weights = (0..values).map(next).collect();
    }
    let truth = ln(log_weights.iter().map(|weight| unnorm::math::exp(*weight)).sum());
    let model = with(&serde_json::to_value(spec_of_row).unwrap(), json!({"kind": "potts"}));
    let more = json!({"numDistributions": 400, "reverse": {"start": {"kind": "forward"}}});
    let result = run(&with(&spec(&model), more));
    assert_within(result.log_z, result.forward.log_z.standard_error, truth, 0.2);
    assert!(result.bounds.lower < truth, "{} {truth}", result.bounds.lower);
}

/// More hidden units than can be enumerated, of which most have no weights: log Z is that of the others, and
/// softplus of each bias.
#[test]
fn machines_of_many_hidden_units_are_normalized() {
    let small = machine(4);
    let num_free = 40;
    let mut large = CategoricalRbmSpec { num_hidden: 4 + num_free, ..small.clone() };
    let dim = 19;
    large.weights.as_mut().unwrap().extend(vec![0.0; num_free * dim]);
    large.hidden_bias.as_mut().unwrap().extend((0..num_free).map(|unit| 0.1 * unit as f64 - 2.0));
    let free: f64 = (0..num_free).map(|unit| softplus(0.1 * unit as f64 - 2.0)).sum();
    let truth = exact(&json_of(small), &json!({})).log_z + free;
    let result = run(&spec(&json_of(large)));
    let forward = &result.forward.log_z;
    assert_within(forward.value, forward.standard_error, truth, 0.1);
}
