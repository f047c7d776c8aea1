//! The checkerboard on a torus of even sides whose couplings are all equal and
//! whose biases are all equal: heat bath, 32 sites to a word and many words at once.
//!
//! A site becomes 1 with a probability that depends on how many of its four neighbours are 1, so
//! there are five probabilities p_0 … p_4. Write `p = Σ_g d_g 2^−g` with binary digits d_1, d_2, …,
//! and toss a fair coin until heads comes, at the toss g. That has probability 2^−g, so **d_g is 1
//! with probability p**. One word of random bits is one toss for 32 sites. The k-th word of tosses
//! decides the sites whose bit is 1 in it and in no word before, and the others continue, up to 64
//! tosses. That is exact to within 2⁻⁶⁴ of the rounded p.
//!
//! With `u_g` the sites that are undecided after g tosses (u_0: all) and `w_g` the digits d_g that
//! the sites have, the new states are `Σ_g (u_{g−1} − u_g) w_g`. Summed by parts, and modulo 2, that
//! is the exclusive or of `u_{g−1} (w_{g−1} ⊕ w_g)` over g = 1, 2, …, with w_0 = 0. So a toss costs
//! little beyond its random word. Without a field p_{4−n} = 1 − p_n, so nearly all digits change for
//! n and 4 − n together, and one mask serves both.
//!
//! # Random words
//!
//! A sweep draws 128 bits from the chain's stream, its key. Everything else is a function of the
//! key and the place of the word, in additions, exclusive ors, shifts and low products of 32 bits. So
//! the words may be computed in any order and grouping, or on a device that has integers of 32 bits
//! alone. Each word has its own generator, Jenkins' small noncryptographic one [2]. Its states a,
//! b and c come from the index of the word, mixed by Wellons' function of two products [1] and then
//! by one product more each, with a part of the key before each; d is the last part of the key. The
//! index is that of (colour, row of the torus, word in the row) in this order.
//!
//! # Layout
//!
//! The sites of one colour are packed by themselves: the k-th of a row in bit k mod 32 of the word
//! ⌊k/32⌋. The neighbours of 32 sites are then four words, three of them unchanged and one shifted by
//! a bit. Even rows are apart from odd ones, because the shift is to one side in the first and to
//! the other in the second. Words at the same place of all even (or odd) rows are next to each
//! other, so that [`LANES`] rows are updated by the same instructions, and what crosses from word to
//! word stays in its lane.
//!
//! [1] C. Wellons, *Prospecting for hash functions* (2018), `lowbias32`.
//! [2] B. Jenkins, *A small noncryptographic PRNG* (2007), in 32 bits with two rotations.

#[cfg(feature = "full")]
mod device;
#[cfg(test)]
mod tests;

use super::Transition;
use super::gibbs::GibbsInfo;
use crate::bits::{bits_from, words_per_row};
use crate::math::sigmoid;
use crate::models::ising::EvenTorus;
use crate::rng::ChainRng;
use rand::Rng;

/// Number of probabilities, one for each number of neighbours that are 1.
const CLASSES: usize = 5;

/// Number of words that are updated at once. With more, the one that takes the most tosses takes more;
/// with fewer, guessing when it comes to an end fails more often.
const LANES: usize = 16;

/// One word of each lane.
type Words = [u32; LANES];

/// Number of binary digits of a probability.
const NUM_DIGITS: usize = 64;

/// Number of tosses between two looks whether all sites are decided.
const TOSSES: usize = 2;

/// Number of looks that are left out at first: 512 sites take ten tosses on average.
const SURE: usize = 2;

/// The checkerboard sweep on a uniform torus.
#[derive(Debug, Clone)]
pub struct Torus {
    num_rows: usize,
    num_cols: usize,
    /// The first and the second colour of a sweep.
    order: [usize; 2],
    /// p_0 … p_4 in units of 2⁻⁶⁴.
    probabilities: [u64; CLASSES],
    changes: [[Change; TOSSES]; NUM_DIGITS / TOSSES],
}

/// For which numbers of neighbours a digit differs from the digit before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    /// Index into [`Classes::even`].
    even: u8,
    /// Index into [`Classes::rest`], applied after the other.
    rest: u8,
}

/// The sites by their number of neighbours that are 1, with unions of these.
struct Classes {
    /// Bit 0 of the index: one or three; bit 1: none or four.
    even: [Words; 4],
    /// Bit 0 of the index: two; bit 1: three; bit 2: four.
    rest: [Words; 8],
}

/// The generator of each lane, and its sites.
struct State {
    a: Words,
    b: Words,
    c: Words,
    d: Words,
    undecided: Words,
    ones: Words,
}

/// Four words for each lane, whose bits are the neighbours but for the shift of `beside`.
struct Neighbours<'a> {
    beside: &'a Words,
    /// The words that have the bit which is shifted in.
    edge: &'a Words,
    above: &'a Words,
    below: &'a Words,
}

/// The sites of the two colours. The first has the sites with an even sum of row and column.
struct Colours {
    /// By colour and by parity of the row: a column of `height` words for each place of a word in
    /// a row. A column has the words of its rows from the second place on. The first place repeats
    /// the last row and the place after the last row repeats the first; beyond are zeros.
    planes: [[Vec<u32>; 2]; 2],
}

impl Torus {
    /// The sweep for a torus.
    pub fn new(torus: &EvenTorus) -> Self {
        let &EvenTorus { num_rows, num_cols, bias, coupling } = torus;
        let probabilities = probabilities(bias, coupling);
        let changes = std::array::from_fn(|look| {
            std::array::from_fn(|toss| Change::new(&probabilities, look * TOSSES + toss))
        });
        Self { num_rows, num_cols, order: [0, 1], probabilities, changes }
    }

    /// The reversal of this sweep, in which the second colour comes first.
    pub fn reversed(mut self) -> Self {
        self.order.reverse();
        self
    }

    /// Number of sites of a colour in a row.
    fn half(&self) -> usize {
        self.num_cols / 2
    }

    /// Number of words they take.
    fn width(&self) -> usize {
        self.half().div_ceil(32)
    }

    /// Number of even rows, and of odd ones.
    fn num_pairs(&self) -> usize {
        self.num_rows / 2
    }

    /// Number of words of a column.
    fn height(&self) -> usize {
        self.num_pairs().next_multiple_of(LANES) + 2
    }

    /// Updates the sites of a colour in the even rows, or in the odd ones. `BEGINS`: whether the
    /// first site of these rows has the colour.
    fn update<const BEGINS: bool>(
        &self,
        colours: &mut Colours,
        colour: usize,
        parity: usize,
        key: [u32; 4],
    ) -> usize {
        let (width, height, num_pairs) = (self.width(), self.height(), self.num_pairs());
        let mut own = std::mem::take(&mut colours.planes[colour][parity]);
        let others = &colours.planes[1 - colour];
        // The row above an even one is the odd one of the pair before, and the row below an odd one
        // is the even one of the next pair.
        let (above, below) = if parity == 0 { (0, 1) } else { (1, 2) };
        let last_bit = (self.half() - 1) % 32;
        let steps: Words = std::array::from_fn(|lane| (2 * width * lane) as u32);
        let mut classes = Classes { even: [[0; LANES]; 4], rest: [[0; LANES]; 8] };
        let mut state = State::default();
        let mut num_flips = 0;
        for at in 0..width {
            let is_last = at + 1 == width;
            let (edge, shift) = match BEGINS {
                true if at > 0 => (at - 1, 31),
                true => (width - 1, last_bit),
                false if is_last => (0, last_bit),
                false => (at + 1, 31),
            };
            let sites = if is_last { u32::MAX >> (31 - last_bit) } else { u32::MAX };
            let column = |at: usize| at * height..(at + 1) * height;
            let own = &mut own[column(at)];
            let (beside, edge) = (&others[parity][column(at)], &others[parity][column(edge)]);
            let across = &others[1 - parity][column(at)];
            // Nobody reads the repeated words of this colour now.
            own[num_pairs + 1] = 0;
            for pair in (0..num_pairs).step_by(LANES) {
                let neighbours = Neighbours {
                    beside: lanes(beside, pair + 1),
                    edge: lanes(edge, pair + 1),
                    above: lanes(across, pair + above),
                    below: lanes(across, pair + below),
                };
                let line = colour * self.num_rows + 2 * pair + parity;
                let first = (line * width + at) as u32;
                state.seed(&steps, first, key);
                state.set_sites(sites, num_pairs - pair);
                classes.set::<BEGINS>(&neighbours, shift);
                self.draw(&classes, &mut state);
                let own: &mut Words =
                    (&mut own[pair + 1..][..LANES]).try_into().expect("that many words");
                num_flips += num_differences(own, &state.ones);
                *own = state.ones;
            }
            wrap(own, num_pairs);
        }
        colours.planes[colour][parity] = own;
        num_flips
    }

    /// Draws the sites of all lanes: each is 1 with the probability that belongs to its class.
    fn draw(&self, classes: &Classes, state: &mut State) {
        for (look, changes) in self.changes.iter().enumerate() {
            let undecided = if changes.iter().all(|change| change.rest == 0) {
                toss::<true>(state, classes, changes)
            } else {
                toss::<false>(state, classes, changes)
            };
            if look >= SURE && undecided == 0 {
                break;
            }
        }
    }

    fn unpack(&self, row: &[u64]) -> Colours {
        let column = || vec![0; self.width() * self.height()];
        let mut planes = [(); 2].map(|()| [(); 2].map(|()| column()));
        for line in 0..self.num_rows {
            for (at, start) in (0..self.num_cols).step_by(64).enumerate() {
                let count = (self.num_cols - start).min(64);
                let bits = bits_from(row, line * self.num_cols + start, count);
                let place = at * self.height() + line / 2 + 1;
                planes[line % 2][line % 2][place] = even_bits(bits) as u32;
                planes[1 - line % 2][line % 2][place] = even_bits(bits >> 1) as u32;
            }
        }
        for plane in planes.as_flattened_mut() {
            plane.chunks_exact_mut(self.height()).for_each(|column| wrap(column, self.num_pairs()));
        }
        Colours { planes }
    }

    fn pack(&self, colours: &Colours, row: &mut [u64]) {
        row.fill(0);
        for line in 0..self.num_rows {
            for (at, start) in (0..self.num_cols).step_by(64).enumerate() {
                let place = at * self.height() + line / 2 + 1;
                let half = |colour: usize| u64::from(colours.planes[colour][line % 2][place]);
                let bits = to_even_bits(half(line % 2)) | to_even_bits(half(1 - line % 2)) << 1;
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

impl Transition for Torus {
    type Info = GibbsInfo;

    fn step(&self, row: &mut [u64], rng: &mut ChainRng) -> GibbsInfo {
        let mut num_flips = 0;
        self.steps(row, rng, 1, |info| num_flips = info.num_flips);
        GibbsInfo { num_flips }
    }

    /// The sites are brought into order once.
    fn steps(
        &self,
        row: &mut [u64],
        rng: &mut ChainRng,
        num_steps: usize,
        mut moved: impl FnMut(GibbsInfo),
    ) {
        assert_eq!(row.len(), words_per_row(self.num_rows * self.num_cols));
        let mut colours = self.unpack(row);
        for _ in 0..num_steps {
            let key = key(rng);
            let mut num_flips = 0;
            for colour in self.order {
                for parity in 0..2 {
                    // Where the first site of a row has this colour, the k-th site of the other
                    // colour is to the right of the k-th site, and the one before it to the left.
                    num_flips += if colour == parity {
                        self.update::<true>(&mut colours, colour, parity, key)
                    } else {
                        self.update::<false>(&mut colours, colour, parity, key)
                    };
                }
            }
            moved(GibbsInfo { num_flips });
        }
        self.pack(&colours, row);
    }
}

impl Change {
    /// Between a digit of these probabilities and the one before it, counted from 0.
    fn new(probabilities: &[u64; CLASSES], digit: usize) -> Self {
        let [none, one, two, three, four] = probabilities.map(|p| {
            let digits = p ^ p >> 1;
            (digits >> (NUM_DIGITS - 1 - digit) & 1) as u8
        });
        Self { even: one | none << 1, rest: two | (one ^ three) << 1 | (none ^ four) << 2 }
    }
}

impl Classes {
    /// Counts the neighbours.
    #[inline(never)]
    fn set<const BEGINS: bool>(&mut self, neighbours: &Neighbours<'_>, shift: usize) {
        let Neighbours { beside, edge, above, below } = neighbours;
        let [_, odd, ends, odd_or_ends] = &mut self.even;
        let [_, two, three, two_three, four, two_four, three_four, two_three_four] = &mut self.rest;
        for lane in 0..LANES {
            let (a, b, c) = (above[lane], below[lane], beside[lane]);
            let d =
                if BEGINS { c << 1 | edge[lane] >> shift } else { c >> 1 | edge[lane] << shift };
            let (one_of_ab, both_ab) = (a ^ b, a & b);
            let (one_of_cd, both_cd) = (c ^ d, c & d);
            odd[lane] = one_of_ab ^ one_of_cd;
            four[lane] = both_ab & both_cd;
            two_three[lane] = (both_ab ^ both_cd) | (one_of_ab & one_of_cd);
            two[lane] = two_three[lane] & !odd[lane];
            three[lane] = two_three[lane] & odd[lane];
            ends[lane] = !(odd[lane] | two[lane]);
            odd_or_ends[lane] = !two[lane];
            two_four[lane] = two[lane] | four[lane];
            three_four[lane] = three[lane] | four[lane];
            two_three_four[lane] = two_three[lane] | four[lane];
        }
    }
}

impl Default for State {
    fn default() -> Self {
        let [a, b, c, d, undecided, ones] = [[0; LANES]; 6];
        Self { a, b, c, d, undecided, ones }
    }
}

impl State {
    /// Begins the generators of the words with the indices `first + steps`.
    #[inline(never)]
    fn seed(&mut self, steps: &Words, first: u32, key: [u32; 4]) {
        for lane in 0..LANES {
            let [a, b, c, d] = seeds(first.wrapping_add(steps[lane]), key);
            (self.a[lane], self.b[lane], self.c[lane], self.d[lane]) = (a, b, c, d);
        }
    }

    /// Begins with `sites` in the first lanes and none in the others.
    fn set_sites(&mut self, sites: u32, num_lanes: usize) {
        self.undecided = std::array::from_fn(|lane| if lane < num_lanes { sites } else { 0 });
        self.ones = [0; LANES];
    }
}

/// Tosses for the undecided sites and returns whether any remain, as a word that is not 0.
///
/// It is not inlined, so that the compiler knows its references to be apart and makes the loop one over vectors.
#[inline(never)]
fn toss<const ONLY_EVEN: bool>(
    state: &mut State,
    classes: &Classes,
    changes: &[Change; TOSSES],
) -> u32 {
    let even = changes.map(|change| &classes.even[usize::from(change.even % 4)]);
    let rest = changes.map(|change| &classes.rest[usize::from(change.rest % 8)]);
    let mut any = 0;
    for lane in 0..LANES {
        let mut generator = [state.a[lane], state.b[lane], state.c[lane], state.d[lane]];
        let (mut undecided, mut ones) = (state.undecided[lane], state.ones[lane]);
        for toss in 0..TOSSES {
            let changed = even[toss][lane] ^ if ONLY_EVEN { 0 } else { rest[toss][lane] };
            ones ^= undecided & changed;
            undecided &= !next(&mut generator);
        }
        [state.a[lane], state.b[lane], state.c[lane], state.d[lane]] = generator;
        (state.undecided[lane], state.ones[lane]) = (undecided, ones);
        any |= undecided;
    }
    any
}

/// The key of a sweep.
fn key(rng: &mut ChainRng) -> [u32; 4] {
    let [low, high] = [(); 2].map(|()| rng.next_u64());
    [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32]
}

/// The states with which the generator of a word begins.
#[inline(always)]
fn seeds(index: u32, key: [u32; 4]) -> [u32; 4] {
    const FIRST: u32 = 0x7feb_352d;
    const SECOND: u32 = 0x846c_a68b;
    let mut a = index.wrapping_add(key[0]);
    a = (a ^ a >> 16).wrapping_mul(FIRST);
    a = (a ^ a >> 15).wrapping_mul(SECOND);
    a ^= a >> 16;
    let mut b = (a ^ key[1]).wrapping_mul(FIRST);
    b ^= b >> 15;
    let mut c = (b ^ key[2]).wrapping_mul(SECOND);
    c ^= c >> 16;
    [a, b, c, key[3]]
}

/// The next 32 tosses.
#[inline(always)]
fn next([a, b, c, d]: &mut [u32; 4]) -> u32 {
    let e = a.wrapping_sub(b.rotate_left(27));
    *a = *b ^ c.rotate_left(17);
    *b = c.wrapping_add(*d);
    *c = d.wrapping_add(e);
    *d = e.wrapping_add(*a);
    *d
}

/// p_0 … p_4 in units of 2⁻⁶⁴.
fn probabilities(bias: f64, coupling: f64) -> [u64; CLASSES] {
    std::array::from_fn(|count| {
        let p = sigmoid(-(bias + 2.0 * count as f64 * coupling));
        // 2⁶⁴ itself becomes 2⁶⁴ − 1.
        (p * (1_u128 << 64) as f64) as u64
    })
}

/// The words of a column from `start` on.
fn lanes(column: &[u32], start: usize) -> &Words {
    column[start..][..LANES].try_into().expect("that many words")
}

/// Repeats the last row before the first, and the first after the last.
fn wrap(column: &mut [u32], num_pairs: usize) {
    column[0] = column[num_pairs];
    column[num_pairs + 1] = column[1];
}

/// Number of bits that differ.
fn num_differences(a: &Words, b: &Words) -> usize {
    // By pairs, because two words of 32 bits take twice as long as one of 64.
    let pair =
        |words: &Words, at: usize| u64::from(words[2 * at]) | u64::from(words[2 * at + 1]) << 32;
    (0..LANES / 2).map(|at| (pair(a, at) ^ pair(b, at)).count_ones() as usize).sum()
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
