//! Rewords serde's errors about a spec for those who write specs.

use crate::value::ValueError;
use crate::{Error, FULL};

/// The [`Error`] for a failure to read a spec.
pub(super) fn spec_error(error: ValueError) -> Error {
    let field = if error.field.is_empty() { "spec".into() } else { error.field };
    let mut problem = in_plain_words(error.problem);
    if !FULL && ["unknown variant", "unknown field"].iter().any(|start| problem.starts_with(start))
    {
        problem += "; others are not in the core: import createEngine from 'unnorm'";
    }
    Error::spec(field, problem)
}

/// Serde's message without the names of Rust types.
fn in_plain_words(problem: String) -> String {
    let problem = [
        ("type: floating point", "type: number"),
        ("value: floating point", "value: number"),
        ("value: integer", "value: number"),
        ("type: integer", "type: number"),
        ("type: map", "type: object"),
        ("type: sequence", "type: array"),
        ("type: unit value", "type: null"),
        ("value: map", "value: object"),
    ]
    .iter()
    .fold(problem, |problem, (from, to)| problem.replace(from, to));
    let Some((before, expected)) = problem.split_once("expected ") else { return problem };
    // How serde's descriptions of what it expects may begin.
    let plain = [
        ("usize", "a whole number, 0 or more"),
        ("u8", "a whole number from 0 to 255"),
        ("u16", "a whole number, 0 or more"),
        ("u32", "a whole number, 0 or more"),
        ("u64", "a whole number, 0 or more"),
        ("f64", "a number"),
        ("a boolean", "true or false"),
        ("a sequence", "an array"),
        ("variant identifier", "the name of a kind"),
        ("tuple struct", "an array"),
        ("tuple variant", "an array"),
        ("struct", "an object"),
        ("enum", "one of the names it can have"),
        ("unit", "null"),
        ("a map", "an object"),
        ("a tuple", "an array"),
    ];
    match plain.iter().find(|(start, _)| expected.starts_with(start)) {
        // The rest of the description, such as "with 2 elements", adds nothing.
        Some((_, plain)) => format!("{before}expected {plain}"),
        None => problem,
    }
}
