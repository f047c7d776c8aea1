//! The specs of the models of tables, and their checks.

use super::{
    BinaryAttributes, ClusteredLowRank, Clustering, Enumerated, LatentChain, LowRank, Table,
    Variances, VariancesSpec, split_variance,
};
use crate::checks::{check_positive, in_range};
use crate::{Error, Result};
use std::sync::Arc;
use unnorm_wire::spec;

/// Maximum number of rows.
pub const MAX_ROWS: usize = 1 << 16;

/// Maximum number of entries of a table.
pub const MAX_NUMBERS: usize = 1 << 22;

/// Maximum size of an entry.
const MAX_ENTRY: f64 = 1e6;

/// Maximum number of clusters, factors or attributes.
const MAX_ORDER: usize = 64;

/// Clusters: each row is a centre plus noise; the shares of the clusters are Dirichlet, the centres
/// N(0, s²).
#[spec]
pub struct ClusteringSpec {
    /// D, the number of columns.
    pub dim: usize,
    /// K.
    pub num_clusters: usize,
    /// α of the Dirichlet distribution, the same for each cluster; 1 if absent.
    #[serde(default = "one")]
    pub concentration: f64,
    /// Variances of the centres and of the noise.
    #[serde(default)]
    pub variances: VariancesSpec,
    /// Y, the rows of the table, one after another, `[numRows, dim]`: `sample` and `exact` need them
    /// here; `evidence` has a field for them. Models are about 0: subtract the means of the columns where
    /// they say nothing.
    pub states: Option<Vec<f64>>,
}

/// Low rank: each row is N(0, 1) factors times loadings N(0, s²), plus noise.
#[spec]
pub struct LowRankSpec {
    /// D, the number of columns.
    pub dim: usize,
    /// K.
    pub num_factors: usize,
    /// Variances of the loadings and of the noise.
    #[serde(default)]
    pub variances: VariancesSpec,
    /// Y, the rows of the table, as those of `clustering`.
    pub states: Option<Vec<f64>>,
}

/// Low rank with clustered loadings: each row is N(0, 1) factors times loadings, plus noise, and the loadings of a
/// column are about the centre of its cluster.
#[spec]
pub struct ClusteredLowRankSpec {
    /// D, the number of columns.
    pub dim: usize,
    /// K.
    pub num_factors: usize,
    /// Number of clusters of the columns.
    pub num_clusters: usize,
    /// α of the Dirichlet distribution of their shares, the same for each cluster; 1 if absent.
    #[serde(default = "one")]
    pub concentration: f64,
    /// ρ, how much of the variance of the loadings is that of the centres, above 0 and below 1; 0.75 if absent.
    #[serde(default = "three_quarters")]
    pub between: f64,
    /// Variances of the loadings, centres and all, and of the noise.
    #[serde(default)]
    pub variances: VariancesSpec,
}

/// Binary attributes: each row is the sum of the features N(0, s²) whose attributes it has, plus
/// noise; the shares of the attributes are Beta.
#[spec]
pub struct BinaryAttributesSpec {
    /// D, the number of columns.
    pub dim: usize,
    /// K; at most 16 for the estimators of `evidence` that go row by row, and for `bic`.
    pub num_attributes: usize,
    /// First parameter of the Beta distribution, a count of rows with an attribute; 1 if absent.
    #[serde(default = "one")]
    pub prior_on: f64,
    /// Second parameter, a count of rows without; 1 if absent.
    #[serde(default = "one")]
    pub prior_off: f64,
    /// Variances of the features and of the noise.
    #[serde(default)]
    pub variances: VariancesSpec,
    /// Y, the rows of the table, as those of `clustering`.
    pub states: Option<Vec<f64>>,
}

fn one() -> f64 {
    1.0
}

fn three_quarters() -> f64 {
    0.75
}

/// A model of a table with hidden variables.
pub trait TableModel: Send + Sync {
    /// The kind, as in the spec.
    fn kind(&self) -> &'static str;

    /// D, the number of columns.
    fn dim(&self) -> usize;

    /// K, with the name of its field.
    fn named_order(&self) -> (&'static str, usize);

    /// K, the number of clusters, factors or attributes.
    fn order(&self) -> usize {
        self.named_order().1
    }

    /// Number of hidden variables of a row.
    fn hidden_width(&self) -> usize {
        self.order()
    }

    /// The parameters of the prior of the hidden variables, with the names of their fields.
    fn counts(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The variances.
    fn variances(&self) -> &VariancesSpec;

    /// The rows, if they are given with the model.
    fn states(&self) -> Option<&[f64]>;

    /// Multiplications of a row's part of a sweep, about.
    fn row_cost(&self) -> usize;

    /// A chain over the model's variables, with no row given.
    fn chain(&self, table: Arc<Table>) -> Box<dyn LatentChain>;

    /// A chain whose hidden variables can be enumerated, if they are discrete.
    fn enumerated(&self, _table: Arc<Table>) -> Option<Box<dyn Enumerated>> {
        None
    }

    /// Whether the hidden variables are clusters or attributes, which may be in use or not.
    fn has_discrete(&self) -> bool {
        false
    }

    /// Whether a row's hidden variable is its cluster.
    fn has_clusters(&self) -> bool {
        false
    }

    /// Whether the columns are independent given the hidden variables and the variances.
    fn has_independent_columns(&self) -> bool {
        true
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field.
    fn check(&self) -> Result<()> {
        check_table_model(self)
    }

    /// The table of the rows that are given with the model, all checked.
    ///
    /// # Errors
    /// Those of [`TableModel::check`]; [`Error::InvalidSpec`] for `model.states`.
    fn table(&self) -> Result<Table> {
        self.check()?;
        let Some(states) = self.states() else {
            let problem = "are missing; give the rows of a table, one after another";
            return Err(Error::spec("model.states", problem));
        };
        check_rows("model.states", states, self.dim())?;
        Ok(Table::new(self.dim(), states.to_vec()))
    }

    /// Number of entries of a chain's state with this many rows.
    fn state_len(&self, num_rows: usize) -> usize {
        num_rows * self.hidden_width() + self.order() * self.dim() + 2
    }

    /// Multiplications of a sweep, about.
    fn sweep_cost(&self, num_rows: usize) -> usize {
        num_rows.max(1) * self.row_cost()
    }
}

/// Checks the numbers that all models of tables have.
fn check_table_model(model: &(impl TableModel + ?Sized)) -> Result<()> {
    in_range("model.dim", model.dim(), 1, MAX_NUMBERS)?;
    let (name, order) = model.named_order();
    in_range(&format!("model.{name}"), order, 1, MAX_ORDER)?;
    for (name, value) in model.counts() {
        check_positive(&format!("model.{name}"), value)?;
        if !(1e-6..=1e6).contains(&value) {
            let problem = format!("is {value}; it must be from 1e-6 to 1e6");
            return Err(Error::spec(format!("model.{name}"), problem));
        }
    }
    model.variances().check()
}

/// Checks the rows of a table and returns their number. `field` is their path, for messages.
///
/// # Errors
/// [`Error::InvalidSpec`] or [`Error::TooLarge`].
pub fn check_rows(field: &str, states: &[f64], dim: usize) -> Result<usize> {
    if states.is_empty() || !states.len().is_multiple_of(dim) {
        let problem = format!(
            "has {} numbers, but a row has {dim}; give one row or more, one after another",
            states.len()
        );
        return Err(Error::spec(field, problem));
    }
    if let Some(at) = states.iter().position(|value| !(value.abs() <= MAX_ENTRY)) {
        let problem = format!(
            "is {}; every entry must be a finite number, at most {MAX_ENTRY} in size: scale the table",
            states[at]
        );
        return Err(Error::spec(format!("{field}[{at}]"), problem));
    }
    let num_rows = states.len() / dim;
    in_range(&format!("the number of rows in {field}"), num_rows, 1, MAX_ROWS)?;
    check_size(field, num_rows, dim)?;
    Ok(num_rows)
}

/// Checks the number of entries of a table.
///
/// # Errors
/// [`Error::TooLarge`].
pub fn check_size(field: &str, num_rows: usize, dim: usize) -> Result<()> {
    if num_rows.saturating_mul(dim) <= MAX_NUMBERS {
        return Ok(());
    }
    Err(Error::TooLarge {
        field: field.into(),
        problem: format!(
            "has {num_rows} rows of {dim} numbers; at most {MAX_NUMBERS} numbers are taken"
        ),
    })
}

impl TableModel for ClusteringSpec {
    fn kind(&self) -> &'static str {
        "clustering"
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn named_order(&self) -> (&'static str, usize) {
        ("numClusters", self.num_clusters)
    }

    fn hidden_width(&self) -> usize {
        1
    }

    fn counts(&self) -> Vec<(&'static str, f64)> {
        vec![("concentration", self.concentration)]
    }

    fn variances(&self) -> &VariancesSpec {
        &self.variances
    }

    fn states(&self) -> Option<&[f64]> {
        self.states.as_deref()
    }

    fn row_cost(&self) -> usize {
        self.num_clusters * (self.dim + 20)
    }

    fn chain(&self, table: Arc<Table>) -> Box<dyn LatentChain> {
        Box::new(self.clusters(table))
    }

    fn enumerated(&self, table: Arc<Table>) -> Option<Box<dyn Enumerated>> {
        Some(Box::new(self.clusters(table)))
    }

    fn has_discrete(&self) -> bool {
        true
    }

    fn has_clusters(&self) -> bool {
        true
    }
}

impl ClusteringSpec {
    fn clusters(&self, table: Arc<Table>) -> Clustering {
        Clustering::new(self.num_clusters, self.concentration, self.variances, table)
    }
}

impl TableModel for LowRankSpec {
    fn kind(&self) -> &'static str {
        "lowRank"
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn named_order(&self) -> (&'static str, usize) {
        ("numFactors", self.num_factors)
    }

    fn variances(&self) -> &VariancesSpec {
        &self.variances
    }

    fn states(&self) -> Option<&[f64]> {
        self.states.as_deref()
    }

    fn row_cost(&self) -> usize {
        2 * self.num_factors * (self.dim + self.num_factors)
    }

    fn chain(&self, table: Arc<Table>) -> Box<dyn LatentChain> {
        Box::new(LowRank::new(self.num_factors, self.variances, table))
    }
}

impl TableModel for ClusteredLowRankSpec {
    fn kind(&self) -> &'static str {
        "clusteredLowRank"
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn named_order(&self) -> (&'static str, usize) {
        ("numFactors", self.num_factors)
    }

    fn counts(&self) -> Vec<(&'static str, f64)> {
        vec![("concentration", self.concentration)]
    }

    fn variances(&self) -> &VariancesSpec {
        &self.variances
    }

    fn states(&self) -> Option<&[f64]> {
        None
    }

    fn row_cost(&self) -> usize {
        2 * self.num_factors * (self.dim + self.num_factors)
    }

    fn sweep_cost(&self, num_rows: usize) -> usize {
        num_rows.max(1) * self.row_cost() + self.dim * self.num_clusters * (self.num_factors + 20)
    }

    fn state_len(&self, num_rows: usize) -> usize {
        (num_rows + self.dim + self.num_clusters) * self.num_factors + self.dim + 2
    }

    fn chain(&self, table: Arc<Table>) -> Box<dyn LatentChain> {
        Box::new(ClusteredLowRank::new(
            self.num_factors,
            [self.num_clusters, self.dim],
            self.concentration,
            self.between,
            self.variances,
            table,
        ))
    }

    fn has_independent_columns(&self) -> bool {
        false
    }

    fn check(&self) -> Result<()> {
        check_table_model(self)?;
        in_range("model.numClusters", self.num_clusters, 1, MAX_ORDER)?;
        if !(self.between > 0.0 && self.between < 1.0) {
            let problem = format!("is {}; it must be above 0 and below 1", self.between);
            return Err(Error::spec("model.between", problem));
        }
        Ok(())
    }
}

impl ClusteredLowRankSpec {
    /// The model of which the columns of V are independent: low rank, with the same variances.
    pub fn without_clusters(&self) -> LowRankSpec {
        LowRankSpec {
            dim: self.dim,
            num_factors: self.num_factors,
            variances: self.variances,
            states: None,
        }
    }

    /// The model of the columns of V alone, given s²: clusters of rows of K numbers.
    pub fn columns(&self, signal: f64) -> ClusteringSpec {
        let Variances { signal, noise } = split_variance(signal, self.between);
        ClusteringSpec {
            dim: self.num_factors,
            num_clusters: self.num_clusters,
            concentration: self.concentration,
            variances: VariancesSpec::Fixed { signal, noise },
            states: None,
        }
    }
}

impl TableModel for BinaryAttributesSpec {
    fn kind(&self) -> &'static str {
        "binaryAttributes"
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn named_order(&self) -> (&'static str, usize) {
        ("numAttributes", self.num_attributes)
    }

    fn counts(&self) -> Vec<(&'static str, f64)> {
        vec![("priorOn", self.prior_on), ("priorOff", self.prior_off)]
    }

    fn variances(&self) -> &VariancesSpec {
        &self.variances
    }

    fn states(&self) -> Option<&[f64]> {
        self.states.as_deref()
    }

    fn row_cost(&self) -> usize {
        2 * self.num_attributes * self.num_attributes * (self.dim + self.num_attributes)
    }

    fn chain(&self, table: Arc<Table>) -> Box<dyn LatentChain> {
        Box::new(self.attributes(table))
    }

    fn has_discrete(&self) -> bool {
        true
    }

    fn enumerated(&self, table: Arc<Table>) -> Option<Box<dyn Enumerated>> {
        Some(Box::new(self.attributes(table)))
    }
}

impl BinaryAttributesSpec {
    fn attributes(&self, table: Arc<Table>) -> BinaryAttributes {
        let counts = [self.prior_on, self.prior_off];
        BinaryAttributes::new(self.num_attributes, counts, self.variances, table)
    }
}
