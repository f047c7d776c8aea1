// @ts-check
/**
 * Exact answers for the Ising model on the square lattice without a field: E = −Σ s_i s_j over nearest neighbours, each
 * pair once, s = ±1, at temperature T in units of the coupling (k_B = J = 1, K = 1/T). Energies are per site, in units
 * of the coupling.
 *
 * - the infinite lattice: Onsager (1944) for the energy, Yang (1952) for the magnetization;
 * - a torus of finite sides: Kaufman (1949). With s = sinh 2K, n rows, m columns and
 *   cosh γ_l = cosh 2K coth 2K − cos(πl/n), γ_l ≥ 0 but for γ_0 = 2K + ln tanh K,
 *
 *       Z = ½ (2s)^{nm/2} [Π 2cosh(½mγ_{2r+1}) + Π 2sinh(½mγ_{2r+1}) + Π 2cosh(½mγ_{2r}) + Π 2sinh(½mγ_{2r})],
 *
 *   r = 0 … n − 1.
 *
 * Plain JavaScript, so that Node's tests run it as it is.
 */

/** Where the infinite lattice changes its phase: 2 / ln(1 + √2) (Kramers & Wannier 1941). */
export const CRITICAL_TEMPERATURE = 2 / Math.log(1 + Math.SQRT2);

/**
 * The mean energy per site of the infinite lattice, T > 0:
 * −coth 2K [1 + (2/π)(2 tanh² 2K − 1) K₁(κ)], κ = 2 sinh 2K / cosh² 2K; at the transition it is −√2.
 * @param {number} temperature
 */
export function energyPerSite(temperature) {
  const s = Math.sinh(2 / temperature);
  const c = Math.cosh(2 / temperature);
  // Beyond this, all spins agree to rounding, and the squares below would overflow.
  if (s > 1e100) return -2;
  // 2 tanh² − 1 = (s² − 1)/(s² + 1), and its absolute value is √(1 − κ²), the conjugate modulus.
  const conjugate = ((s - 1) / c) * ((s + 1) / c);
  // (2/π) K₁(κ) = 1 / AGM(1, √(1 − κ²)); at the transition the product has the limit 0.
  const bracket =
    conjugate === 0 ? 1 : 1 + conjugate / arithmeticGeometricMean(1, Math.abs(conjugate));
  return -(c / s) * bracket;
}

/**
 * The mean of |Σ s| / D of the infinite lattice: (1 − sinh⁻⁴ 2K)^{1/8} below the transition, 0 above.
 * @param {number} temperature
 */
export function magnetization(temperature) {
  if (temperature >= CRITICAL_TEMPERATURE) return 0;
  return Math.max(0, 1 - Math.sinh(2 / temperature) ** -4) ** (1 / 8);
}

/**
 * The mean energy per site of a square torus of side² sites: −∂ ln Z/∂K / side². Side ≥ 3, and T from about 0.01 up.
 * @param {number} side
 * @param {number} temperature
 */
export function torusEnergyPerSite(side, temperature) {
  const coupling = 1 / temperature;
  const s = Math.sinh(2 * coupling);
  const c = Math.cosh(2 * coupling);
  const odd = productsOf(side, s, c, 1);
  const even = productsOf(side, s, c, 2);
  // Mode 0 apart: its sinh passes through 0 at the transition, and is negative above.
  const half = 0.5 * side * (2 * coupling + Math.log(Math.tanh(coupling)));
  const halfSlope = 0.5 * side * (2 + 2 / s);
  const sign = half < 0 ? -1 : 1;
  const logCosh = logTwoCosh(half);
  const logSinh = logTwoSinh(Math.abs(half));
  const largest = Math.max(odd.logCosh, even.logCosh + logCosh);
  const part = (/** @type {number} */ log) => Math.exp(log - largest);
  const coshPart = part(even.logCosh + logCosh);
  const sinhPart = sign * part(even.logSinh + logSinh);
  const sum = part(odd.logCosh) + part(odd.logSinh) + coshPart + sinhPart;
  // The derivative of mode 0's cosh is its sinh, and goes with the cosh of the others; and conversely.
  const slope =
    part(odd.logCosh) * odd.coshSlope +
    part(odd.logSinh) * odd.sinhSlope +
    coshPart * even.coshSlope +
    sign * part(even.logCosh + logSinh) * halfSlope +
    sinhPart * even.sinhSlope +
    part(even.logSinh + logCosh) * halfSlope;
  return -(c / s + slope / sum / side ** 2);
}

/**
 * Logarithms of Π 2cosh(½mγ_l) and Π 2sinh(½mγ_l), and their derivatives in K, over l = first, first + 2, … < 2n.
 * @param {number} side
 * @param {number} s sinh 2K
 * @param {number} c cosh 2K
 * @param {number} first
 */
function productsOf(side, s, c, first) {
  const products = { logCosh: 0, logSinh: 0, coshSlope: 0, sinhSlope: 0 };
  for (let l = first; l < 2 * side; l += 2) {
    // cosh γ − 1 = (s − 1)²/s + 2 sin²(πl/2n): nothing cancels near the transition.
    const excess = (s - 1) * ((s - 1) / s) + 2 * Math.sin((0.5 * Math.PI * l) / side) ** 2;
    const sinh = Math.sqrt(excess * (excess + 2));
    const half = 0.5 * side * Math.log1p(excess + sinh);
    const halfSlope = (side * c * ((s - 1) / s) * ((s + 1) / s)) / sinh;
    products.logCosh += logTwoCosh(half);
    products.logSinh += logTwoSinh(half);
    products.coshSlope += halfSlope * Math.tanh(half);
    products.sinhSlope += halfSlope / Math.tanh(half);
  }
  return products;
}

/** @param {number} x ln(2 cosh x) */
function logTwoCosh(x) {
  return Math.abs(x) + Math.log1p(Math.exp(-2 * Math.abs(x)));
}

/** @param {number} x ln(2 sinh x), x ≥ 0 */
function logTwoSinh(x) {
  return x + Math.log(-Math.expm1(-2 * x));
}

/**
 * @param {number} a
 * @param {number} b
 */
function arithmeticGeometricMean(a, b) {
  // Both converge quadratically once they are close; from 10⁻³⁰⁰ that takes 14 steps.
  for (let n = 0; n < 20; n++) [a, b] = [0.5 * (a + b), Math.sqrt(a * b)];
  return a;
}
