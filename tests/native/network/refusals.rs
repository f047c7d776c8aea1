//! What is refused, by field, problem and remedy.

use super::*;

fn refusal(fields: &Value, rows: BitMatrix) -> String {
    let spec = crate::common::with(json!({"verb": "network", "seed": 1}), fields);
    job_with(&spec, rows).err().expect("a refusal").to_string()
}

#[test]
fn specs_and_rows_that_make_no_network_are_refused() {
    let rows = || Truth::random(4, 0.5, 1).rows(50, 1);
    for (fields, words) in [
        (json!({"penalties": {"count": 1}}), "penalties.count"),
        (json!({"penalties": {"ratio": 1.0}}), "penalties.ratio"),
        (json!({"penalties": {"values": [0.1, 0.1]}}), "penalties.values[1]: is 0.1, after 0.1"),
        (json!({"penalties": {"values": []}}), "penalties.values"),
        (json!({"penalties": {"values": [0.1], "count": 3}}), "leave those out"),
        (json!({"choice": {"kind": "ebic", "gamma": 2}}), "choice.gamma"),
        (json!({"choice": {"kind": "crossValidation", "numFolds": 1}}), "choice.numFolds"),
        (json!({"choice": {"kind": "crossValidation", "numFolds": 51}}), "more parts than"),
        (json!({"choice": {"kind": "stability", "threshold": 0.5}}), "choice.threshold"),
        (json!({"choice": {"kind": "stability", "falseEdges": 0}}), "choice.falseEdges"),
        (json!({"choice": {"kind": "lasso"}}), "choice"),
        (json!({"bootstrap": 3}), "bootstrap"),
        (json!({"confidence": 1.0}), "confidence"),
    ] {
        let refusal = refusal(&fields, rows());
        assert!(refusal.contains(words), "{fields}: {refusal}");
    }
    let few = Truth::random(4, 0.5, 1).rows(9, 1);
    assert!(refusal(&json!({}), few).contains("9 rows"));
    let mut constant = rows();
    constant.rows_mut().for_each(|row| row[0] |= 4);
    assert!(refusal(&json!({}), constant).contains("column 2"));
    assert!(refusal(&json!({}), Truth::random(257, 0.0, 1).rows(10, 1)).contains("257 columns"));
}
