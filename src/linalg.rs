//! Batches of continuous states, and sums whose order is fixed.

/// `D × B` states, column-major: state `b` is `data[b·D .. (b+1)·D]`.
/// The same bytes read row-major are `[B, D]`, which is what JavaScript sees.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    dim: usize,
    data: &'a [f64],
}

impl<'a> Batch<'a> {
    /// Views `data` as states of `dim` entries.
    ///
    /// # Panics
    /// If `dim` is 0 or does not divide the length of `data`.
    pub fn new(dim: usize, data: &'a [f64]) -> Self {
        assert!(
            dim > 0 && data.len().is_multiple_of(dim),
            "{} values are not states of {dim}",
            data.len()
        );
        Self { dim, data }
    }

    /// Entries a state.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.data.len() / self.dim
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The states, in order.
    pub fn states(&self) -> impl ExactSizeIterator<Item = &'a [f64]> + use<'a> {
        self.data.chunks_exact(self.dim)
    }
}

/// Σ aᵢbᵢ in eight fixed lanes, added as a tree: the order, and so the bits,
/// do not depend on the width of the machine's vectors.
///
/// # Panics
/// If the lengths differ.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let mut lanes = [0.0_f64; 8];
    let (a_body, a_tail) = a.split_at(a.len() / 8 * 8);
    let (b_body, b_tail) = b.split_at(b.len() / 8 * 8);
    for (x, y) in a_body.chunks_exact(8).zip(b_body.chunks_exact(8)) {
        for lane in 0..8 {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    for (lane, (x, y)) in a_tail.iter().zip(b_tail).enumerate() {
        lanes[lane] += x * y;
    }
    ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))
        + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
}

/// `y += a·x`.
///
/// # Panics
/// If the lengths differ.
pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    assert_eq!(x.len(), y.len());
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// Euclidean norm, by [`dot`].
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Eight numbers side by side: one cache line, and as many vector registers as
/// the machine makes of it. The operations are lane by lane, so the bits do
/// not depend on the width of those registers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f64; 8]);

impl Lanes {
    /// Number of lanes.
    pub const LEN: usize = 8;

    /// All lanes zero.
    pub const ZERO: Self = Self([0.0; 8]);

    /// The same number in all lanes.
    pub const fn splat(value: f64) -> Self {
        Self([value; 8])
    }

    /// Adds lane by lane.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        for lane in 0..Self::LEN {
            self.0[lane] += other.0[lane];
        }
    }

    /// Multiplies lane by lane.
    #[inline(always)]
    pub fn mul(&mut self, other: &Self) {
        for lane in 0..Self::LEN {
            self.0[lane] *= other.0[lane];
        }
    }
}
