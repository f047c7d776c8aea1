// @ts-check
/**
 * Two wells on the line, one deeper than the other:
 *
 *     E(x) = (x² − 2)² / 2 + 0.4 x + c,  p = exp(−E / T) / Z.
 */

const [LOW, HIGH, STEPS] = [-3, 3, 300];
const WIDTH = (HIGH - LOW) / STEPS;

/** Where the curves are computed. */
export const XS = Array.from({ length: STEPS + 1 }, (_, n) => LOW + WIDTH * n);

/**
 * Energies and densities at `XS`, with log Z and the probability of the left well, by the trapezoid rule. Beyond the
 * interval there is less than can be seen.
 * @param {number} constant c
 * @param {number} temperature T
 */
export function wellsOf(constant, temperature) {
  const energies = XS.map((x) => (x * x - 2) ** 2 / 2 + 0.4 * x + constant);
  const lowest = Math.min(...energies);
  const weights = energies.map((energy) => Math.exp((lowest - energy) / temperature));
  const sum = WIDTH * weights.reduce((all, weight) => all + weight, 0);
  const density = weights.map((weight) => weight / sum);
  const left = WIDTH * density.reduce((all, p, n) => all + (Number(XS[n]) < 0 ? p : 0), 0);
  return { energies, density, logZ: Math.log(sum) - lowest / temperature, left };
}
