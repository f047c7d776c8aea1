//! The grammar of formulas, lowest precedence first:
//!
//! ```text
//! sum     = product (("+" | "-") product)*
//! product = signed (("*" | "/") signed)*
//! signed  = ("+" | "-")* power
//! power   = atom ("^" ("+" | "-")* atom)*            from right to left
//! atom    = number | name | "(" sum ")" | function "(" sum ("," sum)* ")"
//! ```
//!
//! Only parentheses nest, so their depth bounds that of the recursion.

use super::functions::{BINARY_NAMES, Binary, UNARY_NAMES, Unary, is_function};
use super::graph::{Graph, Id};
use crate::Error;
use std::collections::BTreeMap;
use winnow::ascii::{digit0, digit1, multispace0};
use winnow::combinator::{alt, opt, preceded, terminated};
use winnow::error::{ErrMode, ParserError};
use winnow::stream::{LocatingSlice, Location, Stateful, Stream};
use winnow::token::{one_of, take_while};
use winnow::{ModalResult, Parser};

/// Maximum nesting depth of parentheses.
pub const MAX_DEPTH: usize = 100;

/// A problem and its byte position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mistake {
    pub at: usize,
    pub problem: String,
}

impl Mistake {
    /// The error, with the column in the formula.
    pub fn in_field(&self, field: &str, expression: &str) -> Error {
        let column = expression[..self.at].chars().count() + 1;
        Error::spec(field, format!("at column {column}: {}", self.problem))
    }
}

/// A parsed formula: its computation, and the variables, those given first, the others in order of
/// appearance.
#[derive(Debug)]
pub(super) struct Parsed {
    pub graph: Graph,
    pub root: Id,
    pub variables: Vec<String>,
}

/// The meaning of names, and what has been parsed so far.
#[derive(Debug)]
struct State<'a> {
    graph: Graph,
    constants: &'a BTreeMap<String, f64>,
    variables: Vec<String>,
    /// What to do about other names, if they are not allowed.
    remedy: Option<&'a str>,
    depth: usize,
}

type Input<'a> = Stateful<LocatingSlice<&'a str>, State<'a>>;
type Parse<T> = ModalResult<T, Mistake>;

impl<I: Stream + Location> ParserError<I> for Mistake {
    type Inner = Self;

    fn from_input(input: &I) -> Self {
        Self { at: input.current_token_start(), problem: String::new() }
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

/// Parses a formula. Its variables are the given ones and, unless `remedy` tells what to do about other
/// names, after them all others that appear.
pub(super) fn parse(
    expression: &str,
    variables: &[String],
    constants: &BTreeMap<String, f64>,
    remedy: Option<&str>,
) -> Result<Parsed, Mistake> {
    let variables = variables.to_vec();
    let state = State { graph: Graph::default(), constants, variables, remedy, depth: 0 };
    let mut input = Stateful { input: LocatingSlice::new(expression), state };
    let formula = |input: &mut Input<'_>| {
        let root = sum(input)?;
        let at = skip_space(input)?;
        match input.input.chars().next() {
            None => Ok(root),
            Some(')') => mistake(at, "there is no open parenthesis for this one"),
            Some(_) => expected(input, "an operator or the end"),
        }
    };
    match formula(&mut input) {
        Ok(root) => {
            let State { graph, variables, .. } = input.state;
            Ok(Parsed { graph, root, variables })
        }
        Err(ErrMode::Backtrack(mistake) | ErrMode::Cut(mistake)) => Err(mistake),
        Err(ErrMode::Incomplete(_)) => unreachable!("the input is whole"),
    }
}

fn sum(input: &mut Input<'_>) -> Parse<Id> {
    let mut left = product(input)?;
    while let Some((operator, at)) = operator(input, ['+', '-'])? {
        let right = product(input)?;
        let function = if operator == '+' { Binary::Add } else { Binary::Subtract };
        left = binary(input, function, left, right, at)?;
    }
    Ok(left)
}

fn product(input: &mut Input<'_>) -> Parse<Id> {
    let mut left = signed(input)?;
    while let Some((operator, at)) = operator(input, ['*', '/'])? {
        let right = signed(input)?;
        let function = if operator == '*' { Binary::Multiply } else { Binary::Divide };
        left = binary(input, function, left, right, at)?;
    }
    Ok(left)
}

fn signed(input: &mut Input<'_>) -> Parse<Id> {
    let is_negative = signs(input)?;
    let value = power(input)?;
    Ok(negated_if(input, is_negative, value))
}

/// Parses any number of signs; returns whether they are negative together.
fn signs(input: &mut Input<'_>) -> Parse<bool> {
    let mut is_negative = false;
    while let Some((sign, _)) = operator(input, ['+', '-'])? {
        is_negative ^= sign == '-';
    }
    Ok(is_negative)
}

fn negated_if(input: &mut Input<'_>, is_negative: bool, value: Id) -> Id {
    if is_negative { input.state.graph.unary(Unary::Negate, value) } else { value }
}

fn power(input: &mut Input<'_>) -> Parse<Id> {
    let base = atom(input)?;
    let mut exponents = Vec::new();
    while let Some((_, at)) = operator(input, ['^'])? {
        exponents.push((at, signs(input)?, atom(input)?));
    }
    // a ^ b ^ −c is a ^ (b ^ (−c)), so the last exponent comes first.
    let Some((mut at, is_negative, last)) = exponents.pop() else { return Ok(base) };
    let mut exponent = negated_if(input, is_negative, last);
    while let Some((next_at, is_negative, next)) = exponents.pop() {
        let power = binary(input, Binary::Power, next, exponent, at)?;
        exponent = negated_if(input, is_negative, power);
        at = next_at;
    }
    binary(input, Binary::Power, base, exponent, at)
}

fn atom(input: &mut Input<'_>) -> Parse<Id> {
    let at = skip_space(input)?;
    if opt('(').parse_next(input)?.is_some() {
        let inner = nested(input, at, sum)?;
        close(input, "an operator or `)`")?;
        return Ok(inner);
    }
    if let Some(digits) = opt(number).parse_next(input)? {
        return match digits.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(input.state.graph.constant(value)),
            _ => mistake(at, format!("the number {digits} is too large")),
        };
    }
    if let Some(name) = opt(name).parse_next(input)? {
        let is_call = opt(preceded(multispace0, '(')).parse_next(input)?.is_some();
        return if is_call { call(input, name, at) } else { named(input, name, at) };
    }
    expected(input, "a number, a name or `(`")
}

fn number<'a>(input: &mut Input<'a>) -> Parse<&'a str> {
    let whole = (digit1, opt(('.', digit0))).void();
    let fraction = ('.', digit1).void();
    let exponent = (one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1);
    (alt((whole, fraction)), opt(exponent)).take().parse_next(input)
}

fn name<'a>(input: &mut Input<'a>) -> Parse<&'a str> {
    (one_of(starts_name), take_while(0.., continues_name)).take().parse_next(input)
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a formula can use this text as a name.
fn is_name(text: &str) -> bool {
    text.starts_with(starts_name) && text.chars().all(continues_name)
}

/// Checks that a formula can use this text as the name of something.
///
/// # Errors
/// [`Error::InvalidSpec`] with this field.
pub(crate) fn check_name(field: &str, name: &str) -> crate::Result<()> {
    let problem = if !is_name(name) {
        "is no name; a name is a letter, then letters, digits and _"
    } else if is_function(name) || name == "pi" {
        "has a meaning already; choose another name"
    } else {
        return Ok(());
    };
    Err(Error::spec(field, format!("`{}` {problem}", name.escape_debug())))
}

/// The node that a name stands for, outside of calls.
fn named(input: &mut Input<'_>, name: &str, at: usize) -> Parse<Id> {
    let State { graph, constants, variables, remedy, .. } = &mut input.state;
    if let Some(index) = variables.iter().position(|known| known == name) {
        return Ok(graph.variable(index));
    }
    if let Some(value) = constants.get(name) {
        return Ok(graph.constant(*value));
    }
    if name == "pi" {
        return Ok(graph.constant(std::f64::consts::PI));
    }
    if is_function(name) {
        return mistake(at, format!("`{name}` is a function; write its argument: {name}(…)"));
    }
    if let Some(remedy) = remedy {
        let known = if variables.is_empty() { "none".into() } else { variables.join(", ") };
        return mistake(at, format!("`{name}` is unknown; the variables are {known}; {remedy}"));
    }
    variables.push(name.into());
    Ok(graph.variable(variables.len() - 1))
}

/// Parses a call, after its opening parenthesis.
fn call(input: &mut Input<'_>, name: &str, at: usize) -> Parse<Id> {
    if !is_function(name) {
        let mut known: Vec<_> = UNARY_NAMES.iter().map(|(name, _)| *name).collect();
        known.extend(BINARY_NAMES.iter().map(|(name, _)| *name));
        return mistake(
            at,
            format!(
                "`{name}` is no function; known are {}; multiplication is written *",
                known.join(", ")
            ),
        );
    }
    let arguments = nested(input, at, |input| {
        let mut arguments = vec![sum(input)?];
        while opt(preceded(multispace0, ',')).parse_next(input)?.is_some() {
            arguments.push(sum(input)?);
        }
        Ok(arguments)
    })?;
    close(input, "an operator, `,` or `)`")?;
    if let Some((_, function)) = UNARY_NAMES.iter().find(|(known, _)| *known == name) {
        let [argument] = arguments[..] else {
            return mistake(at, format!("`{name}` takes one argument, not {}", arguments.len()));
        };
        let value = input.state.graph.unary(*function, argument);
        return finite(input, value, at);
    }
    let function = BINARY_NAMES.iter().find(|(known, _)| *known == name).map(|(_, f)| *f);
    match (function, &arguments[..]) {
        (Some(Binary::Equal), [_, _, _, ..]) => {
            mistake(at, format!("`{name}` takes two arguments, not {}", arguments.len()))
        }
        (Some(function), [first, rest @ ..]) if !rest.is_empty() => {
            rest.iter().try_fold(*first, |left, right| binary(input, function, left, *right, at))
        }
        _ => mistake(at, format!("`{name}` takes two arguments or more, not one")),
    }
}

/// Parses what stands in parentheses that opened at `at`.
fn nested<'a, T>(
    input: &mut Input<'a>,
    at: usize,
    inner: impl FnOnce(&mut Input<'a>) -> Parse<T>,
) -> Parse<T> {
    input.state.depth += 1;
    if input.state.depth > MAX_DEPTH {
        return mistake(at, format!("parentheses are nested deeper than {MAX_DEPTH}"));
    }
    let value = inner(input)?;
    input.state.depth -= 1;
    Ok(value)
}

fn close(input: &mut Input<'_>, what: &str) -> Parse<()> {
    match opt(preceded(multispace0, ')')).parse_next(input)? {
        Some(_) => Ok(()),
        None => expected(input, what),
    }
}

/// The next token and its position, if it is one of these operators.
fn operator<const N: usize>(
    input: &mut Input<'_>,
    operators: [char; N],
) -> Parse<Option<(char, usize)>> {
    let with_place = terminated(one_of(operators).with_span(), multispace0);
    let found = opt(preceded(multispace0, with_place)).parse_next(input)?;
    Ok(found.map(|(operator, span)| (operator, span.start)))
}

fn binary(input: &mut Input<'_>, function: Binary, a: Id, b: Id, at: usize) -> Parse<Id> {
    let value = input.state.graph.binary(function, a, b);
    finite(input, value, at)
}

/// Refuses constants that are not finite, as nothing could be computed from them.
fn finite(input: &Input<'_>, id: Id, at: usize) -> Parse<Id> {
    match input.state.graph.constant_value(id) {
        Some(value) if !value.is_finite() => {
            mistake(at, format!("this part of the formula is always {value}"))
        }
        _ => Ok(id),
    }
}

/// Skips space; returns the position of what follows.
fn skip_space(input: &mut Input<'_>) -> Parse<usize> {
    multispace0.parse_next(input)?;
    Ok(input.current_token_start())
}

fn expected<T>(input: &mut Input<'_>, what: &str) -> Parse<T> {
    let at = skip_space(input)?;
    let problem = match input.input.chars().next() {
        None => format!("expected {what}, but the formula ends"),
        Some('*') => format!("expected {what}, found `*`; powers are written ^"),
        Some(c) if what.contains("operator") && (starts_name(c) || c == '(' || c.is_numeric()) => {
            format!("expected {what}, found `{c}`; multiplication is written *")
        }
        Some(c) => format!("expected {what}, found `{}`", c.escape_debug()),
    };
    mistake(at, problem)
}

fn mistake<T>(at: usize, problem: impl Into<String>) -> Parse<T> {
    Err(ErrMode::Cut(Mistake { at, problem: problem.into() }))
}
