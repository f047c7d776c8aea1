//! Columns of dimension-major arrays `[dim, width]`: one chain's entries.

/// Copies one column of an array of the same shape.
pub(crate) fn copy_column(from: &[f64], to: &mut [f64], width: usize, column: usize) {
    let to = to.iter_mut().skip(column).step_by(width);
    to.zip(from.iter().skip(column).step_by(width)).for_each(|(to, from)| *to = *from);
}

/// Exchanges two columns.
pub(crate) fn swap_columns(values: &mut [f64], width: usize, a: usize, b: usize) {
    values.chunks_exact_mut(width).for_each(|entry| entry.swap(a, b));
}

/// Sets `to` to these columns of a dimension-major array. The first call reserves memory for all
/// columns.
pub(crate) fn select(values: &[f64], width: usize, places: &[usize], to: &mut Vec<f64>) {
    to.clear();
    to.reserve(values.len());
    for entry in values.chunks_exact(width) {
        to.extend(places.iter().map(|&place| entry[place]));
    }
}

/// Writes columns back to the places they were selected from.
pub(crate) fn put_back(values: &mut [f64], width: usize, places: &[usize], from: &[f64]) {
    if places.is_empty() {
        return;
    }
    for (entry, from) in values.chunks_exact_mut(width).zip(from.chunks_exact(places.len())) {
        for (&place, value) in places.iter().zip(from) {
            entry[place] = *value;
        }
    }
}
