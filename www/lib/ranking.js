/**
 * Which of several models finds the same rows more probable, and what of that may be concluded. Plain JavaScript: the
 * tests run it in Node.
 *
 * Models that judge the same rows agree on which of them are hard. So a difference is known far better than either
 * mean: its error is that of the mean of ln p_a(x) − ln p_b(x) over rows, and that of log Z where annealing has
 * estimated it.
 */

/** A normal number lies within so many standard deviations of its mean with a probability of 95 %. */
export const WITHIN_95 = 1.96;

/**
 * A model with what it says of the rows.
 * @typedef {object} Judged
 * @property {ArrayLike<number>} rows ln p of each row, in nats.
 * @property {number} logZError Standard error of a log Z that all rows share; 0 where it is exact, and where every row
 *   has an estimate of its own, whose errors show in how much the rows differ.
 * @property {boolean} isExact Whether ln p is exact.
 * @property {boolean} isGenerative Whether what annealing may have missed makes ln p too low. Of other models it makes
 *   log Z too low, and ln p too high.
 * @property {number} loss By how many nats a row annealing may have made ln p of a generative model too low; 0 where it
 *   is exact, and of other models.
 * @property {boolean} isDoubtful Whether annealing has probably missed something.
 */

/**
 * Mean and its standard error, were these a few of many rows.
 * @param {ArrayLike<number>} values
 */
export function meanAndError(values) {
  const count = values.length;
  let sum = 0;
  for (let n = 0; n < count; n++) sum += Number(values[n]);
  const mean = sum / count;
  let squares = 0;
  for (let n = 0; n < count; n++) squares += (Number(values[n]) - mean) ** 2;
  return { mean, error: Math.sqrt(squares / (count - 1) / count) };
}

/**
 * By how many nats a row a model is ahead of another in the mean, with the standard error.
 * @param {Judged} a
 * @param {Judged} b
 */
export function differenceOf(a, b) {
  const { mean, error } = meanAndError(
    Float64Array.from(a.rows, (value, row) => value - Number(b.rows[row])),
  );
  return { difference: mean, error: Math.hypot(error, a.logZError, b.logZError) };
}

/**
 * What may be said of a model against another. `favour` is by how many nats a row annealing was too favourable to a model
 * that is not generative, at most, where the truth is known: so much may be wrong where it is not.
 *
 * - `tie`: the difference is inside of its 95 % error.
 * - `doubtful`: it is not, but annealing may have favoured the one ahead or wronged the one behind by as much.
 * - `ahead`, `behind`: neither.
 *
 * @param {Judged} a
 * @param {Judged} b
 * @param {number} [favour]
 * @returns {{ difference: number, error: number, verdict: 'ahead' | 'behind' | 'tie' | 'doubtful' }}
 */
export function compare(a, b, favour = 0) {
  const { difference, error } = differenceOf(a, b);
  const size = Math.abs(difference);
  // What is not a number is no difference.
  if (!(size > WITHIN_95 * error)) return { difference, error, verdict: 'tie' };
  const [ahead, behind] = difference > 0 ? [a, b] : [b, a];
  const isFavoured = !ahead.isExact && !ahead.isGenerative;
  const isWronged = !behind.isExact && behind.isGenerative;
  const margin = (isFavoured ? favour : 0) + (isWronged ? behind.loss : 0);
  const isDoubtful = (isFavoured && ahead.isDoubtful) || (isWronged && behind.isDoubtful);
  if (isDoubtful || size - margin <= WITHIN_95 * error)
    return { difference, error, verdict: 'doubtful' };
  return { difference, error, verdict: difference > 0 ? 'ahead' : 'behind' };
}

/**
 * The places that each may have: below those that are ahead of it, above those that are behind.
 * @param {readonly Judged[]} all
 * @param {number} [favour]
 * @returns {{ first: number, last: number }[]}
 */
export function placesOf(all, favour) {
  return all.map((one) => {
    const verdicts = all
      .filter((other) => other !== one)
      .map((other) => compare(one, other, favour).verdict);
    const count = (/** @type {string} */ wanted) =>
      verdicts.filter((verdict) => verdict === wanted).length;
    return { first: 1 + count('behind'), last: all.length - count('ahead') };
  });
}
