//! How long the kernels take, natively, on one thread: `cargo bench --bench
//! kernels`. Least and median of repeated runs; on a machine with other work
//! the least says more.

// Benches are where clocks belong.
#![allow(clippy::disallowed_types)]

use std::hint::black_box;
use std::time::Instant;
use unnorm::bits::WeightedRows;
use unnorm::energy::{FlipFlow, Parametric};
use unnorm::exact;
use unnorm::fit::flip_loss::FlipLoss;
use unnorm::linalg::{Block, Lanes};
use unnorm::math::exp_lanes;
use unnorm::models::ModelSpec;
use unnorm::models::ising::onsager::CRITICAL_COUPLING;
use unnorm::models::ising::{IsingSpec, Pattern, UniformSpins};
use unnorm::rng::{ChainRng, Purpose, normal, stream};
use unnorm::sample::checkerboard::Checkerboard;
use unnorm::sample::gibbs::Gibbs;
use unnorm::sample::swendsen_wang::SwendsenWang;
use unnorm::sample::wolff::Wolff;
use unnorm::sample::{Transition, fill_random};

const DIM: usize = 100;

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

fn main() {
    let bits = std::fs::read("www/data/spin-glass-10x10.bits").expect("the data set");
    let rows = unnorm::data::from_bits(DIM, 20_000, &bits).expect("sound data");
    let file = std::fs::read("www/data/spin-glass-10x10.couplings.npy").expect("the couplings");
    let couplings: Vec<f64> =
        npyz::NpyFile::new(&file[..]).and_then(npyz::NpyFile::into_vec).expect("numbers");
    let data = WeightedRows::from_data(rows.as_batch());

    let lattice = Pattern::Lattice { num_rows: 10, num_cols: 10, periodic: false };
    for (name, pattern) in [("all pairs", Pattern::Dense {}), ("lattice", lattice)] {
        let spec = IsingSpec {
            dim: DIM,
            pattern,
            couplings: Some(couplings.clone()),
            ..IsingSpec::default()
        };
        let model = spec.build().expect("a sound spec");
        measure(&format!("flow of 20,000 rows, {name}: preparing the data"), 10, || {
            black_box(model.flip_flow(&data, FlipLoss::Flow));
        });
        let mut objective = model.flip_flow(&data, FlipLoss::Flow);
        let mut grad = vec![0.0; model.params().len()];
        measure(&format!("flow of 20,000 rows, {name}: one evaluation"), 100, || {
            black_box(objective.evaluate(model.params(), &mut grad));
        });
        let mut rng = stream(1, Purpose::Chain, 0);
        let mut row = [0; 2];
        fill_random(&mut row, DIM, &mut rng);
        measure(&format!("1,000 Gibbs sweeps of 100 sites, {name}"), 20, || {
            for _ in 0..1000 {
                Gibbs::new(&model).step(&mut row, &mut rng);
            }
        });
    }

    lattice_512();

    let model = IsingSpec::random(20, Pattern::Dense {}, 0.5, 1).build().expect("a sound spec");
    measure("enumeration of 2^20 states", 10, || {
        black_box(exact::enumerate(&model).expect("20 sites"));
    });

    let mut x = Lanes(std::array::from_fn(|lane| lane as f64 - 4.0));
    measure("a million exponentials in lanes", 20, || {
        for _ in 0..125_000 {
            x = exp_lanes(black_box(&x));
            x.0[0] = -1.0;
        }
        black_box(x);
    });

    gradients();
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
    let fast = Checkerboard::new(&model).expect("even sides");
    let general = Checkerboard::new(&uneven).expect("even sides");
    step("checkerboard, 64 sites at a time", &fast, &mut row, &mut rng);
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
