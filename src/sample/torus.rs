//! The checkerboard on a torus of even sides whose couplings are all equal and
//! whose biases are all equal: heat bath, 64 sites to a word.
//!
//! A site becomes 1 with a probability that depends on how many of its four
//! neighbours are 1, so there are five probabilities p_0 … p_4. The sites of one colour are packed
//! by themselves, with the k-th of every row in the k-th bit. The neighbours of 64 sites are then
//! four words, three of them unchanged and one shifted by a bit, and a few logical operations count
//! them.
//!
//! Comparing a uniform number with a probability takes binary digits up to the first that differs.
//! For 64 sites at a time, one word of random bits is one digit of each of their numbers, and the
//! counts select the matching digits of p_n. Sites whose digits differ are decided; the others
//! continue, up to 64 digits. That takes 7.3 words on average for 64 sites, or some 7.3 random bits
//! per site instead of 64, and is exact to within 2⁻⁶⁴ of the rounded p_n.

#[cfg(test)]
mod tests;

use super::gibbs::GibbsInfo;
use crate::bits::words_per_row;
use crate::energy::{Energy, Parametric};
use crate::math::sigmoid;
use crate::models::ising::{Ising, Pattern};
use crate::rng::ChainRng;
use rand::Rng;

/// Number of probabilities, one for each number of neighbours that are 1.
const CLASSES: usize = 5;

/// The checkerboard sweep on a uniform torus.
#[derive(Debug, Clone)]
pub(super) struct Torus {
    num_rows: usize,
    num_cols: usize,
    /// Binary digits of p_n, most significant first, each in all bits of a word.
    digits: Vec<[u64; CLASSES]>,
}

/// The sites of each colour: `num_rows` rows of half as many bits as columns, padded to whole
/// words. The first colour has the sites with an even sum of row and column.
struct Colours {
    words: [Vec<u64>; 2],
}

impl Torus {
    /// The sweep for such a torus; none for any other model.
    pub(super) fn new(model: &Ising) -> Option<Self> {
        let &Pattern::Lattice { num_rows, num_cols, periodic: true } = model.pattern() else {
            return None;
        };
        let (biases, couplings) = model.params().split_at(model.dim());
        let (bias, coupling) = (biases[0], couplings[0]);
        let is_uniform = biases.iter().all(|other| *other == bias)
            && couplings.iter().all(|other| *other == coupling);
        if !is_uniform || num_rows % 2 == 1 || num_cols % 2 == 1 {
            return None;
        }
        let probabilities: [u64; CLASSES] = std::array::from_fn(|count| {
            let p = sigmoid(-(bias + 2.0 * count as f64 * coupling));
            // 2⁶⁴ itself becomes 2⁶⁴ − 1.
            (p * (1_u128 << 64) as f64) as u64
        });
        let digits = (0..64)
            .rev()
            .map(|place| probabilities.map(|p| if p >> place & 1 == 1 { u64::MAX } else { 0 }))
            .collect();
        Some(Self { num_rows, num_cols, digits })
    }

    /// Number of sites of a colour in a row.
    fn half(&self) -> usize {
        self.num_cols / 2
    }

    /// Number of words they take.
    fn width(&self) -> usize {
        words_per_row(self.half())
    }

    /// One sweep over the colours in this order, in ascending order of rows and words.
    pub(super) fn step(&self, row: &mut [u64], order: [usize; 2], rng: &mut ChainRng) -> GibbsInfo {
        assert_eq!(row.len(), words_per_row(self.num_rows * self.num_cols));
        let mut colours = self.unpack(row);
        let mut num_flips = 0;
        for colour in order {
            for line in 0..self.num_rows {
                num_flips += self.update(&mut colours, colour, line, rng);
            }
        }
        self.pack(&colours, row);
        GibbsInfo { num_flips }
    }

    /// Updates the sites of a colour in one row of the torus.
    fn update(
        &self,
        colours: &mut Colours,
        colour: usize,
        line: usize,
        rng: &mut ChainRng,
    ) -> usize {
        let width = self.width();
        let line_of = |line: usize| line * width..(line + 1) * width;
        let [first, second] = &mut colours.words;
        let (own, others) = if colour == 0 { (first, &*second) } else { (second, &*first) };
        let own = &mut own[line_of(line)];
        let above = &others[line_of((line + self.num_rows - 1) % self.num_rows)];
        let below = &others[line_of((line + 1) % self.num_rows)];
        let beside = &others[line_of(line)];
        // If the first site of the row has this colour, the k-th site of the other colour is to the
        // right of the k-th site, and the one before it to the left.
        let begins = (line + colour).is_multiple_of(2);
        let last_bit = (self.half() - 1) % 64;
        let mut num_flips = 0;
        for at in 0..width {
            let is_last = at + 1 == width;
            let further = if begins {
                let carry =
                    if at > 0 { beside[at - 1] >> 63 } else { beside[width - 1] >> last_bit };
                beside[at] << 1 | carry
            } else if is_last {
                beside[at] >> 1 | (beside[0] & 1) << last_bit
            } else {
                beside[at] >> 1 | beside[at + 1] << 63
            };
            let sites = if is_last { u64::MAX >> (63 - last_bit) } else { u64::MAX };
            let counts = counts([above[at], below[at], beside[at], further]);
            let ones = self.draw(counts, sites, rng);
            num_flips += (own[at] ^ ones).count_ones() as usize;
            own[at] = ones;
        }
        num_flips
    }

    /// Draws 64 sites: each is 1 with the probability that belongs to its count.
    #[inline]
    fn draw(&self, counts: [u64; CLASSES], sites: u64, rng: &mut ChainRng) -> u64 {
        let mut undecided = sites;
        let mut ones = 0;
        for digit in &self.digits {
            let random = rng.next_u64();
            let mut wanted = 0;
            for class in 0..CLASSES {
                wanted |= counts[class] & digit[class];
            }
            let decided = undecided & (random ^ wanted);
            ones |= decided & wanted;
            undecided ^= decided;
            if undecided == 0 {
                break;
            }
        }
        ones
    }

    fn unpack(&self, row: &[u64]) -> Colours {
        let mut words = [(); 2].map(|()| vec![0; self.num_rows * self.width()]);
        for line in 0..self.num_rows {
            for (at, start) in (0..self.num_cols).step_by(64).enumerate() {
                let count = (self.num_cols - start).min(64);
                let bits = read(row, line * self.num_cols + start, count);
                for (offset, half) in
                    [even_bits(bits), even_bits(bits >> 1)].into_iter().enumerate()
                {
                    let colour = (line + offset) % 2;
                    words[colour][line * self.width() + at / 2] |= half << (at % 2 * 32);
                }
            }
        }
        Colours { words }
    }

    fn pack(&self, colours: &Colours, row: &mut [u64]) {
        row.fill(0);
        for line in 0..self.num_rows {
            for (at, start) in (0..self.num_cols).step_by(64).enumerate() {
                let half = |offset: usize| {
                    let words = &colours.words[(line + offset) % 2];
                    words[line * self.width() + at / 2] >> (at % 2 * 32) & 0xffff_ffff
                };
                let bits = to_even_bits(half(0)) | to_even_bits(half(1)) << 1;
                let first = line * self.num_cols + start;
                row[first / 64] |= bits << (first % 64);
                let carry = bits >> 1 >> (63 - first % 64);
                if carry != 0 {
                    row[first / 64 + 1] |= carry;
                }
            }
        }
    }
}

/// For each bit position, how many of four bits are set, 0 … 4, as five masks.
#[inline]
fn counts([a, b, c, d]: [u64; 4]) -> [u64; CLASSES] {
    let (one_of_ab, both_ab) = (a ^ b, a & b);
    let (one_of_cd, both_cd) = (c ^ d, c & d);
    let ones = one_of_ab ^ one_of_cd;
    let fours = both_ab & both_cd;
    let twos = (both_ab ^ both_cd) | (one_of_ab & one_of_cd);
    [!(ones | twos | fours), ones & !twos, twos & !ones, ones & twos, fours]
}

/// Reads `count` bits of a row, from bit `first` on.
fn read(row: &[u64], first: usize, count: usize) -> u64 {
    let shift = first % 64;
    let low = row[first / 64] >> shift;
    let high = if shift + count > 64 { row[first / 64 + 1] << (64 - shift) } else { 0 };
    (low | high) & u64::MAX >> (64 - count)
}

/// Bits 0, 2, 4 … of a word, side by side.
fn even_bits(word: u64) -> u64 {
    let word = word & 0x5555_5555_5555_5555;
    let word = (word | word >> 1) & 0x3333_3333_3333_3333;
    let word = (word | word >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    let word = (word | word >> 4) & 0x00ff_00ff_00ff_00ff;
    let word = (word | word >> 8) & 0x0000_ffff_0000_ffff;
    (word | word >> 16) & 0x0000_0000_ffff_ffff
}

/// The inverse of [`even_bits`].
fn to_even_bits(half: u64) -> u64 {
    let word = (half | half << 16) & 0x0000_ffff_0000_ffff;
    let word = (word | word << 8) & 0x00ff_00ff_00ff_00ff;
    let word = (word | word << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let word = (word | word << 2) & 0x3333_3333_3333_3333;
    (word | word << 1) & 0x5555_5555_5555_5555
}
