//! Random streams: one for each (seed, purpose, index), the same on every machine and in every
//! worker.
//!
//! A stream is Xoshiro256++ (fast in WebAssembly, serializable, 256 bits of state) with the initial
//! state SHA-256(label ‖ seed ‖ purpose ‖ index). Hashing instead of jumping gives any stream in
//! one step, so a worker with chains 10,000 to 10,050 need not jump past the others. The initial
//! states are in effect uniform on 2²⁵⁶ − 1 states. The probability that two of N streams of length
//! L overlap is near N² L / 2²⁵⁶, negligible for any feasible N and L.

mod gamma;
mod normal;

pub use gamma::gamma;
pub use normal::{normal, with_normals};

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use sha2::{Digest, Sha256};

/// The generator of every stream.
pub type ChainRng = Xoshiro256PlusPlus;

/// Largest seed: the largest integer JavaScript holds exactly.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// The purpose of a stream. Streams of different purposes never share numbers. The values go into
/// the hash: never change or reuse one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Noise on starting parameters; the index is 0.
    InitialParams = 1,
    /// A Markov chain; the index is the global chain index.
    Chain = 2,
    /// The starting state of a chain; the index is the global chain index.
    InitialState = 3,
    /// Random models and data of tests and examples; the index is free.
    Example = 4,
    /// Sampled neighbours of a connectivity; the index is the distinct row.
    Connectivity = 5,
    /// The order of the rows in an epoch of minibatches; the index is the epoch.
    Minibatches = 6,
    /// A chain of contrastive divergence, of persistent minimum probability flow or of expectation
    /// maximization, in one update; the index is update · 2³² + row of the data or chain.
    Contrast = 7,
    /// The seed of the fit of one machine in a stack; the index is the machine, from 1: the bottom
    /// one has the seed of the whole job.
    LayerSeed = 20,
    /// Hidden units drawn as the data of the next machine of a stack; the index is machine · 2³² +
    /// row of the data.
    LayerData = 21,
    /// A chain of annealed importance sampling from the reference to the target; the index is the
    /// global chain index.
    Anneal = 40,
    /// A chain from the target to the reference; the index is the global chain index.
    AnnealReverse = 41,
    /// The seed of a pilot run; the index is the run.
    PilotSeed = 50,
    /// Resampling of chains by their weights; the index is the annealing step, or the largest
    /// integer for the starts of reverse runs.
    Resampling = 51,
    /// Exact draws from which reverse runs start; the index is the chain.
    ExactDraw = 52,
    /// The seed of the chains for one row of a generative model; the index is the row.
    RowSeed = 53,
    /// The seed of the chains along a second path.
    SecondPath = 54,
    /// Resamples of the log weights of annealing; the index is 0 for forward and 1 for reverse
    /// weights.
    Bootstrap = 60,
    /// A chain of the target of a moment averages path, from whose draws its moments are estimated;
    /// the index is the global chain index.
    TargetMoments = 80,
    /// A persistent chain that matches moments; the index is knot · 2³² + chain.
    MomentMatching = 81,
    /// Bits flipped in a copy of a pattern; the index is the copy, over all epochs.
    Corruption = 90,
    /// The order in which recall visits the units; the index is the cue.
    UpdateOrder = 91,
    /// A synthetic fingerprint; the index is the fingerprint.
    Fingerprint = 92,
    /// A direction of sliced score matching; the index is update · 2³² + row of the data ·
    /// directions per row + direction, and the update is 0 over all data.
    Slice = 100,
    /// Noise of denoising score matching; the index is as for [`Purpose::Slice`].
    Noise = 101,
    /// A neighbour of a row on ℝᴰ, drawn from a ball; the index is as for [`Purpose::Slice`].
    Ball = 102,
    /// Noise of noise-contrastive estimation; the index is the block of 64 states.
    ContrastNoise = 103,
    /// The position of a training patch in the pictures; the index is the patch.
    TrainingPatch = 130,
    /// The position of a test patch; the index is the patch, from 0.
    TestPatch = 131,
    /// The seed of the chains that check a fitted model; the index is 0.
    CheckSeed = 140,
    /// A trial of an estimator of evidence; the index is the trial, or the largest integer for the
    /// choice of the draw that is shown.
    EvidenceTrial = 150,
    /// A trial from the posterior to the prior; the index is the trial.
    EvidenceReverse = 151,
    /// A table drawn from a model with hidden variables, and these; the index is 0.
    SimulatedTable = 152,
    /// The order of the rows in which sets of them are taken for the choice of a network; the index is the pair of
    /// halves, or 0 for folds.
    RowSets = 160,
    /// Rows drawn with replacement for one fit of a network; the index is the fit.
    NetworkBootstrap = 161,
    /// The model's states over which the Fisher information of a model on ℝᴰ is averaged; the index is 0.
    MetricDraws = 180,
    /// The rows, 0, and columns, 1, that are held out in turn.
    StructureFolds = 190,
    /// The hidden sites of a row in an update of a fit; the index is that of the update and of the row.
    HiddenSites = 192,
    /// The hidden sites that a persistent chain starts with; the index is the chain.
    HiddenStart = 193,
    /// A draw of a structure's matrices; the index has the level, the candidate, the fold and the draw.
    StructureDraw = 191,
    /// One start of the fit of a kernel; the index has the level, the candidate and the start.
    KernelStart = 170,
}

/// The stream of (seed, purpose, index).
#[inline]
pub fn stream(seed: u64, purpose: Purpose, index: u64) -> ChainRng {
    let mut hash = Sha256::new();
    hash.update(b"unnorm stream 1");
    hash.update(seed.to_le_bytes());
    hash.update((purpose as u64).to_le_bytes());
    hash.update(index.to_le_bytes());
    ChainRng::from_seed(hash.finalize().into())
}

/// A seed derived from another.
#[inline]
pub fn derived_seed(seed: u64, purpose: Purpose, index: u64) -> u64 {
    use rand::Rng;
    stream(seed, purpose, index).next_u64() & MAX_SEED
}

/// Draws a uniform number in [0, 1), from the top 53 bits of one draw.
#[inline]
pub fn uniform(rng: &mut ChainRng) -> f64 {
    use rand::Rng;
    unit_interval(rng.next_u64())
}

/// The number in [0, 1) that [`uniform`] makes of one draw.
#[inline]
pub fn unit_interval(draw: u64) -> f64 {
    (draw >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Draws a Laplace number: density ½ e^{−|x|}.
#[inline]
pub fn laplace(rng: &mut ChainRng) -> f64 {
    let is_negative = uniform(rng) < 0.5;
    // 1 − U, so that the logarithm is finite.
    let size = -crate::math::ln(1.0 - uniform(rng));
    if is_negative { -size } else { size }
}

/// Draws an integer from 0 to `count` − 1, from one draw. Their probabilities differ by less than
/// 2⁻⁶⁴.
///
/// # Panics
/// If `count` is 0.
#[inline]
pub fn below(count: usize, rng: &mut ChainRng) -> usize {
    use rand::Rng;
    assert!(count > 0);
    ((u128::from(rng.next_u64()) * count as u128) >> 64) as usize
}

/// Puts items in random order (Fisher and Yates).
pub fn shuffle<T>(items: &mut [T], rng: &mut ChainRng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(last + 1, rng));
    }
}

/// A seed from the operating system, for callers who gave none. Callers report it, so that the run
/// can be repeated.
///
/// # Panics
/// If the system has no source of entropy.
#[inline]
pub fn invent_seed() -> u64 {
    getrandom::u64().expect("the system gives random numbers") & MAX_SEED
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of a stream are part of what "the same seed" guarantees. These come from another
    /// implementation, in Python.
    #[test]
    fn streams_never_change() {
        let mut rng = stream(1, Purpose::Chain, 0);
        use rand::Rng;
        assert_eq!([rng.next_u64(), rng.next_u64()], [631561875788797022, 14033404962610353557]);
        assert_eq!(uniform(&mut rng), 0.5283488737092887);
        assert_eq!(normal(&mut rng), 0.27743637497132984);
    }

    #[test]
    fn streams_differ_in_every_part_of_their_name() {
        use rand::Rng;
        let first = |seed, purpose, index| stream(seed, purpose, index).next_u64();
        let all = [
            first(1, Purpose::Chain, 0),
            first(2, Purpose::Chain, 0),
            first(1, Purpose::InitialState, 0),
            first(1, Purpose::Chain, 1),
            first(1 << 32, Purpose::Chain, 1),
        ];
        for (index, number) in all.iter().enumerate() {
            assert!(!all[..index].contains(number));
        }
    }

    /// The frequency of each of seven integers is within six standard errors.
    #[test]
    fn integers_are_uniform() {
        let mut rng = stream(4, Purpose::Example, 0);
        let mut counts = [0_u32; 7];
        (0..70_000).for_each(|_| counts[below(7, &mut rng)] += 1);
        for count in counts {
            assert!((f64::from(count) - 1e4).abs() < 6.0 * (1e4_f64 * 6.0 / 7.0).sqrt(), "{count}");
        }
        assert!((0..100).all(|_| below(1, &mut rng) == 0));
    }

    /// Means and variances are within six standard errors.
    #[test]
    fn uniform_and_normal_numbers_have_their_moments() {
        let mut rng = stream(3, Purpose::Example, 0);
        let count = 100_000;
        let mut check = |draw: fn(&mut ChainRng) -> f64, mean: f64, variance: f64, fourth: f64| {
            let numbers: Vec<f64> = (0..count).map(|_| draw(&mut rng) - mean).collect();
            let average =
                |f: fn(f64) -> f64| numbers.iter().map(|x| f(*x)).sum::<f64>() / f64::from(count);
            let error = |variance: f64| 6.0 * (variance / f64::from(count)).sqrt();
            assert!(average(|x| x).abs() < error(variance));
            assert!((average(|x| x * x) - variance).abs() < error(fourth - variance * variance));
        };
        check(uniform, 0.5, 1.0 / 12.0, 1.0 / 80.0);
        check(normal, 0.0, 1.0, 3.0);
        assert!((0..count).map(|_| uniform(&mut rng)).all(|u| (0.0..1.0).contains(&u)));
    }
}
