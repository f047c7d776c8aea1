//! Parallel tempering of binary models: replicas at the rungs of a ladder ([`super::ladder`]) along
//! a path of parameters ([`super::param_path`]), moved by any transition of bits and exchanged with
//! their neighbours. The states at the highest rung are draws from the model.
//!
//! The state at the lowest rung, whose units are independent, is drawn anew at every step: what
//! moves up the ladder is independent of earlier states.
//!
//! With `f_k` the unnormalized density at rung k, states v_k and v_{k+1} are exchanged with
//! probability `min(1, f_k(v_{k+1}) f_{k+1}(v_k) / (f_k(v_k) f_{k+1}(v_{k+1})))`. With hidden units
//! f_k is the marginal density, which is exact along any path, not only along straight lines.

mod stones;

pub use stones::{SteppingStones, log_z};

use super::ladder::Ladder;
use super::param_path::ParamPath;
use super::path_chains::{PathChains, PathSweep};
use super::path_moves::Moves;
use crate::bits::{are_rows, words_per_row};
use crate::rng::{ChainRng, uniform};
use serde::{Deserialize, Serialize};

/// The replicas of one ladder, with all the state needed to resume them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BitReplicas {
    /// The state at each rung, packed.
    pub rows: Vec<Vec<u64>>,
    /// The random stream of each rung.
    pub rngs: Vec<ChainRng>,
    /// The rungs, with their swaps and round trips.
    pub ladder: Ladder,
    /// Ratios of the normalizers of neighbouring rungs.
    pub stones: SteppingStones,
}

impl BitReplicas {
    /// Replicas at these rows, one a rung.
    ///
    /// # Panics
    /// If the numbers of rows or streams differ from that of the rungs.
    pub fn new(ladder: Ladder, rows: Vec<Vec<u64>>, rngs: Vec<ChainRng>) -> Self {
        let num_rungs = ladder.betas().len();
        assert!(rows.len() == num_rungs && rngs.len() == num_rungs);
        Self { rows, rngs, stones: SteppingStones::new(num_rungs), ladder }
    }

    /// Whether the lengths are those of `num_rungs` rungs and states of `dim` bits, as they are
    /// unless a checkpoint was tampered with.
    pub fn is_valid(&self, dim: usize, num_rungs: usize) -> bool {
        let is_row = |row: &Vec<u64>| row.len() == words_per_row(dim) && are_rows(dim, row);
        self.rows.len() == num_rungs
            && self.rows.iter().all(is_row)
            && self.rngs.len() == num_rungs
            && self.ladder.is_valid(num_rungs)
            && self.stones.is_valid(num_rungs)
    }

    /// Begins anew to count swaps and round trips, and to estimate ratios.
    pub fn restart_counts(&mut self) {
        self.ladder.restart_counts();
        self.stones = SteppingStones::new(self.rows.len());
    }

    /// Moves the rungs of ladders that have the same ones to where all pairs of neighbours would
    /// have been exchanged equally often, and begins anew to count.
    pub fn adapt_together(all: &mut [&mut Self]) {
        let mut ladders: Vec<_> = all.iter_mut().map(|one| &mut one.ladder).collect();
        Ladder::adapt_together(&mut ladders);
        all.iter_mut().for_each(|one| one.restart_counts());
    }
}

/// The replicas of several ladders with the same rungs while they move: rung by rung, those of all
/// ladders side by side.
pub struct MovingReplicas<'a> {
    path: &'a ParamPath,
    moves: &'a Moves,
    rungs: Vec<PathChains>,
    /// log f_{k+1} − log f_k of the states at rung k, for each rung but the last, and the negative
    /// of log f_{k+1} − log f_k of those at rung k + 1.
    upward: Vec<Vec<f64>>,
    downward: Vec<Vec<f64>>,
    accepted: Vec<usize>,
}

impl<'a> MovingReplicas<'a> {
    /// These replicas, to be moved along a path by a transition of bits.
    pub fn new(path: &'a ParamPath, moves: &'a Moves, all: &[BitReplicas]) -> Self {
        let num_rungs = all.first().map_or(0, |one| one.rows.len());
        let chains = |rung: usize| {
            let rngs = all.iter().map(|one| one.rngs[rung].clone()).collect();
            PathChains::new(path.model().dim(), rngs)
        };
        let rungs = (0..num_rungs).map(chains).collect();
        let ratios = vec![Vec::new(); num_rungs.saturating_sub(1)];
        let (upward, downward) = (ratios.clone(), ratios);
        let mut moving = Self { path, moves, rungs, upward, downward, accepted: vec![] };
        moving.set(all);
        moving
    }

    /// Takes up the rows and streams of as many replicas of the same kind.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn set(&mut self, all: &[BitReplicas]) {
        for (rung, chains) in self.rungs.iter_mut().enumerate() {
            chains.set(all.iter().map(|one| &one.rows[rung][..]));
            chains.rngs_mut().iter_mut().zip(all).for_each(|(rng, one)| {
                rng.clone_from(&one.rngs[rung]);
            });
        }
    }

    /// One step: the states at the lowest rung are drawn, those at all others move, and a round of
    /// swaps follows. Rows and streams of `all` are those from before until
    /// [`MovingReplicas::write_back`].
    ///
    /// # Panics
    /// If these are not the replicas that were taken.
    pub fn step(&mut self, all: &mut [BitReplicas]) {
        let Some(first) = all.first() else { return };
        let Self { path, moves, rungs, upward, downward, accepted } = self;
        let betas = first.ladder.betas().to_vec();
        let how = PathSweep { path, moves, num_steps: 1, is_forward: true };
        for (chains, &beta) in rungs.iter_mut().zip(&betas) {
            match beta {
                0.0 => chains.draw(path),
                _ => chains.sweep(how, beta, path.place_of(beta), |_| {}),
            }
        }
        for pair in 0..betas.len() - 1 {
            let [low, high] = [betas[pair], betas[pair + 1]];
            upward[pair].clear();
            upward[pair].extend(rungs[pair].terms(path, low, high).1);
            downward[pair].clear();
            downward[pair].extend(rungs[pair + 1].terms(path, high, low).1);
        }
        for (chain, one) in all.iter_mut().enumerate() {
            let ratios = |pair: usize| [upward[pair][chain], downward[pair][chain]];
            one.stones.add(ratios);
            let gain = |pair: usize| ratios(pair)[0] + ratios(pair)[1];
            one.ladder.swap(gain, |rung| uniform(&mut rungs[rung].rngs_mut()[chain]), accepted);
            for &rung in &*accepted {
                let (low, high) = rungs.split_at_mut(rung + 1);
                low[rung].exchange(&mut high[0], chain);
            }
        }
    }

    /// The state of each ladder at the highest rung.
    pub fn target_rows(&self) -> impl Iterator<Item = &[u64]> {
        self.rungs.last().into_iter().flat_map(PathChains::rows)
    }

    /// Writes rows and streams back.
    ///
    /// # Panics
    /// If these are not the replicas that were taken.
    pub fn write_back(&self, all: &mut [BitReplicas]) {
        for (rung, chains) in self.rungs.iter().enumerate() {
            for ((one, row), rng) in all.iter_mut().zip(chains.rows()).zip(chains.rngs()) {
                one.rows[rung].copy_from_slice(row);
                one.rngs[rung].clone_from(rng);
            }
        }
    }
}
