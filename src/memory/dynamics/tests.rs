use super::*;
use crate::memory::noise::corruption;
use crate::models::ising::{IsingSpec, Pattern};
use proptest::prelude::*;

/// J_01 = 1, J_02 = −2, J_12 = 3; θ = (½, −1, 2): minima at 011 and 110, unit 0 last.
fn three() -> Network {
    Network::new(vec![0.5, -1.0, 2.0], vec![1.0, -2.0, 3.0])
}

/// The final state, the number of updates, and the flipped units from every state, computed by
/// hand.
#[test]
fn paths_of_three_units_by_hand() {
    for (cue, rest, num_updates, sites) in [
        (0b000, 0b110, 1, vec![1, 2]),
        (0b001, 0b110, 1, vec![0, 1, 2]),
        (0b010, 0b011, 1, vec![0]),
        (0b011, 0b011, 0, vec![]),
        (0b100, 0b110, 1, vec![1]),
        (0b101, 0b110, 1, vec![0, 1]),
        (0b110, 0b110, 0, vec![]),
        (0b111, 0b110, 1, vec![0]),
    ] {
        let mut recall = Recall::new(&three(), &[cue], None);
        let mut path = Vec::new();
        assert!(recall.advance(&three(), 100, usize::MAX, |flip| path.push(flip)));
        assert!(recall.is_at_rest());
        assert_eq!(recall.state(), [rest], "{cue:03b}");
        assert_eq!(recall.num_updates(), num_updates, "{cue:03b}");
        assert_eq!(path.iter().map(|flip| flip.site).collect::<Vec<_>>(), sites, "{cue:03b}");
        assert_eq!(recall.energy(), three().energy(&[rest]));
    }
}

fn random(dim: usize, seed: u64) -> (Network, Vec<u64>) {
    let spec = IsingSpec::random(dim, Pattern::Dense {}, 1.0, seed);
    let mut cue = vec![0; dim.div_ceil(64)];
    let mut rng = corruption(seed, 0);
    crate::memory::noise::flip_random(&mut cue, dim, dim / 2, &mut rng);
    (Network::from_ising(&spec).expect("a sound spec"), cue)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() })]

    /// Every flip lowers the energy, and the final state is a fixed point, in both orders.
    #[test]
    fn energy_never_rises(dim in 1_usize..90, seed in 0_u64..1000, is_random in any::<bool>()) {
        let (network, cue) = random(dim, seed);
        let mut recall = Recall::new(&network, &cue, is_random.then(|| corruption(seed, 1)));
        let (mut last, mut row) = (recall.energy(), cue.clone());
        prop_assert_eq!(last, network.energy(&cue));
        let mut problem = None;
        recall.advance(&network, 10_000, usize::MAX, |step| {
            flip(&mut row, step.site);
            let exact = network.energy(&row);
            if step.energy > last || (step.energy - exact).abs() > 1e-9 * (1.0 + exact.abs()) {
                problem = Some((last, step, exact));
            }
            last = step.energy;
        });
        prop_assert_eq!(problem, None);
        prop_assert!(recall.is_at_rest() && network.is_fixed_point(recall.state()));
        prop_assert_eq!(&row, recall.state());
    }

    /// A recall in pieces of a few flips equals a recall in one call.
    #[test]
    fn pieces_make_the_whole(seed in 0_u64..1000, piece in 1_usize..5, is_random in any::<bool>()) {
        let (network, cue) = random(30, seed);
        let new = || Recall::new(&network, &cue, is_random.then(|| corruption(seed, 1)));
        let run = |max_flips: usize| {
            let (mut recall, mut path) = (new(), Vec::new());
            while !recall.advance(&network, 50, max_flips, |flip| path.push(flip)) {}
            (path, recall.state().to_vec(), recall.num_updates())
        };
        prop_assert_eq!(run(piece), run(usize::MAX));
    }
}

#[test]
fn updates_are_counted_and_limited() {
    // A chain of couplings that moves a set bit by one unit per update, from last to first.
    let dim = 6;
    let mut network = Network::zeros(dim);
    let (thresholds, weights) = network.parts_mut();
    thresholds.fill(0.5);
    for site in 0..dim - 1 {
        weights[crate::memory::network::row_start(dim, site)] = 1.0;
    }
    thresholds[5] = -0.5;
    let mut recall = Recall::new(&network, &[0], None);
    assert!(recall.advance(&network, 3, usize::MAX, |_| {}));
    assert_eq!((recall.num_updates(), recall.num_flips(), recall.is_at_rest()), (3, 3, false));
    assert!(recall.advance(&network, 100, usize::MAX, |_| {}));
    assert_eq!((recall.num_updates(), recall.num_flips(), recall.is_at_rest()), (6, 6, true));
    assert_eq!(recall.state(), [0b111111]);
}

#[test]
fn random_orders_visit_every_unit() {
    // Without couplings, and thresholds below 0, every unit is set by one update.
    let network = Network::new(vec![-1.0; 70], vec![0.0; 70 * 69 / 2]);
    let path = |seed| {
        let mut path = Vec::new();
        let mut recall = Recall::new(&network, &[0, 0], Some(corruption(seed, 0)));
        recall.advance(&network, 1, usize::MAX, |flip| path.push(flip.site));
        path
    };
    let (first, second) = (path(1), path(2));
    assert_ne!(first, second);
    let mut sorted = first.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..70).collect::<Vec<_>>());
}

#[test]
fn attractors_by_their_frequency() {
    let states: [&[u64]; 6] = [&[5], &[1], &[7], &[1], &[7], &[0]];
    let (found, which) = attractors(states.into_iter());
    let counts: Vec<(u64, usize)> =
        found.iter().map(|attractor| (attractor.state[0], attractor.num_cues)).collect();
    assert_eq!(counts, [(1, 2), (7, 2), (5, 1), (0, 1)]);
    assert_eq!(which, [2, 0, 1, 0, 1, 3]);
    assert_eq!(attractors(std::iter::empty()), (vec![], vec![]));
}
