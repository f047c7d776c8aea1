//! The sweeps of a target that a graphics processor may make.

use super::chain::Chain;
use super::report::push_draw;
use super::target::Target;
use crate::run::LatticeWork;
use std::ops::Range;

/// Sites from which on a graphics processor is worth its starts: below, the CPU makes a sweep in
/// less than 20 µs.
const MIN_DEVICE_SITES: usize = 1 << 16;

impl Target {
    /// Whether a graphics processor may make the sweeps: of square lattices so large that starting it
    /// takes less than a sweep.
    pub fn is_lattice_work(&self) -> bool {
        matches!(self, Self::Torus(torus, moves) if torus.dim() >= MIN_DEVICE_SITES && moves.is_device_work())
    }

    /// [`Target::sweep`] as work for a graphics processor, if it may.
    pub fn lattice_work(
        &self,
        chains: &[Chain],
        sweeps: Range<usize>,
        is_draw: impl Fn(usize) -> bool,
    ) -> Option<LatticeWork> {
        let Self::Torus(_, moves) = self else { return None };
        let chains = chains.iter().map(|chain| (&chain.row[..], chain.rng.clone()));
        Some(moves.device_work(chains, stops(sweeps, is_draw)))
    }

    /// What [`Target::sweep`] does, from the states that a processor has made of
    /// [`Target::lattice_work`].
    ///
    /// # Panics
    /// If there was no such work, or there are not as many states.
    pub fn take_lattices(
        &self,
        chains: &mut [Chain],
        sweeps: Range<usize>,
        is_draw: impl Fn(usize) -> bool,
        states: &[u32],
    ) -> Vec<u8> {
        let Self::Torus(torus, moves) = self else { panic!("a torus") };
        let start = sweeps.start;
        let stops = stops(sweeps, &is_draw);
        assert_eq!(states.len(), stops.len() * chains.len() * moves.num_words());
        let mut states = states.chunks_exact(moves.num_words());
        let mut draws = Vec::new();
        for &stop in &stops {
            for (chain, words) in chains.iter_mut().zip(&mut states) {
                moves.read_words(words, &mut chain.row);
                if is_draw(start + stop as usize - 1) {
                    push_draw(&mut draws, &chain.row, torus.dim());
                }
            }
        }
        let num_sweeps = stops.last().map_or(0, |stop| *stop as usize);
        chains.iter_mut().for_each(|chain| moves.skip(&mut chain.rng, num_sweeps));
        draws
    }
}

/// The numbers of sweeps after which states are wanted: for draws, and at the end.
fn stops(sweeps: Range<usize>, is_draw: impl Fn(usize) -> bool) -> Vec<u32> {
    let (start, end) = (sweeps.start, sweeps.end);
    let stops = sweeps.filter(|sweep| is_draw(*sweep) || sweep + 1 == end);
    stops.map(|sweep| (sweep + 1 - start) as u32).collect()
}
