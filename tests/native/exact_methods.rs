//! Every way to an exact log Z against enumeration, against the others, and
//! against what is known.

use unnorm::Job;
use unnorm::JobSpec;
use unnorm::bits::BitMatrix;
use unnorm::energy::Parametric;
use unnorm::exact::ExactResult;
use unnorm::exact::ExactSpec;
use unnorm::exact::{Frontier, enumerate, frontier};
use unnorm::linalg::Batch;
use unnorm::math::{exp, ln, ln_gamma};
use unnorm::models::ModelSpec;
use unnorm::models::ising::{Ising, IsingSpec, Pattern, UniformSpins};
use unnorm::models::rbm::RbmSpec;
use unnorm::{JobResult, Progress};

const LN_TWO_PI: f64 = 1.8378770664093454;

fn lattice(num_rows: usize, num_cols: usize, periodic: bool) -> Pattern {
    Pattern::Lattice { num_rows, num_cols, periodic }
}

fn glass(dim: usize, pattern: Pattern, scale: f64) -> Ising {
    IsingSpec::random(dim, pattern, scale, dim as u64).build().unwrap()
}

fn uniform(pattern: Pattern, dim: usize, coupling: f64, field: f64) -> Ising {
    let uniform = Some(UniformSpins { coupling, field });
    IsingSpec { dim, pattern, uniform, ..IsingSpec::default() }.build().unwrap()
}

fn numbers(file: &str) -> Vec<f64> {
    let file = std::fs::read(format!("www/data/{file}.npy")).expect("the file");
    npyz::NpyFile::new(&file[..]).and_then(npyz::NpyFile::into_vec).expect("numbers")
}

#[track_caller]
fn assert_close(left: f64, right: f64, tolerance: f64) {
    assert!((left - right).abs() <= tolerance * (1.0 + right.abs()), "{left} and {right}");
}

fn job(model: ModelSpec, data: Option<BitMatrix>) -> unnorm::Result<Job> {
    Job::new(
        JobSpec::Exact(ExactSpec { model, data: None, connectivity: None, observed: None }),
        data,
        None,
    )
}

fn exact(model: ModelSpec, data: Option<BitMatrix>) -> ExactResult {
    let mut job = job(model, data).expect("a sound job");
    job.advance(usize::MAX);
    let Some(JobResult::Exact(result)) = job.result() else { panic!("no exact result") };
    result
}

/// A model from JSON.
fn model(json: &str) -> ModelSpec {
    serde_json::from_str(json).expect("a model")
}

/// Trees, rings, lattices, loops of loops, sites apart, and every pair: each
/// with weak couplings, strong ones and some so strong that weights span more
/// than floats do.
#[test]
fn a_frontier_equals_enumeration() {
    let pairs = |pairs: &[[usize; 2]]| Pattern::Pairs { pairs: pairs.to_vec() };
    let star: Vec<[usize; 2]> = (0..15).map(|leaf| [leaf, 15]).collect();
    let ring: Vec<[usize; 2]> = (0..12).map(|site| [site, site + 1]).chain([[0, 12]]).collect();
    let tree: Vec<[usize; 2]> = (1..17).map(|site| [(site - 1) / 2, site]).collect();
    for (dim, pattern) in [
        (1, Pattern::Dense {}),
        (2, Pattern::Dense {}),
        (9, Pattern::Dense {}),
        (13, Pattern::Dense {}),
        (16, lattice(4, 4, false)),
        (15, lattice(3, 5, false)),
        (14, lattice(7, 2, false)),
        (11, lattice(1, 11, false)),
        (16, lattice(4, 4, true)),
        (15, lattice(5, 3, true)),
        (16, pairs(&star)),
        (13, pairs(&ring)),
        (17, pairs(&tree)),
        (12, pairs(&[[0, 7], [7, 9], [1, 2], [3, 11], [3, 4], [4, 11]])),
        (5, pairs(&[])),
    ] {
        for scale in [0.3, 2.0, 500.0] {
            let model = glass(dim, pattern.clone(), scale);
            let expected = enumerate(&model).unwrap();
            let found = Frontier::new(&model).unwrap().exact();
            assert_close(found.log_z, expected.log_z, 1e-13);
            assert_close(found.mean_energy, expected.mean_energy, 1e-12);
        }
    }
}

/// The 10 × 10 glass of the data, whose log Z a transfer matrix of another
/// program gave, and whose exact moments give its mean energy.
#[test]
fn the_known_glass() {
    let couplings = numbers("spin-glass-10x10.couplings");
    let moments = numbers("spin-glass-10x10.moments");
    let text = std::fs::read_to_string("www/data/spin-glass-10x10.json").expect("the file");
    let known: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let known = known["logZ"].as_f64().expect("log Z");
    assert_eq!(known, 104.11629205937966);
    // As an open lattice, and as any pairs of which most happen not to be coupled.
    for pattern in [lattice(10, 10, false), Pattern::Dense {}] {
        let couplings = Some(couplings.clone());
        let spec = IsingSpec { dim: 100, pattern, couplings, ..IsingSpec::default() };
        let result = exact(ModelSpec::Ising(spec), None);
        assert_eq!((result.method, result.moments), ("frontier", None));
        assert_close(result.log_z, known, 1e-14);
        let energies = couplings_by(&numbers("spin-glass-10x10.couplings"), &moments);
        assert_close(result.mean_energy.unwrap(), energies, 1e-12);
        assert_close(result.entropy.unwrap(), known + energies, 1e-12);
    }
}

fn couplings_by(couplings: &[f64], moments: &[f64]) -> f64 {
    couplings.iter().zip(moments).map(|(coupling, moment)| coupling * moment).sum()
}

/// However the sites are numbered, on a strip that neither the sites in their
/// order nor columns could go along.
#[test]
fn the_numbering_of_the_sites_does_not_matter() {
    let (num_rows, num_cols) = (60, 8);
    let dim = num_rows * num_cols;
    let model = glass(dim, lattice(num_rows, num_cols, false), 0.8);
    let renumbered = |site: usize| site * 247 % dim;
    let natural = lattice(num_rows, num_cols, false).sparse_pairs(dim).unwrap().unwrap();
    let mut params = vec![0.0; dim];
    (0..dim).for_each(|site| params[renumbered(site)] = model.params()[site]);
    let mut pairs: Vec<([usize; 2], f64)> = natural
        .iter()
        .zip(&model.params()[dim..])
        .map(|(&[i, j], coupling)| {
            let [i, j] = [renumbered(i), renumbered(j)];
            ([i.min(j), i.max(j)], *coupling)
        })
        .collect();
    pairs.sort_by_key(|(pair, _)| *pair);
    params.extend(pairs.iter().map(|(_, coupling)| *coupling));
    let pattern = Pattern::Pairs { pairs: pairs.into_iter().map(|(pair, _)| pair).collect() };
    let other = IsingSpec { dim, pattern, params: Some(params), ..IsingSpec::default() };
    let [one, other] = [model, other.build().unwrap()].map(|model| Frontier::new(&model).unwrap());
    assert!(one.width() <= 8 && other.width() <= 10, "{} {}", one.width(), other.width());
    assert_close(other.exact().log_z, one.exact().log_z, 1e-13);
    assert_close(other.exact().mean_energy, one.exact().mean_energy, 1e-12);
}

/// Kaufman's formula and elimination have nothing in common.
#[test]
fn a_frontier_equals_kaufmans_formula() {
    for (num_rows, num_cols, coupling) in
        [(6, 6, 0.3), (6, 6, -0.44), (5, 7, 0.44), (3, 40, 1.5), (40, 4, -0.2), (8, 8, 0.4406868)]
    {
        let dim = num_rows * num_cols;
        let model = uniform(lattice(num_rows, num_cols, true), dim, coupling, 0.0);
        let expected = model.uniform_torus().unwrap();
        let found = Frontier::new(&model).unwrap().exact();
        assert_close(found.log_z, expected.log_z, 1e-13);
        assert_close(found.mean_energy, expected.mean_energy, 1e-13);
    }
}

/// An open chain of spins, Z = 2ᴰ cosh^{D−1} w, far longer than tables are wide;
/// and a tree of the same couplings, whose Z is the same.
#[test]
fn long_chains_and_large_trees() {
    let (dim, w) = (30_000, 0.7);
    let log_cosh = ln(0.5 * (exp(w) + exp(-w)));
    let tanh = (exp(w) - exp(-w)) / (exp(w) + exp(-w));
    let bonds = (dim - 1) as f64;
    let pairs = (1..dim).map(|site| [(site - 1) / 3, site]).collect();
    for pattern in [lattice(1, dim, false), Pattern::Pairs { pairs }] {
        let found = Frontier::new(&uniform(pattern, dim, w, 0.0)).unwrap();
        // Of the spins' energies, those of the model are higher by w a bond.
        let log_z = dim as f64 * ln(2.0) + bonds * (log_cosh - w);
        assert_close(found.exact().log_z, log_z, 1e-13);
        assert_close(found.exact().mean_energy, bonds * w * (1.0 - tanh), 1e-13);
        assert_eq!(found.width(), 1);
    }
}

#[test]
fn where_a_pass_is_left_off_changes_no_bit() {
    let frontier = Frontier::new(&glass(156, lattice(12, 13, false), 0.9)).unwrap();
    let expected = frontier.exact();
    for budget in [1, 1000, 5000, 1 << 16] {
        let mut pass = frontier::Pass::default();
        let mut num_pieces = 1;
        while !pass.advance(&frontier, budget) {
            num_pieces += 1;
        }
        assert!(num_pieces > 1, "{budget}");
        assert_eq!(pass.exact(), expected);
    }
}

/// The method chosen, and the value known for it.
#[test]
fn each_model_by_its_method() {
    let student =
        |lambda: f64| 0.5 * ln(std::f64::consts::PI) + ln_gamma(lambda - 0.5) - ln_gamma(lambda);
    let filters = r#""dim": 2, "filters": [1, 0.5, -2, 1.5]"#; // det 2.5
    let torus = uniform(lattice(30, 20, true), 600, 0.3, 0.0).uniform_torus().unwrap();
    for (json, method, log_z) in [
        (r#"{"kind": "ising", "dim": 20}"#.to_string(), "enumeration", 20.0 * ln(2.0)),
        (
            r#"{"kind": "rbm", "numVisible": 20, "numHidden": 2}"#.into(),
            "enumeration",
            22.0 * ln(2.0),
        ),
        (
            r#"{"kind": "semiRestricted", "numVisible": 9, "numHidden": 40}"#.into(),
            "enumeration",
            49.0 * ln(2.0),
        ),
        (
            r#"{"kind": "rbm", "numVisible": 21, "numHidden": 70}"#.into(),
            "smallerSide",
            91.0 * ln(2.0),
        ),
        (
            r#"{"kind": "rbm", "numVisible": 500, "numHidden": 3}"#.into(),
            "smallerSide",
            503.0 * ln(2.0),
        ),
        (
            r#"{"kind": "ising", "dim": 600, "uniform": {"coupling": 0.3},
             "pattern": {"kind": "lattice", "numRows": 30, "numCols": 20, "periodic": true}}"#
                .into(),
            "kaufman",
            torus.log_z,
        ),
        (
            r#"{"kind": "ising", "dim": 600, "uniform": {"coupling": 0},
             "pattern": {"kind": "lattice", "numRows": 30, "numCols": 20, "periodic": true}}"#
                .into(),
            "frontier",
            600.0 * ln(2.0),
        ),
        (r#"{"kind": "ising", "dim": 4000}"#.into(), "frontier", 4000.0 * ln(2.0)),
        (
            r#"{"kind": "gaussian", "dim": 3, "precision": [2, 0, 0, 0, 3, 1, 0, 1, 1]}"#.into(),
            "closedForm",
            1.5 * LN_TWO_PI - 0.5 * ln(4.0),
        ),
        (
            r#"{"kind": "ring", "sharpness": 100, "radius": 1}"#.into(),
            "closedForm",
            LN_TWO_PI + 0.5 * ln(std::f64::consts::PI / 100.0) + 0.01,
        ),
        (
            format!(
                r#"{{"kind": "productOfExperts", "expert": "laplace", "lambda": [0.5, 3], {filters}}}"#
            ),
            "closedForm",
            ln(2.0 / 0.5) + ln(2.0 / 3.0) - ln(2.5),
        ),
        (
            format!(
                r#"{{"kind": "productOfExperts", "expert": "studentT", "lambda": [1.25, 3], {filters}}}"#
            ),
            "closedForm",
            student(1.25) + student(3.0) - ln(2.5),
        ),
        (format!(r#"{{"kind": "ica", {filters}}}"#), "closedForm", 0.0),
    ] {
        let result = exact(model(&json), None);
        assert_eq!(result.method, method, "{json}");
        assert_close(result.log_z, log_z, 1e-13);
        assert_eq!(result.moments.is_some(), method == "enumeration");
        let tells_energy = ["enumeration", "kaufman", "frontier"].contains(&method);
        assert_eq!(result.mean_energy.is_some(), tells_energy);
        assert_eq!(result.entropy, result.mean_energy.map(|energy| energy + result.log_z));
    }
    // The others on the reals; their log Z is checked with the laws.
    for spec in ModelSpec::examples() {
        let built = spec.build().unwrap();
        if let Some(reference) = built.as_reference() {
            let result = exact(spec.clone(), None);
            assert_eq!(
                (result.method, result.log_z),
                ("closedForm", reference.log_z()),
                "{spec:?}"
            );
        }
    }
}

/// −⟨E⟩ − log Z over the rows, by the energies alone: few, and so many that a
/// shard of them is worked in pieces.
#[test]
fn the_likelihood_of_data() {
    let glass = IsingSpec::random(30, lattice(5, 6, false), 0.9, 3);
    let uniform = Some(UniformSpins { coupling: 0.4, field: 0.0 });
    let pattern = lattice(5, 6, true);
    let torus = IsingSpec { dim: 30, pattern, uniform, ..IsingSpec::default() };
    for (spec, method, num_rows) in [
        (ModelSpec::Ising(glass), "frontier", 700),
        (ModelSpec::Ising(torus), "kaufman", 700),
        (ModelSpec::Rbm(RbmSpec::random(30, 6, 0.5, 1)), "smallerSide", 700),
        (ModelSpec::Rbm(RbmSpec::random(1000, 8, 0.1, 1)), "smallerSide", 9000),
    ] {
        let built = spec.build().unwrap();
        let dim = built.dim();
        let mut data = BitMatrix::zeros(dim, num_rows);
        for (at, row) in data.rows_mut().enumerate() {
            // Some twice.
            let at = at - usize::from(at % 9 == 8);
            row[0] = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 34;
        }
        let states = data.as_batch().to_values();
        let mut energies = vec![0.0; num_rows];
        built.energy(Batch::new(dim, &states), &mut energies);
        let mean = energies.iter().sum::<f64>() / num_rows as f64;
        let result = exact(spec, Some(data));
        assert_eq!(result.method, method);
        assert_close(result.log_likelihood.unwrap(), -mean - result.log_z, 1e-13);
    }
}

/// 2^21 states in two rounds, each shard of which counts.
#[test]
fn many_shards_in_rounds() {
    let spec = RbmSpec::random(23, 21, 0.6, 5);
    let expected = spec.build().unwrap().log_z().unwrap();
    let mut data = BitMatrix::zeros(23, 5);
    data.rows_mut().enumerate().for_each(|(at, row)| row[0] = 37 << at);
    let mut job = job(ModelSpec::Rbm(spec), Some(data)).unwrap();
    let mut fractions = Vec::new();
    while !job.is_done() {
        job.advance(1);
        let Progress::Exact(progress) = job.progress() else { panic!("not exact") };
        fractions.push(progress.fraction);
    }
    assert_eq!(fractions, [65.0 / 129.0, 1.0]);
    let Some(JobResult::Exact(result)) = job.result() else { panic!("no exact result") };
    assert_eq!(result.log_z, expected);
}

#[test]
fn what_cannot_be_had_is_refused_by_field() {
    let refused = |json: &str, data: Option<BitMatrix>| {
        let error = job(model(json), data).err().expect(json);
        (error.code(), error.field().expect("a field").to_owned(), error.to_string())
    };
    let mut params: Vec<String> = (0..40 + 40 * 39 / 2).map(|at| format!("{}", at % 7)).collect();
    params[40..].iter_mut().for_each(|param| *param = format!("0.{param}1"));
    let dense = format!(r#"{{"kind": "ising", "dim": 40, "params": [{}]}}"#, params.join(","));
    let (code, field, message) = refused(&dense, None);
    assert_eq!((code, &field[..]), ("too-large", "model.dim"));
    assert!(message.contains("40") && message.contains("estimate"), "{message}");
    let wide = r#"{"kind": "ising", "dim": 900, "uniform": {"coupling": 0.3, "field": 0.1},
                   "pattern": {"kind": "lattice", "numRows": 30, "numCols": 30}}"#;
    assert_eq!(refused(wide, None).0, "too-large");
    let many = r#"{"kind": "ising", "dim": 70000, "pattern": {"kind": "pairs", "pairs": []}}"#;
    assert!(refused(many, None).2.contains("65536"));
    let machine = r#"{"kind": "rbm", "numVisible": 26, "numHidden": 30}"#;
    assert_eq!(refused(machine, None).1, "model");
    let semi = r#"{"kind": "semiRestricted", "numVisible": 21, "numHidden": 2}"#;
    assert_eq!(refused(semi, None).1, "model.dim");
    for json in [
        r#"{"kind": "productOfExperts", "dim": 1, "expert": "laplace", "numExperts": 2, "filters": [1, 2]}"#,
        r#"{"kind": "formula", "expression": "x^2"}"#,
    ] {
        let (code, field, message) = refused(json, None);
        assert_eq!((code, &field[..]), ("missing-capability", "model.kind"), "{message}");
    }
    let row = |dim| Some(BitMatrix::zeros(dim, 1));
    let gaussian = r#"{"kind": "gaussian", "dim": 2}"#;
    assert_eq!(refused(gaussian, row(2)).1, "data");
    let chain = r#"{"kind": "ising", "dim": 60, "pattern": {"kind": "pairs", "pairs": [[0, 59]]}}"#;
    assert_eq!(refused(chain, row(61)).1, "model.dim");
}
