//! How long the samplers' kernels take, natively, on one thread: `cargo bench
//! --bench models`. Gradients of 200 chains, and steps on a large lattice; least
//! and median of repeated runs: on a machine with other work the least says more.

// Benches are where clocks belong.
#![allow(clippy::disallowed_types)]

use std::hint::black_box;
use std::time::Instant;
use unnorm::energy::Parametric;
use unnorm::linalg::Block;
use unnorm::models::ModelSpec;
use unnorm::models::ising::onsager::CRITICAL_COUPLING;
use unnorm::models::ising::{IsingSpec, Pattern, UniformSpins};
use unnorm::rng::{ChainRng, Purpose, normal, stream};
use unnorm::sample::Transition;
use unnorm::sample::checkerboard::Checkerboard;
use unnorm::sample::gibbs::Gibbs;
use unnorm::sample::swendsen_wang::SwendsenWang;
use unnorm::sample::wolff::Wolff;

fn main() {
    regression();
    gradients();
    lattice_512();
}

fn measure(name: &str, num_runs: usize, mut run: impl FnMut()) {
    run();
    let mut milliseconds: Vec<f64> = (0..num_runs)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    milliseconds.sort_by(f64::total_cmp);
    let median = milliseconds[num_runs / 2];
    println!("{name:54} {:9.3} ms least {median:9.3} ms median", milliseconds[0]);
}

/// Energies and gradients of a regression of 1,000 rows, typed and by hand, for 200 chains.
fn regression() {
    let mut rng = stream(3, Purpose::Chain, 0);
    let x: Vec<f64> = (0..1000).map(|_| normal(&mut rng)).collect();
    let y: Vec<f64> = x.iter().map(|x| 1.0 + 2.0 * x + normal(&mut rng)).collect();
    let prior = |name: &str| {
        format!(r#"{{"name":"{name}","distribution":{{"kind":"normal","mean":0,"sd":2}}}}"#)
    };
    let of = |log_likelihood: &str| {
        let spec = format!(
            r#"{{"kind":"posterior","prior":[{},{}],"logLikelihood":"{log_likelihood}","data":{{"x":{x:?},"y":{y:?}}}}}"#,
            prior("a"),
            prior("b"),
        );
        let spec: ModelSpec = serde_json::from_str(&spec).expect("a spec");
        spec.build().expect("a sound spec")
    };
    let states: Vec<f64> = (0..2 * 200).map(|_| normal(&mut rng)).collect();
    let (mut energy, mut grad) = (vec![0.0; 200], vec![0.0; 400]);
    for (name, log_likelihood) in
        [("normal noise", "-(y - a - b*x)^2/2"), ("logistic", "-softplus(-y*(a + b*x))")]
    {
        let model = of(log_likelihood);
        let model = model.as_differentiable().expect("a gradient");
        measure(&format!("200 gradients of 1,000 rows, {name}, typed"), 200, || {
            model.energy_grad(Block::new(2, black_box(&states)), &mut energy, &mut grad);
        });
    }
    measure("200 gradients of 1,000 rows, normal noise, by hand", 200, || {
        let states = black_box(&states);
        for c in 0..200 {
            let (a, b) = (2.0 * states[c], 2.0 * states[200 + c]);
            // Eight sums side by side, so that the compiler can vectorize them.
            let [mut squares, mut of_a, mut of_b] = [[0.0; 8]; 3];
            for (x, y) in x.chunks_exact(8).zip(y.chunks_exact(8)) {
                for lane in 0..8 {
                    let off = y[lane] - a - b * x[lane];
                    squares[lane] += off * off;
                    of_a[lane] += off;
                    of_b[lane] += off * x[lane];
                }
            }
            energy[c] = 0.5 * squares.iter().sum::<f64>();
            grad[c] = -2.0 * of_a.iter().sum::<f64>();
            grad[200 + c] = -2.0 * of_b.iter().sum::<f64>();
        }
        black_box((&energy, &grad));
    });
}

/// Energies and gradients of 200 chains, a thousand times.
fn gradients() {
    let models = [
        ("ring", r#"{"kind":"ring"}"#),
        ("ring as formula", r#"{"kind":"formula","expression":"100*log(sqrt(x^2+y^2))^2"}"#),
        ("banana", r#"{"kind":"banana"}"#),
        ("banana as formula", r#"{"kind":"formula","expression":"(x-1)^2/20+5*(y-x^2)^2"}"#),
        ("funnel, 10 dimensions", r#"{"kind":"funnel"}"#),
        ("Gaussian, 36 dimensions", r#"{"kind":"gaussian","dim":36}"#),
        ("mixture of 3", r#"{"kind":"mixture","dim":2,"means":[0,0,3,0,0,3]}"#),
        ("36 Laplace experts", r#"{"kind":"productOfExperts","dim":36,"expert":"laplace"}"#),
        ("36 Student t experts", r#"{"kind":"productOfExperts","dim":36,"expert":"studentT"}"#),
    ];
    for (name, spec) in models {
        let spec: ModelSpec = serde_json::from_str(spec).expect("a spec");
        let model = spec.build().expect("a sound spec");
        let model = model.as_differentiable().expect("a gradient");
        let mut rng = stream(1, Purpose::Chain, 0);
        let x: Vec<f64> = (0..model.dim() * 200).map(|_| normal(&mut rng)).collect();
        let (mut energy, mut grad) = (vec![0.0; 200], vec![0.0; x.len()]);
        measure(&format!("1,000 gradients of 200 chains, {name}"), 50, || {
            for _ in 0..1000 {
                model.energy_grad(Block::new(model.dim(), black_box(&x)), &mut energy, &mut grad);
            }
        });
    }
}

/// One step of each sampler on a lattice of 512 × 512 at the critical
/// temperature, from a state Swendsen–Wang has reached; without and with
/// differences between its couplings.
fn lattice_512() {
    let dim = 512 * 512;
    let pattern = Pattern::Lattice { num_rows: 512, num_cols: 512, periodic: true };
    let uniform = Some(UniformSpins { coupling: CRITICAL_COUPLING, field: 0.0 });
    let spec = IsingSpec { dim, pattern: pattern.clone(), uniform, ..IsingSpec::default() };
    measure("lattice of 512 × 512: building it", 5, || {
        black_box(spec.build().expect("a sound spec"));
    });
    let model = spec.build().expect("a sound spec");
    let mut uneven = model.params().to_vec();
    uneven[dim] *= 0.999;
    let spec = IsingSpec { dim, pattern, params: Some(uneven), ..IsingSpec::default() };
    let uneven = spec.build().expect("a sound spec");

    let mut rng = stream(2, Purpose::Chain, 0);
    let mut row = vec![0; dim / 64];
    let swendsen_wang = SwendsenWang::new(&model);
    for _ in 0..60 {
        swendsen_wang.step(&mut row, &mut rng);
    }
    let fast = Checkerboard::new(&model);
    let general = Checkerboard::new(&uneven);
    step("checkerboard, many sites at a time", &fast, &mut row, &mut rng);
    step("checkerboard in general", &general, &mut row, &mut rng);
    step("Gibbs", &Gibbs::new(&model), &mut row, &mut rng);
    step("Gibbs, random scan", &Gibbs::random_scan(&model), &mut row, &mut rng);
    step("Swendsen–Wang", &swendsen_wang, &mut row, &mut rng);
    step("Wolff", &Wolff::new(&model), &mut row, &mut rng);
    measure("lattice of 512 × 512: tempering, and Swendsen–Wang for it", 10, || {
        black_box(SwendsenWang::new(&model.tempered(0.9, None)));
    });
}

fn step(name: &str, transition: &impl Transition, row: &mut [u64], rng: &mut ChainRng) {
    measure(&format!("lattice of 512 × 512: {name}"), 20, || {
        black_box(transition.step(row, rng));
    });
}
