//! The Ising model: what its spec refuses, its forms in other conventions, and
//! minimum probability flow at all sizes and against numbers from NumPy.

use proptest::prelude::*;
use unnorm::bits::{BitMatrix, WeightedRows};
use unnorm::energy::FlipLoss;
use unnorm::energy::Objective;
use unnorm::energy::connectivity::ConnectivitySpec;
use unnorm::energy::{Energy, FlipFlow, Parametric};
use unnorm::fit::mpf;
use unnorm::linalg::Batch;
use unnorm::memory::Network;
use unnorm::models::ModelSpec;
use unnorm::models::definition::Definition;
use unnorm::models::ising::{Ising, IsingSpec, MAX_DIM, MAX_SPARSE_PAIRS, Pattern, UniformSpins};
use unnorm::rng::{Purpose, stream, uniform};

#[track_caller]
fn assert_close(left: f64, right: f64, tolerance: f64) {
    let scale = 1.0 + left.abs().max(right.abs());
    assert!((left - right).abs() <= tolerance * scale, "{left} and {right}");
}

fn lattice(num_rows: usize, num_cols: usize, periodic: bool) -> Pattern {
    Pattern::Lattice { num_rows, num_cols, periodic }
}

fn rows(dim: usize, num_rows: usize, density: f64, seed: u64) -> BitMatrix {
    let mut rng = stream(seed, Purpose::Example, dim as u64);
    let mut rows = BitMatrix::zeros(dim, num_rows);
    for row in rows.rows_mut() {
        for site in 0..dim {
            row[site / 64] |= u64::from(uniform(&mut rng) < density) << (site % 64);
        }
    }
    rows
}

fn energies(model: &Ising, rows: &BitMatrix) -> Vec<f64> {
    let mut energies = vec![f64::NAN; rows.num_rows()];
    model.energy(Batch::new(model.dim(), &rows.as_batch().to_values()), &mut energies);
    energies
}

fn flow(model: &Ising, data: &WeightedRows) -> Box<dyn Objective> {
    model.flip_flow(data, FlipLoss::Flow)
}

fn definition(model: &Ising, data: WeightedRows) -> Definition {
    let connectivity = ConnectivitySpec::SingleFlips {}.build(&data, false, 0).expect("sound");
    Definition::new(model, data, connectivity, FlipLoss::Flow)
}

fn evaluate(objective: &mut dyn Objective, params: &[f64]) -> (f64, Vec<f64>) {
    let mut grad = vec![f64::NAN; params.len()];
    let value = objective.evaluate(params, &mut grad);
    (value, grad)
}

#[test]
fn bad_specs_are_refused_by_field() {
    let with = |dim, pattern, couplings| IsingSpec {
        dim,
        pattern,
        couplings: Some(couplings),
        ..IsingSpec::default()
    };
    let mut asymmetric = vec![0.0; 9];
    (asymmetric[1], asymmetric[3]) = (0.25, -0.5);
    let mut off_pattern = vec![0.0; 9];
    (off_pattern[2], off_pattern[6]) = (1.5, 1.5);
    let pairs = |pairs: &[[usize; 2]]| Pattern::Pairs { pairs: pairs.to_vec() };
    for (spec, code, field, says) in [
        (with(0, Pattern::Dense {}, vec![]), "invalid-spec", "model.dim", "at least one"),
        (with(MAX_DIM + 1, Pattern::Dense {}, vec![]), "too-large", "model.dim", "4096"),
        (with(usize::MAX, Pattern::Dense {}, vec![]), "too-large", "model.dim", "4096"),
        (with(3, Pattern::Dense {}, vec![0.0; 8]), "invalid-spec", "model.couplings", "9"),
        (
            with(1, Pattern::Dense {}, vec![f64::NAN]),
            "invalid-spec",
            "model.couplings[0, 0]",
            "NaN",
        ),
        (
            with(2, Pattern::Dense {}, vec![0.0, 0.0, f64::INFINITY, 0.0]),
            "invalid-spec",
            "model.couplings[1, 0]",
            "inf",
        ),
        (with(3, Pattern::Dense {}, asymmetric), "invalid-spec", "model.couplings[0, 1]", "-0.5"),
        (with(3, pairs(&[[0, 1]]), off_pattern), "invalid-spec", "model.couplings[0, 2]", "1.5"),
        (with(3, lattice(2, 2, false), vec![0.0; 9]), "invalid-spec", "model.pattern", "2 × 2"),
        (
            with(3, pairs(&[[0, 1], [0, 1]]), vec![0.0; 9]),
            "invalid-spec",
            "model.pattern.pairs",
            "twice",
        ),
    ] {
        let error = spec.build().unwrap_err();
        assert_eq!((error.code(), error.field()), (code, Some(field)), "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn numbers_are_given_in_one_way_and_within_limits() {
    let torus = |side: usize| IsingSpec {
        dim: side * side,
        pattern: lattice(side, side, true),
        ..IsingSpec::default()
    };
    let uniform = |coupling, field| Some(UniformSpins { coupling, field });
    let too_many = Pattern::Pairs { pairs: vec![[0, 1]; MAX_SPARSE_PAIRS + 1] };
    for (spec, code, field, says) in [
        (
            IsingSpec { params: Some(vec![0.0; 27]), uniform: uniform(0.1, 0.0), ..torus(3) },
            "invalid-spec",
            "model.uniform",
            "model.params too",
        ),
        (
            IsingSpec { couplings: Some(vec![0.0; 81]), params: Some(vec![]), ..torus(3) },
            "invalid-spec",
            "model.params",
            "model.couplings too",
        ),
        (
            IsingSpec { params: Some(vec![0.0; 26]), ..torus(3) },
            "invalid-spec",
            "model.params",
            "9 biases and then the couplings of the 18 pairs",
        ),
        (
            IsingSpec { dim: 2, params: Some(vec![0.0, f64::NAN, 0.0]), ..IsingSpec::default() },
            "invalid-spec",
            "model.params[1]",
            "NaN",
        ),
        (
            IsingSpec { uniform: uniform(f64::INFINITY, 0.0), ..torus(3) },
            "invalid-spec",
            "model.uniform.coupling",
            "inf",
        ),
        (
            IsingSpec { uniform: uniform(0.1, f64::NAN), ..torus(3) },
            "invalid-spec",
            "model.uniform.field",
            "NaN",
        ),
        (
            IsingSpec { uniform: uniform(1e308, 0.0), ..torus(3) },
            "invalid-spec",
            "model.uniform",
            "smaller",
        ),
        (
            IsingSpec { couplings: Some(vec![0.0; 3]), ..torus(65) },
            "too-large",
            "model.couplings",
            "params",
        ),
        (torus(1025), "too-large", "model.dim", "1048576"),
        (
            IsingSpec { dim: 3, pattern: too_many, ..IsingSpec::default() },
            "too-large",
            "model.pattern.pairs",
            "8386560",
        ),
    ] {
        let error = spec.build().unwrap_err();
        assert_eq!((error.code(), error.field()), (code, Some(field)), "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
}

/// The three ways to give the numbers say the same.
#[test]
fn params_and_uniform_spins_are_the_matrix() {
    for pattern in [lattice(3, 4, true), lattice(3, 4, false), Pattern::Dense {}] {
        let base = IsingSpec { dim: 12, pattern, ..IsingSpec::default() };
        let uniform = Some(UniformSpins { coupling: 0.3, field: -0.2 });
        let model = IsingSpec { uniform, ..base.clone() }.build().unwrap();
        let spins = model.to_spins();
        for (i, field) in spins.fields.iter().enumerate() {
            assert_close(*field, -0.2, 1e-14);
            for (j, weight) in spins.weights[12 * i..12 * (i + 1)].iter().enumerate() {
                let coupled = model.couplings()[12 * i + j] != 0.0 && i != j;
                assert_eq!(*weight, if coupled { 0.3 } else { 0.0 });
            }
        }
        let params = Some(model.params().to_vec());
        assert_eq!(IsingSpec { params, ..base }.build().unwrap().to_spec(), model.to_spec());
    }
    let json = r#"{ "kind": "ising", "dim": 9, "uniform": { "coupling": 0.44 },
        "pattern": { "kind": "lattice", "numRows": 3, "numCols": 3, "periodic": true } }"#;
    assert!(serde_json::from_str::<ModelSpec>(json).unwrap().build().is_ok());
}

/// What takes D² numbers is refused by name beyond 4,096 sites.
#[test]
fn large_lattices_are_not_fitted() {
    let pattern = lattice(65, 65, false);
    let spec = IsingSpec { dim: 65 * 65, pattern, ..IsingSpec::default() };
    let model = spec.build().unwrap();
    let data = WeightedRows::from_data(BitMatrix::zeros(65 * 65, 1).as_batch());
    let connectivity = ConnectivitySpec::SingleFlips {};
    let error = mpf::objective(&model, &data, &connectivity, false, 0).err().unwrap();
    assert_eq!((error.code(), error.field()), ("too-large", Some("model.dim")), "{error}");
}

#[test]
fn specs_read_as_people_write_them() {
    let read = |json: &str| serde_json::from_str::<ModelSpec>(json);
    let spec = IsingSpec { dim: 3, ..IsingSpec::default() };
    let short = read(r#"{ "kind": "ising", "dim": 3 }"#).unwrap();
    assert_eq!(short, ModelSpec::Ising(spec.clone()));
    assert!(spec.build().unwrap().couplings().iter().all(|coupling| *coupling == 0.0));
    let lattice = r#"{ "kind": "ising", "dim": 6,
        "pattern": { "kind": "lattice", "numRows": 2, "numCols": 3 } }"#;
    assert!(read(lattice).is_ok());
    for refused in [
        r#"{ "kind": "ising" }"#,
        r#"{ "kind": "spins", "dim": 3 }"#,
        r#"{ "kind": "ising", "dim": -1 }"#,
        r#"{ "kind": "ising", "dim": 3, "patern": { "kind": "dense" } }"#,
        r#"{ "kind": "ising", "dim": 3, "pattern": { "kind": "dense", "periodic": true } }"#,
        r#"{ "kind": "ising", "dim": 6, "pattern": { "kind": "lattice", "num_rows": 2, "num_cols": 3 } }"#,
    ] {
        assert!(read(refused).is_err(), "{refused}");
    }
}

/// E = xᵀJx counts each pair twice and the diagonal once.
#[test]
fn energy_is_the_quadratic_form() {
    for spec in IsingSpec::examples() {
        let model = spec.build().unwrap();
        let (dim, couplings) = (model.dim(), model.couplings());
        let rows = rows(dim, 8, 0.5, 1);
        let x = rows.as_batch().to_values();
        for (x, energy) in x.chunks_exact(dim).zip(energies(&model, &rows)) {
            let mut form = 0.0;
            for i in 0..dim {
                for j in 0..dim {
                    form += x[i] * couplings[i * dim + j] * x[j];
                }
            }
            assert_close(energy, form, 1e-14);
        }
    }
    let pair =
        IsingSpec { dim: 2, couplings: Some(vec![1.0, 10.0, 10.0, 100.0]), ..IsingSpec::default() };
    let mut energy = [0.0];
    pair.build().unwrap().energy(Batch::new(2, &[1.0, 1.0]), &mut energy);
    assert_eq!(energy, [121.0]);
}

#[test]
fn other_conventions_have_the_same_energies() {
    for spec in IsingSpec::examples() {
        let model = spec.build().unwrap();
        let dim = model.dim();
        let (hopfield, spins) = (Network::from_ising(&spec).unwrap(), model.to_spins());
        let rows = rows(dim, 8, 0.5, 2);
        for (x, energy) in
            rows.as_batch().to_values().chunks_exact(dim).zip(energies(&model, &rows))
        {
            let s: Vec<f64> = x.iter().map(|x| 2.0 * x - 1.0).collect();
            let (mut as_hopfield, mut as_spins) = (0.0, spins.constant);
            for i in 0..dim {
                as_hopfield += hopfield.thresholds()[i] * x[i];
                as_spins -= spins.fields[i] * s[i];
                for j in 0..dim {
                    as_hopfield -= 0.5 * hopfield.weight(i, j) * x[i] * x[j];
                    if i < j {
                        as_spins -= spins.weights[i * dim + j] * s[i] * s[j];
                    }
                }
            }
            assert_close(as_hopfield, energy, 1e-14);
            assert_close(as_spins, energy, 1e-14);
        }
        let back = [hopfield.to_ising().build().unwrap(), Ising::from_spins(&spins).unwrap()];
        for back in back {
            for (back, original) in back.couplings().iter().zip(model.couplings()) {
                assert_close(*back, original, 1e-14);
            }
        }
    }
    let mut bad = IsingSpec::examples()[1].build().unwrap().to_spins();
    bad.weights.pop();
    assert_eq!(Ising::from_spins(&bad).unwrap_err().code(), "invalid-spec");
}

/// Parameters go in and come out in the order the documentation gives.
#[test]
fn params_are_biases_then_pairs() {
    let spec = |pattern| IsingSpec { dim: 3, pattern, ..IsingSpec::default() };
    let mut dense = spec(Pattern::Dense {}).build().unwrap();
    dense.set_params(&[1.0, 2.0, 3.0, 12.0, 13.0, 23.0]);
    assert_eq!(dense.couplings(), [1.0, 12.0, 13.0, 12.0, 2.0, 23.0, 13.0, 23.0, 3.0]);
    let mut pairs = spec(Pattern::Pairs { pairs: vec![[1, 2], [0, 2]] }).build().unwrap();
    pairs.set_params(&[1.0, 2.0, 3.0, 13.0, 23.0]);
    assert_eq!(pairs.couplings(), [1.0, 0.0, 13.0, 0.0, 2.0, 23.0, 13.0, 23.0, 3.0]);
}

fn patterns(dim: usize) -> Vec<Pattern> {
    // A star: its hub has too many neighbours for tables of patterns.
    let star = (1..dim).map(|leaf| [0, leaf]).collect();
    let chain = (1..dim).map(|site| [site - 1, site]).collect();
    let mut patterns =
        vec![Pattern::Dense {}, Pattern::Pairs { pairs: star }, Pattern::Pairs { pairs: chain }];
    if dim.is_multiple_of(5) {
        patterns.push(lattice(5, dim / 5, dim >= 15));
    }
    patterns
}

fn check_against_definition(
    dim: usize,
    pattern: Pattern,
    num_rows: usize,
    density: f64,
    scale: f64,
    seed: u64,
) {
    let data = WeightedRows::from_data(rows(dim, num_rows, density, seed).as_batch());
    let model = IsingSpec::random(dim, pattern, scale, seed).build().unwrap();
    let mut fast = flow(&model, &data);
    let mut slow = definition(&model, data);
    let (value, grad) = evaluate(&mut *fast, model.params());
    let (expected, expected_grad) = evaluate(&mut slow, model.params());
    assert_close(value, expected, 1e-12);
    for (grad, expected) in grad.iter().zip(&expected_grad) {
        assert!((grad - expected).abs() <= 1e-13 * (1.0 + value), "{grad} and {expected}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]
    #[test]
    fn flow_is_as_defined_at_all_sizes(
        dim in prop::sample::select(vec![1_usize, 7, 8, 9, 15, 63, 64, 65, 100, 130]),
        num_rows in 1_usize..40,
        density in 0.0..1.0,
        seed in any::<u32>(),
    ) {
        for pattern in patterns(dim) {
            // Couplings as large as leaves K in range at every size.
            let scale = 2.0 / (dim as f64).sqrt();
            check_against_definition(dim, pattern, num_rows, density, scale, seed.into());
        }
    }
}

/// Many rows: groups with hundreds of patterns, and repeated rows.
#[test]
fn flow_is_as_defined_with_many_rows() {
    for pattern in [Pattern::Dense {}, lattice(4, 5, true)] {
        check_against_definition(20, pattern.clone(), 12_000, 0.5, 0.3, 1);
        check_against_definition(20, pattern, 12_000, 0.02, 0.3, 2);
    }
}

/// Couplings too large for products of exponentials: every row takes its own.
#[test]
fn flow_is_as_defined_at_large_couplings() {
    for (scale, seed) in [(20.0, 1), (60.0, 2)] {
        let dim = 40;
        let data = WeightedRows::from_data(rows(dim, 30, 0.1, seed).as_batch());
        let model = IsingSpec::random(dim, Pattern::Dense {}, scale, seed).build().unwrap();
        let (value, grad) = evaluate(&mut *flow(&model, &data), model.params());
        let mut slow = definition(&model, data);
        let (expected, expected_grad) = evaluate(&mut slow, model.params());
        // The definition's differences of energies lose digits themselves.
        assert!((value / expected - 1.0).abs() < 1e-10, "{value} {expected}");
        for (grad, expected) in grad.iter().zip(&expected_grad) {
            assert!((grad - expected).abs() <= 1e-10 * value, "{grad} and {expected}");
        }
    }
    // Two such exponentials together would leave the range, each alone does not.
    let dim = 16;
    let diagonal = |bias: f64| {
        let at = |at: usize| if at / dim == at % dim { bias } else { 0.0 };
        let couplings = Some((0..dim * dim).map(at).collect());
        IsingSpec { dim, couplings, ..IsingSpec::default() }.build().unwrap()
    };
    let zeros = WeightedRows::from_data(BitMatrix::zeros(dim, 3).as_batch());
    for bias in [-1000.0, -600.0, 600.0, 1000.0] {
        let model = diagonal(bias);
        let (value, grad) = evaluate(&mut *flow(&model, &zeros), model.params());
        let flow = unnorm::math::exp(-0.5 * bias);
        assert!((value / (16.0 * flow) - 1.0).abs() < 1e-12, "{value}");
        assert!(grad[..dim].iter().all(|grad| (grad / (-0.5 * flow) - 1.0).abs() < 1e-12));
    }
    // Beyond all range it is infinite, not wrong.
    let model = IsingSpec { dim: 1, couplings: Some(vec![-4000.0]), ..IsingSpec::default() };
    let model = model.build().unwrap();
    let zeros = WeightedRows::from_data(BitMatrix::zeros(1, 3).as_batch());
    assert_eq!(evaluate(&mut *flow(&model, &zeros), model.params()).0, f64::INFINITY);
}

#[test]
fn parameters_that_are_not_numbers_show() {
    for pattern in [Pattern::Dense {}, lattice(2, 3, false)] {
        let model = IsingSpec::random(6, pattern, 1.0, 1).build().unwrap();
        let data = WeightedRows::from_data(rows(6, 20, 0.5, 1).as_batch());
        let mut params = model.params().to_vec();
        params[8] = f64::NAN;
        assert!(evaluate(&mut *flow(&model, &data), &params).0.is_nan());
    }
}

/// At J = 0 every flip has flow 1: K = D, exactly.
#[test]
fn flow_without_couplings_is_the_number_of_sites() {
    for dim in [1, 9, 100] {
        for pattern in patterns(dim) {
            let model = IsingSpec { dim, pattern, ..IsingSpec::default() }.build().unwrap();
            let data = WeightedRows::from_data(rows(dim, 77, 0.4, 1).as_batch());
            let value = evaluate(&mut *flow(&model, &data), model.params()).0;
            assert_close(value, dim as f64, 1e-15);
        }
    }
}

/// The same numbers from NumPy, by eq. E.10 and E.12 with matrix products.
#[test]
fn flow_agrees_with_numpy() {
    struct Case {
        dim: usize,
        num_rows: usize,
        divisor: f64,
        value: f64,
        first_bias: f64,
        last_bias: f64,
        first_pair: f64,
        /// Sites 3 and D − 1.
        far_pair: f64,
        grad_square: f64,
    }
    let cases = [
        Case {
            dim: 100,
            num_rows: 300,
            divisor: 200.0,
            value: 101.39092525328783,
            first_bias: -0.10120356836475547,
            last_bias: 0.39825012126786785,
            first_pair: -0.008258785500972903,
            far_pair: 0.2960291328393697,
            grad_square: 204.33818345360916,
        },
        Case {
            dim: 13,
            num_rows: 1000,
            divisor: 40.0,
            value: 13.203188186904777,
            first_bias: -0.11322847671310982,
            last_bias: -0.09683824399531427,
            first_pair: -0.056502890616997786,
            far_pair: 0.025870772158631653,
            grad_square: 2.266852823715538,
        },
    ];
    for case in cases {
        let dim = case.dim;
        let mut data = BitMatrix::zeros(dim, case.num_rows);
        for (r, row) in data.rows_mut().enumerate() {
            for c in 0..dim {
                let is_set = (r * 7 + c * c * 3 + r * c / 3 + (r / 11) * (c / 5)) % 5 < 2;
                row[c / 64] |= u64::from(is_set) << (c % 64);
            }
        }
        let coupling = |i: usize, j: usize| {
            let (low, high) = (i.min(j), i.max(j));
            (((low * 5 + high * 3 + low * high) % 13) as f64 - 6.0) / case.divisor
        };
        let couplings = (0..dim * dim).map(|at| coupling(at / dim, at % dim)).collect();
        let spec = IsingSpec { dim, couplings: Some(couplings), ..IsingSpec::default() };
        let model = spec.build().unwrap();
        let data = WeightedRows::from_data(data.as_batch());
        assert_eq!(data.num_distinct(), 75);
        let (value, grad) = evaluate(&mut *flow(&model, &data), model.params());
        assert_close(value, case.value, 1e-13);
        assert_close(grad[0], case.first_bias, 1e-13);
        assert_close(grad[dim - 1], case.last_bias, 1e-13);
        assert_close(grad[dim], case.first_pair, 1e-13);
        let far = dim + 3 * dim - 6 + (dim - 1 - 4);
        assert_close(grad[far], case.far_pair, 1e-13);
        assert_close(grad.iter().map(|grad| grad * grad).sum(), case.grad_square, 1e-12);
    }
}

/// A lattice given as one, as its pairs, or found by a dense model: the same
/// flow, and the same gradient where both have a parameter.
#[test]
fn sparse_and_dense_forms_agree() {
    let sparse = IsingSpec::random(35, lattice(5, 7, true), 0.8, 4).build().unwrap();
    let couplings = Some(sparse.couplings());
    let dense = IsingSpec { dim: 35, couplings, ..IsingSpec::default() }.build().unwrap();
    let data = WeightedRows::from_data(rows(35, 500, 0.3, 5).as_batch());
    let (value, grad) = evaluate(&mut *flow(&sparse, &data), sparse.params());
    let (dense_value, dense_grad) = evaluate(&mut *flow(&dense, &data), dense.params());
    assert_close(value, dense_value, 1e-13);
    // Each parameter of the lattice is found among the dense ones by marking it.
    for index in 0..sparse.params().len() {
        let mut marked = sparse.clone();
        let mut params = vec![0.0; sparse.params().len()];
        params[index] = 1.0;
        marked.set_params(&params);
        let couplings = Some(marked.couplings());
        let marked = IsingSpec { dim: 35, couplings, ..IsingSpec::default() }.build().unwrap();
        let at = marked.params().iter().position(|param| *param == 1.0).unwrap();
        assert_close(grad[index], dense_grad[at], 1e-13);
    }
}

/// Shards may be worked by anyone, in any order, again and again.
#[test]
fn shards_do_not_care_who_works_them() {
    for (dim, pattern, least) in [(100, Pattern::Dense {}, 14), (625, lattice(25, 25, false), 4)] {
        let model = IsingSpec::random(dim, pattern, 0.3, 6).build().unwrap();
        let data = WeightedRows::from_data(rows(dim, 3000, 0.5, 6).as_batch());
        let mut objective = flow(&model, &data);
        let whole = evaluate(&mut *objective, model.params());
        let num_shards = objective.num_shards();
        assert!(num_shards >= least);
        let mut parts = vec![Vec::new(); num_shards];
        let mut slots: Vec<_> = parts.iter_mut().enumerate().collect();
        slots.reverse();
        std::thread::scope(|scope| {
            for slots in slots.chunks_mut(3) {
                let objective = &objective;
                scope.spawn(move || {
                    for (shard, part) in slots {
                        **part = objective.part(*shard);
                    }
                });
            }
        });
        let mut grad = vec![f64::NAN; model.params().len()];
        let value = objective.combine(&parts, &mut grad);
        assert_eq!((value.to_bits(), grad), (whole.0.to_bits(), whole.1));
        // Another copy, made from the data in another order, has the same bits.
        let mut reversed = rows(dim, 3000, 0.5, 6);
        let words: Vec<Vec<u64>> = reversed.as_batch().rows().map(<[u64]>::to_vec).collect();
        reversed
            .rows_mut()
            .zip(words.iter().rev())
            .for_each(|(row, words)| row.copy_from_slice(words));
        let other = flow(&model, &WeightedRows::from_data(reversed.as_batch())).part(0);
        assert_eq!(other, parts[0]);
    }
}

/// So many rows that shards split them: the whole is the mean of its halves.
#[test]
fn flow_is_a_mean_over_rows() {
    let (dim, num_rows) = (70, 150_000);
    let model = IsingSpec::random(dim, Pattern::Dense {}, 0.2, 8).build().unwrap();
    let all = rows(dim, num_rows, 0.5, 8);
    let objective = |range| flow(&model, &WeightedRows::from_data(all.as_batch().slice(range)));
    let mut whole = objective(0..num_rows);
    let mut halves = [objective(0..num_rows / 2), objective(num_rows / 2..num_rows)];
    let num_tiles = 9;
    // The tile left over is halved.
    assert_eq!((whole.num_shards(), halves[0].num_shards()), (2 * num_tiles, num_tiles + 1));
    let (value, grad) = evaluate(&mut *whole, model.params());
    let [a, b] = &mut halves;
    let ((a, a_grad), (b, b_grad)) =
        (evaluate(&mut **a, model.params()), evaluate(&mut **b, model.params()));
    assert_close(value, 0.5 * (a + b), 1e-13);
    for ((grad, a), b) in grad.iter().zip(a_grad).zip(b_grad) {
        assert_close(*grad, 0.5 * (a + b), 1e-12);
    }
}
