//! Orders of numbers, by [`f64::total_cmp`]. Sorting is much code for each type and comparison, so there is one of each here.

/// Sorts numbers, the least first.
pub fn sort(values: &mut [f64]) {
    values.sort_unstable_by(f64::total_cmp);
}

/// The numbers, the least first.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sort(&mut sorted);
    sorted
}

/// The places of numbers, that of the least first; of equal ones the first comes first.
pub fn ascending_order(keys: &[f64]) -> Vec<usize> {
    let mut all: Vec<(f64, usize)> = keys.iter().copied().zip(0..).collect();
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all.into_iter().map(|(_, place)| place).collect()
}

/// The places of numbers, that of the greatest first; of equal ones the first comes first.
pub fn descending_order(keys: &[f64]) -> Vec<usize> {
    let negated: Vec<f64> = keys.iter().map(|key| -key).collect();
    ascending_order(&negated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_stay_in_their_order() {
        let keys = [2.0, -1.0, f64::NAN, 2.0, 0.0, -0.0, f64::INFINITY];
        assert_eq!(ascending_order(&keys), [1, 5, 4, 0, 3, 6, 2]);
        assert_eq!(descending_order(&keys), [2, 6, 0, 3, 4, 5, 1]);
        let mut by_library: Vec<usize> = (0..keys.len()).collect();
        by_library.sort_by(|&a, &b| keys[b].total_cmp(&keys[a]));
        assert_eq!(descending_order(&keys), by_library);
    }

    #[test]
    fn numbers_are_sorted() {
        assert_eq!(sorted(&[2.0, -3.0, 0.5]), [-3.0, 0.5, 2.0]);
    }
}
