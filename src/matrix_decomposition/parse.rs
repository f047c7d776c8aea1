//! Reads structures as they are printed: `(exp(GG + G) ∘ G)G + G`, `M(GM^T + G) + G`.

use crate::expression::{Expression, Factor, Term};
use crate::{Error, Result};

/// Maximum depth of parentheses.
const MAX_DEPTH: usize = 32;

/// Maximum number of characters.
const MAX_LENGTH: usize = 10_000;

/// Reads a structure.
///
/// # Errors
/// [`Error::InvalidSpec`] at `structure`, with the place counted from 0.
pub fn parse(text: &str) -> Result<Expression> {
    let characters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut reader = Reader { characters, at: 0, depth: 0 };
    if reader.characters.len() > MAX_LENGTH {
        return Err(reader.fault("is too long"));
    }
    let expression = reader.sum()?;
    if reader.at < reader.characters.len() {
        return Err(reader.fault("has something after its end"));
    }
    Ok(expression)
}

struct Reader {
    characters: Vec<char>,
    at: usize,
    depth: usize,
}

/// What a sum is read from.
enum Addend {
    Product(Term),
    Noise(Expression),
}

impl Reader {
    fn fault(&self, problem: &str) -> Error {
        let problem = format!(
            "{problem}, at character {} without spaces; write products of two of G, M, B, C or a sum in parentheses, \
             then + G, as in M(GM^T + G) + G",
            self.at
        );
        Error::spec("structure", problem)
    }

    fn next_is(&mut self, wanted: &str) -> bool {
        let is_next = self.characters[self.at..].iter().copied().take(wanted.chars().count());
        let is_next = is_next.eq(wanted.chars());
        self.at += if is_next { wanted.chars().count() } else { 0 };
        is_next
    }

    /// Terms, and one noise.
    fn sum(&mut self) -> Result<Expression> {
        let (mut terms, mut noise) = (Vec::new(), None);
        loop {
            match self.addend()? {
                Addend::Product(term) => terms.push(term),
                Addend::Noise(_) if noise.is_some() => {
                    return Err(self.fault("has noise twice in one sum"));
                }
                Addend::Noise(expression) => noise = Some(expression),
            }
            if !self.next_is("+") {
                break;
            }
        }
        let noise = noise.ok_or_else(|| self.fault("lacks + G in a sum"))?;
        Ok(if terms.is_empty() { noise } else { Expression::Sum(terms, Box::new(noise)) })
    }

    fn addend(&mut self) -> Result<Addend> {
        if self.next_is("exp") {
            return Ok(Addend::Noise(self.scale()?));
        }
        let left = self.factor(false)?;
        let is_end = |c: &char| matches!(c, '+' | ')');
        if self.characters.get(self.at).is_none_or(is_end) {
            let Factor::Real(expression) = left else {
                return Err(self.fault("has M, B or C without a factor beside it"));
            };
            return match expression {
                Expression::Gaussian | Expression::Scale(_) => Ok(Addend::Noise(expression)),
                Expression::Sum(..) => Err(self.fault("has a sum within a sum")),
            };
        }
        let right = self.factor(true)?;
        if !matches!(left, Factor::Real(_)) && !matches!(right, Factor::Real(_)) {
            return Err(self.fault("has a product without a G"));
        }
        Ok(Addend::Product(Term { left, right }))
    }

    /// What follows `exp`.
    fn scale(&mut self) -> Result<Expression> {
        let inner = self.parenthesis()?;
        let is_product = self.next_is("∘") || self.next_is("*") || self.next_is(".*");
        if !(is_product && self.next_is("G")) {
            return Err(self.fault("lacks ∘ G after exp(…)"));
        }
        Ok(Expression::Scale(Box::new(inner)))
    }

    fn parenthesis(&mut self) -> Result<Expression> {
        if !self.next_is("(") {
            return Err(self.fault("lacks an opening parenthesis"));
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fault("has too many parentheses within one another"));
        }
        let inner = self.sum()?;
        if !self.next_is(")") {
            return Err(self.fault("lacks a closing parenthesis"));
        }
        self.depth -= 1;
        Ok(inner)
    }

    /// A factor; one on the right is the transpose of what is read.
    fn factor(&mut self, is_right: bool) -> Result<Factor> {
        let (at, letter) = (self.at, self.characters.get(self.at).copied());
        if letter == Some('(') {
            let inner = self.parenthesis()?;
            return Ok(Factor::Real(if is_right { inner.transposed() } else { inner }));
        }
        self.at += 1;
        let factor = match letter {
            Some('G') => Factor::Real(Expression::Gaussian),
            Some('M') => Factor::Multinomial,
            Some('B') => Factor::Bernoulli,
            Some('C') => Factor::Chain,
            _ => {
                self.at = at;
                return Err(self.fault("has no factor"));
            }
        };
        let is_transposed = ["ᵀ", "^T", "'"].into_iter().any(|mark| self.next_is(mark));
        let has_side = !matches!(factor, Factor::Real(_));
        if has_side && is_transposed != is_right || !has_side && is_transposed {
            self.at = at;
            return Err(self.fault(
                "has M, B or C on the wrong side: they stand on the left, or on the right transposed",
            ));
        }
        Ok(factor)
    }
}
