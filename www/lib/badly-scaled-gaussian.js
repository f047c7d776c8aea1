// @ts-check
/**
 * The Gaussian of Sohl-Dickstein's thesis (2012, eq. 4.1), which is badly parametrized on purpose:
 *
 *     q(x; θ) = N(x; Aθ, I),  A = [[3, 1/3], [1/3, 0]]
 *
 * fitted to data of θ_true = [0, 0] by its negative log likelihood, whose excess over the minimum is the
 * Kullback–Leibler divergence ½|Aθ|², in nats. Its Fisher information G = AᵀA does not depend on θ, so that the
 * whitened space φ = G^½θ (eq. 4.18) is the same everywhere.
 *
 * Plain JavaScript: the lab and the reproduction share it, and Node runs it as it is. Steps take
 * only +, −, ×, ÷ and square roots, so their numbers are the same on every machine.
 */

/** @typedef {readonly [number, number]} Point */
/** @typedef {readonly [Point, Point]} Matrix Rows of a symmetric matrix. */

/** θ at the start of figure 4.1.
 * @type {Point} */
export const START = [1, -1];

/** A, symmetric as it happens.
 * @type {Matrix} */
const MEANS = [
  [3, 1 / 3],
  [1 / 3, 0],
];

/** G, the Fisher information (eq. 4.30).
 * @type {Matrix} */
export const METRIC = product(MEANS, MEANS);

const ROOT_OF_DETERMINANT = Math.sqrt(determinant(METRIC));
const TRACE_OF_ROOT = Math.sqrt(METRIC[0][0] + METRIC[1][1] + 2 * ROOT_OF_DETERMINANT);

/** G^½, the symmetric root: (G + √det G · I) / tr G^½ for two rows, by Cayley and Hamilton.
 * @type {Matrix} */
export const ROOT = [
  [(METRIC[0][0] + ROOT_OF_DETERMINANT) / TRACE_OF_ROOT, METRIC[0][1] / TRACE_OF_ROOT],
  [METRIC[1][0] / TRACE_OF_ROOT, (METRIC[1][1] + ROOT_OF_DETERMINANT) / TRACE_OF_ROOT],
];

/** The eigenvalues of G, the greater first: the curvatures of the objective.
 * @type {Point} */
export const CURVATURES = eigenvalues(METRIC);

/** The step size of steepest descent from which on it diverges. */
export const LARGEST_STEP = 2 / CURVATURES[0];

/**
 * KL(data ‖ model), in nats.
 * @param {Point} theta
 */
export function divergence(theta) {
  const [first, second] = multiply(MEANS, theta);
  return 0.5 * (first * first + second * second);
}

/**
 * ∇J in θ (eq. 4.4 with the other sign): Gθ, as the data have mean 0.
 * @param {Point} theta
 * @returns {Point}
 */
export function gradient(theta) {
  return multiply(METRIC, theta);
}

/**
 * ∇J in φ (eq. 4.21): G^−½ ∇J.
 * @param {Point} phi
 * @returns {Point}
 */
export function whitenedGradient(phi) {
  return solve(ROOT, gradient(unwhiten(phi)));
}

/**
 * The natural gradient G⁻¹∇J (eq. 4.25).
 * @param {Point} theta
 * @returns {Point}
 */
export function naturalGradient(theta) {
  return solve(METRIC, gradient(theta));
}

/**
 * φ = G^½θ.
 * @param {Point} theta
 * @returns {Point}
 */
export function whiten(theta) {
  return multiply(ROOT, theta);
}

/**
 * θ = G^−½φ.
 * @param {Point} phi
 * @returns {Point}
 */
export function unwhiten(phi) {
  return solve(ROOT, phi);
}

/**
 * A step of the size given down a gradient.
 * @param {Point} point
 * @param {Point} slope
 * @param {number} stepSize
 * @returns {Point}
 */
export function step([first, second], [along, across], stepSize) {
  return [first - stepSize * along, second - stepSize * across];
}

/**
 * The divergence after so many steps of steepest descent, from the eigenvalues of G and without a step: each
 * eigenvector's share shrinks by (1 − ελ)² a step. What the steps are checked against.
 * @param {Point} start
 * @param {number} stepSize ε
 * @param {number} numSteps
 */
export function divergenceAfter([first, second], stepSize, numSteps) {
  let sum = 0;
  for (const curvature of CURVATURES) {
    // An eigenvector of [[a, b], [b, d]] is [b, λ − a].
    const [x, y] = [METRIC[0][1], curvature - METRIC[0][0]];
    const share = (first * x + second * y) ** 2 / (x * x + y * y);
    sum += 0.5 * curvature * share * (1 - stepSize * curvature) ** (2 * numSteps);
  }
  return sum;
}

/**
 * Steps down a gradient until the divergence is at most the target: every point from the start on, or as many as the
 * limit allows. It ends early where the descent diverges for good.
 * @param {(theta: Point) => Point} slope
 * @param {{ start?: Point, stepSize: number, target?: number, limit: number }} options
 * @returns {Point[]}
 */
export function descend(slope, { start = START, stepSize, target = 0, limit }) {
  let theta = start;
  const path = [theta];
  while (path.length <= limit && divergence(theta) > target && divergence(theta) < 1e12) {
    theta = step(theta, slope(theta), stepSize);
    path.push(theta);
  }
  return path;
}

/**
 * @param {Matrix} a
 * @param {Matrix} b
 * @returns {Matrix} The product with a symmetric b.
 */
function product(a, b) {
  const [first, second] = [multiply(a, b[0]), multiply(a, b[1])];
  return [
    [first[0], second[0]],
    [first[1], second[1]],
  ];
}

/**
 * @param {Matrix} matrix
 * @param {Point} vector
 * @returns {Point}
 */
function multiply([[a, b], [c, d]], [x, y]) {
  return [a * x + b * y, c * x + d * y];
}

/**
 * @param {Matrix} matrix
 * @param {Point} vector
 * @returns {Point} The vector that the matrix takes there, by Cramer's rule.
 */
function solve(matrix, [x, y]) {
  const [[a, b], [c, d]] = matrix;
  const size = determinant(matrix);
  return [(d * x - b * y) / size, (a * y - c * x) / size];
}

/** @param {Matrix} matrix */
function determinant([[a, b], [c, d]]) {
  return a * d - b * c;
}

/**
 * @param {Matrix} matrix
 * @returns {Point}
 */
function eigenvalues(matrix) {
  const half = (matrix[0][0] + matrix[1][1]) / 2;
  const greater = half + Math.sqrt(half * half - determinant(matrix));
  // Not half minus the root: the two nearly cancel.
  return [greater, determinant(matrix) / greater];
}
