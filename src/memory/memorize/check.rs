//! Rounds that check how well patterns are stored: a shard checks some tiles of units, and returns
//! their storage.

use crate::bytes::{from_f64s, to_f64s};
use crate::memory::storage::{Patterns, Storage};
use crate::memory::{Network, tiles};
use crate::run::per_piece;
use std::ops::Range;

/// The patterns and their sharding.
pub struct StorageCheck {
    patterns: Patterns,
    tiles_a_shard: usize,
}

impl StorageCheck {
    pub fn new(patterns: Patterns) -> Self {
        let tiles_a_shard = per_piece(patterns.tile_cost() as u64);
        Self { patterns, tiles_a_shard }
    }

    pub fn dim(&self) -> usize {
        self.patterns.rows().dim()
    }

    pub fn num_shards(&self) -> usize {
        tiles::num_tiles(self.dim()).div_ceil(self.tiles_a_shard)
    }

    fn tiles(&self, shard: usize) -> Range<usize> {
        let start = shard * self.tiles_a_shard;
        start..tiles::num_tiles(self.dim()).min(start + self.tiles_a_shard)
    }

    /// Works a shard.
    pub fn work(&self, network: &Network, shard: usize) -> Vec<u8> {
        assert!(shard < self.num_shards());
        let mut storage = Storage::new(self.patterns.rows().num_rows());
        for tile in self.tiles(shard) {
            storage.merge(&self.patterns.check_tile(network, tile));
        }
        from_f64s(&storage.to_numbers().collect::<Vec<_>>())
    }

    /// Combines all parts.
    pub fn gather(&self, parts: &[Vec<u8>]) -> Storage {
        assert_eq!(parts.len(), self.num_shards());
        let mut storage = Storage::new(self.patterns.rows().num_rows());
        for part in parts {
            storage.merge(&Storage::from_numbers(&to_f64s(part).expect("numbers")));
        }
        storage
    }
}

/// A network as numbers, `[θ | J]`.
pub fn network_numbers(network: &Network) -> Vec<f64> {
    [network.thresholds(), network.weights()].concat()
}

/// The network from the bytes of [`network_numbers`].
pub fn network_from(dim: usize, bytes: &[u8]) -> Network {
    let mut thresholds = to_f64s(bytes).expect("numbers");
    let weights = thresholds.split_off(dim);
    Network::new(thresholds, weights)
}
