//! The spec of the posterior of a typed model, and its checks.

use super::Posterior;
use super::prior::ParameterPrior;
use crate::checks::{check_count, check_numbers};
use crate::formula::{MAX_NAMES, RowSum, check_name};
use crate::{Error, Result};
use std::collections::BTreeMap;
use unnorm_wire::spec;

/// Maximum number of rows.
pub const MAX_ROWS: usize = 1 << 20;

/// Maximum number of numbers in all columns together.
const MAX_NUMBERS: usize = 1 << 24;

/// The spec of the posterior of a typed model.
#[spec]
pub struct PosteriorSpec {
    /// The parameters and their independent priors. A state has one number for each, in this order:
    /// the u with θ = F⁻¹(Φ(u)), standard normal under the prior. `energies` with `parameters` gives θ.
    pub prior: Vec<ParameterPrior>,
    /// ln L of one row, in nats, e.g. `-(y - a - b*x)^2 / (2*s^2) - ln(s)`: a formula, as that of the
    /// kind `formula`, of parameters and columns. It is summed over the rows. Constants that it leaves
    /// out are missing from log Z.
    pub log_likelihood: String,
    /// The columns by name, each `[numRows]`; if absent, the formula counts once.
    #[ts(type = "Record<string, Float64Array | number[]>")]
    pub data: Option<BTreeMap<String, Vec<f64>>>,
    /// Keeps all code for these specs out of the core.
    #[cfg(not(feature = "full"))]
    #[ts(skip)]
    pub not_in_core: NotInCore,
}

/// A type without values. No spec with such a field exists, so the compiler leaves out its code.
#[cfg(not(feature = "full"))]
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum NotInCore {}

impl PosteriorSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field and, for the formula, the
    /// column.
    pub fn build(&self) -> Result<Posterior> {
        check_count("model.prior", self.prior.len(), 1, MAX_NAMES, "parameters")?;
        for (index, prior) in self.prior.iter().enumerate() {
            let field = format!("model.prior[{index}]");
            check_name(&format!("{field}.name"), &prior.name)?;
            if self.prior[..index].iter().any(|other| other.name == prior.name) {
                let problem = format!("`{}` is given twice; choose another name", prior.name);
                return Err(Error::spec(format!("{field}.name"), problem));
            }
            prior.distribution.check(&format!("{field}.distribution"))?;
        }
        let columns = self.columns()?;
        let parameters: Vec<&str> = self.prior.iter().map(|prior| &prior.name[..]).collect();
        let field = "model.logLikelihood";
        let log_likelihood = RowSum::new(field, &self.log_likelihood, &parameters, &columns)?;
        Ok(Posterior { spec: self.clone(), log_likelihood })
    }

    /// The columns, checked.
    fn columns(&self) -> Result<Vec<(&str, &[f64])>> {
        let Some(data) = &self.data else { return Ok(Vec::new()) };
        let Some((first, rows)) = data.iter().next().map(|(name, rows)| (name, rows.len())) else {
            let problem = "has no columns; leave it out if the formula is that of all data";
            return Err(Error::spec("model.data", problem));
        };
        check_count("model.data", data.len(), 1, MAX_NAMES, "columns")?;
        for (name, values) in data {
            check_name("model.data", name)?;
            let field = format!("model.data.{name}");
            if self.prior.iter().any(|prior| prior.name == *name) {
                let problem = "has the name of a parameter; choose another name for one of both";
                return Err(Error::spec(field, problem));
            }
            if values.len() != rows {
                let problem = format!(
                    "has {} rows where {first} has {rows}; give columns of equal length",
                    values.len()
                );
                return Err(Error::spec(field, problem));
            }
            check_count(&field, values.len(), 1, MAX_ROWS, "rows")?;
            check_numbers(&field, values, rows)?;
        }
        check_count("model.data", data.len().saturating_mul(rows), 1, MAX_NUMBERS, "numbers")?;
        Ok(data.iter().map(|(name, values)| (&name[..], &values[..])).collect())
    }

    /// None, as the core has none.
    #[cfg(not(feature = "full"))]
    pub fn examples() -> Vec<Self> {
        Vec::new()
    }

    /// Small models for the laws; together they have every prior, and formulas of rows with every
    /// place that an operand can have.
    #[cfg(feature = "full")]
    pub fn examples() -> Vec<Self> {
        use super::prior::PriorDistribution as P;
        let of = |prior: &[(&str, P)], log_likelihood: &str, data: &[(&str, &[f64])]| Self {
            prior: prior
                .iter()
                .map(|(name, distribution)| ParameterPrior {
                    name: (*name).into(),
                    distribution: *distribution,
                })
                .collect(),
            log_likelihood: log_likelihood.into(),
            data: (!data.is_empty()).then(|| {
                data.iter().map(|(name, values)| ((*name).into(), values.to_vec())).collect()
            }),
        };
        let x = &[-1.5, -0.5, 0.2, 0.9, 2.1];
        let y = &[-2.1, 0.3, 0.8, 1.4, 4.4];
        vec![
            of(
                &[
                    ("a", P::Normal { mean: 1.0, sd: 2.0 }),
                    ("b", P::Laplace { location: 0.5, scale: 1.5 }),
                    ("s", P::HalfNormal { scale: 2.0 }),
                ],
                "-(y - a - b*x)^2 / (2*s^2) - ln(s) - ln(2*pi)/2",
                &[("x", x), ("y", y)],
            ),
            of(
                &[
                    ("rate", P::Gamma { shape: 2.5, rate: 1.0 }),
                    ("power", P::LogNormal { mean: -1.0, sd: 0.5 }),
                    ("spread", P::InverseGamma { shape: 3.0, scale: 2.0 }),
                    ("off", P::Exponential { rate: 0.5 }),
                ],
                "-softplus(off - rate*sin(x*power)/spread) - max(y^2, rate)/(1 + off) - spread^2*y^2",
                &[("x", x), ("y", y)],
            ),
            of(
                &[
                    ("p", P::Beta { a: 2.0, b: 0.5 }),
                    ("q", P::Uniform { min: -1.0, max: 3.0 }),
                    ("r", P::LogUniform { min: 0.1, max: 10.0 }),
                    ("c", P::Cauchy { location: 0.5, scale: 0.2 }),
                    ("h", P::HalfCauchy { scale: 0.5 }),
                ],
                "3*ln(p) - p*q^2 - r/(1 + c^2) - tanh(h)",
                &[],
            ),
        ]
    }
}
