//! Arrays inside plain data. Across the boundary to JavaScript and Python they travel as typed arrays, bypassing serde, which takes
//! numbers one by one.

use std::borrow::Cow;
use std::mem::take;

/// The path of a field, outermost name first; an element of a list has its index as a name.
pub type Path = Vec<Cow<'static, str>>;

/// A borrowed array.
#[derive(Debug)]
pub enum ArrayMut<'a> {
    /// 64-bit floating-point numbers.
    F64(&'a mut Vec<f64>),
    /// 8-bit unsigned integers.
    U8(&'a mut Vec<u8>),
}

/// An array.
#[derive(Debug, Clone, PartialEq)]
pub enum Array {
    /// 64-bit floating-point numbers.
    F64(Vec<f64>),
    /// 8-bit unsigned integers.
    U8(Vec<u8>),
}

/// Plain data that may have arrays in them. The attributes `spec` and `report` of the crate `unnorm-wire` implement it:
/// every field that is a `Float64Array` or `Uint8Array` in TypeScript is found.
pub trait Arrays {
    /// Adds the arrays with their paths, which begin with `path`.
    fn add_arrays<'a>(&'a mut self, path: &Path, found: &mut Vec<(Path, ArrayMut<'a>)>);
}

/// The arrays with the paths of their fields.
pub fn arrays_of<'a, T: Arrays + ?Sized>(data: &'a mut T) -> Vec<(Path, ArrayMut<'a>)> {
    let mut found = Vec::new();
    data.add_arrays(&Vec::new(), &mut found);
    found
}

/// Takes the arrays out, with the paths of their fields, and leaves empty ones.
pub fn take_arrays<T: Arrays + ?Sized>(data: &mut T) -> Vec<(Path, Array)> {
    let taken = arrays_of(data).into_iter().map(|(path, array)| {
        let array = match array {
            ArrayMut::F64(values) => Array::F64(take(values)),
            ArrayMut::U8(values) => Array::U8(take(values)),
        };
        (path, array)
    });
    taken.collect()
}

/// Puts back arrays that were taken out.
pub fn put_arrays<T: Arrays + ?Sized>(data: &mut T, arrays: Vec<(Path, Array)>) {
    for ((_, place), (_, array)) in arrays_of(data).into_iter().zip(arrays) {
        match (place, array) {
            (ArrayMut::F64(place), Array::F64(values)) => *place = values,
            (ArrayMut::U8(place), Array::U8(values)) => *place = values,
            _ => unreachable!("the arrays were taken from here"),
        }
    }
}

/// The path of a field within what has this path.
pub fn within(path: &Path, field: impl Into<Cow<'static, str>>) -> Path {
    let mut path = path.clone();
    path.push(field.into());
    path
}

impl<T: Arrays> Arrays for Option<T> {
    fn add_arrays<'a>(&'a mut self, path: &Path, found: &mut Vec<(Path, ArrayMut<'a>)>) {
        if let Some(data) = self {
            data.add_arrays(path, found);
        }
    }
}

impl<T: Arrays> Arrays for Box<T> {
    fn add_arrays<'a>(&'a mut self, path: &Path, found: &mut Vec<(Path, ArrayMut<'a>)>) {
        (**self).add_arrays(path, found);
    }
}

impl<T: Arrays> Arrays for Vec<T> {
    fn add_arrays<'a>(&'a mut self, path: &Path, found: &mut Vec<(Path, ArrayMut<'a>)>) {
        for (index, data) in self.iter_mut().enumerate() {
            data.add_arrays(&within(path, index.to_string()), found);
        }
    }
}
