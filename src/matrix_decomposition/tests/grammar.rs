//! The grammar against its twin that rewrites strings.

use crate::expression::Expression;
use crate::moves::{all_moves, moved};
use crate::parse::parse;
use std::collections::BTreeSet;

/// All that one production makes of a string of the thesis's notation, in which `T` after a letter is a transpose: any
/// G may be expanded, and any but the first noise of the whole made sparse.
fn rewritten(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for (at, _) in text.match_indices('G') {
        // The second factor of exp(…)∘G is that of the production; it stays.
        if text[..at].ends_with('∘') {
            continue;
        }
        let (before, after) = (&text[..at], &text[at + 1..]);
        // A sum is put in parentheses, but within a sum and where it is all there is.
        let last = !matches!(before.chars().last(), None | Some('+' | '('));
        let in_product = last || !matches!(after.chars().next(), None | Some('+' | ')'));
        let rules = ["GG+G", "MG+G", "GMT+G", "BG+G", "GBT+G", "CG+G", "GCT+G"];
        for rule in rules {
            let rule = if in_product { format!("({rule})") } else { rule.to_owned() };
            all.insert(format!("{before}{rule}{after}"));
        }
        // The thesis counts noise that a production has added as no longer that of the whole.
        let is_outer = before.matches('(').count() == before.matches(')').count();
        let is_first = after.is_empty() && is_outer && num_terms(text) <= 1;
        if !is_first {
            let rule = if in_product { "(exp(G)∘G)" } else { "exp(G)∘G" };
            all.insert(format!("{before}{rule}{after}"));
        }
    }
    all
}

/// Number of terms of the outermost sum.
fn num_terms(text: &str) -> usize {
    let (mut depth, mut count) = (0, 0);
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '+' if depth == 0 => count += 1,
            _ => {}
        }
    }
    count
}

fn of_string(text: &str) -> Expression {
    parse(&text.replace('T', "ᵀ")).expect("a structure")
}

/// "2496 models reachable within 3 steps" (figure 3-3), of which 7 in one and 120 in two; a count of strings, in which the
/// order of terms makes a difference.
#[test]
fn there_are_as_many_structures_as_the_thesis_says() {
    let mut levels = vec![BTreeSet::from(["G".to_owned()])];
    for _ in 0..3 {
        levels.push(levels[levels.len() - 1].iter().flat_map(|text| rewritten(text)).collect());
    }
    let within = |count: usize| -> usize {
        levels[1..=count].iter().flatten().collect::<BTreeSet<_>>().len()
    };
    assert_eq!([within(1), within(2), within(3)], [7, 120, 2496]);

    // They are those of the moves, but for sparse noise of the whole.
    let mut ours = vec![BTreeSet::from([Expression::Gaussian])];
    for _ in 0..3 {
        let of = |from: &Expression| -> Vec<Expression> {
            let all = all_moves(from, false);
            all.iter().map(|step| moved(from, step).canonical()).collect()
        };
        ours.push(ours[ours.len() - 1].iter().flat_map(of).collect());
    }
    let is_plain = |structure: &Expression| match structure {
        Expression::Sum(_, noise) => **noise == Expression::Gaussian,
        _ => true,
    };
    for (theirs, ours) in levels.iter().zip(&ours) {
        let all = theirs.iter().map(|text| of_string(text).canonical());
        let theirs: BTreeSet<Expression> = all.filter(is_plain).collect();
        assert_eq!(&theirs, ours);
    }
}

#[test]
fn structures_are_read_as_they_are_printed() {
    let mut level = BTreeSet::from([Expression::Gaussian]);
    let mut count = 0;
    for _ in 0..3 {
        let of = |from: &Expression| -> Vec<Expression> {
            all_moves(from, true).iter().map(|step| moved(from, step).canonical()).collect()
        };
        level = level.iter().flat_map(of).collect();
        for structure in &level {
            let text = structure.to_string();
            assert_eq!(&parse(&text).expect("a structure"), structure, "{text}");
            assert_eq!(&structure.transposed().transposed(), structure);
            count += 1;
        }
    }
    assert!(count > 1500, "{count}");
}

#[test]
fn the_names_of_the_thesis_are_read() {
    for text in [
        "G",
        "MG + G",
        "M(GMᵀ + G) + G",
        "(MG + G)(GMᵀ + G) + G",
        "B(GBᵀ + G) + G",
        "(CG + G)G + G",
        "(exp(G) ∘ G)G + G",
        "(exp(GG + G) ∘ G)G + G",
        "C(GG + G) + G",
        "(MG + G)Mᵀ + G",
        "(MG + G)Mᵀ + BG + G",
        "M(GG + exp(G) ∘ G) + G",
    ] {
        assert_eq!(parse(text).expect("a structure").to_string(), text);
        assert_eq!(
            parse(&text.replace('ᵀ', "^T").replace('∘', "*")).expect("one").to_string(),
            text
        );
    }
}

#[test]
fn what_is_no_structure_is_refused_with_its_place() {
    for (text, problem) in [
        ("", "has no factor"),
        ("GG", "lacks + G"),
        ("MG", "lacks + G"),
        ("GM + G", "on the wrong side"),
        ("MᵀG + G", "on the wrong side"),
        ("MMᵀ + G", "without a G"),
        ("M + G", "without a factor beside it"),
        ("G + G", "noise twice"),
        ("(GG + G) + G", "a sum within a sum"),
        ("exp(G) + G", "lacks ∘ G"),
        ("(GG + G", "lacks a closing parenthesis"),
        ("GG + G)", "something after its end"),
        ("GGG + G", "lacks + G"),
        ("XG + G", "has no factor"),
    ] {
        let message = parse(text).expect_err(text).to_string();
        assert!(message.contains(problem), "{text}: {message}");
        assert!(message.contains("structure"), "{message}");
    }
    assert!(parse(&"(".repeat(100)).is_err());
}
