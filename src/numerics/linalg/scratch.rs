//! Scratch buffers that each thread keeps and reuses, for the length of a call: after its first
//! step a chain no longer allocates memory.

use std::cell::Cell;

/// Capacity beyond which a buffer is freed instead of kept: 2 MiB.
const MAX_KEPT: usize = 1 << 18;

thread_local! {
    /// Buffers not in use; several if calls are nested.
    static FREE: Cell<Vec<Vec<f64>>> = const { Cell::new(Vec::new()) };
}

/// Calls `work` with arrays of these lengths, of unspecified contents.
#[inline]
pub fn with_scratch<const N: usize, R>(
    lens: [usize; N],
    work: impl FnOnce([&mut [f64]; N]) -> R,
) -> R {
    let mut buffer = take(lens.iter().sum());
    let mut rest = &mut buffer[..];
    let parts = lens.map(|len| {
        let (part, left) = std::mem::take(&mut rest).split_at_mut(len);
        rest = left;
        part
    });
    let result = work(parts);
    release(buffer);
    result
}

/// A buffer of this length with unspecified contents; return it with [`release`].
///
/// Not inlined: the program has one copy, which keeps the wasm file small.
#[inline(never)]
pub(super) fn take(len: usize) -> Vec<f64> {
    let mut free = FREE.take();
    let mut buffer = free.pop().unwrap_or_default();
    FREE.set(free);
    buffer.resize(len, 0.0);
    if cfg!(debug_assertions) {
        // Makes tests fail if code relies on the contents.
        buffer.fill(f64::NAN);
    }
    buffer
}

/// Returns a buffer from [`take`].
#[inline(never)]
pub(super) fn release(buffer: Vec<f64>) {
    if buffer.capacity() <= MAX_KEPT {
        let mut free = FREE.take();
        free.push(buffer);
        FREE.set(free);
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_KEPT, with_scratch};

    #[test]
    fn arrays_have_their_lengths() {
        for _ in 0..2 {
            with_scratch([3, 0, 5], |[a, b, c]| {
                assert_eq!([a.len(), b.len(), c.len()], [3, 0, 5]);
                a.fill(1.0);
                c.fill(2.0);
                // A nested call gets another buffer.
                with_scratch([8], |[inner]| {
                    assert_eq!(inner.len(), 8);
                    inner.fill(3.0);
                });
                assert_eq!((&*a, &*c), (&[1.0; 3][..], &[2.0; 5][..]));
            });
        }
    }

    #[test]
    fn large_buffers_are_not_kept() {
        with_scratch([MAX_KEPT + 1], |[large]| large.fill(1.0));
        let free = super::FREE.take();
        assert!(free.iter().all(|buffer| buffer.capacity() <= MAX_KEPT));
    }
}
