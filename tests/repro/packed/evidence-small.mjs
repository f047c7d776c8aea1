// The estimators of chapter 7 of Grosse's thesis (2014) where enumeration knows the truth, as its section 7.3.2 has them tested:
// on tables so small that right estimators are right, and a wrong one shows.

import { mean } from './estimates.mjs';

export const name = 'evidence-small';
export const about = 'estimators of evidence on tables that enumeration knows (Grosse 2014, 7.3.2)';
export const source = 'Grosse 2014, section 7.3.2';

export const departures = [
  { of: 'tables', paper: 'very small; not said which', ours: 'five or seven rows of sines' },
];

const waves = (numRows, numCols) =>
  Float64Array.from({ length: numRows * numCols }, (_, at) => {
    const [i, j] = [Math.floor(at / numCols) + 1, (at % numCols) + 1];
    return 2 * Math.sin(1 + 1.3 * i + 2.1 * j * j + 0.7 * i * j);
  });

const variances = { kind: 'fixed' };
const CASES = [
  ['clusters', { kind: 'clustering', dim: 2, numClusters: 3, variances }, 7],
  ['clusters, variances sampled', { kind: 'clustering', dim: 2, numClusters: 2 }, 5],
  ['attributes', { kind: 'binaryAttributes', dim: 2, numAttributes: 2, variances }, 5],
  ['one factor of one column', { kind: 'lowRank', dim: 1, numFactors: 1, variances }, 7],
];

const estimatorsOf = (quick) => [
  ['annealing', { kind: 'annealing', numDistributions: quick ? 100 : 300 }],
  ['particle learning', { kind: 'particleLearning', numSweeps: 2 }],
  ['likelihood weighting', { kind: 'likelihoodWeighting', numDraws: quick ? 1000 : 3000 }],
  ['thermodynamic integration', { kind: 'thermodynamicIntegration', numDistributions: 1000 }],
  ['Chib', { kind: 'chib', numSweeps: 100 }],
];

export async function run({ engine, quick, seed, log }) {
  const numTrials = quick ? 100 : 1000;
  const rows = [];
  const digests = [];
  const distances = [];
  const bounds = [];
  for (const [label, model, numRows] of CASES) {
    const states = waves(numRows, model.dim);
    const evidence = async (estimator, count) => {
      const result = await engine.evidence({ model, states, estimator, numTrials: count, seed });
      digests.push(result.digest);
      return result;
    };
    const { logZ: exact } = await evidence({ kind: 'exact' }, 1);
    rows.push({ label: `${label}, exactly`, measured: { logEvidence: exact }, paper: {} });
    for (const [method, estimator] of estimatorsOf(quick)) {
      const { logZ, standardError } = await evidence(estimator, numTrials);
      const measured = {
        logEvidence: logZ,
        logEvidenceError: standardError,
        error: logZ - exact,
        inErrors: Math.abs(logZ - exact) / standardError,
      };
      rows.push({ label: `${label}, ${method}`, measured, paper: {} });
      distances.push(measured.inErrors);
      log(`${label}, ${method}: ${measured.error.toFixed(4)} ± ${standardError.toFixed(4)}`);
    }
    const nested = await evidence({ kind: 'nestedSampling', numParticles: 100 }, quick ? 10 : 50);
    const variational = await evidence({ kind: 'variationalBayes' }, 5);
    bounds.push({ exact, bound: variational.logZ });
    rows.push({
      label: `${label}, others`,
      measured: {
        nestedError: nested.logZ - exact,
        nestedErrorError: nested.standardError,
        variationalError: variational.logZ - exact,
        harmonicError: mean([...(await evidence({ kind: 'harmonicMean' }, 20)).trials]) - exact,
      },
      paper: {},
    });
  }
  const checks = [
    {
      claim: 'each unbiased estimator agrees with brute force, within five of its standard errors',
      source,
      holds: distances.every((distance) => distance < 5),
    },
    {
      claim: 'the bound of variational Bayes is below the evidence',
      source,
      holds: bounds.every(({ exact, bound }) => bound < exact),
    },
  ];
  return { settings: { numTrials }, rows, checks, digests };
}
