//! Which entries of a state are observed, and rows and states with and without them.

use crate::bits::{BitMatrix, bit, flip};
use crate::{Error, Result};
use unnorm_wire::spec;

/// What is observed of a state, and stays as it is.
#[spec]
pub struct ObservedSpec {
    /// The observed sites, or entries of the state, from 0; each once, in any order. At least one other
    /// must be left. Of models whose sites have several values they are these, not the bits.
    pub sites: Vec<usize>,
    /// Their values, in the same order: 0 or 1 for binary models, the number of the value, from
    /// 0, for sites of several values.
    pub values: Vec<f64>,
}

/// The entries of a state: those that are free, and the others with their values.
#[derive(Debug, Clone, PartialEq)]
pub struct Entries {
    /// The free entries, ascending.
    free: Vec<usize>,
    /// For each entry its value, if it is observed.
    values: Vec<Option<f64>>,
}

impl Entries {
    /// Checks what is observed of states of `dim` entries.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the field under `observed`.
    pub(super) fn new(observed: &ObservedSpec, dim: usize, is_binary: bool) -> Result<Self> {
        let ObservedSpec { sites, values: given } = observed;
        if sites.len() != given.len() {
            let problem =
                format!("has {} values for {} sites; give one for each", given.len(), sites.len());
            return Err(Error::spec("observed.values", problem));
        }
        let mut values = vec![None; dim];
        for (at, (&site, &value)) in sites.iter().zip(given).enumerate() {
            let field = || format!("observed.sites[{at}]");
            let Some(slot) = values.get_mut(site) else {
                let problem = format!("is {site}; sites are 0 to {}", dim.saturating_sub(1));
                return Err(Error::spec(field(), problem));
            };
            if slot.replace(value).is_some() {
                return Err(Error::spec(field(), format!("is {site} again; give each site once")));
            }
            let problem = match value {
                0.0 | 1.0 => continue,
                _ if is_binary => "observed sites are 0 or 1",
                _ if !value.is_finite() => "every value must be a finite number",
                _ => continue,
            };
            let problem = format!("is {value}; {problem}");
            return Err(Error::spec(format!("observed.values[{at}]"), problem));
        }
        let free: Vec<usize> = (0..dim).filter(|site| values[*site].is_none()).collect();
        if free.is_empty() && dim > 0 {
            let problem = "are all there are; leave at least one free (`energies` has the energy of a \
                           whole state)";
            return Err(Error::spec("observed.sites", problem));
        }
        Ok(Self { free, values })
    }

    /// Number of entries of a whole state.
    pub fn dim(&self) -> usize {
        self.values.len()
    }

    /// The free entries, ascending.
    pub fn free(&self) -> &[usize] {
        &self.free
    }

    /// The observed entries, ascending, with their values.
    pub fn observed(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.values.iter().enumerate().filter_map(|(site, value)| Some((site, (*value)?)))
    }

    /// Of numbers for each entry those of the free ones.
    ///
    /// # Panics
    /// If there is not one for each entry.
    pub fn restrict(&self, whole: &[f64]) -> Vec<f64> {
        assert_eq!(whole.len(), self.dim());
        self.free.iter().map(|&site| whole[site]).collect()
    }

    /// The free entries of given states, one after another.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] at this field if they are not whole states.
    pub fn restrict_states(&self, field: &str, states: &[f64]) -> Result<Vec<f64>> {
        if states.is_empty() || !states.len().is_multiple_of(self.dim()) {
            let problem = format!(
                "has {} numbers, but a state has {}, the observed ones included; give one state or more, \
                 one after another",
                states.len(),
                self.dim()
            );
            return Err(Error::spec(field, problem));
        }
        Ok(states.chunks_exact(self.dim()).flat_map(|state| self.restrict(state)).collect())
    }

    /// Sets the observed entries of whole states, one after another.
    pub fn overwrite(&self, states: &mut [f64]) {
        for state in states.chunks_exact_mut(self.dim()) {
            self.observed().for_each(|(site, value)| state[site] = value);
        }
    }

    /// Whole states, one after another, from their free entries.
    pub fn extend_states(&self, states: &[f64]) -> Vec<f64> {
        self.extend(states, |site| self.values[site].expect("it is observed"))
    }

    /// Numbers for each entry of states, one state after another, from those of the free entries, and
    /// `of_observed(site)` elsewhere.
    pub fn extend(&self, numbers: &[f64], of_observed: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut whole = Vec::with_capacity(numbers.len() / self.free.len() * self.dim());
        for state in numbers.chunks_exact(self.free.len()) {
            let mut state = state.iter();
            whole.extend(self.values.iter().enumerate().map(|(site, value)| match value {
                None => *state.next().expect("a free entry"),
                Some(_) => of_observed(site),
            }));
        }
        whole
    }

    /// The free bits of whole rows.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if the rows have another number of bits.
    pub fn restrict_rows(&self, rows: &BitMatrix) -> Result<BitMatrix> {
        if rows.dim() != self.dim() {
            let problem = format!(
                "is {}, but the data have {} bits a row; make them equal",
                self.dim(),
                rows.dim()
            );
            return Err(Error::spec("model.dim", problem));
        }
        let mut free = BitMatrix::zeros(self.free.len(), rows.num_rows());
        for (index, to) in free.rows_mut().enumerate() {
            let from = rows.row(index);
            for (at, &site) in self.free.iter().enumerate() {
                if bit(from, site) {
                    flip(to, at);
                }
            }
        }
        Ok(free)
    }

    /// Checks that rows have the observed values.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if one has not.
    pub fn check_rows(&self, rows: &BitMatrix) -> Result<()> {
        for index in 0..rows.num_rows() {
            let row = rows.row(index);
            if let Some((site, value)) =
                self.observed().find(|(site, value)| f64::from(bit(row, *site)) != *value)
            {
                return Err(disagrees(&format!("row {index} of the data"), site, value));
            }
        }
        Ok(())
    }

    /// Checks that whole states have the observed values.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if one has not.
    pub fn check_states(&self, states: &[f64]) -> Result<()> {
        for (index, state) in states.chunks_exact(self.dim()).enumerate() {
            if let Some((site, value)) =
                self.observed().find(|(site, value)| state[*site] != *value)
            {
                return Err(disagrees(&format!("state {index}"), site, value));
            }
        }
        Ok(())
    }

    /// Whole rows of packed bits, each padded to whole bytes, from their free bits.
    pub fn extend_bits(&self, rows: &[u8]) -> Vec<u8> {
        let (from, to) = (self.free.len().div_ceil(8), self.dim().div_ceil(8));
        let mut blank = vec![0_u8; to];
        for (site, value) in self.observed() {
            blank[site / 8] |= u8::from(value == 1.0) << (site % 8);
        }
        let mut whole = Vec::with_capacity(rows.len() / from * to);
        for row in rows.chunks_exact(from) {
            let start = whole.len();
            whole.extend_from_slice(&blank);
            for (at, &site) in self.free.iter().enumerate() {
                whole[start + site / 8] |= (row[at / 8] >> (at % 8) & 1) << (site % 8);
            }
        }
        whole
    }

    /// E[x_i x_j] of whole states, row-major `[dim, dim]`, from those of the free entries; with errors in
    /// their place, those of products with an observed entry.
    pub fn extend_moments(&self, moments: &[f64], are_errors: bool) -> Vec<f64> {
        let (dim, count) = (self.dim(), self.free.len());
        let mut place = vec![0; dim];
        self.free.iter().enumerate().for_each(|(at, &site)| place[site] = at);
        let mean = |site: usize| moments[place[site] * (count + 1)];
        let mut whole = Vec::with_capacity(dim * dim);
        for i in 0..dim {
            for j in 0..dim {
                whole.push(match (self.values[i], self.values[j]) {
                    (None, None) => moments[place[i] * count + place[j]],
                    (Some(value), None) => value * mean(j),
                    (None, Some(value)) => value * mean(i),
                    (Some(_), Some(_)) if are_errors => 0.0,
                    (Some(a), Some(b)) => a * b,
                });
            }
        }
        whole
    }
}

fn disagrees(what: &str, site: usize, value: f64) -> Error {
    let problem = format!(
        "are not those of {what}: site {site} is observed to be {value} and is not there; only states with \
         the observed values have a likelihood given them"
    );
    Error::spec("observed.values", problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(sites: &[usize], values: &[f64]) -> ObservedSpec {
        ObservedSpec { sites: sites.to_vec(), values: values.to_vec() }
    }

    #[test]
    fn rows_and_states_go_apart_and_come_together() {
        let dim = 70;
        let spec = observed(&[66, 0, 9], &[1.0, 1.0, 0.0]);
        let entries = Entries::new(&spec, dim, true).unwrap();
        assert_eq!((entries.dim(), entries.free().len()), (70, 67));
        let mut rows = BitMatrix::zeros(dim, 3);
        for (index, row) in rows.rows_mut().enumerate() {
            (0..dim).filter(|site| (site * site + index) % 3 == 0).for_each(|site| flip(row, site));
        }
        let free = entries.restrict_rows(&rows).unwrap();
        let whole = BitMatrix::from_bytes(dim, 3, &entries.extend_bits(&free.to_bytes())).unwrap();
        for index in 0..3 {
            for site in 0..dim {
                let expected = match site {
                    0 | 66 => true,
                    9 => false,
                    _ => bit(rows.row(index), site),
                };
                assert_eq!(bit(whole.row(index), site), expected, "row {index}, site {site}");
            }
        }
        entries.check_rows(&whole).unwrap();
        assert_eq!(entries.check_rows(&rows).unwrap_err().field(), Some("observed.values"));
        let values = whole.as_batch().to_values();
        let free_values = entries.restrict_states("states", &values).unwrap();
        assert_eq!(free_values, free.as_batch().to_values());
        assert_eq!(entries.extend_states(&free_values), values);
    }

    #[test]
    fn what_cannot_be_observed_is_refused_by_field() {
        let refused = |sites: &[usize], values: &[f64], is_binary| {
            let error = Entries::new(&observed(sites, values), 3, is_binary).unwrap_err();
            error.field().map(str::to_owned).unwrap()
        };
        assert_eq!(refused(&[0, 3], &[1.0, 0.0], true), "observed.sites[1]");
        assert_eq!(refused(&[1, 1], &[1.0, 0.0], true), "observed.sites[1]");
        assert_eq!(refused(&[0, 1], &[1.0, 0.5], true), "observed.values[1]");
        assert_eq!(refused(&[0, 1], &[1.0, f64::NAN], false), "observed.values[1]");
        assert_eq!(refused(&[0, 1], &[1.0], true), "observed.values");
        assert_eq!(refused(&[0, 1, 2], &[1.0, 0.0, 0.0], true), "observed.sites");
        assert!(Entries::new(&observed(&[], &[]), 3, true).is_ok());
        assert!(Entries::new(&observed(&[0], &[0.5]), 3, false).is_ok());
    }
}
