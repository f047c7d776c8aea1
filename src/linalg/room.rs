//! Memory to work in for the length of a call. What one call gives back the next one finds, so that
//! after the first no step of a chain asks the allocator for any.

use std::cell::RefCell;

/// Entries beyond which room is given back to the allocator: 2 MiB.
const MOST_KEPT: usize = 1 << 18;

thread_local! {
    /// What is not lent out. More than one where calls are nested.
    static FREE: RefCell<Vec<Vec<f64>>> = const { RefCell::new(Vec::new()) };
}

/// Does `work` with arrays of zeros of these lengths.
pub fn with_room<const N: usize, R>(
    lens: [usize; N],
    work: impl FnOnce([&mut [f64]; N]) -> R,
) -> R {
    let mut room = FREE.with_borrow_mut(Vec::pop).unwrap_or_default();
    room.clear();
    room.resize(lens.iter().sum(), 0.0);
    let mut rest = &mut room[..];
    let parts = lens.map(|len| {
        let (part, left) = std::mem::take(&mut rest).split_at_mut(len);
        rest = left;
        part
    });
    let result = work(parts);
    if room.capacity() <= MOST_KEPT {
        FREE.with_borrow_mut(|free| free.push(room));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::{MOST_KEPT, with_room};

    #[test]
    fn arrays_are_zeros_of_their_lengths_whatever_was_there() {
        for _ in 0..2 {
            with_room([3, 0, 5], |[a, b, c]| {
                assert_eq!((&*a, &*b, &*c), (&[0.0; 3][..], &[][..], &[0.0; 5][..]));
                a.fill(1.0);
                c.fill(2.0);
                // A call within has room of its own.
                with_room([8], |[inner]| {
                    assert_eq!(inner, [0.0; 8]);
                    inner.fill(3.0);
                });
                assert_eq!((&*a, &*c), (&[1.0; 3][..], &[2.0; 5][..]));
            });
        }
    }

    #[test]
    fn what_is_large_is_not_kept() {
        with_room([MOST_KEPT + 1], |[large]| large.fill(1.0));
        super::FREE.with_borrow(|free| {
            assert!(free.iter().all(|room| room.capacity() <= MOST_KEPT));
        });
    }
}
