/**
 * Two learned energies made into one (Du, Li and Mordatch 2020; Risteski 2021):
 *
 *     AND  E = E_A + E_B
 *     OR   E = −log(½ e^{−E_A} / Z_A + ½ e^{−E_B} / Z_B)
 *
 * as the text of a module for a model of kind `custom`, in which the weights of both networks stand as numbers. What is
 * learned of an energy leaves its constant open. A sum does not mind; a sum of densities would take whichever constant
 * is lower for the likelier, so that OR needs log Z of both. Plain JavaScript, so that the tests run it in Node.
 */

/**
 * A network as `engine.fit` gives it: `E(x) = |x|²/2s² + w·a_n`, `a_l = softplus(W_l a_{l−1} + b_l)`.
 * @typedef {{ dim: number, numHidden: ArrayLike<number>, weights?: ArrayLike<number>, biases?: ArrayLike<number>,
 *   output?: ArrayLike<number>, scale?: number }} Network
 */

/**
 * @param {'and' | 'or'} kind
 * @param {readonly Network[]} networks Two of two dimensions.
 * @param {readonly number[]} logZ Of both; not used by AND.
 */
export function composedSource(kind, networks, logZ) {
  const parts = networks.map(({ dim, numHidden, weights, biases, output, scale }, n) => {
    const sizes = [dim, ...Array.from(numHidden)];
    const numbers = (/** @type {ArrayLike<number> | undefined} */ values) =>
      `Float64Array.of(${Array.from(values ?? []).join(',')})`;
    return `  { sizes: [${sizes}], scale: ${scale ?? 1}, logZ: ${kind === 'or' ? logZ[n] : 0},
    weights: ${numbers(weights)},
    biases: ${numbers(biases)},
    output: ${numbers(output)} },`;
  });
  return `const networks = [
${parts.join('\n')}
];
${EVALUATE}
${kind === 'and' ? AND : OR}`;
}

const EVALUATE = `// Room for the units' values and slopes, and for what comes back down.
for (const network of networks) {
  const numUnits = network.sizes.slice(1).reduce((sum, size) => sum + size);
  network.values = new Float64Array(numUnits);
  network.slopes = new Float64Array(numUnits);
}

// The energy at x, y and its gradient, as [E, dE/dx, dE/dy] in found.
function evaluate({ sizes, scale, logZ, weights, biases, output, values, slopes }, x, y, found) {
  let weight = 0;
  let below = 0;
  let unit = 0;
  for (let layer = 1; layer < sizes.length; layer++) {
    const start = unit;
    for (let j = 0; j < sizes[layer]; j++, unit++) {
      let u = biases[unit];
      if (layer === 1) {
        u += weights[weight] * x + weights[weight + 1] * y;
        weight += 2;
      } else {
        for (let i = 0; i < sizes[layer - 1]; i++) u += weights[weight++] * values[below + i];
      }
      const e = Math.exp(-Math.abs(u));
      values[unit] = Math.max(u, 0) + Math.log1p(e);
      slopes[unit] = (u >= 0 ? 1 : e) / (1 + e);
    }
    below = start;
  }
  const precision = 1 / (scale * scale);
  let energy = 0.5 * precision * (x * x + y * y) + logZ;
  const last = sizes[sizes.length - 1];
  for (let j = 0; j < last; j++) {
    energy += output[j] * values[below + j];
    slopes[below + j] *= output[j];
  }
  // Down again: slopes become the derivatives in the units' arguments.
  for (let layer = sizes.length - 1; layer > 1; layer--) {
    const start = below - sizes[layer - 1];
    weight -= sizes[layer] * sizes[layer - 1];
    for (let i = 0; i < sizes[layer - 1]; i++) {
      let back = 0;
      for (let j = 0; j < sizes[layer]; j++) back += weights[weight + j * sizes[layer - 1] + i] * slopes[below + j];
      slopes[start + i] *= back;
    }
    below = start;
  }
  found[0] = energy;
  found[1] = precision * x;
  found[2] = precision * y;
  for (let j = 0; j < sizes[1]; j++) {
    found[1] += weights[2 * j] * slopes[j];
    found[2] += weights[2 * j + 1] * slopes[j];
  }
}

const [a, b] = [new Float64Array(3), new Float64Array(3)];
`;

const AND = `export default function (x, energy, grad) {
  for (let n = 0; n < energy.length; n++) {
    evaluate(networks[0], x[2 * n], x[2 * n + 1], a);
    evaluate(networks[1], x[2 * n], x[2 * n + 1], b);
    energy[n] = a[0] + b[0];
    grad[2 * n] = a[1] + b[1];
    grad[2 * n + 1] = a[2] + b[2];
  }
}
`;

const OR = `export default function (x, energy, grad) {
  for (let n = 0; n < energy.length; n++) {
    evaluate(networks[0], x[2 * n], x[2 * n + 1], a);
    evaluate(networks[1], x[2 * n], x[2 * n + 1], b);
    // The part of A in the density there.
    const share = 1 / (1 + Math.exp(a[0] - b[0]));
    energy[n] = Math.min(a[0], b[0]) - Math.log1p(Math.exp(-Math.abs(a[0] - b[0]))) + Math.LN2;
    grad[2 * n] = share * a[1] + (1 - share) * b[1];
    grad[2 * n + 1] = share * a[2] + (1 - share) * b[2];
  }
}
`;

/**
 * Both combinations of energies and gradients that were computed apart: what the module has to give.
 * @param {'and' | 'or'} kind
 * @param {readonly { energies: ArrayLike<number>, gradients: ArrayLike<number> }[]} fields
 * @param {readonly number[]} logZ
 */
export function compose(kind, fields, logZ) {
  const [a, b] = fields;
  if (!a || !b) throw new Error('Two fields are needed.');
  const energies = new Float64Array(a.energies.length);
  const gradients = new Float64Array(a.gradients.length);
  energies.forEach((_, n) => {
    const [energyA, energyB] = [
      Number(a.energies[n]) + Number(logZ[0]),
      Number(b.energies[n]) + Number(logZ[1]),
    ];
    const least = Math.min(energyA, energyB);
    const weights = [Math.exp(least - energyA), Math.exp(least - energyB)];
    const sum = Number(weights[0]) + Number(weights[1]);
    energies[n] =
      kind === 'and' ? Number(a.energies[n]) + Number(b.energies[n]) : least - Math.log(sum / 2);
    for (const d of [0, 1]) {
      const [slopeA, slopeB] = [Number(a.gradients[2 * n + d]), Number(b.gradients[2 * n + d])];
      gradients[2 * n + d] =
        kind === 'and'
          ? slopeA + slopeB
          : (Number(weights[0]) * slopeA + Number(weights[1]) * slopeB) / sum;
    }
  });
  return { energies, gradients };
}
