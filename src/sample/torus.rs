//! The checkerboard on a torus of even sides whose couplings are all equal and
//! whose biases are all equal: heat bath, 32 sites to a word and many words at once.
//!
//! A site becomes 1 with a probability that depends on how many of its neighbours are 1. On a square
//! lattice there are four, so there are five probabilities p_0 … p_4; on a triangular or a cubic one
//! seven, of six neighbours. Write `p = Σ_g d_g 2^−g` with binary digits d_1, d_2, …,
//! and toss a fair coin until heads comes, at the toss g. That has probability 2^−g, so **d_g is 1
//! with probability p**. One word of random bits is one toss for 32 sites. The k-th word of tosses
//! decides the sites whose bit is 1 in it and in no word before, and the others continue, up to 64
//! tosses. That is exact to within 2⁻⁶⁴ of the rounded p.
//!
//! With `u_g` the sites that are undecided after g tosses (u_0: all) and `w_g` the digits d_g that
//! the sites have, the new states are `Σ_g (u_{g−1} − u_g) w_g`. Summed by parts, and modulo 2, that
//! is the exclusive or of `u_{g−1} (w_{g−1} ⊕ w_g)` over g = 1, 2, …, with w_0 = 0. So a toss costs
//! little beyond its random word. Without a field p_{4−n} = 1 − p_n (of four neighbours), so nearly
//! all digits change for n and 4 − n together, and one mask serves both.
//!
//! # Random words
//!
//! A sweep draws 128 bits from the chain's stream, its key. Everything else is a function of the
//! key and the place of the word, in additions, exclusive ors, shifts and low products of 32 bits. So
//! the words may be computed in any order and grouping, or on a device that has integers of 32 bits
//! alone. Each word has its own generator, Jenkins' small noncryptographic one [2]. Its states a,
//! b and c come from the index of the word, mixed by Wellons' function of two products [1] and then
//! by one product more each, with a part of the key before each; d is the last part of the key. The
//! index is that of (colour, row of the torus, word in the row) in this order, the rows of one layer
//! after those of another.
//!
//! # Layout
//!
//! In a layer a site has the first colour if the sum of its row and its column is even. The sites of
//! one colour are packed by themselves: the k-th of a row in bit k mod 32 of the word
//! ⌊k/32⌋. The neighbours of 32 sites are then four words, three of them unchanged and one shifted by
//! a bit. Even rows are apart from odd ones, because the shift is to one side in the first and to
//! the other in the second. Words at the same place of all even (or odd) rows are next to each
//! other, so that [`LANES`] rows are updated by the same instructions, and what crosses from word to
//! word stays in its lane.
//!
//! # The order of a sweep
//!
//! On a square lattice the neighbours of a site have the other colour. On a cubic one, too, if the
//! two change places from layer to layer. On a triangular one two of them, along the diagonal, have
//! the same colour, but are in rows of the other parity; so there are four kinds of sites, and no two
//! of one kind are neighbours. A sweep goes through the colours, and of each through the parities, in
//! the same order; the reversal through both in the other.
//!
//! # What bounds it
//!
//! A toss of 128 sites is 14 instructions of 128 bits, of which a processor does three a cycle, and 512 sites take
//! 10.8 tosses: 200 cycles. Seeds and classes are 100 more. In WebAssembly on a Xeon of 3 GHz it takes 420: wrongly
//! predicted exits cost an estimated 40, and V8 orders long functions so that they wait for their own results.
//!
//! Tried, with no gain worth its lines: columns on cache lines (none); all tosses in registers (slower); four tosses
//! between a load and a store (3 %); words that are undecided after eight tosses finished later, together (5 %).
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
use crate::models::ising::{EvenTorus, Grid, Lattice};
use crate::rng::ChainRng;
use rand::Rng;
use std::ops::Range;

/// Half the number of neighbours at most.
const MAX_HALF: usize = 3;

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
    lattice: Lattice,
    /// The order of the colours in a sweep, and of the parities of the rows.
    order: [usize; 2],
    /// p_0 … p_4, or p_0 … p_6, in units of 2⁻⁶⁴.
    probabilities: Vec<u64>,
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

/// The sites by their number of neighbours that are 1, with unions of these. Of 2m neighbours:
#[repr(align(64))]
struct Classes {
    /// Bit i − 1 of the index: m − i or m + i, for i = 1 … m.
    even: [Words; 1 << MAX_HALF],
    /// Bit 0 of the index: m; bit i: m + i.
    rest: [Words; 2 << MAX_HALF],
}

/// The generator of each lane, and its sites.
#[repr(align(64))]
struct State {
    a: Words,
    b: Words,
    c: Words,
    d: Words,
    undecided: Words,
    ones: Words,
}

/// What an update needs, to be reused.
#[derive(Default)]
struct Scratch {
    classes: Classes,
    state: State,
    /// Of a triangular lattice, the neighbours along the diagonal that are shifted.
    along: Words,
}

/// Four words for each lane, whose bits are the neighbours but for the shift of `beside`.
struct Neighbours<'a> {
    beside: &'a Words,
    /// The words that have the bit which is shifted in.
    edge: &'a Words,
    above: &'a Words,
    below: &'a Words,
}

/// The sites of the two colours of each layer. The first has the sites with an even sum of row and column.
struct Colours {
    /// By colour and by parity of the row: for each place of a word in a row, and each layer, a column
    /// of `height` words. A column has the words of its rows from the second place on. The first place
    /// repeats the last row and the place after the last row repeats the first; beyond are zeros.
    planes: [[Vec<u32>; 2]; 2],
}

/// The sites that are updated at once: those of a colour in the rows of a parity of a layer.
#[derive(Clone, Copy)]
struct Part {
    layer: usize,
    colour: usize,
    parity: usize,
}

impl Torus {
    /// The sweep for a torus.
    pub fn new(torus: &EvenTorus) -> Self {
        let &EvenTorus { lattice, bias, coupling } = torus;
        let probabilities = probabilities(lattice.grid, bias, coupling);
        let changes = std::array::from_fn(|look| {
            std::array::from_fn(|toss| Change::new(&probabilities, look * TOSSES + toss))
        });
        Self { lattice, order: [0, 1], probabilities, changes }
    }

    /// The reversal of this sweep.
    pub fn reversed(mut self) -> Self {
        self.order.reverse();
        self
    }

    /// Number of sites of a colour in a row.
    fn half(&self) -> usize {
        self.lattice.num_cols / 2
    }

    /// Number of words they take.
    fn width(&self) -> usize {
        self.half().div_ceil(32)
    }

    /// Number of even rows of a layer, and of odd ones.
    fn num_pairs(&self) -> usize {
        self.lattice.num_rows / 2
    }

    /// Number of words of a column.
    fn height(&self) -> usize {
        self.num_pairs().next_multiple_of(LANES) + 2
    }

    /// The words of a column, by its place in the rows of a layer.
    fn column(&self, layer: usize, at: usize) -> Range<usize> {
        let first = (at * self.lattice.num_layers + layer) * self.height();
        first..first + self.height()
    }

    /// Updates the sites of a part. `BEGINS`: whether the first site of its rows has the colour.
    /// `IS_SQUARE`: whether the lattice is; known to the compiler, it saves a twentieth of the instructions.
    fn update<const BEGINS: bool, const IS_SQUARE: bool>(
        &self,
        colours: &mut Colours,
        part: Part,
        key: [u32; 4],
        Scratch { classes, state, along }: &mut Scratch,
    ) -> usize {
        let Part { layer, colour, parity } = part;
        let Lattice { grid, num_layers, num_rows, .. } = self.lattice;
        let (width, num_pairs) = (self.width(), self.num_pairs());
        let mut all = std::mem::take(&mut colours.planes[colour][parity]);
        let others = &colours.planes[1 - colour];
        // The row above an even one is the odd one of the pair before, and the row below an odd one
        // is the even one of the next pair.
        let (above, below) = if parity == 0 { (0, 1) } else { (1, 2) };
        let last_bit = (self.half() - 1) % 32;
        let steps: Words = std::array::from_fn(|lane| (2 * width * lane) as u32);
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
            let (here, there) = (self.column(layer, at), self.column(layer, edge));
            let (beside, edge) = (&others[parity][here.clone()], &others[parity][there.clone()]);
            let across = &others[1 - parity][here.clone()];
            let diagonal = &colours.planes[colour][1 - parity];
            let layers =
                [num_layers - 1, 1].map(|step| self.column((layer + step) % num_layers, at).start);
            // Nobody reads the repeated words of this colour now.
            all[here.start + num_pairs + 1] = 0;
            for pair in (0..num_pairs).step_by(LANES) {
                let neighbours = Neighbours {
                    beside: lanes(beside, pair + 1),
                    edge: lanes(edge, pair + 1),
                    above: lanes(across, pair + above),
                    below: lanes(across, pair + below),
                };
                match grid {
                    _ if IS_SQUARE => classes.set_of_four::<BEGINS>(&neighbours, shift),
                    Grid::Square => unreachable!("it is no square one"),
                    Grid::Triangular => {
                        // The next site has the same place in a row, that before is shifted, or the reverse.
                        let (straight, across) =
                            if BEGINS { (below, above) } else { (above, below) };
                        let words = |column: &Range<usize>, row: usize| {
                            lanes(&diagonal[column.clone()], pair + row)
                        };
                        let (from, edge) = (words(&here, across), words(&there, across));
                        for (lane, along) in along.iter_mut().enumerate() {
                            *along = shifted::<BEGINS>(from[lane], edge[lane], shift);
                        }
                        let straight = words(&here, straight);
                        classes.set_of_six::<BEGINS>(&neighbours, shift, straight, along);
                    }
                    Grid::Cubic => {
                        let [before, behind] = layers.map(|layer| lanes(&all, layer + pair + 1));
                        classes.set_of_six::<BEGINS>(&neighbours, shift, before, behind);
                    }
                }
                let line = (colour * num_layers + layer) * num_rows + 2 * pair + parity;
                let first = (line * width + at) as u32;
                state.seed(&steps, first, key);
                state.set_sites(sites, num_pairs - pair);
                self.draw(classes, state);
                let own: &mut Words = (&mut all[here.start + pair + 1..][..LANES])
                    .try_into()
                    .expect("that many words");
                num_flips += num_differences(own, &state.ones);
                *own = state.ones;
            }
            wrap(&mut all[here], num_pairs);
        }
        colours.planes[colour][parity] = all;
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

    /// Colours without sites that are 1.
    fn empty(&self) -> Colours {
        let num_words = self.width() * self.lattice.num_layers * self.height();
        Colours { planes: [(); 2].map(|()| [(); 2].map(|()| vec![0; num_words])) }
    }

    fn unpack(&self, row: &[u64]) -> Colours {
        let mut colours = self.empty();
        let planes = &mut colours.planes;
        self.for_each_word(|parity, place, first, count| {
            let bits = bits_from(row, first, count);
            planes[parity][parity][place] = even_bits(bits) as u32;
            planes[1 - parity][parity][place] = even_bits(bits >> 1) as u32;
        });
        for plane in planes.as_flattened_mut() {
            plane.chunks_exact_mut(self.height()).for_each(|column| wrap(column, self.num_pairs()));
        }
        colours
    }

    fn pack(&self, colours: &Colours, row: &mut [u64]) {
        row.fill(0);
        self.for_each_word(|parity, place, first, _| {
            let half = |colour: usize| u64::from(colours.planes[colour][parity][place]);
            let bits = to_even_bits(half(parity)) | to_even_bits(half(1 - parity)) << 1;
            row[first / 64] |= bits << (first % 64);
            let carry = bits >> 1 >> (63 - first % 64);
            if carry != 0 {
                row[first / 64 + 1] |= carry;
            }
        });
    }

    /// For up to 64 sites in a row: the parity of the row, the place of their two words in the planes,
    /// the first site and their number.
    fn for_each_word(&self, mut visit: impl FnMut(usize, usize, usize, usize)) {
        let Lattice { num_layers, num_rows, num_cols, .. } = self.lattice;
        for line in 0..num_layers * num_rows {
            let (layer, row) = (line / num_rows, line % num_rows);
            for (at, start) in (0..num_cols).step_by(64).enumerate() {
                let place = self.column(layer, at).start + row / 2 + 1;
                visit(row % 2, place, line * num_cols + start, (num_cols - start).min(64));
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
        assert_eq!(Some(row.len()), self.lattice.num_sites().map(words_per_row));
        let mut colours = self.unpack(row);
        let mut scratch = Scratch::default();
        let Lattice { grid, num_layers, .. } = self.lattice;
        for _ in 0..num_steps {
            let key = key(rng);
            let mut num_flips = 0;
            for colour in self.order {
                for layer in 0..num_layers {
                    let colour = (colour + layer) % 2;
                    for parity in self.order {
                        let part = Part { layer, colour, parity };
                        // Where the first site of a row has this colour, the k-th site of the other
                        // colour is to the right of the k-th site, and the one before it to the left.
                        let update = match (colour == parity, grid == Grid::Square) {
                            (true, true) => Self::update::<true, true>,
                            (true, false) => Self::update::<true, false>,
                            (false, true) => Self::update::<false, true>,
                            (false, false) => Self::update::<false, false>,
                        };
                        num_flips += update(self, &mut colours, part, key, &mut scratch);
                    }
                }
            }
            moved(GibbsInfo { num_flips });
        }
        self.pack(&colours, row);
    }
}

impl Change {
    /// Between a digit of these probabilities and the one before it, counted from 0.
    fn new(probabilities: &[u64], digit: usize) -> Self {
        let changes = |count: usize| {
            let digits = probabilities[count] ^ probabilities[count] >> 1;
            (digits >> (NUM_DIGITS - 1 - digit) & 1) as u8
        };
        let half = probabilities.len() / 2;
        let (mut even, mut rest) = (0, changes(half));
        for i in 1..=half {
            let (fewer, more) = (changes(half - i), changes(half + i));
            even |= fewer << (i - 1);
            rest |= (fewer ^ more) << i;
        }
        Self { even, rest }
    }
}

impl Classes {
    /// Counts four neighbours.
    ///
    /// It is not inlined, for the reason of [`toss`].
    #[inline(never)]
    fn set_of_four<const BEGINS: bool>(&mut self, neighbours: &Neighbours<'_>, shift: usize) {
        let Self { even, rest } = self;
        for lane in 0..LANES {
            let [ones, twos, fours] = count(neighbours.of::<BEGINS>(lane, shift));
            let lower = [twos & !ones, twos & ones];
            set_first_unions(even, lane, [ones, !(ones | twos)]);
            set_first_unions(rest, lane, lower);
            set_unions(rest, lane, 4, fours, lower);
        }
    }

    /// Counts six neighbours: four, and `e` and `f`.
    #[inline(never)]
    fn set_of_six<const BEGINS: bool>(
        &mut self,
        neighbours: &Neighbours<'_>,
        shift: usize,
        e: &Words,
        f: &Words,
    ) {
        let Self { even, rest } = self;
        for lane in 0..LANES {
            let [a, b, c, d] = neighbours.of::<BEGINS>(lane, shift);
            let [ones, twos, fours] = count([a, b, c, d, e[lane], f[lane]]);
            let odd_twos = twos ^ fours;
            let pairs = [!ones & odd_twos, ones & !twos];
            set_first_unions(even, lane, pairs);
            set_unions(even, lane, 4, !(ones | odd_twos), pairs);
            let lower = [ones & twos, fours & !(ones | twos)];
            let (five, six) = (fours & ones, fours & twos);
            set_first_unions(rest, lane, lower);
            set_unions(rest, lane, 4, five, lower);
            set_unions(rest, lane, 8, six, lower);
            set_unions(rest, lane, 12, five | six, lower);
        }
    }
}

impl Neighbours<'_> {
    #[inline(always)]
    fn of<const BEGINS: bool>(&self, lane: usize, shift: usize) -> [u32; 4] {
        let beside = self.beside[lane];
        let other = shifted::<BEGINS>(beside, self.edge[lane], shift);
        [self.above[lane], self.below[lane], beside, other]
    }
}

/// Sets the words at 1, 2 and 3: `a`, `b` and their union.
#[inline(always)]
fn set_first_unions(words: &mut [Words], lane: usize, [a, b]: [u32; 2]) {
    (words[1][lane], words[2][lane], words[3][lane]) = (a, b, a | b);
}

/// Sets four words: `with`, and its unions with `a`, with `b` and with both.
#[inline(always)]
fn set_unions(words: &mut [Words], lane: usize, first: usize, with: u32, [a, b]: [u32; 2]) {
    words[first][lane] = with;
    words[first + 1][lane] = with | a;
    words[first + 2][lane] = with | b;
    words[first + 3][lane] = with | a | b;
}

impl Default for Classes {
    fn default() -> Self {
        Self { even: [[0; LANES]; 1 << MAX_HALF], rest: [[0; LANES]; 2 << MAX_HALF] }
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
    let even = changes.map(|change| &classes.even[usize::from(change.even) % (1 << MAX_HALF)]);
    let rest = changes.map(|change| &classes.rest[usize::from(change.rest) % (2 << MAX_HALF)]);
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

/// p_0, p_1 … in units of 2⁻⁶⁴.
fn probabilities(grid: Grid, bias: f64, coupling: f64) -> Vec<u64> {
    let of_count = |count: usize| {
        let p = sigmoid(-(bias + 2.0 * count as f64 * coupling));
        // 2⁶⁴ itself becomes 2⁶⁴ − 1.
        (p * (1_u128 << 64) as f64) as u64
    };
    (0..=grid.num_neighbours()).map(of_count).collect()
}

/// How many of the bits at each place are 1: the binary digits of their number, the lowest first.
#[inline(always)]
fn count<const N: usize>(words: [u32; N]) -> [u32; 3] {
    let add = |a: u32, b: u32, c: u32| (a ^ b ^ c, a & b | c & (a ^ b));
    let (first, carry) = add(words[0], words[1], words[2]);
    let (second, other) =
        if N == 4 { (words[3], 0) } else { add(words[3], words[N - 2], words[N - 1]) };
    let (ones, third) = (first ^ second, first & second);
    let (twos, fours) = add(carry, other, third);
    [ones, twos, fours]
}

/// The neighbours on the other side, given those of the same places and the word that has the bit
/// which is shifted in.
#[inline(always)]
fn shifted<const BEGINS: bool>(word: u32, edge: u32, shift: usize) -> u32 {
    if BEGINS { word << 1 | edge >> shift } else { word >> 1 | edge << shift }
}

/// The words of a column from `start` on.
#[inline(always)]
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
