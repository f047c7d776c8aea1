//! Metrics as matrices, and what each form of them keeps.

use nalgebra::DMatrix;
use unnorm::fit::metric::{Form, Metric};
use unnorm::models::Model;

/// A metric as a matrix, `[P, P]`.
pub fn matrix(metric: &Metric) -> DMatrix<f64> {
    let entries = metric.to_matrix();
    let count = entries.len().isqrt();
    DMatrix::from_row_slice(count, count, &entries)
}

/// The entries of a matrix that a metric of this form keeps.
pub fn kept(model: &dyn Model, form: Form, matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let groups = model.as_parametric().unwrap().groups();
    DMatrix::from_fn(matrix.nrows(), matrix.nrows(), |i, j| {
        let is_kept = match form {
            Form::Full => true,
            Form::Blocks => groups.as_ref().is_some_and(|groups| groups[i] == groups[j]),
            Form::Diagonal => i == j,
        };
        if is_kept { matrix[(i, j)] } else { 0.0 }
    })
}

/// The forms that a model has.
pub fn forms(model: &dyn Model) -> impl Iterator<Item = Form> {
    let has_groups = model.as_parametric().unwrap().groups().is_some();
    [Form::Full, Form::Blocks, Form::Diagonal]
        .into_iter()
        .filter(move |form| has_groups || *form != Form::Blocks)
}
