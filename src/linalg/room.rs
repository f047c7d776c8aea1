//! Memory to work in for the length of a call. What one call gives back the next one finds, so that
//! after the first no step of a chain asks the allocator for any.

use std::cell::Cell;

/// Entries beyond which room is given back to the allocator: 2 MiB.
const MOST_KEPT: usize = 1 << 18;

thread_local! {
    /// What is not lent out. More than one where calls are nested.
    static FREE: Cell<Vec<Vec<f64>>> = const { Cell::new(Vec::new()) };
}

/// Does `work` with arrays of these lengths, which hold anything at first.
pub fn with_room<const N: usize, R>(
    lens: [usize; N],
    work: impl FnOnce([&mut [f64]; N]) -> R,
) -> R {
    let mut room = lend(lens.iter().sum());
    let mut rest = &mut room[..];
    let parts = lens.map(|len| {
        let (part, left) = std::mem::take(&mut rest).split_at_mut(len);
        rest = left;
        part
    });
    let result = work(parts);
    give_back(room);
    result
}

/// So many numbers, whatever they are, which [`give_back`] takes. Once in the program, and not
/// wherever something is worked out.
#[inline(never)]
pub(super) fn lend(len: usize) -> Vec<f64> {
    let mut free = FREE.take();
    let mut room = free.pop().unwrap_or_default();
    FREE.set(free);
    room.resize(len, 0.0);
    if cfg!(debug_assertions) {
        // So that tests see whoever counts on what is there.
        room.fill(f64::NAN);
    }
    room
}

/// See [`lend`].
#[inline(never)]
pub(super) fn give_back(room: Vec<f64>) {
    if room.capacity() <= MOST_KEPT {
        let mut free = FREE.take();
        free.push(room);
        FREE.set(free);
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_KEPT, with_room};

    #[test]
    fn arrays_have_their_lengths_whatever_was_there() {
        for _ in 0..2 {
            with_room([3, 0, 5], |[a, b, c]| {
                assert_eq!([a.len(), b.len(), c.len()], [3, 0, 5]);
                a.fill(1.0);
                c.fill(2.0);
                // A call within has room of its own.
                with_room([8], |[inner]| {
                    assert_eq!(inner.len(), 8);
                    inner.fill(3.0);
                });
                assert_eq!((&*a, &*c), (&[1.0; 3][..], &[2.0; 5][..]));
            });
        }
    }

    #[test]
    fn what_is_large_is_not_kept() {
        with_room([MOST_KEPT + 1], |[large]| large.fill(1.0));
        let free = super::FREE.take();
        assert!(free.iter().all(|room| room.capacity() <= MOST_KEPT));
    }
}
