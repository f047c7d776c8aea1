//! The sweeps of a square lattice as work for a graphics processor, which has integers of 32 bits: states, keys and
//! digits as words, `[colour][row][word in the row]`. A word has the index of its random words.

use super::{Colours, Torus, key};
use crate::models::ising::Grid;
use crate::rng::ChainRng;
use crate::run::LatticeWork;

impl Torus {
    /// Whether a graphics processor can make its sweeps: those of a square lattice.
    pub(in crate::sample) fn is_device_work(&self) -> bool {
        self.lattice.grid == Grid::Square
    }

    /// The sweeps of chains up to each of `stops`.
    pub(in crate::sample) fn device_work<'a>(
        &self,
        chains: impl Iterator<Item = (&'a [u64], ChainRng)>,
        stops: Vec<u32>,
    ) -> LatticeWork {
        let num_sweeps = stops.last().map_or(0, |stop| *stop as usize);
        let mut states = Vec::new();
        let mut keys = Vec::new();
        for (row, mut rng) in chains {
            states.extend(self.words_of(&self.unpack(row)));
            keys.push((0..num_sweeps).map(|_| key(&mut rng)).collect::<Vec<_>>());
        }
        let keys = (0..num_sweeps).flat_map(|sweep| keys.iter().flat_map(move |of| of[sweep]));
        let changes: Vec<u64> = self.probabilities.iter().map(|p| p ^ p >> 1).collect();
        LatticeWork {
            num_rows: self.lattice.num_rows as u32,
            width: self.width() as u32,
            last_bit: ((self.half() - 1) % 32) as u32,
            changes: std::array::from_fn(|at| (changes[at / 2] >> (32 * (1 - at % 2))) as u32),
            order: self.order.map(|colour| colour as u32),
            keys: keys.collect(),
            states,
            stops,
        }
    }

    /// Advances a stream past the keys of `num_sweeps` sweeps.
    pub(in crate::sample) fn skip(&self, rng: &mut ChainRng, num_sweeps: usize) {
        for _ in 0..num_sweeps {
            key(rng);
        }
    }

    /// Number of words of a state.
    pub(in crate::sample) fn num_words(&self) -> usize {
        2 * self.lattice.num_rows * self.width()
    }

    /// Writes a state to a row of bits.
    ///
    /// # Panics
    /// If it has another number of words.
    pub(in crate::sample) fn read_words(&self, words: &[u32], row: &mut [u64]) {
        assert_eq!(words.len(), self.num_words());
        let mut colours = self.empty();
        for (index, &word) in words.iter().enumerate() {
            let (colour, parity, place) = self.place(index);
            colours.planes[colour][parity][place] = word;
        }
        self.pack(&colours, row);
    }

    fn words_of<'a>(&'a self, colours: &'a Colours) -> impl Iterator<Item = u32> + 'a {
        (0..self.num_words()).map(|index| {
            let (colour, parity, place) = self.place(index);
            colours.planes[colour][parity][place]
        })
    }

    /// Colour, parity of the row and place in the plane of the word with this index.
    fn place(&self, index: usize) -> (usize, usize, usize) {
        let (line, at) = (index / self.width(), index % self.width());
        let (colour, line) = (line / self.lattice.num_rows, line % self.lattice.num_rows);
        (colour, line % 2, self.column(0, at).start + line / 2 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{SIZES, random_row, torus};
    use super::super::{next, seeds};
    use super::*;
    use crate::rng::{Purpose, stream};
    use crate::sample::Transition;

    /// What the shader does, word by word.
    fn sweep(work: &LatticeWork, words: &mut [u32], key: [u32; 4], colour: u32) {
        let (num_rows, width) = (work.num_rows as usize, work.width as usize);
        let other = (1 - colour as usize) * num_rows * width;
        let own = colour as usize * num_rows * width;
        for index in 0..num_rows * width {
            let (line, at) = (index / width, index % width);
            let word = |line: usize, at: usize| words[other + line * width + at];
            let (beside, is_last) = (word(line, at), at + 1 == width);
            let above = word((line + num_rows - 1) % num_rows, at);
            let below = word((line + 1) % num_rows, at);
            let shifted = if line % 2 == colour as usize {
                let shift = if at == 0 { work.last_bit } else { 31 };
                beside << 1 | word(line, (at + width - 1) % width) >> shift
            } else {
                let shift = if is_last { work.last_bit } else { 31 };
                beside >> 1 | word(line, (at + 1) % width) << shift
            };
            let mut generator = seeds((own + index) as u32, key);
            let mut undecided = if is_last { u32::MAX >> (31 - work.last_bit) } else { u32::MAX };
            let mut ones = 0;
            let mut digit = 0;
            while undecided != 0 && digit < 64 {
                let mut changed = 0;
                for bit in 0..32 {
                    let neighbours = [above, below, beside, shifted];
                    let count = neighbours.iter().filter(|word| *word >> bit & 1 == 1).count();
                    let changes = work.changes[2 * count + digit / 32];
                    changed |= (changes >> (31 - digit % 32) & 1) << bit;
                }
                ones ^= undecided & changed;
                undecided &= !next(&mut generator);
                digit += 1;
            }
            words[own + index] = ones;
        }
    }

    /// Of two chains at three stops, in both orders of the colours.
    #[test]
    fn states_at_stops_are_those_of_the_sweeps() {
        for ((num_rows, num_cols), is_forward) in
            SIZES.into_iter().zip([true, false].into_iter().cycle())
        {
            let torus = torus(num_rows, num_cols, 0.35, -0.1);
            let torus = if is_forward { torus } else { torus.reversed() };
            let dim = num_rows * num_cols;
            let mut chains = [1, 2].map(|seed| (random_row(dim), stream(seed, Purpose::Chain, 0)));
            let mut slow = chains.clone();
            let stops = vec![1, 4, 6];
            let each = chains.iter().map(|(row, rng)| (&row[..], rng.clone()));
            let work = torus.device_work(each, stops.clone());
            let mut states = work.states.clone();
            let mut keys = work.keys.as_chunks().0.iter();
            for sweeps in 1..=6 {
                for (chain, state) in states.chunks_mut(torus.num_words()).enumerate() {
                    let key = *keys.next().unwrap();
                    work.order.iter().for_each(|colour| sweep(&work, state, key, *colour));
                    let (row, rng) = &mut slow[chain];
                    torus.step(row, rng);
                    if stops.contains(&sweeps) {
                        torus.read_words(state, &mut chains[chain].0);
                        assert_eq!(chains[chain].0, *row, "{num_rows} × {num_cols}");
                    }
                }
            }
            for ((_, rng), (_, slow)) in chains.iter_mut().zip(&slow) {
                torus.skip(rng, 6);
                assert_eq!(rng, slow);
            }
        }
    }
}
