// Contacts from sequences: a sparse Potts model of 53 sites and 21 values, the size of the domain PF00014, is sampled by
// Gibbs chains, and a model of all pairs is fitted to 2,000 of its states by pseudolikelihood, as direct coupling analysis
// does. Do the strongest couplings stand where the model has any?

import { uniforms } from './uniforms.mjs';

export const name = 'potts';
export const about = 'contacts from sequences of a known Potts model, by pseudolikelihood';
export const source = 'Ekeberg et al. 2013';
export const departures = [
  {
    of: 'data',
    paper: 'alignments of protein families, and contacts of their structures',
    ours: 'states of a sparse Potts model, and its pairs',
  },
];

/** The penalty on fields and couplings, in nats per row. */
const STRENGTH = 0.01;

const settings = (quick) =>
  quick
    ? { numSites: 20, numValues: 8, numContacts: 30, numRows: 500, numTop: 15 }
    : { numSites: 53, numValues: 21, numContacts: 100, numRows: 2_000, numTop: 50 };

/** A sum of twelve uniform numbers, minus their mean: nearly normal, and the same on all machines. */
function normals(uniform) {
  return () => {
    let sum = -6;
    for (let n = 0; n < 12; n++) sum += uniform();
    return sum;
  };
}

/**
 * Contacts between random pairs of sites, each with couplings of standard deviation 1, and fields of ½.
 */
function sparseModel({ numSites, numValues, numContacts }, seed) {
  const uniform = uniforms(seed);
  const normal = normals(uniform);
  const chosen = new Set();
  while (chosen.size < numContacts) {
    const [i, j] = [uniform(), uniform()].map((u) => Math.floor(u * numSites));
    if (i < j) chosen.add(i * numSites + j);
  }
  const pairs = [...chosen]
    .sort((a, b) => a - b)
    .map((pair) => [Math.floor(pair / numSites), pair % numSites]);
  const numbers = (count, scale) => Float64Array.from({ length: count }, () => scale * normal());
  return {
    kind: 'potts',
    numSites,
    numValues,
    pattern: { kind: 'pairs', pairs },
    fields: numbers(numSites * numValues, 0.5),
    couplings: numbers(pairs.length * numValues ** 2, 1),
  };
}

export async function run({ unnorm, engine, quick, seed, log }) {
  const size = settings(quick);
  const { numSites, numValues, numContacts, numRows, numTop } = size;
  const truth = sparseModel(size, seed);
  const { draws } = await engine.sample({
    model: truth,
    transition: { kind: 'gibbs' },
    numChains: numRows,
    numWarmup: 300,
    numDraws: 1,
    moments: false,
    seed,
  });
  log(`${numRows} states drawn`);
  const started = performance.now();
  const fit = await engine.fit({
    model: { kind: 'potts', numSites, numValues },
    data: { kind: 'bits', ...draws },
    objective: { kind: 'pseudolikelihood' },
    regularizer: { kind: 'l2', strength: STRENGTH, includeBiases: true },
    optimizer: { kind: 'lbfgs', memory: 5 },
    seed,
  });
  const seconds = (performance.now() - started) / 1000;
  log(`fitted in ${seconds.toFixed(1)} seconds, ${fit.numEvaluations} evaluations`);
  const isContact = new Set(truth.pattern.pairs.map(([i, j]) => i * numSites + j));
  const rows = [];
  const precision = {};
  for (const averageProductCorrection of [false, true]) {
    const strengths = unnorm.couplingStrengths(fit.model, { averageProductCorrection });
    const found = (count) =>
      strengths.slice(0, count).filter(({ i, j }) => isContact.has(i * numSites + j)).length /
      count;
    precision[averageProductCorrection] = found(numTop);
    rows.push({
      label: averageProductCorrection
        ? 'Frobenius norms, average product corrected'
        : 'Frobenius norms',
      measured: { ofTop: found(numTop), ofAsManyAsContacts: found(numContacts) },
      paper: {},
    });
  }
  rows.push({
    label: 'the fit',
    measured: {
      seconds,
      numEvaluations: fit.numEvaluations,
      numIterations: fit.numIterations,
      objective: fit.objective,
    },
    paper: {},
  });
  const checks = [
    {
      claim: `of the ${numTop} strongest pairs by the Frobenius norm in the zero-sum gauge, 90 % or more are contacts`,
      holds: precision[false] >= 0.9,
    },
    {
      claim: `of the ${numTop} strongest pairs with the average product correction, 90 % or more are contacts`,
      holds: precision[true] >= 0.9,
    },
    { claim: 'the fit converges', holds: fit.converged },
  ];
  return { rows, checks, digests: [fit.digest] };
}
