//! The search for structures: what it finds in tables whose structure is known, what its numbers are, and what is refused.

use crate::common::{finished, job_of, with};
use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::math::ln;
use unnorm::matrix_decomposition::Matrix;
use unnorm::rng::{ChainRng, Purpose, below, normal, stream};
use unnorm::structure::report::StructureResult;

fn search(fields: &Value) -> StructureResult {
    let spec = with(json!({"verb": "structure", "seed": 1, "standardize": "whole"}), fields);
    match finished(job_of(&spec, None).expect("a sound job")) {
        JobResult::Structure(result) => result,
        _ => panic!("not of structure"),
    }
}

fn refusal(fields: &Value) -> String {
    let spec = with(json!({"verb": "structure", "seed": 1}), fields);
    job_of(&spec, None).err().expect("a refusal").to_string()
}

fn normals(num_rows: usize, num_cols: usize, rng: &mut ChainRng) -> Matrix {
    Matrix::from_fn(num_rows, num_cols, |_, _| normal(rng))
}

/// Noise alone, clusters of rows, clusters of columns, low rank, a random walk: with the structures to be found.
fn tables() -> [(&'static str, Matrix); 5] {
    let mut rng = stream(5, Purpose::Example, 0);
    let noisy = |mut signal: Matrix, rng: &mut ChainRng| {
        signal.add(0.4, &normals(signal.num_rows(), signal.num_cols(), rng));
        signal
    };
    let noise = normals(24, 20, &mut rng);
    let centres = normals(3, 20, &mut rng);
    let labels: Vec<usize> = (0..24).map(|_| below(3, &mut rng)).collect();
    let clusters = Matrix::from_fn(24, 20, |row, col| centres.at(labels[row], col));
    let clusters = noisy(clusters, &mut rng);
    let low_rank = normals(24, 2, &mut rng).times(&normals(2, 20, &mut rng));
    let low_rank = noisy(low_rank, &mut rng);
    let mut walk = normals(24, 20, &mut rng);
    for row in 1..24 {
        let before = walk.row(row - 1).to_vec();
        unnorm::linalg::axpy(1.0, &before, walk.row_mut(row));
    }
    [
        ("G", noise),
        ("MG + G", clusters.clone()),
        ("GMᵀ + G", clusters.transposed()),
        ("GG + G", low_rank),
        ("CG + G", noisy(walk, &mut rng)),
    ]
}

#[test]
fn finds_the_structure_of_tables_that_have_one() {
    for (text, table) in tables() {
        let result = search(
            &json!({"states": table.entries(), "dim": table.num_cols(), "maxDepth": 2, "keep": 1}),
        );
        assert_eq!(result.text, text, "{:?}", result.warnings);
        assert_eq!(result.stop_reason, "noImprovement");
        assert_eq!(result.levels.len(), if text == "G" { 2 } else { 3 });
        assert_eq!(result.levels[1].candidates.len(), 7);
        let says_nothing =
            result.warnings.iter().any(|warning| warning.contains("independent entries"));
        assert_eq!(says_nothing, text == "G", "{:?}", result.warnings);
        // The score is that of the level's best, and the gain that from the level before.
        let level = &result.levels[result.levels.len() - 2];
        assert_eq!(level.candidates[level.best[0]].score, result.score);
        if text != "G" {
            let root = &result.levels[0].candidates[0];
            assert!((level.gain - (result.score - root.score)).abs() < 1e-9);
            assert!(level.gain > 1.0 && level.gain_error < level.gain);
        }
    }
}

#[test]
fn the_matrices_make_up_the_table() {
    let [_, _, _, (_, table), _] = tables();
    for standardize in ["whole", "columns"] {
        let result = search(&json!({
            "states": table.entries(), "dim": 20, "maxDepth": 1, "numFolds": 2, "standardize": standardize,
        }));
        assert_eq!((result.text.as_str(), result.stop_reason), ("GG + G", "maxDepth"));
        let [left, right, noise] = &result.matrices[..] else { panic!("three matrices") };
        let matrix = |of: &unnorm::structure::report::StructureMatrix| {
            Matrix::new(of.num_rows, of.num_cols, of.values.clone())
        };
        let mut whole = matrix(left).times(&matrix(right));
        whole.add(1.0, &matrix(noise));
        for row in 0..24 {
            for col in 0..20 {
                let value = result.shifts[col] + result.scales[col] * whole.at(row, col);
                assert!((value - table.at(row, col)).abs() < 1e-9);
            }
        }
        // The mean that is subtracted may take a dimension of its own.
        assert!((2..=3).contains(&left.num_cols));
        let is_same = result.scales.iter().all(|scale| *scale == result.scales[0]);
        assert_eq!(is_same, standardize == "whole");
    }
}

/// Densities of values that are told exactly have no bound, and one that rounding has lost wins nothing.
#[test]
fn columns_that_are_told_exactly_are_warned_of() {
    let mut rng = stream(8, Purpose::Example, 0);
    let labels: Vec<usize> = (0..40).map(|_| below(3, &mut rng)).collect();
    let centres = Matrix::from_fn(3, 12, |_, _| below(2, &mut rng) as f64);
    let bits = Matrix::from_fn(40, 12, |row, col| {
        // One column in three has nothing to do with the others.
        if col % 3 == 0 { normal(&mut rng) } else { centres.at(labels[row], col) }
    });
    let noise = normals(40, 12, &mut rng);
    let told = |width: f64| {
        let table =
            Matrix::from_fn(40, 12, |row, col| bits.at(row, col) + width * noise.at(row, col));
        let fields = json!({"states": table.entries(), "dim": 12, "maxDepth": 1, "numFolds": 3});
        let result = search(&fields);
        assert!(
            result
                .levels
                .iter()
                .flat_map(|level| &level.candidates)
                .all(|each| each.score.is_finite())
        );
        result.warnings.into_iter().find(|warning| warning.contains("exactly"))
    };
    assert_eq!(told(0.5), None);
    let warning = told(0.0).expect("a warning");
    assert!(warning.starts_with("In 8 of 12 columns"), "{warning}");
}

/// G has no latent matrices: its score is that of normal numbers whose variance is drawn given the entries that are kept.
#[test]
fn the_score_of_independent_entries_is_nearly_that_of_a_normal_distribution() {
    let [(_, table), ..] = tables();
    let result = search(&json!({"states": table.entries(), "dim": 20, "maxDepth": 1, "keep": 1}));
    // −½ (ln 2π + 1) an entry, of which a held-out row has four fifths of 20 and a column of 24.
    let entries = (24.0 * 16.0 + 20.0 * 19.2) / 44.0;
    let expected = -0.5 * (ln(std::f64::consts::TAU) + 1.0) * entries;
    let score = result.levels[0].candidates[0].score;
    assert!((score - expected).abs() < 0.3, "{score} {expected}");
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let [(_, table), ..] = tables();
    let states = table.entries();
    let mut with_nan = states.to_vec();
    with_nan[7] = f64::NAN;
    let mut constant = states.to_vec();
    constant.iter_mut().skip(3).step_by(20).for_each(|entry| *entry = 5.0);
    for (fields, parts) in [
        (json!({"states": states, "dim": 7}), ["states", "give rows of 7"]),
        (json!({"states": states, "dim": 5}), ["dim", "6 to 1000"]),
        (json!({"states": &states[..100], "dim": 20}), ["states", "a search needs 6"]),
        (json!({"states": states, "dim": 20, "numFolds": 21}), ["numFolds", "2 to 20"]),
        (json!({"states": constant, "dim": 20}), ["states", "column 3"]),
        (json!({"states": states, "dim": 20, "minGain": 0}), ["minGain", "greater than 0"]),
        (json!({"states": states, "dim": 20, "maxDepth": 6}), ["maxDepth", "1 to 5"]),
        (
            json!({"states": vec![1.0; 480], "dim": 20, "standardize": "whole"}),
            ["states", "all the same"],
        ),
        (json!({"states": vec![0.0; 200_000], "dim": 200}), ["states", "100000 entries"]),
        (json!({"states": states, "dim": 20, "standardize": "rows"}), ["standardize", "columns"]),
    ] {
        let message = refusal(&fields);
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }
}
