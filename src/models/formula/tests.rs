use super::runs::{MAX_STATES, Runs};
use super::*;
use crate::gaussian::GaussianSpec;
use crate::ising::Pattern;
use crate::potts::PottsSpec;
use crate::ring::RingSpec;
use crate::rng::{Purpose, normal, stream};
use crate::site_values::{NumValues, States};
use crate::{Error, Result};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn spec(expression: &str) -> FormulaSpec {
    FormulaSpec {
        expression: expression.into(),
        variables: None,
        constants: BTreeMap::new(),
        params: BTreeMap::new(),
        binary: false,
        num_values: None,
        constraints: Vec::new(),
    }
}

fn value(expression: &str, x: &[f64]) -> f64 {
    let model = spec(expression).build().unwrap_or_else(|error| panic!("{expression}: {error}"));
    let mut energy = [f64::NAN];
    model.energy(Batch::new(model.dim(), x), &mut energy);
    energy[0]
}

fn refusal(expression: &str) -> String {
    spec(expression).build().unwrap_err().to_string()
}

/// Energies and gradients at normal states, `[200]` and `[dim, 200]`.
fn evaluate(model: &dyn Differentiable) -> (Vec<f64>, Vec<f64>) {
    let mut rng = stream(21, Purpose::Example, 0);
    let x: Vec<f64> = (0..model.dim() * 200).map(|_| normal(&mut rng)).collect();
    let mut energy = vec![f64::NAN; 200];
    let mut grad = vec![f64::NAN; x.len()];
    model.energy_grad(Block::new(model.dim(), &x), &mut energy, &mut grad);
    (energy, grad)
}

fn assert_same(formula: &str, model: &dyn Differentiable) {
    let (energy, grad) = evaluate(&spec(formula).build().unwrap());
    let (known_energy, known_grad) = evaluate(model);
    let pairs = energy.iter().chain(&grad).zip(known_energy.iter().chain(&known_grad));
    for (value, known) in pairs {
        assert!((value - known).abs() < 1e-11 * (1.0 + known.abs()), "{value} and {known}");
    }
}

#[test]
fn models_written_as_formulas() {
    assert_same("100*log(sqrt(x^2+y^2))^2", &RingSpec::default().build().unwrap());
    let gaussian = GaussianSpec {
        dim: 3,
        mean: Some(vec![1.0, -2.0, 0.5]),
        precision: Some(vec![2.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 4.0]),
        covariance: None,
    };
    assert_same(
        "(x-1)^2 + (y+2)^2/2 + 2*(z-0.5)^2 + 0.5*(x-1)*(y+2) - 0.3*(x-1)*(z-.5) + 2e-1*(y+2)*(z-0.5)",
        &gaussian.build().unwrap(),
    );
}

#[test]
fn operators_bind_as_written_in_mathematics() {
    let x = &[3.0];
    assert_eq!(value("-x^2", x), -9.0);
    assert_eq!(value("2^x^2", x), 512.0);
    assert_eq!(value("2^-x", x), 0.125);
    assert_eq!(value("2^-x^-1", &[0.5]), 0.25);
    assert_eq!(value("10 - x - 2", x), 5.0);
    assert_eq!(value("12 / x / 2", x), 2.0);
    assert_eq!(value("1 + 2 * x", x), 7.0);
    assert_eq!(value(" ( 1 + 2 ) * x\n", x), 9.0);
    assert_eq!(value("--x - -+-2", x), 1.0);
    assert_eq!(value("x*1.5e1+.5+2.", x), 47.5);
    assert_eq!(value("max(x, 2, 5) + min(1, x)", x), 6.0);
    assert_eq!(value("x^0 + x^1 + x^3 + x^-2*9", x), 32.0);
    assert_eq!(value("pi * x", x), 3.0 * std::f64::consts::PI);
    assert_eq!(value("x*0 + 2^70", x), 1180591620717411303424.0);
}

#[test]
fn variables_are_in_natural_order() {
    let names = |expression: &str| spec(expression).build().unwrap().variables().to_vec();
    assert_eq!(names("y + x"), ["x", "y"]);
    assert_eq!(names("x10 + x9 + x1 + b + α"), ["b", "x1", "x9", "x10", "α"]);
    assert_eq!(value("y - x", &[1.0, 3.0]), 2.0);
    let listed = FormulaSpec {
        variables: Some(vec!["y".into(), "x".into()]),
        constants: [("c".to_string(), 10.0)].into(),
        ..spec("y - x + c")
    };
    let mut energy = [f64::NAN];
    listed.build().unwrap().energy(Batch::new(2, &[1.0, 3.0]), &mut energy);
    assert_eq!(energy, [8.0]);
}

/// The position of a mistake, counted in characters, and what was expected.
#[test]
fn mistakes_are_shown_with_their_column() {
    for (expression, column, words) in [
        ("x^2 +", 6, "expected a number, a name or `(`, but the formula ends"),
        ("x ** 2", 4, "powers are written ^"),
        ("2 x", 3, "multiplication is written *"),
        ("σ σ", 3, "multiplication is written *"),
        ("(x + 1", 7, "expected an operator or `)`, but the formula ends"),
        ("x + 1)", 6, "no open parenthesis"),
        ("gamma(x)", 1, "`gamma` is no function; known are abs"),
        ("x + exp", 5, "write its argument: exp(…)"),
        ("exp(x, x)", 1, "takes one argument, not 2"),
        ("1 + max(x)", 5, "two arguments or more"),
        ("max(x; 1)", 6, "expected an operator, `,` or `)`, found `;`"),
        ("x + 1e999", 5, "the number 1e999 is too large"),
        ("x + log(0 - 1)", 5, "always NaN"),
        ("x + 1/0", 6, "always inf"),
        ("x & y", 3, "found `&`"),
        ("", 0, "must be 1 characters or more"),
        ("   ", 4, "but the formula ends"),
    ] {
        let refusal = refusal(expression);
        assert!(refusal.contains(words), "{expression}: {refusal}");
        let place = format!("model.expression: at column {column}: ");
        assert!(column == 0 || refusal.starts_with(&place), "{expression}: {refusal}");
    }
    assert!(refusal("1 + 2").contains("depends on no variable"));
}

#[test]
fn other_fields_are_checked() {
    let check = |spec: FormulaSpec, words: &str| {
        let refusal = spec.build().unwrap_err().to_string();
        assert!(refusal.contains(words), "{refusal}");
    };
    let list = |names: &[&str]| Some(names.iter().map(|name| name.to_string()).collect());
    check(FormulaSpec { variables: list(&["x"]), ..spec("x + y") }, "at column 5: `y` is unknown");
    check(FormulaSpec { variables: list(&["x", "x"]), ..spec("x") }, "variables[1]: `x` is given");
    check(FormulaSpec { variables: list(&["2x"]), ..spec("x") }, "`2x` is no name");
    check(FormulaSpec { variables: list(&["exp"]), ..spec("x") }, "has a meaning already");
    check(FormulaSpec { variables: list(&[]), ..spec("x") }, "the variables are none");
    let constants: BTreeMap<_, _> = [("c".to_string(), f64::NAN)].into();
    check(FormulaSpec { constants, ..spec("x") }, "model.constants.c: is NaN");
    let constraint = |normal: &[f64], offset| FormulaSpec {
        constraints: vec![HalfSpace { normal: normal.to_vec(), offset }],
        ..spec("x")
    };
    check(constraint(&[1.0, 2.0], 0.0), "model.constraints[0].normal: has 2 entries; give 1");
    check(constraint(&[0.0], 0.0), "is zero");
    check(constraint(&[1.0], f64::INFINITY), "constraints[0].offset");
}

#[test]
fn size_and_depth_are_limited() {
    let nested = |depth: usize| format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(value(&nested(MAX_DEPTH), &[2.0]), 2.0);
    assert!(refusal(&nested(MAX_DEPTH + 1)).contains("nested deeper"));
    assert!(refusal(&nested(4000)).contains("nested deeper"));
    let long = "x".repeat(MAX_LENGTH + 1);
    assert!(matches!(spec(&long).build(), Err(Error::TooLarge { .. })));
    // The length of an expression is not limited by the depth allowed.
    assert_eq!(value(&format!("{}x", "-".repeat(9000)), &[2.0]), 2.0);
    assert_eq!(value(&format!("1{}*x", "^1".repeat(4000)), &[2.0]), 2.0);
    assert_eq!(value(&format!("x{}", "+x".repeat(4000)), &[2.0]), 8002.0);
    assert!(spec(&format!("x{}", "^x".repeat(4000))).build().is_ok());
}

/// Repeated expressions are computed once, and constants in advance.
#[test]
fn common_parts_are_shared() {
    let num_nodes = |expression: &str| spec(expression).build().unwrap().tape.num_nodes();
    // x, y, their sum, its square, its exponential and the product.
    assert_eq!(num_nodes("(x+y)^2 * exp(x+y)"), 6);
    assert_eq!(num_nodes("(y+x)^(1+1) * exp(--(x+y)*(3-2)^4)"), 6);
    // x, its square, 5, their product, the difference, 0 and the sum.
    assert_eq!(num_nodes("x*x - (2+3)*x + 0*(1-1)"), 7);
}

/// NaN and infinities are passed on, in the energy and in min and max.
#[test]
fn no_place_for_the_model() {
    assert_eq!(value("100*log(sqrt(x^2+y^2))^2", &[0.0, 0.0]), f64::INFINITY);
    assert!(value("log(x)", &[-1.0]).is_nan());
    assert!(value("max(1, log(x))", &[-1.0]).is_nan());
    assert!(value("min(log(x), 1)", &[-1.0]).is_nan());
    assert_eq!(value("1/x", &[0.0]), f64::INFINITY);
}

/// Energies and gradients in a and b of the sum over rows, and of all rows one by one.
fn row_sums(expression: &str, num_rows: usize) -> Option<[Vec<f64>; 2]> {
    let column = |seed: u64| -> Vec<f64> {
        let mut rng = stream(seed, Purpose::Example, 1);
        (0..num_rows).map(|_| 0.3 + normal(&mut rng).abs()).collect()
    };
    let (x, y) = (column(31), column(32));
    let columns = [("x", &x[..]), ("y", &y[..])];
    let sum = RowSum::new("f", expression, &["a", "b"], &columns).ok()?;
    // Two chunks of states.
    let states: Vec<f64> = (0..2 * 70).map(|at| 0.2 + f64::from(at % 37) / 20.0).collect();
    let states = Block::new(2, &states);
    let (mut value, mut grad) = (vec![f64::NAN; 70], vec![f64::NAN; 140]);
    sum.evaluate(states, &mut value, Some(&mut grad));
    let mut plain = vec![f64::NAN; 70];
    sum.evaluate(states, &mut plain, None);
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&plain), bits(&value), "{expression}");
    value.extend(grad);
    let mut expected = vec![0.0; value.len()];
    for (x, y) in x.iter().zip(&y) {
        let constants = [("x".to_string(), *x), ("y".to_string(), *y)].into();
        let variables = Some(vec!["a".to_string(), "b".to_string()]);
        let model = FormulaSpec { variables, constants, ..spec(expression) }.build().ok()?;
        let (mut energy, mut grad) = (vec![f64::NAN; 70], vec![f64::NAN; 140]);
        model.energy_grad(states, &mut energy, &mut grad);
        energy.iter().chain(&grad).zip(&mut expected).for_each(|(more, sum)| *sum += more);
    }
    Some([value, expected])
}

/// Whether the sum over rows could be compared.
fn sums_agree(expression: &str, num_rows: usize) -> bool {
    let Some([value, expected]) = row_sums(expression, num_rows) else { return false };
    let scale = expected.iter().fold(1.0, |scale: f64, value| scale.max(value.abs()));
    if !expected.iter().all(|value| value.is_finite()) || scale > 1e8 {
        return false;
    }
    for (value, expected) in value.iter().zip(&expected) {
        assert!((value - expected).abs() < 1e-11 * scale, "{expression}: {value} and {expected}");
    }
    true
}

#[test]
fn sums_over_rows_are_those_of_the_rows() {
    for num_rows in [1, 2, 63, 64, 65, 200] {
        for expression in [
            "-(y - a - b*x)^2 / (2*b^2) - ln(b)",
            "y*ln(sigmoid(a + b*x)) + (1 - y)*ln(1 - sigmoid(a + b*x))",
            "y*ln(a) - a - ln(y) + 3*x*y",
            "softplus(a*x - b)/x + x/(a + y) - 2^(b*x)/a + b^x",
            "max(a, x) - min(x*b, y, 2) + (a + x)^3 - (-x*a)*b",
            "a*b",
            "a - x",
            "(x + y)*(a + b) - (a*x)/b",
            "tanh(a)*exp(b*x)*a + a*exp(b*x)",
        ] {
            assert!(sums_agree(expression, num_rows), "{expression}: not compared");
        }
    }
}

fn never_panics(expression: &str) -> Result<()> {
    let model =
        FormulaSpec { constants: [("c".to_string(), 2.0)].into(), ..spec(expression) }.build()?;
    let width = 3;
    let x = vec![0.5; model.dim() * width];
    let mut energy = [f64::NAN; 3];
    let mut plain = [f64::NAN; 3];
    model.energy_grad(Block::new(model.dim(), &x), &mut energy, &mut vec![0.0; x.len()]);
    one_state_is_as_many(&model, expression);
    model.energy(Batch::new(model.dim(), &x), &mut plain);
    assert_eq!(energy.map(f64::to_bits), plain.map(f64::to_bits), "{expression}");
    let again = model.spec.build()?;
    assert_eq!(again.variables(), model.variables());
    Ok(())
}

/// One state at a time has the bits of many at once, in runs and node by node.
fn one_state_is_as_many(model: &Formula, expression: &str) {
    let (dim, width) = (model.dim(), MAX_STATES + 1);
    let x: Vec<f64> = (0..dim * width).map(|at| 0.7 * (at % 7) as f64 - 1.25).collect();
    let (mut energy, mut grad) = (vec![f64::NAN; width], vec![f64::NAN; x.len()]);
    model.energy_grad(Block::new(dim, &x), &mut energy, &mut grad);
    let is_same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    let runs = Runs::new(model.tape.nodes());
    for state in 0..width {
        let column =
            |of: &[f64]| -> Vec<f64> { of.iter().skip(state).step_by(width).copied().collect() };
        for by in ["runs", "nodes"] {
            let mut slopes = vec![f64::NAN; dim];
            let one = match by {
                "runs" => {
                    let mut all = vec![f64::NAN; x.len()];
                    let value = runs.value_grad(Block::new(dim, &x), state, &mut all);
                    slopes = column(&all);
                    value
                }
                _ => model.tape.value_grad_of_one(&column(&x), &mut slopes),
            };
            assert!(is_same(one, energy[state]), "{expression} by {by}");
            let same_slopes = slopes.iter().zip(column(&grad)).all(|(a, b)| is_same(*a, b));
            assert!(same_slopes, "{expression} by {by}: {slopes:?} and {:?}", column(&grad));
        }
    }
}

/// Formulas of many rows, whose nodes are evaluated in runs.
#[test]
fn rows_have_the_same_bits_for_one_state() {
    for row in [
        "(N - a - b*z)^2/2",
        "N*softplus(a + N*b) - z*(a - N*b)",
        "exp(-N*a^2)*c + ln(1 + exp(b/N))*z",
        "max(a*N, b) - min(z, N, c)/(1 + a^2) + abs(b - N)^1.5 + abs(c)^N",
        "sigmoid(z - N)*tanh(a*b/N) - sin(N*c)*cos(z)",
        "z - (b - (c - (N - (a - z/N))))",
    ] {
        for sign in ["+", "-"] {
            for num_rows in [2, 3, 8, 30] {
                let rows: Vec<String> =
                    (1..=num_rows).map(|n| row.replace('N', &format!("0.{n}"))).collect();
                let expression = format!("a*b*c*z {sign} ({})", rows.join(&format!("){sign}(")));
                one_state_is_as_many(&spec(&expression).build().unwrap(), &expression);
                // The last row stands apart, and rows of two kinds are mixed.
                let mixed = format!("softplus({expression}) - exp(b)*({}) + c", rows.join(")*("));
                one_state_is_as_many(&spec(&mixed).build().unwrap(), &mixed);
            }
        }
    }
}

#[test]
fn every_function_has_the_same_bits_for_one_state() {
    for expression in [
        "-x*y + exp(x) - ln(x^2+1)/y + sqrt(abs(x)) + sin(x)*cos(y) + tanh(x) + sigmoid(y) + softplus(x)",
        "min(x, y) + max(x, 2*y) + x^y + 2^x + y^2.5 + x^3 + y^2 + x^-2 + min(x, x) + x*x*y/x",
        "abs(x - y)*max(x, 1) + 3*x - 2",
    ] {
        one_state_is_as_many(&spec(expression).build().unwrap(), expression);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..Default::default() })]

    /// Arbitrary text.
    #[test]
    fn any_text_is_read_or_refused(expression in "\\PC{0,40}") {
        let _ = never_panics(&expression);
    }

    /// Sums over rows of random formulas.
    #[test]
    fn sums_over_rows_of_any_formula(
        parts in prop::collection::vec((
            prop::sample::select(vec!["+", "-", "*", "/"]),
            prop::sample::select(vec![
                "a", "b", "x", "y", "2", "(a-x)^2", "exp(-b*y)", "ln(a+x)", "(a+b)*x", "sqrt(y)",
                "softplus(x-a)", "max(a,x)", "-(b*x-y)", "a^2", "x^a", "tanh(b)", "(x+y)",
            ]),
        ), 1..9),
    ) {
        let text: String = parts.iter().map(|(operator, operand)| format!("{operator}{operand}")).collect();
        sums_agree(&format!("a{text}"), 70);
        sums_agree(&format!("exp(-(b{text})^2)"), 3);
    }

    /// Text made of the tokens of formulas, much of it valid.
    #[test]
    fn any_tokens_are_read_or_refused(
        tokens in prop::collection::vec(
            prop::sample::select(vec![
                "x", "y", "c", "1", "2", "0.5", "1e3", "+", "-", "*", "/", "^", "(", ")", ",",
                "exp(", "log(", "min(", "tanh(", "sqrt(x", "pi", " ", "é", "^-2", "^0.5", "x+y",
            ]),
            0..20,
        ),
    ) {
        let _ = never_panics(&tokens.concat());
    }
}

fn of_values(expression: &str, num_values: NumValues) -> FormulaSpec {
    FormulaSpec { num_values: Some(num_values), ..spec(expression) }
}

/// A Potts model written as a formula: the same energies, flows and pseudolikelihoods.
#[test]
fn a_potts_model_as_a_formula_is_its_twin() {
    let potts = PottsSpec {
        num_sites: 3,
        num_values: NumValues::Each(vec![3, 2, 3]),
        pattern: Pattern::Pairs { pairs: vec![[0, 2]] },
        fields: Some(vec![0.5, 0.0, 0.0, 0.0, -1.2, 0.0, 0.0, 0.3]),
        couplings: Some(vec![0.7, 0.0, 0.0, 0.0, 0.7, 0.0, 0.0, 0.0, 0.7]),
    };
    let formula = of_values(
        "-0.5*equal(x, 0) + 1.2*y - 0.3*equal(2, z) - 0.7*equal(x, z)",
        NumValues::Each(vec![3, 2, 3]),
    );
    let models: [Box<dyn Model>; 2] =
        [Box::new(potts.build().unwrap()), Box::new(formula.build().unwrap())];
    let all = States::new(models[0].as_sites().unwrap(), States::MAX).unwrap();
    let [known, found] = models.map(|model| all.energies(&*model, 0).1);
    assert_eq!(known.len(), 18);
    known.iter().zip(&found).for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{a} and {b}"));
}

#[test]
fn formulas_of_values_are_checked() {
    let field = |spec: FormulaSpec| spec.build().unwrap_err().field().unwrap().to_owned();
    let all = |count| NumValues::All(count);
    assert_eq!(field(of_values("x + y", all(1))), "model.numValues");
    assert_eq!(field(of_values("x + y", NumValues::Each(vec![2]))), "model.numValues");
    assert_eq!(field(FormulaSpec { binary: true, ..of_values("x", all(2)) }), "model.numValues");
    let constraints = vec![HalfSpace { normal: vec![1.0], offset: 0.0 }];
    assert_eq!(field(FormulaSpec { constraints, ..of_values("x", all(2)) }), "model.constraints");
    assert!(refusal("x + equal(x, y)").contains("real ones never are"));
    let three = of_values("equal(x, y, z)", all(3)).build().unwrap_err().to_string();
    assert!(three.contains("`equal` takes two arguments, not 3"), "{three}");
    of_values("equal(x, y)", all(3)).build().unwrap();
    FormulaSpec { binary: true, ..spec("equal(x, y)") }.build().unwrap();
}
