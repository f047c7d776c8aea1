//! How many values sites have, as specs give it.

use super::Sites;
use crate::checks::check_count;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Maximum number of bits of a state, Σ q_i.
pub const MAX_BITS: usize = 1 << 13;

/// Numbers of values.
#[cfg(feature = "full")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "numValues must be a whole number, or one for each site")]
pub enum NumValues {
    /// The same for all sites.
    All(usize),
    /// One for each site.
    Each(Vec<usize>),
}

/// A type without values, which keeps all code for these models out of the core.
#[cfg(not(feature = "full"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NumValues {}

#[cfg(feature = "full")]
impl NumValues {
    /// The number of values of each site.
    fn of_sites(&self, num_sites: usize) -> Result<Vec<usize>> {
        match self {
            Self::All(count) => {
                check_count("model.numValues", *count, 2, MAX_BITS, "values")?;
                Ok(vec![*count; num_sites])
            }
            Self::Each(counts) => {
                if counts.len() != num_sites {
                    return Err(Error::spec(
                        "model.numValues",
                        format!("has {} entries; give {num_sites}, one a site", counts.len()),
                    ));
                }
                for (site, count) in counts.iter().enumerate() {
                    let field = format!("model.numValues[{site}]");
                    check_count(&field, *count, 2, MAX_BITS, "values")?;
                }
                Ok(counts.clone())
            }
        }
    }
}

#[cfg(not(feature = "full"))]
impl NumValues {
    /// Never called.
    fn of_sites(&self, _num_sites: usize) -> Result<Vec<usize>> {
        match *self {}
    }
}

#[cfg(feature = "full")]
impl Default for NumValues {
    fn default() -> Self {
        Self::All(2)
    }
}

/// The sites of a model with these numbers of sites and values.
///
/// # Errors
/// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
pub fn sites_of(num_sites: usize, num_values: &NumValues) -> Result<Sites> {
    check_count("model.numSites", num_sites, 1, MAX_BITS, "sites")?;
    let num_values = num_values.of_sites(num_sites)?;
    let num_bits: usize = num_values.iter().sum();
    if num_bits > MAX_BITS {
        return Err(Error::TooLarge {
            field: "model.numValues".into(),
            problem: format!(
                "adds up to {num_bits}, and the limit is {MAX_BITS}; use fewer sites or values"
            ),
        });
    }
    Ok(Sites::new(&num_values))
}
