//! What should be known about the numbers of a chain, in words.

use super::input::Input;
use super::report::{ChainResult, Found};
use super::spec::MAX_POWER_STATES;

/// Gaps below this, times the number of states, are at the level of rounding errors.
const GAP_ERROR: f64 = 1e-15;

/// The warnings for a result.
pub(super) fn warnings(result: &ChainResult, found: &Found<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let num_transient = result.closed_class.iter().filter(|class| **class < 0.0).count();
    if result.num_closed_classes > 1 {
        warnings.push(format!(
            "the chain has {} closed classes, so its stationary distribution is not unique and where it ends \
             depends on where it begins; π gives each class the same probability",
            result.num_closed_classes
        ));
    } else if num_transient > 0 {
        warnings.push(format!(
            "{num_transient} of the states are transient; gap and conductance are of the others"
        ));
    }
    if !result.aperiodic {
        let periods: Vec<String> = result.periods.iter().map(f64::to_string).collect();
        warnings.push(format!(
            "the chain is periodic, with period {}, so its distribution after t steps has no limit",
            periods.join(", ")
        ));
    }
    if result.num_closed_classes == 1 {
        warn_of_spectrum(result, found, &mut warnings);
    }
    warn_of_mixing(result, found, &mut warnings);
    warnings
}

fn warn_of_spectrum(result: &ChainResult, found: &Found<'_>, warnings: &mut Vec<String>) {
    let Some(gap) = result.gap else {
        warnings.push(
            "there is no gap and no conductance, as the closed class has one state, or states of a \
             probability below 1e-290"
                .into(),
        );
        return;
    };
    if !result.reversible {
        warnings.push(
            "the chain is not reversible: its gap is that of (T + T*)/2, with T* the chain run backwards, \
             and there is no relaxation time"
                .into(),
        );
    }
    let is_line = matches!(found.input, Input::Line(_));
    if !is_line && gap < GAP_ERROR * result.num_states as f64 {
        warnings.push(format!("the gap {gap:e} is not above rounding errors"));
    }
}

fn warn_of_mixing(result: &ChainResult, found: &Found<'_>, warnings: &mut Vec<String>) {
    if !found.wants_distances {
        return;
    }
    if result.num_states > MAX_POWER_STATES {
        warnings.push(format!(
            "distances and the mixing time are computed for up to {MAX_POWER_STATES} states; this chain has {}",
            result.num_states
        ));
    } else if !result.steps.is_empty() && result.mixing_time.is_none() {
        warnings.push(format!(
            "the chain has not mixed to {} after {} steps, where the search ended",
            found.epsilon,
            result.steps.last().copied().unwrap_or(0.0)
        ));
    }
}
