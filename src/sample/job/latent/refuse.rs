//! What the posterior of a table's hidden variables is not sampled with.

use crate::models::latent::TableModel;
use crate::sample::job::spec::{SampleSpec, StartSpec};
use crate::sample::spec::{Scan, TransitionSpec};
use crate::{Error, Result};

/// Checks the fields of a spec that models of tables do not share with others.
///
/// # Errors
/// [`Error::InvalidSpec`], naming the field.
pub fn check(spec: &SampleSpec, model: &dyn TableModel) -> Result<()> {
    let kind = model.kind();
    match spec.transition {
        TransitionSpec::Gibbs { scan: Scan::Systematic } => {}
        TransitionSpec::Gibbs { .. } => {
            let problem = format!(
                "is random, but `{kind}` is drawn row after row; leave it out, or say systematic"
            );
            return Err(Error::spec("transition.scan", problem));
        }
        _ => {
            let problem = format!(
                "does not move the hidden variables of `{kind}`, which are drawn in blocks; say gibbs"
            );
            return Err(Error::spec("transition.kind", problem));
        }
    }
    if spec.start != (StartSpec::Random {}) {
        let problem = format!(
            "must be random for `{kind}`, whose chains start at draws of the prior; leave it out"
        );
        return Err(Error::spec("start.kind", problem));
    }
    if spec.observed.is_some() {
        let problem = format!(
            "are entries of a state, but the state of `{kind}` is hidden and the rows, all of them, are \
             what is observed; leave it out, and give the rows as model.states"
        );
        return Err(Error::spec("observed", problem));
    }
    for (field, is_given) in
        [("moments", spec.moments == Some(true)), ("recordPath", spec.record_path)]
    {
        if is_given {
            let problem =
                format!("is true, but draws of `{kind}` have none; leave it out, or say false");
            return Err(Error::spec(field, problem));
        }
    }
    Ok(())
}
