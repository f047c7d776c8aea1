//! Reads families of kernels as they are printed: `SE × PER + LIN`, `(SE₁ + SE_2) * RQ3`.

use crate::base::{Base, Family, SUBSCRIPTS};
use crate::expression::Shape;
use crate::{Error, Result};

/// Maximum depth of parentheses.
const MAX_DEPTH: usize = 32;

/// Maximum number of characters.
const MAX_LENGTH: usize = 10_000;

/// Reads a family. An input that is left out is the first.
///
/// # Errors
/// [`Error::InvalidSpec`] at `kernel`, with the place counted from 0.
pub fn parse(text: &str) -> Result<Shape> {
    let characters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut reader = Reader { characters, at: 0, depth: 0 };
    if reader.characters.len() > MAX_LENGTH {
        return Err(reader.fault("is too long"));
    }
    let shape = reader.sum()?;
    if reader.at < reader.characters.len() {
        return Err(reader.fault("has something after its end"));
    }
    Ok(shape)
}

struct Reader {
    characters: Vec<char>,
    at: usize,
    depth: usize,
}

impl Reader {
    fn fault(&self, problem: &str) -> Error {
        let problem = format!(
            "{problem}, at character {} without spaces; write base kernels SE, PER, LIN, RQ with + and ×",
            self.at
        );
        Error::spec("kernel", problem)
    }

    fn next_is(&mut self, wanted: &[char]) -> bool {
        let is_next = self.characters.get(self.at).is_some_and(|c| wanted.contains(c));
        self.at += usize::from(is_next);
        is_next
    }

    fn sum(&mut self) -> Result<Shape> {
        let mut terms = vec![self.product()?];
        while self.next_is(&['+']) {
            terms.push(self.product()?);
        }
        Ok(if terms.len() == 1 { terms.remove(0) } else { Shape::Sum(terms) })
    }

    fn product(&mut self) -> Result<Shape> {
        let mut factors = vec![self.factor()?];
        while self.next_is(&['×', '*', 'x']) {
            factors.push(self.factor()?);
        }
        Ok(if factors.len() == 1 { factors.remove(0) } else { Shape::Product(factors) })
    }

    fn factor(&mut self) -> Result<Shape> {
        if self.next_is(&['(']) {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(self.fault("has too many parentheses within one another"));
            }
            let inner = self.sum()?;
            if !self.next_is(&[')']) {
                return Err(self.fault("lacks a closing parenthesis"));
            }
            self.depth -= 1;
            return Ok(inner);
        }
        let rest = &self.characters[self.at..];
        let begins = |family: &&Family| {
            let name = family.name();
            rest.len() >= name.len()
                && rest.iter().zip(name.chars()).all(|(c, letter)| c.eq_ignore_ascii_case(&letter))
        };
        let Some(family) = Family::ALL.iter().find(begins) else {
            return Err(self.fault("has no base kernel where one is due"));
        };
        self.at += family.name().len();
        Ok(Shape::Base(Base::new(*family, self.subscript()?)))
    }

    fn subscript(&mut self) -> Result<usize> {
        let is_marked = self.next_is(&['_']);
        let mut number: Option<usize> = None;
        while let Some(&c) = self.characters.get(self.at) {
            let subscript = SUBSCRIPTS.iter().position(|each| *each == c);
            let Some(digit) = subscript.or(c.to_digit(10).map(|digit| digit as usize)) else {
                break;
            };
            number = Some(number.unwrap_or(0) * 10 + digit);
            self.at += 1;
            if number > Some(1000) {
                return Err(self.fault("has an input that is too large"));
            }
        }
        match number {
            None if is_marked => Err(self.fault("lacks the number of an input")),
            None => Ok(0),
            Some(0) => Err(self.fault("counts inputs from 0; the first is 1")),
            Some(number) => Ok(number - 1),
        }
    }
}
