use super::*;
use crate::memory::mpf::{OnlineMpf, flow};
use crate::memory::rule::LocalRule;
use crate::memory::storage::Patterns;
use crate::models::ising::{IsingSpec, Pattern};
use crate::rng::{Purpose, stream, uniform};

fn rows(dim: usize, num_rows: usize, density: f64) -> BitMatrix {
    let mut rng = stream(4, Purpose::Example, (dim + num_rows) as u64);
    let mut rows = BitMatrix::zeros(dim, num_rows);
    for row in rows.rows_mut() {
        for site in 0..dim {
            row[site / 64] |= u64::from(uniform(&mut rng) < density) << (site % 64);
        }
    }
    rows
}

/// Weights that single precision holds exactly.
fn network(dim: usize) -> Network {
    let spec = IsingSpec::random(dim, Pattern::Dense {}, 0.2, 5);
    let network = Network::from_ising(&spec).expect("a sound spec");
    let weights = network.weights().iter().map(|weight| f64::from(*weight as f32)).collect();
    Network::new(network.thresholds().to_vec(), weights)
}

/// The gradients of all tiles, one after another.
struct Whole(Vec<Vec<[u8; 4]>>);

impl Whole {
    fn new(tiles: &[TileGradient]) -> Self {
        let bytes = |tile: &TileGradient| {
            tile.gradient.iter().flat_map(|line| line.0.map(f32::to_le_bytes)).collect()
        };
        Self(tiles.iter().map(bytes).collect())
    }
}

impl Gradients for Whole {
    fn block(&self, tile: usize, others: std::ops::Range<usize>) -> &[[u8; 4]] {
        &self.0[tile][others.start * TILE..others.end * TILE]
    }
}

#[test]
fn centring_changes_no_energy() {
    let network = network(37);
    let centre = Centre::new(rows(37, 20, 0.3).as_batch(), 0.1);
    let back = Centred::from_network(&network, &centre).to_network(&centre);
    assert_eq!(back.weights(), network.weights());
    for (back, threshold) in back.thresholds().iter().zip(network.thresholds()) {
        assert!((back - threshold).abs() < 1e-13);
    }
}

/// Compares flow, gradient and storage of all tiles with their definitions in double precision.
#[test]
fn tiles_add_up_to_the_gradient() {
    for (dim, num_rows) in [(1, 3), (9, 2), (40, 300)] {
        let (training, patterns) = (rows(dim, num_rows, 0.4), rows(dim, 7, 0.5));
        let network = network(dim);
        let centre = Centre::new(training.as_batch(), 0.0);
        let before = Centred::from_network(&network, &centre);
        let batch = Minibatch::new(training.clone(), patterns.clone());
        let tiles: Vec<_> =
            (0..tiles::num_tiles(dim)).map(|tile| batch.tile(&before, &centre, tile)).collect();

        let total: f64 = tiles.iter().map(|tile| tile.flow).sum();
        let expected = flow(&network, &training) / num_rows as f64;
        assert!((total / expected - 1.0).abs() < 1e-5, "{dim}: {total} {expected}");

        let exact = Patterns::new(patterns.clone()).check(&network);
        let mut storage = Storage::new(7);
        tiles.iter().for_each(|tile| storage.merge(&tile.storage));
        assert_eq!(storage.num_wrong, exact.num_wrong);
        for (margin, exact) in storage.margins.iter().zip(&exact.margins) {
            assert!((margin - exact).abs() < 1e-4, "{dim}: {margin} {exact}");
        }

        // The mean of the online rule's changes, each of which is −½ of the gradient in J and θ.
        let mut sum = vec![0.0; dim + network.weights().len()];
        for row in training.as_batch().rows() {
            let mut after = network.clone();
            OnlineMpf { learning_rate: 1.0 }.present(&mut after, row);
            let changes = after.thresholds().iter().zip(network.thresholds());
            let changes = changes.chain(after.weights().iter().zip(network.weights()));
            for (sum, (after, before)) in sum.iter_mut().zip(changes) {
                *sum += (after - before) / num_rows as f64;
            }
        }
        let (of_thresholds, of_weights) = sum.split_at(dim);
        let slopes: Vec<f64> = tiles.iter().flat_map(|tile| tile.slopes).take(dim).collect();
        let mut after = before.clone();
        after.descend(0.1, &Whole::new(&tiles), &slopes, &centre.means);
        let mut at = 0;
        for i in 0..dim {
            // ∂K/∂β_i = −∂K/∂θ_i.
            assert!((slopes[i] - of_thresholds[i]).abs() < 1e-6, "{dim}: β_{i}");
            assert_eq!(after.biases[i], before.biases[i] - 0.1 * slopes[i]);
            for j in i + 1..dim {
                // At fixed β, θ moves with J: by c_j in θ_i and by c_i in θ_j.
                let down = of_weights[at]
                    + of_thresholds[i] * centre.means[j]
                    + of_thresholds[j] * centre.means[i];
                let change = f64::from(after.weights[at] - before.weights[at]);
                assert!((change - 0.4 * down).abs() < 1e-6, "{dim}: J_{i}{j}: {change} {down}");
                at += 1;
            }
        }
    }
}

/// Rows that are equal or complements of each other vary in one direction, with variance n.
#[test]
fn curvature_is_the_largest_variance() {
    let mut pair = BitMatrix::zeros(50, 4);
    for (at, row) in pair.rows_mut().enumerate() {
        row[0] = if at % 2 == 0 { 0x3_a5f1_0347_99e1 & ((1 << 50) - 1) } else { 0 };
        if at % 2 == 1 {
            row[0] = !0x3_a5f1_0347_99e1 & ((1 << 50) - 1);
        }
    }
    let clean = Centre::new(pair.as_batch(), 0.0);
    assert!((clean.curvature - 50.0).abs() < 1e-9, "{}", clean.curvature);
    assert!(clean.means.iter().all(|mean| *mean == 0.5));
    // Flipped with probability 1 in 4: half the spin is left, and a quarter of its variance.
    let noisy = Centre::new(pair.as_batch(), 0.25);
    assert!((noisy.curvature - (0.25 * 50.0 + 0.75)).abs() < 1e-9);
    assert_eq!(Centre::new(BitMatrix::zeros(9, 3).as_batch(), 0.0).curvature, 1.0);
}

/// Descent on the flow of noisy rows makes the patterns behind them fixed points.
#[test]
fn patterns_are_learned_from_corrupted_copies() {
    use crate::memory::noise::{corruption, flip_random};
    let (dim, count, copies) = (100, 4, 100);
    let patterns = rows(dim, count, 0.5);
    let centre = Centre::new(patterns.as_batch(), 0.25);
    let mut network = Centred::from_network(&Network::zeros(dim), &centre);
    let mut flows = Vec::new();
    for step in 0..30_u32 {
        let mut training = BitMatrix::zeros(dim, count * copies);
        for (at, row) in training.rows_mut().enumerate() {
            row.copy_from_slice(patterns.row(at % count));
            flip_random(row, dim, 25, &mut corruption(3, u64::from(step) << 32 | at as u64));
        }
        let batch = Minibatch::new(training, patterns.clone());
        let tiles: Vec<_> =
            (0..tiles::num_tiles(dim)).map(|tile| batch.tile(&network, &centre, tile)).collect();
        let slopes: Vec<f64> = tiles.iter().flat_map(|tile| tile.slopes).take(dim).collect();
        let length = 0.6 / centre.curvature * (1.0 - f64::from(step) / 40.0);
        network.descend(length, &Whole::new(&tiles), &slopes, &centre.means);
        flows.push(tiles.iter().map(|tile| tile.flow).sum::<f64>());
    }
    assert!((flows[0] - 100.0).abs() < 1e-9 && flows[29] < 95.0, "{flows:?}");
    let storage = Patterns::new(patterns).check(&network.to_network(&centre));
    assert_eq!(storage.num_stored(), count, "{storage:?}");
}
