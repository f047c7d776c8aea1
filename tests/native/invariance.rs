//! Every transition leaves the distribution of every model it can sample
//! unchanged. Rows are drawn exactly, moved a few steps, and counted: they must
//! still be distributed as they were. A wrong kernel, put to the same test, is
//! found out.
//!
//! The table is [`cases`]; a case says how far its counts are from exact, as a
//! statistic and the limit it must not pass. A new model is tested without
//! being named; a new binary transition is one entry of `tests/transitions`, and a
//! new kind of state one more function like [`binary_cases`].

use crate::transitions::{Step, TRANSITIONS, erase};
use unnorm::bits::{bit, flip};
use unnorm::energy::SiteFlips;
use unnorm::energy::enumeration::Categorical;
use unnorm::linalg::Batch;
use unnorm::math::{exp, ln, log_sum_exp, sigmoid};
use unnorm::models::ising::{Ising, IsingSpec, Pattern, UniformSpins};
use unnorm::models::potts::{Potts, PottsSpec};
use unnorm::models::site_values::{NumValues, SiteValues, draw_value};
use unnorm::models::{Model, ModelSpec};
use unnorm::rng::{ChainRng, Purpose, stream, uniform};
use unnorm::sample::Transition;
use unnorm::sample::discrete_langevin::DiscreteLangevin;
use unnorm::sample::gibbs::flip_probability;
use unnorm::sample::locally_informed::LocallyInformed;
use unnorm::sample::swendsen_wang::SwendsenWang;
use unnorm::sample::wolff::Wolff;

/// Rows a case draws, each with a stream of its own.
const NUM_ROWS: u64 = 20_000;

/// Steps each is moved.
const NUM_STEPS: usize = 4;

/// Most sites whose states are counted.
const MAX_SITES: usize = 10;

/// Least expected count of a bin; rarer states share one.
const MIN_COUNT: f64 = 25.0;

/// ln of the chance that a correct case passes its limit: 2,000 cases give
/// a false alarm at less than 1 in 10⁶ seeds.
const LOG_FALSE_ALARM: f64 = -22.3; // ln 2·10⁻¹⁰

/// What a case found.
struct Verdict {
    case: String,
    statistic: f64,
    limit: f64,
}

impl Verdict {
    fn is_unchanged(&self) -> bool {
        self.statistic <= self.limit
    }
}

fn cases() -> Vec<Verdict> {
    binary_cases()
}

fn binary_cases() -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (index, model) in models().iter().enumerate() {
        for (name, make) in TRANSITIONS {
            if let Some(step) = make(&**model) {
                let case = format!("{name}, model {index} ({})", model.kind());
                verdicts.push(binary_case(case, &**model, &step));
            }
        }
    }
    verdicts
}

/// The registered models' examples that can be enumerated; Ising models with
/// what cluster moves and the checkerboard may trip over; and, of every Ising
/// model, two on the way from other distributions.
fn models() -> Vec<Box<dyn Model>> {
    let mut models: Vec<_> =
        ModelSpec::examples().into_iter().map(|spec| spec.build().unwrap()).collect();
    models.extend(ising_models().into_iter().map(|model| Box::new(model) as Box<dyn Model>));
    let tempered: Vec<_> = models
        .iter()
        .filter_map(|model| model.as_ising())
        .flat_map(|model| {
            let reference: Vec<_> = (0..unnorm::energy::Energy::dim(model))
                .map(|site| 0.8 - 0.3 * site as f64)
                .collect();
            [model.tempered(0.5, None), model.tempered(0.3, Some(&reference))]
        })
        .map(|model| Box::new(model) as Box<dyn Model>)
        .collect();
    models.extend(tempered);
    models.retain(|model| {
        let is_binary = model.as_site_flips().is_some() || model.as_sites().is_some();
        is_binary && model.dim() <= MAX_SITES
    });
    assert!(models.len() > 20);
    models
}

fn ising_models() -> Vec<Ising> {
    let lattice = |num_rows, num_cols, periodic| Pattern::Lattice { num_rows, num_cols, periodic };
    let cycle = Pattern::Pairs { pairs: vec![[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [0, 5]] };
    let uniform = |dim, pattern, coupling, field| {
        let uniform = Some(UniformSpins { coupling, field });
        IsingSpec { dim, pattern, uniform, ..IsingSpec::default() }
    };
    [
        // Ferromagnets with and without a field, antiferromagnets, frustration, glass.
        uniform(9, lattice(3, 3, false), 0.5, 0.0),
        uniform(9, lattice(3, 3, true), 0.3, -0.2),
        uniform(9, lattice(3, 3, true), -0.4, 0.1),
        uniform(6, Pattern::Dense {}, 0.25, 0.1),
        uniform(6, cycle.clone(), -0.8, 0.0),
        uniform(3, Pattern::Dense {}, -0.7, 0.3),
        IsingSpec::random(6, cycle, 1.5, 21),
        IsingSpec::random(8, lattice(2, 4, false), 1.2, 22),
        IsingSpec::random(7, Pattern::Dense {}, 0.9, 23),
    ]
    .map(|spec| spec.build().unwrap())
    .into()
}

fn distribution(model: &dyn Model) -> Vec<f64> {
    let dim = model.dim();
    let states: Vec<f64> = (0..1_usize << dim)
        .flat_map(|state| (0..dim).map(move |site| f64::from(u8::from(state >> site & 1 == 1))))
        .collect();
    let mut energies = vec![0.0; 1 << dim];
    model.energy(Batch::new(dim, &states), &mut energies);
    let log_z = log_sum_exp(&energies.iter().map(|energy| -energy).collect::<Vec<_>>());
    energies.iter().map(|energy| exp(-energy - log_z)).collect()
}

/// Rows drawn exactly and moved: χ² of their states.
fn binary_case(case: String, model: &dyn Model, step: &Step<'_>) -> Verdict {
    let expected = distribution(model);
    let mut cumulative = expected.clone();
    for state in 1..cumulative.len() {
        cumulative[state] += cumulative[state - 1];
    }
    let mut counts = vec![0.0; expected.len()];
    for index in 0..NUM_ROWS {
        let mut rng = stream(31, Purpose::Chain, index);
        let number = uniform(&mut rng);
        let state = cumulative.partition_point(|sum| *sum <= number).min(expected.len() - 1);
        let mut row = [state as u64];
        for _ in 0..NUM_STEPS {
            step(&mut row, &mut rng);
        }
        counts[row[0] as usize] += 1.0;
    }
    let (statistic, freedom) = chi_square(&expected, &counts);
    Verdict { case, statistic, limit: chi_square_limit(freedom) }
}

/// χ² and its degrees of freedom.
fn chi_square(expected: &[f64], counts: &[f64]) -> (f64, f64) {
    let total: f64 = counts.iter().sum();
    let mut rare = (0.0, 0.0);
    let mut bins = Vec::new();
    for (p, count) in expected.iter().zip(counts) {
        if p * total < MIN_COUNT {
            rare = (rare.0 + p * total, rare.1 + count);
        } else {
            bins.push((p * total, *count));
        }
    }
    if rare.0 >= MIN_COUNT || bins.is_empty() {
        bins.push(rare);
    }
    let sum = bins.iter().map(|(mean, count)| (count - mean) * (count - mean) / mean).sum();
    (sum, bins.len() as f64 - 1.0)
}

/// χ² with k degrees of freedom exceeds k + 2√(kt) + 2t with probability
/// below e^{−t} (Laurent & Massart 2000, lemma 1).
fn chi_square_limit(freedom: f64) -> f64 {
    let t = -LOG_FALSE_ALARM;
    freedom + 2.0 * (freedom * t).sqrt() + 2.0 * t
}

#[test]
fn every_transition_leaves_the_distribution_unchanged() {
    let verdicts = cases();
    for (name, _) in TRANSITIONS {
        let num_models = verdicts.iter().filter(|verdict| verdict.case.starts_with(name)).count();
        assert!(num_models >= 4, "{name} was tried on {num_models} models");
    }
    assert!(verdicts.len() <= 2000, "the false alarms are stated for as many");
    for verdict in &verdicts {
        let Verdict { case, statistic, limit } = verdict;
        assert!(verdict.is_unchanged(), "{case}: {statistic} is over {limit}");
    }
}

/// Metropolis, its acceptance raised to a power: right for 1 only.
struct Metropolis<'a> {
    model: &'a dyn SiteFlips,
    power: f64,
}

impl Transition for Metropolis<'_> {
    type Info = ();

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) {
        for site in 0..self.model.dim() {
            let delta = self.model.flip_delta(row, site);
            if uniform(rng) < exp(-self.power * delta) {
                flip(row, site);
            }
        }
    }
}

/// Swendsen–Wang as in textbooks, with p = 1 − exp(−factor · |w|): right for
/// 2 only.
struct ClusterMove<'a> {
    model: &'a Ising,
    factor: f64,
}

impl Transition for ClusterMove<'_> {
    type Info = ();

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) {
        let dim = unnorm::energy::Energy::dim(self.model);
        let mut labels: Vec<usize> = (0..=dim).collect();
        let mut bond = |i: usize, j: usize, coupling: f64, rng: &mut ChainRng| {
            let spin = |site| if site == dim || bit(row, site) { 1.0 } else { -1.0 };
            let p = 1.0 - exp(-self.factor * coupling.abs());
            if spin(i) * spin(j) * coupling > 0.0 && uniform(rng) < p {
                let (from, to) = (labels[i], labels[j]);
                labels.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
            }
        };
        for b in self.model.spin_bonds() {
            bond(b.sites[0] as usize, b.sites[1] as usize, b.coupling, rng);
        }
        for (site, field) in self.model.spin_fields().into_iter().enumerate() {
            bond(site, dim, field, rng);
        }
        let coins: Vec<bool> = (0..=dim).map(|_| uniform(rng) < 0.5).collect();
        for site in 0..dim {
            if labels[site] != labels[dim] && coins[labels[site]] {
                flip(row, site);
            }
        }
    }
}

/// All sites at once, given the others as they were: each site by its own
/// conditional distribution, and wrong together.
struct AllAtOnce<'a>(&'a dyn SiteFlips);

impl Transition for AllAtOnce<'_> {
    type Info = ();

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) {
        let before = row.to_vec();
        for site in 0..self.0.dim() {
            if uniform(rng) < flip_probability(self.0.flip_delta(&before, site)) {
                flip(row, site);
            }
        }
    }
}

/// Locally informed proposals, all of them accepted.
struct InformedWithoutAcceptance<'a>(&'a dyn SiteFlips);

impl Transition for InformedWithoutAcceptance<'_> {
    type Info = ();

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) {
        let log_weight = |site| -0.5 * self.0.flip_delta(row, site);
        let sites = Categorical::from_log_weights((0..self.0.dim()).map(log_weight).collect());
        flip(row, sites.draw(rng));
    }
}

/// Proposals of Langevin dynamics of bits, all of them accepted.
struct LangevinWithoutAcceptance<'a>(&'a dyn SiteFlips);

impl Transition for LangevinWithoutAcceptance<'_> {
    type Info = ();

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) {
        let log_odds = |site| -0.5 * self.0.flip_delta(row, site) - 0.5;
        let odds: Vec<f64> = (0..self.0.dim()).map(log_odds).collect();
        for (site, odds) in odds.into_iter().enumerate() {
            if uniform(rng) < sigmoid(odds) {
                flip(row, site);
            }
        }
    }
}

/// [`AllAtOnce`] with values.
struct ValuesAtOnce<'a>(&'a Potts);

impl Transition for ValuesAtOnce<'_> {
    type Info = ();

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) {
        let conditionals = self.0.value_conditionals();
        let before = self.0.sites().values(row);
        let (mut log_weights, mut weights) = (conditionals.log_weights(), Vec::new());
        let mut draw = |site| {
            log_weights(site, &before, &mut weights);
            draw_value(&mut weights, rng)
        };
        let after: Vec<_> = (0..before.len()).map(&mut draw).collect();
        self.0.sites().write(&after, row);
    }
}

/// Each wrong kernel is caught, and passes where it is made right.
#[test]
fn wrong_kernels_are_caught() {
    let model = IsingSpec::random(6, Pattern::Dense {}, 0.5, 3).build().unwrap();
    let verdict = |step: Step<'_>| binary_case("on purpose".into(), &model, &step);
    let wrong = |step: Step<'_>| {
        let verdict = verdict(step);
        assert!(!verdict.is_unchanged(), "{} is within {}", verdict.statistic, verdict.limit);
    };
    let right = |step: Step<'_>| {
        let verdict = verdict(step);
        assert!(verdict.is_unchanged(), "{} is over {}", verdict.statistic, verdict.limit);
    };
    right(erase(Metropolis { model: &model, power: 1.0 }));
    wrong(erase(Metropolis { model: &model, power: 2.0 }));
    wrong(erase(Metropolis { model: &model, power: 0.9 }));
    right(erase(ClusterMove { model: &model, factor: 2.0 }));
    wrong(erase(ClusterMove { model: &model, factor: 1.0 }));
    wrong(erase(ClusterMove { model: &model, factor: 2.3 }));
    wrong(erase(AllAtOnce(&model)));
    right(erase(LocallyInformed::new(&model)));
    wrong(erase(InformedWithoutAcceptance(&model)));
    right(erase(DiscreteLangevin::new(&model, 1.0)));
    wrong(erase(LangevinWithoutAcceptance(&model)));
    let pairs = Pattern::Dense {};
    let potts = PottsSpec::random(3, NumValues::All(3), pairs, 0.7, 3).build().unwrap();
    let step = erase(ValuesAtOnce(&potts));
    let found = binary_case("on purpose".into(), &potts, &step);
    assert!(!found.is_unchanged(), "{} is within {}", found.statistic, found.limit);
    // Right for another temperature.
    wrong(erase(SwendsenWang::new(&model.tempered(0.9, None))));
    wrong(erase(Wolff::new(&model.tempered(0.9, None))));
}

/// The limit holds what it says, where χ² is known in closed form: with two
/// degrees of freedom it exceeds x with probability e^{−x/2}.
#[test]
fn the_limit_is_on_the_safe_side() {
    assert!(-0.5 * chi_square_limit(2.0) < LOG_FALSE_ALARM);
    assert!(ln(1000.0) + LOG_FALSE_ALARM < ln(1e-6));
}
