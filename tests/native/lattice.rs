//! Samplers of Ising models against exact answers: enumeration of 16 sites,
//! and Kaufman's formula on a torus of 64 × 64 below, at and above the critical
//! temperature.

use unnorm::bits::fill_random;
use unnorm::bits::{bit, set_bits, words_per_row};
use unnorm::energy::Energy;
use unnorm::exact;
use unnorm::models::ising::onsager::{CRITICAL_COUPLING, Torus, energy_per_site, magnetization};
use unnorm::models::ising::{Ising, IsingSpec, Pattern, UniformSpins};
use unnorm::rng::{ChainRng, Purpose, stream};
use unnorm::sample::Transition;
use unnorm::sample::checkerboard::Checkerboard;
use unnorm::sample::gibbs::Gibbs;
use unnorm::sample::swendsen_wang::SwendsenWang;
use unnorm::sample::wolff::Wolff;

/// Independent chains, whose means give the errors: z is Student's with 99
/// degrees of freedom.
const NUM_CHAINS: usize = 100;

/// |z| passes it with probability 3·10⁻¹⁰ by chance. It is asked of some 2,100
/// numbers here, a false alarm at 1 in 1.6·10⁶ seeds.
const LIMIT: f64 = 7.0;

type Step<'a> = Box<dyn Fn(&mut [u64], &mut ChainRng) + 'a>;

fn erase<'a>(transition: impl Transition + 'a) -> Step<'a> {
    Box::new(move |row, rng| {
        transition.step(row, rng);
    })
}

/// The samplers by name.
fn samplers(model: &Ising) -> [(&'static str, Step<'_>); 5] {
    [
        ("Swendsen–Wang", erase(SwendsenWang::new(model))),
        ("Wolff", erase(Wolff::new(model))),
        ("systematic Gibbs", erase(Gibbs::new(model))),
        ("random-scan Gibbs", erase(Gibbs::random_scan(model))),
        ("checkerboard", erase(Checkerboard::new(model))),
    ]
}

/// Mean over chains, and its standard error.
fn mean_and_error(chain_means: &[f64]) -> (f64, f64) {
    let count = chain_means.len() as f64;
    let mean = chain_means.iter().sum::<f64>() / count;
    let spread: f64 = chain_means.iter().map(|chain| (chain - mean) * (chain - mean)).sum();
    (mean, (spread / (count * (count - 1.0))).sqrt())
}

#[track_caller]
fn assert_agrees(what: &str, chain_means: &[f64], exact: f64, largest_error: f64) {
    let (mean, error) = mean_and_error(chain_means);
    assert!(error < largest_error, "{what}: an error of {error} would hide anything");
    assert!((mean - exact).abs() < LIMIT * error, "{what}: {mean} ± {error}, exact {exact}");
}

/// All pair moments of 16 sites, from random starts.
fn moments_agree(model: &Ising) {
    let exact = exact::enumerate(model).unwrap();
    let (num_warmup, num_draws) = (200, 600);
    for (name, step) in samplers(model) {
        let mut chain_moments = vec![[0.0; NUM_CHAINS]; 256];
        for chain in 0..NUM_CHAINS {
            let mut rng = stream(41, Purpose::Chain, chain as u64);
            let mut row = [0];
            fill_random(&mut row, 16, &mut rng);
            for draw in 0..num_warmup + num_draws {
                step(&mut row, &mut rng);
                if draw >= num_warmup {
                    for i in set_bits(&row) {
                        for j in set_bits(&row).take_while(|j| *j <= i) {
                            chain_moments[i * 16 + j][chain] += 1.0 / f64::from(num_draws);
                        }
                    }
                }
            }
        }
        for i in 0..16 {
            for j in 0..=i {
                let what = format!("{name}, sites {i} and {j}");
                let at = i * 16 + j;
                assert_agrees(&what, &chain_moments[at], exact.moments[at], 0.03);
            }
        }
    }
}

fn torus(side: usize, coupling: f64, field: f64) -> Ising {
    uniform(Pattern::Lattice { num_rows: side, num_cols: side, periodic: true }, coupling, field)
}

fn uniform(pattern: Pattern, coupling: f64, field: f64) -> Ising {
    let dim = pattern.lattice().and_then(|lattice| lattice.num_sites()).unwrap();
    let uniform = Some(UniformSpins { coupling, field });
    IsingSpec { dim, pattern, uniform, ..IsingSpec::default() }.build().unwrap()
}

#[test]
fn a_glass_of_4_by_4() {
    let pattern = Pattern::Lattice { num_rows: 4, num_cols: 4, periodic: true };
    moments_agree(&IsingSpec::random(16, pattern, 0.8, 5).build().unwrap());
}

/// The torus on which the checkerboard takes its fast form, with a field.
#[test]
fn a_uniform_torus_of_4_by_4() {
    moments_agree(&torus(4, 0.3, 0.05));
}

#[test]
fn a_uniform_triangular_torus_of_4_by_4() {
    let pattern = Pattern::Triangular { num_rows: 4, num_cols: 4, periodic: true };
    moments_agree(&uniform(pattern, 0.2, 0.05));
}

/// E(s) = −K Σ s_i s_j on a torus of 64 × 64: one word a row.
fn spin_energy(row: &[u64], coupling: f64) -> f64 {
    let differ = |a: u64, b: u64| f64::from((a ^ b).count_ones());
    let mut num_broken = 0.0;
    for line in 0..64 {
        let word = row[line];
        num_broken += differ(word, word.rotate_left(1)) + differ(word, row[(line + 1) % 64]);
    }
    -coupling * (2.0 * 4096.0 - 2.0 * num_broken)
}

fn spin_sum(row: &[u64]) -> f64 {
    2.0 * row.iter().map(|word| f64::from(word.count_ones())).sum::<f64>() - 4096.0
}

/// Every chain begins with all spins up and 60 Swendsen–Wang steps, several
/// times what it takes to forget its start even at the transition, and goes on
/// with its own sampler: which must stay where the exact energy is, and would
/// leave it within a few sweeps if it drew from anything else.
fn energies_agree(coupling: f64, largest_error: f64) {
    let model = torus(64, coupling, 0.0);
    let exact = Torus::new(64, 64, coupling).unwrap().exact();
    let start = SwendsenWang::new(&model);
    let starts: Vec<_> = (0..NUM_CHAINS)
        .map(|chain| {
            let mut rng = stream(42, Purpose::InitialState, chain as u64);
            let mut row = vec![u64::MAX; words_per_row(4096)];
            for _ in 0..60 {
                start.step(&mut row, &mut rng);
            }
            row
        })
        .collect();
    for (name, step) in samplers(&model) {
        let (num_steps, num_between) = match name {
            "Wolff" => (40, 5),
            "checkerboard" => (40, 20),
            "Swendsen–Wang" => (40, 1),
            _ => (20, 1),
        };
        let mut chain_means = [0.0; NUM_CHAINS];
        for (chain, mean) in chain_means.iter_mut().enumerate() {
            let mut rng = stream(42, Purpose::Chain, chain as u64);
            let mut row = starts[chain].clone();
            for _ in 0..num_steps {
                (0..num_between).for_each(|_| step(&mut row, &mut rng));
                *mean += spin_energy(&row, coupling) / f64::from(num_steps);
            }
        }
        let what = format!("{name} at {coupling}");
        assert_agrees(&what, &chain_means, exact.mean_energy, largest_error);
    }
}

#[test]
fn a_torus_of_64_by_64_above_the_critical_temperature() {
    energies_agree(0.4, 8.0);
}

#[test]
fn a_torus_of_64_by_64_at_the_critical_temperature() {
    energies_agree(CRITICAL_COUPLING, 12.0);
}

#[test]
fn a_torus_of_64_by_64_below_the_critical_temperature() {
    energies_agree(0.5, 4.0);
}

/// In a cold torus of 64 × 64 the finite size shows no more, and the sums of
/// spins are those of the infinite lattice, with the one sign or the other.
#[test]
fn spontaneous_magnetization_is_yangs() {
    let coupling = 0.55;
    let model = torus(64, coupling, 0.0);
    let transition = SwendsenWang::new(&model);
    let mut energies = [0.0; NUM_CHAINS];
    let mut sums = [0.0; NUM_CHAINS];
    let mut num_up = 0;
    for chain in 0..NUM_CHAINS {
        let mut rng = stream(43, Purpose::Chain, chain as u64);
        let mut row = vec![u64::MAX; words_per_row(4096)];
        for step in 0..40 {
            transition.step(&mut row, &mut rng);
            if step >= 20 {
                energies[chain] += spin_energy(&row, coupling) / (20.0 * 4096.0);
                sums[chain] += spin_sum(&row).abs() / (20.0 * 4096.0);
            }
        }
        num_up += usize::from(spin_sum(&row) > 0.0);
    }
    assert_agrees("energy", &energies, energy_per_site(coupling), 1e-3);
    assert_agrees("magnetization", &sums, magnetization(coupling), 1e-3);
    // Of 100 fair coins: outside with probability 10⁻⁸.
    assert!((23..=77).contains(&num_up), "{num_up} of 100 chains are up");
}

/// A lattice of 512 × 512 is built, tempered, sampled by everything and read
/// back from its spec.
#[test]
fn a_lattice_of_512_by_512() {
    let model = torus(512, 0.42, 0.0);
    let dim = 512 * 512;
    assert_eq!(model.dim(), dim);
    let spec = model.to_spec();
    assert!(spec.couplings.is_none());
    assert_eq!(spec.params.as_ref().map(Vec::len), Some(3 * dim));
    assert_eq!(spec.build().unwrap().to_spec(), spec);

    let hot = model.tempered(0.5, None);
    assert!(hot.spin_bonds().iter().all(|bond| bond.coupling == 0.21));
    for model in [&model, &hot] {
        for (name, step) in samplers(model) {
            let mut rng = stream(44, Purpose::Chain, 0);
            let mut row = vec![0; words_per_row(dim)];
            step(&mut row, &mut rng);
            step(&mut row, &mut rng);
            assert!(name == "Wolff" || set_bits(&row).count() > 10_000, "{name} moves");
            assert!(name == "Wolff" || (0..dim).any(|site| !bit(&row, site)), "{name}");
        }
    }
}
