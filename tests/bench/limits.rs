//! What this machine can do on one thread, by small loops that do one thing
//! each, compiled as the kernels are. Each rate is the best of several runs, in
//! things a nanosecond:
//!
//! | name | thing |
//! |---|---|
//! | `bytes` | a byte read, in order, from far more memory than the caches hold |
//! | `lookups` | 64 bytes of a table of [`ENTRIES`], at random, multiplied onto eight running products |
//! | `scatters` | eight numbers added to 64 bytes of such a table, at random |
//! | `multiplyAdds` | a multiplication and an addition, in registers |
//! | `divisions` | a reciprocal |
//! | `exps` | an exponential, in lanes |
//! | `normals` | a normal number of a stream, ours, as there is no other with its bits |

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;
use unnorm::linalg::Lanes;
use unnorm::math::exp_lanes;
use unnorm::rng::{Purpose, stream, uniform, with_normals};

/// Entries of the tables: as many as the groups of the 10 × 10 glass have patterns.
const ENTRIES: usize = 4700;

/// Entries used in a run.
const USES: usize = 1 << 18;

/// The rates, by name.
pub fn measure() -> BTreeMap<&'static str, f64> {
    let mut rng = stream(1, Purpose::Example, 0);
    let places: Vec<u32> = (0..USES).map(|_| (uniform(&mut rng) * ENTRIES as f64) as u32).collect();
    let long = vec![Lanes::splat(1.0); (64 << 20) / 64];
    let table = vec![Lanes::splat(1.0 + 1e-9); ENTRIES];
    let mut sums = vec![Lanes::ZERO; ENTRIES];
    let ones = Lanes::splat(1.0);
    [
        (
            "bytes",
            rate(64 * long.len(), || {
                let mut sum = [Lanes::ZERO; 2];
                for pair in long.as_chunks::<2>().0 {
                    sum[0].add(&pair[0]);
                    sum[1].add(&pair[1]);
                }
                black_box(sum);
            }),
        ),
        (
            "lookups",
            rate(USES, || {
                let mut product = ones;
                places.iter().for_each(|place| product.mul(&table[*place as usize]));
                black_box(product);
            }),
        ),
        (
            "scatters",
            rate(USES, || {
                let ones = black_box(ones);
                places.iter().for_each(|place| sums[*place as usize].add(&ones));
                black_box(&sums);
            }),
        ),
        (
            "multiplyAdds",
            rate(3 * 8 * 20_000, || {
                let factor = black_box(Lanes::splat(0.999));
                let mut sums = black_box([ones; 3]);
                for _ in 0..20_000 {
                    for sum in &mut sums {
                        sum.mul(&factor);
                        sum.add(&factor);
                    }
                }
                black_box(sums);
            }),
        ),
        (
            "divisions",
            rate(8 * 20_000, || {
                let mut x = black_box(Lanes::splat(1.5));
                for _ in 0..20_000 {
                    x.0.iter_mut().for_each(|x| *x = 1.0 / *x);
                }
                black_box(x);
            }),
        ),
        (
            "exps",
            rate(8 * 20_000, || {
                for _ in 0..20_000 {
                    black_box(exp_lanes(&black_box(ones)));
                }
            }),
        ),
        (
            "normals",
            rate(160_000, || {
                let mut numbers = [0.0; 640];
                for _ in 0..250 {
                    with_normals(&mut rng, &mut numbers, 0, 1, |_, r| r);
                    black_box(&mut numbers);
                }
            }),
        ),
    ]
    .into()
}

/// Things a nanosecond of an action that does so many, at its best.
fn rate(count: usize, mut action: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..12 {
        let start = Instant::now();
        action();
        least = least.min(start.elapsed().as_secs_f64());
    }
    count as f64 / (least * 1e9)
}
