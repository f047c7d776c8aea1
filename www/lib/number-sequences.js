// @ts-check
/**
 * Number sequences explained by a small grammar, step by step (Grosse 2014, section 1.4): the simplest structure search.
 *
 *   R → cumsum(R) | square(R) | nthprime(R) | 1:N
 *
 * R is what is not explained yet: two whole numbers a and b from 1 to 1,000, each with probability in proportion to 1/n,
 * and N numbers drawn uniformly between them. Every operation can be undone in at most one way, so that the probability
 * of a sequence under an expression is that of its residue under R. Each choice of the grammar, to stop included, has
 * probability 1/5. Plain JavaScript: Node tests it as it is.
 */

/** The largest number that R draws. */
export const LARGEST = 1000;

const LARGEST_TEXT = LARGEST.toLocaleString('en');

/** Choices of the grammar at every step: four productions, and to stop. */
export const NUM_CHOICES = 5;

/** How many numbers a sequence may have. */
export const LENGTHS = { min: 3, max: 10 };

/** @typedef {'cumsum' | 'square' | 'nthprime' | '1:N'} Production */

/** The productions, in the order of the thesis. */
export const PRODUCTIONS = /** @type {const} */ (['cumsum', 'square', 'nthprime', '1:N']);

/**
 * What an operation leaves to explain, or why it cannot have made the numbers.
 * @typedef {object} Undone
 * @property {number[] | undefined} residue Empty where nothing is left.
 * @property {string} problem Empty where there is a residue.
 */

/**
 * An expression that can have made the numbers.
 * @typedef {object} Explanation
 * @property {Production[]} productions From the outermost on.
 * @property {number[][]} residues The sequence, and what is left after every production but 1:N.
 * @property {number} probability Of the sequence under the expression.
 * @property {number} score The same times the prior probability of the expression.
 */

/**
 * @typedef {object} Trial
 * @property {Explanation} from What is extended.
 * @property {Production} production
 * @property {Explanation | undefined} made
 * @property {string} problem Why nothing was made.
 * @property {boolean} isKept Whether the search went on from it.
 */

/**
 * @typedef {object} Level
 * @property {Explanation} best
 * @property {Trial[]} trials All that was tried; none at level 0, which is R.
 */

/**
 * The probability that R draws numbers: the sum over both bounds, a and b.
 * @param {readonly number[]} numbers Whole, from 1 to 1,000.
 */
export function probabilityOfR(numbers) {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const weight = boundsWeight(numbers.length);
  let sum = 0;
  for (let low = 1; low <= least; low++) {
    for (let high = most; high <= LARGEST; high++) sum += weight(low, high);
  }
  return sum;
}

/**
 * The probability of the bounds low and high, in either order, and of so many numbers between them.
 * @param {number} numNumbers
 * @returns {(low: number, high: number) => number}
 */
function boundsWeight(numNumbers) {
  let total = 0;
  for (let n = 1; n <= LARGEST; n++) total += 1 / n;
  const powers = Float64Array.from({ length: LARGEST + 1 }, (_, width) => width ** -numNumbers);
  return (low, high) => {
    const orders = low === high ? 1 : 2;
    return (orders * (powers[high - low + 1] ?? 0)) / (low * high * total * total);
  };
}

/**
 * What R draws next, given the numbers before: the probabilities of 0, 1, …, 1,000.
 * @param {readonly number[]} numbers
 */
export function nextOfR(numbers) {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const weight = boundsWeight(numbers.length + 1);
  const next = new Float64Array(LARGEST + 1);
  // Beyond the greatest so far the upper bound has to be at least that far; below the least, the lower.
  let sum = 0;
  for (let high = LARGEST; high >= most; high--) {
    for (let low = 1; low <= least; low++) sum += weight(low, high);
    next[high] = sum;
  }
  next.fill(sum, least, most);
  sum = 0;
  for (let low = 1; low < least; low++) {
    for (let high = most; high <= LARGEST; high++) sum += weight(low, high);
    next[low] = sum;
  }
  const before = probabilityOfR(numbers);
  return next.map((probability) => probability / before);
}

/**
 * Undoes running totals: the differences, and the first number as it is.
 * @param {readonly number[]} numbers
 * @returns {Undone}
 */
function undoCumsum(numbers) {
  const residue = numbers.map((number, n) => number - (numbers[n - 1] ?? 0));
  const at = residue.findIndex((difference) => difference < 1);
  if (at < 0) return { residue, problem: '' };
  return { residue: undefined, problem: `${numbers[at]} is not above ${numbers[at - 1]}` };
}

/**
 * @param {readonly number[]} numbers
 * @returns {Undone}
 */
function undoSquare(numbers) {
  const residue = numbers.map(Math.sqrt);
  const at = residue.findIndex((root) => !Number.isInteger(root));
  if (at < 0) return { residue, problem: '' };
  return { residue: undefined, problem: `${numbers[at]} is not a square` };
}

/**
 * @param {readonly number[]} numbers
 * @returns {Undone}
 */
function undoNthprime(numbers) {
  const primes = primesBelow(Math.max(...numbers) + 1);
  const residue = numbers.map((number) => primes.indexOf(number) + 1);
  const at = residue.indexOf(0);
  if (at < 0) return { residue, problem: '' };
  return { residue: undefined, problem: `${numbers[at]} is not a prime` };
}

/**
 * @param {readonly number[]} numbers
 * @returns {Undone}
 */
function undoCount(numbers) {
  const at = numbers.findIndex((number, n) => number !== n + 1);
  if (at < 0) return { residue: [], problem: '' };
  return { residue: undefined, problem: `${numbers[at]} is not ${at + 1}` };
}

/**
 * All primes below a number, in order.
 * @param {number} limit
 */
function primesBelow(limit) {
  const isComposite = new Uint8Array(limit);
  const primes = [];
  for (let n = 2; n < limit; n++) {
    if (isComposite[n]) continue;
    primes.push(n);
    for (let multiple = n * n; multiple < limit; multiple += n) isComposite[multiple] = 1;
  }
  return primes;
}

/**
 * @param {Production} production
 * @param {readonly number[]} numbers
 */
export function undo(production, numbers) {
  if (production === 'cumsum') return undoCumsum(numbers);
  if (production === 'square') return undoSquare(numbers);
  return production === 'nthprime' ? undoNthprime(numbers) : undoCount(numbers);
}

/**
 * Carries out an operation; 1:N counts.
 * @param {Production} production
 * @param {readonly number[]} numbers
 * @returns {number[]}
 */
export function apply(production, numbers) {
  if (production === 'square') return numbers.map((number) => number * number);
  if (production === '1:N') return numbers.map((_, n) => n + 1);
  if (production === 'cumsum') {
    let total = 0;
    return numbers.map((number) => {
      total += number;
      return total;
    });
  }
  const most = Math.max(...numbers, 6);
  // The nth prime is below n (ln n + ln ln n) from the sixth on (Rosser 1941).
  const primes = primesBelow(Math.ceil(most * (Math.log(most) + Math.log(Math.log(most)))) + 1);
  return numbers.map((number) => primes[number - 1] ?? Number.NaN);
}

/**
 * The search: at every level each kept explanation is extended by each production, and the `keep` best are kept. It ends
 * with the first level whose best is no better than the best before.
 * @param {readonly number[]} numbers
 * @param {number} keep
 * @returns {{ levels: Level[], inVain: Trial[] }} Level 0 is R, and each has a better explanation than the one before;
 *   and what was tried at the level after the last.
 */
export function search(numbers, keep) {
  const probability = probabilityOfR(numbers);
  /** @type {Explanation} */
  let best = {
    productions: [],
    residues: [[...numbers]],
    probability,
    score: probability / NUM_CHOICES,
  };
  /** @type {Level[]} */
  const levels = [{ best, trials: [] }];
  let kept = [best];
  for (;;) {
    const trials = kept
      .filter(({ productions }) => productions.at(-1) !== '1:N')
      .flatMap((from) => PRODUCTIONS.map((production) => extend(from, production)));
    const made = trials.flatMap((trial) => trial.made ?? []).sort((a, b) => b.score - a.score);
    kept = made.slice(0, keep);
    const [first] = kept;
    if (!first || first.score <= best.score) return { levels, inVain: trials };
    for (const trial of trials) trial.isKept = kept.some((one) => one === trial.made);
    best = first;
    levels.push({ best, trials });
  }
}

/**
 * Replaces the R of an expression.
 * @param {Explanation} from
 * @param {Production} production
 * @returns {Trial}
 */
export function extend(from, production) {
  const { residue, problem } = undo(production, from.residues.at(-1) ?? []);
  if (!residue) return { from, production, made: undefined, problem, isKept: false };
  const isWhole = production === '1:N';
  const productions = [...from.productions, production];
  const probability = isWhole ? 1 : probabilityOfR(residue);
  const numChoices = productions.length + (isWhole ? 0 : 1);
  const made = {
    productions,
    residues: isWhole ? from.residues : [...from.residues, residue],
    probability,
    score: probability * NUM_CHOICES ** -numChoices,
  };
  return { from, production, made, problem: '', isKept: false };
}

/**
 * The terms that an explanation without R continues with, for every residue; none where R is left.
 * @param {Explanation} explanation
 * @param {number} numNext
 * @returns {number[][]} As many rows as residues.
 */
export function continuation({ productions, residues }, numNext) {
  if (productions.at(-1) !== '1:N') return residues.map(() => []);
  const length = (residues[0]?.length ?? 0) + numNext;
  let row = apply('1:N', new Array(length).fill(0));
  const rows = [row];
  for (const production of productions.slice(0, -1).reverse()) {
    row = apply(production, row);
    rows.unshift(row);
  }
  return rows.map((whole) => whole.slice(-numNext));
}

/**
 * Where the next term lies with a probability of at least `mass`, if R is left: quantiles of what R draws next, put through
 * the operations, which all grow.
 * @param {Explanation} explanation
 * @param {number} mass
 * @returns {{ low: number, median: number, high: number }}
 */
export function nextRange({ productions, residues }, mass) {
  const left = residues.at(-1) ?? [];
  const next = nextOfR(left);
  const at = (/** @type {number} */ share) => {
    let row = [...left, quantile(next, share)];
    for (const production of [...productions].reverse()) row = apply(production, row);
    return row.at(-1) ?? 0;
  };
  return { low: at((1 - mass) / 2), median: at(0.5), high: at((1 + mass) / 2) };
}

/**
 * The first value at which the sum of the probabilities reaches a share.
 * @param {Float64Array} probabilities
 * @param {number} share
 */
function quantile(probabilities, share) {
  let sum = 0;
  const at = probabilities.findIndex((probability) => {
    sum += probability;
    return sum >= share;
  });
  return at < 0 ? probabilities.length - 1 : at;
}

/**
 * An expression as the thesis writes it: cumsum(square(R)).
 * @param {readonly Production[]} productions
 * @param {number} numNumbers
 */
export function expressionText(productions, numNumbers) {
  const isWhole = productions.at(-1) === '1:N';
  const names = isWhole ? productions.slice(0, -1) : productions;
  const end = isWhole ? `1:${numNumbers}` : 'R';
  return `${names.map((name) => `${name}(`).join('')}${end}${')'.repeat(names.length)}`;
}

/**
 * Bits of a probability: how much there is still to explain.
 * @param {number} probability
 */
export function bitsOf(probability) {
  return Math.max(0, -Math.log2(probability));
}

/**
 * The numbers of a text, or what is wrong with it.
 * @param {string} text Numbers with commas, semicolons, blanks or line breaks between them.
 * @returns {{ numbers: number[] | undefined, problem: string }}
 */
export function readNumbers(text) {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  const refuse = (/** @type {string} */ words) => ({
    numbers: undefined,
    problem: `Numbers: ${words}.`,
  });
  const odd = parts.find((part) => !/^[+-]?\d+$/.test(part));
  if (odd !== undefined) {
    const shown = odd.length > 20 ? `${odd.slice(0, 20)}…` : odd;
    return refuse(`“${shown}” is not a whole number; give whole numbers from 1 to ${LARGEST_TEXT}`);
  }
  const far = parts.find((part) => Number(part) < 1 || Number(part) > LARGEST);
  if (far !== undefined) {
    const shown = far.length > 20 ? `${far.slice(0, 20)}…` : far;
    return refuse(
      `${shown} is not from 1 to ${LARGEST_TEXT}, where R draws its numbers; leave it out`,
    );
  }
  if (parts.length < LENGTHS.min) {
    return refuse(`there are ${parts.length}; give at least ${LENGTHS.min}`);
  }
  if (parts.length > LENGTHS.max) {
    return refuse(`there are ${parts.length}; give at most ${LENGTHS.max}`);
  }
  return { numbers: parts.map(Number), problem: '' };
}
