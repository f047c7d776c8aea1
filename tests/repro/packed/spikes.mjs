// Rows as spikes are: sparse, and together.

/** Chains drawn at once; each is an independent normal vector. */
const MAX_CHAINS = 10_000;

/**
 * A dichotomized Gaussian: `x_i = [√ρ c + √(1 − ρ) n_i > t_i]` of standard normal c and n_i. The thresholds are
 * normal too, of standard deviation 0.3 about that of the rate. All normal numbers are the engine's, so that rows
 * are the same on all machines.
 *
 * @returns {{ data, test }} as `data` of a spec, from the same units
 */
export async function dichotomized(
  engine,
  { numUnits, rate, correlation, numRows, numTestRows, seed },
) {
  const vectors = normalVectors(engine, numUnits + 1, seed);
  const middle = normalQuantile(1 - rate);
  const { value: first } = await vectors.next();
  const thresholds = Array.from({ length: numUnits }, (_, i) => middle + 0.3 * first[i]);
  const [common, own] = [Math.sqrt(correlation), Math.sqrt(1 - correlation)];
  const draw = async (count) => {
    const values = new Uint8Array(count * numUnits);
    for (let row = 0; row < count; row++) {
      const { value: normals } = await vectors.next();
      for (let i = 0; i < numUnits; i++) {
        const level = common * normals[numUnits] + own * normals[i];
        values[row * numUnits + i] = level > thresholds[i] ? 1 : 0;
      }
    }
    return { kind: 'values', dim: numUnits, values };
  };
  return { data: await draw(numRows), test: await draw(numTestRows) };
}

/** How far a model's log likelihood of rows is below the greatest, in nats a row. */
export async function gapBelow(engine, greatest, model, data) {
  const { logLikelihood } = await engine.exact({ model, data });
  return greatest - logLikelihood;
}

async function* normalVectors(engine, dim, seed) {
  for (let again = 0; ; again++) {
    const { draws } = await engine.sample({
      model: { kind: 'gaussian', dim },
      transition: { kind: 'hmc', numLeapfrogSteps: 1, stepSize: 0.1 },
      numChains: MAX_CHAINS,
      numWarmup: 0,
      numDraws: 1,
      start: { kind: 'exact' },
      seed: 1_000_000 * (again + 1) + seed,
    });
    for (let at = 0; at < draws.values.length; at += dim) yield draws.values.subarray(at, at + dim);
  }
}

/** The p-quantile of the standard normal distribution, by bisection of its integral. */
function normalQuantile(p) {
  let [low, high] = [-6, 6];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (normalIntegral(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Φ by its power series, exact to double precision for |x| < 6. */
function normalIntegral(x) {
  let [sum, term] = [x, x];
  for (let k = 1; k < 200; k++) {
    term *= (x * x) / (2 * k + 1);
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}
