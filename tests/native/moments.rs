//! The moments of exponential families: by enumeration against the sum over all
//! visible and hidden states, and of chains and data against those.

use unnorm::bits::{BitBatch, BitMatrix};
use unnorm::energy::Statistics;
use unnorm::energy::enumeration::WeightedSums;
use unnorm::exact;
use unnorm::linalg::Batch;
use unnorm::math::{exp, ln, log_sum_exp, sigmoid};
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::models::rbm::{Rbm, RbmSpec};
use unnorm::models::semi_restricted::SemiRestrictedSpec;
use unnorm::models::{Model, ModelSpec};
use unnorm::normalize::moment_averages::{
    MomentAverages, MomentAveragesSpec, MomentWork, Moments, MomentsSpec,
};
use unnorm::rng::{Purpose, stream};

/// log Z and moments by the definition, `p(v, h) ∝ exp(−Σ_t θ_t k_t x_a x_b)`.
fn by_definition(params: &[f64], statistics: &Statistics) -> (f64, Vec<f64>) {
    let product = |state: usize, [a, b]: [usize; 2]| f64::from((state >> a & state >> b & 1) as u8);
    let log_weights: Vec<f64> = (0..1_usize << statistics.num_units())
        .map(|state| {
            let terms = statistics.terms.iter().zip(params);
            -terms.map(|(term, theta)| theta * term.scale * product(state, term.at())).sum::<f64>()
        })
        .collect();
    let log_z = log_sum_exp(&log_weights);
    let moment = |units| {
        let states = log_weights.iter().enumerate();
        states.map(|(state, log_weight)| exp(log_weight - log_z) * product(state, units)).sum()
    };
    (log_z, statistics.terms.iter().map(|term| moment(term.at())).collect())
}

/// The same by the model's own enumeration.
fn by_enumeration(model: &dyn Model) -> (f64, Vec<f64>) {
    let family = model.as_exponential_family().unwrap();
    let (states, statistics) = (family.enumeration().unwrap(), family.statistics());
    let mut sums = WeightedSums::new(statistics.terms.len());
    (0..states.num_pieces()).for_each(|piece| states.add_piece(piece, &mut sums));
    (sums.log_z(), sums.moments(&statistics))
}

#[track_caller]
fn assert_close(left: &[f64], right: &[f64], tolerance: f64) {
    assert_eq!(left.len(), right.len());
    for (left, right) in left.iter().zip(right) {
        assert!((left - right).abs() <= tolerance * (1.0 + right.abs()), "{left} and {right}");
    }
}

/// The examples of every family, and a machine whose weights are too large for
/// products.
fn families() -> Vec<Box<dyn Model>> {
    let all = ModelSpec::examples().into_iter().map(|spec| spec.build().unwrap());
    let mut models: Vec<_> = all
        .filter(|model| {
            model
                .as_exponential_family()
                .is_some_and(|family| family.statistics().num_units() <= 14)
        })
        .collect();
    let mut kinds: Vec<_> = models.iter().map(|model| model.kind()).collect();
    kinds.dedup();
    assert_eq!(kinds, ["ising", "rbm", "semiRestricted"]);
    models.push(Box::new(RbmSpec::random(5, 6, 400.0, 2).build().unwrap()));
    models.push(Box::new(RbmSpec::random(6, 5, 400.0, 2).build().unwrap()));
    models
}

/// Signs, factors and order of the statistics, and the enumerations.
#[test]
fn statistics_are_those_of_the_energy() {
    for model in families() {
        let family = model.as_exponential_family().unwrap();
        let (log_z, moments) = by_definition(family.params(), &family.statistics());
        let (our_log_z, ours) = by_enumeration(&*model);
        assert_close(&[our_log_z], &[log_z], 1e-12);
        assert_close(&ours, &moments, 1e-12);
        let oracle = exact::enumerate(model.as_site_flips().unwrap()).unwrap().log_z;
        assert_close(&[log_z], &[oracle], 1e-11);
    }
}

/// Machines whose enumeration takes several pieces and runs, either side the
/// smaller: against the plain form, state by state.
#[test]
fn a_machine_in_many_pieces() {
    for (visible, hidden, scale) in [(520, 13, 0.1), (13, 520, 0.1), (30, 15, 0.4)] {
        let model = RbmSpec::random(visible, hidden, scale, 5).build().unwrap();
        let (log_z, ours) = by_enumeration(&model);
        let family: &dyn Model = &model;
        assert!(family.as_exponential_family().unwrap().enumeration().unwrap().num_pieces() > 1);
        let is_exchanged = hidden < visible;
        let small = if is_exchanged { model.exchanged() } else { model.clone() };
        let (moments, plain_log_z) = of_visible_states(&small);
        assert_close(&[log_z], &[plain_log_z], 1e-11);
        let moments = if is_exchanged { exchange(&moments, hidden, visible) } else { moments };
        assert_close(&ours, &moments, 1e-11);
    }
}

/// `[W | c | b]` moments over the visible states, one by one.
fn of_visible_states(model: &Rbm) -> (Vec<f64>, f64) {
    use unnorm::energy::Energy;
    let (dim, num_hidden) = (model.dim(), model.hidden_bias().len());
    let words: Vec<u64> = (0..1 << dim).collect();
    let states = BitBatch::new(dim, &words).to_values();
    let mut energies = vec![0.0; words.len()];
    model.energy(Batch::new(dim, &states), &mut energies);
    let log_z = log_sum_exp(&energies.iter().map(|energy| -energy).collect::<Vec<_>>());
    let mut moments = vec![0.0; dim * num_hidden + dim + num_hidden];
    for (state, energy) in states.chunks_exact(dim).zip(energies) {
        let p = exp(-energy - log_z);
        for unit in 0..num_hidden {
            let line = &model.weights()[unit * dim..][..dim];
            let field: f64 = line.iter().zip(state).map(|(weight, v)| weight * v).sum();
            let on = p * sigmoid(model.hidden_bias()[unit] + field);
            (0..dim).for_each(|site| moments[unit * dim + site] += on * state[site]);
            moments[dim * num_hidden + dim + unit] += on;
        }
        (0..dim).for_each(|site| moments[dim * num_hidden + site] += p * state[site]);
    }
    (moments, log_z)
}

/// From the layout of a machine of `dim` visible and `num_hidden` hidden units to
/// that of the machine with the sides exchanged.
fn exchange(moments: &[f64], dim: usize, num_hidden: usize) -> Vec<f64> {
    let mut exchanged = Vec::new();
    for site in 0..dim {
        exchanged.extend((0..num_hidden).map(|unit| moments[unit * dim + site]));
    }
    let (visible, hidden) = moments[dim * num_hidden..].split_at(dim);
    [&exchanged, hidden, visible].concat()
}

/// One model of each kind.
fn models() -> [Box<dyn Model>; 3] {
    [
        Box::new(IsingSpec::random(6, Pattern::Dense {}, 0.6, 3).build().unwrap()),
        Box::new(RbmSpec::random(7, 3, 0.8, 4).build().unwrap()),
        Box::new(SemiRestrictedSpec::random(5, 3, 0.5, 5).build().unwrap()),
    ]
}

fn log_odds(dim: usize) -> Vec<f64> {
    (0..dim).map(|site| 0.4 * site as f64 - 1.0).collect()
}

fn spline(
    model: &dyn Model,
    moments: MomentsSpec,
    data: Option<BitBatch<'_>>,
    seed: u64,
) -> MomentAverages {
    let spec = MomentAveragesSpec { moments: Some(moments), ..Default::default() };
    MomentAverages::new(model, &log_odds(model.dim()), &spec, "path", data, seed).unwrap()
}

fn moments(spline: &MomentAverages) -> Moments {
    let parts: Vec<MomentWork> = (0..spline.num_moment_shards())
        .map(|shard| {
            let mut work = spline.moment_work(shard);
            work.advance(spline, usize::MAX);
            work
        })
        .collect();
    spline.moments(&parts)
}

#[test]
fn averages_go_from_the_reference_to_the_target() {
    for model in models() {
        let spline = spline(&*model, MomentsSpec::Exact {}, None, 1);
        let target = moments(&spline);
        assert_eq!(target.standard_error, None);
        let (_, expected) = by_enumeration(&*model);
        assert_close(&target.values, &expected, 1e-12);
        let (_, reference) = by_definition(spline.reference_params(), spline.statistics());
        assert_close(&spline.averaged(&target, 0.0), &reference, 1e-12);
        let middle: Vec<f64> =
            reference.iter().zip(&expected).map(|(a, b)| 0.75 * a + 0.25 * b).collect();
        assert_close(&spline.averaged(&target, 0.25), &middle, 1e-12);
    }
}

/// Against exact moments over 16 seeds: each of the 90 moments within 12 standard
/// errors of their mean, which Student's t with 15 degrees of freedom passes once
/// in 2·10⁸; so a false alarm has a chance of 5·10⁻⁷. The errors reported are of
/// the size of the errors made, within a factor that F with even 40 and 40 degrees
/// of freedom passes less often than once in 10⁷.
#[test]
fn chains_have_the_targets_moments() {
    const NUM_SEEDS: u64 = 16;
    let chains = MomentsSpec::Chains { num_chains: 40, num_warmup: 20, num_draws: 60 };
    for model in models() {
        let (_, expected) = by_enumeration(&*model);
        let [mut sum, mut squares] = [(); 2].map(|()| vec![0.0; expected.len()]);
        let (mut made, mut reported) = (0.0, 0.0);
        for seed in 0..NUM_SEEDS {
            let found = moments(&spline(&*model, chains.clone(), None, seed));
            for (at, value) in found.values.iter().enumerate() {
                let error = value - expected[at];
                sum[at] += error;
                squares[at] += error * error;
                made += error * error / expected.len() as f64;
            }
            let error = found.standard_error.unwrap();
            assert!(error.max >= error.rms && error.rms > 0.0);
            reported += error.rms * error.rms;
        }
        let count = NUM_SEEDS as f64;
        for (sum, squares) in sum.iter().zip(&squares) {
            let mean = sum / count;
            let error = ((squares / count - mean * mean) / (count - 1.0)).sqrt();
            assert!(mean.abs() < 12.0 * error, "{mean} ± {error}");
            assert!(error < 0.01);
        }
        let ratio = made / reported;
        assert!((0.15..7.0).contains(&ratio), "{made} made, {reported} reported");
    }
}

/// Of rows: those of the sites alone are their frequencies; those with hidden
/// units have their probabilities, row by row.
#[test]
fn data_give_their_own_moments() {
    let model = RbmSpec::random(7, 3, 0.8, 4).build().unwrap();
    let mut rng = stream(6, Purpose::Example, 0);
    let mut rows = BitMatrix::zeros(7, 333);
    rows.rows_mut().for_each(|row| unnorm::bits::fill_random(row, 7, &mut rng));
    let spline = spline(&model, MomentsSpec::Data {}, Some(rows.as_batch()), 1);
    assert!(spline.num_moment_shards() > 1);
    let found = moments(&spline);
    let mut expected = vec![0.0; found.values.len()];
    for state in rows.as_batch().to_values().chunks_exact(7) {
        for unit in 0..3 {
            let line = &model.weights()[unit * 7..][..7];
            let field: f64 = line.iter().zip(state).map(|(weight, v)| weight * v).sum();
            let on = sigmoid(model.hidden_bias()[unit] + field) / 333.0;
            (0..7).for_each(|site| expected[unit * 7 + site] += on * state[site]);
            expected[28 + unit] += on;
        }
        (0..7).for_each(|site| expected[21 + site] += state[site] / 333.0);
    }
    assert_close(&found.values, &expected, 1e-12);
    assert_eq!(found.rows.len(), 333);
}

/// Pieces one at a time, through bytes and back after each.
#[test]
fn pieces_and_bytes_change_no_bit() {
    let model = RbmSpec::random(19, 20, 0.3, 4).build().unwrap();
    let mut rng = stream(7, Purpose::Example, 0);
    let mut rows = BitMatrix::zeros(19, 500);
    rows.rows_mut().for_each(|row| unnorm::bits::fill_random(row, 19, &mut rng));
    let chains = MomentsSpec::Chains { num_chains: 11, num_warmup: 30, num_draws: 50 };
    for kind in [MomentsSpec::Exact {}, chains, MomentsSpec::Data {}] {
        let spline = spline(&model, kind, Some(rows.as_batch()), 3);
        for shard in 0..spline.num_moment_shards() {
            let fresh = spline.moment_work(shard);
            let mut straight = spline.moment_work(shard);
            straight.advance(&spline, usize::MAX);
            let mut hopping = spline.moment_work(shard);
            let mut num_pieces = 0;
            while !hopping.is_done(&spline) {
                hopping.advance(&spline, 1);
                num_pieces += 1;
                let bytes = postcard::to_allocvec(&hopping).unwrap();
                hopping = postcard::from_bytes(&bytes).unwrap();
                assert!(hopping.has_shape_of(&fresh, &spline));
                assert!(hopping.num_pieces_done() == num_pieces && num_pieces < 1000);
            }
            assert!(num_pieces > 1 && num_pieces == straight.num_pieces(&spline));
            assert_eq!(postcard::to_allocvec(&hopping), postcard::to_allocvec(&straight));
        }
    }
}

/// What a segment costs is half the symmetrized divergence of its ends; dealt out
/// evenly, knots change nothing but the number of segments (paper eq. 17–19).
#[test]
fn costs_are_divergences() {
    let model = IsingSpec::random(6, Pattern::Dense {}, 0.6, 3).build().unwrap();
    let spec = MomentAveragesSpec { knots: vec![0.5], ..Default::default() };
    let odds = log_odds(6);
    let spline = MomentAverages::new(&model, &odds, &spec, "path", None, 1).unwrap();
    let target = moments(&spline);
    let statistics = spline.statistics();
    let ends = [spline.reference_params(), spline.target_params()];
    let [(log_z0, s0), (log_z1, s1)] = ends.map(|params| by_definition(params, statistics));
    let mean_energy = |params: &[f64], moments: &[f64]| {
        let terms = statistics.terms.iter().zip(params).zip(moments);
        terms.map(|((term, theta), moment)| term.scale * theta * moment).sum::<f64>()
    };
    let there = mean_energy(ends[1], &s0) - mean_energy(ends[0], &s0) + log_z1 - log_z0;
    let back = mean_energy(ends[0], &s1) - mean_energy(ends[1], &s1) + log_z0 - log_z1;
    assert!(there > 0.1 && back > 0.1);
    let middle: Vec<f64> = (0..ends[0].len()).map(|at| ln(2.0 + at as f64)).collect();
    let costs = spline.segment_costs(&target, &[middle]);
    assert_eq!(costs.len(), 2);
    assert_close(&[costs[0] + costs[1]], &[0.5 * 0.5 * (there + back)], 1e-12);
}
