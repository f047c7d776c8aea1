// @ts-check
/**
 * Schedules of annealing: the K + 1 numbers β from 0 to 1. The engine has its own; these are for pictures before a
 * run, and for the one that is drawn by hand. Plain JavaScript, so that the tests run it in Node.
 */

/** @typedef {readonly [x: number, y: number]} Point */

/**
 * @param {number} numDistributions K
 * @returns {number[]}
 */
export function linear(numDistributions) {
  return Array.from({ length: numDistributions + 1 }, (_, k) => k / numDistributions);
}

/**
 * Denser towards both ends, along a logistic function (Grosse 2014, 7.3.3).
 * @param {number} numDistributions K
 * @param {number} delta δ, how much of the function is used on either side.
 * @returns {number[]}
 */
export function sigmoidal(numDistributions, delta = 4) {
  const raw = (/** @type {number} */ k) =>
    1 / (1 + Math.exp(-delta * ((2 * k) / numDistributions - 1)));
  const [low, high] = [raw(0), raw(numDistributions)];
  return linear(numDistributions).map((share, k) =>
    k === 0 || k === numDistributions ? share : (raw(k) - low) / (high - low),
  );
}

/**
 * A curve from (0, 0) through the points to (1, 1) that nowhere falls, if they ascend in both coordinates: cubic
 * pieces whose slopes at the points are kept small enough (Fritsch and Butland 1984, weighted harmonic means of the
 * secants on either side).
 * @param {readonly Point[]} points
 * @returns {(x: number) => number}
 */
export function monotoneCurve(points) {
  /** @type {Point[]} */
  const knots = [[0, 0], ...points, [1, 1]];
  const widths = knots.slice(1).map(([x], n) => x - at(knots, n)[0]);
  const secants = knots.slice(1).map(([, y], n) => (y - at(knots, n)[1]) / at(widths, n));
  const slopes = knots.map((_, n) => {
    if (n === 0) return at(secants, 0);
    if (n === knots.length - 1) return at(secants, n - 1);
    const [before, after] = [at(secants, n - 1), at(secants, n)];
    const [left, right] = [at(widths, n - 1), at(widths, n)];
    const [a, b] = [2 * right + left, right + 2 * left];
    return (a + b) / (a / before + b / after);
  });
  return (x) => {
    const next = knots.findIndex(([place]) => place >= x);
    if (next <= 0) return next < 0 ? 1 : 0;
    const n = next - 1;
    const width = at(widths, n);
    const t = (x - at(knots, n)[0]) / width;
    const [from, to] = [at(knots, n)[1], at(knots, next)[1]];
    const [slope, end] = [width * at(slopes, n), width * at(slopes, next)];
    // Hermite's form of the cubic piece, in t and what is left of it.
    const left = 1 - t;
    return (
      from * left * left * (1 + 2 * t) +
      to * t * t * (1 + 2 * left) +
      t * left * (left * slope - t * end)
    );
  };
}

/**
 * The schedule along such a curve.
 * @param {readonly Point[]} points
 * @param {number} numDistributions K
 * @returns {number[]}
 */
export function drawn(points, numDistributions) {
  const curve = monotoneCurve(points);
  return linear(numDistributions).map((share, k) =>
    k === 0 || k === numDistributions ? share : curve(share),
  );
}

/**
 * β after a share of the distributions, linear between one and the next.
 * @param {ArrayLike<number>} betas
 * @param {number} share From 0 to 1.
 */
export function betaAt(betas, share) {
  const place = share * (betas.length - 1);
  const before = Math.min(Math.floor(place), betas.length - 2);
  const [from, to] = [Number(betas[before]), Number(betas[before + 1])];
  return from + (place - before) * (to - from);
}

/**
 * @template T
 * @param {readonly T[]} values
 * @param {number} n
 * @returns {T}
 */
function at(values, n) {
  return /** @type {T} */ (values[n]);
}
