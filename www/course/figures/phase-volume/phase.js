// @ts-check
/**
 * A patch of places and momenta under two integrators of one direction with E = ½x²: leapfrog, which keeps its area, and
 * Euler's steps, x ← x + εv, v ← v − εx with the old x and v, which make it 1 + ε² times as large.
 */

/** @typedef {readonly [number, number]} Point Place and momentum. */
/** @typedef {'leapfrog' | 'euler'} Integrator */

/** The middle of the patch, and its radius. @type {Point} */
export const CENTRE = [1.5, 0];
const RADIUS = 0.5;
const CORNERS = 72;

/**
 * One step.
 * @type {Record<Integrator, (point: Point, stepSize: number) => Point>}
 */
export const STEPS = {
  leapfrog: ([x, v], stepSize) => {
    const half = v - 0.5 * stepSize * x;
    const to = x + stepSize * half;
    return [to, half - 0.5 * stepSize * to];
  },
  euler: ([x, v], stepSize) => [x + stepSize * v, v - stepSize * x],
};

/** @param {Point} point */
const energyOf = ([x, v]) => 0.5 * (x * x + v * v);

/** The area inside a polygon. @param {readonly Point[]} points */
export function areaOf(points) {
  const sum = points.reduce((all, [x, v], n) => {
    const [nextX, nextV] = /** @type {Point} */ (points[(n + 1) % points.length]);
    return all + x * nextV - nextX * v;
  }, 0);
  return Math.abs(sum) / 2;
}

/**
 * The patch after every step, and what became of its area and of the energy of its middle.
 * @param {Integrator} integrator
 * @param {number} stepSize
 * @param {number} numSteps
 */
export function patchesOf(integrator, stepSize, numSteps) {
  const step = STEPS[integrator];
  /** @type {Point[]} */
  let patch = Array.from({ length: CORNERS }, (_, n) => {
    const angle = (2 * Math.PI * n) / CORNERS;
    return [CENTRE[0] + RADIUS * Math.cos(angle), CENTRE[1] + RADIUS * Math.sin(angle)];
  });
  let middle = CENTRE;
  const area = areaOf(patch);
  const patches = [patch];
  const middles = [middle];
  for (let n = 0; n < numSteps; n++) {
    patch = patch.map((point) => step(point, stepSize));
    middle = step(middle, stepSize);
    patches.push(patch);
    middles.push(middle);
  }
  return {
    patches,
    middles,
    areaRatio: areaOf(patch) / area,
    energyError: energyOf(middle) - energyOf(CENTRE),
  };
}

/** The points of the exact motion of the middle: a circle. */
export const EXACT = Array.from({ length: 121 }, (_, n) => {
  const angle = (2 * Math.PI * n) / 120;
  return /** @type {Point} */ ([CENTRE[0] * Math.cos(angle), CENTRE[0] * Math.sin(angle)]);
});
