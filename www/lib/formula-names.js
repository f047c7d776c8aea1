/**
 * The names in a formula, without parsing it: the engine says whether it makes sense. Plain JavaScript: the tests run it in
 * Node.
 */

/** What a formula may call, and the one constant it knows; as in `FormulaSpec.expression`. */
const KNOWN = new Set('abs cos exp ln log max min pi sigmoid sin softplus sqrt tanh'.split(' '));

/**
 * The names in a formula that are neither functions nor variables, in the order of their first place: its parameters.
 * @param {string} formula
 * @param {readonly string[]} variables
 * @returns {string[]}
 */
export function parametersIn(formula, variables) {
  // The e of 1e-3 is no name.
  const names = formula.match(/(?<![\w.])[A-Za-z_]\w*/g) ?? [];
  return [...new Set(names)].filter((name) => !KNOWN.has(name) && !variables.includes(name));
}

/**
 * Names for the columns of a table that a formula can use: the heads where all of them can be names, else x, y or x1, x2 and
 * so on.
 * @param {readonly string[] | undefined} heads
 * @param {number} dim
 * @returns {string[]}
 */
export function variablesFrom(heads, dim) {
  const areNames =
    heads?.length === dim &&
    new Set(heads).size === dim &&
    heads.every((head) => /^[A-Za-z_]\w{0,19}$/.test(head) && !KNOWN.has(head));
  if (areNames) return [...heads];
  return dim <= 2
    ? ['x', 'y'].slice(0, dim)
    : Array.from({ length: dim }, (_, column) => `x${column + 1}`);
}
