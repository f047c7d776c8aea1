//! Structures: sums and products of random matrices.
//!
//! A product is AB**ᵀ**, with both factors stored so that their rows are those of the matrix and its transpose. Thus rows and
//! columns are treated alike, and a transpose swaps factors.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A structure of a random matrix of reals (thesis, section 3.2).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Expression {
    /// G: independent Gaussian entries, whose variances are a product of one for the row and one for the column.
    Gaussian,
    /// Terms and noise, which is G or exp(…) ∘ G.
    Sum(Vec<Term>, Box<Expression>),
    /// exp(Z) ∘ G: Gaussian entries, each with its own standard deviation.
    Scale(Box<Expression>),
}

/// A product ABᵀ.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Term {
    /// A: a row for each row of the product.
    pub left: Factor,
    /// B: a row for each column of the product.
    pub right: Factor,
}

/// A factor of a product.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Factor {
    /// A matrix of reals.
    Real(Expression),
    /// M: one 1 in each row.
    Multinomial,
    /// B: independent bits, of one probability in each column.
    Bernoulli,
    /// C: 1 on the diagonal and below; it adds up the rows before.
    Chain,
}

impl Expression {
    /// The structure of the transpose.
    pub fn transposed(&self) -> Self {
        match self {
            Self::Gaussian => Self::Gaussian,
            Self::Scale(inner) => Self::Scale(Box::new(inner.transposed())),
            Self::Sum(terms, noise) => {
                let swap =
                    |term: &Term| Term { left: term.right.clone(), right: term.left.clone() };
                Self::Sum(terms.iter().map(swap).collect(), Box::new(noise.transposed()))
            }
        }
    }

    /// The same structure with the terms of each sum in order, so that equal structures are equal.
    pub fn canonical(&self) -> Self {
        match self {
            Self::Gaussian => Self::Gaussian,
            Self::Scale(inner) => Self::Scale(Box::new(inner.canonical())),
            Self::Sum(terms, noise) => {
                let canonical = |factor: &Factor| match factor {
                    Factor::Real(inner) => Factor::Real(inner.canonical()),
                    other => other.clone(),
                };
                let term = |term: &Term| Term {
                    left: canonical(&term.left),
                    right: canonical(&term.right),
                };
                let mut terms: Vec<Term> = terms.iter().map(term).collect();
                terms.sort();
                Self::Sum(terms, Box::new(noise.canonical()))
            }
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, is_transposed: bool) -> fmt::Result {
        match self {
            Self::Gaussian => write!(f, "G"),
            Self::Scale(inner) => {
                write!(f, "exp(")?;
                inner.write(f, is_transposed)?;
                write!(f, ") ∘ G")
            }
            Self::Sum(terms, noise) => {
                for term in terms {
                    let Term { left, right } = term;
                    let (first, second) = if is_transposed { (right, left) } else { (left, right) };
                    first.write(f, false)?;
                    second.write(f, true)?;
                    write!(f, " + ")?;
                }
                noise.write(f, is_transposed)
            }
        }
    }
}

impl Factor {
    fn write(&self, f: &mut fmt::Formatter<'_>, is_transposed: bool) -> fmt::Result {
        let letter = match self {
            Self::Real(Expression::Gaussian) => return write!(f, "G"),
            Self::Real(inner) => {
                write!(f, "(")?;
                inner.write(f, is_transposed)?;
                return write!(f, ")");
            }
            Self::Multinomial => "M",
            Self::Bernoulli => "B",
            Self::Chain => "C",
        };
        write!(f, "{letter}{}", if is_transposed { "ᵀ" } else { "" })
    }
}

/// As in the thesis: `M(GMᵀ + G) + G`.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, false)
    }
}
