//! The spec of the Potts model, and its checks.

use super::Potts;
use crate::checks::append;
#[cfg(feature = "full")]
use crate::energy::Parametric;
use crate::ising::Pattern;
#[cfg(feature = "full")]
use crate::rng::{Purpose, normal, stream};
use crate::site_values::{NumValues, Sites, sites_of};
use crate::{Error, Result};
use unnorm_wire::spec;

/// Maximum number of parameters. With their gradient and tables they take 80 bytes each.
pub const MAX_PARAMS: usize = 1 << 22;

/// The spec of the Potts model.
#[spec]
#[cfg_attr(feature = "full", derive(Default))]
pub struct PottsSpec {
    /// Number of sites n.
    pub num_sites: usize,
    /// Number of values of every site, or of each, at least 2. A state has as many bits as there are
    /// values of all sites together: for each site, in order, those of its values, of which one is
    /// on.
    #[ts(type = "number | number[]")]
    pub num_values: NumValues,
    /// Which pairs of sites are coupled; dense if absent.
    #[serde(default)]
    pub pattern: Pattern,
    /// h, the values of the first site, then of the second, and so on; all zero if absent.
    pub fields: Option<Vec<f64>>,
    /// J_ij, row-major `[values of i, values of j]`, for the pairs i < j of the pattern in
    /// lexicographic order; all zero if absent.
    pub couplings: Option<Vec<f64>>,
}

impl PottsSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<Potts> {
        let sites = sites_of(self.num_sites, &self.num_values)?;
        let pairs = match self.pattern.sparse_pairs(self.num_sites)? {
            Some(pairs) => pairs,
            None => all_pairs(self.num_sites, &sites)?,
        };
        let num_couplings = pairs.iter().fold(0, |sum: usize, &[i, j]| {
            sum.saturating_add(sites.num_values(i) * sites.num_values(j))
        });
        check_num_params(sites.dim().saturating_add(num_couplings))?;
        let mut params = Vec::new();
        append("model.fields", &self.fields, sites.dim(), 0.0, &mut params)?;
        append("model.couplings", &self.couplings, num_couplings, 0.0, &mut params)?;
        Ok(Potts::new(self.num_values.clone(), self.pattern.clone(), sites, &pairs, params))
    }

    /// None, as the core has none.
    #[cfg(not(feature = "full"))]
    pub fn examples() -> Vec<Self> {
        Vec::new()
    }

    /// Small models for the laws.
    #[cfg(feature = "full")]
    pub fn examples() -> Vec<Self> {
        let lattice = Pattern::Lattice { num_rows: 2, num_cols: 2, periodic: false };
        let some_pairs = Pattern::Pairs { pairs: vec![[1, 3], [0, 1]] };
        let mut examples = vec![
            Self::random(1, NumValues::All(3), Pattern::Dense {}, 0.7, 1),
            Self::random(3, NumValues::All(3), Pattern::Dense {}, 0.7, 2),
            Self::random(3, NumValues::Each(vec![2, 5, 3]), Pattern::Dense {}, 0.7, 3),
            Self::random(4, NumValues::All(2), lattice, 0.9, 4),
            Self::random(4, NumValues::Each(vec![2, 3, 2, 3]), some_pairs, 0.9, 5),
        ];
        examples.push(Self { num_sites: 2, num_values: NumValues::All(4), ..Self::default() });
        examples
    }

    /// A model whose fields and couplings are normal with mean 0 and standard deviation `scale`: for
    /// examples and tests.
    ///
    /// # Panics
    /// If there is no such model.
    #[cfg(feature = "full")]
    pub fn random(
        num_sites: usize,
        num_values: NumValues,
        pattern: Pattern,
        scale: f64,
        seed: u64,
    ) -> Self {
        let spec = Self { num_sites, num_values, pattern, ..Self::default() };
        let mut model = spec.build().expect("a sound spec");
        let mut rng = stream(seed, Purpose::Example, num_sites as u64);
        let params: Vec<f64> = model.params().iter().map(|_| scale * normal(&mut rng)).collect();
        model.set_params(&params);
        model.to_spec()
    }
}

/// All pairs, once they are known to be few enough.
fn all_pairs(num_sites: usize, sites: &Sites) -> Result<Vec<[usize; 2]>> {
    let total = sites.dim();
    let squares: usize = (0..num_sites).map(|site| sites.num_values(site).pow(2)).sum();
    check_num_params(total + (total * total - squares) / 2)?;
    Ok((0..num_sites).flat_map(|i| (i + 1..num_sites).map(move |j| [i, j])).collect())
}

fn check_num_params(count: usize) -> Result<()> {
    if count <= MAX_PARAMS {
        return Ok(());
    }
    Err(Error::TooLarge {
        field: "model.pattern".into(),
        problem: format!(
            "gives the model {count} parameters, and the limit is {MAX_PARAMS}; couple fewer pairs, \
             or use fewer sites or values"
        ),
    })
}
