//! What a worker keeps of a shard between two pieces of its work.

use std::any::Any;

/// One value of a type that the worker chooses; empty before a shard's first piece and after its
/// last.
#[derive(Debug, Default)]
pub struct Unfinished(Option<Box<dyn Any>>);

impl Unfinished {
    /// The stored value, made by `new` before the first piece.
    ///
    /// # Panics
    /// If the stored value is of another type: pieces of two shards have been mixed.
    pub fn get_or_insert_with<T: Any>(&mut self, new: impl FnOnce() -> T) -> &mut T {
        let kept = self.0.get_or_insert_with(|| Box::new(new()));
        kept.downcast_mut().expect("a value of one shard's pieces")
    }

    /// The stored sums over pieces, 0 before the first.
    ///
    /// # Panics
    /// As [`Unfinished::get_or_insert_with`].
    pub fn sums(&mut self) -> &mut PartialSums {
        self.get_or_insert_with(PartialSums::default)
    }

    /// Takes the value out.
    ///
    /// # Panics
    /// If the stored value is of another type.
    pub fn take<T: Any>(&mut self) -> Option<T> {
        self.0.take().map(|kept| *kept.downcast().expect("a value of one shard's pieces"))
    }

    /// Stores a value, replacing the previous one.
    pub fn put<T: Any>(&mut self, value: T) {
        self.0 = Some(Box::new(value));
    }

    /// Drops the stored value.
    pub fn clear(&mut self) {
        self.0 = None;
    }
}

/// Sums over the pieces of a shard so far.
#[derive(Debug, Default)]
pub struct PartialSums {
    /// Number of pieces done.
    pub num_pieces: usize,
    /// The sums over these pieces.
    pub part: Vec<f64>,
}
