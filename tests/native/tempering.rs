//! Parallel and simulated tempering: exact on targets where a single chain
//! stays in one mode for ever. Tolerances are seven standard errors taken from
//! independent runs, a false alarm below 10⁻⁶ in all.

use unnorm::energy::{Differentiable, Energy};
use unnorm::exact::enumerate;
use unnorm::linalg::{Batch, Block};
use unnorm::math::{exp, ln, log_sum_exp};
use unnorm::models::gaussian::{Gaussian, GaussianSpec};
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::rng::{ChainRng, Purpose, stream};
use unnorm::sample::Transition;
use unnorm::sample::annealed::Annealed;
use unnorm::sample::chains::ChainTransition;
use unnorm::sample::chains::{Chains, StepInfo};
use unnorm::sample::gibbs::Gibbs;
use unnorm::sample::hmc::{Hmc, MomentumFlips};
use unnorm::sample::ladder::Ladder;
use unnorm::sample::parallel_tempering::Replicas;
use unnorm::sample::param_path::ParamPath;
use unnorm::sample::path_moves::Moves;
use unnorm::sample::simulated_tempering::SimulatedTempering;
use unnorm::sample::spec::{Scan, TransitionSpec};
use unnorm::sample::target::Target;
use unnorm::sample::tempered_bits::{BitReplicas, MovingReplicas, log_z};
use unnorm::sample::tuning::{ScaleKind, Tuning};
use unnorm::sample::warmup::{Warmup, WarmupSettings};

const HMC: Hmc =
    Hmc { num_leapfrog_steps: 5, momentum_refresh: 1.0, momentum_flips: MomentumFlips::Standard };

/// `p(x) = ¾ N(x; m, s² I) + ¼ N(x; −m, s² I)` in the plane, m = (4, 4), s = ½,
/// times 10: Z = 10.
struct TwoModes;

const MODE: f64 = 4.0;
const SPREAD: f64 = 0.5;

impl TwoModes {
    /// ln of the weighted densities of both modes.
    fn parts(x: [f64; 2]) -> [f64; 2] {
        let constant = -ln(2.0 * std::f64::consts::PI * SPREAD * SPREAD) + ln(10.0);
        let part = |weight: f64, mode: f64| {
            let square = (x[0] - mode) * (x[0] - mode) + (x[1] - mode) * (x[1] - mode);
            ln(weight) + constant - 0.5 * square / (SPREAD * SPREAD)
        };
        [part(0.75, MODE), part(0.25, -MODE)]
    }
}

impl Energy for TwoModes {
    fn dim(&self) -> usize {
        2
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        for (state, out) in x.states().zip(out) {
            *out = -log_sum_exp(&Self::parts([state[0], state[1]]));
        }
    }
}

impl Differentiable for TwoModes {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let width = x.width();
        for chain in 0..width {
            let state = [x.entry(0)[chain], x.entry(1)[chain]];
            let parts = Self::parts(state);
            let total = log_sum_exp(&parts);
            energy[chain] = -total;
            let [up, down] = parts.map(|part| exp(part - total));
            for d in 0..2 {
                let pull = up * (state[d] - MODE) + down * (state[d] + MODE);
                grad[d * width + chain] = pull / (SPREAD * SPREAD);
            }
        }
    }
}

fn reference() -> Gaussian {
    let covariance = Some(vec![16.0, 0.0, 0.0, 16.0]);
    GaussianSpec { dim: 2, mean: None, precision: None, covariance }.build().unwrap()
}

fn streams(run: u64, count: u64) -> Vec<ChainRng> {
    (0..count).map(|index| stream(run, Purpose::Chain, index)).collect()
}

/// Refuses a mean of independent runs beyond seven of its standard errors, and
/// errors too large to tell anything.
#[track_caller]
fn assert_mean(runs: &[f64], exact: f64, largest_error: f64) {
    let count = runs.len() as f64;
    let mean = runs.iter().sum::<f64>() / count;
    let square: f64 = runs.iter().map(|run| (run - mean) * (run - mean)).sum();
    let error = (square / (count * (count - 1.0))).sqrt();
    println!("{mean:.4} ± {error:.4}, exactly {exact:.4}");
    assert!((mean - exact).abs() < 7.0 * error, "{mean} ± {error} and not {exact}");
    assert!(error < largest_error, "{error}");
}

/// The trap that tempering is for: no chain leaves the mode it began in.
#[test]
fn hmc_alone_stays_in_its_mode() {
    let mut chains =
        Chains::new(Target::Model(&TwoModes), &[MODE, MODE, -MODE, -MODE], streams(1, 2));
    let tuning = Tuning::uniform(2, 0.3);
    let mut info = [StepInfo::default(); 2];
    for _ in 0..2000 {
        HMC.step(Target::Model(&TwoModes), &tuning, &mut chains, &mut info);
        assert!(chains.position[0] > 0.0 && chains.position[1] < 0.0);
    }
}

#[test]
fn parallel_tempering_finds_both_modes() {
    let reference = reference();
    let path = Annealed::new(&reference, &TwoModes, 1.0);
    let num_rungs = 8;
    let settings =
        WarmupSettings { num_steps: 600, target_acceptance: 0.8, scale: ScaleKind::Unit };
    let (mut occupations, mut means, mut spreads) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..40 {
        // All begin in the lesser mode.
        let states = vec![-MODE; 2 * num_rungs];
        let tuning = Tuning::uniform(num_rungs, 1.0);
        let ladder = Ladder::even(num_rungs);
        let mut replicas =
            Replicas::new(&path, ladder, &states, tuning, streams(run, num_rungs as u64));
        let mut warmup = Warmup::new(settings, 2, num_rungs);
        for step in 1..=settings.num_steps {
            let is_last = step == settings.num_steps;
            replicas.warm_up(&path, Some(&reference), &HMC, &mut warmup, is_last);
        }
        let num_draws = 1500;
        let (mut occupation, mut mean, mut spread) = (0.0, 0.0, 0.0);
        for step in 0..num_draws {
            if step == 700 {
                // Through bytes: nothing is lost.
                let bytes = postcard::to_allocvec(&replicas).unwrap();
                replicas = postcard::from_bytes(&bytes).unwrap();
            }
            replicas.step(&path, Some(&reference), &HMC);
            let mut state = [0.0; 2];
            replicas.chains.state(replicas.target_rung(), &mut state);
            let mode = MODE.copysign(state[0]);
            occupation += f64::from(u8::from(state[0] > 0.0)) / num_draws as f64;
            mean += state[1] / num_draws as f64;
            spread += (state[0] - mode) * (state[0] - mode) / num_draws as f64;
        }
        occupations.push(occupation);
        means.push(mean);
        spreads.push(spread);
        let rates = replicas.ladder.rejection_rates();
        let most = rates.iter().copied().fold(0.0, f64::max);
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        // The ladder was adapted: even rungs reject up to 0.9 at the bottom.
        assert!(most < 2.0 * mean && most < 0.6, "{rates:?}");
        assert!(replicas.ladder.num_round_trips() > 20, "{}", replicas.ladder.num_round_trips());
    }
    assert_mean(&occupations, 0.75, 0.012);
    assert_mean(&means, 0.5 * MODE, 0.1);
    assert_mean(&spreads, SPREAD * SPREAD, 0.01);
}

#[test]
fn simulated_tempering_finds_both_modes() {
    let reference = reference();
    let path = Annealed::new(&reference, &TwoModes, 1.0);
    let betas = vec![0.0, 0.01, 0.03, 0.08, 0.2, 0.45, 1.0];
    let num_levels = betas.len();
    let width = 60;
    let (num_warmup, num_steps) = (3000, 6000);
    let mut tempering = SimulatedTempering::new(
        &path,
        betas,
        &vec![0.0; num_levels],
        &vec![-MODE; 2 * width],
        Tuning::uniform(width, 1.0),
        num_warmup,
        streams(3, width as u64),
    );
    let mut visits = vec![vec![0.0; num_levels]; width];
    let (mut draws, mut up, mut spread) = (vec![0.0; width], vec![0.0; width], vec![0.0; width]);
    for step in 0..num_warmup + num_steps {
        if step == num_warmup / 2 || step == num_warmup + 100 {
            let bytes = postcard::to_allocvec(&tempering).unwrap();
            tempering = postcard::from_bytes(&bytes).unwrap();
        }
        tempering.step(&path, &HMC);
        if step < num_warmup {
            continue;
        }
        for chain in 0..width {
            visits[chain][tempering.levels()[chain]] += 1.0;
            if tempering.is_draw(chain) {
                let x = tempering.chains.position[chain];
                draws[chain] += 1.0;
                up[chain] += f64::from(u8::from(x > 0.0));
                spread[chain] += (x - MODE.copysign(x)) * (x - MODE.copysign(x));
            }
        }
    }
    // Levels are visited alike, more or less, and the weights are log Z.
    let log_z = 10.0 / (2.0 * std::f64::consts::PI * 16.0);
    let weights: Vec<f64> =
        (0..width).map(|chain| tempering.log_weights(chain)[num_levels - 1]).collect();
    for visits in &visits {
        assert!(visits.iter().all(|visits| *visits > 0.2 * num_steps as f64 / num_levels as f64));
    }
    for weight in &weights {
        assert!((weight + ln(log_z)).abs() < 0.8, "{weight}");
    }
    let ratio = |sums: &[f64]| -> Vec<f64> {
        // Weighted by how often each chain was there, so that the mean over
        // chains is not biased by short visits.
        let mean = draws.iter().sum::<f64>() / width as f64;
        let overall = sums.iter().sum::<f64>() / draws.iter().sum::<f64>();
        let pairs = sums.iter().zip(&draws);
        pairs.map(|(sum, count)| overall + (sum - overall * count) / mean).collect()
    };
    assert_mean(&ratio(&up), 0.75, 0.02);
    assert_mean(&ratio(&spread), SPREAD * SPREAD, 0.01);
}

/// Tempered Gibbs sampling of a ferromagnet that Gibbs alone would take ages to
/// turn, against enumeration.
#[test]
fn row_replicas_agree_with_enumeration() {
    let dim = 8;
    // Every pair pulls together, E = −(…): two deep wells, of unlike depth.
    let mut couplings = vec![-1.2; dim * dim];
    for site in 0..dim {
        couplings[site * dim + site] = 1.2 * (dim as f64 - 1.0) - 0.1;
    }
    let spec = IsingSpec {
        dim,
        pattern: Pattern::Dense {},
        couplings: Some(couplings),
        ..IsingSpec::default()
    };
    let model = spec.build().unwrap();
    let exact = enumerate(&model).unwrap();
    let mut alone = vec![0_u64];
    let mut rng = stream(8, Purpose::Chain, 0);
    for _ in 0..1000 {
        Gibbs::new(&model).step(&mut alone, &mut rng);
        assert!(alone[0].count_ones() < 4, "the wells are no wells");
    }
    let num_rungs = 8;
    let num_draws = 3000;
    let path = ParamPath::from_log_odds(Box::new(model), &[0.0; 8]).unwrap();
    let moves = Moves::By(TransitionSpec::Gibbs { scan: Scan::Systematic });
    let ladder = |run: u64| {
        let rows = vec![vec![0_u64]; num_rungs];
        BitReplicas::new(Ladder::even(num_rungs), rows, streams(run, num_rungs as u64))
    };
    // All ladders side by side.
    let mut all: Vec<_> = (0..40).map(ladder).collect();
    for length in [16, 16, 32, 64, 128] {
        let mut moving = MovingReplicas::new(&path, &moves, &all);
        (0..length).for_each(|_| moving.step(&mut all));
        moving.write_back(&mut all);
        BitReplicas::adapt_together(&mut all.iter_mut().collect::<Vec<_>>());
    }
    let mut runs = vec![vec![0.0; all.len()]; dim * dim];
    for length in [100, num_draws - 100] {
        // Through bytes: nothing is lost.
        let bytes = postcard::to_allocvec(&all).unwrap();
        all = postcard::from_bytes(&bytes).unwrap();
        let mut moving = MovingReplicas::new(&path, &moves, &all);
        for _ in 0..length {
            moving.step(&mut all);
            for (run, row) in moving.target_rows().enumerate() {
                for (at, runs) in runs.iter_mut().enumerate() {
                    let both = row[0] >> (at / dim) & row[0] >> (at % dim) & 1;
                    runs[run] += both as f64 / num_draws as f64;
                }
            }
        }
        moving.write_back(&mut all);
    }
    let stones: Vec<_> = all.iter().map(|one| &one.stones).collect();
    let (ratio, error) = log_z(&stones);
    let log_z = path.reference_log_z() + ratio;
    println!("log Z {log_z} ± {error}, exactly {}", exact.log_z);
    assert!((log_z - exact.log_z).abs() < 7.0 * error && error < 0.01, "{log_z} ± {error}");
    for one in &all {
        assert!(one.ladder.num_round_trips() > 50, "{}", one.ladder.num_round_trips());
    }
    for (runs, exact) in runs.iter().zip(&exact.moments) {
        assert_mean(runs, *exact, 0.02);
    }
}

/// Chains of simulated tempering together and alone: the same bits.
#[test]
fn simulated_tempering_does_not_depend_on_the_grouping() {
    let reference = reference();
    let path = Annealed::new(&reference, &TwoModes, 1.0);
    let run = |chains: std::ops::Range<u64>| -> Vec<u64> {
        let width = chains.clone().count();
        let mut tempering = SimulatedTempering::new(
            &path,
            vec![0.0, 0.1, 1.0],
            &[0.0; 3],
            &vec![1.0; 2 * width],
            Tuning::uniform(width, 0.5),
            100,
            chains.map(|chain| stream(4, Purpose::Chain, chain)).collect(),
        );
        (0..200).for_each(|_| tempering.step(&path, &HMC));
        let chains = &tempering.chains;
        (0..width)
            .flat_map(|chain| {
                [chains.position[chain], chains.position[width + chain], chains.energy[chain]]
            })
            .map(f64::to_bits)
            .collect()
    };
    assert_eq!([run(0..2), run(2..5)].concat(), run(0..5));
    assert_eq!((0..5).flat_map(|chain| run(chain..chain + 1)).collect::<Vec<_>>(), run(0..5));
}
