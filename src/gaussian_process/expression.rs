//! Sums and products of base kernels: their canonical form, their text, and the sum written out.

use crate::base::{Base, Leaf};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A sum or product of base kernels, of any depth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expression<T> {
    /// A base kernel.
    Base(T),
    /// A sum of two or more.
    Sum(Vec<Expression<T>>),
    /// A product of two or more.
    Product(Vec<Expression<T>>),
}

/// An expression without parameters: a family of kernels.
pub type Shape = Expression<Base>;

/// An expression with parameters.
pub type Kernel = Expression<Leaf>;

/// What a leaf of an expression is a base kernel by.
pub trait AsBase {
    /// The base kernel.
    fn base(&self) -> Base;
}

impl AsBase for Base {
    fn base(&self) -> Base {
        *self
    }
}

impl AsBase for Leaf {
    fn base(&self) -> Base {
        self.base
    }
}

impl<T> Expression<T> {
    /// The leaves, from left to right.
    pub fn leaves(&self) -> Vec<&T> {
        match self {
            Self::Base(leaf) => vec![leaf],
            Self::Sum(parts) | Self::Product(parts) => {
                parts.iter().flat_map(Self::leaves).collect()
            }
        }
    }

    /// The same expression of other leaves.
    pub fn map<U>(&self, f: &mut impl FnMut(&T) -> U) -> Expression<U> {
        let mut all = |parts: &[Self]| parts.iter().map(|part| part.map(f)).collect();
        match self {
            Self::Sum(parts) => Expression::Sum(all(parts)),
            Self::Product(parts) => Expression::Product(all(parts)),
            Self::Base(leaf) => Expression::Base(f(leaf)),
        }
    }
}

impl<T: AsBase + Clone> Expression<T> {
    /// The expression without its parameters.
    pub fn shape(&self) -> Shape {
        self.map(&mut AsBase::base)
    }

    /// The text; inputs are subscripts if there is more than one.
    pub fn text(&self, num_inputs: usize) -> String {
        let shape = self.shape();
        if num_inputs == 1 { format!("{shape:#}") } else { format!("{shape}") }
    }

    /// The same kernel with sums within sums and products within products dissolved, and the parts of each in order:
    /// by their base kernels from left to right. Equal families have equal canonical forms, up to distributivity.
    pub fn canonical(&self) -> Self {
        let (is_sum, parts) = match self {
            Self::Base(_) => return self.clone(),
            Self::Sum(parts) => (true, parts),
            Self::Product(parts) => (false, parts),
        };
        let mut all = Vec::new();
        for part in parts {
            match (part.canonical(), is_sum) {
                (Self::Sum(inner), true) | (Self::Product(inner), false) => all.extend(inner),
                (other, _) => all.push(other),
            }
        }
        all.sort_by_cached_key(Self::order);
        if all.len() == 1 {
            return all.remove(0);
        }
        if is_sum { Self::Sum(all) } else { Self::Product(all) }
    }

    fn order(&self) -> (Vec<Base>, String) {
        let shape = self.shape();
        (shape.leaves().into_iter().copied().collect(), shape.to_string())
    }

    /// The kernel as a sum of products of base kernels, by distributivity.
    pub fn components(&self) -> Vec<Self> {
        match self {
            Self::Base(_) => vec![self.clone()],
            Self::Sum(terms) => terms.iter().flat_map(Self::components).collect(),
            Self::Product(factors) => {
                let mut products = vec![Vec::new()];
                for factor in factors {
                    let terms = factor.components();
                    products = products
                        .iter()
                        .flat_map(|product: &Vec<Self>| {
                            terms
                                .iter()
                                .map(|term| [&product[..], std::slice::from_ref(term)].concat())
                        })
                        .collect();
                }
                products.into_iter().map(|factors| Self::Product(factors).canonical()).collect()
            }
        }
    }
}

impl Shape {
    /// The canonical form with products of SEs of one input as the SE that they are.
    pub fn reduced(&self) -> Self {
        let reduce = |parts: &[Self]| parts.iter().map(Self::reduced).collect();
        match self {
            Self::Base(_) => self.clone(),
            Self::Sum(parts) => Self::Sum(reduce(parts)).canonical(),
            Self::Product(parts) => {
                let Self::Product(mut parts) = Self::Product(reduce(parts)).canonical() else {
                    unreachable!("a product of two or more");
                };
                let is_se = |part: &Self| matches!(part, Self::Base(base) if base.family == crate::Family::Se);
                parts.dedup_by(|a, b| is_se(a) && a == b);
                Self::Product(parts).canonical()
            }
        }
    }
}

/// As the thesis prints it; `{:#}` leaves the inputs out.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (parts, sign) = match self {
            Self::Base(base) => return fmt::Display::fmt(base, f),
            Self::Sum(parts) => (parts, " + "),
            Self::Product(parts) => (parts, " × "),
        };
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                f.write_str(sign)?;
            }
            let is_bare =
                matches!((self, part), (_, Self::Base(_)) | (Self::Sum(_), Self::Product(_)));
            if is_bare {
                fmt::Display::fmt(part, f)?;
            } else {
                f.write_str("(")?;
                fmt::Display::fmt(part, f)?;
                f.write_str(")")?;
            }
        }
        Ok(())
    }
}
