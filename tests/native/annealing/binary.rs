//! Paths through the parameters of models of bits, also where sites have several values.

use super::twin::{energy, forward_chain, model_at, reverse_chain};
use super::*;
use unnorm::exact::enumerate;
use unnorm::models::Model;
use unnorm::models::categorical_rbm::CategoricalRbmSpec;
use unnorm::models::ising::{IsingSpec, Pattern, UniformSpins};
use unnorm::models::potts::{Potts, PottsSpec};
use unnorm::models::rbm::RbmSpec;
use unnorm::models::semi_restricted::SemiRestrictedSpec;
use unnorm::models::site_values::NumValues;
use unnorm::rng::uniform;
use unnorm::sample::param_path::{Knot, ParamPath};

const SPECS: [TransitionSpec; 10] = [
    TransitionSpec::Gibbs { scan: Scan::Systematic },
    TransitionSpec::Gibbs { scan: Scan::Random },
    TransitionSpec::FlipMetropolis { scan: Scan::Systematic },
    TransitionSpec::FlipMetropolis { scan: Scan::Random },
    TransitionSpec::LocallyInformed {},
    TransitionSpec::DiscreteLangevin { step_size: 0.7 },
    TransitionSpec::BlockGibbs {},
    TransitionSpec::Checkerboard {},
    TransitionSpec::SwendsenWang {},
    TransitionSpec::Wolff {},
];

fn lattice(num_rows: usize, num_cols: usize, periodic: bool) -> Pattern {
    Pattern::Lattice { num_rows, num_cols, periodic }
}

fn models() -> Vec<Box<dyn Model>> {
    let torus = IsingSpec {
        dim: 16,
        pattern: lattice(4, 4, true),
        uniform: Some(UniformSpins { coupling: 0.15, field: 0.05 }),
        ..IsingSpec::default()
    };
    vec![
        Box::new(IsingSpec::random(6, Pattern::Dense {}, 0.4, 2).build().unwrap()),
        Box::new(IsingSpec::random(6, lattice(2, 3, false), 0.8, 3).build().unwrap()),
        Box::new(torus.build().unwrap()),
        Box::new(RbmSpec::random(6, 4, 0.8, 4).build().unwrap()),
        Box::new(SemiRestrictedSpec::random(5, 3, 0.4, 6).build().unwrap()),
        Box::new(potts(3, NumValues::Each(vec![2, 4, 3]), Pattern::Dense {}, 7)),
        Box::new(potts(4, NumValues::All(3), lattice(2, 2, false), 8)),
        Box::new(
            CategoricalRbmSpec::random(3, NumValues::Each(vec![3, 2, 4]), 4, 0.8, 9)
                .build()
                .unwrap(),
        ),
    ]
}

fn potts(num_sites: usize, num_values: NumValues, pattern: Pattern, seed: u64) -> Potts {
    PottsSpec::random(num_sites, num_values, pattern, 0.8, seed).build().unwrap()
}

fn can(model: &dyn Model, spec: &TransitionSpec) -> bool {
    match spec {
        TransitionSpec::Gibbs { .. } => model.as_categorical_rbm().is_none(),
        TransitionSpec::FlipMetropolis { .. }
        | TransitionSpec::LocallyInformed {}
        | TransitionSpec::DiscreteLangevin { .. } => model.as_site_flips().is_some(),
        TransitionSpec::BlockGibbs {} => model.as_hidden_units().is_some(),
        // Every pair of the first model is coupled.
        TransitionSpec::Checkerboard {} => {
            model.as_ising().is_some()
                && model.dim() * (model.dim() + 1) / 2
                    != model.as_parametric().unwrap().params().len()
        }
        TransitionSpec::SwendsenWang {} if model.as_potts().is_some() => true,
        _ => model.as_ising().is_some(),
    }
}

/// Uniform, at other rates, and by way of a knot in between that is on no straight
/// line.
fn knots(model: &dyn Model) -> [Vec<Knot>; 3] {
    let dim = model.dim();
    let odds: Vec<f64> = (0..dim).map(|site| 0.6 - 0.25 * (site % 5) as f64).collect();
    let target = model.as_parametric().unwrap().params().to_vec();
    let [uniform, rates] =
        [&vec![0.0; dim], &odds].map(|odds| model.independent_params(odds).unwrap());
    let knot = |beta: f64, params: &Vec<f64>| Knot { beta, params: params.clone() };
    let bent: Vec<f64> = target
        .iter()
        .enumerate()
        .map(
            |(at, param)| {
                if *param == 0.0 { 0.0 } else { 0.6 * param + 0.1 * ((at % 3) as f64 - 1.0) }
            },
        )
        .collect();
    [
        vec![knot(0.0, &uniform), knot(1.0, &target)],
        vec![knot(0.0, &rates), knot(1.0, &target)],
        vec![knot(0.0, &rates), knot(0.37, &bent), knot(1.0, &target)],
    ]
}

fn path(model: &dyn Model, knots: &[Knot]) -> Path {
    Path::Params(ParamPath::new(model.boxed_clone(), knots.to_vec()).unwrap())
}

/// log Z, over all rows of bits.
fn log_z_of(model: &dyn Model) -> f64 {
    match model.as_site_flips() {
        Some(flips) => enumerate(flips).unwrap().log_z,
        None => {
            let rows = (0..1 << model.dim()).map(|state| row(model.dim(), state));
            unnorm::math::ln(rows.map(|row| exp(-energy(model, &row))).sum())
        }
    }
}

/// Exact draws, from a table of all states.
fn draw_states(model: &dyn Model, count: usize) -> States {
    let dim = model.dim();
    let mut sum = 0.0;
    let sums: Vec<f64> = (0..1 << dim)
        .map(|state| {
            sum += exp(-energy(model, &row(dim, state)));
            sum
        })
        .collect();
    let mut rng = stream(78, Purpose::Example, 0);
    let draw = |_| {
        let number = uniform(&mut rng) * sum;
        row(dim, sums.partition_point(|sum| *sum <= number) as u64)
    };
    States::Rows((0..count).map(draw).collect())
}

/// Every model, transition and path, there and back.
#[test]
fn weights_have_the_right_mean() {
    let mut num_cases = 0;
    for model in models() {
        let log_z = log_z_of(&*model);
        let states = draw_states(&*model, 10_000);
        for (index, knots) in knots(&*model).into_iter().enumerate() {
            for spec in SPECS.iter().filter(|spec| can(&*model, spec)) {
                let num_distributions = [5, 3, 4][index];
                let plan = annealing_plan(
                    path(&*model, &knots),
                    Moves::By(spec.clone()),
                    num_distributions,
                    1.0,
                );
                let name =
                    format!("{spec:?}, {} of {} sites, path {index}", model.kind(), model.dim());
                check_both_ways(&name, &plan, log_z, &states, false);
                num_cases += 1;
            }
            if model.dim() <= 6 || model.as_sites().is_some() {
                let plan = annealing_plan(path(&*model, &knots), Moves::Perfect, 3, 1.0);
                check_both_ways(&format!("perfect, path {index}"), &plan, log_z, &states, false);
            }
        }
    }
    assert_eq!(num_cases, 3 * (8 + 9 + 9 + 7 + 6 + 3 + 3 + 1));
}

/// To the bit where rows and streams are concerned, and to rounding for what energies
/// add up to: all that is fast against the twin.
#[test]
fn chains_are_those_of_the_definition() {
    let schedule = vec![0.0, 0.1, 0.37, 0.5, 0.9, 1.0];
    let count = 40;
    for model in models() {
        let starts = draw_states(&*model, count);
        for knots in knots(&*model) {
            for spec in SPECS.iter().filter(|spec| can(&*model, spec)) {
                let sizes = StepSizes::constant(1.0).unwrap();
                let moves = Moves::By(spec.clone());
                let plan =
                    AnnealingPlan::new(path(&*model, &knots), moves, schedule.clone(), 1, sizes)
                        .unwrap();
                let [(forward, _), (reverse, _)] =
                    [None, Some(&starts)].map(|start| run(&plan, start, count));
                let check = |population: &Population, chain: usize, row: &[u64], sums: [f64; 2]| {
                    let words = words(&population.states());
                    assert_eq!(&words[chain * row.len()..][..row.len()], row, "{spec:?}");
                    let fast = [population.log_weights[chain], population.integrals[chain]];
                    for (fast, slow) in fast.into_iter().zip(sums) {
                        assert!((fast - slow).abs() < 1e-11, "{spec:?}: {fast} {slow}");
                    }
                };
                for chain in 0..count {
                    let mut rng = stream(5, Purpose::Anneal, chain as u64);
                    let (row, sums) = forward_chain(&*model, &knots, &schedule, spec, &mut rng);
                    check(&forward, chain, &row, sums);
                    let mut rng = stream(5, Purpose::AnnealReverse, chain as u64);
                    let mut row = words(&starts)[chain..=chain].to_vec();
                    let sums =
                        reverse_chain(&*model, &knots, &schedule, spec, true, &mut row, &mut rng);
                    check(&reverse, chain, &row, sums);
                }
            }
        }
    }
}

/// What the fast energies leave out, and models too large for a table: the sum of the
/// terms of one row against plain energies at both ends, for rows of several words,
/// hidden units that fill no vector, and large activations.
#[test]
fn terms_of_large_models_are_those_of_plain_energies() {
    let torus = IsingSpec::random(130, lattice(10, 13, true), 0.7, 5).build().unwrap();
    // Pairs at all distances, few at each.
    let pairs = (0..129)
        .map(|site| [site * 7 % 131 % 65, 65 + site * 11 % 65])
        .collect::<std::collections::BTreeSet<_>>();
    let graph = Pattern::Pairs { pairs: pairs.into_iter().collect() };
    let several = NumValues::Each((0..40).map(|site| 2 + site % 5).collect());
    let models: [Box<dyn Model>; 8] = [
        Box::new(torus),
        Box::new(IsingSpec::random(130, graph, 0.7, 5).build().unwrap()),
        Box::new(IsingSpec::random(130, Pattern::Dense {}, 0.2, 5).build().unwrap()),
        Box::new(RbmSpec::random(130, 37, 0.5, 5).build().unwrap()),
        Box::new(RbmSpec::random(70, 9001, 8.0, 5).build().unwrap()),
        Box::new(SemiRestrictedSpec::random(70, 21, 0.3, 6).build().unwrap()),
        Box::new(potts(40, several.clone(), Pattern::Dense {}, 7)),
        Box::new(CategoricalRbmSpec::random(40, several, 21, 0.5, 8).build().unwrap()),
    ];
    for model in models {
        let knots = knots(&*model).into_iter().next_back().unwrap();
        let moves = match model.as_categorical_rbm() {
            None => gibbs(Scan::Systematic),
            Some(_) => Moves::By(TransitionSpec::BlockGibbs {}),
        };
        let sizes = StepSizes::constant(1.0).unwrap();
        let schedule = vec![0.0, 0.2, 0.6, 1.0];
        let plan = AnnealingPlan::new(path(&*model, &knots), moves, schedule, 1, sizes).unwrap();
        let start = Population::forward(&plan, 0..3, 1);
        let rows = words(&start.states());
        let rows: Vec<&[u64]> = rows.chunks_exact(words_per_row(model.dim())).collect();
        let (mut population, mut before) = (start, vec![0.0; 3]);
        let mut rows: Vec<Vec<u64>> = rows.into_iter().map(<[u64]>::to_vec).collect();
        for (step, two) in [[0.0, 0.2], [0.2, 0.6], [0.6, 1.0]].into_iter().enumerate() {
            let [lower, upper] = two.map(|beta| model_at(&*model, &knots, beta));
            let steps = step..step + 1;
            population.advance(&plan, Direction::Forward, steps, &mut Profile::default());
            for (chain, row) in rows.iter().enumerate() {
                let [from, to] = [&lower, &upper].map(|model| energy(&**model, row));
                let term = population.log_weights[chain] - before[chain];
                let error = (term - (from - to)).abs();
                assert!(error < 1e-11 * (1.0 + from.abs().max(to.abs())), "{error}");
            }
            before.clone_from(&population.log_weights);
            let States::Rows(states) = population.states() else { panic!("no rows") };
            rows = states;
        }
    }
}

/// log Z of the reference against a sum over all states.
#[test]
fn log_z_of_independent_units() {
    for model in models() {
        for knots in knots(&*model) {
            let reference = model_at(&*model, &knots, 0.0);
            let expected = log_z_of(&*reference);
            let log_z = path(&*model, &knots).reference_log_z();
            assert!(
                (log_z - expected).abs() < 1e-12 * expected.abs().max(1.0),
                "{log_z} {expected}"
            );
        }
    }
}

/// Going back by the same scan, not its reversal, is found out by Bennett's identity,
/// though by no mean: e^{−log w} has the right one with any transition that leaves
/// the distributions as they are.
#[test]
fn going_back_without_reversals_is_found_out() {
    // A row of spins coupled to their neighbours, w = 0.8, on the first of which a field
    // acts: 1 at first, −1 at last. A sweep away from it carries its turn along the row
    // at once, one towards it a site at a time.
    let dim = 8;
    let pairs = (1..dim).map(|site| [site - 1, site]).collect();
    let params = |w: f64, field: f64| -> Vec<f64> {
        let bias = |site: usize| {
            let num_neighbours = if site == 0 || site == dim - 1 { 1.0 } else { 2.0 };
            2.0 * w * num_neighbours - if site == 0 { 2.0 * field } else { 0.0 }
        };
        (0..2 * dim - 1).map(|at| if at < dim { bias(at) } else { -2.0 * w }).collect()
    };
    let spec = IsingSpec::random(dim, Pattern::Pairs { pairs }, 0.0, 1);
    let mut model = spec.build().unwrap();
    unnorm::energy::Parametric::set_params(&mut model, &params(0.8, -1.0));
    let model: Box<dyn Model> = Box::new(model);
    let log_z = enumerate(model.as_site_flips().unwrap()).unwrap().log_z;
    let knots = [
        Knot { beta: 0.0, params: params(0.0, 1.0) },
        Knot { beta: 0.5, params: params(0.8, 1.0) },
        Knot { beta: 1.0, params: params(0.8, -1.0) },
    ];
    let count = 120_000;
    let scan = TransitionSpec::Gibbs { scan: Scan::Systematic };
    let plan = annealing_plan(path(&*model, &knots), Moves::By(scan.clone()), 4, 1.0);
    let log_ratio = log_z - plan.path().reference_log_z();
    let (forward, _) = run(&plan, None, count);
    let starts = words(&draw_states(&*model, count));
    let back = |is_reversed: bool| -> Vec<f64> {
        let chain = |chain: usize| {
            let mut rng = stream(6, Purpose::AnnealReverse, chain as u64);
            let mut row = [starts[chain]];
            reverse_chain(&*model, &knots, plan.schedule(), &scan, is_reversed, &mut row, &mut rng)
                [0]
        };
        (0..count).map(chain).collect()
    };
    let [right, wrong] = [true, false].map(back);
    let [right_off, wrong_off] =
        [&right, &wrong].map(|reverse| bennett(&forward.log_weights, reverse, log_ratio));
    assert!(right_off < MAX_ERRORS, "{right_off} standard errors");
    assert!(wrong_off > 2.0 * MAX_ERRORS, "{wrong_off} standard errors");
    for reverse in [right, wrong] {
        let (mean, error) = mean(reverse.iter().map(|log_w| exp(log_ratio - log_w)));
        assert!((mean - 1.0).abs() < MAX_ERRORS * error && error < 0.03, "{mean} ± {error}");
    }
}
