/**
 * Shapes on the plane as mixtures of many small round Gaussians along lines. So draws are exact, the density is known,
 * and so is that of draws with normal noise: variances add. Plain JavaScript, so that the tests run it in Node.
 */

/**
 * Middles of the components, all of one weight, and their standard deviation.
 * @typedef {{ means: number[], sd: number }} Shape
 */

/**
 * Points on a curve at even lengths along it.
 * @param {number} count
 * @param {(t: number) => readonly [number, number]} curve For t from 0 to 1.
 * @returns {number[]} `[count, 2]`
 */
export function along(count, curve) {
  const FINE = 2000;
  const lengths = [0];
  for (let n = 1; n <= FINE; n++) {
    const [x, y] = curve(n / FINE);
    const [beforeX, beforeY] = curve((n - 1) / FINE);
    lengths.push(Number(lengths[n - 1]) + Math.hypot(x - beforeX, y - beforeY));
  }
  const points = [];
  let at = 0;
  for (let n = 0; n < count; n++) {
    const wanted = ((n + 0.5) / count) * Number(lengths[FINE]);
    while (at < FINE && Number(lengths[at]) < wanted) at++;
    points.push(...curve(at / FINE));
  }
  // Sines differ in the last bits between browsers; these digits do not.
  return points.map((value) => Number(value.toFixed(6)));
}

/** @type {(from: readonly [number, number], to: readonly [number, number]) => (t: number) => readonly [number, number]} */
const line = (from, to) => (t) => [
  from[0] + t * (to[0] - from[0]),
  from[1] + t * (to[1] - from[1]),
];

/** @type {(middle: readonly [number, number], radius: number, from: number, to: number) => (t: number) => readonly [number, number]} */
const arc = (middle, radius, from, to) => (t) => {
  const angle = Math.PI * (from + t * (to - from));
  return [middle[0] + radius * Math.cos(angle), middle[1] + radius * Math.sin(angle)];
};

const LEVELS = [-1.4, 0, 1.4];

/** All fit between −2 and 2, both ways. */
export const SHAPES = {
  moons: {
    name: 'Two moons',
    sd: 0.12,
    means: [
      ...along(24, arc([-0.65, -0.35], 1.3, 0, 1)),
      ...along(24, arc([0.65, 0.35], 1.3, 1, 2)),
    ],
  },
  ring: { name: 'Ring', sd: 0.12, means: along(48, arc([0, 0], 1.5, 0, 2)) },
  spiral: {
    name: 'Spiral',
    sd: 0.09,
    means: along(72, (t) => {
      const angle = Math.PI * (0.5 + 3.5 * t);
      const radius = 0.3 + 1.65 * t;
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    }),
  },
  pinwheel: {
    name: 'Pinwheel',
    sd: 0.1,
    means: Array.from({ length: 5 }, (_, arm) =>
      along(12, (t) => {
        const radius = 0.4 + 1.5 * t;
        const angle = Math.PI * (0.4 * arm + 0.33 * radius);
        return [radius * Math.cos(angle), radius * Math.sin(angle)];
      }),
    ).flat(),
  },
  grid: {
    name: 'Nine spots',
    sd: 0.2,
    means: LEVELS.flatMap((y) => LEVELS.flatMap((x) => [x, y])),
  },
  rows: {
    name: 'Three rows',
    sd: 0.13,
    means: LEVELS.flatMap((y) => along(20, line([-1.9, y], [1.9, y]))),
  },
  columns: {
    name: 'Three columns',
    sd: 0.13,
    means: LEVELS.flatMap((x) => along(20, line([x, -1.9], [x, 1.9]))),
  },
};

/**
 * The mixture with normal noise of this standard deviation added.
 * @param {Shape} shape
 * @param {number} noise
 * @returns {{ kind: 'mixture', dim: 2, means: number[], covariances: number[] }}
 */
export function noisy({ means, sd }, noise) {
  return { kind: 'mixture', dim: 2, means, covariances: [sd * sd + noise * noise] };
}

/**
 * Half of each of two shapes, with noise: what a draw of either is.
 * @param {Shape} a
 * @param {Shape} b
 * @param {number} noise
 * @returns {{ kind: 'mixture', dim: 2, means: number[], weights: number[], covariances: number[] }}
 */
export function eitherOf(a, b, noise) {
  const variances = [a, b].map(({ sd }) => sd * sd + noise * noise);
  const counts = [a, b].map(({ means }) => means.length / 2);
  const of = (/** @type {number[]} */ values) =>
    counts.flatMap((count, n) => Array.from({ length: count }, () => Number(values[n])));
  return {
    kind: 'mixture',
    dim: 2,
    means: [...a.means, ...b.means],
    weights: of(counts.map((count) => 1 / count)),
    covariances: of(variances),
  };
}

/** Side of the square that points are drawn in, both ways from 0, and steps along it. */
const [REACH, STEPS] = [2.4, 36 * 36 - 1];

/**
 * Points as a text of four characters each, to a few thousandths.
 * @param {readonly number[]} points `[.., 2]`
 */
export function printPoints(points) {
  return points
    .map((value) => {
      const step = Math.round(
        ((Math.max(-REACH, Math.min(REACH, value)) + REACH) / (2 * REACH)) * STEPS,
      );
      return step.toString(36).padStart(2, '0');
    })
    .join('');
}

/**
 * The points of such a text.
 * @param {string} text
 * @returns {number[]} `[.., 2]`
 */
export function readPoints(text) {
  return (text.match(/../g) ?? []).map((digits) =>
    Number(((Number.parseInt(digits, 36) / STEPS) * 2 * REACH - REACH).toFixed(4)),
  );
}
