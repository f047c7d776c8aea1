//! What a worker keeps of a shard between two pieces of it.

use std::any::Any;

/// One value of the worker's own type, or nothing: before a shard's first piece and after its last.
#[derive(Debug, Default)]
pub struct Unfinished(Option<Box<dyn Any>>);

impl Unfinished {
    /// The value kept, made by `new` before the first piece.
    ///
    /// # Panics
    /// If what is kept is of another type: pieces of two shards have been mixed.
    pub fn get_or_insert_with<T: Any>(&mut self, new: impl FnOnce() -> T) -> &mut T {
        let kept = self.0.get_or_insert_with(|| Box::new(new()));
        kept.downcast_mut().expect("a value of one shard's pieces")
    }

    /// Sums over pieces, 0 before the first.
    ///
    /// # Panics
    /// As [`Unfinished::get_or_insert_with`].
    pub fn sums(&mut self) -> &mut PartialSums {
        self.get_or_insert_with(PartialSums::default)
    }

    /// Takes the value out, which leaves nothing.
    ///
    /// # Panics
    /// If what is kept is of another type.
    pub fn take<T: Any>(&mut self) -> Option<T> {
        self.0.take().map(|kept| *kept.downcast().expect("a value of one shard's pieces"))
    }

    /// Keeps a value, in place of what was kept.
    pub fn put<T: Any>(&mut self, value: T) {
        self.0 = Some(Box::new(value));
    }

    /// Keeps nothing.
    pub fn clear(&mut self) {
        self.0 = None;
    }
}

/// Sums over the pieces of a shard so far.
#[derive(Debug, Default)]
pub struct PartialSums {
    /// Pieces done.
    pub num_pieces: usize,
    /// The sums.
    pub part: Vec<f64>,
}
