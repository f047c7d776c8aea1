//! Sites of several values, and the rows of bits that stand for their states: a site of q values has
//! q bits, of which the one of its value is on.

use crate::bits::{BitMatrix, flip, read_values, set_bits, words_per_row};
use crate::linalg::Batch;
use crate::math::exp;
use crate::rng::{ChainRng, below, uniform};
use crate::{Error, Result};

/// A value of a site.
pub type Value = u16;

/// How many values each site has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sites {
    /// The first bit of each site, and the number of all bits.
    first: Vec<usize>,
    /// The site of each bit.
    site_of: Vec<usize>,
}

/// Why a row stands for no state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoState {
    /// No bit of this site is on.
    None(usize),
    /// More than one bit of this site is on.
    Several(usize),
}

impl Sites {
    /// Sites with these numbers of values.
    pub fn new(num_values: &[usize]) -> Self {
        let (mut first, mut site_of) = (vec![0], Vec::new());
        for (site, count) in num_values.iter().enumerate() {
            site_of.resize(site_of.len() + count, site);
            first.push(site_of.len());
        }
        Self { first, site_of }
    }

    /// Number of bits of a row, Σ q_i.
    #[inline]
    pub fn dim(&self) -> usize {
        self.site_of.len()
    }

    /// Number of sites.
    #[inline]
    pub fn count(&self) -> usize {
        self.first.len() - 1
    }

    /// The number of values of a site, q_i.
    #[inline]
    pub fn num_values(&self, site: usize) -> usize {
        self.first[site + 1] - self.first[site]
    }

    /// The site of a bit.
    #[inline]
    pub fn site_of(&self, bit: usize) -> usize {
        self.site_of[bit]
    }

    /// The first bit of a site.
    #[inline]
    pub fn first(&self, site: usize) -> usize {
        self.first[site]
    }

    /// Writes the value of each site.
    ///
    /// # Errors
    /// [`NoState`] if the row does not have one bit on for each site.
    ///
    /// # Panics
    /// If `values` has another number of sites.
    pub fn read(&self, row: &[u64], values: &mut [Value]) -> std::result::Result<(), NoState> {
        assert_eq!(values.len(), self.count());
        let mut next = 0;
        for bit in set_bits(row) {
            let site = self.site_of[bit];
            if site < next {
                return Err(NoState::Several(site));
            }
            if site > next {
                return Err(NoState::None(next));
            }
            values[site] = (bit - self.first[site]) as Value;
            next += 1;
        }
        if next < self.count() { Err(NoState::None(next)) } else { Ok(()) }
    }

    /// Calls `visit` with each state of the batch and the values of its sites; without values if it is none.
    ///
    /// # Panics
    /// If the batch has another dimension.
    pub fn for_each_state(&self, x: Batch<'_>, mut visit: impl FnMut(usize, Option<&[Value]>)) {
        assert_eq!(x.dim(), self.dim());
        let mut values = vec![0; self.count()];
        let mut row = vec![0; words_per_row(self.dim())];
        for (index, state) in x.states().enumerate() {
            read_values(state, &mut row);
            let is_state = self.read(&row, &mut values).is_ok();
            visit(index, is_state.then_some(&values));
        }
    }

    /// The first site with more than one value in a row, if there is one.
    fn repeated(&self, row: &[u64]) -> Option<usize> {
        let mut last = None;
        set_bits(row).map(|bit| self.site_of[bit]).find(|site| last.replace(*site) == Some(*site))
    }

    /// The values of the sites in a row that stands for a state.
    ///
    /// # Panics
    /// If it stands for none.
    pub fn values(&self, row: &[u64]) -> Vec<Value> {
        let mut values = vec![0; self.count()];
        assert!(self.read(row, &mut values).is_ok(), "one bit of each site must be on");
        values
    }

    /// Whether a row stands for a state.
    pub fn is_state(&self, row: &[u64]) -> bool {
        self.read(row, &mut vec![0; self.count()]).is_ok()
    }

    /// Writes the row of a state.
    pub fn write(&self, values: &[Value], row: &mut [u64]) {
        row.fill(0);
        for (first, value) in self.first.iter().zip(values) {
            flip(row, first + usize::from(*value));
        }
    }

    /// Writes the row of a state whose values are drawn uniformly.
    pub fn fill_random(&self, row: &mut [u64], rng: &mut ChainRng) {
        row.fill(0);
        for site in 0..self.count() {
            flip(row, self.first[site] + below(self.num_values(site), rng));
        }
    }

    /// Draws a value for each site, with probabilities in proportion to the exponentials of its bits' log
    /// weights, by one uniform number each. Replaces the log weights.
    ///
    /// # Panics
    /// If the lengths do not match.
    pub fn draw(&self, log_weights: &mut [f64], rng: &mut ChainRng, row: &mut [u64]) {
        row.fill(0);
        for bits in self.first.windows(2) {
            let value = draw_value(&mut log_weights[bits[0]..bits[1]], rng);
            flip(row, bits[0] + usize::from(value));
        }
    }

    /// Refuses data with a row that stands for no state.
    ///
    /// # Errors
    /// [`Error::InvalidData`], naming row and site.
    pub fn check_rows(&self, data: &BitMatrix) -> Result<()> {
        self.check(data, false)
    }

    /// Refuses data with a row that has more than one value for a site; it may have none.
    ///
    /// # Errors
    /// [`Error::InvalidData`], naming row and site.
    pub fn check_partial_rows(&self, data: &BitMatrix) -> Result<()> {
        self.check(data, true)
    }

    fn check(&self, data: &BitMatrix, may_be_partial: bool) -> Result<()> {
        if data.dim() != self.dim() {
            return Err(Error::spec(
                "model.numValues",
                format!(
                    "adds up to {} bits a row, but the data have {}; make them equal",
                    self.dim(),
                    data.dim()
                ),
            ));
        }
        let mut values = vec![0; self.count()];
        for (index, row) in data.as_batch().rows().enumerate() {
            let (found, site) = match self.read(row, &mut values) {
                Ok(()) => continue,
                Err(_) if may_be_partial => match self.repeated(row) {
                    None => continue,
                    Some(site) => ("several bits", site),
                },
                Err(NoState::None(site)) => ("no bit", site),
                Err(NoState::Several(site)) => ("several bits", site),
            };
            let count = if may_be_partial { "at most" } else { "exactly" };
            return Err(Error::data(
                "data",
                format!(
                    "have {found} on for site {site} in row {index}, among bits {} to {}; turn on \
                     {count} one, that of the site's value",
                    self.first[site],
                    self.first[site + 1] - 1
                ),
            ));
        }
        Ok(())
    }
}

/// Draws an index with probability in proportion to e^weight; replaces the weights.
pub fn draw_value(log_weights: &mut [f64], rng: &mut ChainRng) -> Value {
    let max = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for weight in &mut *log_weights {
        total += exp(*weight - max);
        *weight = total;
    }
    let target = uniform(rng) * total;
    // The first whose sum exceeds the target.
    let index = log_weights.iter().take_while(|sum| **sum <= target).count();
    index.min(log_weights.len() - 1) as Value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn rows_and_values_are_each_others_inverse() {
        let sites = Sites::new(&[3, 2, 70]);
        assert_eq!((sites.dim(), sites.count(), sites.num_values(2)), (75, 3, 70));
        let (mut row, mut again) = (vec![0; 2], vec![0; 2]);
        for index in 0..100 {
            sites.fill_random(&mut row, &mut stream(1, Purpose::Example, index));
            sites.write(&sites.values(&row), &mut again);
            assert_eq!(row, again);
        }
        sites.write(&[2, 0, 69], &mut row);
        assert_eq!(row, [0b1100, 1 << 10]);
    }

    #[test]
    fn rows_that_are_no_states_are_refused_by_row_and_site() {
        let sites = Sites::new(&[2, 3]);
        let read = |row: u64| sites.read(&[row], &mut [0; 2]);
        assert_eq!(read(0b00101), Ok(()));
        assert_eq!(read(0b00000), Err(NoState::None(0)));
        assert_eq!(read(0b00001), Err(NoState::None(1)));
        assert_eq!(read(0b00111), Err(NoState::Several(0)));
        assert_eq!(read(0b10101), Err(NoState::Several(1)));
        assert_eq!(read(0b00100), Err(NoState::None(0)));
        let mut data = BitMatrix::zeros(5, 2);
        data.rows_mut().zip([0b00101, 0b11001]).for_each(|(row, bits)| row[0] = bits);
        let error = sites.check_rows(&data).unwrap_err();
        assert_eq!(
            error.to_string(),
            "data: have several bits on for site 1 in row 1, among bits 2 to 4; turn on exactly \
             one, that of the site's value"
        );
        assert!(sites.check_partial_rows(&data).is_err());
        let mut data = BitMatrix::zeros(5, 3);
        data.rows_mut().zip([0b00101, 0b10000, 0]).for_each(|(row, bits)| row[0] = bits);
        sites.check_partial_rows(&data).unwrap();
        data.words_mut()[1] = 0b10100;
        let error = sites.check_partial_rows(&data).unwrap_err();
        assert_eq!(
            error.to_string(),
            "data: have several bits on for site 1 in row 1, among bits 2 to 4; turn on at most \
             one, that of the site's value"
        );
        let error = sites.check_rows(&BitMatrix::zeros(4, 1)).unwrap_err();
        assert_eq!(error.field(), Some("model.numValues"));
    }
}
