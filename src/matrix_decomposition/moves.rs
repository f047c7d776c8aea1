//! The productions of the grammar (thesis, section 3.3), and where they apply.
//!
//! Noise of a sum is expanded by another term; noise of the whole is never made sparse.

use crate::expression::{Expression, Factor, Term};
use serde::{Deserialize, Serialize};

/// A production.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    /// G → GG + G (1).
    LowRank,
    /// G → MG + G (2).
    ClusterRows,
    /// G → GMᵀ + G (2).
    ClusterCols,
    /// G → BG + G (4).
    BinaryRows,
    /// G → GBᵀ + G (4).
    BinaryCols,
    /// G → CG + G (7).
    ChainRows,
    /// G → GCᵀ + G (7).
    ChainCols,
    /// G → exp(G) ∘ G (8).
    Sparse,
    /// M → MG + G (3).
    SoftCluster,
    /// B → BG + G (5).
    SoftBinary,
    /// M → B (6).
    Overlap,
}

/// The productions that add a term.
const TERMS: [Rule; 7] = [
    Rule::LowRank,
    Rule::ClusterRows,
    Rule::ClusterCols,
    Rule::BinaryRows,
    Rule::BinaryCols,
    Rule::ChainRows,
    Rule::ChainCols,
];

impl Rule {
    /// The term that the production adds, if it adds one.
    pub fn term(self) -> Option<Term> {
        let gaussian = || Factor::Real(Expression::Gaussian);
        let (left, right) = match self {
            Self::LowRank => (gaussian(), gaussian()),
            Self::ClusterRows | Self::SoftCluster => (Factor::Multinomial, gaussian()),
            Self::ClusterCols => (gaussian(), Factor::Multinomial),
            Self::BinaryRows | Self::SoftBinary => (Factor::Bernoulli, gaussian()),
            Self::BinaryCols => (gaussian(), Factor::Bernoulli),
            Self::ChainRows => (Factor::Chain, gaussian()),
            Self::ChainCols => (gaussian(), Factor::Chain),
            Self::Sparse | Self::Overlap => return None,
        };
        Some(Term { left, right })
    }
}

/// A step from a matrix to one within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// The left factor of the term of this place.
    Left(usize),
    /// The right factor of the term of this place.
    Right(usize),
    /// The noise of a sum.
    Noise,
    /// The logarithms of the scales of exp(…) ∘ G.
    LogScales,
}

/// A production at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// The steps from the whole to the place.
    pub path: Vec<Step>,
    /// The production.
    pub rule: Rule,
}

/// All moves from a structure, in order.
pub fn all_moves(expression: &Expression, with_discrete: bool) -> Vec<Move> {
    let mut all = Vec::new();
    collect(expression, &mut Vec::new(), with_discrete, &mut all);
    all
}

fn add(all: &mut Vec<Move>, path: &[Step], rules: &[Rule]) {
    all.extend(rules.iter().map(|rule| Move { path: path.to_vec(), rule: *rule }));
}

fn collect(
    expression: &Expression,
    path: &mut Vec<Step>,
    with_discrete: bool,
    all: &mut Vec<Move>,
) {
    let is_noise = path.last().is_none_or(|step| *step == Step::Noise);
    match expression {
        Expression::Gaussian => {
            // Noise is expanded where its sum is.
            if path.last() != Some(&Step::Noise) {
                add(all, path, &TERMS);
            }
            if !path.is_empty() && (!is_noise || path.len() > 1) {
                add(all, path, &[Rule::Sparse]);
            }
        }
        Expression::Scale(inner) => within(inner, Step::LogScales, path, with_discrete, all),
        Expression::Sum(terms, noise) => {
            for (at, term) in terms.iter().enumerate() {
                for (factor, step) in [(&term.left, Step::Left(at)), (&term.right, Step::Right(at))]
                {
                    let rules: &[Rule] = match factor {
                        Factor::Real(inner) => {
                            within(inner, step, path, with_discrete, all);
                            continue;
                        }
                        Factor::Multinomial => &[Rule::SoftCluster, Rule::Overlap],
                        Factor::Bernoulli => &[Rule::SoftBinary],
                        Factor::Chain => &[],
                    };
                    if with_discrete {
                        path.push(step);
                        add(all, path, rules);
                        path.pop();
                    }
                }
            }
            add(all, path, &TERMS);
            within(noise, Step::Noise, path, with_discrete, all);
        }
    }
}

fn within(
    inner: &Expression,
    step: Step,
    path: &mut Vec<Step>,
    with_discrete: bool,
    all: &mut Vec<Move>,
) {
    path.push(step);
    collect(inner, path, with_discrete, all);
    path.pop();
}

/// The structure after a move.
///
/// # Panics
/// If the move is not one of the structure's.
pub fn moved(expression: &Expression, step: &Move) -> Expression {
    let mut new = expression.clone();
    apply(&mut new, &step.path, step.rule);
    new
}

fn apply(expression: &mut Expression, path: &[Step], rule: Rule) {
    let Some((first, rest)) = path.split_first() else {
        match (expression, rule.term()) {
            (Expression::Sum(terms, _), Some(term)) => terms.push(term),
            (place @ Expression::Gaussian, Some(term)) => {
                *place = Expression::Sum(vec![term], Box::new(Expression::Gaussian));
            }
            (place @ Expression::Gaussian, None) => {
                *place = Expression::Scale(Box::new(Expression::Gaussian));
            }
            _ => panic!("the production does not apply"),
        }
        return;
    };
    match (expression, first) {
        (Expression::Scale(inner), Step::LogScales) => apply(inner, rest, rule),
        (Expression::Sum(_, noise), Step::Noise) => apply(noise, rest, rule),
        (Expression::Sum(terms, _), Step::Left(at)) => {
            apply_factor(&mut terms[*at].left, rest, rule)
        }
        (Expression::Sum(terms, _), Step::Right(at)) => {
            apply_factor(&mut terms[*at].right, rest, rule);
        }
        _ => panic!("no such place"),
    }
}

fn apply_factor(factor: &mut Factor, rest: &[Step], rule: Rule) {
    match factor {
        Factor::Real(inner) => apply(inner, rest, rule),
        _ if rule == Rule::Overlap => *factor = Factor::Bernoulli,
        _ => {
            let term = rule.term().expect("a production that adds a term");
            *factor = Factor::Real(Expression::Sum(vec![term], Box::new(Expression::Gaussian)));
        }
    }
}
