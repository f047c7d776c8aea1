// @ts-check
/**
 * The first example of section 8.2 of Grosse's thesis (2014): geometric averages that lose an explanation. A fair coin z
 * chooses the mean of x in five dimensions, 0 or 5 in each; x ~ N(mean, I) is seen to be positive in each. Annealing starts
 * from x ~ N(0, I), which knows nothing of z. On the way
 *
 *     p_β(z, x) ∝ p(z) N(x; 0, I)^(1−β) N(x; 5z, I)^β,  x > 0
 *
 * z = 1 dies out, for the average of two Gaussians that are far apart is small everywhere, and comes back near the end,
 * when no chain can cross any more.
 *
 * Plain JavaScript: the lab and the reproduction share it, and Node runs it as it is.
 */

/** Dimensions of x. */
export const NUM_SEEN = 5;
/** The mean of each where z is 1. */
export const DISTANCE = 5;

/** Half the intervals of the quadrature: twice as many change Φ by less than 10⁻¹³. */
const HALF_INTERVALS = 200;

/** Φ(x) for |x| up to 6, by Simpson's rule from 0. */
export function normalCdf(/** @type {number} */ x) {
  const density = (/** @type {number} */ t) => Math.exp(-0.5 * t * t) / Math.sqrt(2 * Math.PI);
  const width = x / (2 * HALF_INTERVALS);
  let sum = density(0) - density(x);
  for (let n = 0; n < HALF_INTERVALS; n++) {
    sum += 4 * density((2 * n + 1) * width) + 2 * density((2 * n + 2) * width);
  }
  return 0.5 + (width / 3) * sum;
}

/** Where the thesis starts annealing: mean and variance of every coordinate of x. */
export const STANDARD_NORMAL = { mean: 0, variance: 1 };
/** A start that is as far from one explanation as from the other, and over both. */
export const WIDE_START = { mean: 2.5, variance: 9 };

const LOG_ROOT_TWO_PI = 0.5 * Math.log(2 * Math.PI);

/**
 * The geometric average N(x; start)^(1−β) N(x; 5z, 1)^β along one coordinate of x: its mean and sd, and the logarithms of
 * its density, which is not normalized, at the mean, and of its integral over x > 0.
 */
export function averageOf(
  /** @type {{ mean: number, variance: number }} */ start,
  /** @type {number} */ beta,
  /** @type {0 | 1} */ z,
) {
  const end = DISTANCE * z;
  const precision = (1 - beta) / start.variance + beta;
  const mean = (((1 - beta) * start.mean) / start.variance + beta * end) / precision;
  const sd = 1 / Math.sqrt(precision);
  const fromStart =
    0.5 * Math.log(start.variance) + (0.5 * (mean - start.mean) ** 2) / start.variance;
  const logPeak = -LOG_ROOT_TWO_PI - (1 - beta) * fromStart - beta * 0.5 * (mean - end) ** 2;
  const logMass = logPeak + LOG_ROOT_TWO_PI + Math.log(sd) + Math.log(normalCdf(mean / sd));
  return { mean, sd, logPeak, logMass };
}

/** p_β(z = 1) along geometric averages. */
export function shareOfOne(/** @type {number} */ beta, start = STANDARD_NORMAL) {
  const [zero, one] = [averageOf(start, beta, 0), averageOf(start, beta, 1)];
  return 1 / (1 + Math.exp(NUM_SEEN * (zero.logMass - one.logMass)));
}

/**
 * p_β(z = 1) from the standard normal distribution where each explanation's average is normalized, as the thesis mends
 * it: what z = 1 has is all of N(5β, I).
 */
export function mendedShareOfOne(/** @type {number} */ beta) {
  return 1 / (1 + (2 * normalCdf(DISTANCE * beta)) ** -NUM_SEEN);
}

/** ln p(x > 0), in nats: what annealing should find. */
export const LOG_EVIDENCE = Math.log(0.5 * 0.5 ** NUM_SEEN + 0.5 * normalCdf(DISTANCE) ** NUM_SEEN);

/** ln p(x > 0, z = 0): what chains find that all have lost z = 1. */
export const LOG_EVIDENCE_WITHOUT_ONE = (NUM_SEEN + 1) * Math.log(0.5);

/** log Z of the models below is ln p(x > 0) and this: their energies lack the norms of six Gaussians. */
export const LOG_NORM = 0.5 * (NUM_SEEN + 1) * Math.log(2 * Math.PI);

const NAMES = Array.from({ length: NUM_SEEN }, (_, at) => `x${at + 1}`);
/** The coordinates of a model: u, whose sign is z, then x. */
export const VARIABLES = ['u', ...NAMES];
/** The share of chains with z = 1 among states, `[chains, 6]`. */
export function shareSeen(/** @type {ArrayLike<number>} */ states) {
  const dim = VARIABLES.length;
  let numOnes = 0;
  for (let at = 0; at < states.length; at += dim) if (Number(states[at]) > 0) numOnes++;
  return (numOnes * dim) / states.length;
}

/** z as a function of u ~ N(0, 1): a step, but for 10⁻⁶ about 0. */
const Z = 'sigmoid(1e6*u)';

/** x ≥ 0. */
const POSITIVE = NAMES.map((_, at) => ({
  normal: VARIABLES.map((_, place) => (place === at + 1 ? 1 : 0)),
  offset: 0,
}));

const sum = (/** @type {(name: string) => string} */ term) => NAMES.map(term).join(' + ');

/** The model at β = 1. Annealed from the standard normal distribution within x > 0 it goes along p_β. */
export const MODEL = {
  kind: /** @type {const} */ ('formula'),
  expression: `u^2/2 + (${sum((x) => `(${x} - ${DISTANCE}*${Z})^2`)})/2`,
  variables: VARIABLES,
  constraints: POSITIVE,
};

/** p_β where z is 1 alone: its log Z, less `LOG_NORM`, is ln of what z = 1 has at β. */
export function modelOfOne(/** @type {number} */ beta) {
  const sideOfOne = { normal: VARIABLES.map((name) => (name === 'u' ? 1 : 0)), offset: 0 };
  return {
    ...MODEL,
    expression: `u^2/2 + (${sum((x) => `b*(${x} - ${DISTANCE})^2 + (1 - b)*${x}^2`)})/2`,
    constants: { b: beta },
    constraints: [...POSITIVE, sideOfOne],
  };
}

/** The reference that starts so: from it both explanations are found. */
export const WIDE_REFERENCE = {
  kind: /** @type {const} */ ('model'),
  model: {
    kind: /** @type {const} */ ('gaussian'),
    dim: NUM_SEEN + 1,
    mean: VARIABLES.map((name) => (name === 'u' ? 0 : WIDE_START.mean)),
    covariance: VARIABLES.flatMap((a) =>
      VARIABLES.map((b) => (a !== b ? 0 : a === 'u' ? 1 : WIDE_START.variance)),
    ),
  },
};
